"""Install the packages of a requirements file into .venv, unless they are installed already.

    python tools/install.py requirements.txt            what a learner needs
    python tools/install.py requirements/room.txt       what `make room` needs as well
    python tools/install.py requirements/dev.txt        what `make test` needs as well
    python tools/install.py --into .venv/book requirements/book.txt    into a .venv of its own
    python tools/install.py --gather requirements.txt   into wheelhouse/, for a machine offline

.venv is made with the Python that runs this script. If there is a folder wheelhouse/, packages come
from it, offline. uv installs them if it is on PATH and NO_UV is not set; else pip does. The script
needs only Python itself.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHEELHOUSE = ROOT / "wheelhouse"
ABOUT = {
    "requirements.txt": "one to two minutes with pip, seconds with uv; 500 MB on disk",
    "requirements/room.txt": "one to two minutes with pip, seconds with uv; 650 MB on disk",
    "requirements/dev.txt": "one to two minutes with pip, seconds with uv; 850 MB on disk",
    "requirements/drills.txt": "two to three minutes with pip, seconds with uv; 1 GB on disk",
    "requirements/book.txt": "a minute with pip, seconds with uv; 250 MB on disk",
}
# What installs lab_utils and roundtrips themselves; both pyproject.toml ask for it.
BUILD = "flit_core>=3.12"
FROM_WHEELHOUSE = (
    "Nothing is installed: wheelhouse/ does not hold what this Python needs; what is missing is "
    "said above. Run `make wheelhouse` on a machine with internet and the same Python, or remove "
    "the folder to use the internet."
)
FROM_INDEX = (
    "Nothing is installed: the reason stands above. If no package index was reached, check the "
    "connection, or run `make wheelhouse` on a machine that has one; then run it again."
)


def main(arguments: list):
    if arguments[0] == "--gather":
        gather(arguments[1])
        return
    venv = ROOT / (arguments[1] if arguments[0] == "--into" else ".venv")
    name = arguments[-1]
    try:
        if not is_installed(name, venv):
            install(name, venv)
    except PermissionError as refused:
        sys.exit(
            f"Nothing is installed: you may not write to {refused.filename}, which belongs "
            "to another user. Clone the lab into a folder of your own and run it there."
        )


def is_installed(name: str, venv: Path) -> bool:
    """Return whether the folder `venv` has the packages that the requirements file `name` lists.

    Returns False if they were installed for another version of Python. `name` is a path in the
    clone, such as "requirements/dev.txt".
    """
    installed = stamp(name, venv)
    starts = (venv / "bin" / "python").exists()
    return starts and installed.exists() and installed.read_text() == fingerprint(name)


def install(name: str, venv: Path) -> None:
    started = time.monotonic()
    source = "from wheelhouse/, offline" if WHEELHOUSE.is_dir() else "from the package index"
    print(f"Installing what {name} names, {source}: {ABOUT[name]}, once.", flush=True)
    venv.mkdir(parents=True, exist_ok=True)
    stamp(name, venv).unlink(missing_ok=True)
    print(f"1 of 2: {venv.relative_to(ROOT)} with Python {sys.version.split()[0]}", flush=True)
    if not is_of_this_python(venv):
        run_or_exit([sys.executable, "-m", "venv", "--clear", venv])
    python = venv / "bin" / "python"
    uv = shutil.which("uv") if not os.environ.get("NO_UV") else None
    offline = ["--no-index", "--find-links", WHEELHOUSE] if WHEELHOUSE.is_dir() else []
    print(
        f"2 of 2: the packages, by {'uv' if uv else 'pip'}, which prints what goes wrong",
        flush=True,
    )
    pip = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    run_or_exit([*pip, "--quiet", *offline, "-r", name])
    name_folders_from_here(venv)
    for file in with_included(name):
        stamp(file, venv).write_text(fingerprint(file))
    print(f"Installed in {time.monotonic() - started:.0f} s.")


def name_folders_from_here(venv: Path) -> None:
    """Make the paths in the .pth files of the folder `venv` relative, if they are of this clone.

    Python's site.py reads .pth files in the locale's encoding. With the locale C it would fail at a
    clone's path that has a letter such as ü.
    """
    for file in venv.glob("lib/python*/site-packages/*.pth"):
        folder = file.read_text(encoding="utf-8").strip()
        if folder.startswith(str(ROOT)):
            file.unlink()  # it may be a hard link into uv's cache, for other installations
            file.write_text(f"{os.path.relpath(folder, file.parent)}\n", encoding="utf-8")


def is_of_this_python(venv: Path) -> bool:
    """Return whether the virtual environment `venv` was made with this Python, and still starts."""
    asked = [venv / "bin" / "python", "-c", "import pip, sys; print(sys.version)"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True)
    except OSError:
        return False
    return answer.stdout.strip() == sys.version.strip()


def run_or_exit(command: list):
    """Run `command`, a list of texts, in the clone's folder; if it fails, exit with advice."""
    if subprocess.run([str(part) for part in command], cwd=ROOT).returncode:
        sys.exit(FROM_WHEELHOUSE if WHEELHOUSE.is_dir() else FROM_INDEX)


def gather(name: str) -> None:
    """Download the packages of the requirements file `name`, as wheels, into wheelhouse/.

    Also download the package that builds lab_utils and roundtrips. `name` is a path in the clone.
    """
    print(
        f"Gathering what {name} names in wheelhouse/, for this Python: a minute, 120 MB.",
        flush=True,
    )
    lines = "\n".join(map(text, with_included(name)))
    wanted = re.findall(r"(?m)^([\w.-]+==[^#\n]+?) *(?:#|$)", lines)
    pip = [sys.executable, "-m", "pip", "wheel", "--progress-bar", "off"]
    run_or_exit([*pip, "--wheel-dir", WHEELHOUSE, BUILD, *wanted])
    print(
        f"wheelhouse/ holds {len(list(WHEELHOUSE.glob('*.whl')))} wheels. Copy this folder with it "
        "to a machine without internet, with the same Python: `make lab` installs from it."
    )


def fingerprint(name: str) -> str:
    """Return a SHA-256, as hex digits, of all that decides what is installed.

    That is this Python's version, the requirements file `name` with those that it includes, and
    both pyproject.toml.
    """
    files = *with_included(name), "pyproject.toml", "roundtrips/pyproject.toml"
    return hashlib.sha256("\0".join([sys.version, *map(text, files)]).encode()).hexdigest()


def text(file) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def with_included(name: str) -> list:
    """Return the requirements file `name`, and those that its lines `-r …` include, as a list.

    All are paths relative to the clone, as texts.
    """
    included = re.findall(r"(?m)^-r (\S+)", text(name))
    paths = [os.path.normpath(os.path.join(os.path.dirname(name), path)) for path in included]
    return [name, *(file for path in paths for file in with_included(path))]


def stamp(name: str, venv: Path):
    return venv / f"installed-{name.replace('/', '-')}"


if __name__ == "__main__":
    main(sys.argv[1:])
