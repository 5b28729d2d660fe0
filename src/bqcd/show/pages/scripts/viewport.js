// Moving about in a drawing: drag, wheel, pinch, buttons and keys change the view box.
const CLOSEST = 6;
const SLACK = 4;

class Viewport {
  constructor(svg, world) {
    this.svg = svg;
    this.world = world;
    this.pointers = new Map();
    this.moved = false;
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      svg.addEventListener(end, (event) => this.release(event));
    }
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.fit();
  }

  fit() {
    this.set({ ...this.world });
  }

  set(view) {
    const least = this.world.width / CLOSEST;
    const grown = Math.min(Math.max(view.width, least), this.world.width * 3) / view.width;
    const x = view.x + (view.width * (1 - grown)) / 2;
    const y = view.y + (view.height * (1 - grown)) / 2;
    this.view = { x, y, width: view.width * grown, height: view.height * grown };
    this.svg.setAttribute("viewBox", `${x} ${y} ${this.view.width} ${this.view.height}`);
  }

  zoom(factor, at) {
    const { x, y, width, height } = this.view;
    const centre = at ?? { x: x + width / 2, y: y + height / 2 };
    const most = Math.min(factor, (CLOSEST * width) / this.world.width);
    const size = Math.max(most, width / (3 * this.world.width));
    this.set({
      x: centre.x - (centre.x - x) / size,
      y: centre.y - (centre.y - y) / size,
      width: width / size,
      height: height / size,
    });
  }

  pan(right, down) {
    this.set({ ...this.view, x: this.view.x + right, y: this.view.y + down });
  }

  place({ clientX, clientY }) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  press(event) {
    this.pointers.set(event.pointerId, { clientX: event.clientX, clientY: event.clientY });
    if (this.pointers.size === 1) this.moved = false;
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { clientX: event.clientX, clientY: event.clientY };
    const far = Math.hypot(now.clientX - before.clientX, now.clientY - before.clientY);
    if (!this.moved && far < SLACK) return;
    if (!this.moved) {
      this.moved = true;
      this.svg.setPointerCapture(event.pointerId);
      this.svg.classList.add("dragging");
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, now);
    else {
      const [from, to] = [this.place(before), this.place(now)];
      this.pan(from.x - to.x, from.y - to.y);
    }
    this.pointers.set(event.pointerId, now);
  }

  pinch(moving, before, now) {
    const [, other] = [...this.pointers].find(([id]) => id !== moving);
    const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
    const middle = { clientX: (now.clientX + other.clientX) / 2, clientY: (now.clientY + other.clientY) / 2 };
    this.zoom(apart(now) / apart(before), this.place(middle));
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    if (!this.pointers.size) this.svg.classList.remove("dragging");
  }

  wheel(event) {
    // A page is scrolled past a drawing more often than the drawing is zoomed.
    const meant = event.ctrlKey || event.metaKey || this.svg.closest(".canvas").contains(document.activeElement);
    if (!meant) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.008 : 0.002)), this.place(event));
  }

  key(event) {
    const by = 0.12 * this.view.width;
    const moves = {
      ArrowLeft: () => this.pan(-by, 0),
      ArrowRight: () => this.pan(by, 0),
      ArrowUp: () => this.pan(0, -by),
      ArrowDown: () => this.pan(0, by),
      "+": () => this.zoom(1.25),
      "=": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      0: () => this.fit(),
    };
    const move = event.ctrlKey || event.metaKey || event.altKey ? null : moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }
}
