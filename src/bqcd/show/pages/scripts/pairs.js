// The table of pairs: sorted, filtered, and shown a leaf at a time.
const LEAF = 50;
const PRINTED = 1000;
// The surest first.
const ANSWERS = ["clear", "leaning", "cannot tell"];

function startPairs() {
  const pairs = report.pairs ?? [];
  if (!pairs.length) return;
  if (pairs.length === 1 && (report.details ?? {})[pairs[0].id]) {
    const detail = report.details[pairs[0].id];
    byId("only-pictures").classList.add("detail");
    byId("only-pictures").replaceChildren(picturePart(pairs[0], detail, null));
    byId("only-detail").classList.add("detail");
    byId("only-detail").replaceChildren(wordPart(pairs[0], { ...detail, sentence: "" }));
    for (const id of ["pair-box", "count", "meanings"]) byId(id).hidden = true;
    return;
  }
  if (!byId("pair-table")) {
    new PairDialog(pairs, () => pairs).start();
    return;
  }
  const table = new PairTable(pairs);
  table.start();
  new PairDialog(pairs, () => table.found).start();
}

class PairTable {
  constructor(pairs) {
    this.pairs = pairs;
    this.found = pairs;
    this.columns = [...byId("pair-table").querySelectorAll("thead th")].map((head) => ({ head, label: head.textContent, ...head.dataset }));
    this.details = report.details ?? {};
    this.names = pairs.map(({ x, y }) => `${x}\n${y}`.toLowerCase());
    this.sort = null;
    this.leaf = 0;
  }

  start() {
    for (const column of this.columns) {
      const button = element("button", { type: "button", class: "sort", click: () => this.sortBy(column) });
      button.textContent = column.head.textContent;
      column.head.replaceChildren(button);
    }
    this.addFilters();
    byId("pair-table").addEventListener("click", (event) => this.openRow(event));
    window.addEventListener("beforeprint", () => this.show(0, PRINTED));
    window.addEventListener("afterprint", () => this.show());
    this.refresh();
  }

  addFilters() {
    const update = () => this.refresh();
    const box = (attributes) => element("input", { input: update, autocomplete: "off", ...attributes });
    this.text = box({ type: "search", placeholder: "Name of a column", id: "filter-text" });
    this.least = box({ type: "number", min: 0, step: "any", placeholder: "0", id: "filter-confidence" });
    this.largest = box({ type: "number", min: 0, max: 1, step: "any", placeholder: "1", id: "filter-p" });
    this.decided = box({ type: "checkbox", id: "filter-decided" });
    const form = byId("filters");
    form.append(field("Name contains", this.text, "wide"), field("Confidence at least", this.least, "narrow"));
    if (this.columns.some(({ key }) => key === "dependence_p")) {
      form.append(field("p (independence) below", this.largest, "narrow"));
    }
    form.append(element("label", { class: "tick" }, this.decided, "Decided only"));
    form.append(this.sorter());
    form.append(element("button", { type: "reset", class: "quiet" }, "Clear"));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(update));
    form.hidden = false;
  }

  sorter() {
    // Cards have no heads to click on.
    const usual = element("option", { value: "" }, "answer");
    const select = element("select", { id: "sort-by" }, usual, this.columns.filter(({ key }) => key !== "answer").map(({ key, label }) => element("option", { value: key }, label)));
    select.addEventListener("change", () => {
      this.sort = null;
      const column = this.columns.find(({ key }) => key === select.value);
      if (column) this.sortBy(column);
      else this.refresh();
    });
    return field("Sort by", select, "narrow for-cards");
  }

  group(pair) {
    const word = pair.status === "done" ? pair.answer ?? "cannot tell" : "not judged";
    return word[0].toUpperCase() + word.slice(1);
  }

  groupRow(name) {
    const count = this.found.filter((pair) => this.group(pair) === name).length;
    const words = `${name}: ${countText(count)} pair${count === 1 ? "" : "s"}`;
    return element("tr", { class: "group" }, element("th", { colspan: this.columns.length, scope: "colgroup" }, words));
  }

  rows(shown) {
    // Whoever sorts by something else has no use for the groups.
    if (this.sort) return shown.map((pair) => this.row(pair));
    return shown.flatMap((pair, at) => {
      const starts = at === 0 || this.group(shown[at - 1]) !== this.group(pair);
      return starts ? [this.groupRow(this.group(pair)), this.row(pair)] : [this.row(pair)];
    });
  }

  sortBy({ key, kind }) {
    const first = kind === "pair" || kind === "text" || key.endsWith("_p") || key === "p_bound" ? 1 : -1;
    this.sort = this.sort?.key === key ? { key, way: -this.sort.way } : { key, way: first };
    for (const { head, key: other } of this.columns) {
      if (other === key) head.setAttribute("aria-sort", this.sort.way > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
    this.refresh();
  }

  sortValue(pair) {
    const { key } = this.sort;
    if (key === "pair") return pairEnds(pair).join(" ").toLowerCase();
    if (key === "answer") return pair.status === "done" ? ANSWERS.indexOf(pair.answer) : null;
    if (key === "message") return this.note(pair).toLowerCase() || null;
    if (key === "confidence") return pair.status === "done" ? Math.abs(pair.confidence) : null;
    return pair[key] ?? null;
  }

  refresh() {
    const words = this.text.value.trim().toLowerCase();
    const least = Number(this.least.value) || 0;
    const largest = this.largest.value === "" ? Infinity : Number(this.largest.value);
    this.found = this.pairs.filter((pair, at) =>
      (!words || this.names[at].includes(words)) &&
      (!least || (pair.status === "done" && Math.abs(pair.confidence) >= least)) &&
      (largest === Infinity || (pair.dependence_p !== null && pair.dependence_p < largest)) &&
      (!this.decided.checked || pair.cause !== null));
    if (this.sort) {
      const keyed = this.found.map((pair) => [this.sortValue(pair), pair]);
      const { way } = this.sort;
      keyed.sort(([a], [b]) => (a === null) - (b === null) || (a < b ? -way : a > b ? way : 0));
      this.found = keyed.map(([, pair]) => pair);
    }
    this.leaf = 0;
    this.show();
  }

  show(leaf = this.leaf, size = LEAF) {
    const from = leaf * size;
    const shown = this.found.slice(from, from + size);
    const body = byId("pair-table").tBodies[0];
    const none = element("tr", {}, element("td", { class: "empty", colspan: this.columns.length }, "No pair passes these filters."));
    body.classList.toggle("grouped", !this.sort);
    body.replaceChildren(...(shown.length ? this.rows(shown) : [none]));
    this.tellCount(from, shown.length);
    this.addLeaves();
  }

  row(pair) {
    const opens = Boolean(this.details[pair.id]);
    const look = [opens && "opens", pair.cause === null && "undecided"].filter(Boolean).join(" ");
    const cells = this.columns.map(({ key, kind, label }) => {
      if (kind === "pair") return element("th", { scope: "row" }, this.pairCell(pair, opens));
      const look = { class: kind === "text" ? "text" : "figure", "data-label": label };
      return element("td", look, this.cell(pair, key, kind));
    });
    return element("tr", { class: look || null, "data-pair": pair.id }, cells);
  }

  pairCell(pair, opens) {
    const names = arrowElements(pairEnds(pair));
    return opens ? element("button", { type: "button", class: "link" }, names) : names;
  }

  cell(pair, key, kind) {
    const done = pair.status === "done";
    if (key === "confidence") return done ? numberText(Math.abs(pair.confidence)) : NOTHING;
    if (key === "answer") return done ? pair.answer : "";
    if (kind === "text") return this.note(pair);
    if (key === "probability" && pair[key] !== null) return [probabilityMeter(pair[key]), element("span", { class: "number" }, probabilityText(pair[key]))];
    return WORDS[kind](pair[key]);
  }

  note({ status, message }) {
    return status === "done" ? message : [status, message].filter(Boolean).join(": ");
  }

  openRow(event) {
    const row = event.target.closest("tr.opens");
    if (row && !String(getSelection())) location.hash = `pair-${row.dataset.pair}`;
  }

  tellCount(from, shown) {
    const total = this.pairs.length;
    const all = report.pairs_total > total ? ` The page holds ${countText(total)} of ${countText(report.pairs_total)} pairs.` : "";
    const matching = this.found.length < total ? `${countText(this.found.length)} of ${countText(total)} pairs match` : `${countText(total)} pairs`;
    const range = shown && shown < this.found.length ? `, ${countText(from + 1)} to ${countText(from + shown)} shown` : "";
    byId("count").textContent = `${matching}${range}.${all}`;
  }

  addLeaves() {
    const last = Math.max(0, Math.ceil(this.found.length / LEAF) - 1);
    const turn = (label, to, off) =>
      element("button", { type: "button", class: "step", disabled: off, click: () => this.turn(to) }, label);
    byId("leaves").hidden = last === 0;
    byId("leaves").replaceChildren(
      turn("Previous", this.leaf - 1, this.leaf === 0),
      element("span", { class: "small" }, `Page ${this.leaf + 1} of ${last + 1}`),
      turn("Next", this.leaf + 1, this.leaf === last),
    );
  }

  turn(leaf) {
    const forward = leaf > this.leaf;
    this.leaf = leaf;
    this.show();
    const [previous, next] = byId("leaves").querySelectorAll("button");
    const wanted = forward ? next : previous;
    (wanted.disabled ? (forward ? previous : next) : wanted).focus();
  }
}
