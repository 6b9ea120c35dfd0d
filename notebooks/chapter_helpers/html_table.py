"""Make HTML tables that can be read in Jupyter and in the book, on dark and light pages."""


class Unfixed(str):
    """A text for a table's cell that differs by machine or learner; nbval does not compare it."""


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Return an HTML table, as text; the texts in its cells may hold HTML.

    `heads` are the headings of the columns; there is no line of headings if it is empty. Each of
    `rows` is a list of cells; a single cell in a row is a line across the first three columns.
    """
    lines = [[cell("th", head) for head in heads]] if heads else []
    for row in rows:
        across = ' colspan="3"' if len(row) == 1 else ""
        lines.append([cell("td", text, across) for text in row])
    return f"<table>{''.join('<tr>' + ''.join(line) + '</tr>' for line in lines)}</table>"


def cell(tag: str, text: str, across: str = "") -> str:
    kind = ' class="verdict"' if isinstance(text, Unfixed) else ""
    # Jupyter sets cells to the right by itself.
    return f'<{tag}{kind}{across} style="text-align: left; vertical-align: top">{text}</{tag}>'
