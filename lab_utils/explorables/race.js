// The race, to drag: one distance, so many commands, four ways of sending them.
import { milliseconds, turns } from "./model.js";
import { ask, counted, duration, element, keepSetting, knob, settingOf, times, youSaid } from "./parts.js";

const DISTANCES = [0, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 150, 200, 250];
const COMMANDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SHOWN_MS = 7000; // for the slowest, on the screen
const MANY_TURNS = 25; // of more, the first few get a part of that time of their own
const FIRST_TURNS = 5;
const FIRST_PART = 0.4;
const SEEN_MS = 120; // a turn that takes less on the screen is not seen to go and come
const KEPT = "redis-round-trip-lab.race.guess";
const KNOBS = { rtt: [DISTANCES, 1], commands: [COMMANDS, 100] };

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
    packet.style.transform = `translateX(${seen ? 100 * there : 0}%)`;
    packet.classList.toggle("many", !seen);
    packet.hidden = done === 1;
    const made = Math.floor(done * run.trips);
    const words = done < 1 ? `${made.toLocaleString("en")} of ${run.words}`
      : `${run.words}, ${duration(run.ms)}`;
    if (said.textContent !== words) said.textContent = words;
  });
}

function render({ model, el }) {
  const constants = model.get("constants");
  const names = Object.keys(constants.ways);
  const setting = settingOf(model.get("address") ? location.search : "", KNOBS);
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
    if (model.get("address")) keepSetting(setting);
    clearTimeout(waiting);
    waiting = setTimeout(start, 120);
  }

  again.addEventListener("click", start);
  const off = names.map((name) => `${name} ${constants.off_percent[name]}%`).join(", ");
  const from = element("p", { class: "quiet" },
    `Computed from what a write cost on ${constants.measured.date} with ${constants.measured.on}. `
    + `Farthest from what was measured then: ${off}.`);
  const asked = settingOf("", KNOBS);
  el.replaceChildren(figure, from);
  el.classList.add("explorable", "race");
  ask({ model, el, figure, key: KEPT, by: "rtt", go: "Race", then: start,
    question: `${asked.commands} writes to a Redis ${asked.rtt} ms away, one by one or all in one pipeline: how many times `
      + "faster is the pipeline?",
    answer: (guess) => `${counted(asked.commands, "write")}, ${asked.rtt} ms away: a pipeline is about `
      + `${times(gain(asked))} times faster.${youSaid(guess)}` });
  return () => { cancelAnimationFrame(frame); clearTimeout(waiting); };
}

export default { render };
