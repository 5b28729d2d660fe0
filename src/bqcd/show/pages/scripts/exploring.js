const choices = JSON.parse(document.getElementById("choices").textContent);
const at = (id) => document.getElementById(id);
const chosen = new Set();
const MOST_SHOWN = 200;
const PAUSE = 150;
const STAGES = { columns: "Columns read", pairs: "Pairs judged", details: "Pairs assessed" };
let asked = 0;
let running = null;
let coming = [];
const ANSWERS = ["clear", "leaning", "cannot tell"];

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat());
  return node;
}

const option = (value, text) => {
  const element = document.createElement("option");
  element.value = value;
  element.textContent = text;
  return element;
};

const tellChosen = () => {
  const names = [...chosen].map((place) => choices.columns[place].name);
  const pairs = (names.length * (names.length - 1)) / 2;
  let text = "None chosen.";
  if (names.length === 1) text = `${names[0]}, and which other?`;
  if (names.length === 2) text = `${names[0]} and ${names[1]}.`;
  if (names.length > 2) text = `${names.length} columns, ${pairs.toLocaleString("en")} pairs.`;
  at("chosen").textContent = text;
};

const columnLine = (place) => {
  const column = choices.columns[place];
  const line = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = chosen.has(place);
  box.disabled = !column.usable;
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(place);
    else chosen.delete(place);
    tellChosen();
  });
  const name = document.createElement("bdi");
  name.textContent = column.name;
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = column.kind;
  line.append(box, name, kind);
  line.classList.toggle("useless", !column.usable);
  return line;
};

const listColumns = () => {
  const sought = at("search").value.trim().toLowerCase();
  const found = [];
  choices.columns.forEach((column, place) => {
    if (column.name.toLowerCase().includes(sought)) found.push(place);
  });
  const lines = found.slice(0, MOST_SHOWN).map(columnLine);
  if (found.length > MOST_SHOWN) {
    const more = document.createElement("p");
    more.className = "small";
    more.textContent = `${(found.length - MOST_SHOWN).toLocaleString("en")} more: type part of a name.`;
    lines.push(more);
  }
  at("columns").replaceChildren(...lines);
};

const tellMethod = () => {
  const method = choices.methods.find(({ name }) => name === at("method").value);
  at("assumes").textContent = `Assumes: ${method.assumes}.`;
  document.querySelectorAll(".of-quantiles").forEach((line) => {
    line.hidden = !method.quantiles;
  });
  return method;
};

const question = () => {
  const third = (id) => (at(id).value === "" ? null : Number(at(id).value));
  const sent = {
    columns: [...chosen],
    by: third("by"),
    given: third("given") === null ? [] : [third("given")],
    method: at("method").value,
    missing: at("missing").value,
    seed: Number(at("seed").value || 0),
  };
  if (tellMethod().quantiles) {
    sent.regressor = at("regressor").value;
    sent.n_levels = Number(at("levels").value);
  }
  return sent;
};

const tell = (text) => {
  at("state").textContent = text;
};

const complain = (text) => {
  at("trouble").textContent = text;
  at("trouble").hidden = !text;
};

const tellComing = () => {
  // The surest first, as in the report that will take their place.
  const order = [...coming].sort((a, b) =>
    ANSWERS.indexOf(a.answer) - ANSWERS.indexOf(b.answer) || (b.probability ?? 0) - (a.probability ?? 0));
  at("live").replaceChildren(...order.map((pair) => {
    const [first, mark, second] = pair.cause === null ? [pair.x, "—", pair.y] : [pair.cause, "→", pair.effect];
    const look = { clear: "is-clear", leaning: "is-leaning" }[pair.answer] ?? "is-open";
    const sure = pair.probability === null ? "" : ` probability ${probabilityText(pair.probability)}`;
    const arrow = element("span", { class: "arrow whole" }, element("bdi", { class: "name" }, first), " ", element("span", { class: "mark" }, mark), " ", element("bdi", { class: "name" }, second));
    return element("li", { class: pair.cause === null ? "undecided" : null }, arrow, " ", element("span", { class: `badge ${look}` }, pair.answer), sure);
  }));
  at("coming").hidden = coming.length === 0;
};

const hear = (job) => {
  if (!job.pairs?.length) return;
  coming.push(...job.pairs);
  at("welcome").hidden = true;
  at("report").hidden = true;
  tellComing();
};

const work = (busy) => {
  at("stop").disabled = !busy;
  at("progress").hidden = !busy;
  document.querySelector(".answering").classList.toggle("stale", busy);
};

const call = async (place, sent) => {
  const options = sent === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(sent),
  };
  const answer = await fetch(place, options);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.message);
  return found;
};

const show = (job) => {
  const place = `jobs/${job.id}/report.html`;
  const frame = at("report");
  frame.src = place;
  frame.hidden = false;
  at("welcome").hidden = true;
  at("coming").hidden = true;
  at("save").href = `${place}?save`;
  at("save").hidden = false;
  // Below the form, nobody would see that it has come.
  if (matchMedia("(max-width: 48rem)").matches) frame.scrollIntoView();
};

const tellProgress = (job) => {
  const bar = at("progress");
  if (job.total) {
    bar.max = job.total;
    bar.value = job.done;
    tell(`${STAGES[job.stage]}: ${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`);
  } else {
    bar.removeAttribute("value");
    tell("Reading the table …");
  }
};

const follow = async (job, ticket) => {
  while (job.state === "running" && ticket === asked) {
    tellProgress(job);
    hear(job);
    await new Promise((done) => setTimeout(done, PAUSE));
    job = await call(`jobs/${job.id}?since=${coming.length}`);
  }
  if (ticket !== asked) return;
  running = null;
  work(false);
  tell(job.state === "done" ? "Done." : "");
  if (job.state === "done") show(job);
  else complain(job.message);
};

const ask = async () => {
  asked += 1;
  const ticket = asked;
  complain("");
  coming = [];
  tellComing();
  try {
    const job = await call("jobs", question());
    if (ticket !== asked) return;
    running = job.id;
    work(true);
    await follow(job, ticket);
  } catch (error) {
    if (ticket !== asked) return;
    work(false);
    tell("");
    complain(error instanceof TypeError ? "The server is gone: start bqcd explore again." : error.message);
  }
};

choices.methods.forEach(({ name }) => at("method").append(option(name, name)));
for (const id of ["given", "by"]) {
  at(id).append(option("", "nothing"), ...choices.columns.map(({ name }, place) => option(place, name)));
}
choices.regressors.forEach((name) => at("regressor").append(option(name, name)));
at("method").value = "panel";
at("regressor").value = "copula";
at("method").addEventListener("change", tellMethod);
at("search").addEventListener("input", listColumns);
at("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault();
});
const choose = (places) => {
  chosen.clear();
  for (const place of places) chosen.add(place);
  listColumns();
  tellChosen();
};
at("clear").addEventListener("click", () => choose([]));
at("numeric").addEventListener("click", () => {
  const numbers = choices.columns.flatMap(({ number }, place) => (number ? [place] : []));
  choose(numbers.slice(0, choices.most_columns));
});
for (const button of document.querySelectorAll(".suggestion")) {
  button.addEventListener("click", () => {
    choose([Number(button.dataset.x), Number(button.dataset.y)]);
    ask();
  });
}
at("question").addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
at("stop").addEventListener("click", () => {
  if (running !== null) call(`jobs/${running}/stop`, {}).catch(() => {});
});
tellMethod();
listColumns();
startTips();
