// The panel of one pair. The address names the pair, so that it can be sent and gone back to.
class PairDialog {
  constructor(pairs, order) {
    this.pairs = pairs;
    this.order = order;
    this.details = report.details ?? {};
    this.open = null;
    this.sheet = null;
    this.title = element("h2", { id: "detail-title", tabindex: -1 });
    this.body = element("div", { class: "dialog-body" });
    this.previous = this.button("←", () => this.move(-1), "Previous pair");
    this.next = this.button("→", () => this.move(1), "Next pair");
    const close = this.button("Close", () => this.dialog.close());
    const space = element("span", { class: "space" });
    const head = element("div", { class: "dialog-head" }, this.title, this.previous, this.next, space, close);
    this.dialog = element("dialog", { id: "detail", "aria-labelledby": "detail-title" }, head, this.body);
    document.body.append(this.dialog);
  }

  button(mark, act, label) {
    return element("button", { type: "button", class: "step", "aria-label": label, click: act }, mark);
  }

  start() {
    this.dialog.addEventListener("close", () => this.closed());
    this.dialog.addEventListener("keydown", (event) => this.key(event));
    this.dialog.addEventListener("click", ({ target }) => target === this.dialog && this.dialog.close());
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("beforeprint", () => this.layOut());
    window.addEventListener("afterprint", () => this.sheet?.remove());
    this.follow();
  }

  follow() {
    const asked = /^#pair-(\d+)$/.exec(location.hash);
    const pair = asked && this.pairs.find(({ id }) => id === Number(asked[1]));
    if (pair && this.details[pair.id]) this.show(pair);
    else if (this.dialog.open) this.dialog.close();
  }

  show(pair) {
    this.open = pair.id;
    this.title.replaceChildren(...arrowElements(pairEnds(pair), "whole"));
    this.body.replaceChildren(detailElement(pair, this.details[pair.id]));
    this.previous.disabled = !this.neighbour(-1);
    this.next.disabled = !this.neighbour(1);
    if (!this.dialog.open) {
      this.dialog.showModal();
      // By hand: a frame of another origin, as in the explorer, may not use autofocus.
      this.title.focus();
    }
    this.dialog.scrollTop = 0;
  }

  neighbour(by) {
    const around = this.order().filter(({ id }) => this.details[id]);
    const at = around.findIndex(({ id }) => id === this.open);
    return at < 0 ? null : around[at + by];
  }

  move(by) {
    const pair = this.neighbour(by);
    if (!pair) return;
    history.replaceState(null, "", `#pair-${pair.id}`);
    this.show(pair);
  }

  key({ key, target }) {
    if (target.closest("[role=region]")) return;
    if (key === "ArrowLeft" || key === "ArrowRight") this.move(key === "ArrowLeft" ? -1 : 1);
  }

  closed() {
    this.open = null;
    if (!location.hash.startsWith("#pair-")) return;
    history.replaceState(null, "", location.pathname + location.search);
  }

  layOut() {
    // What lies above the page is cut off on paper, so a copy of it is laid into the page.
    if (!this.dialog.open) return;
    this.sheet = element("div", { class: "sheet" }, element("h1", {}, this.title.textContent), this.body.cloneNode(true));
    document.body.append(this.sheet);
  }
}
