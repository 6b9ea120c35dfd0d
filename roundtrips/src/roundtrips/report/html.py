"""Write a trace as HTML, for notebooks and for the panel in Django."""

import html

from ..counts import Counts
from .text import head, sites


def fragment_of(trace: Counts) -> str:
    """Return a Trace's report as an HTML fragment, for notebooks and the Django panel."""
    numbers = [html.escape(line.replace("   ", " · ")) for line in head(trace)]
    findings = trace.findings
    change = f"<pre>{html.escape(repr(findings))}</pre>" if findings else ""
    left = " style='text-align:left'"
    cells = [[f"<td{left}>{html.escape(text)}</td>" for text in row] for row in sites(trace)]
    rows = [f"<tr>{''.join(row)}</tr>" for row in cells]
    return f"<p>{'<br>'.join(numbers)}</p><table>{''.join(rows)}</table>{change}"
