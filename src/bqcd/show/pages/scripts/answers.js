// All answers as a matrix: a row is the cause of what is blue in it, the effect of what is orange.
const LEAST_CELL = 5;
const MOST_CELL = 40;
const LEGIBLE = 11;
const LEVELS = { 0: "open", 1: "cause-1", 2: "cause-2", 3: "cause-3", a: "effect-1", b: "effect-2", c: "effect-3" };
const TURNED = { 1: "a", 2: "b", 3: "c", a: "1", b: "2", c: "3" };

function startAnswers() {
  if (report.matrix && byId("answers-view")) new Answers(report.matrix).start();
}

class Answers {
  constructor({ names, cells, bars, total }) {
    Object.assign(this, { names, cells, bars, total, n: names.length });
    this.order = names.map((_, at) => at);
    this.ids = new Map((report.pairs ?? []).flatMap(({ id, x, y }) => [[`${x}\n${y}`, id], [`${y}\n${x}`, id]]));
    this.pairs = new Map((report.pairs ?? []).map((pair) => [pair.id, pair]));
    this.at = null;
  }

  letter(row, column) {
    if (row === column) return "";
    const [i, j] = row < column ? [row, column] : [column, row];
    const found = this.cells[i * this.n - (i * (i + 1)) / 2 + j - i - 1];
    return row < column ? found : TURNED[found] ?? found;
  }

  start() {
    const order = element("select", { id: "answers-order", change: () => this.reorder(order.value) },
      element("option", { value: "table" }, "as in the table"), element("option", { value: "causes" }, "causes first"));
    const zoom = (label, mark, by) => element("button", { type: "button", class: "step", "aria-label": label, click: () => this.zoom(by) }, mark);
    this.svg = drawn("svg", { role: "img", "aria-label": `Answers of ${this.n} columns with each other; arrow keys move, Enter opens the pair` });
    this.pane = scrollBox("Matrix of answers", this.svg);
    this.pane.classList.add("pane");
    this.told = element("p", { class: "small", id: "answers-told", "aria-live": "polite" });
    byId("answers-view").append(
      element("p", { class: "lede" }, "Read along a row: ", element("b", { class: "is-cause" }, "blue"), " where its column is the cause, ",
        element("b", { class: "is-effect" }, "orange"), " where it is the effect, grey where that cannot be told. The stronger the colour, the surer."),
      element("div", { class: "controls" }, element("label", { class: "field" }, "Order", order),
        element("div", { class: "tools" }, zoom("Larger", "+", 1.5), zoom("Smaller", "−", 1 / 1.5))),
      element("div", { class: "with-legend" }, this.pane, this.legend()), this.told);
    this.cell = Math.min(MOST_CELL, Math.max(LEAST_CELL, (byId("answers-view").clientWidth - 150) / this.n));
    this.svg.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.choose(this.place(event)));
    this.svg.addEventListener("click", (event) => this.click(event));
    this.pane.addEventListener("keydown", (event) => this.key(event));
    this.draw();
    this.tell();
  }

  legend() {
    const swatch = (look) => drawn("svg", { class: "swatch", viewBox: "0 0 14 14", "aria-hidden": "true" }, drawn("rect", { class: look, width: 14, height: 14 }));
    const from = this.bars.map(probabilityText);
    const words = ["leaning", `clear, from ${from[1]}`, `clear, from ${from[2]}`];
    const graded = words.map((text, at) => element("li", {}, swatch(`cause-${at + 1}`), swatch(`effect-${at + 1}`), text)).reverse();
    return element("ul", { class: "swatches small" }, graded, element("li", {}, swatch("open"), "cannot tell"));
  }

  reorder(how) {
    const score = (row) => this.names.reduce((sum, _, column) => sum + ("123".includes(this.letter(row, column) || " ") ? 1 : "abc".includes(this.letter(row, column) || " ") ? -1 : 0), 0);
    const scores = how === "causes" ? this.names.map((_, row) => score(row)) : this.names.map(() => 0);
    this.order = this.names.map((_, at) => at).sort((a, b) => scores[b] - scores[a] || a - b);
    this.draw();
  }

  zoom(by) {
    this.cell = Math.min(2 * MOST_CELL, Math.max(LEAST_CELL, this.cell * by));
    this.draw();
  }

  draw() {
    const { n, cell, order } = this;
    const labelled = cell >= LEGIBLE;
    this.edge = labelled ? 12 + this.widest() : 6;
    const size = this.edge + n * cell + 6;
    for (const side of ["width", "height"]) this.svg.setAttribute(side, Math.ceil(size));
    const paths = new Map();
    order.forEach((row, i) => order.forEach((column, j) => {
      const look = LEVELS[this.letter(row, column)];
      if (!look) return;
      const [x, y] = [this.edge + j * cell, this.edge + i * cell];
      const side = (cell - Math.min(1, cell / 8)).toFixed(1);
      paths.set(look, `${paths.get(look) ?? ""}M${x.toFixed(1)} ${y.toFixed(1)}h${side}v${side}h-${side}z`);
    }));
    this.cursor = drawn("rect", { class: "cursor", width: cell, height: cell, visibility: "hidden" });
    this.svg.replaceChildren(
      ...[...paths].map(([look, d]) => drawn("path", { class: look, d })),
      ...(labelled ? order.flatMap((column, at) => this.labels(column, at)) : []), this.cursor);
    this.mark();
  }

  // Measured, as letters differ from one system to the next.
  widest() {
    const probes = this.names.map((name) => drawn("text", { visibility: "hidden" }, shortName(name, 18)));
    this.svg.replaceChildren(...probes);
    return Math.max(...probes.map((probe) => probe.getComputedTextLength() || 7 * probe.textContent.length));
  }

  labels(column, at) {
    const name = shortName(this.names[column], 18);
    const middle = this.edge + (at + 0.5) * this.cell;
    return [
      drawn("text", { x: this.edge - 5, y: middle + 4, "text-anchor": "end" }, name),
      drawn("text", { transform: `translate(${middle + 4} ${this.edge - 5}) rotate(-90)` }, name),
    ];
  }

  place(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [j, i] = [at.x, at.y].map((value) => Math.floor((value - this.edge) / this.cell));
    return i >= 0 && j >= 0 && i < this.n && j < this.n ? [i, j] : null;
  }

  choose(at) {
    if (String(at) === String(this.at)) return;
    this.at = at;
    this.mark();
    this.tell();
  }

  mark() {
    this.cursor.setAttribute("visibility", this.at ? "visible" : "hidden");
    if (!this.at) return;
    this.cursor.setAttribute("x", this.edge + this.at[1] * this.cell);
    this.cursor.setAttribute("y", this.edge + this.at[0] * this.cell);
  }

  chosen() {
    const [row, column] = this.at.map((place) => this.names[this.order[place]]);
    return { row, column, id: this.ids.get(`${row}\n${column}`), letter: this.letter(this.order[this.at[0]], this.order[this.at[1]]) };
  }

  tell() {
    const cut = this.total > this.n ? ` Of ${countText(this.total)} columns, the ${countText(this.n)} with the most directions.` : "";
    const opens = Object.keys(report.details ?? {}).length ? "; a click opens the pair" : "";
    if (!this.at) return void (this.told.textContent = `Point at a cell, or move by the arrow keys${opens}.${cut}`);
    const { row, column, id, letter } = this.chosen();
    if (row === column) return void (this.told.textContent = row);
    const mark = "123".includes(letter) ? [row, "→", column] : "abc".includes(letter) ? [column, "→", row] : [row, "—", column];
    const pair = this.pairs.get(id);
    const sure = pair?.probability == null ? "" : `, probability ${probabilityText(pair.probability)}`;
    const words = letter === " " ? "not judged" : letter === "0" ? "cannot tell" : pair?.answer ?? ["leaning", "clear", "clear"]["1a2b3c".indexOf(letter) >> 1];
    const link = (report.details ?? {})[id] ? element("a", { href: `#pair-${id}` }, "Open the pair") : "";
    this.told.replaceChildren(...arrowElements(mark), ` ${words}${sure}. `, link);
  }

  open() {
    const { id } = this.chosen();
    if (id !== undefined && (report.details ?? {})[id]) location.hash = `pair-${id}`;
  }

  click(event) {
    const at = this.place(event);
    this.choose(at);
    // A finger is wider than a small cell: the line below then has the way on.
    const sure = event.pointerType !== "touch" || this.cell >= 18;
    if (at && sure) this.open();
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter" && this.at) return this.open();
    const move = moves[event.key];
    if (!move) return undefined;
    event.preventDefault();
    const from = this.at ?? [0, 0];
    return this.choose(this.at ? from.map((place, side) => Math.min(this.n - 1, Math.max(0, place + move[side]))) : from);
  }
}
