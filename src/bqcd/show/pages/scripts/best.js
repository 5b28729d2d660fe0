// The best-supported pairs as small pictures that lead to their pages.
function startBest() {
  const list = byId("best-pairs");
  if (!list) return;
  const pairs = new Map((report.pairs ?? []).map((pair) => [pair.id, pair]));
  for (const item of list.children) {
    const pair = pairs.get(Number(item.dataset.pair));
    const detail = (report.details ?? {})[pair.id];
    item.replaceChildren(element("a", { href: `#pair-${pair.id}` }, bestHead(pair), thumbnail(pair, detail)));
  }
}

function bestHead(pair) {
  const sure = pair.probability === null ? null : element("span", { class: "sure" }, `probability ${probabilityText(pair.probability)}`);
  return element("span", { class: "best-head" }, arrowElements(pairEnds(pair), "whole"), answerBadge(pair), sure);
}

function thumbnail(pair, detail) {
  const turned = pair.cause === pair.y;
  const [width, height] = [320, 190];
  const box = { left: 22, right: width - 8, top: 8, bottom: height - 24 };
  const sx = scale([0, GRAIN], box.left, box.right);
  const sy = scale([0, GRAIN], box.bottom, box.top);
  const [across, up] = turned ? ["y", "x"] : ["x", "y"];
  const title = `${pair[up]} against ${pair[across]}`;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  svg.append(drawn("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
  const { points, curves } = detail;
  svg.append(...dotPaths({ across: points[across], up: points[up], weight: points.weight }, sx, sy));
  const way = curves?.[turned ? "y_to_x" : "x_to_y"];
  if (way) addCurves({ svg, sx, sy, box }, way, false);
  const middle = { class: "label", "text-anchor": "middle" };
  svg.append(
    drawn("text", { ...middle, x: (box.left + box.right) / 2, y: height - 7 }, shortName(pair[across], 34)),
    drawn("text", { ...middle, transform: `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)` }, shortName(pair[up], 20)),
  );
  return svg;
}
