"""Look at the built pages: links inside lead somewhere, pictures have words, nothing is fetched."""

import os
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

FETCHED = {
    "img": "src",
    "script": "src",
    "link": "href",
    "source": "srcset",
    "iframe": "src",
    "video": "src",
}


class Page(HTMLParser):
    """What a page holds: its ids, where it leads, what it fetches, and pictures without words."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.fetched, self.wordless, self.pictures = set(), [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag in FETCHED and found.get("rel") != "canonical" and found.get(FETCHED[tag]):
            self.fetched.append(found[FETCHED[tag]])
        elif tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "meta" and found.get("http-equiv") == "refresh":
            self.links.append(found["content"].split("url=", 1)[-1])
        if tag == "img":
            self.pictures += 1
            if not (found.get("alt") or "").strip():
                self.wordless.append(found.get("src"))


def pages(folder):
    """{path from the folder: Page} of all HTML pages there."""
    found = sorted(folder.rglob("*.html"))
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in found
    }


def wrong(folder):
    """One sentence for each thing that is wrong with the pages in `folder`."""
    found = pages(folder)
    for name, page in found.items():
        for picture in page.wordless:
            yield f"{name}: the picture {picture} has no words (alt)"
        for address in page.fetched:
            if urlsplit(address).netloc:
                yield f"{name}: fetches {address} from the internet"
        for address in page.links + page.fetched:
            if problem := leads_nowhere(folder, found, name, address):
                yield f"{name}: {address} {problem}"


def leads_nowhere(folder, found, name, address):
    """Why a link on the page `name` leads nowhere, or ""; one out of the book is not tried."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return ""
    beside = os.path.join(os.path.dirname(name), unquote(parts.path))
    path = os.path.normpath(beside) if parts.path else name
    if not (folder / path).is_file():
        return "leads to no page"
    anchor = unquote(parts.fragment)
    if anchor and path in found and anchor not in found[path].ids:
        return f"leads to no place on {path}"
    return ""
