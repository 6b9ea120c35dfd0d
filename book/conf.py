"""Configure Sphinx for the reading edition; sources.py writes the files that Sphinx reads."""

import os
import re
import textwrap
from pathlib import Path
from urllib.parse import urljoin

import search_index

project = html_title = "Redis Round-Trip Lab"
extensions = ["myst_nb", "sphinx_reredirects"]

nb_execution_mode = "off"  # the outputs are the committed ones
nb_ipywidgets_js = {}  # no widget's state is committed; a player would come from the internet
myst_enable_extensions = ["attrs_block", "html_image", "tasklist"]
myst_heading_anchors = 4  # links to headings, as GitHub and JupyterLab name them

html_theme = "furo"
html_baseurl = os.environ.get("BOOK_URL", "")  # where it will stand: a link's picture needs that
templates_path = [str(Path(__file__).parent / "templates")]
html_static_path = [str(Path(__file__).parent / "static")]
html_extra_path = [str(Path(__file__).parent / "monitor")]  # a page that is no page of Sphinx's
html_css_files = ["book.css"]
html_js_files = ["print.js", "search.js", "keys.js", "sidebar.js"]
html_show_copyright = html_show_sphinx = html_copy_source = html_use_index = False
# Of both, each word of code has 4.5:1 at least.
pygments_style = "xcode"
pygments_dark_style = "monokai"

# Chapters got other names once. An address that was given away goes on working.
redirects = {
    "notebooks/12_scoreboard": "14_scoreboard.html",
    "notebooks/cases/django_cache_and_celery": "what_django_cache_sends.html",
}

PART = re.compile(
    r'<p class="caption".*?<span class="caption-text">(.*?)</span></p>\s*(<ul.*?</ul>)', re.DOTALL
)


def setup(app):
    app.connect("builder-inited", search_index.of_sections)
    app.config.html_static_path.append(str(Path(app.srcdir) / "drawings"))
    # After furo, which makes the navigation.
    app.connect("html-page-context", complete, priority=900)


def complete(app, page: str, template, context: dict, doctree):
    """Change a page's HTML, its navigation and its preview before Sphinx writes the page.

    Sphinx calls this for its event html-page-context, with its application `app`, the name of the
    `page`, and the template's variables `context`, which are changed. Folds lose the label that
    myst-nb gives to all of them, so that programs that read aloud say the words of each. The film
    on the front page is loaded late. Parts of the navigation can be closed. A description and a
    picture are set for programs that show a preview of a link.
    """
    # myst-nb gives all folds one name. The film is fetched where no script runs.
    context["body"] = re.sub(
        r'<div class="film">\s*(<p>)?<img',
        r'\g<0> loading="lazy"',
        context.get("body", "").replace(' aria-label="Toggle hidden content"', ""),
    )
    context["furo_navigation_tree"] = PART.sub(folded, context["furo_navigation_tree"])
    context["description"] = described(doctree) if doctree else "Search the pages of the lab."
    card = f"_static/{Path(page).name}.png"
    if not (Path(app.srcdir) / "drawings" / Path(card).name).exists():
        card = "_images/budget.png"  # of the front page
    context["card"] = urljoin(context["pageurl"] or "", context["pathto"](card, 1))


def folded(part: re.Match) -> str:
    """Return a part of the navigation as HTML that opens and closes on a click.

    `part` is a match of PART. At first two kinds of parts are open: those with chapters, and the
    one with the current page.
    """
    name, pages = part.groups()
    is_open = 'class="current"' in pages or name in ("Chapters", "How to read a benchmark")
    return f'<details{" open" * is_open}><summary class="caption">{name}</summary>{pages}</details>'


def described(doctree) -> str:
    """Return a page's first words below its title, at most 200 characters, for link previews.

    `doctree` is the page's, of docutils.
    """
    words = [
        node.astext()
        for node in doctree.findall(lambda node: node.tagname == "paragraph")
        if node.children
        and node[0].tagname in ("#text", "strong")
        and "measured" not in node["classes"]
    ]
    return textwrap.shorten(" ".join(words), 200, placeholder=" …")
