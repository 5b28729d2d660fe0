// Where boxes and arrows of a graph lie.
const BOX = 34;
const AIR = 26;
const LAYER = 96;
const NEAR = 0.06;

function textWidth(text) {
  let width = 0;
  for (const sign of text) width += /[\u1100-\uffff\u{10000}-\u{10ffff}]/u.test(sign) ? 13.5 : 7.6;
  return width;
}

function laidOut(nodes, edges) {
  const boxes = new Map();
  for (const { id, name, x, y } of nodes) {
    const label = shortName(name, nodes.length > 20 ? 16 : 22) || "(no name)";
    boxes.set(id, { id, name, label, width: Math.max(48, textWidth(label) + 26), ax: x, ay: y });
  }
  const all = [...boxes.values()];
  const width = Math.max(620, neededWidth(all));
  const height = Math.max(300, neededHeight(all, width));
  for (const box of all) Object.assign(box, { x: box.ax * width, y: box.ay * height });
  const bends = edges.map(({ a, b }) => {
    const [one, two] = [boxes.get(a), boxes.get(b)];
    return { ...curvePoint(one, bentAround(one, two, boxes), two, 0.5), width: 0 };
  });
  return { boxes, world: worldAround([...all, ...bends]) };
}

function neededWidth(boxes) {
  // Neighbours in one row must not overlap: the narrowest gap sets the width of the whole.
  let needed = 0;
  for (const [at, one] of boxes.entries()) {
    for (const two of boxes.slice(at + 1)) {
      const apart = Math.abs(one.ax - two.ax);
      if (Math.abs(one.ay - two.ay) > NEAR || apart < 1e-3) continue;
      needed = Math.max(needed, ((one.width + two.width) / 2 + AIR) / apart);
    }
  }
  return Math.min(needed, 4000);
}

function neededHeight(boxes, width) {
  let needed = 0;
  for (const [at, one] of boxes.entries()) {
    for (const two of boxes.slice(at + 1)) {
      const apart = Math.abs(one.ay - two.ay);
      const beside = Math.abs(one.ax - two.ax) * width > (one.width + two.width) / 2;
      if (beside || apart < 1e-3) continue;
      needed = Math.max(needed, LAYER / apart);
    }
  }
  return Math.min(needed, 3000);
}

function worldAround(boxes) {
  const left = Math.min(...boxes.map(({ x, width }) => x - width / 2)) - 30;
  const right = Math.max(...boxes.map(({ x, width }) => x + width / 2)) + 30;
  const top = Math.min(...boxes.map(({ y }) => y)) - BOX - 12;
  const bottom = Math.max(...boxes.map(({ y }) => y)) + BOX + 12;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function borderPoint(box, towards, gap) {
  const dx = towards.x - box.x;
  const dy = towards.y - box.y;
  const reach = Math.min((box.width / 2 + gap) / Math.abs(dx || 1e-9), (BOX / 2 + gap) / Math.abs(dy || 1e-9));
  return { x: box.x + dx * Math.min(reach, 0.49), y: box.y + dy * Math.min(reach, 0.49) };
}

function curvePoint(from, bend, to, t) {
  const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return { x: a * from.x + b * bend.x + c * to.x, y: a * from.y + b * bend.y + c * to.y };
}

function isFree(from, bend, to, others) {
  for (let t = 0.08; t < 0.93; t += 0.04) {
    const { x, y } = curvePoint(from, bend, to, t);
    if (others.some((box) => Math.abs(x - box.x) < box.width / 2 + 5 && Math.abs(y - box.y) < BOX / 2 + 5)) return false;
  }
  return true;
}

function bentAround(tail, head, boxes) {
  const others = [...boxes.values()].filter((box) => box !== tail && box !== head);
  const middle = { x: (tail.x + head.x) / 2, y: (tail.y + head.y) / 2 };
  const far = Math.hypot(head.x - tail.x, head.y - tail.y) || 1;
  const side = { x: -(head.y - tail.y) / far, y: (head.x - tail.x) / far };
  const bends = [0, 50, -50, 100, -100, 160, -160, 240, -240];
  const place = (by) => ({ x: middle.x + by * side.x, y: middle.y + by * side.y });
  const free = bends.find((by) => isFree(tail, place(by), head, others));
  return place(free ?? 0);
}

function edgeShape(tail, head, boxes, { pointed, width }) {
  // Both ways of drawing an edge give the same curve, so it does not jump when it turns.
  const [one, two] = tail.id < head.id ? [tail, head] : [head, tail];
  const bend = bentAround(one, two, boxes);
  const from = borderPoint(tail, bend, 2);
  const tip = borderPoint(head, bend, 3);
  const far = Math.hypot(tip.x - bend.x, tip.y - bend.y) || 1;
  const ahead = { x: (tip.x - bend.x) / far, y: (tip.y - bend.y) / far };
  const length = 7 + 1.9 * width;
  const base = { x: tip.x - length * ahead.x, y: tip.y - length * ahead.y };
  const half = 3.2 + 0.95 * width;
  const end = pointed ? { x: base.x + 2 * ahead.x, y: base.y + 2 * ahead.y } : tip;
  const show = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const corner = (by) => show({ x: base.x - by * ahead.y, y: base.y + by * ahead.x });
  return {
    shaft: `M${show(from)}Q${show(bend)} ${show(end)}`,
    tip: pointed ? `M${show(tip)}L${corner(half)}L${corner(-half)}Z` : "",
  };
}
