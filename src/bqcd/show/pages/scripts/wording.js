// Numbers and names in words; wording.py has the same rules.
const NOTHING = "–";

function numberText(value) {
  if (value === null || value === undefined) return NOTHING;
  const size = Math.abs(value);
  if (size > 0 && size < 1e-4) return value > 0 ? "< 0.0001" : "> -0.0001";
  if (size >= 999.5) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function percentText(value) {
  return value === null || value === undefined ? NOTHING : `${numberText(100 * value)} %`;
}

// Where an answer leans and where it is clear.
const BARS = [0.65, 0.8];

// Never up to a bar that is missed; ties go to the even number, as in Python.
function probabilityText(value) {
  if (value === null || value === undefined) return NOTHING;
  const low = Math.floor(100 * value);
  const rest = 100 * value - low;
  const up = rest > 0.5 || (rest === 0.5 && low % 2 === 1);
  const missed = BARS.some((bar) => value < bar && bar <= (low + 1) / 100);
  return `${low + (up && !missed ? 1 : 0)} %`;
}

function shareText(value) {
  return value === null || value === undefined ? NOTHING : `${Math.floor(100 * value + 1e-9)} %`;
}

function strengthText(value) {
  return value === null || value === undefined ? NOTHING : value.toFixed(2);
}

function countText(value) {
  return value === null || value === undefined ? NOTHING : value.toLocaleString("en");
}

function chanceText(value) {
  if (value === null || value === undefined) return NOTHING;
  return value < 0.001 ? "< 0.001" : String(Number(value.toPrecision(2)));
}

const WORDS = { number: numberText, percent: percentText, probability: probabilityText, share: shareText, strength: strengthText, count: countText, chance: chanceText };

function shortName(name, longest) {
  const signs = Array.from(name.replace(/\s+/g, " ").trim());
  if (signs.length <= longest) return signs.join("");
  const tail = Math.floor(longest / 3);
  return `${signs.slice(0, longest - tail - 1).join("")}…${signs.slice(-tail).join("")}`;
}

function pairEnds(pair) {
  return pair.cause === null || pair.cause === undefined
    ? [pair.x, "—", pair.y]
    : [pair.cause, "→", pair.effect];
}
