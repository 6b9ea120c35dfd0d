// Sphinx's search wants all words on one page and counts a single one. Here any will do, a rare word counts more, and so does
// a page that has more of them.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;  // not the page that searches
  const withWord = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const found = new Map();
    for (const word of words) {
      const pages = withWord(new Set([word]), excluded);
      const rarity = Math.log(1 + Search._index.docnames.length / pages.length);
      for (const page of pages) {
        if (!found.has(page[0])) found.set(page[0], { page, scores: [] });
        found.get(page[0]).scores.push(page[4] * rarity);
      }
    }
    const results = [...found.values()].map(({ page, scores }) =>
      page.with(4, scores.length * scores.reduce((sum, score) => sum + score)));
    const best = Math.max(...results.map(page => page[4]));
    return results.filter(page => page[4] > best / 4);
  };
});
