// Sphinx's search wants all words in one place and counts a single one. Here any will do, a rare word counts more, and so does
// a section that has more of them. The index is one of sections, by conf.py: "page#anchor".
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;  // not the page that searches
  // Of a file no page can be fetched to quote from.
  if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  const withWord = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const found = new Map();
    for (const word of words) {
      const sections = withWord(new Set([word]), excluded);
      const rarity = Math.log(1 + Search._index.docnames.length / sections.length);
      for (const section of sections) {
        if (!found.has(section[0])) found.set(section[0], { section, scores: [] });
        found.get(section[0]).scores.push(section[4] * rarity ** 1.5);
      }
    }
    const results = [...found.values()].map(({ section, scores }) =>
      section.with(4, scores.length * scores.reduce((sum, score) => sum + score)));
    const best = Math.max(...results.map(section => section[4]));
    return results.filter(section => section[4] > best / 4);
  };
  const perform = Search._performSearch;
  Search._performSearch = (...query) => {
    Search._index.alltitles = {};  // a title's words were counted above
    return perform(...query).map(([place, title, , ...rest]) => {
      const [page, anchor] = place.split("#");
      return [page, title, anchor ? `#${anchor}` : "", ...rest];
    });
  };
});
// Sphinx marks a word that was searched for, in the titles of furo's icons too, which have no place on the page.
SVGTitleElement.prototype.getBBox = () => new DOMRect();
