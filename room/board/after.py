"""The leader's HTML file of what a room guessed and where it got stuck: no names, no loading."""

import json
import time
from pathlib import Path

PAGE = Path(__file__).parent / "page"


def keep(book, folder):
    """Write room-DATE.html into `folder` and return its path; None where nobody guessed anything.

    Raises OSError where it cannot be written.
    """
    told = book.after()
    if not told["questions"]:
        return None
    told["day"] = time.strftime("%Y-%m-%d")
    parts = {
        "STYLE": (PAGE / "board.css").read_text(encoding="utf-8"),
        "CHART": (PAGE / "chart.js").read_text(encoding="utf-8"),
        "TOLD": json.dumps(told).replace("<", "\\u003c"),
    }
    text = (PAGE / "after.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"/* {name} */", part)
    path = folder / f"room-{told['day']}.html"
    path.write_text(text, encoding="utf-8")
    return path
