// Draws the guesses at a question: hollow diamonds on a log axis, stacked where they would touch, with names where asked for.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const LARGEST = 2.4, SMALLEST = 7;      // of a diamond from side to side, in letters' heights, and in pixels
const BIG_NAME = 1.7, SMALL_NAME = 12;  // of a name, likewise
const CLOSE = 2;                        // a guess within this factor was good, as lab.calibration has it
const COUNTED = /^(bytes|round trips|commands|messages|types|replies|threads|connections|visits|writes|claims|tickets)$/;

function quantity(value, unit) {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : Math.max(0, 2 - Math.floor(Math.log10(value)));
  const number = value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 9) });
  if (unit === "x" || unit === "%") return number + unit;
  const one = unit.endsWith("ies") ? `${unit.slice(0, -3)}y` : unit.slice(0, -1);
  return `${number} ${value === 1 && COUNTED.test(unit) ? one : unit}`;
}

// In words, what the chart shows.
function summary(question) {
  const { dots, unit, median } = question, late = dots.filter(dot => dot.late).length;
  const guesses = dots.length === 1 ? "1 guess" : `${dots.length} guesses`;
  if (!("measured" in question)) {
    if (!dots.length) return "Nobody has guessed yet.";
    const measured = question.measurements ? ` ${question.measurements} have measured it.` : "";
    return dots.length === 1 ? `1 guess: ${quantity(dots[0].value, unit)}.${measured}`
      : `${guesses}, from ${quantity(dots[0].value, unit)} to ${quantity(dots.at(-1).value, unit)}.${measured}`;
  }
  const good = dots.filter(dot => !dot.late && median && Math.max(dot.value / median, median / dot.value) <= CLOSE).length;
  const asked = dots.length - late, tardy = late ? `; ${late} came late` : "";
  if (median === null) return `${guesses}${tardy}. Nobody has measured it yet.`;
  const here = question.measured.length > 1 ? ` (the median of ${question.measured.length})` : "";
  return `Measured: ${quantity(median, unit)}${here}. ${good} of ${asked} guesses within ${CLOSE}x${tardy}.`;
}

function drawn(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// [from, to] of the axis: all that is shown, and a little more at both ends.
function range(values) {
  if (!values.length) return [1, 1000];
  const low = Math.min(...values), high = Math.max(...values), more = Math.max(1.35, Math.sqrt(8 * low / high));
  return [low / more, high * more];
}

function ticks([from, to]) {
  const decades = Math.log10(to / from), steps = decades > 5 ? [1] : decades > 2.5 ? [1, 3] : [1, 2, 5], found = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power += 1)
    for (const step of steps) {
      const value = Number(`${step}e${power}`);
      if (value >= from && value <= to) found.push(value);
    }
  return found;
}

// Puts each box in the lowest row where it touches none; returns how many rows that takes.
function stack(boxes) {
  const ends = [];
  for (const box of boxes) {
    let row = ends.findIndex(end => end <= box.left);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = box.left + box.width;
    box.row = row;
  }
  return ends.length;
}

// In pixels.
const pen = document.createElement("canvas").getContext("2d");
function widthOf(text, size) {
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

// The boxes of all guesses, as large as fit into `height`: {dot, side, x, left, width, row, label, letters}.
function layout(dots, at, height, named, rem) {
  for (let size = Math.round((named ? BIG_NAME : LARGEST) * rem); ; size -= 1) {
    const names = named && size >= SMALL_NAME, least = named ? SMALL_NAME - 1 : SMALLEST;
    const side = names ? size * 0.8 : named ? size + 8 : size;
    const boxes = dots.map(dot => {
      const label = names ? dot.who : "", more = label ? widthOf(label, size) + size * 0.9 : 2, x = at(dot.value);
      return { dot, side, x, label, letters: size, width: side + more, left: x - side / 2 };
    });
    const rowHeight = names ? size * 1.25 : side + 2, rows = stack(boxes);
    if (rows * rowHeight <= height || size <= Math.min(SMALLEST, least))
      return { boxes, rowHeight: Math.min(rowHeight, height / rows) };
  }
}

// `remove(dot, words)` is called for a diamond that was clicked.
function chart(svg, question, remove) {
  const { width, height } = svg.getBoundingClientRect();
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const { dots, unit } = question, revealed = "measured" in question && question.median !== null;
  const span = range([...dots.map(dot => dot.value), ...(revealed ? question.measured : [])]);
  const named = dots.some(dot => dot.who), margin = 1.5 * rem, right = width - (named ? 8 : 1.5) * rem;
  const at = value => margin + (right - margin) * Math.log(value / span[0]) / Math.log(span[1] / span[0]);
  const floor = height - 2.6 * rem, top = 2.6 * rem;
  const add = (...what) => svg.appendChild(drawn(...what));

  if (revealed) {
    const low = Math.max(0, at(question.median / CLOSE)), high = Math.min(width, at(question.median * CLOSE));
    add("rect", { class: "good", x: low, y: top, width: high - low, height: floor - top });
    add("text", { class: "within", x: high - 0.4 * rem, y: top + 1.2 * rem, "text-anchor": "end", "font-size": 0.85 * rem },
      `within ${CLOSE}x`);
  }
  let free = -Infinity;
  for (const value of ticks(span)) {
    const words = quantity(value, unit), half = widthOf(words, rem) / 2 + 0.4 * rem;
    add("line", { class: "tick", x1: at(value), x2: at(value), y1: top, y2: floor });
    if (at(value) - half < Math.max(free, -0.4 * rem) || at(value) + half > width + 0.4 * rem) continue;
    add("text", { class: "number", x: at(value), y: floor + 1.5 * rem, "font-size": rem }, words);
    free = at(value) + half;
  }
  if (revealed) {
    for (const value of question.measured)
      add("line", { class: "each", x1: at(value), x2: at(value), y1: top, y2: top + 1.2 * rem });
    const x = at(question.median), words = `measured ${quantity(question.median, unit)}`, half = widthOf(words, 1.4 * rem) / 2;
    add("line", { class: "measured", x1: x, x2: x, y1: top, y2: floor });
    add("text", { class: "told", x: Math.min(Math.max(x, half * 1.1), width - half * 1.1), y: top - 0.6 * rem,
      "text-anchor": "middle", "font-size": 1.4 * rem }, words);
  }
  add("line", { class: "axis", x1: 0, x2: width, y1: floor, y2: floor });

  const { boxes, rowHeight } = layout(dots, at, floor - top - (revealed ? 2.2 : 0.6) * rem, named, rem);
  for (const { dot, side, row, x, label, letters } of boxes) {
    const y = floor - 0.5 * rem - (row + 0.5) * rowHeight, half = side / 2;
    const diamond = add("path", { class: dot.late ? "dot late" : "dot",
      d: `M${x - half} ${y} L${x} ${y - half} L${x + half} ${y} L${x} ${y + half} Z` });
    const words = `${dot.who ? `${dot.who}: ` : ""}${quantity(dot.value, unit)}${dot.late ? ", late" : ""}`;
    diamond.appendChild(drawn("title", {}, `${words}. Click to take it off`));
    diamond.onclick = () => remove(dot, words);
    if (label) add("text", { class: dot.late ? "name late" : "name", x: x + half + letters * 0.25, y, "font-size": letters }, label);
  }
}
