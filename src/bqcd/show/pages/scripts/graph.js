// The graph: edges as they stand at a bar, which the reader moves.
const OUTCOMES = {
  given: { hue: 7, dash: "" },
  learnt: { hue: 7, dash: "16 2" },
  judged: { hue: 0, dash: "" },
  "v-structure": { hue: 5, dash: "14 3 2 3" },
  knowledge: { hue: 3, dash: "18 4" },
  compelled: { hue: 2, dash: "9 3" },
  turned: { hue: 1, dash: "12 3 3 3" },
  completed: { hue: 4, dash: "5 2" },
  borderline: { hue: 6, dash: "7 5" },
  abstained: { hue: 6, dash: "2 4" },
  blocked: { hue: 6, dash: "8 4 2 4" },
};

const MANY_EDGES = 40;
const LETTERS = 13;
const LEAST_LETTERS = 11.5;
const NARROW = 640;

function startGraph() {
  if (report.graph && report.graph.nodes.length) new Graph(report.graph).start();
}

class Graph {
  constructor(graph) {
    this.graph = graph;
    this.bars = graph.bars && graph.bars.length ? graph.bars : [0];
    this.at = this.firstBar(graph.bar);
    this.chosen = null;
    this.pairs = new Map((report.pairs ?? []).map((pair) => [pair.id, pair]));
    Object.assign(this, laidOut(graph.nodes, graph.edges));
    this.most = Math.max(0, ...graph.edges.map(({ confidence }) => Math.abs(confidence ?? 0))) || 1;
    this.looks = this.allLooks();
  }

  firstBar(bar) {
    if (bar === null || bar === undefined) return 0;
    return Math.max(0, this.bars.findLastIndex((from) => from <= bar));
  }

  allLooks() {
    const looks = new Map();
    const named = (this.graph.outcomes ?? []).map(({ name }) => name);
    const met = this.graph.edges.flatMap(({ states }) => states.map(({ outcome }) => outcome));
    for (const name of new Set([...named, ...met])) looks.set(name, OUTCOMES[name] ?? lineLook(looks.size));
    return looks;
  }

  start() {
    this.svg = drawn("svg", { role: "group", "aria-label": "Drawing of the graph" });
    this.edgeLayer = drawn("g");
    this.nodeLayer = drawn("g");
    this.svg.append(this.edgeLayer, this.nodeLayer);
    this.pane = element("div", { class: "graph-pane" }, this.svg);
    const canvas = element("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "Graph: arrow keys move it, plus and minus zoom, 0 shows all of it" }, this.pane, this.canvasFoot());
    this.side = element("div", { class: "side" }, this.slider(), this.choiceBox(), this.legend());
    byId("graph-view").append(element("div", { class: "graph-grid" }, canvas, this.side));
    this.viewport = new Viewport(this.svg, this.world);
    this.keepLegible();
    window.addEventListener("resize", () => this.keepLegible());
    canvas.addEventListener("keydown", (event) => event.target.closest("button") || this.viewport.key(event));
    this.drawNodes();
    this.update();
    this.side.querySelector(".slider").hidden = this.bars.length === 1;
    byId("edges").open = this.graph.edges.length <= MANY_EDGES;
  }

  keepLegible() {
    // Where all of it would be too small to read it is drawn larger, and scrolled.
    const room = this.pane.clientWidth;
    const scaled = Math.min(room / this.world.width, this.svg.clientHeight / this.world.height);
    const small = room < NARROW && LETTERS * scaled < LEAST_LETTERS;
    this.pane.classList.toggle("scrolled", small);
    this.svg.style.width = small ? `${Math.ceil((this.world.width * LEAST_LETTERS) / LETTERS)}px` : "";
    this.svg.style.height = small ? `${Math.ceil((this.world.height * LEAST_LETTERS) / LETTERS)}px` : "";
  }

  canvasFoot() {
    const hint = "Drag to move. Click, then scroll to zoom. Click an edge for its reason.";
    return element("div", { class: "canvas-foot" }, element("span", { class: "hint" }, hint), this.tools());
  }

  tools() {
    const tool = (label, mark, act) =>
      element("button", { type: "button", class: "step", "aria-label": label, click: act }, mark);
    return element("div", { class: "tools" },
      tool("Zoom in", "+", () => this.viewport.zoom(1.25)),
      tool("Zoom out", "−", () => this.viewport.zoom(0.8)),
      tool("Show all", "Fit", () => this.viewport.fit()));
  }

  slider() {
    this.range = element("input", { type: "range", id: "bar", min: 0, max: this.bars.length - 1, step: 1, "aria-describedby": "bar-says" });
    this.range.value = this.at;
    this.range.addEventListener("input", () => {
      this.at = Number(this.range.value);
      this.update();
    });
    this.barText = element("output", { for: "bar", id: "bar-value" });
    this.barSays = element("p", { class: "small", id: "bar-says" });
    const label = element("label", { for: "bar" }, "Confidence bar: ", this.barText);
    return element("div", { class: "slider" }, label, this.range, this.barSays);
  }

  choiceBox() {
    this.choice = element("div", { class: "choice-box", "aria-live": "polite", id: "edge-detail" });
    return this.choice;
  }

  legend() {
    const says = new Map((this.graph.outcomes ?? []).map((outcome) => [outcome.name, outcome.says]));
    this.legendItems = new Map();
    for (const [name, look] of this.looks) {
      const count = element("span", { class: "small count" });
      const words = element("span", {}, name, " ", count, says.get(name) ? element("span", { class: "small says" }, says.get(name)) : null);
      this.legendItems.set(name, { item: element("li", {}, lineSample(look, 38), words), count });
    }
    const items = [...this.legendItems.values()].map(({ item }) => item);
    const note = element("p", { class: "small" }, "Width: confidence, least where the pair alone says the other way. No arrowhead: no direction.");
    return element("div", {}, element("h3", {}, "How edges were settled"), element("ul", { class: "legend" }, items), note);
  }

  state(edge) {
    const bar = this.bars[this.at];
    return edge.states.findLast(({ from }) => from <= bar) ?? edge.states[0];
  }

  ends(edge, { state }) {
    const [a, b] = [this.boxes.get(edge.a), this.boxes.get(edge.b)];
    const pointed = state === "a->b" || state === "b->a";
    return { tail: state === "b->a" ? b : a, head: state === "b->a" ? a : b, pointed };
  }

  edges() {
    return this.graph.edges
      .map((edge, index) => ({ edge, index, state: this.state(edge) }))
      .filter(({ state }) => state && state.state !== "absent")
      .map((one) => ({ ...one, ...this.ends(one.edge, one.state) }));
  }

  update() {
    const edges = this.edges();
    const directed = edges.filter(({ pointed }) => pointed).length;
    this.barText.textContent = numberText(this.bars[this.at]);
    this.barSays.textContent = `${directed} of ${edges.length} edges have a direction, ${edges.length - directed} are open.`;
    this.range.setAttribute("aria-valuetext", `${this.barText.textContent}: ${this.barSays.textContent}`);
    for (const [name, { item, count }] of this.legendItems) {
      const n = edges.filter(({ state }) => state.outcome === name).length;
      count.textContent = `(${n})`;
      item.classList.toggle("none", n === 0);
    }
    this.drawEdges(edges);
    this.fillTable(edges);
    this.tellChoice(edges);
  }

  drawEdges(edges) {
    const focused = document.activeElement?.closest?.(".edge")?.dataset.edge;
    this.edgeLayer.replaceChildren(...edges.map((one) => this.edgeElement(one)));
    if (focused !== undefined) this.edgeLayer.querySelector(`[data-edge="${focused}"]`)?.focus();
  }

  // A verdict against the direction that came out does not make the edge heavier.
  drawnConfidence({ confidence }, state) {
    const size = confidence ?? 0;
    if (state === "a->b") return Math.max(size, 0);
    return state === "b->a" ? Math.max(-size, 0) : Math.abs(size);
  }

  edgeElement({ edge, index, state, tail, head, pointed }) {
    const size = this.drawnConfidence(edge, state.state) / this.most;
    const width = edge.confidence === null ? 1.8 : 1.4 + 3.2 * size;
    const { hue, dash } = this.looks.get(state.outcome);
    const { shaft, tip } = edgeShape(wayBetween(edge, tail, head, this.boxes), { pointed, width });
    const label = `${tail.name} ${pointed ? "→" : "—"} ${head.name}, ${state.outcome}`;
    const choose = () => this.viewport.moved || this.choose(index);
    const press = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.choose(index);
    };
    const look = { class: `edge hue-${hue}`, tabindex: 0, role: "button", "aria-label": label, "data-edge": index, "data-state": state.state, click: choose, keydown: press };
    const group = drawn("g", look,
      drawn("path", { class: "glow", d: shaft, "stroke-width": width + 9 }),
      drawn("path", { class: "shaft", d: shaft, "stroke-width": width, "stroke-dasharray": dash || null }),
      drawn("path", { class: "tip", d: tip }),
      drawn("path", { class: "hit", d: shaft }));
    group.classList.toggle("chosen", index === this.chosen);
    return group;
  }

  drawNodes() {
    for (const box of this.boxes.values()) {
      const group = drawn("g", { class: "node", "data-tip": box.label === box.name ? null : box.name },
        drawn("rect", { x: -box.width / 2, y: -BOX / 2, width: box.width, height: BOX, rx: 9 }),
        drawn("text", {}, box.label));
      const put = () => group.setAttribute("transform", `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`);
      put();
      this.makeDraggable(group, box, put);
      this.nodeLayer.append(group);
    }
  }

  makeDraggable(group, box, put) {
    let grip = null;
    group.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") return;
      event.stopPropagation();
      const at = this.viewport.place(event);
      grip = { x: box.x - at.x, y: box.y - at.y };
      group.setPointerCapture(event.pointerId);
    });
    group.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const at = this.viewport.place(event);
      Object.assign(box, { x: at.x + grip.x, y: at.y + grip.y, moved: true });
      put();
      this.drawEdges(this.edges());
    });
    for (const end of ["pointerup", "pointercancel"]) group.addEventListener(end, () => (grip = null));
  }

  choose(index) {
    this.chosen = index;
    for (const edge of this.edgeLayer.children) edge.classList.toggle("chosen", Number(edge.dataset.edge) === index);
    const edges = this.edges();
    this.fillTable(edges);
    this.tellChoice(edges);
  }

  tellChoice(edges) {
    const found = edges.find(({ index }) => index === this.chosen);
    this.choice.classList.toggle("unused", !found);
    if (!found) {
      const words = "Choose an edge to see how it was settled, and why.";
      this.choice.replaceChildren(element("p", { class: "small" }, words));
      return;
    }
    const { edge, state, tail, head, pointed } = found;
    const facts = [
      edge.confidence === null ? null : `confidence ${numberText(Math.abs(edge.confidence))}`,
      edge.rank ? `rank ${edge.rank}` : null,
      edge.share === null || edge.share === undefined ? null : `${shareText(edge.share)} of halves agree`,
    ].filter(Boolean).join(" · ");
    this.choice.replaceChildren(
      element("h3", {}, arrowElements([tail.name, pointed ? "→" : "—", head.name])),
      element("p", { class: "small" }, element("span", { class: "badge" }, state.outcome), " ", facts),
      element("p", {}, spoken(state.reason)),
      element("p", {}, this.pairLink(edge)),
    );
  }

  pairLink({ pair }, words = "See the pair") {
    const known = pair !== null && pair !== undefined && (report.details ?? {})[pair];
    return known ? element("a", { href: `#pair-${pair}` }, words) : null;
  }

  fillTable(edges) {
    const rows = edges.map(({ edge, index, state, tail, head, pointed }) => {
      const names = arrowElements([tail.name, pointed ? "→" : "—", head.name]);
      const button = element("button", { type: "button", class: "link", click: () => this.choose(index), "aria-pressed": String(index === this.chosen) }, names);
      const size = edge.confidence === null ? null : Math.abs(edge.confidence);
      const pair = this.pairs.get(edge.pair);
      const cell = (label, look, ...content) => element("td", { class: look, "data-label": label }, content);
      return element("tr", { class: index === this.chosen ? "chosen" : null, "data-edge": index },
        cell("Edge", null, button),
        cell("Outcome", null, state.outcome),
        cell("Pair alone", null, this.pairLink(edge, pair?.answer) ?? pair?.answer ?? NOTHING),
        cell("Probability", "figure", probabilityText(pair?.probability)),
        cell("Confidence", "figure", numberText(size)),
        cell("Why", "text", ...spoken(state.reason)));
    });
    const body = byId("edge-table").tBodies[0];
    const at = [...body.rows].findIndex((row) => row.contains(document.activeElement));
    body.replaceChildren(...rows);
    if (at >= 0) body.rows[at]?.querySelector("button").focus();
  }
}
