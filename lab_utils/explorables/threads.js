// Threads, tasks or a pipeline: 64 records over so many connections, and the one CPU of all calls.
import { begins, sideBySide } from "./model.js";
import {
  among, ask, counted, digits, duration, element, keepSetting, knob, mount, nearest, settingOf,
  spoken, times, youSaid,
} from "./parts.js";

const CALLS = 64;
const SIZES = Array.from({ length: CALLS }, (_, place) => place + 1);
const DISTANCES = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const CPUS = [10, 20, 50, 100, 200, 500]; // µs
const LEAST = 0.5; // ms
const DECADES = 3.2;
const COLOURS = { threads: "threads", tasks: "asyncio tasks", pipe: "pipeline", waits: "waiting",
  works: "your CPU", "ring threads": "measured" };

const across = (size) => (100 * Math.log(size) / Math.log(CALLS)).toFixed(2);
const upwards = (ms) => (100 * Math.log10(ms / LEAST) / DECADES).toFixed(2);
const svg = (inner) => `<svg viewBox="0 0 100 100" preserveAspectRatio="none">${inner}</svg>`;
const line = (name, ...points) => `<polyline class="${name}" points="${points.map(([size, ms]) =>
  `${across(size)},${100 - upwards(ms)}`)}"/>`;
const mark = (name, size, ms, words = "") =>
  `<span class="${name}" style="left:${across(size)}%;bottom:${upwards(ms)}%">${words}</span>`;
const enough = (points) =>
  points.find(([, ms]) => ms < 1.2 * Math.min(...points.map(([, each]) => each)))[0];
const box = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

// What a way costs `rtt` ms away, on a CPU so many times slower: a turn's wait, a call's CPU, and
// all calls by connections. Those beyond the fastest number cost what it takes to start them.
function costs({ cpu_us: work, turn_us: more, start_us: start, fastest, took }, rtt, slower) {
  const wait = rtt + slower * more / 1000;
  const cpu = (size) => slower * (work + start * Math.max(0, size - fastest) / CALLS) / 1000;
  return { wait, cpu, ratio: 1 + wait / cpu(1), took,
    points: SIZES.map((size) => [size, sideBySide(CALLS, size, wait, cpu(size))]) };
}

// By the points that were measured, or by those of the line.
function enoughWords([threads, tasks], by) {
  const ratio = `a call's time ÷ its CPU is ${times(threads.ratio)} in threads, `
    + `${times(tasks.ratio)} in tasks`;
  return threads.ratio > CALLS ? `Even ${CALLS} threads leave your CPU waiting: ${ratio}.`
    : `${by === "took" ? "As measured, from" : "From"} ${counted(enough(threads[by]), "thread")} `
    + `or ${counted(enough(tasks[by]), "task")} at a time on, less than a fifth is left to gain; `
    + `${ratio}.`;
}

// Each connection's calls, and below them the CPU.
function lanes(connections, wait, cpu, whole) {
  let [waits, works] = ["", ""];
  for (let call = 0; call < CALLS; call += 1) {
    const [x, work, idle] = [begins(call, connections, wait, cpu), cpu, wait]
      .map((ms) => 100 * ms / whole);
    const y = 78 * (call % connections) / connections;
    waits += box(x + work, y, idle, 66 / connections);
    works += box(x, y, work, 66 / connections) + box(x, 82, work, 18);
  }
  return svg(`<path class="waits" d="${waits}"/><path class="works" d="${works}"/>`);
}

function render({ model, el }) {
  const { rtt: here, ways, pipeline_work: work, from } = model.get("constants");
  const own = ways.threads.cpu_us;
  const both = (rtt, cpu) => [ways.threads, ways.tasks].map((way) => costs(way, rtt, cpu / own));
  const knobs = { connections: [SIZES, 2], rtt: [among(DISTANCES, here), here],
    cpu: [among(CPUS, own), own] };
  const setting = settingOf(model, knobs);
  const rings = (name) => ways[name].took.map((point) => mark(`ring ${name}`, ...point));
  const fixed = [...rings("threads"), ...rings("tasks"),
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
    turning("rtt", "Distance", (rtt) => `${rtt} ms`),
    turning("cpu", "CPU a call", (cpu) => `${cpu} / ${digits(cpu * ways.tasks.cpu_us / own)} µs`)),
  element("div", { "aria-hidden": "true" }, ...Object.entries(COLOURS).map(([name, words]) =>
    element("small", {}, element("i", { class: name }), words)), chart, strip), sentence, bend);

  function show() {
    const { connections, rtt, cpu } = setting;
    const [threads, tasks] = both(rtt, cpu);
    const [inThreads, inTasks] = [threads, tasks].map(({ points }) => points[connections - 1][1]);
    const each = threads.cpu(connections);
    const pipe = rtt + work * cpu / own; // a slower CPU is slower at that, too
    const isHere = rtt === here && cpu === own;
    const straight = (name, from, to = from) => line(name, [1, from], [CALLS, to]);
    chart.innerHTML = svg(straight("waits", CALLS * rtt, rtt) + straight("pipe", pipe)
      + straight("works", CALLS * cpu / 1000) + line("threads", ...threads.points)
      + line("tasks", ...tasks.points)) + fixed + mark("you", connections, inThreads);
    chart.classList.toggle("elsewhere", !isHere);
    // The time of one connection is their ruler.
    strip.innerHTML = lanes(connections, threads.wait, each, threads.points[0][1]);
    sentence.textContent = `${CALLS} records, ${rtt} ms away, ${counted(connections, "connection")}: `
      + `${counted(Math.ceil(CALLS / connections), "round")} of waiting. Threads: `
      + `about ${duration(inThreads)}, your CPU busy for `
      + `${Math.floor(100 * CALLS * each / inThreads)}% of it. Tasks: about ${duration(inTasks)}. `
      + `One pipeline: about ${duration(pipe)}.`;
    bend.textContent = enoughWords([threads, tasks], isHere ? "took" : "points");
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
    question: `${CALLS} records, ${here} ms away, ${own} µs of CPU a call: from how many threads `
      + "on is less than a fifth left to gain?",
    answer: (guess) => enoughWords(both(here, own), "took") + youSaid(guess) });
}

export default { render };
