// Draws lanes: a connection's waits as boxes, and below them what is left with each loop in one batch.
"use strict";

const monitorDraw = (() => {
  // Those of ways in lab_utils/figures/style.py that no other meaning has here.
  const COLOURS = ["#D55E00", "#0072B2", "#009E73", "#5B2A86", "#8F6100", "#AE3A5A"], OTHER = "#555555";
  const MOST = 8, HEIGHT = 26, THIN = 10, GAP = 5; // lanes; pixels

  function colours(groups) {
    const of = new Map(groups.slice(0, COLOURS.length).map((group, place) => [group.label, COLOURS[place]]));
    return (label) => of.get(label) ?? OTHER;
  }

  // Boxes of one width; where they'd be narrower than 3 pixels, those of one colour run together, and
  // of several in one pixel the first is drawn: a lane costs as many strokes as it has pixels.
  function boxes(context, trips, colour, width, top, height) {
    let from = 0;
    while (from < trips.length) {
      const shade = colour(trips[from].label);
      let to = from + 1;
      if (width < 3) while (to < trips.length && (colour(trips[to].label) === shade || (to - from) * width < 1)) to += 1;
      const left = from * width, wide = Math.max(1, (to - from) * width - (width < 3 ? 0 : 1.5));
      context.fillStyle = shade;
      context.globalAlpha = 0.3;
      context.fillRect(left, top, wide, height);
      context.globalAlpha = 1;
      if (width >= 3) {
        context.fillRect(left, top, Math.min(1.5, wide), height);
        // A pipeline is one box with as many lines as it has commands, if they can be told apart.
        const count = Math.min(trips[from].count, Math.floor(wide / 4));
        for (let line = 1; line < count; line += 1) context.fillRect(left + wide * line / count, top + height * 0.35, 0.7, height * 0.3);
      }
      from = to;
    }
  }

  function lanes(into, result, words) {
    const colour = colours(result.groups), shown = result.lanes.slice(0, MOST);
    const longest = Math.max(1, ...shown.map((lane) => lane.trips.length));
    const wide = into.clientWidth - 30;
    into.replaceChildren(...shown.flatMap((lane) => {
      const title = document.createElement("div"), canvas = document.createElement("canvas");
      const [who, took] = words(lane).map((text) => Object.assign(document.createElement("span"), { textContent: text }));
      title.className = "lane";
      title.append(who, took);
      const scale = window.devicePixelRatio || 1, loops = lane.could < lane.trips.length;
      const high = HEIGHT + (loops ? GAP + THIN : 0) + GAP * 2;
      canvas.width = wide * scale;
      canvas.height = high * scale;
      canvas.style.height = `${high}px`;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${who.textContent}: ${took.textContent}`);
      const context = canvas.getContext("2d"), width = Math.min(60, wide / longest);
      context.scale(scale, scale);
      boxes(context, lane.trips, colour, width, 2, HEIGHT);
      if (loops) boxes(context, monitorLog.mended(lane.trips), colour, width, 2 + HEIGHT + GAP, THIN);
      return [title, canvas];
    }));
    return result.lanes.length - shown.length;
  }

  return { lanes, colours };
})();
