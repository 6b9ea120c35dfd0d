// Where is my time? A map by distance and by commands a round trip, with you on it.
import { milliseconds } from "./model.js";
import {
  among, ask, counted, digits, draggable, duration, element, keepSetting, knob, mount, nearest,
  settingOf, spoken, times, youSaid,
} from "./parts.js";

const STEPS = [1, 1.5, 2, 3, 4, 5, 7];
const DISTANCES = [...[0.01, 0.1, 1, 10].flatMap((ten) => STEPS.map((step) => round(ten * step))), 100];
const COMMANDS = [...[1, 10, 100, 1000].flatMap((ten) => STEPS.map((step) => Math.ceil(ten * step))), 10000]
  .filter((count, place, all) => all.indexOf(count) === place);
const TRIPS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000];
const COLOURS = ["#E69F00", "#F7F4EE", "#2F6496"]; // all work, half and half, all waiting
const PLACES = { "same host": 0.05, "same zone": 0.3, "next zone": 1, "next region": 15, "an ocean": 75 };
const BORDERS = [0.1, 0.5, 0.9];
const GRAIN = 128; // points of colour along each side

function round(number) {
  return Number(number.toPrecision(3));
}

// The places of a point on the map, from 0 at its left and its lower end to 1, and back.
const across = (rtt) => Math.log10(rtt / DISTANCES[0]) / 4;
const upwards = (commands) => Math.log10(commands) / 4;
const rttAt = (x) => DISTANCES[0] * 10 ** (4 * x);
const commandsAt = (y) => 10 ** (4 * y);
const percent = (part) => `${100 * Math.min(1, Math.max(0, part))}%`;

export function shareOf(way, rtt, commands) {
  return rtt / milliseconds(way, commands, rtt);
}

// With how many commands a round trip this share of it is waiting.
export function border(way, share, rtt) {
  return (1000 * rtt * (1 / share - 1) - way.turn_us) / way.command_us;
}

function colour(share) {
  const [from, to, part] = share < 0.5 ? [COLOURS[0], COLOURS[1], 2 * share]
    : [COLOURS[1], COLOURS[2], 2 * share - 1];
  const channel = (hex, place) => parseInt(hex.slice(place, place + 2), 16);
  return [1, 3, 5].map((at) => Math.round(channel(from, at) + part * (channel(to, at) - channel(from, at))));
}

function ground(way) {
  const canvas = element("canvas", { width: GRAIN, height: GRAIN });
  const context = canvas.getContext("2d");
  for (let x = 0; x < GRAIN; x += 1) {
    for (let y = 0; y < GRAIN; y += 1) {
      const share = shareOf(way, rttAt((x + 0.5) / GRAIN), commandsAt(1 - (y + 0.5) / GRAIN));
      context.fillStyle = `rgb(${colour(share)})`;
      context.fillRect(x, y, 1, 1);
    }
  }
  return canvas;
}

function borders(way) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawn.setAttribute("viewBox", "0 0 100 100");
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.innerHTML = BORDERS.map((share) => {
    const points = Array.from({ length: 201 }, (_, step) => step / 200)
      .map((x) => [100 * x, border(way, share, rttAt(x))]).filter(([, commands]) => commands >= 1)
      .map(([x, commands]) => `${x.toFixed(1)},${(100 - 100 * upwards(commands)).toFixed(1)}`);
    return `<polyline class="${share === 0.5 ? "half" : "tenth"}" points="${points.join(" ")}"/>`;
  }).join("");
  return drawn;
}

function at(x, y, name, words = "") {
  const made = element("span", { class: name }, words);
  made.style.left = percent(x);
  made.style.bottom = percent(y);
  return made;
}

function map(way, dots, you) {
  const names = Object.entries(PLACES).map(([name, rtt]) => at(across(rtt), 1, "place", name));
  const ticks = [0.01, 0.1, 1, 10, 100].map((rtt) => at(across(rtt), 0, "tick", rtt < 100 ? `${rtt}` : "100\u00a0ms"));
  const heights = [10, 100, 1000, 10000].map((one) => at(0, upwards(one), "height", one.toLocaleString("en")));
  const upright = at(0, 1, "upright", "commands a round trip");
  const measured = dots.map(({ rtt, commands, share }) => {
    const dot = at(across(rtt), upwards(commands), "dot");
    dot.style.background = `rgb(${colour(share)})`;
    return dot;
  });
  const hints = [at(0.2, 0.8, "hint", "less work helps here"), at(0.8, 0.15, "hint light", "fewer round trips help here")];
  return element("div", { class: "map", "aria-hidden": "true" }, ground(way), borders(way), ...names, ...ticks,
    ...heights, upright, ...measured, ...hints, you);
}

function render({ model, el }) {
  const { way, server, dots, you: start, from } = model.get("constants");
  const knobs = {};
  for (const [name, list] of [["rtt", DISTANCES], ["commands", COMMANDS], ["trips", TRIPS]]) {
    const own = [start, ...dots].map((one) => one[name] ?? 20);
    knobs[name] = [among(list, ...own), own[0]];
  }
  const setting = settingOf(model, knobs);
  const you = at(0, 0, "you");
  const drawn = map(way, dots, you);
  const sentence = spoken("sentence");
  const page = spoken("page");
  const parts = ["waiting", server ? "client" : "work", "server"].map((name) => element("i", { class: name }));
  const slider = (label, name, worded = (one) => one.toLocaleString("en")) =>
    knob(label, knobs[name][0], setting[name], worded, (to) => turned({ [name]: to }));
  const distance = slider("Distance", "rtt", (rtt) => `${digits(rtt)} ms`);
  const each = slider("Commands each", "commands");
  const figure = element("div", { class: "shown" }, drawn,
    element("div", { class: "knobs" }, distance, each, slider("Round trips", "trips")),
    element("div", { class: "parts", "aria-hidden": "true" }, ...parts), sentence, page);

  function show() {
    const { rtt, commands, trips } = setting;
    const whole = milliseconds(way, commands, rtt);
    you.style.left = percent(across(rtt));
    you.style.bottom = percent(upwards(commands));
    const served = server ? Math.min(whole - rtt, milliseconds({ at_once: null, ...server }, commands, 0)) : 0;
    [rtt, whole - rtt - served, served].forEach((ms, place) => {
      parts[place].style.width = percent(ms / whole);
      parts[place].textContent = ms / whole > 0.3 ? `${parts[place].className} ${duration(ms)}` : "";
    });
    const run = dots.find((one) => one.rtt === rtt && one.commands === commands && one.trips === trips);
    sentence.textContent = `${digits(rtt)} ms away, ${counted(commands, "command")} a round trip: about `
      + `${duration(whole)}, ${Math.round(100 * rtt / whole)}% of it waiting; ${halfWords(way, rtt)}.`;
    const most = `so at most ${digits(1000 / (trips * whole), 2)} a second by one client that waits.`;
    page.textContent = (trips > 1 ? `A page of ${counted(trips, "such round trip")}, one after another: about `
      + `${duration(trips * whole)}, ${most}` : `A page of one: ${most}`)
      + (server ? ` Of that, Redis computes ${duration(trips * served)}; client and way between take `
        + `${duration(trips * (whole - rtt - served))}.` : "")
      + (run ? ` Measured: ${duration(run.ms)}.` : "");
  }

  function turned(change) {
    Object.assign(setting, change);
    keepSetting(model, setting);
    show();
  }

  const log = (list, wanted) => nearest(list, wanted, (one) => Math.abs(Math.log(one / wanted)));
  draggable(drawn, distance, (x, y) => {
    distance.set(log(knobs.rtt[0], rttAt(x)));
    each.set(log(knobs.commands[0], commandsAt(y)));
  });
  show();
  mount(el, "where", figure, `${from} The diamond is you; the bar is one round trip: blue waits, `
    + "orange is your client and the way between, green Redis. On the solid line half of the time is waiting, on the dashed ones a tenth and nine tenths. Dots were measured: "
    + "where one melts into the ground, the computation is about right. All of it on a connection in use: "
    + "after a silence more than 14 KB take further round trips.");
  const { rtt: asked } = start;
  ask({ model, el, by: "rtt", go: "Show the map",
    question: `${asked} ms away: with how many commands in one pipeline does the work take as long as the waiting?`,
    answer: (guess) => `${asked} ms away: ${halfWords(way, asked)}.${youSaid(guess)}` });
}

function halfWords(way, rtt) {
  const even = border(way, 0.5, rtt);
  return even < 1 ? "at most half with any number" : `half and half at about ${times(even)} commands`;
}

export default { render };
