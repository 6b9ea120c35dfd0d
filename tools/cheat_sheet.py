"""Prints docs/cheat_sheet.md onto one A4 page, docs/cheat_sheet.pdf, with chromium: make sheet

The title of the PDF ends with the first letters of the text's SHA-256, so that a test sees whether the two belong together.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import mistune

DOCS = Path(__file__).resolve().parent.parent / "docs"
TEXT, PRINTED = DOCS / "cheat_sheet.md", DOCS / "cheat_sheet.pdf"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
STYLE = """
@page { size: A4; margin: 10mm 11mm }
body { font: 8.7pt/1.28 "DejaVu Sans Condensed", "Helvetica Neue", Arial, sans-serif; margin: 0; color: #111 }
h1 { font-size: 14pt; margin: 0 }
h1 + p { margin: 1mm 0 2mm; color: #444 }
h2 { font-size: 10pt; margin: 2.1mm 0 .7mm; color: #0b5394 }
table { border-collapse: collapse; width: 100% }
thead { display: none }
td { padding: .45mm 1.5mm .45mm 0; vertical-align: top; border-top: .4pt solid #ddd }
td:first-child { width: 38% }
td:last-child { width: 4%; text-align: right; padding-right: 0 }
a { color: inherit }
code { font: .93em "DejaVu Sans Mono", Menlo, monospace }
"""


def main():
    if not CHROMIUM:
        sys.exit("Printing needs chromium, and none is on PATH. Install it (Debian: apt-get install chromium), or leave the PDF "
                 "to whoever has it.")
    PRINTED.write_bytes(printed(TEXT.read_text(encoding="utf-8")))


def title(text):
    return f"Redis round trips on one page {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def printed(text):
    """Return the PDF of the sheet. Links keep the number of their chapter and lose their address, which is of no use on paper."""
    body = mistune.create_markdown(plugins=["table"])(re.sub(r"\[(\d\d)\]\([^)]*\)", r"\1", text))
    page = f"<!doctype html><html lang=en><meta charset=utf-8><title>{title(text)}</title><style>{STYLE}</style>{body}"
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "sheet.html", Path(folder) / "sheet.pdf"
        source.write_text(page, encoding="utf-8")
        subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                        "--no-pdf-header-footer", f"--print-to-pdf={target}", source.as_uri()], check=True, capture_output=True,
                       timeout=60)
        return target.read_bytes()


if __name__ == "__main__":
    main()
