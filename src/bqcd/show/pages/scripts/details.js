// What is known of one pair: the sentence, pictures, scores, trust, assumptions.
function detailElement(pair, detail) {
  return element("div", { class: "detail" }, picturePart(pair, detail), wordPart(pair, detail));
}

function picturePart(pair, detail, line = verdictLine(pair)) {
  return element("div", {}, line, detail.points?.x.length ? panels(pair, detail) : null, detail.points ? pointsNote(detail) : null);
}

function verdictLine(pair) {
  const sure = pair.probability === null || pair.probability === undefined ? null
    : element("span", { class: "sure" }, probabilityMeter(pair.probability), ` probability ${probabilityText(pair.probability)}`);
  return element("p", { class: "verdict" }, answerBadge(pair), sure);
}

function wordPart(pair, detail) {
  const said = detail.sentence ? element("p", { class: "said" }, spoken(detail.sentence)) : null;
  const voices = detail.voices ? voicesElement(pair, detail.voices) : null;
  const against = detail.caveats?.length
    ? element("div", { class: "against" }, element("h3", {}, "What speaks against it"), listElement(detail.caveats)) : null;
  const both = voices && against ? element("div", { class: "panels" }, voices, against) : voices ?? against;
  return element("div", {}, said, both, internals(pair, detail));
}

function internals(pair, detail) {
  const parts = [numbers(pair, detail.assessment)];
  if (detail.assumptions?.length) parts.push(element("h3", {}, "Assumptions"), listElement(detail.assumptions));
  if (detail.scores) parts.push(element("h3", {}, "Scores by level"), ...scoresPart(pair, detail.scores));
  const summary = element("summary", {}, "Numbers, assumptions and internals");
  return element("details", { class: "fold internals" }, summary, parts);
}

function panels(pair, detail) {
  const panel = (way, cause, effect) => {
    const says = pair.cause === cause && pair.effect === effect;
    const badge = says ? element("span", { class: `badge ${LOOKS[pair.answer]}` }, "the answer") : null;
    const caption = element("figcaption", {}, arrowElements([cause, "→", effect]), badge);
    return element("figure", {}, caption, scatterPanel(detail, way, [pair.x, pair.y]));
  };
  return element("div", { class: "panels" }, panel("x_to_y", pair.x, pair.y), panel("y_to_x", pair.y, pair.x));
}

function pointsNote({ points, curves }) {
  const rows = points.shown < points.total ? `${points.rule} Every number is of all rows.` : points.rule;
  const lines = curves ? " Curves: conditional quantiles by the copula of bQCD, labelled by level at their right end." : "";
  return element("p", { class: "small" }, rows + lines);
}

function numbers(pair, assessment) {
  const found = assessment ?? {};
  const take = (key) => found[key] ?? pair[key] ?? null;
  const halves = found.halves ? `${countText(found.halves)} random halves` : "random halves";
  const interval = found.interval ? found.interval.map(numberText).join(" to ") : null;
  const tiles = [
    ["Answer", pair.answer ?? null, "What may be said: clear, leaning, or that it cannot be told."],
    ["Confidence", numberText(pair.confidence), `Above zero it speaks for ${shortName(pair.x, 24)} as the cause; its size ranks pairs of one method.`],
    ["Probability", take("probability") === null ? null : probabilityText(take("probability")), "Calibrated chance that the direction is right, learned from simulated pairs."],
    ["Stability", take("stability") === null ? null : shareText(take("stability")), `Share of ${halves} of the rows that give the same answer.`],
    ["Interval", interval, "Where the confidence would be with other rows of the same kind."],
    ["Chance bound", take("p_bound") === null ? null : chanceText(take("p_bound")), "Upper bound on how often such a verdict comes about where no direction is right."],
    ["Dependence", take("dependence") === null ? null : strengthText(take("dependence")), dependenceSays(take("dependence_p"))],
    ["Rows", countText(pair.n_rows), "Rows in use, after those with missing values were left out."],
  ];
  const shown = tiles.filter(([, value]) => value !== null).map(([label, value, says]) =>
    element("div", {}, element("dt", {}, label), element("dd", { class: "value" }, value), element("dd", { class: "says" }, says)),
  );
  return element("div", {}, element("h3", {}, "How far to trust it"), element("dl", { class: "numbers" }, shown));
}

function dependenceSays(p) {
  const link = "Strength of the link, from 0 to 1.";
  if (p === null) return link;
  return `${link} p (independence): ${chanceText(p)}${p > 0.05 ? ", so there may be none." : "."}`;
}

function summed({ marginal, conditional }) {
  return marginal.map((value, at) => value + conditional[at]);
}

function scoresPart(pair, scores) {
  const alone = scores.x_to_y.marginal.map((value, at) => value + scores.y_to_x.marginal[at]);
  const ways = [
    { name: `${pair.x} → ${pair.y}`, cause: pair.x, key: "x_to_y", hue: 0, dash: "" },
    { name: `${pair.y} → ${pair.x}`, cause: pair.y, key: "y_to_x", hue: 1, dash: "7 4" },
  ].map((way) => ({ ...way, sums: summed(scores[way.key]) }));
  const shares = (way) => scores.levels.map((level, at) => [level, way.sums[at] / (alone[at] || 1)]);
  const all = ways.flatMap((way) => shares(way).map(([, share]) => share));
  const room = 0.15 * (Math.max(...all) - Math.min(...all) || Math.abs(all[0]) || 1);
  const chart = lineChart({
    title: "Share of the scores that is left, by level and direction; less is better",
    x: { range: [0, 1], label: "quantile level", short: "level" },
    y: { range: [Math.min(...all) - room, Math.max(...all) + room], label: "share left" },
    series: ways.map((way) => ({ ...way, points: shares(way) })),
    markers: true,
  });
  const legend = element("ul", { class: "legend" }, ways.map((way) =>
    element("li", {}, lineSample(way, 38), element("bdi", { "data-tip": way.name }, shortName(way.name, 44))),
  ));
  return [
    element("p", { class: "small" }, scoreWords(ways, scores.total)),
    element("div", { class: "panels" }, element("figure", {}, chart, legend), scoreTable(scores, ways)),
  ];
}

function scoreWords(ways, total) {
  const both =
    "A score is the cause's own plus the effect's once the cause is known; less is better. " +
    "The chart shows it as a share of the two columns' own scores.";
  if (!total) return both;
  const [first, second] = ways.map(({ name, key }) => `${shortName(name, 40)} ${precise(total[key])}`);
  return `${both} Over all levels: ${first}, ${second}.`;
}

function scoreTable(scores, ways) {
  const heads = ["Level", ...ways.map(({ name }) => shortName(name, 26)), "Speaks for"];
  const rows = scores.levels.map((level, at) => {
    const sums = ways.map((way) => way.sums[at]);
    const best = sums[0] === sums[1] ? null : ways[sums[0] < sums[1] ? 0 : 1];
    const cells = ways.map((way) => {
      const look = { class: way === best ? "figure least" : "figure", "data-tip": scoreParts(scores[way.key], at) };
      return element("td", look, precise(way.sums[at]));
    });
    const cause = element("td", {}, best ? nameElement(best.cause) : NOTHING);
    return element("tr", {}, element("th", { scope: "row" }, numberText(level)), cells, cause);
  });
  const head = element("tr", {}, heads.map((text, at) =>
    element("th", { scope: "col", class: at === 1 || at === 2 ? "figure" : null }, text)));
  return scrollBox("Scores by level", element("table", {}, element("thead", {}, head), element("tbody", {}, rows)));
}

function precise(value) {
  return value.toPrecision(4);
}

function scoreParts({ marginal, conditional }, at) {
  return `${precise(marginal[at])} + ${precise(conditional[at])}`;
}
