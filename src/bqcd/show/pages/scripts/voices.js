// What a panel heard: a line for each source, with the methods that saw it as dots.
const VOICE_WIDTH = 460;
const VOICE_LINE = 44;

function voicesElement(pair, voices) {
  const { sources } = voices;
  const height = 34 + VOICE_LINE * sources.length;
  const box = { left: 84, right: VOICE_WIDTH - 14 };
  const at = scale([0, 1], box.left, box.right);
  const says = sources.map(({ name, probability }) => `${name} ${probabilityText(probability)}`).join(", ");
  const title = `Probability that ${pair.x} is the cause, by what was seen: ${says}`;
  const svg = drawn("svg", { viewBox: `0 0 ${VOICE_WIDTH} ${height}`, role: "img", "aria-label": title });
  const ends = [[shortName(pair.y, 20), box.left, "start", "◂ "], [shortName(pair.x, 20), box.right, "end", " ▸"]];
  for (const [name, x, anchor, mark] of ends) {
    const words = anchor === "start" ? `${mark}${name} is the cause` : `${name} is the cause${mark}`;
    svg.append(drawn("text", { x, y: 13, "text-anchor": anchor }, words));
  }
  svg.append(drawn("path", { class: "chance", d: `M${at(0.5)} 20V${height - 4}` }));
  sources.forEach((source, line) => svg.append(...voiceLine(source, 46 + VOICE_LINE * line, at)));
  const list = element("ul", { class: "small sources" }, sources.map(({ name, says: words, methods }) =>
    element("li", {}, element("b", {}, name), `: ${words}${voiceCounts(pair, methods)}`)));
  const note = "Bar: probability by what was seen. Dots: voices, farther out the louder.";
  return element("div", { class: "voices" }, element("h3", {}, "What the voices of the panel say"),
    element("div", { class: "strip" }, svg), element("p", { class: "small" }, note), list);
}

function voiceCounts(pair, methods) {
  if (!methods.length) return "";
  const side = (sign) => methods.filter(([, loud]) => Math.sign(loud) === sign).length;
  return ` ${side(1)} of ${methods.length} voices speak for ${shortName(pair.x, 24)}, ${side(-1)} for ${shortName(pair.y, 24)}.`;
}

function voiceLine({ name, probability, methods, used }, y, at) {
  const look = probability >= 0.5 ? "for-x" : "for-y";
  const [from, to] = [Math.min(at(0.5), at(probability)), Math.max(at(0.5), at(probability))];
  const stack = new Map();
  const dots = methods.map(([method, loud]) => {
    const x = at(0.5 + loud / 2);
    const slot = Math.round(x / 7);
    const level = stack.get(slot) ?? 0;
    stack.set(slot, level + 1);
    const side = loud > 0 ? "for-x" : loud < 0 ? "for-y" : "for-none";
    const words = `${method}: ${loud ? shareText(Math.abs(loud)) : "abstains"}`;
    return drawn("circle", { class: `voice ${side}`, cx: x, cy: y - 13 - 6 * Math.min(level, 2), r: 3, "data-tip": words });
  });
  return [
    drawn("text", { class: "label", x: 0, y: y + 4 }, name),
    drawn("path", { class: "grid", d: `M${at(0)} ${y}H${at(1)}` }),
    drawn("rect", { class: `voice-bar ${look}${used ? "" : " unused"}`, x: from, y: y - 5, width: Math.max(1.5, to - from), height: 10, rx: 2 }),
    ...dots,
  ];
}
