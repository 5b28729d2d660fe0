// Elements are made one by one and filled with text nodes: nothing is ever read as HTML.
const SVG = "http://www.w3.org/2000/svg";
const report = JSON.parse(document.getElementById("report").textContent);
const byId = (id) => document.getElementById(id);

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function element(name, attributes = {}, ...children) {
  return dressed(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return dressed(document.createElementNS(SVG, name), attributes, children);
}

// A long name breaks where its parts meet, and within one only if it has to.
function breakable(name) {
  return name.split(/(?<=[_.:/-])(?=.)/u).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
}

function nameElement(name) {
  return element("bdi", { class: "name", "data-tip": name }, breakable(name));
}

function arrowElements([first, mark, second], look = "") {
  const parts = [nameElement(first), " ", element("span", { class: "mark" }, mark), " ", nameElement(second)];
  return [element("span", { class: look ? `arrow ${look}` : "arrow" }, parts)];
}

const LOOKS = { clear: "is-clear", leaning: "is-leaning", "cannot tell": "is-open" };

function answerBadge({ answer }) {
  return answer ? element("span", { class: `badge ${LOOKS[answer]}` }, answer) : null;
}

// A sentence whose arrows stay in one piece.
function spoken(text) {
  return text.split("->").flatMap((part, at) => (at ? [element("span", { class: "one" }, "->"), part] : [part]));
}

function listElement(lines) {
  return element("ul", {}, lines.map((line) => element("li", {}, spoken(line))));
}

function field(label, input, look) {
  return element("label", { class: `field ${look}` }, label, input);
}

function scrollBox(label, child) {
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, child);
}

function tell(text) {
  byId("told").textContent = text;
}

function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    return navigator.clipboard.writeText(text).catch(() => copyBySelection(text));
  }
  return copyBySelection(text);
}

function copyBySelection(text) {
  const box = element("textarea", { class: "unseen", "aria-hidden": "true" });
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done ? Promise.resolve() : Promise.reject(new Error("not copied"));
}

function startCopying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const label = button.textContent;
    button.addEventListener("click", () => {
      const say = (word) => {
        button.textContent = word;
        tell(word);
        setTimeout(() => (button.textContent = label), 1600);
      };
      copyText(byId(button.dataset.copy).textContent).then(() => say("Copied"), () => say("Not copied"));
    });
  }
}
