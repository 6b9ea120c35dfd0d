"""Check the built pages: links lead to a page, pictures have alt text, nothing is from the web."""

import os
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

ADDRESS = {
    "a": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "video": "src",
}


class Page(HTMLParser):
    """An HTML page: `elements` is [(tag, {attribute: value})], `ids` is the set of its anchors.

    `text` is the page's HTML.
    """

    def __init__(self, text: str):
        super().__init__()
        self.elements = []  # (tag, {attribute: value})
        self.ids = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        told = {name: value or "" for name, value in attributes}
        self.elements.append((tag, told))
        self.ids.update(told[name] for name in ("id", "name") if name in told)


def wrong(folder):
    """Yield a sentence for each problem in the HTML pages in the Path `folder`.

    Problems are links that lead nowhere, pictures without alt text, and files fetched from the
    internet.
    """
    pages = {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }
    for name, page in pages.items():
        for tag, told in page.elements:
            address = told.get(ADDRESS.get(tag), "")
            if tag == "img" and not told.get("alt", "").strip():
                yield f"{name}: the picture {address} has no words (alt)"
            if tag != "a" and urlsplit(address).netloc:
                yield f"{name}: fetches {address} from the internet"
            if problem := leads_nowhere(folder, pages, name, address):
                yield f"{name}: {address} {problem}"


def leads_nowhere(folder, pages, name: str, address: str) -> str:
    """Return in words what is wrong with a link on the page `name`, "" if nothing is.

    Links to the web are not checked. `folder` is the Path of the built pages, `address` the link's
    target, and `pages` is {name: Page}.
    """
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    beside = os.path.join(os.path.dirname(name), unquote(parts.path))
    path = os.path.normpath(beside) if parts.path else name
    if not (folder / path).is_file():
        return "leads to no page"
    anchor = unquote(parts.fragment)
    lost = anchor and path in pages and anchor not in pages[path].ids
    return f"leads to no place on {path}" if lost else ""
