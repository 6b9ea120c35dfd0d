// The race, to drag: one distance, so many commands, some ways of sending them. A way that was
// watched (`run`) plays as it ran, at the setting where it did. `points` are what other settings
// took, where they were measured; the rest is computed, and so is when each request left.
import { flights, milliseconds, turns } from "./model.js";
import {
  among, asksHere, counted, duration, element, guessKey, isLinked, keep, keepSetting, kept, knob, mount, settingOf, spoken, times,
} from "./parts.js";

const DISTANCES = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 150, 200, 250];
const COMMANDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SHOWN_MS = 7000; // for the slowest, on the screen
const MOMENTS = Array.from({ length: 141 }, (_, step) => step * SHOWN_MS / 140); // to scrub to
const LONGEST_STEP_MS = 100; // of the clock: a page that was out of sight goes on where it was
const MANY_TURNS = 25; // of more, the first few get a part of that time of their own
const FIRST_TURNS = 5;
const FIRST_PART = 0.4;
const SEEN_MS = 120; // a turn that takes less on the screen is not seen to go and come
const MOST_DOTS = 24; // on one road, a connection each; of more none is told apart
const SAID = { pipeline: "in a pipeline" };
const ENDS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]; // of the bars' ruler, times a power of ten
const MOST_BOXES = 250; // in a bar: more are finer than a pixel
const GUESSES = 400; // steps of a guess along the ruler
const FIRST_GUESS = 0.55; // of it

function lane(name, { role = name, run, at_once }) {
  const crowd = run?.connections ?? at_once ?? 1;
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
    element("span", { class: "track" }, bar));
  return { row, dots, bar, said, crowd };
}

// "0.1 1.2 1 0, …": each request as flights() has it.
function flightsIn(text) {
  return text.split(", ").map((flight) => flight.split(" ").map(Number));
}

// How far a connection's request is: 0 at the client, 1 at Redis, 2 with its reply; NaN where none is on its way.
function phaseOf(run, number, now) {
  const [start, end] = run.flights.find(([from, until, , on]) => on === number && from <= now && now < until) ?? [];
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

// The end of the bars' ruler: a round number, so that a bar grows with what it stands for.
function rulerOf(runs) {
  const longest = Math.max(...runs.map((run) => run.ms));
  const ten = 10 ** Math.floor(Math.log10(longest));
  return ENDS.map((one) => one * ten).find((end) => end >= longest);
}

// How far off a guess was.
function offBy(guess, ms) {
  const longer = guess / ms;
  if (longer > 0.8 && longer < 1.25) return "close";
  return longer > 1 ? `${times(longer)} times too long` : `${times(1 / longer)} times too short`;
}

function paceWords({ slower }) {
  return slower >= 1 ? `slowed down ${times(slower)} times` : `speeded up ${times(1 / slower)} times`;
}

// One picture: `now` ms after the start, of which one lasts for `slower` ms on the screen.
function draw(lanes, runs, { now, slower }) {
  runs.forEach((run, place) => {
    const { dots, bar, said, crowd } = lanes[place];
    const done = Math.min(1, now / run.ms);
    const seen = crowd <= MOST_DOTS && (run.ms / run.turns) * slower >= SEEN_MS;
    bar.style.clipPath = `inset(0 ${100 - 100 * done}% 0 0)`;
    dots.forEach((dot, number) => {
      const phase = seen ? phaseOf(run, number, now) : 0;
      dot.style.transform = `translateX(${100 * (1 - Math.abs(1 - (phase || 0)))}%)`;
      const works = Number.isNaN(phase);
      const looks = { many: !seen, big: run.big && !works, back: phase > 1, works };
      dot.hidden = done === 1 || (works && dots.length > 1) || lanes[place].asked;
      Object.entries(looks).forEach(([look, on]) => dot.classList.toggle(look, on));
    });
    const answered = run.carrying.filter(([, end]) => end <= now).length;
    const made = Math.floor(answered * run.trips / run.carrying.length);
    const words = done < 1 ? `${made.toLocaleString("en")} of ${run.words}`
      : `${run.words}, ${duration(run.ms)}`;
    if (!lanes[place].asked && said.textContent !== words) said.textContent = words;
  });
}

function render({ model, el }) {
  const constants = model.get("constants");
  const { ways, setting: at = { rtt: 1, commands: 100 }, what = "write", away = "away" } = constants;
  const names = Object.keys(ways);
  const compared = constants.compared ?? ["one by one", "pipeline"];
  const others = names.filter((name) => !compared.includes(name));
  const distances = names.every((name) => ways[name].direct) ? [0, ...DISTANCES] : DISTANCES;
  const lists = { rtt: [among(distances, at.rtt), at.rtt],
    commands: [among(COMMANDS, at.commands), at.commands] };
  const setting = settingOf(model, lists);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const lanes = names.map((name) => lane(name, ways[name]));
  lanes.forEach(({ row }, place) => row.classList.toggle("other", others.includes(names[place])));
  const second = lanes[names.indexOf(compared.at(-1))];
  const key = guessKey(model, "ms");
  let runs;
  let paces = [{ from: 0, until: 1, slower: 1 }];
  let shown = 0;
  let last = 0;
  let playing = false;
  let guess = null;
  const sentence = spoken("sentence");
  const pace = element("p", { class: "quiet pace" });
  const beside = element("p", { class: "quiet measured-here" });
  const button = (words, pressed) => {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", pressed);
    return made;
  };
  const time = knob("Time", MOMENTS, 0, (shown) => duration(momentOf(paces, shown).now), (shown) => {
    pause();
    show(shown);
  });
  const toggle = button("Play", () => (playing ? pause() : play()));
  const half = button("½×", () => half.setAttribute("aria-pressed", half.ariaPressed !== "true"));
  half.setAttribute("aria-pressed", "false");
  half.setAttribute("aria-label", "Half speed");
  const player = element("div", { class: "player" }, toggle, half);
  const knobs = element("div", { class: "knobs" }, time,
    knob("Distance", lists.rtt[0], setting.rtt, (rtt) => `${rtt} ms`, (rtt) => turned({ rtt })));
  if (what) {
    knobs.append(knob("Commands", lists.commands[0], setting.commands, (one) => counted(one, what),
      (commands) => turned({ commands })));
  }
  const ends = element("div", { class: "ends", "aria-hidden": "true" },
    element("span", {}, "client"), element("span", {}, "Redis"));
  const ruler = element("span");
  const figure = element("div", { class: "shown" }, ends, element("ul", {}, ...lanes.map((one) => one.row)),
    element("div", { class: "ends", "aria-hidden": "true" }, element("span", {}, "0"), ruler), sentence, player, knobs,
    pace, beside);
  let frame = 0;
  let waiting = 0;

  const about = ({ commands, rtt }, to = ", ") => `${what ? counted(commands, what) + to : ""}${rtt} ms ${away}`;
  const phrase = (name) => ways[name].words ?? SAID[name] ?? name;

  const isRun = ({ commands, rtt }) => !constants.points && rtt === at.rtt && commands === at.commands;
  const pointAt = ({ commands, rtt }) =>
    constants.points?.find((point) => point.commands === commands && point.rtt_ms === rtt)?.ms ?? {};
  const measuredMs = (name, asked) => (isRun(asked) ? ways[name].run.ms : pointAt(asked)[name]);

  function taking(name, asked = setting) {
    const way = ways[name];
    return measuredMs(name, asked) ?? milliseconds(way, way.commands ?? asked.commands, asked.rtt);
  }

  function gain(asked) {
    return taking(compared[0], asked) / taking(compared.at(-1), asked);
  }

  function runOf(name) {
    const way = ways[name];
    const ms = taking(name);
    const commands = way.commands ?? setting.commands;
    const trips = way.commands ? way.run.trips : way.at_once ? commands : 1;
    const together = way.commands ? way.run.connections : Math.min(way.at_once, commands);
    const words = counted(trips, "round trip") + (together > 1 ? `, ${together} at once` : "");
    const made = isRun(setting) && way.run.flights ? flightsIn(way.run.flights) : flights(way, commands, setting.rtt);
    const longer = ms / Math.max(...made.map(([, end]) => end)); // than computed
    const scaled = isRun(setting) ? made : made.map(([from, until, ...rest]) => [from * longer, until * longer, ...rest]);
    const carrying = scaled.filter(([, , carried]) => carried); // a handshake has no command
    return { ms, turns: turns(way, commands), trips, words, big: commands > trips, flights: scaled, carrying };
  }

  function start(told = still.matches) {
    pause();
    runs = names.map(runOf);
    paces = pacesOf(runs.reduce((slowest, run) => (run.ms > slowest.ms ? run : slowest)));
    const end = rulerOf(runs);
    runs.forEach((run, place) => {
      lanes[place].bar.style.width = `${100 * run.ms / end}%`;
      lanes[place].bar.style.setProperty("--boxes", run.turns > MOST_BOXES ? 1 : run.turns);
    });
    beside.textContent = measured();
    ruler.textContent = duration(end);
    const after = `, after ${FIRST_TURNS} round trips `;
    pace.textContent = `On the screen ${paces.map(paceWords).join(after)}.`;
    sentence.textContent = told && !second.asked ? summary() : "\u00a0";
    if (still.matches) show(SHOWN_MS);
    else play(0);
  }

  function show(moment) {
    shown = Math.min(SHOWN_MS, moment);
    const { now, slower } = momentOf(paces, shown < SHOWN_MS ? shown : Infinity); // or a rounded sum would miss the end
    draw(lanes, runs, { now, slower });
    time.put(MOMENTS[Math.round(shown * (MOMENTS.length - 1) / SHOWN_MS)]);
    // A guess is answered as soon as its way has arrived: how long the other takes is known by then.
    const known = guess ? runs[names.indexOf(compared.at(-1))].ms : Infinity;
    const over = !second.asked && (shown === SHOWN_MS || now >= known);
    el.classList.toggle("over", over);
    if (over && sentence.textContent !== summary()) sentence.textContent = summary();
    if (shown === SHOWN_MS) pause();
  }

  function play(from = shown < SHOWN_MS ? shown : 0) {
    show(from);
    playing = true;
    toggle.textContent = "Pause";
    last = performance.now();
    frame = requestAnimationFrame(step);
  }

  function step(at) {
    const passed = Math.min(LONGEST_STEP_MS, Math.max(0, at - last));
    last = at;
    show(shown + passed * (half.ariaPressed === "true" ? 0.5 : 1));
    if (playing) frame = requestAnimationFrame(step);
  }

  function pause() {
    cancelAnimationFrame(frame);
    playing = false;
    toggle.textContent = shown < SHOWN_MS ? "Play" : "Play again";
  }

  function summary() {
    const ratio = gain(setting);
    const said = ratio < 1.1 ? `${ratio < 1 ? "not" : "hardly"} faster` : `about ${times(ratio)} times faster`;
    const each = compared.map((name) => `${duration(taking(name))} ${phrase(name)}`);
    const circa = compared.every((name) => measuredMs(name, setting)) ? "" : "about ";
    const guessed = guess ? ` You said ${duration(guess)}: ${offBy(guess, taking(compared.at(-1)))}.` : "";
    return `${about(setting)}: ${circa}${each.join(", ")}${each[1] ? `, ${said}` : ""}.${guessed}`;
  }

  function measured() {
    if (isRun(setting)) return "Measured: each request as it went.";
    const computed = names.filter((name) => !measuredMs(name, setting));
    if (computed.length === names.length) return "Computed: this setting was not measured.";
    return `Measured${computed.length ? `, but ${computed.join(", ")}: computed` : ""}.`;
  }

  function turned(change) {
    Object.assign(setting, change);
    keepSetting(model, setting);
    clearTimeout(waiting);
    guess = null; // it is of another setting
    el.querySelector(".flag")?.remove();
    waiting = setTimeout(() => start(true), 120);
  }

  // A flag where the bar was said to end, and how far that is from where it does.
  function flag(ms) {
    guess = ms;
    const [said, is] = [ms, taking(compared[1])].map((one) => 100 * Math.min(1, one / rulerOf(names.map(runOf))));
    const gap = element("i", { class: "gap", style: `${said > is ? "right" : "left"}: 0; width: ${100 * Math.abs(said - is) / said}%` });
    const words = element("b", { style: said < 60 ? "" : "left: auto; right: 0" }, `you said ${duration(ms)}`);
    second.row.querySelector(".track").append(element("i", { class: "flag", style: `width: ${said}%` }, gap, words));
  }

  // Asks how long the second bar gets, whose end one drags. Then it is measured.
  function askForLength() {
    const end = rulerOf(names.map(runOf));
    const steps = Array.from({ length: GUESSES + 1 }, (_, place) => end * Math.max(place, 0.5) / GUESSES);
    const say = (ms) => {
      second.said.textContent = `you say ${duration(ms)}`;
      second.row.style.setProperty("--guess", `${100 * ms / end}%`);
      handle.classList.add("moved");
    };
    const handle = knob("", steps, steps[Math.round(GUESSES * FIRST_GUESS)], (ms) => `${duration(ms)} ${phrase(compared[1])}`, say);
    const slider = handle.querySelector("input");
    const answer = (ms) => {
      if (ms) { keep(key, ms); flag(ms); }
      el.classList.remove("asks");
      second.asked = false;
      [question, handle, go, skip].forEach((one) => one.remove());
      toggle.focus({ preventScroll: true });
      start(false);
    };
    const said = () => answer(steps[slider.value]);
    const question = element("p", { class: "question" }, `${about(at, " to a Redis ")}, ${phrase(compared[0])}, and the same `
      + `${phrase(compared[1])}. `, element("strong", {}, "Drag the end of the second bar to where you think it ends."));
    const go = button("See it measured", said);
    go.className = "go";
    const skip = button("just show me", () => answer(null));
    skip.className = "plain";
    second.asked = true;
    say(steps[slider.value]);
    handle.classList.remove("moved");
    second.said.textContent = "drag its end";
    slider.setAttribute("aria-label", `Your guess: how long ${phrase(compared[1])}?`);
    slider.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // or it would press the button that gets the focus
      said();
    });
    // Keys change it step by step; a mouse or a finger answers where it is let go, unless the finger scrolls the page.
    slider.addEventListener("pointerdown", () => {
      const before = slider.value;
      const ended = ({ type }) => {
        ["pointerup", "pointercancel"].forEach((kind) => removeEventListener(kind, ended));
        if (type === "pointercancel") setTimeout(() => handle.set(steps[before]));
        else if (slider.value !== before) said();
      };
      ["pointerup", "pointercancel"].forEach((kind) => addEventListener(kind, ended));
    });
    second.row.querySelector(".track").append(handle);
    figure.prepend(question);
    player.prepend(go, skip);
    el.classList.add("asks");
  }

  const off = Object.entries(constants.off_percent ?? {}).map(([name, percent]) => `${percent}% (${name})`).join(", ");
  const small = constants.from
    ?? "A filled dot is a request on its way, a hollow one its reply; a box in a bar is a wait. A pipeline sends all its "
    + `commands before it waits; MSET is one command with all the values. Measured on ${constants.measured.date} with `
    + `${constants.measured.on}. Other settings are computed from what was measured: turns × (RTT + a) + commands × c. `
    + `That sum misses what was measured by ${off} at most. `
    + "Distances are simulated by the lab's link, on two CPUs; 0 ms is loopback and one CPU, where threads have "
    + "hardly a wait to share.";
  mount(el, "race", figure, element("details", { class: "quiet" }, element("summary", {}, "How it was measured"), small));
  // One thing at a time: the other ways join when they are asked for.
  if (model.get("asks") && !isLinked(model, "rtt") && others.length) {
    el.classList.add("two");
    const join = button(`And ${others.join(", ")}?`, () => {
      el.classList.remove("two");
      join.remove();
      start(false);
    });
    join.className = "join";
    player.append(join);
  }
  if (compared.length === 2 && asksHere(model, key, "rtt")) askForLength();
  else if (model.get("asks") && !isLinked(model, "rtt") && kept(key) > 0) flag(Number(kept(key)));
  addEventListener("beforeprint", () => {
    el.querySelector(".player .plain")?.click();
    el.classList.remove("two");
    show(SHOWN_MS);
  });
  // What is not in sight yet waits until it is.
  const seen = new IntersectionObserver((found) => {
    if (!found.some((one) => one.isIntersecting)) return;
    seen.disconnect();
    start();
  });
  if (el.getBoundingClientRect().top < innerHeight) start();
  else seen.observe(el);
  return () => { pause(); seen.disconnect(); clearTimeout(waiting); };
}

export default { render };
