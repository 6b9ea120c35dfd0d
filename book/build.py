"""Build the reading edition, without the network, and look at every link: `make book` runs this.

    python book/build.py [FOLDER]       with requirements/book.txt; into FOLDER/html, if named

Nothing is executed: figures and tables are the committed ones. Exit status 1 with what is wrong.
"""

import sys
from pathlib import Path

import links
import sources
from sphinx.cmd.build import main as sphinx

BOOK = Path(__file__).resolve().parent


def main(built):
    sources.lay_out(built / "sources")
    status = sphinx(
        [
            "-W",
            "--keep-going",
            "-q",
            "-E",
            "-c",
            str(BOOK),
            "-d",
            str(built / "doctrees"),
            "-b",
            "html",
            str(built / "sources"),
            str(built / "html"),
        ]
    )
    problems = list(links.wrong(built / "html"))
    for problem in problems:
        print(problem, file=sys.stderr)
    if status or problems:
        return 1
    found = links.pages(built / "html").values()
    followed = sum(len(page.links) for page in found)
    pictures = sum(page.pictures for page in found)
    print(
        f"{len(found)} pages; {followed:,} links and {pictures} pictures looked at. "
        f"Open {built / 'html' / 'index.html'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2] or [BOOK / "_build"]).resolve()))
