"""Check what can go wrong on a learner's machine, and say what to do: `make doctor`.

This script needs only Python 3.8, so it runs where nothing is installed. The lab's own Python then
runs it again, for checks that need the installed lab. It changes nothing. It stops at the first
problem that must be put right, a FIX, and exits with status 1: later checks would only confuse. The
output holds no user name and no password, so it can be mailed or put into an issue.
"""

import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap
import urllib.request
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAB_PYTHON = ROOT / ".venv" / "bin" / "python"
OLDEST, NEWEST = (3, 11), (3, 14)
OFF_MS = 0.1  # by which 1 ms of the link may be off, in the best of five tries
INSIDE, SAID = "--inside", 3  # the second run's argument, and its status when it said a FIX
ANOTHER_PYTHON = "make PYTHON=/path/to/python3.13 lab"
AGAIN = "Run make clean, then make lab: work/ stays as it is."
PLUG_IN = "Counts are exact, times are not: close what else computes, and plug the machine in."


class Fix(Exception):
    """An error by which a check says what must be put right, and how."""


class Note(str):
    """The result of a check that is worth knowing, but does not stop anybody."""


def have_a_fix(checks) -> bool:
    """Run the checks in order and print their results; return True if one of them raised a Fix.

    `checks` are functions that return a text or raise. The first that raises is the last to be run.
    """
    for check in checks:
        try:
            found = check()
        except Exception as error:  # a broken installation raises what it likes
            says_what_to_do = type(error).__name__ in ("Fix", "LabError")
            kind = f"{type(error).__name__}: {error}. {AGAIN}"
            show("FIX", check.__name__, str(error) if says_what_to_do else kind)
            print("Put this right, and run make doctor again: it stops at the first FIX.")
            return True
        show("note" if isinstance(found, Note) else "ok", check.__name__, found)
    return False


def show(mark: str, name: str, text: str) -> None:
    lines = textwrap.wrap(private(" ".join(text.split())), 100, break_long_words=False)
    print(f"{mark:<5}{name:<11}" + f"\n{'':16}".join(lines), flush=True)


def private(text: str) -> str:
    """Return `text` with "~" for the user's home folder and "***" for the password of REDIS_URL.

    The clone's folder becomes ".".
    """
    secret = os.environ.get("REDIS_URL", "").rpartition("@")[0].rpartition(":")[2].lstrip("/")
    for said, shown in ((str(ROOT), "."), (os.path.expanduser("~"), "~"), (secret, "***")):
        if len(said) > 2:  # one letter would be everywhere
            text = text.replace(said, shown)
    return text


def system() -> str:
    what = f"{platform.system()} {platform.release()} {platform.machine()}"
    if sys.platform == "win32":
        raise Fix(f"{what}: open this folder in WSL, and run the lab there.")
    if sys.platform.startswith("linux") and platform.libc_ver()[0] != "glibc":
        raise Fix(
            f"{what} without glibc: no Redis comes as a package for it. Use docker compose up, or "
            "a system such as Debian or Ubuntu."
        )
    return f"{what}, {os.cpu_count()} CPUs"


def python() -> str:
    version = platform.python_version()
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        raise Fix(
            f"{version} is not one that the lab runs on. Install Python 3.11 to 3.14 and name it: "
            f"{ANOTHER_PYTHON}."
        )
    if not find_spec("ensurepip"):
        raise Fix(
            f"{version} cannot make a .venv. On Debian and Ubuntu: apt install python3-venv; "
            f"elsewhere install a whole Python, and name it: {ANOTHER_PYTHON}."
        )
    return version


def folder() -> str:
    if not os.access(str(ROOT), os.W_OK):
        raise Fix(
            "this folder belongs to somebody else, and you cannot write in it. Clone the lab into "
            "a folder of your own."
        )
    for path in (ROOT / ".venv", ROOT / "work", ROOT / "work" / ".lab"):
        if path.exists() and not os.access(str(path), os.W_OK):
            raise Fix(
                f"{path} cannot be written by you, as after sudo make lab. Run sudo chown -R "
                '"$(id -un)" .venv work, in the folder of the lab.'
            )
    # By a shell, which has a word for it where there is no git.
    git = subprocess.run(
        "git rev-parse --short HEAD", shell=True, cwd=str(ROOT), capture_output=True
    )
    return f"can be written, commit {git.stdout.decode().strip() or 'unknown'}"


def proxy() -> str:
    named = ", ".join(sorted(set(urllib.request.getproxies_environment()) - {"no"}))
    if named and not all(map(urllib.request.proxy_bypass, ("127.0.0.1", "localhost"))):
        raise Fix(
            f"a proxy ({named}) would be asked for this machine's own pages too. Run export "
            "no_proxy=localhost,127.0.0.1, and except both in your browser's settings."
        )
    return named or "none"


def lab() -> str:
    """Run this script again by the lab's own Python, for the checks that need the installed lab.

    Returns "runs", or a Note, which is a text, if the lab is not installed yet. Exits with status 1
    if the second run printed a problem; raises Fix if it could not run.
    """
    if not LAB_PYTHON.exists():
        return Note(
            "not installed yet: make lab does that, from wheelhouse/ where there is one, and says "
            "what is in the way. Then run make doctor again"
        )
    command = [str(LAB_PYTHON), str(Path(__file__).resolve()), INSIDE]
    status = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=120).returncode
    if status == SAID:
        sys.exit(1)
    if status:
        raise Fix(f"what is installed does not run; the reason stands above. {AGAIN}")
    return "runs"


# Run by the lab's own Python


def versions() -> str:
    from importlib.metadata import distributions

    have = {each.metadata["Name"].lower(): each.version for each in distributions()}
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"(?m)^([\w-]+)==([\w.]+) +#", text)
    wrong = [
        f"{name} is {have.get(name.lower(), 'not there')}, not {wanted}"
        for name, wanted in pinned
        if have.get(name.lower()) != wanted
    ]
    if wrong:
        raise Fix(f"{', '.join(wrong)}: facts may differ. {AGAIN}")
    return f"all {len(pinned)} packages are those of requirements.txt"


def server() -> str:
    """Return a text with the version of the Redis server to which a chapter connects.

    That is the lab's own server, or the one that REDIS_URL names. Raises an error if it does not
    answer.
    """
    import lab_utils

    with lab_utils.connect() as client:
        return f"Redis {client.info('server')['redis_version']} answers"


def link() -> str:
    """Return a text with the measured distance to the server, where the lab sets 1 ms.

    The text is a Note if that is off by too much, or if the machine is too busy to tell.
    """
    import lab_utils
    from lab_utils import disturbance
    from lab_utils.testbed.fingerprints import distance_ms

    lab_utils.compare({"PING": lambda r: r.ping()}, rtt_ms=1, rounds=60)
    if disturbance.so_far().busy:
        return Note(f"not judged: {disturbance.so_far().sentence().replace('~', '')}. {PLUG_IN}")
    # What disturbs one of them makes it longer; the link is as good as the best.
    best = min((distance_ms() for _ in range(5)), key=lambda found: abs(found - 1))
    text = f"1 ms asked, {best:.3f} measured"
    return text if abs(best - 1) <= OFF_MS else Note(f"{text}. {PLUG_IN}")


def main(arguments):
    if arguments == [INSIDE]:
        with tempfile.TemporaryDirectory(prefix="lab-doctor-") as state:
            quiet = {"TQDM_DISABLE": "1", "MPLBACKEND": "agg"}
            os.environ.update(quiet, LAB_STATE=state, LAB_SCALE=os.environ.get("LAB_SCALE", "ci"))
            return SAID if have_a_fix((versions, server, link)) else 0
    print("Redis Round-Trip Lab: what could go wrong on this machine")
    if have_a_fix((system, python, folder, proxy, lab)):
        return 1
    print("Nothing to put right.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
