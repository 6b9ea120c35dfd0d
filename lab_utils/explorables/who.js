// Who waits for whom: somebody's work as pieces on the server's time, and your PING among them.
import { serving, waitAt } from "./model.js";
import {
  among, counted, digits, duration, element, keepSetting, knob, mount, settingOf, spoken, times,
} from "./parts.js";

const KEYS = [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 3e5];
const COUNTS = [10, 20, 50, 100, 200, 500, ...KEYS.slice(0, 7)];
const PLACES = Array.from({ length: 201 }, (_, step) => step / 200); // of the time that is drawn
const FLOOR = 58; // of the drawing's 100: no wait

// How many of its pieces stand in the time that is drawn.
const drawnOf = (run, span) => Math.min(run.pieces, Math.max(1, Math.floor(span / run.each)));

function drawn(run, span, dots, at) {
  const x = (ms) => (100 * ms / span).toFixed(2);
  const y = (ms) => (FLOOR - FLOOR * ms / span).toFixed(2);
  const box = (name, from, y, ms) => `<rect class="${name}" x="${x(from)}" y="${y}" width="${x(ms)}" height="11"/>`;
  const pieces = Array.from({ length: drawnOf(run, span) }, (_, place) => place * run.each);
  const waits = pieces.map((from) => {
    const most = waitAt(run, from + run.piece * 1e-6);
    return `M${x(from)} ${FLOOR}V${y(most)}L${x(from + run.piece)} ${y(most - run.piece)}V${FLOOR}`;
  });
  return `<path class="waits" d="${waits.join("")}"/>${pieces.map((from) => box("", from, 67, run.piece)).join("")}`
    + `<path class="dots" d="${dots.map(([after, wait]) => `M${x(after)} ${y(wait)}h0`).join("")}"/>`
    + box("mine", at, 87, waitAt(run, at)) + ["V98", "h0"].map((to) => `<path class="ping" d="M${x(at)} 0${to}"/>`);
}

function render({ model, el }) {
  const { ways, measured, what, from } = model.get("constants");
  const names = [...new Set(measured.map((one) => one.way))]; // in the order in which they were measured
  const slowest = measured.reduce((one, other) => (other.worst > one.worst ? other : one)).way;
  const lists = { way: [[...names.keys()], names.indexOf(slowest)], ping: [PLACES, 0.3] };
  for (const { size, points } of Object.values(ways)) {
    const [most] = points.at(-1);
    lists[size] = [among(KEYS, most), most];
  }
  const sizes = Object.keys(lists).slice(2);
  const batch = measured.find((one) => one.count);
  if (batch) lists.count = [among(COUNTS, batch.count), batch.count];
  const setting = settingOf(model, lists);
  const choice = element("fieldset");
  choice.innerHTML = names.reduce((html, name, place) => `${html}<label><input type="radio" name="way" value="${place}">
    <b>${name}</b><p><i></i><u></u></p><span></span></label>`, "<legend>Somebody else runs, and a PING waits at worst</legend>");
  choice.addEventListener("change", (event) => turned({ way: Number(event.target.value) }));
  const line = element("div", { class: "line", "aria-hidden": "true" });
  const sentence = spoken("sentence");
  const quiet = element("p", { class: "quiet" });
  const slider = (label, name, worded = digits) =>
    knob(label, lists[name][0], setting[name], worded, (to) => turned({ [name]: to }));
  const knobs = sizes.map((name) => slider(name === "keys" ? "Keys searched" : what, name));
  const count = batch ? slider(batch.way === "SCAN" ? "COUNT" : `${what} a ${batch.way}`, "count") : "";
  const ping = slider("Your PING", "ping", (part) => `${digits(100 * part)}%`);
  const figure = element("div", { class: "shown" }, choice,
    element("div", { class: "knobs" }, ...knobs, count, ping), line, sentence, quiet);
  const sizeOf = (name) => setting[ways[name].size];

  function show() {
    const runs = names.map((name) => serving(ways[name], sizeOf(name), name === batch?.way ? setting.count : undefined));
    const seen = names.map((name) => measured.find((one) => one.way === name && one.keys === sizeOf(name)
      && (one.count ?? setting.count) === setting.count));
    const longest = Math.max(...runs.map((run) => run.worst));
    choice.querySelectorAll("label").forEach(({ children: [radio, , { children: [worst, mean] }, said] }, place) => {
      const run = runs[place];
      radio.checked = place === setting.way;
      worst.style.width = `${100 * run.worst / longest}%`;
      mean.style.left = `${100 * run.mean / longest}%`;
      said.textContent = `${duration(run.worst)}, `
        + (seen[place] ? `measured ${duration(seen[place].worst)}` : "not measured");
    });
    const [name, run, here] = [names, runs, seen].map((list) => list[setting.way]);
    const { dots } = here ?? { dots: [] };
    const span = Math.max(longest, ...measured.map((one) => one.worst)); // for all: a cliff is to look like one
    const more = run.pieces - drawnOf(run, span);
    const at = setting.ping * span;
    const wait = waitAt(run, at);
    line.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none">${drawn(run, span, dots, at)}</svg>
      <span>how long a PING waits that comes then, at most ${duration(run.worst)}</span>
      <span>server</span><span>your PING</span>
      <span>${duration(span)}${more > 0 ? `, then ${counted(more, "more piece")}` : ""}</span>`;
    const felt = wait ? `waits ${duration(wait)}` : "is answered at once";
    ping.querySelector("output").textContent = `after ${duration(at)}`;
    ping.querySelector("input").setAttribute("aria-valuetext", `after ${duration(at)}`);
    sentence.textContent = `${name}: a PING ${duration(at)} after the start ${felt}. `
      + counted(run.pieces, "piece") + ` of ${duration(run.piece)}`
      + (run.pieces > 1 && run.each > run.piece ? `, ${duration(run.each - run.piece)} apart` : "")
      + (run.pieces > 1 ? `, ${duration(run.total)} ${run.ahead ? "of the server's time" : "in all"}.` : ".");
    if (batch) count.style.opacity = name === batch.way ? 1 : 0.7;
    quiet.textContent = `On average, all along: ${duration(run.mean)}. ` + (here
      ? `Slowest PING measured: ${duration(here.worst)}, ${times(here.worst / run.worst)}x what is computed.` : "");
  }

  function turned(change) {
    Object.assign(setting, change);
    keepSetting(model, setting);
    show();
  }

  function drag(event) {
    const box = line.getBoundingClientRect();
    if (!event.buttons) return;
    line.setPointerCapture(event.pointerId);
    ping.set(Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * 200) / 200);
  }

  for (const kind of ["pointerdown", "pointermove"]) line.addEventListener(kind, drag);
  show();
  mount(el, "who", figure, from);
}

export default { render };
