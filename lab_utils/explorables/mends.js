// The page that mends itself: a box for each round trip, and the code that lets many fall into one.
import { counted, element, mount, spoken } from "./parts.js";

const BOX = 14; // px, with the gap to the next
const HEAD = 50; // px, of a button above a function's boxes
const WORDS = 30; // px, of words there
const FALLS_MS = 900; // what CSS takes, at most
const WIDEST = 26; // boxes in a row

// {function: its sites as [count, command, line]}, in the order in which they ask.
function byFunction(sites) {
  const found = new Map();
  for (const [count, command, line, name] of [...sites].sort((one, other) => one[2] - other[2])) {
    found.set(name, [...found.get(name) ?? [], { count, command, line }]);
  }
  return found;
}

// A function's questions in the order asked: the first of each loop, then the second of each.
function questionsOf(sites) {
  const most = Math.max(...sites.map(({ count }) => count));
  return Array.from({ length: most }, (_, turn) => sites.map((site, place) => ({ ...site, place }))
    .filter(({ count }) => turn < count)).flat();
}

// What goes is marked -, what comes +; a line that was there before and is after is kept.
function changes(before, after) {
  const found = [];
  let [at, came] = [0, []];
  for (const line of after) {
    const next = before.indexOf(line, at);
    if (next >= 0) {
      found.push(...before.slice(at, next).map((gone) => ["-", gone]), ...came, [" ", line]);
      [at, came] = [next + 1, []];
    } else came.push(["+", line]);
  }
  return [...found, ...before.slice(at).map((gone) => ["-", gone]), ...came];
}

function render({ model, el }) {
  const { sites, ways, columns, before, after, last, from } = model.get("constants");
  const functions = byFunction(sites);
  const names = [...functions.keys()];
  const mendable = names.filter((name) => ways.some((way) => way.name.includes(name)));
  const canMend = (name) => mendable.includes(name);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const mended = new Set();
  let inColumns = false;
  let shownTrips = ways[0].trips;
  let frame = 0;

  // Each way mends one function more: what it saves is that one's.
  const asWritten = (name) => functions.get(name).reduce((sum, { count }) => sum + count, 0);
  const inOne = (name) => {
    const way = ways.findIndex((one) => one.name.includes(name));
    return asWritten(name) - (ways[way - 1].trips - ways[way].trips);
  };
  const tripsOf = (name) => (mended.has(name) ? inOne(name) : asWritten(name));
  const tripsNow = () => (inColumns ? columns.length : names.reduce((sum, name) => sum + tripsOf(name), 0));

  // The column in which a site's question is asked: the one that names it, or by what must be known before.
  function columnOf(name, { command, place }) {
    const asked = /(\w+):/.exec(command)?.[1];
    const named = columns.findIndex((one) => one.split(", ").some((each) => each.replace("?", "") === asked));
    if (named >= 0) return named;
    return names.indexOf(name) && 1 + (canMend(name) ? Math.min(place, inOne(name) - 1) : 0);
  }

  const boxes = names.flatMap((name) => questionsOf(functions.get(name)).map((question, order) =>
    ({ name, question, order, drawn: element("i") })));
  boxes.forEach(({ drawn, order }) => { drawn.style.setProperty("--wait", `${2.5 * order}ms`); });
  const heads = new Map(names.map((name) => [name, element(canMend(name) ? "button" : "span", { class: "head" })]));
  const rows = columns.map((asked) => element("span", { class: "column" }, asked));
  const number = element("b", { "aria-hidden": "true" });
  const took = element("span", { "aria-hidden": "true" });
  const sentence = spoken("sentence");
  const wall = element("div", { class: "wall" }, ...heads.values(), ...rows, ...boxes.map(({ drawn }) => drawn));
  const title = element("div", { class: "title" });
  const code = element("pre");
  const step = (words, pressed) => {
    const made = element("button", { type: "button" }, words);
    made.addEventListener("click", pressed);
    return made;
  };
  const whole = step(ways.at(-1).name, () => set(mendable, true));
  const back = step(ways[0].name, () => set([], false));
  const figure = element("div", { class: "shown" },
    element("p", { class: "now" }, number, " round trips ", took), element("div", { class: "sides" },
      element("div", {}, wall, element("div", {}, whole, back)), element("div", { class: "code" }, title, code)), sentence);

  function place() {
    const across = Math.max(8, Math.min(WIDEST, Math.floor(wall.clientWidth / BOX) || WIDEST));
    const put = (one, x, y) => { one.style.transform = `translate(${x}px, ${y}px)`; };
    let y = 0;
    for (const name of names) {
      put(heads.get(name), 0, y);
      const top = y + (canMend(name) ? HEAD : WORDS);
      const own = boxes.filter((box) => box.name === name);
      own.forEach(({ question, order, drawn }) => {
        const at = mended.has(name) ? Math.min(question.place, inOne(name) - 1) : order;
        const column = columnOf(name, question);
        if (inColumns) put(drawn, 4, 11 + HEAD * column);
        else put(drawn, BOX * (at % across), top + BOX * Math.floor(at / across));
        const joined = inColumns || (mended.has(name) && own.filter((box) =>
          Math.min(box.question.place, inOne(name) - 1) === at).length > 1);
        drawn.className = `${joined ? "joined" : ""} ${inColumns ? "alone" : ""}`;
      });
      y = top + BOX * Math.ceil(tripsOf(name) / across) + 6;
    }
    rows.forEach((row, column) => put(row, 2.4 * BOX, HEAD * column));
    wall.style.height = `${inColumns ? HEAD * columns.length : y}px`;
    wall.classList.toggle("in-columns", inColumns);
  }

  function show(name) {
    const [first, ...lines] = before[name] ?? [0];
    const counts = new Map((functions.get(name) ?? []).map(({ count, line }) => [lines[line - first], count]));
    const isMended = !name || mended.has(name);
    const shown = isMended ? changes(lines, name ? after[name] : last) : lines.map((line) => [" ", line]);
    title.textContent = name ? `${name}, ${isMended ? "as mended" : "as written"}` : ways.at(-1).name;
    code.replaceChildren(...shown.map(([mark, line]) => {
      const count = mark !== "+" && counts.get(line) > 1 ? `${counts.get(line)} ×` : mark;
      return element(mark === "-" ? "del" : mark === "+" ? "ins" : "span", {}, element("small", {}, count), `${line}\n`);
    }));
  }

  function set(chosen, columnsToo, name = columnsToo ? null : chosen.at(-1) ?? mendable[0]) {
    mended.clear();
    chosen.forEach((one) => mended.add(one));
    inColumns = columnsToo;
    const trips = tripsNow();
    const way = ways.find((one) => one.trips === trips);
    for (const [name, head] of heads) {
      head.textContent = `${canMend(name) && !mended.has(name) ? "Mend " : ""}${name}: ${counted(tripsOf(name), "round trip")}`;
      if (canMend(name)) head.setAttribute("aria-pressed", mended.has(name));
      head.classList.toggle("next", name === mendable.find((one) => !mended.has(one)));
    }
    whole.classList.toggle("next", !inColumns && mendable.every((one) => mended.has(one)));
    took.textContent = way ? `in ${way.took}` : "";
    sentence.textContent = `${way?.name ?? `with ${[...mended].join(" and ")} mended`}: ${counted(trips, "round trip")}`
      + `${trips < ways[0].trips ? ` instead of ${ways[0].trips}` : ""}${way ? `, measured: ${way.took}` : ", counted, not timed"}.`;
    place();
    show(name);
    countTo(trips);
  }

  // The number falls as the boxes do.
  function countTo(trips) {
    cancelAnimationFrame(frame);
    const [start, began] = [shownTrips, performance.now()];
    const next = (now) => {
      const part = still.matches ? 1 : Math.min(1, Math.max(0, now - began) / FALLS_MS);
      shownTrips = Math.round(start + part * (trips - start));
      number.textContent = shownTrips.toLocaleString("en");
      if (part < 1) frame = requestAnimationFrame(next);
    };
    next(began);
  }

  for (const name of mendable) {
    heads.get(name).addEventListener("click", () => {
      const others = [...mended].filter((one) => one !== name);
      set(mended.has(name) && !inColumns ? others : [...others, name], false, name);
    });
  }
  figure.addEventListener("click", () => wall.classList.add("moves"), true); // until then boxes are just there
  mount(el, "mends", figure, from);
  set([], false);
  const watched = new ResizeObserver(place);
  watched.observe(wall);
  return () => { watched.disconnect(); cancelAnimationFrame(frame); };
}

export default { render };
