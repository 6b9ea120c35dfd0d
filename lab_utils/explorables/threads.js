// Threads or a pipeline: 64 records over so many connections, and the one CPU of all their calls.
import { begins, sideBySide } from "./model.js";
import {
  ask, counted, duration, element, including, keepSetting, knob, mount, nearest, settingOf,
  spoken, times, youSaid,
} from "./parts.js";

const CALLS = 64;
const SIZES = Array.from({ length: CALLS }, (_, place) => place + 1);
const DISTANCES = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const CPUS = [10, 20, 50, 100, 200, 500]; // µs
const LEAST = 0.5; // ms
const DECADES = 3.2;
const COLOURS = { all: "the calls", waits: "waiting", works: "your CPU", pipe: "pipeline", ring: "measured" };

const across = (size) => (100 * Math.log(size) / Math.log(CALLS)).toFixed(2);
const upwards = (ms) => (100 * Math.log10(ms / LEAST) / DECADES).toFixed(2);
const svg = (inner) => `<svg viewBox="0 0 100 100" preserveAspectRatio="none">${inner}</svg>`;
const line = (name, ...points) => `<polyline class="${name}" points="${points.map(([size, ms]) =>
  `${across(size)},${100 - upwards(ms)}`)}"/>`;
const mark = (name, size, ms, words = "") =>
  `<span class="${name}" style="left:${across(size)}%;bottom:${upwards(ms)}%">${words}</span>`;
const box = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

// `took` are [connections, ms] as measured there, if they were.
function enoughWords(rtt, cpu, took) {
  const all = took ?? SIZES.map((size) => [size, sideBySide(CALLS, size, rtt, cpu)]);
  const [enough] = all.find(([, ms]) => ms < 1.2 * Math.min(...all.map(([, each]) => each)));
  const ratio = `RTT ÷ CPU of a call is ${times(rtt / cpu)}`;
  return rtt / cpu > CALLS ? `Even ${CALLS} connections leave your CPU waiting: ${ratio}.`
    : `${took ? "As measured, from" : "From"} ${counted(enough, "connection")} on less than a fifth is left to gain; `
    + `${ratio}.`;
}

// Each connection's calls, and below them the CPU.
function lanes(connections, rtt, cpu, whole) {
  let [waits, works] = ["", ""];
  for (let call = 0; call < CALLS; call += 1) {
    const [x, work, wait] = [begins(call, connections, rtt, cpu), cpu, rtt].map((ms) => 100 * ms / whole);
    const y = 78 * (call % connections) / connections;
    waits += box(x + work, y, wait, 66 / connections);
    works += box(x, y, work, 66 / connections) + box(x, 82, work, 18);
  }
  return svg(`<path class="waits" d="${waits}"/><path class="works" d="${works}"/>`);
}

function render({ model, el }) {
  const { rtt: here, cpu_us: own, pipeline_work: work, took, from } = model.get("constants");
  const knobs = { connections: [SIZES, 2], rtt: [including(DISTANCES, here), here],
    cpu: [including(CPUS, own), own] };
  const setting = settingOf(model, knobs);
  const fixed = [...took.map(([size, ms]) => mark("ring", size, ms)),
    ...[1, 10, 100].map((ms) => mark("height", 1, ms, duration(ms))),
    ...[1, 4, 16, 64].map((size) => mark("tick", size, LEAST, size === 4 ? "4 connections" : size))].join("");
  const chart = element("div", { class: "chart" });
  const strip = element("div", { class: "lanes" });
  const sentence = spoken("sentence");
  const bend = element("p", { role: "status" });
  const turning = (name, label, worded) => knob(label, knobs[name][0], setting[name], worded, (value) => {
    setting[name] = value;
    keepSetting(model, setting);
    show();
  });
  const sizes = turning("connections", "Connections", String);
  const figure = element("div", { class: "shown" }, element("div", { class: "knobs" }, sizes,
    turning("rtt", "Distance", (rtt) => `${rtt} ms`), turning("cpu", "CPU a call", (cpu) => `${cpu} µs`)),
  element("div", { "aria-hidden": "true" }, ...Object.entries(COLOURS).map(([name, words]) =>
    element("small", {}, element("i", { class: name }), words)), chart, strip), sentence, bend);

  function show() {
    const { connections, rtt } = setting;
    const cpu = setting.cpu / 1000;
    const points = SIZES.map((size) => [size, sideBySide(CALLS, size, rtt, cpu)]);
    const whole = points[connections - 1][1];
    const pipe = rtt + work * setting.cpu / own; // a slower CPU is slower at that, too
    const isHere = rtt === here && setting.cpu === own;
    const straight = (name, from, to = from) => line(name, [1, from], [CALLS, to]);
    chart.innerHTML = svg(straight("waits", CALLS * rtt, rtt) + straight("works", CALLS * cpu)
      + straight("pipe", pipe) + line("all", ...points)) + fixed + mark("you", connections, whole);
    chart.classList.toggle("elsewhere", !isHere);
    strip.innerHTML = lanes(connections, rtt, cpu, points[0][1]); // the time of one connection is their ruler
    sentence.textContent = `${CALLS} records, ${rtt} ms away, ${counted(connections, "connection")}: `
      + `${counted(Math.ceil(CALLS / connections), "round")} of waiting, about ${duration(whole)}, your CPU busy for `
      + `${Math.floor(100 * CALLS * cpu / whole)}% of it. One pipeline: about ${duration(pipe)}.`;
    bend.textContent = enoughWords(rtt, cpu, isHere ? took : undefined);
  }

  chart.onpointerdown = chart.onpointermove = ({ buttons, clientX, pointerId }) => {
    if (!buttons) return;
    chart.setPointerCapture(pointerId);
    const { left, width } = chart.getBoundingClientRect();
    sizes.set(nearest(SIZES, CALLS ** ((clientX - left) / width)));
  };
  show();
  mount(el, "threads", figure, from);
  ask({ model, el, by: "rtt", go: "Show",
    question: `${CALLS} records, ${here} ms away, ${own} µs of CPU a call: from how many connections on is less than a `
      + "fifth left to gain?",
    answer: (guess) => enoughWords(here, own / 1000, took) + youSaid(guess) });
}

export default { render };
