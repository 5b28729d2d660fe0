// Rows of a pair with the quantile curves of one direction; what would be the cause lies flat.
const GRAIN = 1000;

function levelLook(level) {
  const hue = level < 0.4 ? 1 : level > 0.6 ? 0 : 2;
  const dash = level < 0.4 ? "7 4" : level > 0.6 ? "2.5 4" : "";
  return { hue, dash };
}

function dotPaths({ across, up, weight }, sx, sy) {
  const n = across.length;
  const size = n <= 300 ? 5.5 : n <= 1000 ? 4.4 : 3.4;
  const most = weight ? Math.max(...weight) : 1;
  const grades = new Map();
  for (let at = 0; at < n; at += 1) {
    // Plain points are dealt out to a few paths, so that crowds come out darker.
    const grade = weight ? Math.ceil(4 * Math.sqrt(weight[at] / most)) : at % 6;
    const place = `M${sx(across[at]).toFixed(1)} ${sy(up[at]).toFixed(1)}h0`;
    grades.set(grade, (grades.get(grade) ?? "") + place);
  }
  return [...grades].map(([grade, d]) =>
    drawn("path", { class: "dots", d, "stroke-width": weight ? 1.6 + 1.5 * grade : size }),
  );
}

function spreadOut(wanted, gap, low, high) {
  const order = wanted.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b]);
  const found = [...wanted];
  let last = low - gap;
  for (const at of order) last = found[at] = Math.max(wanted[at], last + gap);
  last = high + gap;
  for (const at of order.reverse()) last = found[at] = Math.min(found[at], last - gap);
  return found;
}

function addCurves({ svg, sx, sy, box }, { at, levels }, labelled = true) {
  const curves = levels.map(({ values }) => values.map((value, k) => [at[k], value]));
  const few = levels.length <= 9 ? levels.map((_, k) => k) : [0, levels.length >> 1, levels.length - 1];
  for (const points of curves) svg.append(drawn("path", { class: "halo", d: pathOf(points, sx, sy) }));
  curves.forEach((points, k) => {
    const { hue, dash } = levelLook(levels[k].level);
    const look = { class: `curve hued hue-${hue}`, "stroke-dasharray": dash, d: pathOf(points, sx, sy) };
    svg.append(drawn("path", { ...look, "data-tip": `level ${numberText(levels[k].level)}` }));
  });
  if (!labelled) return;
  const ends = few.map((k) => sy(curves[k].at(-1)[1]) + 4);
  const places = spreadOut(ends, 13, box.top + 6, box.bottom);
  few.forEach((k, which) => {
    const { hue } = levelLook(levels[k].level);
    const look = { class: `end filled hue-${hue}`, x: sx(at.at(-1)) + 6, y: places[which] };
    svg.append(drawn("text", look, numberText(levels[k].level)));
  });
}

function axisTicks({ range: [low, high], ticks }) {
  const place = scale([low, high], 0, GRAIN);
  if (ticks && ticks.length) return ticks.map(([at, word]) => [place(at), shortName(word, 16)]);
  return niceTicks(low, high, 5).map((tick) => [place(tick), tickText(tick)]);
}

function scatterFrame(title, cause, effect) {
  const width = 460;
  const height = 330;
  const longest = Math.max(0, ...(effect.ticks ?? []).map(([, word]) => shortName(word, 16).length));
  const box = { left: Math.max(62, 24 + 6.6 * longest), right: width - 44, top: 10, bottom: height - 48 };
  const sx = scale([0, GRAIN], box.left, box.right);
  const sy = scale([0, GRAIN], box.bottom, box.top);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (const [place, tick] of axisTicks(effect)) {
    svg.append(drawn("path", { class: "grid", d: `M${box.left} ${sy(place)}H${box.right}` }));
    svg.append(drawn("text", { x: box.left - 7, y: sy(place) + 4, "text-anchor": "end" }, tick));
  }
  for (const [place, tick] of axisTicks(cause)) {
    svg.append(drawn("path", { class: "grid", d: `M${sx(place)} ${box.top}V${box.bottom}` }));
    svg.append(drawn("text", { x: sx(place), y: box.bottom + 17, "text-anchor": "middle" }, tick));
  }
  const middle = { class: "label", "text-anchor": "middle" };
  const turned = `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`;
  svg.append(
    drawn("text", { ...middle, x: (box.left + box.right) / 2, y: height - 9 }, shortName(cause.name, 44)),
    drawn("text", { ...middle, transform: turned }, shortName(effect.name, 34)),
  );
  return { svg, sx, sy, box };
}

function scatterPanel(detail, way, names) {
  const { points, curves } = detail;
  const x = { name: names[0], range: points.x_range, ticks: points.x_ticks, values: points.x };
  const y = { name: names[1], range: points.y_range, ticks: points.y_ticks, values: points.y };
  const [cause, effect] = way === "x_to_y" ? [x, y] : [y, x];
  const title = `${effect.name} against ${cause.name}, with quantile curves`;
  const frame = scatterFrame(title, cause, effect);
  const rows = { across: cause.values, up: effect.values, weight: points.weight };
  frame.svg.append(...dotPaths(rows, frame.sx, frame.sy));
  if (curves && curves[way]) addCurves(frame, curves[way]);
  return frame.svg;
}
