"""Write the files that Sphinx reads, all made from the repository's own pages and notebooks.

README.md becomes the front page, and book/chapter.py makes the chapters. Each page in docs/ becomes
a page of the book.
"""

import base64
import html
import itertools
import json
import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import chapter
import exercises_to_try
import mends

# The book's own environment has no lab_utils.
sys.path.append(str(ROOT := Path(__file__).resolve().parent.parent))

from lab_utils import explorables

PARTS = {  # in the order of the book; a page stands where it is named first
    "Chapters": tuple(f"notebooks/{names}_*.ipynb" for names in ("0[0-5]", "12", "0?", "1[01]")),
    "How to read a benchmark": ("notebooks/1[34]_*.ipynb",),
    "Slow or broken right now?": ("docs/symptoms.md", "notebooks/cases/*.ipynb"),
    "To keep": ("docs/*.md", "roundtrips/README.md", "roundtrips/*.md"),
    "To teach it": ("docs/workshop/*.md",),
    "The lab itself": ("CONTRIBUTING.md", "CHANGELOG.md"),
}
FRONT = PurePosixPath("index.md")
TRY, TRY_SOURCE = PurePosixPath("try/index.html"), PurePosixPath("book/try/README.md")
STATIC = PurePosixPath("_static")
DRAWINGS = PurePosixPath("drawings")  # conf.py brings them to the former
MONITOR = PurePosixPath("book/monitor/monitor.html")  # conf.py brings it to the book's front
FIGURES = ROOT / "book" / "figures"  # which tools/notebooks.py stores
# The line below the film gives the answer away.
TITLE_FILM_AND_LINE = re.compile(
    r"^# .*\n\n(.*)\n\n!\[(.*)\]\(docs/race\.gif\)\n\n.*$", re.MULTILINE
)
# What one may do first: words, what they mean, the page.
DOORS = (
    ("Ten minutes", "a guess, a count, a time: the first chapter", "notebooks/00_start_here.html"),
    ("Try it here", "count your own round trips, with nothing installed", str(TRY)),
    ("Paste your MONITOR log", "which loops wait, and for how long", MONITOR.name),
    (
        "Something is broken right now",
        "from what you see to the page about it",
        "docs/symptoms.html",
    ),
)
SOLUTIONS = {
    path.parent.name: path.read_text(encoding="utf-8")
    for path in ROOT.glob("exercises/*/solution.py")
}
SOLUTION = re.compile(r"exercises/((\d\d)\.\d)/solution\.py$")
CODE_OR_LINK = re.compile(
    r"^(?P<fence>`{3,})[\s\S]*?^(?P=fence)`*$|(?P<tick>`+)[^`]+(?P=tick)"
    r"|(?P<mark>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<address>[^()\s]+)\)",
    re.MULTILINE,
)
CHAPTER_LINK = re.compile(r'(href="\d\d_\w+)\.ipynb(?:#([^"]*))?')


def lay_out(target: Path, with_try: bool = False) -> None:
    """Write all source files into the folder `target`, whose former content is deleted.

    If `with_try`, the book gets the page on which exercises are tried in the browser, and links to
    it.
    """
    shutil.rmtree(target, ignore_errors=True)
    (target / DRAWINGS).mkdir(parents=True)
    part_of = {}
    for part, patterns in PARTS.items():
        for page in itertools.chain(*map(pages_like, patterns)):
            part_of.setdefault(page, part)
    book = Book(target, part_of, with_try)
    for page in book.pages:
        book.write(page, book.chapter(page) if page.suffix == ".ipynb" else book.text(page, page))
    front = book.text(PurePosixPath("README.md"), FRONT)
    measured = json.loads((explorables.FOLDER / "constants.json").read_text(encoding="utf-8"))
    front = TITLE_FILM_AND_LINE.sub(
        lambda found: first_screen(*found.groups(), measured, with_try), front, count=1
    )
    for part in PARTS:
        names = "\n".join(str(page.with_suffix("")) for page in part_of if part_of[page] == part)
        front += f"\n```{{toctree}}\n:caption: {part}\n:hidden:\n\n{names}\n```\n"
    book.write(FRONT, front)


def first_screen(sentence: str, film: str, measured: dict, with_try: bool) -> str:
    """Return the beginning of the front page: a heading, the race, links to the parts, a sentence.

    `sentence` is the README's sentence about the race, `film` the alt text of its picture, and
    `measured` the race's data, from constants.json. If `with_try` is False, there is no link to the
    page on which exercises are tried.
    """
    doors = "".join(
        f'<a href="{page}"><b>{words}</b> {meaning}</a>\n'
        for words, meaning, page in DOORS
        if with_try or page != str(TRY)
    )
    return f"""# Your Redis is fast. Your&nbsp;code&nbsp;waits for it 100 times.

{explorable("race", f"![{film}](docs/race.gif)", film, measured, kind="film")}

<nav class="doors" aria-label="Where to begin">
{doors}</nav>

{sentence}"""


def pages_like(pattern: str) -> list[PurePosixPath]:
    return sorted(PurePosixPath(path.relative_to(ROOT).as_posix()) for path in ROOT.glob(pattern))


class Book:
    def __init__(self, target: Path, pages: dict | set, with_try: bool = False):
        self.target, self.pages = target, pages
        self.offered = exercises_to_try.offered() if with_try else {}

    def write(self, page, content):
        path = self.target / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def text(self, file, page: PurePosixPath) -> str:
        """Return the text of a file of the repository as the text of the book's page `page`.

        Both are relative paths; links in the text are changed to lead to pages of the book.
        """
        return self.linked((ROOT / file).read_text(encoding="utf-8"), page)

    def chapter(self, page: PurePosixPath) -> str:
        """Return a chapter's notebook as JSON text, in the book's form, with its figures as HTML.

        `page` is the notebook's path, relative to the repository. The figures' pictures are written
        into the book's folder of drawings.
        """
        notebook = json.loads((ROOT / page).read_text(encoding="utf-8"))
        # A case asks nothing that its reader should answer first.
        notebook = chapter.as_read(
            notebook,
            SOLUTIONS,
            relative(FRONT, page),
            folds=page.parent.name != "cases",
            tried={name: f"{relative(TRY, page)}#{name}" for name in self.offered},
        )
        mends.mark(notebook["cells"], ROOT / "notebooks" / "game")
        measured = "on {date} with {on}".format(**notebook["metadata"]["measured"])
        # The last cell first: what stays is the card of the first figure.
        for cell in reversed(notebook["cells"]):
            if cell["cell_type"] == "markdown":
                cell["source"] = self.linked(chapter.source_of(cell), page)
            # Where it is folded, the chapter's own question is above.
            asks = "hide-output" not in cell["metadata"].get("tags", ())
            for output in cell.get("outputs", ()):
                data = output.get("data", {})
                if "image/png" in data:
                    output["data"] = {"text/html": self.figure(page, cell, output, measured, asks)}
                elif "text/html" in data:  # a table with links to chapters
                    data["text/html"] = CHAPTER_LINK.sub(
                        lambda to: f"{to[1]}.html{'#' + slug(to[2]) if to[2] else ''}",
                        "".join(data["text/html"]),
                    )
        return json.dumps(notebook)

    def figure(
        self, page: PurePosixPath, cell: dict, output: dict, measured: str, asks: bool
    ) -> str:
        """Write a figure's picture, and return the HTML that shows it: SVG if stored, else PNG.

        `page` is the chapter's path, `cell` a cell of the notebook, and `output` the figure's
        output in that cell; both are dicts. If readers can drag the figure, the HTML also has the
        figure's data, and says when they were measured: `measured`, such as 'on 2026-11-20 with
        Redis 8'. If `asks` is True, the figure may first ask readers to guess.
        """
        about = output["metadata"]["image/png"]
        file = PurePosixPath(page.stem, f"{cell['id']}.svg")
        picture = base64.b64decode("".join(output["data"]["image/png"]))
        # What a link to the page shows where it is sent, which takes no SVG.
        self.write(DRAWINGS / f"{page.stem}.png", picture)
        if (FIGURES / file).exists():
            picture = (FIGURES / file).read_bytes()
        else:
            file = file.with_suffix(".png")
        self.write(DRAWINGS / file, picture)
        alt = html.escape(about["alt"], quote=True)
        still = f'<img src="{relative(STATIC, page)}/{file}" alt="{alt}">'
        if "drag" not in about:
            return still
        constants = about["drag"]["constants"]
        told = constants | {"from": constants["from"].replace("on this machine", measured)}
        # What its words begin with is its finding, which answers what a race would ask.
        asks = asks and about["drag"]["name"] != "race"
        if page.stem == "01_round_trips" and about["drag"]["name"] == "where":
            self.write(DRAWINGS / "map.js", map_script(told))
        return explorable(about["drag"]["name"], still, alt.split(". ")[0], told, asks)

    def linked(self, text: str, page: PurePosixPath) -> str:
        """Return the text of the page `page` with its links leading to pages of the book."""
        return CODE_OR_LINK.sub(lambda found: self.link(found, page), text)

    def link(self, match: re.Match, page: PurePosixPath) -> str:
        mark, words, address = match["mark"], match["words"], match["address"]
        if address is None or re.match(r"\w+:", address):  # code, or outside of the lab
            return match[0]
        path, _, anchor = address.partition("#")
        file = PurePosixPath(os.path.normpath(page.parent / path)) if path else page
        if file.suffix == ".ipynb":
            anchor = slug(anchor)
        if file == TRY_SOURCE:  # a page that Sphinx doesn't know
            return f'<a href="{relative(TRY, page)}">{words}</a>' if self.offered else words
        if (ROOT / file).is_dir():
            return words  # a folder is no page
        if file == MONITOR:  # of which Sphinx knows nothing
            return f'<a href="{relative(PurePosixPath(MONITOR.name), page)}">{words}</a>'
        if solution := SOLUTION.match(str(file)):
            home = pages_like(f"notebooks/{solution[2]}_*.ipynb")[0]
            file, anchor = home, chapter.solution_anchor(solution[1])
        elif file == PurePosixPath("README.md"):
            file = FRONT
        elif file not in self.pages and (ROOT / file).is_file():
            # A picture, or a file that is offered to be kept.
            self.write(file, (ROOT / file).read_bytes())
        to = "" if file == page and anchor else relative(file, page)
        # What one clicks may be a picture.
        return f"{mark}[{self.linked(words, page)}]({to}{'#' + anchor if anchor else ''})"


def slug(anchor: str) -> str:
    """Return a heading's anchor in GitHub's form: lower case, without punctuation.

    `anchor` is in JupyterLab's form, with capitals and question marks.
    """
    return re.sub(r"[^\w-]", "", unquote(anchor).lower())


def relative(file: PurePosixPath, page: PurePosixPath) -> str:
    return PurePosixPath(os.path.relpath(file, page.parent)).as_posix()


def explorable(
    name: str, still: str, label: str, constants: dict, asks: bool = True, kind: str = "still"
) -> str:
    """Return HTML with a picture and, below it, the same figure drawn by a script, to be dragged.

    `name` is that of the figure's JavaScript module, such as "race", and `constants` the data for
    it. `still` is the picture as HTML or Markdown, which is what is printed, and what readers
    without scripts see. `label` is the figure's name for programs that read aloud. If `asks` is
    True, the figure may ask readers to guess first. With `kind` "film" the picture is hidden where
    scripts run, and the figure itself is printed, at its end.

    Module, style and data stand inside the HTML, since a browser loads no module from a file.
    """
    module, style = explorables.parts(name)
    return f"""<style>{style}</style>

<figure class="to-drag" aria-label="{label}">
<div class="{kind}">

{still}

</div>
<div id="{name}"></div>
</figure>

<script type="module">
{module.replace("export default { render };", "")}
const told = {json.dumps({"constants": constants, "figure": name, "asks": asks})};
render({{ model: {{ get: (name) => told[name] }}, el: document.getElementById("{name}") }});
</script>"""


def map_script(constants: dict) -> str:
    """Return a script for the MONITOR page that draws chapter 01's map, from its data `constants`.

    The script defines monitorMap(element, you): it draws the map into an element of the page, with
    the reader's own point `you`, {rtt, commands, trips}. The page's rules forbid scripts and styles
    inside the page, so this script stands in a file.
    """
    module, style = explorables.parts("where")
    return f"""(() => {{
{module.replace("export default { render };", "").replace("export ", "")}
const sheet = new CSSStyleSheet();
sheet.replaceSync({json.dumps(style)});
document.adoptedStyleSheets = [sheet];
const constants = {json.dumps(constants)};
window.monitorMap = (el, you) => {{
  const told = {{ constants: {{ ...constants, you }} }};
  render({{ model: {{ get: (name) => told[name] }}, el }});
}};
}})();"""
