// The leader's page: asks for the view of the room every second, and shows it. Texts of others go in as text, never as HTML.
"use strict";

const EVERY_MS = 1000;
const at = id => document.getElementById(id);
let view = null, shown = "", chosen = "", names = false;
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
  if (!reply.ok) alert((await reply.json().catch(() => ({}))).error || `The board answered ${reply.status}.`);
  refresh();
}

// The key comes behind the # of the leader's link, and stays on no screen.
const told = new URLSearchParams(location.hash.slice(1)).get("key");
if (told) {
  history.replaceState(null, "", location.pathname);
  sessionStorage.setItem("key", key = told);
}

async function refresh() {
  try {
    const reply = await ask(`view?${new URLSearchParams({ question: chosen, names: Number(names) })}`);
    at("refused").hidden = reply.status !== 401;
    at("board").hidden = reply.status === 401;
    if (reply.status === 401) return;
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    at("lost").hidden = true;
    if (text === shown) return;
    shown = text;
    view = JSON.parse(text);
    show();
  } catch (error) {
    at("lost").hidden = false;
  }
}

function choose(name) {
  chosen = name;
  shown = "";
  refresh();
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
  showChapters(chapters, questions, question.name.slice(0, 2));
  showStuck(stuck);
  chart(at("chart"), question, remove);
}

// A click on a guess: the leader takes it off the board.
function remove(dot, words) {
  if (confirm(`Take this guess off the board? ${words}`)) post("remove", { name: view.question.name, number: dot.number });
}

function showQuestions(questions, current) {
  at("questions").replaceChildren(...questions.map(each => {
    const button = made("button", { textContent: `${each.name.slice(3).replaceAll("_", " ")} ${each.guesses}${each.shown ? " ✓" : ""}`,
      onclick: () => choose(each.name) });
    button.setAttribute("aria-current", each.name === current);
    return button;
  }));
}

function showChapters(chapters, questions, current) {
  at("chapters").replaceChildren(...chapters.map(each => {
    const first = questions.find(question => question.name.slice(0, 2) === each.chapter), words = `${each.chapter} ${each.title}`;
    const title = first ? made("button", { textContent: words, onclick: () => choose(first.name) }) : made("span", { textContent: words });
    return made("li", { className: each.chapter === current ? "at" : "" }, title, made("b", { textContent: each.here || "" }));
  }));
}

function showStuck(stuck) {
  const ago = minutes => minutes < 1 ? "now" : `${minutes} min ago`;
  at("stuck").replaceChildren(...(stuck.length ? stuck.map(each => made("li", {}, made("b", { textContent: each.exercise }),
    made("span", { className: "who", textContent: each.who }),
    made("span", { className: "tries", textContent: `${each.tries} tries, ${ago(each.minutes)}` })))
    : [made("li", { textContent: "Nobody." })]));
}

at("reveal").addEventListener("click", () => {
  const known = view.questions.find(each => each.name === view.question.name);
  chosen = known.name;  // what is being revealed stays on the screen
  post("reveal", { name: known.name, shown: !known.shown });
});
at("follow").addEventListener("click", () => choose(chosen ? "" : view.question.name));
at("names").addEventListener("click", () => { names = !names; choose(chosen); });
new ResizeObserver(() => view && chart(at("chart"), view.question, remove)).observe(at("question"));
refresh();
setInterval(refresh, EVERY_MS);
