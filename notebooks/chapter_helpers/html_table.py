"""Make HTML tables that can be read in Jupyter and in the book, on dark and light pages."""


class Unfixed(str):
    """A text for a table's cell that differs by machine or learner; nbval does not compare it."""


def table(heads, rows):
    """Return an HTML table as text, from texts that may hold HTML.

    `heads` are the headings of the columns, none if empty. `rows` is a list of lists of texts; a
    row with a single text spans three columns.
    """
    lines = [[cell("th", head) for head in heads]] if heads else []
    for row in rows:
        across = ' colspan="3"' if len(row) == 1 else ""
        lines.append([cell("td", text, across) for text in row])
    return f"<table>{''.join('<tr>' + ''.join(line) + '</tr>' for line in lines)}</table>"


def cell(tag, text, across=""):
    kind = ' class="verdict"' if isinstance(text, Unfixed) else ""
    # Jupyter sets cells to the right by itself.
    return f'<{tag}{kind}{across} style="text-align: left; vertical-align: top">{text}</{tag}>'
