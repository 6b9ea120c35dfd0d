"""Builds the reading edition into book/_build/html, without the network, and looks at every link in it. `make book` runs this.

    python tools/book.py        with what requirements-book.txt names

Nothing is executed: figures and tables are the committed ones. Exit status 1 with the reasons, if anything is wrong.
"""

import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

BOOK = Path(__file__).resolve().parent.parent / "book"
BUILT = BOOK / "_build"
sys.path.insert(0, str(BOOK))

import links  # noqa: E402  stands in book/
import sources  # noqa: E402


def main():
    sources.lay_out(BUILT / "sources")
    status = sphinx(["-W", "--keep-going", "-q", "-E", "-c", str(BOOK), "-d", str(BUILT / "doctrees"), "-b", "html",
                     str(BUILT / "sources"), str(BUILT / "html")])
    problems = list(links.wrong(BUILT / "html"))
    for problem in problems:
        print(problem, file=sys.stderr)
    if status or problems:
        return 1
    found = links.pages(BUILT / "html").values()
    followed, pictures = sum(len(page.links) for page in found), sum(page.pictures for page in found)
    print(f"{len(found)} pages; {followed:,} links and {pictures} pictures looked at. Open {BUILT / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
