// The page: what is pasted, dropped or chosen is read, shown, and forgotten. It asks no address for
// anything and keeps nothing.
"use strict";

(() => {
  const DISTANCES = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 75, 100];
  const at = (id) => document.getElementById(id);
  const digits = (number, most = 3) => Number(number.toPrecision(most)).toLocaleString("en", { maximumFractionDigits: 3 });
  const whole = (number) => number.toLocaleString("en");
  const counted = (number, what) => `${whole(number)} ${what}${number === 1 ? "" : "s"}`;
  const few = (number, what) => (number && number < 10
    ? `${["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"][number - 1]} ${what}${number === 1 ? "" : "s"}` : counted(number, what));
  const duration = (ms) => (ms >= 1000 ? `${digits(ms / 1000)}\u00a0s` : ms >= 1 || !ms ? `${digits(ms)}\u00a0ms` : `${digits(ms * 1000)}\u00a0µs`);
  const made = (name, text, ...children) => {
    const element = document.createElement(name);
    element.append(text, ...children);
    return element;
  };
  let result = null, reading = 0, resting = 0;

  // 97 commands in MONITOR's form: a page with three loops.
  function example() {
    const lines = [];
    let at = 1764280000;
    const say = (gap, ...words) => {
      lines.push(`${at.toFixed(6)} [0 127.0.0.1:50412] ${words.map((word) => `"${word}"`).join(" ")}`);
      at += gap * 1e-6;
    };
    say(1050, "GET", "session:9f3a77c1d2e4");
    say(1100, "ZREVRANGE", "board", "0", "49");
    for (let i = 1; i <= 25; i += 1) say(1020 + i, "HGET", `user:${7 * i}`, "name");
    for (let i = 1; i <= 25; i += 1) say(1010 + i, "EXISTS", `online:${7 * i}`);
    for (let i = 1; i <= 30; i += 1) say(i < 30 ? 2 : 1200, "GET", `post:${900 + i}`);
    for (let i = 1; i <= 15; i += 1) say(1000 + i, "SCARD", `likes:${900 + i}`);
    return lines.join("\n");
  }

  function swatch(colour) {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ width: 300, height: 150, fill: colour })) box.setAttribute(name, value);
    drawn.append(box);
    drawn.setAttribute("aria-hidden", "true");
    return drawn;
  }

  function show() {
    const rtt = DISTANCES[at("rtt").value], { trips, could, range, lanes } = result;
    const waits = result.exact ? result.waits : trips, loops = result.groups.reduce((all, group) => all + (group.loops > 0), 0);
    const count = range[0] < range[1] ? `${whole(range[0])} to ${counted(range[1], "round trip")}` : counted(trips, "round trip");
    const took = could < waits ? [" or ", duration(could * rtt)] : [];
    at("sentence").replaceChildren(`${counted(result.commands, "command")}, ${count}, ${loops ? few(loops, "loop") : "no loop"}: `,
      made("b", duration(waits * rtt)), ...took, `, ${digits(rtt)} ms away.`);
    const words = [could < waits ? `The shorter time: each loop in one batch, a pipeline or a command for many keys. It holds where no request needs the reply of the one before.` : ""];
    if (lanes.length > 1) {
      words.push(`These are the waits of ${counted(lanes.length, "connection")} added up; the busiest waits ${duration(lanes[0].trips.length * rtt)}`
        + `${lanes[0].could < lanes[0].trips.length ? ` or ${duration(lanes[0].could * rtt)}` : ""}.`);
    }
    if (result.exact && result.waits < trips) words.push(`${counted(result.waits, "wait")} one after another; the others went on beside them.`);
    if (range[0] < range[1]) words.push(`MONITOR can't tell which: some of its gaps fit a slow pipeline and a fast loop. The boxes show ${whole(trips)}.`);
    at("busiest").textContent = words.join(" ");
    at("far").textContent = `${digits(rtt)} ms`;
    at("rtt").setAttribute("aria-valuetext", `${digits(rtt)} ms away`);
    document.querySelectorAll(".lane").forEach((title, place) => { title.lastChild.textContent = told(lanes[place], rtt); });
    const each = result.commands / Math.max(1, trips);
    at("yours").textContent = `${digits(rtt)} ms away, ${digits(each, 2)} ${each === 1 ? "command" : "commands"} a round trip: the diamond is you.`;
    clearTimeout(resting);
    resting = setTimeout(() => {
      at("spoken").textContent = at("sentence").textContent;
      window.monitorMap?.(at("where"), { rtt, commands: Math.max(1, Number(each.toPrecision(3))), trips });
    }, 300);
  }

  const told = (lane, rtt) => `${counted(lane.trips.length, "round trip")}, ${duration(lane.trips.length * rtt)}`
    + (lane.could < lane.trips.length ? ` · in batches ${whole(lane.could)}, ${duration(lane.could * rtt)}` : "");

  function rows() {
    const colour = monitorDraw.colours(result.groups), shown = result.groups.slice(0, 20);
    at("groups").replaceChildren(...shown.map((group) => {
      const words = group.loops ? `one after the other${group.loops > 1 ? `, ${whole(group.loops)} times` : ""}: a pipeline, or a command for many keys`
        : group.commands > group.trips ? `${digits(group.commands / group.trips, 2)} a batch` : "";
      const name = made("td", result.exact ? "" : swatch(colour(group.label)), made("code", group.label));
      if (group.where) name.append(` ${group.where}`);
      return made("tr", name, made("td", whole(group.trips)), made("td", group.commands ? whole(group.commands) : ""), made("td", words));
    }));
    const left = result.groups.length - shown.length;
    if (left) at("groups").append(made("tr", made("td", `and ${counted(left, "other kind")}`), made("td", ""), made("td", ""), made("td", "")));
  }

  function draw() {
    const rtt = DISTANCES[at("rtt").value];
    at("lanes").hidden = result.exact === true;
    const more = monitorDraw.lanes(at("lanes"), result, (lane) => [lane.on, told(lane, rtt)]);
    at("below").textContent = [result.lanes.length ? "A box is a wait: a command, or a pipeline of several. All boxes are drawn alike; pauses between them are left out." : "",
      more ? `${counted(more, "connection")} with fewer round trips ${more === 1 ? "is" : "are"} counted, not drawn.` : "",
      result.setUp ? `${counted(result.setUp, "round trip")} of connecting ${result.setUp === 1 ? "is" : "are"} left out.` : "",
      result.inScripts ? `${counted(result.inScripts, "command")} ran inside scripts, without a wait.` : "",
      result.sockets ? "Clients on a Unix socket can't be told apart." : "",
      result.exact ? "Counted by roundtrips: nothing here is a guess." : result.cuts.length
        ? `A gap from ${[...new Set(result.cuts.map((cut) => duration(cut / 1000)))].slice(0, 3).join(", ")} on is taken for a wait.` : ""].filter(Boolean).join(" ");
  }

  async function give(text, source) {
    const mine = reading += 1;
    at("state").textContent = "Reading …";
    const pause = () => new Promise((go) => { setTimeout(go); });
    await pause();
    const found = await monitorLog.read(text, { pause });
    if (mine !== reading) return;
    if (!found) {
      at("state").textContent = text.trim() ? "There is no line of MONITOR in it. One looks like this: 1764280000.123456 [0 127.0.0.1:50412] \"GET\" \"user:7\"" : "It is empty. Paste some lines of MONITOR.";
      return;
    }
    result = found;
    at("found").hidden = false;
    at("source").textContent = source;
    at("state").textContent = source.startsWith("An") ? "" : `Read: ${counted(found.commands, "command")}.`;
    rows();
    draw();
    show();
  }

  const input = at("paste");
  // Of what is pasted nothing stays in the box: it may hold values.
  input.addEventListener("paste", (event) => {
    event.preventDefault();
    give(event.clipboardData.getData("text"), "Your log:");
  });
  input.addEventListener("input", () => {
    if (!/\n|^\{.*\}\s*$/.test(input.value)) return;
    give(input.value, "Your log:");
    input.value = "";
  });
  const file = async (one) => { if (one) give(await one.text(), "Your log:"); };
  at("file").addEventListener("change", (event) => { file(event.target.files[0]); event.target.value = ""; });
  addEventListener("dragover", (event) => { event.preventDefault(); at("drop").classList.add("over"); });
  addEventListener("dragleave", () => at("drop").classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    at("drop").classList.remove("over");
    if (event.dataTransfer.files.length) file(event.dataTransfer.files[0]);
    else give(event.dataTransfer.getData("text"), "Your log:");
  });
  at("example").addEventListener("click", () => give(example(), "An example, made up:"));

  at("rtt").max = DISTANCES.length - 1;
  at("rtt").value = DISTANCES.indexOf(1);
  at("rtt").addEventListener("input", show);
  addEventListener("resize", () => { if (result) draw(); });

  const held = monitorHeld;
  at("held").textContent = `Held against ${held.programs} programs whose round trips a counting proxy knows, ${held.rounds} runs of each, on ${held.date} with ${held.on}:`;
  at("accuracy").replaceChildren(...held.distances.map(([ms, ...counts]) => made("tr",
    made("td", ms ? `${ms} ms away` : "on the same machine"), ...counts.map((count) => made("td", `${count} of ${held.programs * held.rounds}`)))));
  at("wrong").textContent = `Wrong at least once: ${held.wrong.join(", ")}.`;
  at("nomap").hidden = Boolean(window.monitorMap);
  at("home").hidden = !window.monitorMap; // opened from a clone, it stands alone
  give(example(), "An example, made up:");
})();
