// The two lists of links have names, and the page that one reads is in sight among the others.
document.addEventListener("DOMContentLoaded", () => {
  for (const [side, name] of [["sidebar", "All pages"], ["toc", "This page"]])  // furo leaves both without a name
    document.querySelector(`.${side}-drawer`)?.setAttribute("aria-label", name);
  const list = document.querySelector(".sidebar-scroll"), here = list?.querySelector(".current-page");
  if (!here) return;
  const below = here.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom;
  if (below > 0) list.scrollBy({ top: below + list.clientHeight / 3, behavior: "instant" });
});
