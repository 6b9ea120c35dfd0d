"""Prints docs/cheat_sheet.md onto one A4 page, docs/cheat_sheet.pdf, with chromium: `make sheet`.

The title of the PDF ends with the first letters of the text's SHA-256, so that a test sees whether
the two belong together.
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
BROWSERS = "chromium", "chromium-browser", "google-chrome"
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def main():
    if not CHROMIUM:
        sys.exit(
            "Printing needs chromium, and none is on PATH. Install it (Debian: apt-get "
            "install chromium), or leave the PDF to whoever has it."
        )
    PRINTED.write_bytes(printed(TEXT.read_text(encoding="utf-8")))


def title(text):
    return f"Redis round trips on one page {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def printed(text):
    """Return the PDF of the sheet. Links keep their number and lose an address, useless there."""
    body = mistune.create_markdown(plugins=["table"])(re.sub(r"\[(\d\d)\]\([^)]*\)", r"\1", text))
    page = (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title(text)}</title>"
        f"<style>{STYLE}</style>{body}"
    )
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "sheet.html", Path(folder) / "sheet.pdf"
        source.write_text(page, encoding="utf-8")
        subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={folder}/profile",
                "--no-pdf-header-footer",
                f"--print-to-pdf={target}",
                source.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=60,
        )
        return target.read_bytes()


if __name__ == "__main__":
    main()
