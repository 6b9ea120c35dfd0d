"""A process under the command: what it counts, which others it starts, and the ways it may end.

The first process runs the program; it names a folder in ROUNDTRIPS_PROCESSES, and puts the folder
`child` on the PYTHONPATH. What it forks counts anew from there on; a Python that it starts begins
to count in `child/sitecustomize.py`. Each writes into the folder

    PID.TIME.PARENT.began   when a Python was started, so that who started it knows of it
                            (or, of multiprocessing's own, .multiprocessing.spawn or .forkserver)
    PID.TIME.open           once it has something to tell, and
    PID.TIME.json           in place of that, when it ends: its part (see `parts`)

Here nothing is imported that the program may want to import first: no redis, threading, ssl,
asyncio. The count opens when the program imports redis. What fails here never fails the program.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal's own, which takes no time to import
import _thread
import atexit
import os
import sys
from time import perf_counter, sleep, time, time_ns

TYPE_CHECKING = False  # typing takes a started process longer than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType
    from typing import Any

    from .recorder import Recorder

FOLDER = "ROUNDTRIPS_PROCESSES"
CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child")
# Clients of Redis that the program may import, of which nothing is counted.
UNSEEN = {"valkey": "valkey-py", "glide": "valkey-glide", "glide_sync": "valkey-glide-sync"}
UNSEEN |= {name: name for name in ("aioredis", "aredis", "asyncio_redis", "coredis", "txredisapi")}
STARTS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn")
HEARD = {*STARTS, "os.exec", "open"}
MULTIPROCESSING = (  # what its own Pythons run
    "from multiprocessing.spawn import spawn_main",
    "from multiprocessing.forkserver import main",
    "from multiprocessing.resource_tracker import main",
)
SIGNALS = SIGHUP, SIGTERM = 1, 15  # that end a process
OLD_S = 86_400


def clients_here() -> list[str]:
    """Return the names of other clients that are imported; a module of one's own is none."""
    found = []
    for module, name in UNSEEN.items():
        file = str(getattr(sys.modules.get(module), "__file__", ""))
        if "site-packages" in file or "dist-packages" in file:
            found.append(name)
    return found


class Process:
    """This process. The first one has a `report`, which gets its own exit status and notes."""

    def __init__(
        self, folder: str, report: Callable[[int, Sequence[str]], int] | None = None
    ) -> None:
        self.folder, self.report = folder, report
        self.pid = os.getpid()
        self.began = perf_counter()
        self.recorder: Recorder | None = None
        self.refusals: list[str] = []  # why it can't be counted, or not all of it
        self.started: dict[str, int] = {}  # names of other programs that it started
        self.mark = ""  # the file that says that there is something to tell
        self.status, self.ended, self.told = 0, False, False
        self.signal = 0  # that came while this was telling
        self.masks: dict[int, set[int]] = {}  # of threads that fork, or have
        self.watch: Any = Watch(self.open)
        self.exit_now = os._exit

    def begin(self) -> None:
        """Watch from here on: imports of redis, other processes, the end."""
        atexit.register(self.at_exit)  # the first to be registered is the last to be called

        def exits(status: int) -> None:  # in place of os._exit
            self.status = status & 0xFF
            due = self.end()
            self.exit_now(status if due is None else due)

        exits.__module__ = os.name  # pickle finds it by these
        exits.__name__ = exits.__qualname__ = "_exit"
        for module in (os, sys.modules[os.name]):
            if module._exit is self.exit_now:
                module._exit = exits  # type: ignore[attr-defined,unused-ignore]
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self.hold_signals,
                after_in_parent=self.release_signals,
                after_in_child=self.forked,
            )
        sys.addaudithook(self.heard)
        self.take_signals()
        if "redis" in sys.modules:
            self.open()
        else:
            sys.meta_path.insert(0, self.watch)

    def open(self) -> None:
        """Open the count: the program has imported redis."""
        try:
            # Here, not in each process that is forked off; if it imports redis itself, half loaded.
            from . import traces  # noqa: F401
            from .recorder import Recorder

            self.note()
            self.recorder = Recorder(process=True)
            self.recorder.open()
            self.recorder.began = self.began
        except Exception as fault:
            self.recorder = None
            self.refusals.append(str(fault))

    def prepare(self) -> None:
        """Import what the end needs: Python can't, once it waits for its threads."""
        try:
            import redis  # noqa: F401  (first: the count may open only now)

            from . import parts  # noqa: F401
        except Exception as fault:
            self.refusals.append(f"roundtrips failed to be loaded: {fault}")

    def note(self) -> None:
        """Say in the folder that this process has something to tell."""
        if self.report is None and not self.mark:
            self.mark = os.path.join(self.folder, f"{self.pid}.{time_ns()}")
            with open(f"{self.mark}.open", "w", encoding="utf-8") as file:
                file.write(name_here())

    # Other processes

    def hold_signals(self) -> None:
        """Keep a signal that comes while this forks: Python forgets it, which the default does not.

        Its handlers note that one came, and a child begins without the notes.
        """
        held = _signal.pthread_sigmask(_signal.SIG_BLOCK, SIGNALS)
        self.masks[_thread.get_ident()] = held

    def release_signals(self) -> None:
        held = self.masks.get(_thread.get_ident())
        if held is not None:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, held)

    def forked(self) -> None:
        """Begin anew in a process that was forked off: what the parent counted is the parent's."""
        try:
            if sys._getframe(1).f_code.co_name == "_execute_child":
                return  # Popen's: it becomes another program in a moment
            self.pid, self.report, self.started, self.mark = os.getpid(), None, {}, ""
            self.status, self.ended, self.told = 0, False, False
            if self.recorder is not None:
                self.began = perf_counter()
                self.recorder = self.recorder.after_fork()
            if self.recorder is not None or self.refusals:
                self.note()
            util = sys.modules.get("multiprocessing.util")
            if util and sys._getframe(1).f_globals["__name__"].startswith("multiprocessing."):
                util.register_after_fork(self, Process.insist)  # a forkserver resets what is before
        except Exception as fault:
            self.refusals.append(f"roundtrips failed in a forked process: {fault}")
        finally:
            self.release_signals()

    def heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what this process starts: an audit hook, which lasts as long as the process."""
        if event not in HEARD or os.getpid() != self.pid:
            return
        try:
            if event == "os.posix_spawn" and sys._getframe(1).f_code.co_name == "_posix_spawn":
                return  # which is how a Popen starts it, since Python 3.13 nearly always
            if event == "open" and type(arguments[0]) is int:  # a pipe
                self.sends(sys._getframe(1).f_globals.get("__name__", ""))
            elif event in STARTS:
                self.starts(name_of(event, arguments))
            elif event == "os.exec" and os.access(arguments[0], os.X_OK):
                self.becomes(name_of(event, arguments))
        except Exception as fault:
            self.refusals.append(f"roundtrips failed to see what it starts: {fault}")

    def starts(self, name: str) -> None:
        self.note()
        self.started[name] = self.started.get(name, 0) + 1

    def sends(self, module: str) -> None:
        """Note what multiprocessing starts, as it opens the pipe to that: no other event tells."""
        if module.startswith("multiprocessing.popen_"):
            env = os.environ
            found = CHILD in env.get("PYTHONPATH", "") and env.get(FOLDER) == self.folder
            alone = "spawn" in module and not found  # a forkserver has begun before
            self.starts("multiprocessing" if alone else "multiprocessing." + module.split("_")[1])

    # The ways it may end

    def at_exit(self) -> None:
        flush()
        status = self.end()
        if status is None or status == self.status >= 0:
            return
        if status < 0:
            end_by(-status)
        self.exit_now(status)

    def take_signals(self) -> None:
        """Have something to say before a signal ends it, unless the program takes that itself."""
        for number in SIGNALS:
            try:
                if _signal.getsignal(number) == _signal.SIG_DFL:
                    _signal.signal(number, self.terminated)
            except ValueError:  # not in the main thread; Windows has no SIGHUP
                continue

    def terminated(self, number: int, frame: FrameType | None) -> None:
        if self.ended and not self.told and os.getpid() == self.pid:
            self.signal = number  # it ends by it in a moment
            return
        if self.recorder is not None and self.recorder.sorting._is_owned():  # type: ignore[attr-defined]
            self.refusals.append("roundtrips was interrupted by a signal while it counted")
        self.status = -number
        self.end()
        end_by(number)

    def insist(self) -> None:
        """Have SIGTERM come again until it is heard, in a process of multiprocessing's.

        Python hears of a signal between two steps. One that comes just as a pool's worker begins to
        wait for the lock of its queue is not heard any more: a pool that ends keeps that lock.
        """
        if _signal.getsignal(SIGTERM) == self.terminated:
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            _signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
            _thread.start_new_thread(self.send_again, (reader, _thread.get_ident()))

    def send_again(self, reader: int, main: int) -> None:
        while os.read(reader, 1)[0] != SIGTERM:
            pass
        while not self.ended and _signal.getsignal(SIGTERM) == self.terminated:
            sleep(0.05)
            _signal.pthread_kill(main, SIGTERM)

    def becomes(self, name: str) -> None:
        """Say what there is to say before another program takes this one's place."""
        if self.report is None:
            self.starts(name)
        due = self.end(f"what {name} does, which took this program's place")
        if due and self.report is not None:  # nobody would judge what it does
            self.exit_now(due)

    def end(self, *notes: str) -> int | None:
        """Close the count and tell of it, once, raising nothing; return the exit status due."""
        if self.ended or os.getpid() != self.pid:
            return None
        self.ended = True
        due = self.close(notes)
        self.told = True
        if self.signal:
            end_by(self.signal)
        return due

    def close(self, notes: Sequence[str]) -> int:
        self.watch.step_aside()
        try:
            if self.recorder is not None:
                self.recorder.close()
        except BaseException as fault:
            self.refusals.append(f"roundtrips failed at the end: {type(fault).__name__}: {fault}")
        try:
            if self.report is not None:
                return self.report(self.status, notes)
            self.tell()
        except BaseException:  # a part that is missing is said by its mark, which stays
            return self.status or (2 if self.report is not None else 0)
        return self.status

    def tell(self) -> None:
        """Write this process's part, whole or not at all, if there is something to tell."""
        part = self.part()
        if part["unseen"] or self.refusals:
            self.note()
        if not self.mark:
            return
        import json

        if self.recorder is not None:
            from .keys import chosen
            from .traces import Trace

            part["trace"] = Trace(self.recorder, chosen(None)).to_dict()
        with open(f"{self.mark}.part", "w", encoding="utf-8") as file:
            json.dump(part, file)
        os.replace(f"{self.mark}.part", f"{self.mark}.json")
        os.unlink(f"{self.mark}.open")

    def part(self) -> dict[str, Any]:
        """Return what this process has to tell, but for its trace (see `parts.Part`)."""
        return {
            "name": name_here(),
            "pid": self.pid,
            "began": self.began,
            "started": self.started,
            "refusals": self.refusals,
            "unseen": clients_here(),
        }


class Watch:
    """A finder on sys.meta_path that does something once redis is imported, and steps aside."""

    def __init__(self, then: Callable[[], None]) -> None:
        self.then, self.asked = then, False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != "redis" or self.asked:
            return None
        self.asked = True
        try:
            from importlib.util import find_spec

            spec = find_spec(name)
        finally:
            self.asked = False
        loader: Any = spec and spec.loader
        if hasattr(loader, "exec_module"):
            own = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                vars(loader).pop("exec_module", None)  # it is what it was; there may be two of us
                own(module)
                if self.step_aside():
                    self.then()

            loader.exec_module = exec_module
        return spec

    def step_aside(self) -> bool:
        """Return whether it stood in sys.meta_path; it does no more."""
        stood = self in sys.meta_path
        if stood:
            sys.meta_path.remove(self)
        return stood


def begin_child() -> None:
    """Begin to count in a Python that was started, if the folder is still there."""
    folder = os.environ.get(FOLDER)
    if folder and os.path.isdir(folder):
        process = Process(folder)
        process.begin()
        texts = [word for word in sys.orig_argv if word.startswith(MULTIPROCESSING)]
        way = texts[0].split()[1] if texts else "began"
        if way == "multiprocessing.spawn":
            process.insist()
        again = any(name.startswith(f"{process.pid}.") for name in os.listdir(folder))
        parent = process.pid if again else os.getppid()  # it was a Python before: see `becomes`
        open(os.path.join(folder, f"{process.pid}.{time_ns()}.{parent}.{way}"), "w").close()


def new_folder() -> str:
    """Return a new folder for what processes tell; delete those that a killed command left."""
    import shutil
    import tempfile
    from glob import glob

    for path in glob(os.path.join(tempfile.gettempdir(), "roundtrips-*-*")):
        pid = os.path.basename(path).split("-")[1]
        try:  # a young one may belong to another container, whose processes can't be asked for
            is_old = time() - os.stat(path, follow_symlinks=False).st_mtime > OLD_S
        except OSError:  # somebody else was faster
            continue
        if pid.isdigit() and is_old and not is_alive(int(pid)):
            shutil.rmtree(path, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"roundtrips-{os.getpid()}-")


def is_alive(pid: int) -> bool:
    """Return whether this process still runs."""
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)
    return True


def environment(folder: str) -> dict[str, str]:
    """Return what the environment has to say so that started Pythons are counted."""
    path = os.environ.get("PYTHONPATH")
    return {FOLDER: folder, "PYTHONPATH": CHILD + os.pathsep + path if path else CHILD}


def name_here() -> str:
    """Return this process's name: multiprocessing's, pytest-xdist's, or the script's."""
    module = sys.modules.get("multiprocessing.process")
    name = str(module.current_process().name) if module else "MainProcess"
    if name != "MainProcess":
        return name
    argv = getattr(sys, "argv", None) or [""]
    script = os.path.basename(argv[0]) if argv[0] not in ("", "-c", "-m") else "python"
    return os.environ.get("PYTEST_XDIST_WORKER") or script


def name_of(event: str, arguments: tuple[Any, ...]) -> str:
    """Return 'python worker.py' of an audit event: the program, a Python's script; no argument."""
    if event == "os.system":
        return "sh"
    program, argv = arguments[event == "os.spawn" :][:2]
    given = [argv] if isinstance(argv, (str, bytes, os.PathLike)) else argv
    words: list[str] = [os.fsdecode(word) for word in given] or [event]
    name = os.path.basename(os.fsdecode(program) if program else words[0])
    if not name.startswith("python"):
        return name
    if "-m" in words[1:-1]:
        return f"python -m {words[words.index('-m') + 1]}"
    script = next((word for word in words[1:] if word.endswith(".py")), None)
    return f"python {os.path.basename(script)}" if script else "python"


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # it is closed, or there is none


def end_by(number: int) -> None:
    """End this process by a signal, as it would have ended by itself."""
    _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)
