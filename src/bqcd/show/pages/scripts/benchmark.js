// The matrix of a benchmark, and its curves.
function startBenchmark() {
  if (report.benchmark) new Benchmark(report.benchmark).start();
}

class Benchmark {
  constructor(benchmark) {
    Object.assign(this, benchmark);
    this.looks = new Map(this.methods.map((method, at) => [method, lineLook(at)]));
    this.on = new Set(this.methods.slice(0, 10));
    this.dataset = this.datasets[0]?.name;
  }

  start() {
    const buttons = [...byId("metric-controls").querySelectorAll("button")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        this.fillMatrix(button.dataset.metric, button.textContent);
      });
    }
    byId("metric-controls").hidden = buttons.length < 2;
    this.fillMatrix(buttons[0]?.dataset.metric ?? "accuracy", buttons[0]?.textContent ?? "Accuracy");
    if (this.curves && this.curves.length) this.addCurves();
  }

  fillMatrix(metric, label) {
    const table = byId("matrix");
    table.caption.textContent = `${label} by method and data set`;
    const shown = (cell) => numberText(cell?.[metric] ?? null);
    const best = this.datasets.map((_, at) => Math.max(...this.cells.map((row) => row[at]?.[metric] ?? -Infinity)));
    const rows = this.methods.map((method, at) => element("tr", {},
      element("th", { scope: "row" }, nameElement(method)),
      this.cells[at].map((cell, column) =>
        this.cellElement(cell, metric, shown(cell) === numberText(best[column])))));
    table.tBodies[0].replaceChildren(...rows);
  }

  cellElement(cell, metric, isBest) {
    const value = cell?.[metric] ?? null;
    if (value === null) return element("td", { class: "figure" }, NOTHING);
    const side = value >= 0.5 ? "above" : "below";
    const failed = cell.failed ? element("small", {}, `${countText(cell.failed)} failed`) : null;
    const time = cell.seconds ? `${numberText(cell.seconds)} s` : null;
    const look = { class: `figure shaded ${side}${isBest ? " best" : ""}`, "data-tip": time };
    const node = element("td", look, percentText(value), isBest ? element("span", { class: "unseen" }, " (best)") : null, failed);
    node.style.setProperty("--share", Math.round(Math.min(1, 2 * Math.abs(value - 0.5)) * 70));
    return node;
  }

  addCurves() {
    const choices = this.datasets.map(({ name }) => element("option", { value: name }, name));
    const select = element("select", { id: "dataset" }, choices);
    select.addEventListener("change", () => {
      this.dataset = select.value;
      this.drawCurves();
    });
    this.charts = element("div", { class: "panels" });
    byId("curves").append(
      element("div", { class: "picker" }, element("label", { for: "dataset" }, "Curves on"), select),
      this.toggles(),
      this.charts,
    );
    this.drawCurves();
  }

  toggles() {
    const boxes = this.methods.map((method) => {
      const box = element("input", { type: "checkbox", value: method });
      box.checked = this.on.has(method);
      box.addEventListener("change", () => {
        if (box.checked) this.on.add(method);
        else this.on.delete(method);
        this.drawCurves();
      });
      return element("label", { class: "tick" }, box, lineSample(this.looks.get(method)), nameElement(method));
    });
    return element("fieldset", { class: "toggles" }, element("legend", {}, "Methods shown"), boxes);
  }

  series(kind) {
    return this.curves
      .filter(({ dataset, method }) => dataset === this.dataset && this.on.has(method))
      .map((curve) => ({ name: curve.method, points: curve[kind] ?? [], ...this.looks.get(curve.method) }))
      .filter(({ points }) => points.length);
  }

  drawCurves() {
    const decided = this.series("decision_rate");
    const lowest = Math.min(0.4, ...decided.flatMap(({ points }) => points.map(([, y]) => y)));
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    const rates = lineChart({
      title: `Accuracy by decision rate on ${this.dataset}`,
      x: { range: [0, 1], ticks, label: "share of pairs decided, most confident first", short: "rate" },
      y: { range: [Math.floor(10 * lowest) / 10, 1.02], label: "accuracy" },
      series: decided,
      band: this.coin_band?.[this.dataset],
      chance: [[0, 0.5], [1, 0.5]],
    });
    const roc = lineChart({
      title: `ROC curves on ${this.dataset}`,
      x: { range: [0, 1], ticks, label: "false positive rate", short: "false positives" },
      y: { range: [0, 1.02], ticks, label: "true positive rate" },
      series: this.series("roc"),
      chance: [[0, 0], [1, 1]],
    });
    const coin = this.coin_band?.[this.dataset] ? "Grey: where a coin would be." : "Dotted: a coin.";
    const claims = this.series("reliability");
    const reliability = claims.length && lineChart({
      title: `Claimed and right on ${this.dataset}`,
      x: { range: [0.5, 1], ticks: [0.5, 0.6, 0.7, 0.8, 0.9, 1], label: "claimed probability", short: "claimed" },
      y: { range: [0, 1.02], ticks, label: "share right" },
      series: claims,
      chance: [[0.5, 0.5], [1, 1]],
    });
    this.charts.replaceChildren(...[
      chartFigure("Decision rate", `Accuracy when only the most confident pairs are decided. ${coin}`, rates),
      chartFigure("ROC", "Right against wrong answers as the bar on the confidence falls. Dotted: a coin.", roc),
      reliability && chartFigure("Calibration", "How often directions are right, by the probability claimed. Dotted: as often as claimed.", reliability),
    ].filter(Boolean));
  }
}

function chartFigure(title, says, chart) {
  return element("figure", {}, element("figcaption", {}, title, element("span", { class: "small" }, says)), chart);
}
