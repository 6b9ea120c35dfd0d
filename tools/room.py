"""A lab for everyone in a room: `make room` opens it, `make endroom` deletes what it kept.

    python tools/room.py                      on this machine only, http://127.0.0.1:8000
    python tools/room.py --open               for the network this machine is in
    python tools/room.py --address 10.0.0.7   for the network in which it has this address
    python tools/room.py --containers         a container for each, in docker-compose.yml's hub
    python tools/room.py --end                deletes learners' files and passwords; asks or --sure

A JupyterHub (room/jupyterhub_config.py) asks each learner for a name and the room's password and
starts them a JupyterLab. All that the room keeps stands in .room/, which only you can read:
learners/NAME/work, the passwords, the hub's database and log.
"""

import argparse
import contextlib
import fcntl
import ipaddress
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from lab_utils.course.certificates import code
from lab_utils.testbed import cpus
from lab_utils.words import counted

ROOT = Path(__file__).resolve().parent.parent
TIED = [sys.executable, str(ROOT / "room" / "tied.py")]
sys.path.insert(0, str(ROOT))  # before this folder, whose room.py would be taken for the package

from room import certificate, tied  # noqa: E402
from room.board.people import letters, write_private  # noqa: E402
from tools.answers import answers  # noqa: E402

FOLDER = Path(os.environ.get("LAB_ROOM") or ROOT / ".room").absolute()
LEADER = "leader"
HUB_MB = 400  # hub, proxy and culler
LEARNER_MB = 250  # JupyterLab, one kernel, its link and its server
CONTAINER_MB, CONTAINER_CPUS = 1024, 2  # for a learner's client and server, which compute at once
PROCESS_MB = 2048  # what one process of a learner's may fill; where the system can, all together
LEARNERS_A_CORE = 15  # who measure by turns
OPEN_FILES = 10_240
# No system gives these to whoever connects, before the room listens there.
PORTS = range(20_000, 32_000)
IDLE_S = 2 * 3600  # without anything done, a learner's server is closed; the files stay
START_S, END_S = 60, 10  # the hub has so long to come up, and to end with all learners' servers
WARMING = """
import jupyterhub.singleuser, jupyterlab, ipykernel.kernelapp, matplotlib.pyplot, pathlib, sys
import lab_utils as lab
lab.connect(rtt_ms=1).ping()
for path in pathlib.Path(sys.prefix, "share", "jupyter", "lab").rglob("*.*"):
    path.is_file() and path.read_bytes()
"""  # what the first learner would wait for: programs from the disk, a server and a link, the page


def main(arguments):
    options = parsed(arguments)
    try:
        if options.end:
            end(options.sure)
        else:
            open_room(options)
    except OSError as error:
        sys.exit(
            f"The room keeps its files in {FOLDER}, and that does not work: {error}. Make it "
            "yours to write, or name another folder: LAB_ROOM=/path/to/folder make room"
        )


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="make room", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--open", action="store_true", help="listen on all addresses of this machine"
    )
    parser.add_argument("--address", type=ipaddress.ip_address, help="the address to listen on")
    parser.add_argument(
        "--port",
        type=int,
        default=8000,
        help="the port to listen on; the next free one if it is taken",
    )
    parser.add_argument(
        "--learners",
        type=int,
        default=os.environ.get("LEARNERS") or None,
        help="how many may be in at once, if not as many as this machine holds",
    )
    parser.add_argument(
        "--warm", action="store_true", help="load what learners' labs need before the room opens"
    )
    parser.add_argument(
        "--containers",
        action="store_true",
        help="a container for each learner, by the engine's socket",
    )
    parser.add_argument("--end", action="store_true", help="delete what the room kept")
    parser.add_argument("--sure", action="store_true", help="do not ask")
    options = parser.parse_args(arguments)
    if options.learners is not None and options.learners < 1:
        parser.error("--learners needs a number from 1 on")
    return options


def open_room(options):
    everywhere = options.open or options.containers  # a container has only what is published
    address = options.address or ipaddress.ip_address("0.0.0.0" if everywhere else "127.0.0.1")
    if os.geteuid() == 0 and not address.is_loopback:
        sys.exit(
            "You are root, and in a room every learner runs programs as you: open to the "
            "network, everyone with the password would be root here. Run it as another user, "
            "or: docker compose up hub room"
        )
    opened = time.time()
    allow_open_files()
    # Whatever outlives the hub ends with this process.
    tied.set_for_process(tied.PR_SET_CHILD_SUBREAPER, 1)
    # Paths of sockets must be short.
    with kept_folder(), tempfile.TemporaryDirectory(prefix="lab-", dir="/tmp") as sockets:
        settings = settled(address, options) | {"sockets": sockets}
        certificate = made_certificate() if options.containers else ""
        if options.containers:
            # Of an earlier container: in this one the hub would end another process by its number.
            (FOLDER / "proxy.pid").unlink(missing_ok=True)
        write_private(FOLDER / "room.json", json.dumps(settings, indent=1))
        make_list_of_fonts()
        if options.warm:
            warm()
        hub = start_hub("containers_config.py" if options.containers else "jupyterhub_config.py")
        with ended_by_signals():
            try:
                wait_until_open(hub, settings)
                say(welcome(settings, address, certificate))
                status = hub.wait()
            except KeyboardInterrupt:
                say("\nClosing the room: learners' work is saved as their browsers saved it last.")
                status = 0
            finally:
                close(hub)
    for line in (*left_over(), *kept_page(opened)):
        say(line)
    if status:
        sys.exit(
            f"The hub ended by itself. Its log says why: {FOLDER / 'hub.log'}. `make room` "
            "opens the room again."
        )
    say(
        f"The room is closed, its files are kept in {FOLDER / 'learners'}. `make room` opens it "
        "again, `make endroom` deletes them."
    )


@contextlib.contextmanager
def kept_folder():
    """Hold .room/ for as long as the room is open; a second room in the same folder is refused."""
    FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    FOLDER.chmod(0o700)
    with open(FOLDER / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("The room is open already, in another terminal. Ctrl-C there closes it.")
        yield


def settled(address, options):
    """Return the room's settings; passwords are those of last time, so that nobody asks again."""
    try:
        before = json.loads((FOLDER / "room.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    # A learner's server that outlived the hub finds the next one where the last one was.
    known = before.get("ports", {})
    port = free_port(str(address), options.port)
    hub, proxy, board = (
        free_port("127.0.0.1", known.get(name, 0)) for name in ("hub", "proxy", "board")
    )
    return {
        "password": before.get("password") or "-".join(letters(4) for _ in range(3)),
        "leaders_password": before.get("leaders_password") or letters(32),
        "boards_key": before.get("boards_key") or letters(32),
        "leader": LEADER,
        "bind_url": f"http://{f'[{address}]' if address.version == 6 else address}:{port}",
        "ports": {"room": port, "hub": hub, "proxy": proxy, "board": board},
        "learners": options.learners or capacity(options.containers)[0],
        "container_mb": CONTAINER_MB,
        "container_cpus": CONTAINER_CPUS,
        "process_mb": PROCESS_MB,
        "limited_by": "" if options.containers else limited_by(),
        "idle_s": IDLE_S,
    }


def free_port(address, wanted=0):
    """Return the wanted port, or one by chance; exit with advice at another machine's address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port in filter(None, (wanted, *random.sample(PORTS, 5))):
        try:
            with socket.create_server((address, port), family=family) as server:
                return server.getsockname()[1]
        except OSError as error:
            refused = error
    sys.exit(
        f"This machine cannot listen on {address}: {refused}. Name one of its own addresses: "
        "make room ADDRESS=…"
    )


def capacity(containers=False):
    """Return (learners, what limits them): how many this machine's memory and CPUs hold."""
    if containers:  # which stand beside the hub's: what limits that one does not limit them
        memory_mb, cores = psutil.virtual_memory().available >> 20, os.cpu_count() or 1
        by_memory, each_mb = memory_mb // CONTAINER_MB, CONTAINER_MB
        by_cpus, share = max(1, cores // CONTAINER_CPUS), f"{CONTAINER_CPUS} for each learner"
    else:
        limited = hasattr(os, "sched_getaffinity")
        allowed = os.sched_getaffinity(0) if limited else range(os.cpu_count() or 1)
        memory_mb, cores = free_memory() >> 20, len(cpus.cores(allowed))
        by_memory, each_mb = (memory_mb - HUB_MB) // LEARNER_MB, LEARNER_MB
        by_cpus, share = LEARNERS_A_CORE * cores, f"{LEARNERS_A_CORE} learners each"
    return min(
        (max(1, by_memory), f"{memory_mb} MB of free memory, {each_mb} MB each"),
        (by_cpus, f"{counted(cores, 'CPU')}, {share}"),
    )


def free_memory():
    """Return the free bytes of the machine, or of the container if that has less."""
    free, group = psutil.virtual_memory().available, cpus.LIMIT.parent
    with contextlib.suppress(ValueError):
        limit, used = (int(cpus.text(group / f"memory.{what}")) for what in ("max", "current"))
        free = min(free, limit - used)
    return max(0, free)


def allow_open_files():
    """Raise the limit of open files: thirty browsers hold many, and some systems allow 256."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def limited_by():
    """Return what keeps all of a learner's to PROCESS_MB: "cgroup", "systemd", "" for nothing."""
    for way, options in (("cgroup", []), ("systemd", ["--scope"])):
        told = subprocess.run(
            [*TIED, "--mb", str(PROCESS_MB), *options, sys.executable, TIED[1], "--limit"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        ).stdout
        if told.strip() == str(PROCESS_MB << 20):
            return way
    return ""


def made_certificate():
    """Return the code of the room's certificate, which the TLS proxy takes from ROOM_TLS."""
    return code(certificate.settled(Path(os.environ["ROOM_TLS"]), os.environ["ROOM_NAME"]))


def make_list_of_fonts():
    """Make it once, or every kernel would look through the machine's fonts in the same minute."""
    subprocess.run(
        [sys.executable, "-c", "import matplotlib.font_manager"],
        env={**os.environ, "MPLCONFIGDIR": str(FOLDER / "matplotlib")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def warm():
    say("Warming up …")
    with tempfile.TemporaryDirectory() as state:
        ran = subprocess.run(
            [*TIED, sys.executable, "-c", WARMING],
            cwd=ROOT,
            env={**os.environ, "LAB_STATE": state},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    if ran.returncode:
        say(
            "That did not work, so learners' labs may not either: "
            f"{ran.stderr.strip().splitlines()[-1:]}. Run make doctor."
        )


def start_hub(config):
    say("Opening the room …")
    own = {"ROOM": str(FOLDER / "room.json"), "PYTHONUTF8": "1"}
    command = [
        *TIED,
        "--grace",
        str(END_S),
        sys.executable,
        "-m",
        "jupyterhub",
        "-f",
        ROOT / "room" / config,
    ]
    with open(
        os.open(FOLDER / "hub.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab"
    ) as log:
        return subprocess.Popen(
            command,
            cwd=FOLDER,
            env={**os.environ, **own},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


@contextlib.contextmanager
def ended_by_signals():
    """Have a closed terminal and `kill` end the room as Ctrl-C does."""
    before = {
        number: signal.signal(number, signal.default_int_handler)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def wait_until_open(hub, settings):
    """Wait until learners can come in; exit with the log's end where the hub does not come up."""
    host = urlsplit(settings["bind_url"]).hostname
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    deadline = time.monotonic() + START_S
    while hub.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if answers(host, settings["ports"]["room"], "/hub/health"):
                return
        time.sleep(0.1)
    close(hub)
    lines = (FOLDER / "hub.log").read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
    sys.exit(
        "\n".join(
            [
                *lines,
                "The hub did not open the room. The reason stands above, and in "
                f"{FOLDER / 'hub.log'}.",
            ]
        )
    )


def close(hub):
    """End the hub, which ends the learners' servers, and after END_S whatever is left of it."""
    hub.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        hub.wait(END_S + 2 * tied.KILLED_S)
    tied.kill_descendants()


def kept_page(opened):
    """Yield where the board has written down what the room guessed, if it did since `opened`."""
    for path in FOLDER.parent.glob("room-*.html"):
        if path.stat().st_mtime >= opened:
            yield f"What the room guessed, without names, for you to keep: {path}"


def left_over():
    """Yield what to say of this room's processes that were not found to be killed, as on macOS."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            told = process.environ()
            of = told.get("LAB_WORK", told.get("ROOM", ""))
            if of.startswith(f"{FOLDER}{os.sep}"):
                yield (
                    f"Still running, of {Path(of).parent.name}: "
                    f"{' '.join(process.cmdline())[:60]}. End it: kill -9 {process.pid}"
                )


def welcome(settings, address, certificate=""):
    """Return what the leader reads.

    `certificate` is the code of the room's own, where each learner has a container.
    """
    learners, limit = capacity(bool(certificate))
    urls = addresses(address, settings)
    where = "\n".join(f"  {url}" for url in urls)
    board = os.environ.get("ROOM_BOARD_URL") or urls[0]
    page, told, deletes = f"{board}/services/board/", "", "`make endroom` deletes them."
    if certificate:
        page += f"#key={settings['boards_key']}"
        told = (
            "\nBrowsers ask about the room's own certificate, and laptops for its code: "
            f"{certificate}"
        )
        deletes = "What deletes them, docker-compose.yml says."
    return f"""
The room is open. Tell the learners the address and the password; they choose a name.

{where}
  password  {settings["password"]}

You come in as {settings["leader"]}, password {settings["leaders_password"]}
What the room guesses, for your screen: {page}
Who has the lab on a laptop of their own joins the board: make lab BOARD={board}{told}
The passwords are kept in {FOLDER / "room.json"}, which only you can read.

Learners at once: {settings["learners"]}. This machine holds {learners}: {limit}.
Who does nothing for {IDLE_S // 3600} hours is closed to make room; the files stay.
{warning(settings, address, bool(certificate))}
Ctrl-C closes the room and keeps the files. {deletes}"""


def addresses(address, settings):
    """Return where learners find the room: ROOM_URL, if a reverse proxy stands before it."""
    if os.environ.get("ROOM_URL"):
        return [os.environ["ROOM_URL"]]
    if not address.is_unspecified:
        return [settings["bind_url"]]
    known = [
        found.address
        for interface in psutil.net_if_addrs().values()
        for found in interface
        if found.family == socket.AF_INET and not ipaddress.ip_address(found.address).is_loopback
    ]
    return [f"http://{host}:{settings['ports']['room']}" for host in known or ["127.0.0.1"]]


def warning(settings, address, containers):
    """Return what the leader should know about who can do what."""
    if containers:
        said = [
            f"Each learner has a container of their own, with {CONTAINER_MB} MB and "
            f"{CONTAINER_CPUS} CPUs."
        ]
        if settings["learners"] > max(1, (os.cpu_count() or 1) // CONTAINER_CPUS):
            said.append(
                "That is more learners than the CPUs go round, so some share theirs. "
                "Containers take no turns: who measures while a neighbour does is told "
                "that the machine was busy."
            )
        said.append(
            "Where you are signed in as leader, open no learner's page: it could do in the "
            "hub what you may. The board stands apart, and its key with it."
        )
        return " ".join(said)
    user = "root" if os.geteuid() == 0 else f"your user, {os.environ.get('USER') or os.geteuid()}"
    together = f"All processes of a learner's together have {PROCESS_MB:,} MB."
    each = (
        f"Each process of a learner's has {PROCESS_MB:,} MB; this system limits no learner's "
        "together."
    )
    said = [
        together if settings["limited_by"] else each,
        f"All learners run programs as {user}: each can read the others' files and yours, the "
        "passwords too.",
    ]
    if address.is_loopback:
        said.append(
            "It listens on this machine only. `make room OPEN=1` opens it to the network, "
            "ADDRESS=… to one of several."
        )
    else:
        said.append(
            "It is open to the network over plain HTTP: whoever listens there sees the "
            "password and what learners do. For TLS, and a container for each: docker "
            "compose up hub room"
        )
    return "\n".join(said)


def end(sure):
    """Delete .room/ after asking."""
    if not (FOLDER / "room.json").is_file():
        say(f"There is no room to end: {FOLDER} holds none.")
        return
    with kept_folder():
        learners = sorted(path.name for path in (FOLDER / "learners").glob("*"))
        say(
            f"This deletes {FOLDER}: the passwords and the files of "
            f"{counted(len(learners), 'learner')}{': ' if learners else ''}{', '.join(learners)}.\n"
            'Who wants theirs takes them home first, by the button "Take home" above the list of '
            "files."
        )
        if not sure and ask("Delete it all? Type yes: ") != "yes":
            sys.exit("Nothing is deleted.")
        shutil.rmtree(FOLDER)
    say("The room is gone.")


def ask(question):
    try:
        return input(question).strip().lower()
    except EOFError:
        return ""


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
