// The leader's page: asks for the view of the room, again whenever it has changed, and shows it. Texts of others go in as text, never as HTML.
"use strict";

const at = id => document.getElementById(id);
const byHub = Boolean(document.body.dataset.byHub);
let view = null, asking = null, chosen = "", names = false;
let key = sessionStorage.getItem("key") || "";  // for this tab, and for pages of this origin alone

function made(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function ask(path, options = {}) {
  return fetch(path, { ...options, headers: { Authorization: `leader ${key}`, "Content-Type": "application/json" } });
}

async function post(path, body) {
  const reply = await ask(path, { method: "POST", body: JSON.stringify(body) });
  if (!reply.ok) throw new Error((await reply.json().catch(() => ({}))).error || `The board answered ${reply.status}.`);
}

// The door

function begin() {
  const told = new URLSearchParams(location.hash.slice(1)).get("key");
  if (told) {
    history.replaceState(null, "", location.pathname);  // the key stays on no screen
    take(told);
  }
  listen();
}

function take(said) {
  key = said;
  sessionStorage.setItem("key", key);
}

function door(why) {
  at("refused").textContent = key ? why : "";
  at("board").hidden = true;
  at("door").hidden = false;
  at("hub").hidden = !byHub;
  at("login").hidden = byHub;
}

at("login").addEventListener("submit", event => {
  event.preventDefault();
  take(at("key").value.trim());
  listen();
});

// The board

// Asks until it is called anew: an answer comes when there is something else to show, or after some seconds.
async function listen() {
  if (asking) asking.abort();
  const mine = asking = new AbortController();
  for (let seen = ""; asking === mine;) {
    try {
      const wanted = new URLSearchParams({ question: chosen, names: Number(names), seen });
      const reply = await ask(`view?${wanted}`, { signal: mine.signal });
      if (reply.status === 401) return door((await reply.json()).error);
      if (!reply.ok) throw new Error(`The board answered ${reply.status}.`);
      view = await reply.json();
      seen = view.version;
      at("door").hidden = at("lost").hidden = true;
      at("board").hidden = false;
      show();
    } catch (error) {
      if (asking !== mine) return;
      at("lost").hidden = false;
      await new Promise(next => setTimeout(next, 1000));
    }
  }
}

function choose(name) {
  chosen = name;
  listen();
}

function show() {
  const { question, questions, chapters, stuck, learners } = view, known = questions.find(each => each.name === question.name);
  at("learners").textContent = learners === 1 ? "1 learner" : `${learners} learners`;
  at("where").textContent = `${question.name.slice(0, 2)} · ${question.chapter}`;
  at("text").textContent = question.text;
  at("text").classList.toggle("long", question.text.length > 130);
  at("summary").textContent = summary(question);
  at("reveal").textContent = known.shown ? "Hide" : "Reveal";
  at("reveal").setAttribute("aria-pressed", known.shown);
  at("follow").setAttribute("aria-pressed", !chosen);
  at("names").setAttribute("aria-pressed", names);
  showQuestions(questions.filter(each => each.name.slice(0, 2) === question.name.slice(0, 2)), question.name);
  showChapters(chapters, questions, question.name.slice(0, 2), learners);
  showStuck(stuck);
  chart(at("chart"), question, remove);
}

// A click on a guess: the leader takes it off the board.
async function remove(dot, words) {
  if (!confirm(`Take this guess off the board? ${words}`)) return;
  await post("remove", { name: view.question.name, number: dot.number }).catch(error => alert(error.message));
  listen();
}

function showQuestions(questions, current) {
  at("questions").replaceChildren(...questions.map(each => {
    const button = made("button", { textContent: `${each.name.slice(3).replaceAll("_", " ")} ${each.guesses}${each.shown ? " ✓" : ""}`,
      onclick: () => choose(each.name) });
    button.setAttribute("aria-current", each.name === current);
    return button;
  }));
}

function showChapters(chapters, questions, current, learners) {
  at("chapters").tBodies[0].replaceChildren(...chapters.map(each => {
    const first = questions.find(question => question.name.slice(0, 2) === each.chapter);
    const title = made("button", { textContent: `${each.chapter} ${each.title}`, onclick: () => choose(first.name) });
    return made("tr", { className: each.chapter === current ? "at" : "" },
      made("td", {}, first ? title : `${each.chapter} ${each.title}`), made("td", { className: "here", textContent: each.here || "" }),
      made("td", {}, bar(each.guessed, each.questions * learners, "said")), made("td", {}, bar(each.solved, each.exercises * learners, "")));
  }));
}

function bar(done, all, kind) {
  const filled = made("i", { className: kind });
  filled.style.width = `${all ? 100 * Math.min(1, done / all) : 0}%`;
  return made("span", { className: "bar", title: `${done} of ${all}` }, filled);
}

function showStuck(stuck) {
  const ago = minutes => minutes < 1 ? "now" : `${minutes} min ago`;
  at("stuck").replaceChildren(...(stuck.length ? stuck.map(each => made("li", {}, made("b", { textContent: each.exercise }),
    made("span", { className: "who", textContent: each.who }),
    made("span", { className: "tries", textContent: `${each.tries} tries, ${ago(each.minutes)}` })))
    : [made("li", { textContent: "Nobody." })]));
}

at("reveal").addEventListener("click", async () => {
  const known = view.questions.find(each => each.name === view.question.name);
  chosen = known.name;  // what is being revealed stays on the screen
  await post("reveal", { name: known.name, shown: !known.shown }).catch(error => alert(error.message));
  listen();
});
at("follow").addEventListener("click", () => choose(chosen ? "" : view.question.name));
at("names").addEventListener("click", () => { names = !names; listen(); });
at("csv").addEventListener("click", async () => {
  const reply = await ask(`board.csv?names=${Number(names)}`);
  if (!reply.ok) return alert(`The board answered ${reply.status}.`);
  const file = made("a", { href: URL.createObjectURL(await reply.blob()), download: "board.csv" });
  file.click();
  URL.revokeObjectURL(file.href);
});
new ResizeObserver(() => view && chart(at("chart"), view.question, remove)).observe(at("question"));
begin();
