// The race, to drag: one distance, so many commands, some ways of sending them. A way that was watched (`run`)
// plays as it ran, at the setting where it did; what another setting takes is computed.
import { milliseconds, turns } from "./model.js";
import {
  among, ask, counted, duration, element, keepSetting, knob, mount, settingOf, spoken,
  times, youSaid,
} from "./parts.js";

const DISTANCES = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 150, 200, 250];
const COMMANDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SHOWN_MS = 7000; // for the slowest, on the screen
const MANY_TURNS = 25; // of more, the first few get a part of that time of their own
const FIRST_TURNS = 5;
const FIRST_PART = 0.4;
const SEEN_MS = 120; // a turn that takes less on the screen is not seen to go and come
const MOST_DOTS = 24; // on one road, a connection each; of more none is told apart
const SAID = { pipeline: "in a pipeline" };

function lane(name, { role = name, run }) {
  const crowd = run ? run.connections : 1;
  const dots = Array.from({ length: crowd <= MOST_DOTS ? crowd : 1 }, (_, number) => {
    const dot = element("i", { class: "packet" });
    dot.style.top = `${0.35 * number}rem`;
    return dot;
  });
  const bar = element("i", { class: "bar" });
  const said = element("span", { class: "said" });
  const road = element("span", { class: "road", "aria-hidden": "true" }, ...dots);
  road.style.height = `${0.45 + 0.35 * dots.length}rem`;
  const row = element("li", { "data-way": role }, element("span", { class: "name" }, name), said, road,
    element("span", { class: "track", "aria-hidden": "true" }, bar));
  return { row, dots, bar, said, crowd };
}

// "0.1 1.2 1 0, …": when each request was sent and answered, in ms, with how many commands, on which connection.
function flightsOf(text) {
  return text.split(", ").map((flight) => flight.split(" ").map(Number));
}

// How far a connection's request is: 0 at the client, 1 at Redis, 2 with its reply; NaN where none is on its way.
function phaseOf({ ms, turns: count, flights }, number, now) {
  if (!flights) return number ? NaN : 2 * ((now / ms * count) % 1);
  const [start, end] = flights.find(([from, until, , on]) => on === number && from <= now && now < until) ?? [];
  return 2 * (now - start) / (end - start);
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

// The end of the bars' ruler: 1, 2 or 5 times a power of ten, so that a bar grows with what it stands for.
function rulerOf(runs) {
  const longest = Math.max(...runs.map((run) => run.ms));
  const ten = 10 ** Math.floor(Math.log10(longest));
  return [1, 2, 5, 10].map((one) => one * ten).find((end) => end >= longest);
}

function paceWords({ slower }) {
  return slower >= 1 ? `slowed down ${times(slower)} times` : `speeded up ${times(1 / slower)} times`;
}

// One picture: `now` ms after the start, of which one lasts for `slower` ms on the screen.
function draw(lanes, runs, { now, slower }) {
  const end = rulerOf(runs);
  runs.forEach((run, place) => {
    const { dots, bar, said, crowd } = lanes[place];
    const done = Math.min(1, now / run.ms);
    const seen = crowd <= MOST_DOTS && (run.ms / run.turns) * slower >= SEEN_MS;
    bar.style.transform = `scaleX(${done * run.ms / end})`;
    dots.forEach((dot, number) => {
      const phase = seen ? phaseOf(run, number, now) : 0;
      dot.style.transform = `translateX(${100 * (1 - Math.abs(1 - (phase || 0)))}%)`;
      const works = Number.isNaN(phase);
      const looks = { many: !seen, big: run.big && !works, back: phase > 1, works };
      dot.hidden = done === 1 || (works && dots.length > 1);
      Object.entries(looks).forEach(([look, on]) => dot.classList.toggle(look, on));
    });
    const made = run.flights ? run.flights.filter(([, end, carried]) => carried && end <= now).length
      : Math.floor(done * run.trips);
    const words = done < 1 ? `${made.toLocaleString("en")} of ${run.words}`
      : `${run.words}, ${duration(run.ms)}`;
    if (said.textContent !== words) said.textContent = words;
  });
}

function render({ model, el }) {
  const constants = model.get("constants");
  const { ways, setting: at = { rtt: 1, commands: 100 }, what = "write", away = "away" } = constants;
  const names = Object.keys(ways);
  const compared = constants.compared ?? ["one by one", "pipeline"];
  const distances = names.every((name) => ways[name].direct) ? [0, ...DISTANCES] : DISTANCES;
  const lists = { rtt: [among(distances, at.rtt), at.rtt],
    commands: [among(COMMANDS, at.commands), at.commands] };
  const setting = settingOf(model, lists);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const lanes = names.map((name) => lane(name, ways[name]));
  const sentence = spoken("sentence");
  const pace = element("p", { class: "quiet pace" });
  const beside = element("p", { class: "quiet measured-here" });
  const again = element("button", { type: "button" }, "Race again");
  const knobs = element("div", { class: "knobs" },
    knob("Distance", lists.rtt[0], setting.rtt, (rtt) => `${rtt} ms`, (rtt) => turned({ rtt })));
  if (what) {
    knobs.append(knob("Commands", lists.commands[0], setting.commands, (one) => counted(one, what),
      (commands) => turned({ commands })));
  }
  const ends = element("div", { class: "ends", "aria-hidden": "true" },
    element("span", {}, "client"), element("span", {}, "Redis"));
  const ruler = element("span");
  const figure = element("div", { class: "shown" }, knobs, ends, element("ul", {}, ...lanes.map((one) => one.row)),
    element("div", { class: "ends", "aria-hidden": "true" }, element("span", {}, "0"), ruler), sentence, pace, beside, again);
  let frame = 0;
  let waiting = 0;

  const about = ({ commands, rtt }, to = ", ") => `${what ? counted(commands, what) + to : ""}${rtt} ms ${away}`;
  const phrase = (name) => ways[name].words ?? SAID[name] ?? name;

  const isMeasured = ({ commands, rtt }) => !constants.points && rtt === at.rtt && commands === at.commands;

  function taking(name, asked = setting) {
    const way = ways[name];
    return isMeasured(asked) ? way.run.ms : milliseconds(way, way.commands ?? asked.commands, asked.rtt);
  }

  function gain(asked) {
    return taking(compared[0], asked) / taking(compared.at(-1), asked);
  }

  function runsOf() {
    return names.map((name) => {
      const way = ways[name];
      const commands = way.commands ?? setting.commands;
      const trips = way.commands ? way.run.trips : way.at_once ? commands : 1;
      const together = way.commands ? way.run.connections : Math.min(way.at_once, commands);
      const words = counted(trips, "round trip") + (together > 1 ? `, ${together} at once` : "");
      const flights = isMeasured(setting) && way.run.flights && flightsOf(way.run.flights);
      return { ms: taking(name), turns: turns(way, commands), trips, words, big: commands > trips, flights };
    });
  }

  function start(told = false) {
    cancelAnimationFrame(frame);
    const runs = runsOf();
    const paces = pacesOf(runs.reduce((slowest, run) => (run.ms > slowest.ms ? run : slowest)));
    beside.textContent = measured();
    ruler.textContent = duration(rulerOf(runs));
    const after = `, after ${FIRST_TURNS} round trips `;
    pace.textContent = still.matches ? "" : `On the screen ${paces.map(paceWords).join(after)}.`;
    sentence.textContent = "\u00a0";
    if (told) finish();
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
    const ratio = gain(setting);
    const said = ratio < 1.1 ? `${ratio < 1 ? "not" : "hardly"} faster` : `about ${times(ratio)} times faster`;
    const each = compared.map((name) => `${duration(taking(name))} ${phrase(name)}`);
    const circa = isMeasured(setting) ? "" : "about ";
    sentence.textContent = `${about(setting)}: ${circa}${each.join(", ")}${each[1] ? `, ${said}` : ""}.`;
  }

  function measured() {
    if (isMeasured(setting)) return "Measured: each request as it went.";
    const found = constants.points?.find(
      (point) => point.commands === setting.commands && point.rtt_ms === setting.rtt);
    if (!found) return "Computed: this setting was not measured.";
    const each = names.filter((name) => found.ms[name] !== undefined)
      .map((name) => `${name} ${duration(found.ms[name])}`);
    return `Measured at this setting: ${each.join(", ")}.`;
  }

  function turned(change) {
    Object.assign(setting, change);
    keepSetting(model, setting);
    clearTimeout(waiting);
    el.querySelector(".answer")?.remove(); // it is of another setting
    waiting = setTimeout(() => start(true), 120);
  }

  again.addEventListener("click", () => start());
  const off = Object.entries(constants.off_percent ?? {}).map(([name, percent]) => `${name} ${percent}%`).join(", ");
  mount(el, "race", figure, constants.from
    ?? "A filled dot is a request on its way, a hollow one its reply. A pipeline sends all its commands before it waits; "
    + "MSET is one command with all the values. Computed from what a write cost on "
    + `${constants.measured.date} with ${constants.measured.on}. `
    + `Off by at most: ${off}. `
    + "Distances are simulated by the lab's link, on two CPUs; 0 ms is loopback and one CPU, where threads have "
    + "hardly a wait to share.");
  if (compared.length < 2) start();
  else ask({ model, el, by: "rtt", go: "Race", then: start,
    question: `${about(at, " to a Redis ")}, ${compared.map(phrase).join(" or ")}: how many times faster is the `
      + "second way?",
    answer: (guess) => `${about(at)}: about ${times(gain(at))} times faster ${phrase(compared[1])}.`
      + youSaid(guess) });
  return () => { cancelAnimationFrame(frame); clearTimeout(waiting); };
}

export default { render };
