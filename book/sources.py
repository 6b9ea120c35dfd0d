"""Lay out what Sphinx reads, from the repository's own files: nothing of the book is written twice.

README.md becomes the front page, book/chapter.py makes the chapters; what lands in docs/ is a page.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import chapter
import drawings

# The book's own environment has no lab_utils.
sys.path.append(str(ROOT := Path(__file__).resolve().parent.parent))

from lab_utils import explorables

PARTS = {  # in the order of the book; a page stands where it is named first
    "Symptom first": ("docs/symptoms.md", "notebooks/cases/*.ipynb"),
    "Chapters": ("notebooks/*.ipynb",),
    "To keep": ("docs/*.md", "roundtrips/README.md"),
    "To teach it": ("docs/workshop/*.md",),
    "The lab itself": ("CONTRIBUTING.md", "CHANGELOG.md"),
}
FRONT = PurePosixPath("index.md")
STATIC = PurePosixPath("_static")
DRAWINGS = PurePosixPath("drawings")  # conf.py brings them to the former
# The line below the film gives the answer away.
FILM_AND_LINE = re.compile(r"^!\[.*\]\(docs/race\.gif\)\n\n.*$", re.MULTILINE)
GAME = PurePosixPath("notebooks/game.md")
SOLUTIONS = {
    path.parent.name: path.read_text(encoding="utf-8")
    for path in ROOT.glob("exercises/*/solution.py")
}
SOLUTION = re.compile(r"exercises/((\d\d)\.\d)/solution\.py$")
CODE = r"^(?P<fence>`{3,})[\s\S]*?^(?P=fence)`*$|(?P<tick>`+)[^`]+(?P=tick)"
LINK = r"(?P<mark>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<address>[^()\s]+)\)"
CODE_OR_LINK = re.compile(f"{CODE}|{LINK}", re.MULTILINE)
CHAPTER_LINK = re.compile(r'(href="\d\d_\w+)\.ipynb(?:#([^"]*))?')
IMAGE = re.compile(r'<img [^>]*src="([^":]+)"')


def lay_out(target):
    """Write all sources into the folder `target`, which is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    (target / DRAWINGS).mkdir(parents=True)
    pages, placed = {}, set()
    for part, patterns in PARTS.items():
        pages[part] = [
            page for pattern in patterns for page in found(pattern) if page not in placed
        ]
        placed.update(pages[part])
    book = Book(target, {page for part in pages.values() for page in part})
    for page in book.pages:
        book.write(page, book.chapter(page) if page.suffix == ".ipynb" else book.text(page))
    book.write(GAME, game())
    front = book.linked((ROOT / "README.md").read_text(encoding="utf-8"), FRONT)
    front = FILM_AND_LINE.sub(lambda film: explorable("race", film[0], race()), front, count=1)
    tables = (contents(part, names) for part, names in pages.items() if names)
    book.write(FRONT, front + "".join(tables))


def found(pattern):
    return sorted(PurePosixPath(path.relative_to(ROOT).as_posix()) for path in ROOT.glob(pattern))


class Book:
    def __init__(self, target, pages):
        self.target, self.pages = target, pages

    def write(self, page, text):
        path = self.target / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def bring(self, file):
        """Copy a picture, or a file that is offered to be kept."""
        (self.target / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, self.target / file)

    def text(self, page):
        return self.linked((ROOT / page).read_text(encoding="utf-8"), page)

    def chapter(self, page):
        notebook = chapter.read(ROOT / page)
        case = page.parent.name == "cases"  # which asks nothing that its reader should answer first
        drawn = drawings.kept(page.stem)
        for name, text in drawn.items():
            self.write(DRAWINGS / page.stem / "light" / name, text)
            self.write(DRAWINGS / page.stem / "dark" / name, drawings.in_the_dark(text))
        at = f"{relative(STATIC, page)}/{page.stem}"
        notebook = chapter.as_read(notebook, SOLUTIONS, relative(FRONT, page), not case, drawn, at)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = self.linked(chapter.source_of(cell), page)
            # Where it is folded, the chapter's own question is above.
            asks = "hide-output" not in cell["metadata"].get("tags", ())
            for output in cell.get("outputs", ()):
                if drag := chapter.drag_of(output):
                    told = dated(drag["constants"], notebook["metadata"]["measured"])
                    still = chapter.as_image(output)
                    output["data"] = {"text/html": explorable(drag["name"], still, told, asks)}
                elif "text/html" in output.get("data", {}):  # a table with links to chapters
                    html = "".join(output["data"]["text/html"])
                    output["data"]["text/html"] = CHAPTER_LINK.sub(chapter_link, html)
        return json.dumps(notebook)

    def linked(self, text, page):
        """Return a page's text, its links leading to pages of the book, not to the repository's."""
        for file in IMAGE.findall(text):
            self.bring(normal(page.parent / file))
        return CODE_OR_LINK.sub(lambda found: self.link(found, page), text)

    def link(self, match, page):
        mark, words, address = match["mark"], match["words"], match["address"]
        if address is None or re.match(r"\w+:", address):  # code, or outside of the lab
            return match[0]
        path, _, anchor = address.partition("#")
        file = normal(page.parent / path) if path else page
        if file.suffix == ".ipynb":
            anchor = slug(anchor)
        if (ROOT / file).is_dir():
            return words  # a folder is no page
        if solution := SOLUTION.match(str(file)):
            home = found(f"notebooks/{solution[2]}_*.ipynb")[0]
            file, anchor = home, chapter.solution_anchor(solution[1])
        elif file.parent == PurePosixPath("notebooks/game"):
            file, anchor = GAME, file.name.replace(".", "-")
        elif file == PurePosixPath("README.md"):
            file = FRONT
        elif file not in self.pages and (ROOT / file).is_file():
            self.bring(file)
        to = "" if file == page and anchor else relative(file, page)
        return f"{mark}[{words}]({to}{'#' + anchor if anchor else ''})"


def normal(path):
    return PurePosixPath(os.path.normpath(path))


def chapter_link(found):
    """Return the address of a chapter, or of a section of one, as the book has it."""
    return f"{found[1]}.html{'#' + slug(found[2]) if found[2] else ''}"


def slug(anchor):
    """Return a heading's anchor as on GitHub; JupyterLab's keep capitals and question marks."""
    return re.sub(r"[^\w-]", "", unquote(anchor).lower())


def relative(file, page):
    return PurePosixPath(os.path.relpath(file, page.parent)).as_posix()


def game():
    """Return the programs that chapter 12 is about, on one page."""
    parts = ["---\norphan: true\n---\n# The programs of chapter 12\n"]
    for path in sorted((ROOT / "notebooks" / "game").glob("*.py")):
        parts.append(f"## {path.name}\n\n```python\n{path.read_text(encoding='utf-8')}```\n")
    return "\n".join(parts)


def explorable(name, still, constants, asks=True):
    """Return a figure to drag, in place of a still one, which stays without scripts and on paper.

    All of it stands in the page: a browser takes no module from a file.
    """
    module, style = explorables.parts(name)
    module = module.replace("export default { render };", "")
    told = {"constants": constants, "figure": name, "asks": asks}
    return f"""<style>{style}</style>

<div id="{name}"></div>
<div class="still" data-for="{name}">

{still}

</div>

<script type="module">
{module}
const told = {json.dumps(told)};
render({{ model: {{ get: (name) => told[name] }}, el: document.getElementById("{name}") }});
document.querySelector('[data-for="{name}"]').classList.add("replaced");
</script>"""


def dated(constants, measured):
    """Return constants with when and on what they were measured for "on this machine"."""
    words = f"on {measured['date']} with {measured['on']}"
    return constants | {"from": constants["from"].replace("on this machine", words)}


def race():
    """Return what the race computes from."""
    return json.loads((explorables.FOLDER / "constants.json").read_text(encoding="utf-8"))


def shown_in_chapters():
    """Return {name: constants} of the figures to drag that the committed chapters show.

    Where a second chapter shows one of that name, it is "where 03", by the chapter's number.
    """
    shown = {}
    for page in found("notebooks/*.ipynb"):
        cells = chapter.read(ROOT / page)["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", ())]
        for drag in filter(None, map(chapter.drag_of, outputs)):
            name = drag["name"]
            shown[f"{name} {page.name[:2]}" if name in shown else name] = drag["constants"]
    return shown


def contents(part, pages):
    names = "\n".join(str(page.with_suffix("")) for page in pages)
    return f"\n```{{toctree}}\n:caption: {part}\n:hidden:\n\n{names}\n```\n"
