"""Make a figure of chapter 12 into one that readers can drag: round trips before and after.

Nothing is counted here: all of it stands in what the chapter printed and drew, and in its code.
"""

import re

SITE = re.compile(r"^ *(\d+)  (\S.*?) +game/page\.py:(\d+) in (\w+)$", re.MULTILINE)
WAY = re.compile(r"([\w ,]+): ([\d,]+) round trips? on \d+ connections?, (\S+ \S+), ")
COLUMN = re.compile(r"round trip \d+: ([^;]+)")


def mark(cells: list[dict], folder) -> None:
    """Add data to the figure of the chain of questions, so that readers can drag it.

    `cells` are a chapter's cells, and are changed: the figure's metadata get "drag", a dict with
    calls, round trips and times that the chapter printed, and with the code of the functions before
    and after. Nothing is changed if the chapter has no such figure. `folder` is the Path of
    notebooks/game, with page.py and mended.py.
    """
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    figures = [
        each["metadata"]["image/png"] for each in outputs if "image/png" in each.get("data", ())
    ]
    ways = max((WAY.findall(figure["alt"]) for figure in figures), key=len, default=())
    sites = SITE.findall("\n".join("".join(output.get("text", ())) for output in outputs))
    code = "\n\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for figure in figures:
        if sites and len(ways) > 1 and (columns := COLUMN.findall(figure["alt"])):
            page, mended = ((folder / name).read_text("utf-8") for name in ("page.py", "mended.py"))
            figure["drag"] = {
                "name": "mends",
                "constants": {
                    "sites": [(int(count), what, int(line), by) for count, what, line, by in sites],
                    "columns": columns,
                    "ways": [
                        {"name": name.strip(), "trips": int(trips.replace(",", "")), "took": took}
                        for name, trips, took in ways
                    ],
                    "before": {name: function(page, name) for *_, name in sites},
                    "after": {name: function(code, name)[1:] for *_, name in sites},
                    "last": function(mended, "page")[1:],
                    "from": "Orange: a command each. Blue: what is asked together. Round trips and "
                    "times as in this chapter's last figure of them, measured on this machine.",
                },
            }


def function(text: str, name: str) -> list:
    """Return [the line number of the function `name`, its lines as texts …], from the code `text`.

    Line numbers begin with 1. Returns [0] if there is no such function.
    """
    found = re.search(rf"^def {name}\(.*?(?=\s*\n\n(?=\S)|\s*\Z)", text, re.MULTILINE | re.DOTALL)
    return [text[: found.start()].count("\n") + 1, *found[0].splitlines()] if found else [0]
