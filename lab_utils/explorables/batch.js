// How large a batch? What it takes and holds, and from where on a larger one gains little.
import { inBatches, largeEnough } from "./model.js";
import {
  among, ask, digits, draggable, duration, element, keepSetting, knob, mount, nearest, settingOf,
  spoken, times, youSaid,
} from "./parts.js";

const DISTANCES = [0, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];
const TENS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];
const ASKED = 5;

const bytes = (count) => (count < 1e6 ? `${digits(count / 1e3, 2)}\u00a0KB` : `${digits(count / 1e6, 2)}\u00a0MB`);

// Along straight lines on log axes between those measured; nothing below.
function heldBy(memory, batch) {
  const place = Math.max(1, memory.findIndex(([size]) => size >= batch));
  const [[before, less], [size, held]] = memory.slice(place - 1, place + 1);
  return batch < before ? 0 : less * (held / less) ** (Math.log(batch / before) / Math.log(size / before));
}

// A log axis, its tens named from `side`.
function scale(low, high, worded, side = "bottom") {
  const place = (value) => 100 * Math.log(value / low) / Math.log(high / low);
  const tens = TENS.filter((ten) => ten >= low && ten <= high);
  return { place, tens, names: tens.map((ten) => element("span", { style: `${side}:${place(ten)}%` }, worded(ten))) };
}

function render({ model, el }) {
  const { way, commands, here, points, memory, reads, from } = model.get("constants");
  const all = times(commands);
  const distances = among(DISTANCES, here);
  const steps = Array.from({ length: 401 }, (_, step) => Math.round(commands ** (step / 400)));
  const batches = [...new Set(steps.map((one) => Math.min(commands, Number(one.toPrecision(1)))))];
  const setting = settingOf(model,
    { batch: [batches, 100], rtt: [distances, model.get("asks") ? ASKED : here] });
  const taking = (rtt) => steps.map((batch) => [batch, inBatches(way, commands, batch, rtt)]);
  const enoughAt = (rtt) => largeEnough(way, commands, rtt);
  const enoughWords = (rtt) => (enoughAt(rtt) === commands ? "the larger, the faster"
    : `a larger one gains less than a tenth from about ${digits(enoughAt(rtt), 2)} on`);
  const work = commands * way.command_us / 1000;
  const most = Math.max(...reads.map(([, read]) => read));
  const across = scale(1, commands, times, "left");

  // Draws the batch's value, {class: line} and dots.
  function panel(title, up) {
    const said = element("b");
    const plot = element("div", { class: "plot" });
    const at = ([batch, value]) => `${across.place(batch)},${100 - up.place(value)}`;
    const path = (name, d) => `<path class="${name}" d="M${d}"/>`;
    const draw = (value, words, lines, dots) => {
      plot.innerHTML = '<svg viewBox="0 0 100 100" preserveAspectRatio="none">'
        + path("enough", `${across.place(enoughAt(setting.rtt))},0 v100 H100 V0`)
        + up.tens.map((ten) => path("grid", `0,${100 - up.place(ten)} h100`)).join("")
        + path("", `${across.place(setting.batch)},0 v100`)
        + Object.entries(lines).map(([name, line]) => path(name, line.map(at).join(" L"))).join("")
        + dots.map((dot) => path("dot", `${at(dot)} h.01`)).join("")
        + (value ? path("mark", `${at([setting.batch, value])} h.01`) : "");
      plot.append(...up.names);
      said.textContent = words;
    };
    return { draw, box: element("div", {}, title, said, plot) };
  }

  const takes = panel(`${all} commands take `, scale(work / 2, inBatches(way, commands, 1, 100), duration));
  const holds = panel("Your client holds ", scale(memory[0][1] / 2, 2 * memory.at(-1)[1], bytes));
  const runs = panel("Redis runs in one go ", scale(0.7, 2 * most, times));
  const drawn = element("div", { class: "panels", "aria-hidden": "true" }, takes.box, holds.box, runs.box,
    element("div", { class: "ticks" }, ...across.names));
  const sentence = spoken("sentence");
  const more = element("p", { role: "status" });
  const slider = knob("Batch", batches, setting.batch, times, (batch) => turned({ batch }));
  const figure = element("div", { class: "shown" }, element("div", { class: "knobs" }, slider,
    knob("Distance", distances, setting.rtt, (rtt) => `${rtt} ms`, (rtt) => turned({ rtt }))), drawn, sentence, more);

  function turned(change) {
    Object.assign(setting, change);
    if (change) keepSetting(model, setting);
    const { batch, rtt } = setting;
    const took = inBatches(way, commands, batch, rtt);
    const held = heldBy(memory, batch);
    const inClient = held ? bytes(held) : `less than ${bytes(memory[0][1])}`;
    const run = Math.min(batch, most);
    const inOneGo = `${run < batch ? "some " : batch > 1 ? "all " : ""}${digits(run, 2)}`;
    const enough = enoughAt(rtt);
    takes.draw(took, duration(took), { work: [[1, work], [commands, work]], thin: taking(here), curve: taking(rtt) },
      points);
    if (enough < commands) {
      const place = across.place(enough);
      takes.box.lastChild.append(element("b", { style: place < 50 ? `left:${place + 1}%` : `right:${101 - place}%` },
        `enough: ${digits(enough, 2)}`));
    }
    holds.draw(held, inClient, { curve: memory }, memory);
    runs.draw(run, inOneGo, { curve: [[1, 1], [most, most], [commands, most]] }, reads);
    sentence.textContent = `Batches of ${times(batch)}, ${rtt} ms away, on a connection in use: about ${duration(took)} `
      + `for ${all} commands, ${inClient} in your client; ${enoughWords(rtt)}.`;
    const ruled = 10000 * rtt / way.command_us;
    more.textContent = `Redis runs ${inOneGo} in one go, then serves others. `
      + (rtt ? `The rule, ten times ${rtt} ms of work, asks for ${digits(ruled, 2)}${ruled > commands
        ? ", more than there are: send all at once" : ""}.` : "Without distance the rule asks for no batch.");
  }

  draggable(drawn, slider, (x) => {
    const wanted = commands ** x;
    slider.set(nearest(batches, wanted, (one) => Math.abs(Math.log(one / wanted))));
  });
  turned();
  mount(el, "batch", figure, from);
  ask({ model, el, by: "rtt", go: "Show it",
    question: `${all} commands in batches, ${ASKED} ms away: from which size on does a larger one gain less than a tenth?`,
    answer: (guess) => `${ASKED} ms away: ${enoughWords(ASKED)}.${youSaid(guess)}` });
}

export default { render };
