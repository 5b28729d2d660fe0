// What is said of a thing when it is pointed at, tapped or focused: one bubble for all of them.
const TIP_LASTS = 6000;

function startTips() {
  const bubble = element("div", { id: "tip", class: "tip", role: "tooltip", hidden: true });
  document.body.append(bubble);
  let owner = null;
  let ending = 0;
  const hide = () => {
    owner?.removeAttribute("aria-describedby");
    owner = null;
    bubble.hidden = true;
  };
  const show = (target) => {
    clearTimeout(ending);
    if (!target) return hide();
    if (owner === target) return undefined;
    hide();
    // A dialog lies above the page, and so must the bubble.
    (target.closest("dialog") ?? document.body).append(bubble);
    bubble.textContent = target.dataset.tip;
    bubble.hidden = false;
    placeTip(bubble, target.getBoundingClientRect());
    owner = target;
    return target.setAttribute("aria-describedby", "tip");
  };
  const found = (event) => {
    const target = event.target.closest?.("[data-tip]") ?? null;
    return target && says(target) ? target : null;
  };
  document.addEventListener("pointerover", (event) => event.pointerType === "mouse" && show(found(event)));
  document.addEventListener("focusin", (event) => show(found(event)));
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", hide, true);
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("click", (event) => {
    show(found(event));
    if (owner) ending = setTimeout(hide, TIP_LASTS);
  });
}

function says(target) {
  // A name that is there whole need not be said again.
  return !target.classList.contains("name") || target.scrollWidth > target.clientWidth;
}

function placeTip(bubble, { left, right, top, bottom }) {
  const { width, height } = bubble.getBoundingClientRect();
  const across = Math.min(Math.max(8, (left + right - width) / 2), Math.max(8, innerWidth - width - 8));
  const above = top - height - 8;
  bubble.style.left = `${across}px`;
  bubble.style.top = `${above > 4 ? above : bottom + 8}px`;
}
