// What scrolls sideways can be reached, and then moved, by keys.
const reach = () => document.querySelectorAll("pre, .still, .table-wrapper, .cell_output, article p").forEach((box) => {
  const scrolls = box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible";
  if (scrolls) box.tabIndex = 0; else box.removeAttribute("tabindex");
});
for (const moment of ["DOMContentLoaded", "load", "resize", "toggle"]) addEventListener(moment, reach, true);
