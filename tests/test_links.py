"""Every link inside the lab, in pages and notebooks, leads to a file, and a section, that is there.

Links to other sites are looked at once a week, by .github/workflows/links.yml: `make test` runs
without internet.
"""

import re
from urllib.parse import unquote

import mistune
import nbformat
import pytest
from helpers import ROOT

NOT_OURS = re.compile(r"[._]|work$|wheelhouse$|build$")  # what the lab writes, and hidden folders
FOLDERS = [path for path in ROOT.iterdir() if path.is_dir() and not NOT_OURS.match(path.name)]
PAGES = sorted(
    path
    for start in (ROOT / ".github", *FOLDERS)
    for path in start.rglob("*.*")
    if path.suffix in (".md", ".ipynb")
    and not any(part[0] in "._" for part in path.relative_to(start).parts)
)
PAGES += sorted(ROOT.glob("*.md"))
HTML_LINK = re.compile(r"(?:href|src)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z]+:|//")
parse = mistune.create_markdown(renderer="ast", plugins=["table"])


def markdown(path):
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(
        cell.source
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "markdown"
    )


def tokens(tree):
    for token in tree:
        yield token
        yield from tokens(token.get("children", []))


def plain(token):
    return token.get("raw", "") + "".join(map(plain, token.get("children", [])))


def links(text):
    for token in tokens(parse(text)):
        if token["type"] in ("link", "image"):
            yield unquote(token["attrs"]["url"])
        elif "html" in token["type"]:
            yield from map(unquote, HTML_LINK.findall(token["raw"]))


def anchors(path):
    """Return the anchors of a page or notebook: what may follow the # in a link to it.

    A page has GitHub's form of them, a notebook JupyterLab's.
    """
    headings = [
        plain(token) for token in tokens(parse(markdown(path))) if token["type"] == "heading"
    ]
    if path.suffix == ".ipynb":
        return {heading.replace(" ", "-") for heading in headings}
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(page, text):
    for link in links(text):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if ELSEWHERE.match(link):
            continue
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and target.suffix in (".md", ".ipynb") and anchor not in anchors(target):
            yield f"{link}: no such section. There are: {', '.join(sorted(anchors(target)))}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_its_links_lead_somewhere(page):
    assert list(broken(page, markdown(page))) == []
