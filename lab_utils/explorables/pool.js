// A pool and a pause: the calls under way or waiting, and whether they ever get fewer again.
import { underWay } from "./model.js";
import {
  among, ask, counted, digits, duration, element, keepSetting, knob, mount, settingOf,
  spoken, times, youSaid,
} from "./parts.js";

const ARRIVALS = [50, 100, 200, 300, 400, 500];
const HELD = [5, 10, 20, 30, 50]; // ms
const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 25, 30, 40, 50, 100];
const PAUSES = [0, 0.1, 0.2, 0.3, 0.5, 0.8];
const BEFORE = 0.8; // seconds until the pause, of four

const average = ({ arrivals, held }) => digits(arrivals * held / 1000, 2);

// What becomes of the calls that a pause leaves in the queue.
function after({ arrivals, held, size, pause }) {
  const most = 1000 * size / held;
  const queue = arrivals * (held / 1000 + pause) - size;
  if (most < arrivals * 0.995) return "fewer than come: the queue grows, with or without a pause.";
  if (queue <= 0) return `and nobody waits for a connection${pause ? ", even after the pause" : ""}.`;
  if (most < arrivals * 1.005) return `just what comes: ${counted(Math.round(queue), "call")} wait, and never fewer.`;
  const left = 1000 * queue / (most - arrivals);
  return `${times(most - arrivals)} more than come: ${left < 10 ? "right" : duration(left)} after the pause nobody waits `
    + "any more.";
}

function render({ model, el }) {
  const { noted, from, ...own } = model.get("constants");
  const knobs = { size: [SIZES, 4], arrivals: [among(ARRIVALS, own.arrivals), own.arrivals],
    held: [among(HELD, own.held), own.held], pause: [among(PAUSES, own.pause), own.pause] };
  const setting = settingOf(model, knobs);
  const chart = element("div", { class: "chart", "aria-hidden": "true" });
  const sentence = spoken("sentence");
  const turning = (name, label, worded) => knob(label, knobs[name][0], setting[name], worded, (value) => {
    setting[name] = value;
    keepSetting(model, setting);
    show();
  });
  const figure = element("div", { class: "shown" }, element("div", { class: "knobs" },
    turning("size", "Pool", String), turning("arrivals", "Calls", (calls) => `${calls} / s`),
    turning("held", "Held for", (held) => `${held} ms`), turning("pause", "Pause", (pause) => `${pause} s`)),
  element("small", { "aria-hidden": "true" }, "calls with a connection (strong), without (faint)"), chart, sentence);

  function show() {
    const { arrivals, held, size, pause } = setting;
    const calls = underWay(setting);
    // What was measured with this pool, and with the others beside it.
    const measured = Object.keys(own).every((name) => own[name] === setting[name]) ? noted : {};
    const theirs = measured[size] ?? [];
    const others = Object.entries(measured).filter(([other]) => Number(other) !== size);
    const top = 1.1 * Math.max(size < 50 ? size : 0, ...calls, ...Object.values(measured).flat().map(([, there]) => there));
    const y = (there) => (100 - 100 * there / top).toFixed(2);
    const label = (name, x, there, words = "") =>
      `<span class="${name}" style="left:${x}%;top:${y(there)}%">${words}</span>`;
    const lineOf = (of) => calls.map((there, step) => `${step / 8},${y(of(there))}`).join(" ");
    const area = lineOf((there) => there);
    const most = Math.round(Math.max(...calls));
    chart.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none">`
      + `<rect x="${25 * BEFORE}" width="${25 * pause}" height="100"/><polygon points="0,100 ${area} 100,100"/>`
      + `<polygon class="served" points="0,100 ${lineOf((there) => Math.min(there, size))} 100,100"/>`
      + others.map(([, found]) =>
        `<polyline class="other" points="${found.map(([at, there]) => `${25 * at},${y(there)}`).join(" ")}"/>`).join("")
      + `<polyline points="${area}"/><path d="M0 ${y(size)}h100"/></svg>`
      + theirs.map(([at, there]) => label("ring", 25 * at, there)).join("")
      + others.map(([other, found]) => {
        const [at, there] = found.reduce((peak, one) => (one[1] > peak[1] ? one : peak));
        return label("peak", 25 * at, there, `pool of ${other}`);
      }).join("")
      + label("size", 100, Math.min(size, top), `pool of ${size}${size > top ? " ↑" : ""}`)
      + label("most", 0, most, times(most)) + label("most", 0, 0, 0)
      + (pause ? label("paused", 25 * (BEFORE + pause / 2), top / 2, "pause") : "")
      + [0, 1, 2, 3, 4].map((at) => label("at", 25 * at, 0, `${at} s`)).join("");
    sentence.textContent = `${arrivals} calls a second × ${held} ms: on average ${average(setting)} in use. If they come `
      + `evenly: a pool of ${size} serves at most ${times(1000 * size / held)} a second, ${after(setting)}`;
  }

  show();
  mount(el, "pool", figure, from);
  ask({ model, el, by: "size", go: "Show",
    question: `${own.arrivals} calls a second, each holds a connection for ${own.held} ms: how many connections are in `
      + "use, on average?",
    answer: (guess) => `${average(own)} on average.${youSaid(guess)}` });
}

export default { render };
