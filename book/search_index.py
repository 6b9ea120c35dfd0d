"""Fill the index of the book's search with sections, and with the symptoms that lead to them.

Sphinx indexes pages. Here each section goes into its index as if it were a page, under the name
"page#anchor", which static/search.js takes apart again. A case is found as a whole.
"""

import re
from collections import defaultdict

import sources
from docutils import nodes
from sphinx.util.docutils import new_document

ROW = re.compile(r"^\| (.+) \| \[.+\]\(\.\./(\S+)\.ipynb#?(\S*)\) \|$", re.MULTILINE)
NOT_SEARCHED = ("docs/symptoms", "CHANGELOG")  # what each says stands in the sections as well


def of_sections(app) -> None:
    """Let the builder of `app`, Sphinx's application, index sections in place of whole pages.

    Cases are still indexed as whole pages, and the pages NOT_SEARCHED not at all.
    """
    seen = symptoms()

    def index_page(page, doctree, title):
        # Sphinx would drop what is no page; the book is built anew each time.
        app.builder.indexer.prune = lambda pages: None
        is_case = "/cases/" in page
        for section in doctree.findall(nodes.section) if page not in NOT_SEARCHED else ():
            heading, is_top = section[0].astext(), section.parent is doctree
            if is_top or not is_case:
                text = new_document(page)
                text += nodes.title(
                    "", heading + seen[page, "" if is_case else section.get("slug", "")]
                )
                # Not by +=, which would take them out of the page.
                text.children += [
                    part for part in section[1:] if is_case or part.tagname != "section"
                ]
                app.builder.indexer.feed(
                    page if is_top else f"{page}#{section['ids'][0]}",
                    page,
                    heading if is_top else f"{title} › {heading}",
                    text,
                )

    app.builder.index_page = index_page


def symptoms() -> dict[tuple[str, str], str]:
    """Return {(page, anchor): symptoms}, from the rows of docs/symptoms.md that link there.

    The symptoms of a place are joined into one text. The dict is a defaultdict: a place to which no
    row links has "".
    """
    found = defaultdict(str)
    for words, page, anchor in ROW.findall((sources.ROOT / "docs/symptoms.md").read_text("utf-8")):
        found[page, sources.slug(anchor)] += f" {words}"
    return found
