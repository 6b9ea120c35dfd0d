"""Installs what a file of requirements names into .venv, where that is not done already.

    python tools/install.py requirements.txt        what a learner needs
    python tools/install.py requirements/room.txt   what `make room` needs as well
    python tools/install.py requirements/dev.txt    what tests need as well
    python tools/install.py --into .venv/book requirements/book.txt    into a .venv of its own
    python tools/install.py --gather requirements.txt    into wheelhouse/, for a machine offline

.venv is made with the Python that runs this. Where there is a wheelhouse/, packages come from it,
offline. uv is used if it is on PATH, unless NO_UV is set or UV is empty; where it fails, pip takes
over. Needs nothing but Python itself.
"""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, of which `make doctor` says what to do
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent
VENV, WHEELHOUSE = ROOT / ".venv", ROOT / "wheelhouse"
PYTHON = VENV / "bin" / "python"
ABOUT = {
    "requirements.txt": "about half a minute, 500 MB on disk",
    "requirements/room.txt": "about a minute, 600 MB on disk",
    "requirements/dev.txt": "about a minute, 1.3 GB on disk",
    "requirements/book.txt": "about half a minute, 250 MB on disk",
}
# What installs lab_utils and roundtrips themselves; both pyproject.toml ask for it.
BUILD = "flit_core>=3.12"


def main(arguments):
    if arguments[0] == "--gather":
        gather(arguments[1])
        return
    if arguments[0] == "--into":
        global VENV, PYTHON
        VENV, PYTHON = ROOT / arguments[1], ROOT / arguments[1] / "bin" / "python"
        arguments = arguments[2:]
    for name in arguments:
        if not installed(name):
            with alone():
                if not installed(name):  # by whom this one waited for
                    install(name)


@contextlib.contextmanager
def alone():
    """Hold the lab's folder for the length of an installation; wait for another one that does."""
    if is_running():
        say("Another installation is running in this folder; waiting for it.")
    held = os.open(str(ROOT), os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def is_running():
    """Return True while an installation holds the lab's folder."""
    held = os.open(str(ROOT), os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(held)
    return False


def install(name):
    started = time.monotonic()
    source = "from wheelhouse/, offline" if WHEELHOUSE.is_dir() else "from the package index"
    say(f"Installing what {name} names, {source}: {ABOUT[name]}, once.")
    stamp_of(name).unlink(missing_ok=True)
    if not (with_uv(name) or with_pip(name)):
        sys.exit(advice())
    name_folders_from_there()
    for held in with_those_it_names(name):
        stamp_of(held).write_text(fingerprint(held), encoding="utf-8")
    say(f"Installed in {time.monotonic() - started:.0f} s.")


def name_folders_from_there():
    """Name the lab's own folders by their way from site-packages.

    site.py reads .pth files as the locale does, and C has no ü.
    """
    for listed in VENV.glob("lib/python*/site-packages/*.pth"):
        folder = listed.read_text(encoding="utf-8").strip()
        if folder.startswith(str(ROOT)):
            listed.write_text(f"{os.path.relpath(folder, listed.parent)}\n", encoding="utf-8")


def with_uv(name):
    uv = os.environ.get("UV", shutil.which("uv"))
    if os.environ.get("NO_UV") or not uv:
        return False
    say(f"1 of 2: .venv with Python {sys.version.split()[0]}, by uv")
    if run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, VENV]):
        say("2 of 2: the packages, by uv")
        if run([uv, "pip", "install", "--python", PYTHON, *offline(), "-r", name]):
            return True
    say("uv could not do it, so pip does.")
    return False


def with_pip(name):
    if not usable(PYTHON):
        say(f"1 of 2: .venv with Python {sys.version.split()[0]}")
        if not run([sys.executable, "-m", "venv", "--clear", VENV]):
            return False
    say("2 of 2: the packages, by pip")
    # Compiling takes 20 s of a CPU, and tests use few of these modules.
    options = ["--no-compile"] if name == "requirements/dev.txt" else []
    return run(
        [PYTHON, "-m", "pip", "install", "--progress-bar", "off", *options, *offline(), "-r", name],
        reasons(name),
    )


def usable(python):
    """Return True if .venv is of the Python that runs this, and has pip."""
    try:
        found = subprocess.run(
            [python, "-c", "import pip, sys; print(sys.version)"], capture_output=True, text=True
        )
    except OSError:
        return False
    return found.stdout.strip() == sys.version.strip()


def offline():
    return ["--no-index", "--find-links", str(WHEELHOUSE)] if WHEELHOUSE.is_dir() else []


def gather(name):
    """Gather what `pip install -r name` and lab_utils need, for this Python and machine."""
    say(
        f"Gathering what {name} names into wheelhouse/, for Python "
        f"{sys.version_info[0]}.{sys.version_info[1]}: about half a minute, 150 MB."
    )
    wanted = [
        line.split("#")[0].strip()
        for held in with_those_it_names(name)
        for line in (ROOT / held).read_text(encoding="utf-8").splitlines()
    ]
    wanted = [line for line in wanted if line and not line.startswith("-")]
    if not run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--progress-bar",
            "off",
            "--wheel-dir",
            WHEELHOUSE,
            BUILD,
            *wanted,
        ]
    ):
        sys.exit(
            "Not everything could be had: pip said why, above. Check the connection and run "
            "`make wheelhouse` again."
        )
    say(
        f"wheelhouse/ holds {len(list(WHEELHOUSE.glob('*.whl')))} wheels. Copy this folder with it "
        "to a machine without internet, with the same Python: `make lab` installs from it."
    )


def run(command, told=None):
    """Return True if the command succeeds; with `told`, {package: reason}, say how far it is."""
    if told is None:
        return subprocess.run(list(map(str, command)), cwd=ROOT).returncode == 0
    with subprocess.Popen(
        list(map(str, command)), cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        for line in process.stdout:
            package = package_of(line)
            if package in told:
                say(f"        {package:<17} {told.pop(package)}")
            elif line.startswith("Installing collected packages"):
                say(f"        all here; unpacking {line.count(',') + 1} packages")
    return process.returncode == 0


def package_of(line):
    """Return the package of pip's "Collecting redis==8.1.0", "Processing ./x-1.0….whl", or None."""
    found = re.match(r"Collecting ([\w-]+)==|Processing .*/(\w+)-\d[^/]*\.whl", line)
    return found and (found[1] or found[2]).replace("_", "-")


def reasons(name):
    """Return {package: why it is there}, from the comments of the requirements."""
    texts = [(ROOT / held).read_text(encoding="utf-8") for held in with_those_it_names(name)]
    return dict(re.findall(r"(?m)^([\w-]+)==.*?# (.*)", "\n".join(texts)))


def pins():
    """Return {package: version} of what a learner gets on every machine."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^([\w-]+)==([\w.]+) +#", text))


def installed(name):
    try:
        return PYTHON.exists() and stamp_of(name).read_text(encoding="utf-8") == fingerprint(name)
    except OSError:
        return False


def stamp_of(name):
    return VENV / f"installed-{name.replace('/', '-')}"


def fingerprint(name):
    """Return a digest of what decides what an installation holds: the Python, the files read."""
    files = [*with_those_it_names(name), "pyproject.toml", "roundtrips/pyproject.toml"]
    texts = [sys.version.encode(), *((ROOT / file).read_bytes() for file in files)]
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


def with_those_it_names(name):
    """Return the file, and those that its lines `-r …` name, by paths from its own folder."""
    named = re.findall(r"(?m)^-r (\S+)", (ROOT / name).read_text(encoding="utf-8"))
    paths = [os.path.normpath(os.path.join(os.path.dirname(name), path)) for path in named]
    return [name, *(held for path in paths for held in with_those_it_names(path))]


def advice():
    if WHEELHOUSE.is_dir():
        return (
            "Nothing is installed: wheelhouse/ does not hold what this Python needs; what is "
            "missing stands above. Run `make wheelhouse` on a machine with internet and the "
            "same Python, or remove the folder to use the internet."
        )
    return (
        "Nothing is installed: the reason stands above. Check the connection to the package "
        "index and run it again."
    )


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
