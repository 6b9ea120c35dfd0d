// The ladder, to drag: SETs one by one or in a pipeline, and the bytes of each message.
import { milliseconds, turns } from "./model.js";
import {
  ask, counted, duration, element, keepSetting, knob, mount, nearest, settingOf, spoken,
  youSaid,
} from "./parts.js";

const DISTANCES = [0, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100];
const COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const WAYS = ["one by one", "pipeline"];
const SPANS = [0.2, 1, 4, 20, 100, 400, 1200]; // ms shown: the first that holds one by one
const [HEIGHT, CLIENT, REDIS] = [370, 42, 73]; // px, %

// Each turn's moments, ms: request sent, there, reply sent, there, all done.
export function rungs(way, server, commands, rtt) {
  const count = turns(way, commands);
  const whole = milliseconds(way, commands / count, rtt);
  const work = (server.turn_us + commands / count * server.command_us) / 1000;
  return COUNTS.slice(0, count).map((turn) =>
    [0, rtt / 2, rtt / 2 + work, rtt + work, whole].map((moment) => (turn - 1) * whole + moment));
}

const packed = (words) =>
  words.reduce((all, word) => `${all}$${word.length}\r\n${word}\r\n`, `*${words.length}\r\n`);

// Two a turn: [kind, words, bytes, from where, when, to where, when].
function messagesOf(moments, each) {
  return moments.flatMap(([sent, there, left, read], turn) => {
    const all = COUNTS.slice(turn * each, turn * each + each).map((n) => ["SET", "abcdefghij"[n - 1], `${n}`]);
    const [asks, says] = each > 1 ? [`${each} SETs`, `${each} × +OK`] : [all[0].join(" "), "+OK"];
    return [["request", asks, all.map(packed).join(""), CLIENT, sent, REDIS, there],
      ["reply", says, "+OK\r\n".repeat(each), REDIS, left, CLIENT, read]];
  });
}

function render({ model, el }) {
  const { ways, server, measured, from } = model.get("constants");
  let { rtt, commands, pipeline } = settingOf(model,
    { rtt: [DISTANCES, 5], commands: [COUNTS, 3], pipeline: [[0, 1], 0] });
  let [chosen, span, wanted, frame, moments, messages] = [0];
  const said = spoken("sentence");
  const bytes = element("code");
  const stepper = element("div", { class: "knobs" });
  const form = Object.assign(element("form"), {
    innerHTML: WAYS.map((name, at) => `<label><input type=radio name=way value=${at}> ${name}</label>`)
      .join("&emsp;"),
    onchange: () => { pipeline = Number(form.way.value); turned(); },
  });
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const figure = element("div", { class: "shown" }, element("div", { class: "knobs" },
    knob("Distance", DISTANCES, rtt, (ms) => `${ms} ms`, (ms) => { rtt = ms; turned(); }),
    knob("Commands", COUNTS, commands, (n) => counted(n, "SET"), (n) => { commands = n; turned(); })),
  form, said, drawn, stepper, bytes);

  const taking = (way) => milliseconds(ways[way], commands, rtt);
  const y = (ms) => 40 + HEIGHT * ms / span;
  const line = (kind, x1, start, x2, stop, words = "") => `<line class="${kind}" x1="${x1}%" y1="${y(start)}"
    x2="${x2}%" y2="${y(stop)}"/>${
    words && `<text class="${kind}" x="${x1}%" y="${y(start)}">${words}</text>`}`;

  function draw() {
    const moving = Math.abs(wanted / span - 1) > 0.01 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    span = moving ? span * (wanted / span) ** 0.2 : wanted; // the ruler glides
    const roomy = HEIGHT * moments[0][4] > 14 * span;
    const rings = rtt === measured.rtt && commands === measured.commands ? measured.moments[pipeline] : [];
    drawn.innerHTML = [
      '<marker id=tip refX=5 refY=1.5 markerWidth=5 orient=auto><path d="M0 0 5 1.5 0 3"/></marker>',
      line("life", CLIENT, 0, CLIENT, span, "client"), line("life", REDIS, 0, REDIS, span, "Redis"),
      ...COUNTS.map((n) => n * wanted / 4).map((ms) => line("tick", 100, ms, CLIENT, ms, duration(ms))),
      ...moments.map(([sent, there, left, read, done]) => line("bar waits", CLIENT, sent, CLIENT, read)
        + line("bar work", CLIENT, read, CLIENT, done) + line("bar redis", REDIS, there, REDIS, left)),
      ...WAYS.map((name, way) => line(`bar way${way}`, 1 + 3 * way, taking(way), 1 + 3 * way, 0, name)),
      ...messages.map(([kind, words, , ...ends], at) =>
        line(kind + (at === chosen ? " chosen" : ""), ...ends, roomy || at === chosen ? words : "")),
      ...rings.map((ms, at) => `<circle cx="${at % 2 ? REDIS : CLIENT}%" cy="${y(ms)}" r="4"/>`)].join("");
    if (moving) frame = requestAnimationFrame(draw);
  }

  function choose(message) {
    chosen = messages.indexOf(message);
    bytes.innerHTML = message[2].replace(/(?<=\n)\w+/g, "<b>$&</b>").replaceAll("\r\n", "\\r\\n")
      .replace(/n(?=[*+])/g, "n\n");
    cancelAnimationFrame(frame);
    draw();
  }

  function turned() {
    keepSetting(model, { rtt, commands, pipeline });
    wanted = SPANS.find((one) => taking(0) <= one);
    moments = rungs(ways[pipeline], server, commands, rtt);
    messages = messagesOf(moments, commands / moments.length);
    const told = (way) => `${counted(way ? 1 : commands, "round trip")}, about ${duration(taking(way))}`;
    said.textContent = `${counted(commands, "SET")}, ${rtt} ms away: one by one ${told(0)}; in a pipeline ${told(1)}.`;
    const first = messages[chosen] ?? messages[0];
    stepper.replaceChildren(knob("Message", messages, first,
      ([, words, wire]) => `${words}: ${wire.length}\u00a0bytes`, choose));
    choose(first);
  }

  drawn.setAttribute("aria-hidden", "true");
  drawn.onclick = ({ offsetX, offsetY }) => {
    const x = Math.min(REDIS, Math.max(CLIENT, 100 * offsetX / drawn.clientWidth));
    stepper.firstChild.set(nearest(messages, 0, ([, , , x1, start, x2, stop]) =>
      Math.abs(y(start + (stop - start) * (x - x1) / (x2 - x1)) - offsetY)));
  };
  form.way.value = pipeline;
  turned();
  mount(el, "ladder", figure, "Pale: your client waits; green: Redis works; orange: all the rest. "
    + `On the left: what each way takes. ${from}`);
  ask({ model, el, by: "rtt", go: "Show",
    question: "Three SETs one by one, 5 ms away: how many ms?", then: draw,
    answer: (guess) => `Three SETs one by one, 5 ms away: about ${duration(milliseconds(ways[0], 3, 5))}.`
      + youSaid(guess) });
}

export default { render };
