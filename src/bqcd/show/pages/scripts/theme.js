const root = document.documentElement;
const THEME = "bqcd-theme";

function stored(theme) {
  // A page from a file may have no storage; the choice then lasts as long as the page.
  try {
    if (theme) localStorage.setItem(THEME, theme);
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

function startTheme() {
  const button = byId("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const current = () => root.dataset.theme ?? (dark.matches ? "dark" : "light");
  const label = () => {
    const other = current() === "dark" ? "Light" : "Dark";
    button.textContent = other;
    button.setAttribute("aria-label", `${other} colours`);
  };
  const before = stored();
  if (before === "light" || before === "dark") root.dataset.theme = before;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    stored(root.dataset.theme);
    label();
  });
  dark.addEventListener("change", label);
  label();
}

function startPrinting() {
  const folded = () => [...document.querySelectorAll("details:not([open])")];
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = folded();
    for (const fold of opened) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of opened) fold.open = false;
  });
}
