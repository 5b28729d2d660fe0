// Where boxes and arrows of a graph lie: as they were laid out, until a box is moved by hand.
const BOX = 34;
const SAMPLES = 16;

function laidOut(nodes, edges) {
  const boxes = new Map();
  for (const { id, name, label, x, y, width } of nodes) boxes.set(id, { id, name, label: label ?? name, x, y, width });
  const bends = edges.flatMap(({ way }) => way ?? []).map(([x, y]) => ({ x, y, width: 0 }));
  return { boxes, world: worldAround([...boxes.values(), ...bends]) };
}

function worldAround(boxes) {
  const left = Math.min(...boxes.map(({ x, width }) => x - width / 2)) - 12;
  const right = Math.max(...boxes.map(({ x, width }) => x + width / 2)) + 12;
  const top = Math.min(...boxes.map(({ y }) => y)) - BOX;
  const bottom = Math.max(...boxes.map(({ y }) => y)) + BOX;
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

function wayBetween({ a, way }, tail, head, boxes) {
  if (way && !tail.moved && !head.moved) return (tail.id === a ? way : [...way].reverse()).map(([x, y]) => ({ x, y }));
  // Both ways of drawing an edge give the same curve, so it does not jump when it turns.
  const [one, two] = tail.id < head.id ? [tail, head] : [head, tail];
  const bend = bentAround(one, two, boxes);
  const [from, to] = [borderPoint(tail, bend, 2), borderPoint(head, bend, 3)];
  return Array.from({ length: SAMPLES + 1 }, (_, at) => curvePoint(from, bend, to, at / SAMPLES));
}

function cutBack(points, length) {
  const kept = [...points];
  let last = kept.pop();
  let left = length;
  while (kept.length) {
    const before = kept.at(-1);
    const far = Math.hypot(last.x - before.x, last.y - before.y);
    if (far >= left) {
      const share = left / (far || 1);
      return [...kept, { x: last.x + share * (before.x - last.x), y: last.y + share * (before.y - last.y) }];
    }
    left -= far;
    last = kept.pop();
  }
  return [points[0], last];
}

function edgeShape(points, { pointed, width }) {
  const show = ({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const line = (several) => several.map((point, at) => `${at ? "L" : "M"}${show(point)}`).join("");
  if (!pointed) return { shaft: line(points), tip: "" };
  const tip = points.at(-1);
  const rest = cutBack(points, 7 + 1.9 * width);
  const base = rest.at(-1);
  const far = Math.hypot(tip.x - base.x, tip.y - base.y) || 1;
  const ahead = { x: (tip.x - base.x) / far, y: (tip.y - base.y) / far };
  const half = 3.2 + 0.95 * width;
  const corner = (by) => show({ x: base.x - by * ahead.y, y: base.y + by * ahead.x });
  // The shaft reaches a little into the head, lest a gap shows.
  rest[rest.length - 1] = { x: base.x + 2 * ahead.x, y: base.y + 2 * ahead.y };
  return { shaft: line(rest), tip: `M${show(tip)}L${corner(half)}L${corner(-half)}Z` };
}
