"""Build the reading edition, and check every link: `make book` runs this.

    python book/build.py [FOLDER]       with requirements/book.txt; into FOLDER/html, if named

No notebook is run: figures and tables are the committed ones. The network is used at most once, by
npm, for what the page to try needs. If something is wrong, it is printed and the exit status is 1.
Set BOOK_URL to the address at which the pages will stand: previews of a link to a page then get a
picture, which needs a full address.
"""

import shutil
import sys
from pathlib import Path

import links
import sources
import try_page
from sphinx.cmd.build import main as sphinx

BOOK = Path(__file__).resolve().parent


def main(built: Path):
    without = try_page.missing()
    sources.lay_out(built / "sources", with_try=not without)
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
    if without:
        shutil.rmtree(built / "html" / "try", ignore_errors=True)  # an earlier build's
        print(f"Without the page to try: {without}. README.md of book/try says what it needs.")
    else:
        try_page.build(built / "try", built / "html" / "try")
    problems = "\n".join(links.wrong(built / "html"))
    if not (status or problems):
        print(f"Each link and picture was looked at. Open {built / 'html' / 'index.html'}")
    return problems or status


if __name__ == "__main__":
    sys.exit(main(Path(*sys.argv[1:2] or [BOOK / "_build"]).resolve()))
