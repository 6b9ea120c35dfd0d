"""Opens the lab: your own copies of the chapters in work/, in JupyterLab, on chapter 00.

You work on copies, so a `git pull` never meets your edits. A chapter you have not edited is brought up to date; one you
have edited stays yours, and a newer version is laid beside it as NAME.new.ipynb.
"""

import hashlib
import itertools
import json
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS, WORK = ROOT / "notebooks", ROOT / "work"
RECORD = WORK / ".lab" / "copies.json"  # name -> digest of the version that was copied


def main(jupyter_options):
    for line in bring_up_to_date():
        print(line)
    own_path = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [str(ROOT / ".jupyter"), own_path]))
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={WORK}",
               "--LabApp.default_url=/lab/tree/00_start_here.ipynb"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container there is often nobody else
    print("If no browser opens, open the address with the token that JupyterLab prints below. Ctrl-C twice ends the lab.",
          flush=True)
    os.environ.setdefault("PYTHONUTF8", "1")  # so that a kernel reads and writes µ in any locale
    os.chdir(WORK)
    os.execv(sys.executable, [*command, *jupyter_options])


def bring_up_to_date():
    """Copies what is new from notebooks/ to work/; returns what is worth saying about it."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    copied = remembered()
    said = []
    for source in sorted(path for path in CHAPTERS.rglob("*") if path.suffix in (".ipynb", ".py")):
        if ".ipynb_checkpoints" in source.parts:
            continue
        name = source.relative_to(CHAPTERS).as_posix()
        target, now = WORK / name, digest(source)
        if copied.get(name) == now and target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if edited(target, name, now, copied):
            target = beside(target, now, copied)
            copied[target.relative_to(WORK).as_posix()] = now
            said.append(f"{name} has a newer version. Yours is kept as you edited it; the new one is beside it: {target.name}")
        shutil.copyfile(source, target)
        copied[name] = now
    RECORD.write_text(json.dumps(copied, indent=1), encoding="utf-8")
    return said


def remembered():
    """{name: digest of the version that was copied}; empty if that was never written down, or cannot be read."""
    try:
        return json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def edited(target, name, now, copied):
    """True if the copy is neither the version that was laid there nor the new one."""
    return target.exists() and digest(target) not in (copied.get(name), now)


def beside(target, now, copied):
    """NAME.new.ipynb, or NAME.new2.ipynb where that one has been edited too, and so on."""
    for number in itertools.count(1):
        place = target.with_suffix(f".new{number if number > 1 else ''}{target.suffix}")
        if not edited(place, place.relative_to(WORK).as_posix(), now, copied):
            return place


def digest(path):
    """Of a notebook, what its cells say; so that running it, which changes only outputs, is no edit."""
    text = path.read_bytes()
    if path.suffix == ".ipynb":
        try:
            cells = json.loads(text)["cells"]
        except (ValueError, KeyError):
            return "unreadable"
        text = json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]).encode()
    return hashlib.sha256(text).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1:])
