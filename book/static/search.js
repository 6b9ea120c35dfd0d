// Sphinx's search wants every word on a page and counts one of them. This one wants any, and a rare word counts more.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;  // not the page that searches
  const oneWord = Search.performTermsSearch;
  Search.performTermsSearch = (words, without) => {
    const found = new Map();
    for (const word of words) {
      const pages = oneWord(new Set([word]), without);
      const rarity = Math.log(1 + Search._index.docnames.length / pages.length);
      for (const page of pages) {
        const score = page[4] * rarity + (found.get(page[0])?.[4] ?? 0);
        found.set(page[0], page.with(4, score));
      }
    }
    const best = Math.max(...[...found.values()].map(page => page[4]));
    return [...found.values()].filter(page => page[4] > best / 3);
  };
});
