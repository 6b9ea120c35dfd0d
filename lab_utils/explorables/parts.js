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

// What the page's address asks of this figure: ?fig=ladder&rtt=5&commands=100 of the ladder alone,
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

// Puts a figure in its place, with what it was computed from below it.
export function mount(el, name, figure, from) {
  el.replaceChildren(figure, element("p", { class: "quiet" }, from));
  el.classList.add("explorable", name);
}

function kept(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

function keep(key, guess) {
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
    set(to) {
      slider.value = list.indexOf(to);
      slider.dispatchEvent(new Event("input"));
    },
  });
}

// First the guess, where the page asks for one: the figure is hidden until then, and `then` is called as it is seen.
// Not if one was made before, or a link is for this figure: by its name, or by its knob `by`. It is
// kept in this browser only.
export function ask({ model, el, by, question, go, answer, then = () => {} }) {
  const key = `redis-round-trip-lab.${model.get("figure")}.guess`;
  const linked = ["fig", by].some((name) => askedOf(model).has(name));
  if (!model.get("asks") || Number(kept(key)) > 0 || linked) { then(); return; }
  const number = element("input", { type: "number", min: 0.1, step: "any", inputmode: "decimal" });
  const skip = element("button", { type: "button", class: "plain" }, "just show me");
  const form = element("form", {}, element("label", {}, `${question} `, number),
    element("button", { type: "submit" }, go), skip);
  const said = spoken("answer");
  const show = (guess) => {
    said.textContent = answer(guess);
    figure.forEach((child) => { child.hidden = false; });
    form.remove();
    then();
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
