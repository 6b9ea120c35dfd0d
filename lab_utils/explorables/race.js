// The race, to drag: one distance, so many commands, four ways of sending them.
import { milliseconds, turns } from "./model.js";

const DISTANCES = [0, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 150, 200, 250];
const COMMANDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SHOWN_MS = 7000; // for the slowest, on the screen
const MANY_TURNS = 25; // of more, the first few get a part of that time of their own
const FIRST_TURNS = 5;
const FIRST_PART = 0.4;
const SEEN_MS = 120; // a turn that takes less on the screen is not seen to go and come
const KEPT = "redis-round-trip-lab.race.guess";

export function duration(ms) {
  if (ms >= 1000) return `${digits(ms / 1000)}\u00a0s`;
  return ms >= 1 ? `${digits(ms)}\u00a0ms` : `${digits(ms * 1000)}\u00a0µs`;
}

export function times(ratio) {
  return ratio < 10 ? digits(ratio, 2) : Math.round(ratio).toLocaleString("en");
}

function digits(number, kept = 3) {
  return Number(number.toPrecision(kept)).toLocaleString("en", { maximumFractionDigits: 3 });
}

function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

// The setting in the page's address, ?rtt=5&commands=100: what stands nearest in the lists.
export function settingOf(search) {
  const asked = new URLSearchParams(search);
  const nearest = (list, name, otherwise) => {
    const wanted = asked.has(name) ? Number(asked.get(name)) : NaN;
    if (!Number.isFinite(wanted)) return otherwise;
    return list.reduce((best, one) =>
      (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));
  };
  return { rtt: nearest(DISTANCES, "rtt", 1), commands: nearest(COMMANDS, "commands", 100) };
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function kept() {
  try { return localStorage.getItem(KEPT); } catch { return null; }
}

function keep(guess) {
  try { localStorage.setItem(KEPT, guess); } catch { /* a page that may keep nothing */ }
}

function knob(label, list, value, worded, changed) {
  const slider = element("input", { type: "range", min: 0, max: list.length - 1, step: 1 });
  const shown = element("output");
  const show = () => {
    const words = worded(list[slider.value]);
    slider.setAttribute("aria-valuetext", words);
    shown.textContent = words;
  };
  slider.value = list.indexOf(value);
  slider.addEventListener("input", () => { show(); changed(list[slider.value]); });
  show();
  return element("label", {}, element("span", {}, label), slider, shown);
}

function lane(name) {
  const packet = element("i", { class: "packet" });
  const bar = element("i", { class: "bar" });
  const said = element("span", { class: "said" });
  const row = element("li", { "data-way": name },
    element("span", { class: "name" }, name), said,
    element("span", { class: "road", "aria-hidden": "true" }, packet),
    element("span", { class: "track", "aria-hidden": "true" }, bar));
  return { row, packet, bar, said };
}

// How the slowest run's time goes by on the screen: [{from, until, slower}], in ms.
export function pacesOf(slowest) {
  if (slowest.turns <= MANY_TURNS) {
    return [{ from: 0, until: slowest.ms, slower: SHOWN_MS / slowest.ms }];
  }
  const first = FIRST_TURNS * slowest.ms / slowest.turns;
  return [
    { from: 0, until: first, slower: FIRST_PART * SHOWN_MS / first },
    { from: first, until: slowest.ms, slower: (1 - FIRST_PART) * SHOWN_MS / (slowest.ms - first) },
  ];
}

// The moment of the race, in ms, that the screen shows after `shown` ms, and its pace.
function momentOf(paces, shown) {
  let left = shown;
  for (const pace of paces) {
    const lasts = (pace.until - pace.from) * pace.slower;
    if (left < lasts) return { now: pace.from + left / pace.slower, slower: pace.slower };
    left -= lasts;
  }
  return { now: paces.at(-1).until, slower: paces.at(-1).slower };
}

function paceWords({ slower }) {
  return slower >= 1 ? `slowed down ${times(slower)} times` : `speeded up ${times(1 / slower)} times`;
}

// One picture: `now` ms after the start, of which one lasts for `slower` ms on the screen.
function draw(lanes, runs, { now, slower }) {
  const longest = Math.max(...runs.map((run) => run.ms));
  runs.forEach((run, place) => {
    const { packet, bar, said } = lanes[place];
    const done = Math.min(1, now / run.ms);
    const seen = (run.ms / run.turns) * slower >= SEEN_MS;
    const phase = (done * run.turns) % 1;
    const there = phase < 0.5 ? 2 * phase : 2 - 2 * phase;
    bar.style.transform = `scaleX(${done * run.ms / longest})`;
    packet.style.left = seen ? `${100 * there}%` : "0";
    packet.classList.toggle("many", !seen);
    packet.hidden = done === 1;
    const made = Math.floor(done * run.trips);
    said.textContent = done < 1 ? `${made.toLocaleString("en")} of ${run.words}`
      : `${run.words}, ${duration(run.ms)}`;
  });
}

function render({ model, el }) {
  const constants = model.get("constants");
  const names = Object.keys(constants.ways);
  const setting = settingOf(model.get("address") ? location.search : "");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const lanes = names.map(lane);
  const sentence = element("p", { class: "sentence", role: "status" });
  const pace = element("p", { class: "quiet" });
  const beside = element("p", { class: "quiet measured-here" });
  const again = element("button", { type: "button" }, "Race again");
  const knobs = element("div", { class: "knobs" },
    knob("Distance", DISTANCES, setting.rtt, (rtt) => `${rtt} ms`, (rtt) => turned({ rtt })),
    knob("Commands", COMMANDS, setting.commands, (one) => counted(one, "write"),
      (commands) => turned({ commands })));
  const ends = element("div", { class: "ends", "aria-hidden": "true" },
    element("span", {}, "client"), element("span", {}, "Redis"));
  const figure = element("div", { class: "shown" }, knobs, ends,
    element("ul", {}, ...lanes.map((one) => one.row)), sentence, pace, beside, again);
  let frame = 0;
  let waiting = 0;

  const taking = (name, { commands, rtt } = setting) =>
    milliseconds(constants.ways[name], commands, rtt);

  function gain(at) {
    return taking("one by one", at) / taking("pipeline", at);
  }

  function runsOf() {
    return names.map((name) => {
      const way = constants.ways[name];
      const together = Math.min(way.at_once, setting.commands);
      const trips = way.at_once ? setting.commands : 1;
      const words = counted(trips, "round trip") + (together > 1 ? `, ${together} at once` : "");
      return { ms: taking(name), turns: turns(way, setting.commands), trips, words };
    });
  }

  function start() {
    cancelAnimationFrame(frame);
    const runs = runsOf();
    const paces = pacesOf(runs.reduce((slowest, run) => (run.ms > slowest.ms ? run : slowest)));
    beside.textContent = measured();
    pace.textContent = still.matches ? "" : `On the screen ${paces.map(paceWords).join(", then ")}.`;
    sentence.textContent = "\u00a0";
    const began = performance.now();
    const step = (at) => {
      const passed = still.matches ? SHOWN_MS : Math.max(0, at - began);
      const shown = passed < SHOWN_MS ? passed : Infinity; // or a rounded sum would miss the end
      draw(lanes, runs, momentOf(paces, shown));
      if (shown === Infinity) finish();
      else frame = requestAnimationFrame(step);
    };
    step(began);
  }

  function finish() {
    const ratio = gain();
    const said = ratio < 1.1 ? "hardly faster" : `about ${times(ratio)} times faster`;
    sentence.textContent = `${counted(setting.commands, "write")}, ${setting.rtt} ms away: `
      + `about ${duration(taking("one by one"))} one by one, ${duration(taking("pipeline"))} `
      + `in a pipeline, ${said}.`;
  }

  function measured() {
    const found = constants.points.find(
      (point) => point.commands === setting.commands && point.rtt_ms === setting.rtt);
    if (!found) return "Computed: this setting was not measured.";
    const each = names.filter((name) => found.ms[name] !== undefined)
      .map((name) => `${name} ${duration(found.ms[name])}`);
    return `Measured at this setting: ${each.join(", ")}.`;
  }

  function turned(change) {
    Object.assign(setting, change);
    const search = new URLSearchParams(location.search);
    search.set("rtt", setting.rtt);
    search.set("commands", setting.commands);
    if (model.get("address")) history.replaceState(null, "", `?${search}${location.hash}`);
    clearTimeout(waiting);
    waiting = setTimeout(start, 120);
  }

  again.addEventListener("click", start);
  const off = names.map((name) => `${name} ${constants.off_percent[name]}%`).join(", ");
  const from = element("p", { class: "quiet" },
    `Computed from what a write cost on ${constants.measured.date} with ${constants.measured.on}. `
    + `Farthest from what was measured then: ${off}.`);
  const asked = settingOf("");
  const answer = element("p", { class: "answer", role: "status" });
  const question = guessing(asked, (guess) => {
    const right = `${counted(asked.commands, "write")}, ${asked.rtt} ms away: `
      + `a pipeline is about ${times(gain(asked))} times faster.`;
    answer.textContent = guess ? `${right} You said ${times(guess)}.` : right;
    figure.hidden = false;
    question.remove();
    start();
  });
  figure.hidden = true;
  el.replaceChildren(question, answer, figure, from);
  el.classList.add("race");
  const before = Number(kept());
  if (before > 0 || (model.get("address") && location.search.includes("rtt="))) {
    question.remove();
    figure.hidden = false;
    start();
  }
  return () => { cancelAnimationFrame(frame); clearTimeout(waiting); };
}

// First the guess; it is kept in this browser only.
function guessing({ commands, rtt }, answered) {
  const number = element("input", { type: "number", min: 0.1, step: "any", inputmode: "decimal" });
  const skip = element("button", { type: "button", class: "plain" }, "just show me");
  const form = element("form", {},
    element("label", {}, `${commands} writes to a Redis ${rtt} ms away, one by one or all in one `
      + "pipeline: how many times faster is the pipeline? ", number),
    element("button", { type: "submit" }, "Race"), skip);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = Number(number.value);
    if (!(guess > 0)) { number.focus(); return; }
    keep(guess);
    answered(guess);
  });
  skip.addEventListener("click", () => answered(null));
  return form;
}

export default { render };
