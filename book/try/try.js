// The page: a box, Run, what it cost, and the last four runs at a distance that one drags.
const EXAMPLES = {
  loop: 'names = [r.get(f"user:{i}") for i in range(50)]\nprint(names[:3])',
  pipeline: 'pipe = r.pipeline(transaction=False)\nfor i in range(50):\n    pipe.get(f"user:{i}")\nnames = pipe.execute()\nprint(names[:3])',
  MGET: 'names = r.mget([f"user:{i}" for i in range(50)])\nprint(names[:3])',
  asyncio: 'import asyncio\nimport redis.asyncio\n\nasync with redis.asyncio.Redis(decode_responses=True) as a:\n    names = await asyncio.gather(*(a.get(f"user:{i}") for i in range(10)))\nprint(names[:3])',
  "a page that grows": '# n users are in the team: 2, then 4, then 8.\ndef team_page():\n    lines = []\n    for user in sorted(r.smembers("team")):\n        name = r.get(f"user:{user}")\n        orders = r.get(f"orders:{user}")\n        lines.append(f"{name}: {orders} orders")\n    return lines\n\nprint(*team_page(), sep="\\n")\nprint(n, "users")',
};
const PARTS = ["wasm", "stdlib", "engine", "lab", "pyodide", "lock"];
const MOST_RUNS = 4;

const $ = (id) => document.getElementById(id);
const { exercises, needs, turn, command, bytes } = JSON.parse($("data").textContent);
const box = $("code");
let worker, starting, busy = false, runs = [], counter = 0;

const make = (tag, content = "", attributes = {}) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...[content].flat());
  return node;
};
const say = (text) => { $("state").textContent = text; };
const counted = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

// Python: its files come by script tags, which work from a file too.
const held = {};
window.part = (name, text) => { held[name] = text; };

const fetched = (name) => new Promise((done, failed) => {
  const tag = make("script", "", { src: `python/${name}.js` });
  tag.onload = () => { tag.remove(); done(); };
  tag.onerror = () => failed(new Error(`python/${name}.js did not come. Is it beside this page?`));
  document.head.append(tag);
});

async function unpacked(name) {
  const letters = atob(held[name]), packed = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) packed[at] = letters.charCodeAt(at);
  delete held[name];  // 11 MB of text in all; after a Stop they come anew
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start() {
  const all = PARTS.reduce((sum, name) => sum + bytes[name], 0), mb = (size) => (size / 1e6).toFixed(1);
  let come = 0;
  const tell = () => say(`Fetching Python, once: ${mb(come)} of ${mb(all)} MB …`);
  tell();
  // One after the other: of the largest part text, letters and bytes are in memory at once.
  const files = {};
  for (const name of PARTS) {
    await fetched(name);
    files[name] = await unpacked(name);
    come += bytes[name];
    tell();
  }
  say("Starting Python: a few seconds …");
  const source = new Blob([$("worker").textContent], { type: "text/javascript" });
  const made = worker = new Worker(URL.createObjectURL(source));
  made.postMessage(files, Object.values(files).map((each) => each.buffer));
  await new Promise((ready, failed) => {
    made.onerror = (event) => failed(new Error(event.message || "the worker could not be started"));
    made.onmessage = ({ data }) => data.failed ? failed(new Error(data.failed)) : ready();
  });
  made.onmessage = ({ data }) => finish(data);
}

async function run() {
  if (busy) return;
  busy = true;
  $("stop").hidden = false;
  $("run").disabled = true;
  const mine = starting ??= start();
  try {
    await mine;
  } catch (error) {
    if (mine === starting) stop(`Python could not be started: ${error.message}`);
    return;
  }
  if (mine !== starting) return; // stopped meanwhile
  say("Running …");
  worker.postMessage({ code: box.value, needs: JSON.stringify(needs) });
}

function stop(words) {
  worker?.terminate();
  worker = starting = undefined;
  idle(words);
}

function idle(words) {
  busy = false;
  $("stop").hidden = true;
  $("run").disabled = false;
  say(words);
}

// What a run says.
function finish(found) {
  idle(found.error ? "It ended with an error." : "Done.");
  const shows = [];
  if (found.verdict) shows.push(verdict(found.verdict.trim()));
  if (found.error) shows.push(note("error", "Error", found.error));
  if (found.growth) shows.push(growth(found.growth));
  if (found.trips) shows.push(costs(found));
  shows.push(...found.findings.map(hint));
  if (found.printed) shows.push(note("", "Printed", found.printed.trimEnd()));
  if (found.uncounted.length) shows.push(note("error", "Not counted", found.uncounted.join("\n")));
  if (!shows.length) shows.push(note("", "Nothing was sent to Redis", "Use r, such as r.get(\"user:1\")."));
  $("result").replaceChildren(...shows);
  if (!found.trips) return;
  counter += 1;
  const size = found.growth ? `, n = ${found.n}` : "";
  runs = [{ ...found, name: `${counter}. ${label()}${size}` }, ...runs].slice(0, MOST_RUNS);
  $("cost").hidden = false;
  draw();
}

const label = () => Object.keys(EXAMPLES).find((name) => EXAMPLES[name] === box.value) ?? "your code";
const note = (kind, title, text) =>
  make("div", [make("h2", title), make("pre", text)], { className: `note ${kind}` });

// "grows with n: 1 + 2·n round trips, …", then the lines of the box that grow.
function growth(text) {
  const [law, ...sites] = text.trim().replaceAll("your code:", "line ").split("\n");
  return note("hint", law, sites.map((each) => each.trim()).join("\n"));
}

function verdict(text) {
  const [, name, solved] = text.match(/^(\d\d\.\d) (solved)?/) ?? [];
  if (solved) document.getElementById(name)?.classList.add("solved");
  return note(solved ? "solved" : "open", solved ? "Solved" : "The lab's verdict", text);
}

function costs(found) {
  const items = [[found.trips, "round trip"], [found.waits, "wait"], [found.commands, "command"],
    [found.sent, "byte"], [found.received, "byte"]];
  const ends = ["", "", "", " sent", " received"];
  const counts = make("ul", items.map(([number, thing], at) =>
    make("li", [make("b", number.toLocaleString("en")), `${thing}${number === 1 ? "" : "s"}${ends[at]}`])),
  { className: "counts" });
  return found.growth ? make("div", [make("p", `With n = ${found.n}:`), counts]) : counts;
}

// A finding, with the line of the box that it is about.
function hint(found) {
  const line = Number(found.site.match(/^your code:(\d+)/)?.[1] ?? 0);
  const saves = found.saves ? `, saves up to ${counted(found.saves, "round trip")}` : "";
  const where = make("button", `line ${line}`, { type: "button", onclick: () => select(line) });
  const body = make("pre", `${found.shows}${saves}\n${found.instead}`);
  return make("div", [make("h2", [...(line ? [where, " "] : []), found.what]), body], { className: "note hint" });
}

function select(line) {
  const lines = box.value.split("\n"), begins = lines.slice(0, line - 1).join("\n").length + (line > 1);
  box.focus();
  box.setSelectionRange(begins, begins + lines[line - 1].length);
}

// The last runs at a distance: waits × (RTT + a turn's cost) + commands × a command's cost, and the
// further round trips of many bytes.
const rtt = () => 10 ** Number($("rtt").value);
const total = (run) => run.waits * (rtt() + turn) + run.further * rtt() + run.commands * command;
const ms = (value) => value >= 1000
  ? `${(value / 1000).toFixed(2)} s` : `${Number(value.toPrecision(value < 1 ? 2 : 3))} ms`;

function draw() {
  const far = ms(rtt());
  $("shown").textContent = far;
  $("far").textContent = `at ${far}`;
  $("rtt").setAttribute("aria-valuetext", far);
  $("runs").replaceChildren(...runs.map((run) => make("tr", [run.name, ms(total(run)),
    ...[run.trips, run.waits, run.commands, run.sent, run.received].map((each) => each.toLocaleString("en"))]
    .map((text) => make("td", text)))));
  const longest = Math.max(...runs.map(total));
  $("lanes").replaceChildren(...runs.flatMap((run) => lane(run, 1000 / longest)));
}

function lane(run, scale) {
  const waiting = Math.round(100 * (run.waits + run.further) * rtt() / total(run));
  const words = `${run.name}: ${counted(run.trips, "round trip")}, ${counted(run.waits, "wait")}, `
    + `${ms(total(run))}, ${waiting}% of it the distance`
    + (run.further ? `; its bytes take ${counted(run.further, "further round trip")}` : "");
  const lanes = [...new Set(run.drawn.map(([connection]) => connection))];
  const tall = lanes.length > 8 ? 4 : 14, height = lanes.length * (tall + 2) - 2;
  const svg = shape("svg", { viewBox: `0 0 1000 ${height}`, height, preserveAspectRatio: "none", role: "img", "aria-label": words });
  const ends = [];  // of the work at the begin of each turn; the distance follows
  for (const [, at, commands, , , further] of run.drawn) {
    const [works, waits] = ends[at] ?? [0, 0];
    ends[at] = [works + commands * command, Math.max(waits, (1 + further) * rtt())];
  }
  for (let at = 1, now = 0; at < ends.length; at += 1) {
    const [works, waits] = ends[at] ?? [0, 0];
    ends[at] = now + turn + works;
    svg.append(shape("rect", { class: "work", x: scale * now, width: scale * (turn + works), height }));
    now = ends[at] + waits;
  }
  for (const [connection, at, , names, site, further] of run.drawn) {
    const width = Math.max(0.5, scale * (1 + further) * rtt());
    const place = { class: "wait", x: scale * ends[at], y: lanes.indexOf(connection) * (tall + 2), width, height: tall };
    svg.append(shape("rect", place, shape("title", {}, `${names}, ${site}`)));
  }
  return [make("p", words, { className: "lane" }), svg];
}

function shape(tag, attributes, content = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(content);
  return node;
}

// The box.
function show(code, here = "", ...task) {
  box.value = code;
  $("task").replaceChildren(...task);
  $("task").hidden = !task.length;
  $("result").replaceChildren();
  for (const link of document.querySelectorAll("nav a, nav button"))
    link.classList.toggle("here", link.textContent === here);
  number();
}

function number() {
  const count = box.value.split("\n").length;
  $("lines").textContent = Array.from({ length: count }, (_, at) => at + 1).join("\n");
  $("lines").scrollTop = box.scrollTop;
}

function read() {
  const given = location.hash.slice(1);
  if (exercises[given]) {
    const { task, box: code, chapter } = exercises[given];
    show(code, given, `${task}. Put it where the three dots are; the last line checks it. It is `,
      make("a", `exercise ${given}`, { href: chapter }), " of the lab.");
  } else if (needs[given]) {
    show("", "", `Exercise ${given} is for the lab: it needs ${needs[given]}.`);
  } else if (given.startsWith("code=")) {
    try {
      show(decodeURIComponent(given.slice(5)));
      say("This code came with the link. Read it, then press Run: nothing runs by itself.");
    } catch {
      say("The link's code is damaged: it was cut off, perhaps. Ask for it again.");
    }
  } else if (!box.value) show(EXAMPLES.loop, "loop");
}

$("examples").append("Examples", ...Object.keys(EXAMPLES).map((name) =>
  make("button", name, { type: "button", onclick: () => {
    history.replaceState(null, "", location.pathname + location.search);
    show(EXAMPLES[name], name);
  } })));
$("run").onclick = run;
$("stop").onclick = () => stop("Stopped. The next Run starts Python anew.");
$("rtt").oninput = draw;
$("share").onclick = async () => {
  history.replaceState(null, "", `#code=${encodeURIComponent(box.value)}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say("Copied. The code stands in the link's end, which no server is sent.");
  } catch {
    say("The address above now holds the code: copy it.");
  }
};
box.oninput = number;
box.onscroll = number;
let leaving = false;
box.onblur = () => { leaving = false; };
box.onkeydown = (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === "Escape") leaving = true;
  else if (event.key === "Tab" && !event.shiftKey && !leaving) {
    event.preventDefault();
    box.setRangeText("    ", box.selectionStart, box.selectionEnd, "end");
    number();
  } else if (event.key !== "Tab" && event.key !== "Shift") leaving = false;
};
window.onhashchange = read;
read();
