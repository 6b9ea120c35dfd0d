"""Sphinx's settings for the reading edition; its sources are laid out by sources.py."""

from pathlib import Path

from docutils import nodes
from latex2mathml import converter

project = "Redis Round-Trip Lab"
html_title = project
extensions = ["myst_nb", "sphinx_reredirects"]
root_doc = "index"

nb_execution_mode = "off"  # the outputs are the committed ones
nb_ipywidgets_js = {}  # no widget's state is committed; a player would come from the internet
myst_enable_extensions = ["attrs_block", "dollarmath", "html_image", "tasklist"]
myst_heading_anchors = 4  # links to headings, as GitHub and JupyterLab name them

html_math_renderer = "mathml"

html_theme = "furo"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["book.css"]
html_js_files = ["print.js", "search.js"]
html_show_copyright = html_show_sphinx = html_show_sourcelink = False
html_copy_source = html_use_index = False
pygments_style, pygments_dark_style = "friendly", "monokai"

# Chapters got other names once. An address that was given away goes on working.
redirects = {"notebooks/12_scoreboard": "14_scoreboard.html"}


def setup(app):
    app.config.html_static_path.append(str(Path(app.srcdir) / "drawings"))
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))


def formula(writer, node):
    """As MathML, which browsers draw without a program from the internet."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    writer.body.append(converter.convert(node.astext(), display=display))
    raise nodes.SkipNode
