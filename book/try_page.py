"""Build the page `try/`: redis-py and the lab's checks in the page itself, without a server.

    python book/try_page.py FOLDER     builds it alone, into FOLDER/try

    try/index.html          the page, with its script, style and exercises in it
    try/python/NAME.js      what it fetches at the first Run: base64 of gzip, by a script tag, which
                            works from a file too

Python for browsers is an npm package, pinned by try/package-lock.json. Where npm or the network is
missing the book is built without this page.
"""

import base64
import gzip
import hashlib
import html
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import exercises_to_try

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "book" / "try"
NPM = ROOT / ".venv" / "npm"  # beside the book's Python
RUNTIME = NPM / "node_modules" / "pyodide"
OLDEST_NODE = 18  # as its package.json says
# Packages of the book's environment whose sources go into the page.
PACKED = "redis", "fakeredis", "sortedcontainers", "abstra_lua"
OWN = {
    "in_page": SOURCE / "in_page",
    "lab_utils": ROOT / "lab_utils",
    "roundtrips": ROOT / "roundtrips" / "src" / "roundtrips",
    "exercises": ROOT / "exercises",
}


def missing():
    """Return in words why the page can't be built, or "" if it can.

    Installs Python for browsers, the npm package pyodide, if it is not installed yet.
    """
    for program in ("node", "npm"):
        if not shutil.which(program):
            return f"{program} is not installed"
    asked = ["node", "-p", "process.versions.node"]
    version = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    if int(version.partition(".")[0] or 0) < OLDEST_NODE:
        return f"node {version} is too old, and {OLDEST_NODE} the oldest that does"
    if is_installed():
        return ""
    NPM.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SOURCE / name, NPM)
    command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    said = subprocess.run(command, cwd=NPM, capture_output=True, text=True)
    if said.returncode or not is_installed():
        errors = [line for line in said.stderr.splitlines() if line.startswith("npm error")]
        return f"npm did not get it ({'; '.join(errors[:2]) or 'no error said'})"
    return ""


def is_installed():
    """Return whether pyodide is installed in the version that package-lock.json names."""
    described = RUNTIME / "package.json"
    lock = json.loads((SOURCE / "package-lock.json").read_text("utf-8"))
    pinned = lock["packages"]["node_modules/pyodide"]["version"]
    return described.exists() and json.loads(described.read_text("utf-8"))["version"] == pinned


def build(scratch, target):
    """Build the page into the folder `target`; both arguments are Paths.

    `scratch` is a folder for files needed meanwhile, which is emptied first. Raises
    subprocess.CalledProcessError if Python for browsers can't compile what is packed.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    (target / "python").mkdir(parents=True, exist_ok=True)
    offered = exercises_to_try.offered()
    lay_out(scratch / "lab")
    (scratch / "offered.json").write_text(json.dumps(list(offered)), encoding="utf-8")
    run(SOURCE / "pack.py", scratch)
    sizes = {
        name: write_part(target / "python" / f"{name}.js", name, content)
        for name, content in parts(scratch / "lab.zip").items()
    }
    (target / "index.html").write_text(page(offered, sizes), encoding="utf-8")


def run(program, folder):
    """Run the file `program` by Python for browsers, in Node.js; it sees `folder` as /host.

    Raises subprocess.CalledProcessError if it fails.
    """
    subprocess.run(["node", SOURCE / "run.mjs", RUNTIME, folder, program], check=True)


def lay_out(folder):
    """Copy into the Path `folder` the Python packages of which the page may need modules.

    These are the packages PACKED, with their metadata, and the lab's own folders OWN.
    """
    for name in PACKED:
        [place] = importlib.util.find_spec(name).submodule_search_locations
        copy(Path(place), folder / name)
        for described in Path(place).parent.glob(f"{name}-*.dist-info"):
            copy(described, folder / described.name)
    for name, place in OWN.items():
        copy(place, folder / name)


def copy(place, target):
    shutil.copytree(place, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))


def parts(packed):
    """Return {part: its bytes, not yet compressed} of all that the page loads at the first Run.

    `packed` is the path of the zip with the lab's Python files, which is the part "lab".
    """
    lock = json.loads((RUNTIME / "pyodide-lock.json").read_text("utf-8"))
    return {
        "pyodide": (RUNTIME / "pyodide.mjs").read_bytes(),
        "engine": (RUNTIME / "pyodide.asm.mjs").read_bytes(),
        "wasm": (RUNTIME / "pyodide.asm.wasm").read_bytes(),
        "stdlib": (RUNTIME / "python_stdlib.zip").read_bytes(),
        # It lists hundreds of packages, of which none is loaded.
        "lock": json.dumps(lock | {"packages": {}}).encode(),
        "lab": packed.read_bytes(),
    }


def write_part(path, name, content):
    """Write a part as a script file, and return how many bytes it has when compressed.

    `path` is the file's Path, `name` the part's, `content` its bytes. The script passes them on
    compressed by gzip, as base64.
    """
    packed = gzip.compress(content, 9, mtime=0)
    path.write_text(f'part("{name}","{base64.b64encode(packed).decode()}");\n', encoding="ascii")
    return len(packed)


def page(offered, sizes):
    """Return the page's HTML.

    `offered` is what exercises_to_try.offered returned, {exercise: {"imports", "cell", "chapter"}}.
    `sizes` is {part: the bytes that `write_part` returned for it}, from which the page computes its
    progress.
    """
    measured = json.loads((ROOT / "lab_utils/explorables/constants.json").read_text("utf-8"))
    ways = measured["ways"]
    turn, command = ways["one by one"]["turn_us"] / 1000, ways["pipeline"]["command_us"] / 1000
    needs = exercises_to_try.NEEDS
    data = {
        "exercises": {name: exercise(name, **told) for name, told in offered.items()},
        "needs": needs,
        "turn": turn,
        "command": command,
        "bytes": sizes,
    }
    style = (SOURCE / "try.css").read_text("utf-8")
    script = (SOURCE / "try.js").read_text("utf-8")
    address = os.environ.get("BOOK_URL", "")
    places = {
        "policy": policy(script, style),
        "style": style,
        "script": script,
        "worker": (SOURCE / "worker.js").read_text("utf-8"),
        "data": json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
        "links": " ".join(f'<a id="{name}" href="#{name}">{name}</a>' for name in offered),
        "needs": "".join(
            f'<li id="{name}">{name}: {html.escape(why)}</li>' for name, why in needs.items()
        ),
        "megabytes": f"{sum(sizes.values()) / 1e6:.1f}",
        "turn": f"{turn:.2f}",
        "command": f"{command:.3f}",
        "measured": "{date} with {on}".format(**measured["measured"]),
        "base": f"{address.rstrip('/')}/" if address else "../",
    }
    text = (SOURCE / "index.html").read_text("utf-8")
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", value, 1 if name != "base" else -1)
    return text


def exercise(name, imports, cell, chapter):
    task = (ROOT / "exercises" / name / "task.md").read_text("utf-8").splitlines()[0]
    place = f"../notebooks/{chapter}.html#exercise-{name.replace('.', '-')}"
    return {"task": task[0].upper() + task[1:].rstrip("."), "box": imports + cell, "chapter": place}


def policy(script, style):
    """Return the page's Content-Security-Policy, which lets it load nothing but its own scripts.

    `script` and `style` are the texts of the script and the style inside the page.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self' {digest(script)} blob: 'wasm-unsafe-eval'",
            f"style-src {digest(style)}",
            "worker-src blob:",
            "connect-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


if __name__ == "__main__":
    if without := missing():
        sys.exit(f"The page to try is not built: {without}.")
    folder = Path(sys.argv[1]).resolve()
    build(folder / "scratch", folder / "try")
