// Charts with two axes: a frame first, then lines on it.
const DASHES = ["", "9 4", "2 4", "10 3 2 3"];
const N_HUES = 8;

function niceTicks(low, high, wanted = 6) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) {
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}

function scale([low, high], from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

function tickText(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(1).replace(/\.0e/, "e");
  // Four digits may be a year.
  return value.toLocaleString("en", { maximumFractionDigits: 6, useGrouping: "min2" });
}

function chartFrame({ title, x, y, width = 460, height = 300, right = 16 }) {
  const yTicks = y.ticks ?? niceTicks(...y.range);
  const xTicks = x.ticks ?? niceTicks(...x.range, 5);
  const words = yTicks.map((tick) => tickText(tick).length);
  const left = 30 + 7 * Math.max(2, ...words);
  const box = { left, right: width - right, top: 12, bottom: height - 46 };
  const sx = scale(x.range, box.left, box.right);
  const sy = scale(y.range, box.bottom, box.top);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (const tick of yTicks) {
    svg.append(drawn("path", { class: "grid", d: `M${box.left} ${sy(tick)}H${box.right}` }));
    svg.append(drawn("text", { x: box.left - 7, y: sy(tick) + 4, "text-anchor": "end" }, tickText(tick)));
  }
  for (const tick of xTicks) {
    svg.append(drawn("text", { x: sx(tick), y: box.bottom + 17, "text-anchor": "middle" }, tickText(tick)));
  }
  svg.append(drawn("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
  const middle = (box.top + box.bottom) / 2;
  const aside = { class: "label", "text-anchor": "middle" };
  svg.append(
    drawn("text", { ...aside, x: (box.left + box.right) / 2, y: height - 8 }, shortName(x.label, 46)),
    drawn("text", { ...aside, transform: `translate(13 ${middle}) rotate(-90)` }, shortName(y.label, 32)),
  );
  return { svg, sx, sy, box };
}

function pathOf(points, sx, sy) {
  return points.map(([x, y], at) => `${at ? "L" : "M"}${sx(x).toFixed(1)} ${sy(y).toFixed(1)}`).join("");
}

function lineLook(at) {
  return { hue: at % N_HUES, dash: DASHES[Math.floor(at / N_HUES + at) % DASHES.length] };
}

function lineSample({ hue, dash }, width = 30) {
  const line = { class: `hued hue-${hue}`, d: `M1 5H${width - 1}`, "stroke-width": 2.5, "stroke-dasharray": dash };
  return drawn("svg", { viewBox: `0 0 ${width} 10`, "aria-hidden": "true" }, drawn("path", line));
}

function bandPath(band, range, sx, sy) {
  const within = (value) => Math.min(Math.max(value, range[0]), range[1]);
  const upper = band.map(([x, , high]) => [x, within(high)]);
  const lower = band.map(([x, low]) => [x, within(low)]).reverse();
  return `${pathOf([...upper, ...lower], sx, sy)}Z`;
}

function lineChart({ title, x, y, series, band, chance, markers }) {
  const frame = chartFrame({ title, x, y });
  const { svg, sx, sy } = frame;
  if (band) svg.append(drawn("path", { class: "band", d: bandPath(band, y.range, sx, sy) }));
  if (chance) svg.append(drawn("path", { class: "chance", d: pathOf(chance, sx, sy) }));
  for (const { points, hue, dash, name } of series) {
    const look = { class: `curve hued hue-${hue}`, "stroke-dasharray": dash, "data-series": name };
    svg.append(drawn("path", { ...look, d: pathOf(points, sx, sy) }));
    if (!markers && points.length > 1) continue;
    for (const [at, value] of points) {
      svg.append(drawn("circle", { class: `filled hue-${hue}`, cx: sx(at), cy: sy(value), r: 3.6 }));
    }
  }
  addReadout(frame, series, `${x.short ?? x.label}`);
  return svg;
}

function nearestPoint(series, sx, sy, px, py) {
  let best = { far: 30 };
  for (const { points, hue, name } of series) {
    for (const [x, y] of points) {
      const far = Math.hypot(sx(x) - px, sy(y) - py);
      if (far < best.far) best = { far, x, y, hue, name };
    }
  }
  return best;
}

function addReadout({ svg, sx, sy, box }, series, across) {
  const dot = drawn("circle", { r: 5, fill: "none", "stroke-width": 2, visibility: "hidden" });
  const text = drawn("text", { class: "end label", x: box.right, y: box.top + 4, "text-anchor": "end" });
  svg.append(dot, text);
  svg.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const near = nearestPoint(series, sx, sy, at.x, at.y);
    dot.setAttribute("visibility", near.name ? "visible" : "hidden");
    text.textContent = near.name
      ? `${shortName(near.name, 24)}: ${numberText(near.y)} at ${across} ${numberText(near.x)}`
      : "";
    if (!near.name) return;
    dot.setAttribute("class", `hued hue-${near.hue}`);
    dot.setAttribute("cx", sx(near.x));
    dot.setAttribute("cy", sy(near.y));
  });
  svg.addEventListener("pointerleave", () => {
    dot.setAttribute("visibility", "hidden");
    text.textContent = "";
  });
}

function probabilityMeter(probability) {
  // The same scale in every report: from a coin at the left to certainty at the right.
  const at = (share) => 200 * (share - 0.5);
  const look = { class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" };
  const marks = BARS.map((bar) => drawn("path", { d: `M${at(bar)} 0V8` }));
  const known = Math.max(0, at(probability));
  return drawn("svg", look, drawn("rect", { y: 2, width: 100, height: 4 }), drawn("rect", { y: 2, width: known, height: 4 }), marks);
}
