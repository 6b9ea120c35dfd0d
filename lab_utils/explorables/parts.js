// What the figures share: numbers in words, knobs, the setting in the address, the guess.

export function duration(ms) {
  if (ms >= 1000) return `${digits(ms / 1000)}\u00a0s`;
  return ms >= 1 ? `${digits(ms)}\u00a0ms` : `${digits(ms * 1000)}\u00a0µs`;
}

export function times(ratio) {
  return digits(ratio, ratio < 100 ? 2 : 3);
}

export function digits(number, kept = 3) {
  return Number(number.toPrecision(kept)).toLocaleString("en", { maximumFractionDigits: 3 });
}

export function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

// What the page's address asks of this figure: ?fig=race&rtt=5&commands=100 of the race alone,
// without `fig` of each figure there is. Only the book, which heeds the address, names a figure.
function askedOf(model) {
  const figure = model.get("figure");
  const asked = new URLSearchParams(figure ? location.search : "");
  return (asked.get("fig") ?? figure) === figure ? asked : new URLSearchParams();
}

// The setting that the address asks for, of {name: [list, otherwise]}: the nearest in each list.
export function settingOf(model, knobs) {
  const asked = askedOf(model);
  return Object.fromEntries(Object.entries(knobs).map(([name, [list, otherwise]]) => {
    const wanted = asked.has(name) ? Number(asked.get(name)) : NaN;
    return [name, Number.isFinite(wanted) ? nearest(list, wanted) : otherwise];
  }));
}

// A knob's steps, with values of one's own among them.
export function among(list, ...own) {
  return [...new Set([...list, ...own])].sort((a, b) => a - b);
}

export function nearest(list, wanted, apart = (one) => Math.abs(one - wanted)) {
  return list.reduce((best, one) => (apart(one) < apart(best) ? one : best));
}

// Puts the setting into the address, which leads to this figure, once the knobs are at rest: a
// browser may refuse an address that changes a hundred times in half a minute.
let resting = 0;
export function keepSetting(model, setting) {
  const fig = model.get("figure");
  clearTimeout(resting);
  resting = setTimeout(() => {
    if (fig) history.replaceState(null, "", `?${new URLSearchParams({ fig, ...setting })}#${fig}`);
  }, 400);
}

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A sentence that is read aloud when it changes.
export function spoken(name) {
  return element("p", { class: name, role: "status" });
}

// Puts a figure in its place, with what it was computed from below it. A notebook must not take a
// press in the figure for one that picks its cell: the next Shift+Enter would measure it again. So
// the focus stays inside, and the notebook hears of neither.
export function mount(el, name, figure, from) {
  el.replaceChildren(figure, typeof from === "string" ? element("p", { class: "quiet" }, from) : from);
  el.classList.add("explorable", name);
  el.tabIndex = -1;
  for (const kind of ["mousedown", "focusin"]) {
    el.addEventListener(kind, (event) => event.stopPropagation());
  }
  keepKeys();
}

// JupyterLab takes keys from the document, before a slider sees them, and goes from cell to cell by
// arrows. Those that move a slider are the slider's; all others, Shift+Enter too, go on.
const MOVES = /^(Arrow\w+|Home|End|Page\w+)$/;
function keepKeys() {
  if (window.explorablesKeepKeys) return;
  window.explorablesKeepKeys = true;
  window.addEventListener("keydown", (event) => {
    if (MOVES.test(event.key) && event.target.matches?.(".explorable input")) event.stopPropagation();
  }, true);
}

// Calls `moved` with where a finger or a pressed mouse is, from 0 to 1 of the width and height of
// what is drawn; arrow keys then move the knob.
export function draggable(drawn, knob, moved) {
  const drag = (event) => {
    if (!event.buttons) return;
    drawn.setPointerCapture(event.pointerId);
    const box = drawn.getBoundingClientRect();
    moved((event.clientX - box.left) / box.width, (box.bottom - event.clientY) / box.height);
    knob.querySelector("input").focus({ preventScroll: true });
  };
  drawn.addEventListener("pointerdown", drag);
  drawn.addEventListener("pointermove", drag);
  drawn.addEventListener("mousedown", (event) => event.preventDefault()); // which would take the focus
}

export function kept(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

export function keep(key, guess) {
  try { localStorage.setItem(key, guess); } catch { /* a page that may keep nothing */ }
}

export function knob(label, list, value, worded, changed) {
  const slider = element("input", { type: "range", min: 0, max: list.length - 1, step: 1 });
  const shown = element("output");
  const show = () => {
    const words = worded(list[slider.value]);
    slider.setAttribute("aria-valuetext", words);
    shown.textContent = words;
  };
  slider.value = list.indexOf(value);
  slider.addEventListener("input", () => { show(); changed(list[slider.value]); });
  show();
  return Object.assign(element("label", {}, element("span", {}, label), slider, shown), {
    put(to) { // and nobody is told
      slider.value = list.indexOf(to);
      show();
    },
    set(to) {
      slider.value = list.indexOf(to);
      slider.dispatchEvent(new Event("input"));
    },
  });
}

// Whether a link is for this figure: by its name, or by its knob `by`.
export function isLinked(model, by) {
  return ["fig", by].some((name) => askedOf(model).has(name));
}

export function guessKey(model, unit = "guess") {
  return `redis-round-trip-lab.${model.get("figure")}.${unit}`;
}

// Whether a guess is asked for: where the page asks at all, and not if one was made before, or a
// link is for this figure. A guess is kept in this browser only.
export function asksHere(model, key, by) {
  return Boolean(model.get("asks")) && !(Number(kept(key)) > 0) && !isLinked(model, by);
}

// First the guess, where one is asked for: the figure is hidden until then.
export function ask({ model, el, by, question, go, answer }) {
  const key = guessKey(model);
  if (!asksHere(model, key, by)) return;
  const number = element("input", { type: "number", min: 0.1, step: "any", inputmode: "decimal" });
  const skip = element("button", { type: "button", class: "plain" }, "just show me");
  const form = element("form", {}, element("label", {}, `${question} `, number),
    element("button", { type: "submit" }, go), skip);
  const said = spoken("answer");
  const show = (guess) => {
    said.textContent = answer(guess);
    figure.forEach((child) => { child.hidden = false; });
    form.remove();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = Number(number.value);
    if (!(guess > 0)) { number.focus(); return; }
    keep(key, guess);
    show(guess);
  });
  skip.addEventListener("click", () => show(null));
  const figure = [...el.children];
  figure.forEach((child) => { child.hidden = true; });
  el.prepend(form, said);
}

export function youSaid(guess) {
  return guess ? ` You said ${times(guess)}.` : "";
}
