"""Looks at what can go wrong on a learner's machine, and says what to do: `make doctor`.

Needs nothing but Python 3.8, so that it runs where nothing is installed; what only the installed
lab can tell comes from `doctor_installed.py`. It changes nothing. What it prints goes into an issue
as it is: no user's name, no password. Exits with 1 if something must be put right (FIX), else with
0; a note is worth knowing and stops nobody.
"""

import getpass
import json
import os
import platform
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import urllib.request
import webbrowser
from pathlib import Path

import install

ROOT = Path(__file__).resolve().parent.parent
WORK = Path(os.environ.get("LAB_WORK") or ROOT / "work")
OK, NOTE, FIX = "ok", "note", "FIX"
OLDEST, NEWEST = (3, 11), (3, 14)
# On disk before and after the installation; of memory for one chapter.
INSTALL_MB, RUN_MB, MEMORY_MB = 700, 100, 300
PORT = 8888
PATIENCE_S, INSTALLED_S = 15, 120
SERVERS_FOLDERS = "redis-round-trip-lab-"  # as in lab_utils/testbed/keeper.py
PROCESSES = ("_link_process.py", "_reservation_process.py", "_bystander_process.py")
CHOOSE_PYTHON = "Install Python 3.11 to 3.14 and name it: make PYTHON=/path/to/python3.13 lab."


def main():
    print(f"Redis Round-Trip Lab{commit()}: what could go wrong on this machine")
    marks = []
    for check in CHECKS:
        for mark, name, text in safely(check):
            marks.append(mark)
            show(mark, name, text)
    wrong = marks.count(FIX)
    print(f"{wrong} to put right: see FIX above." if wrong else "Nothing to put right.")
    return 1 if wrong else 0


def safely(check):
    """Return a check's findings; a check that fails itself is a finding too."""
    try:
        return list(check())
    except Exception as error:  # whatever is broken here, the other checks go on
        return [(NOTE, check.__name__, f"could not be looked at: {type(error).__name__}: {error}")]


def show(mark, name, text):
    lines = textwrap.wrap(
        private(" ".join(text.split())), 100, break_long_words=False, break_on_hyphens=False
    )
    print(f"{mark:<5}{name:<12}" + f"\n{'':17}".join(lines), flush=True)


def private(text):
    """Return a text without the user's name in a path, and without the password of REDIS_URL."""
    for path, shown in ((str(ROOT), "."), (os.path.expanduser("~"), "~")):
        if len(path) > 1:
            text = text.replace(path, shown)
    secret = os.environ.get("REDIS_URL", "").rpartition("@")[0].rpartition(":")[2].lstrip("/")
    if len(secret) > 2:  # one letter would be everywhere
        text = text.replace(secret, "***")
    return re.sub(rf"(?<=[/\\]){re.escape(user())}(?![\w.-])", "<user>", text)


def user():
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have a number alone
        return "\0"


def said(*command):
    """Return what a command prints, both streams; None where it cannot be run, fails or hangs."""
    try:
        ran = subprocess.run(
            [str(part) for part in command],
            cwd=str(ROOT),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.decode(errors="replace").strip() if ran.returncode == 0 else None


def commit():
    head = said("git", "rev-parse", "--short", "HEAD") if (ROOT / ".git").exists() else None
    if not head:
        return ""
    changed = said("git", "status", "--porcelain", "-uno")
    return f", commit {head}" + (", with changes" if changed else "")


# The machine


def system():
    what = f"{platform.system()} {platform.release()} {platform.machine()}"
    if sys.platform == "win32":
        yield (
            FIX,
            "system",
            (
                f"{what}: the lab does not run on Windows itself. Open this folder "
                "in WSL, and run it there."
            ),
        )
    elif sys.platform.startswith("linux") and platform.libc_ver()[0] != "glibc":
        yield (
            FIX,
            "system",
            (
                f"{what} without glibc: no Redis comes as a package for it. Use the "
                "container: docker compose up; or a system such as Debian or Ubuntu."
            ),
        )
    elif "microsoft" in platform.release().lower() and str(ROOT).startswith("/mnt/"):
        yield (
            NOTE,
            "system",
            (
                f"{what}: this folder is on a Windows drive, which is slow. Clone "
                "the lab into your home in WSL."
            ),
        )
    else:
        limited = hasattr(os, "sched_getaffinity")
        usable = len(os.sched_getaffinity(0)) if limited else os.cpu_count()
        inside = os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv")
        yield (
            OK,
            "system",
            (
                f"{what}, {os.cpu_count()} CPUs, {usable} for this process"
                + ", in a container" * inside
            ),
        )


def python():
    version, now = platform.python_version(), sys.version_info[:2]
    if not OLDEST <= now <= NEWEST:
        yield FIX, "Python", f"{version} is not one that the lab runs on. {CHOOSE_PYTHON}"
    elif missing := [
        name for name in ("venv", "ensurepip", "ssl", "sqlite3") if not importable(name)
    ]:
        yield (
            FIX,
            "Python",
            (
                f"{version} lacks {' and '.join(missing)}. On Debian and Ubuntu: apt "
                f"install python{now[0]}.{now[1]}-venv; elsewhere install a whole "
                "Python, and name it: make PYTHON=/path/to/python3.13 lab."
            ),
        )
    else:
        yield OK, "Python", version


def importable(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def tools():
    if not shutil.which("sh") or not shutil.which("ps"):
        yield FIX, "tools", "sh or ps is not on PATH. On Debian and Ubuntu: apt install procps."
    make, uv = said("make", "--version"), os.environ.get("UV", shutil.which("uv"))
    if not make:
        yield (
            NOTE,
            "make",
            (
                "not found. docs/other_ways.md says how to go without it; on Debian "
                "and Ubuntu: apt install make."
            ),
        )
    else:
        yield OK, "make", make.splitlines()[0]
    pip = said(sys.executable, "-m", "pip", "--version")
    if uv and not os.environ.get("NO_UV"):
        version = said(uv, "--version")
        yield (
            (OK, "uv", version)
            if version
            else (NOTE, "uv", "cannot be run, so pip installs. make UV= lab leaves it aside.")
        )
    yield OK, "pip", pip.split(" from ")[0] if pip else "comes with .venv"


def memory():
    found = re.search(r"MemAvailable: +(\d+) kB", read("/proc/meminfo"))
    if not found:
        in_all = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        yield OK, "memory", f"{in_all:,} MB in all"
        return
    free = int(found[1]) >> 10
    if free < MEMORY_MB:
        yield (
            FIX,
            "memory",
            (
                f"{free} MB are free; a chapter needs {MEMORY_MB}. Close other "
                "programs, or other chapters' kernels."
            ),
        )
    else:
        yield OK, "memory", f"{free:,} MB free"


def disk():
    needed = RUN_MB if install.installed("requirements.txt") else INSTALL_MB
    free = shutil.disk_usage(str(ROOT)).free >> 20
    yield (
        (OK, "disk", f"{free:,} MB free")
        if free >= needed
        else (
            FIX,
            "disk",
            f"{free} MB are free where the lab stands; it needs {needed}. Delete "
            "something, or move the lab.",
        )
    )
    free = shutil.disk_usage(tempfile.gettempdir()).free >> 20
    if free < RUN_MB:
        yield (
            FIX,
            "disk",
            (
                f"{free} MB are free for temporary files; the lab needs {RUN_MB}. "
                "Delete some, or set TMPDIR."
            ),
        )


# The lab's folder


def folder():
    if not os.access(str(ROOT), os.W_OK):
        yield (
            FIX,
            "folder",
            ("it cannot be written by you. Move the lab to a place of your own, or make it yours."),
        )
    elif hasattr(os, "ST_NOEXEC") and os.statvfs(str(ROOT)).f_flag & os.ST_NOEXEC:
        yield (
            FIX,
            "folder",
            (
                "programs may not be run from this disk (noexec), and the lab brings "
                "one. Move it to another disk."
            ),
        )
    else:
        yield OK, "folder", "can be written, and programs run from it"


def work():
    """Look whether copies and the lab's memory can be written, and hide no package."""
    state = Path(os.environ.get("LAB_STATE") or WORK / ".lab")
    foreign = [
        path
        for path in (ROOT / ".venv", WORK, state, *sorted(WORK.glob("*.ipynb")))
        if not writable(path)
    ]
    shadows = sorted(
        path.name for path in [*WORK.glob("*.py"), *WORK.glob("*/__init__.py")] if shadow(path)
    )
    if foreign:
        yield (
            FIX,
            "work",
            (
                f"{', '.join(map(str, foreign[:3]))} cannot be written by you, as "
                'after sudo make lab. Run sudo chown -R "$(id -un)" .venv work, in the '
                "folder of the lab."
            ),
        )
    if shadows:
        yield (
            FIX,
            "work",
            (
                f"{', '.join(shadows)} in work/ would be imported instead of the "
                "package of that name. Rename it."
            ),
        )
    if not foreign + shadows:
        chapters = len(list(WORK.glob("[0-9]*.ipynb")))
        yield OK, "work", f"{chapters} chapters of yours" if WORK.exists() else "not there yet"


def writable(path):
    asked = os.W_OK | os.X_OK if os.path.isdir(str(path)) else os.W_OK
    return not os.path.lexists(str(path)) or os.access(str(path), asked)


def shadow(path):
    """Return True for a file in work/ that has the name of something that the lab imports."""
    name = path.parent.name if path.name == "__init__.py" else path.stem
    needed = {package.replace("-", "_") for package in install.reasons("requirements.txt")}
    needed.update({"lab_utils", "roundtrips", "IPython", "numpy"})
    return name in needed.union(getattr(sys, "stdlib_module_names", ()))


def variables():
    if os.environ.get("PYTHONHOME"):
        yield (
            FIX,
            "variables",
            (
                "PYTHONHOME is set, and .venv's Python would not find its own "
                "modules. Run unset PYTHONHOME."
            ),
        )
    if os.environ.get("PYTHONPATH"):
        yield (
            NOTE,
            "variables",
            (
                "PYTHONPATH is set: its modules come before the lab's. If "
                "imports fail, run unset PYTHONPATH."
            ),
        )
    config = said(sys.executable, "-m", "pip", "config", "list") or ""
    config += f"\n.user='{os.environ.get('PIP_USER', '').lower()}'"
    if re.search(r"\.user='(1|true|yes|on)'", config):
        yield (
            FIX,
            "variables",
            ("pip is told to install for the user, which .venv refuses. Run export PIP_USER=0."),
        )


# Packages, with the internet and without


def packages():
    if install.is_running():
        yield (
            NOTE,
            "packages",
            ("an installation is running. Run make doctor again when it has ended."),
        )
    elif install.installed("requirements.txt"):
        yield OK, "packages", "installed in .venv; no internet is needed"
    elif install.WHEELHOUSE.is_dir():
        missing = sorted(missing_wheels())
        if missing:
            yield (
                FIX,
                "packages",
                f"wheelhouse/ lacks {', '.join(missing[:5])} for this Python. "
                "Run make wheelhouse on a machine with internet and the same Python, or remove "
                "the folder.",
            )
        else:
            yield (
                OK,
                "packages",
                "not installed yet; wheelhouse/ holds them: make lab installs offline",
            )
    elif running_elsewhere():
        yield OK, "packages", "installed beside this Python, not in .venv"
    elif index_answers():
        yield OK, "packages", "not installed yet: make lab does that"
    else:
        yield (
            FIX,
            "packages",
            "not installed yet, and the package index does not answer pip. "
            "Check the connection, and behind a proxy set HTTPS_PROXY; a certificate of the "
            "proxy's own goes into PIP_CERT. Without internet: make wheelhouse on another "
            "machine, and copy the folder.",
        )


def missing_wheels():
    """Yield what requirements.txt pins and wheelhouse/ has no wheel of that this Python may use."""
    tag = "cp{}{}".format(*sys.version_info[:2])
    have = {
        wheel.name.split("-")[0].lower().replace(".", "_") + "==" + wheel.name.split("-")[1]
        for wheel in install.WHEELHOUSE.glob("*.whl")
        if re.search(rf"-(py3|py2\.py3|{tag}|cp3\d*-abi3)-", wheel.name)
    }
    for name, version in install.pins().items():
        if f"{name.lower().replace('-', '_')}=={version}" not in have:
            yield f"{name} {version}"


def index_answers():
    """Return whether pip gets the smallest of the packages, with its own settings.

    They name proxies, mirrors and certificates.
    """
    wanted = f"tqdm=={install.pins()['tqdm']}"
    with tempfile.TemporaryDirectory() as folder:
        return (
            said(
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-cache-dir",
                "--retries",
                "0",
                "--timeout",
                "10",
                "--dest",
                folder,
                wanted,
            )
            is not None
        )


# The network of this machine, and the browser


def loopback():
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), 5) as client,
        ):
            server.settimeout(5)
            accepted, _ = server.accept()
            with accepted:
                client.sendall(b"here")
                assert accepted.recv(4) == b"here"
        found = socket.getaddrinfo("localhost", PORT, type=socket.SOCK_STREAM)
        addresses = {address[0] for *_, address in found}
    except (OSError, AssertionError) as error:
        yield (
            FIX,
            "loopback",
            (
                f"this machine does not reach itself ({error}). Let your firewall "
                "allow 127.0.0.1 and localhost."
            ),
        )
        return
    if addresses - {"127.0.0.1", "::1"}:
        yield (
            FIX,
            "loopback",
            ("localhost is another machine here. Put 127.0.0.1 localhost into /etc/hosts."),
        )
    else:
        yield OK, "loopback", "127.0.0.1 and localhost answer"


def proxies():
    kinds = "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"
    named = sorted(
        {name.upper() for name, proxy in os.environ.items() if proxy and name.upper() in kinds}
    )
    if not named:
        yield OK, "proxies", "none are set"
    elif not all(map(urllib.request.proxy_bypass, ("127.0.0.1", "localhost"))):
        yield (
            FIX,
            "proxies",
            (
                f"{', '.join(named)} would be asked for this machine's own pages "
                "too. Run export no_proxy=localhost,127.0.0.1, and except both in "
                "your browser's settings."
            ),
        )
    else:
        yield (
            NOTE,
            "proxies",
            (
                f"{', '.join(named)}. If your browser shows the proxy's page, "
                "except localhost and 127.0.0.1."
            ),
        )


def browser():
    if os.environ.get("SSH_CONNECTION"):
        yield (
            NOTE,
            "browser",
            (
                f"by SSH: run ssh -L {PORT}:127.0.0.1:{PORT} on your own machine, "
                "then open there the address that make lab prints."
            ),
        )
        return
    try:
        yield OK, "browser", f"{getattr(webbrowser.get(), 'name', 'found')}"
    except webbrowser.Error:
        yield (
            NOTE,
            "browser",
            (
                "none found, so none opens by itself: open the address that make "
                "lab prints, with its token."
            ),
        )


# What earlier kernels left


def leftovers():
    listed = said("ps", "-axww", "-o", "pid=,ppid=,uid=,args=") or ""
    rows = [line.split(None, 3) for line in listed.splitlines() if len(line.split(None, 3)) == 4]
    mine = [
        (int(pid), int(parent), args)
        for pid, parent, owner, args in rows
        if owner == str(os.getuid())
    ]
    lost = [
        pid for pid, parent, args in mine if parent == 1 and any(name in args for name in PROCESSES)
    ]
    unused = [
        path
        for path in Path(tempfile.gettempdir()).glob(f"{SERVERS_FOLDERS}*")
        if path.stat().st_uid == os.getuid() and str(path) not in listed
    ]
    if lost:
        yield (
            FIX,
            "leftovers",
            (
                "processes of a kernel that is gone still run. Run kill -9 "
                f"{' '.join(map(str, lost))}."
            ),
        )
    if unused:
        yield (
            NOTE,
            "leftovers",
            (
                f"folders of servers that are gone: {len(unused)}. Run rm -r "
                f"{shlex.join(map(str, unused))}."
            ),
        )
    if not lost + unused:
        yield OK, "leftovers", "nothing of earlier kernels"


def read(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# The installed lab


def lab_python():
    """Return the Python that has the lab: .venv's, or the one that runs this, or None."""
    if install.PYTHON.exists():
        return str(install.PYTHON)
    return sys.executable if running_elsewhere() else None


def running_elsewhere():
    """Return True where the lab is installed beside this Python, as in a learner's environment."""
    from importlib.util import find_spec

    return all(find_spec(name) for name in ("jupyterlab", "redis", "lab_utils"))


def installed():
    """Look at server, link, kernel, widgets and calm with the installed lab."""
    python = lab_python()
    if install.is_running():
        return  # half an installation is broken in many ways, none of them to be put right
    if not python:
        yield (
            NOTE,
            "lab",
            (
                "not installed, so server, link and kernel were not tried. Run make "
                "lab, then make doctor again."
            ),
        )
        return
    program = [python, str(Path(__file__).with_name("doctor_installed.py"))]
    try:
        ran = subprocess.run(
            program,
            cwd=str(ROOT),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=INSTALLED_S,
        )
        last = (ran.stderr.decode(errors="replace").strip().splitlines() or [""])[-1]
        out, wrong = ran.stdout, last if ran.returncode else None
    except subprocess.TimeoutExpired as error:
        out, wrong = error.stdout or b"", f"not done after {INSTALLED_S} s"
    except OSError as error:
        out, wrong = b"", str(error)
    for line in out.decode(errors="replace").splitlines():
        if line.startswith("["):
            yield tuple(json.loads(line))
    if wrong is not None:
        yield (
            FIX,
            "lab",
            (
                f"what is installed does not run: {wrong}. Run make clean, then make "
                "lab: work/ stays as it is."
            ),
        )


CHECKS = (
    system,
    python,
    tools,
    memory,
    disk,
    folder,
    work,
    variables,
    packages,
    loopback,
    proxies,
    browser,
    leftovers,
    installed,
)

if __name__ == "__main__":
    sys.exit(main())
