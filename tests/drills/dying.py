"""A kernel that runs one helper again and again, to be killed: what it leaves."""

import contextlib
import os
import secrets
import signal
import time
from pathlib import Path

import pytest

GRACE_S = 2  # after which nothing may be left
LOOP = "def loop(c):\n    for i in range(20): c.set(f'key{i}', i)\n"
PIPELINE = """def pipeline(c):
    p = c.pipeline()
    for i in range(20): p.set(f'key{i}', i)
    p.execute()
"""
ASYNC = "async def one_by_one(c):\n    for i in range(20): await c.set(f'key{i}', i)\n"
ENDLESS = "async def endless(c):\n    while True: await c.ping()\n"
WORK = f"{LOOP}{PIPELINE}{ASYNC}{ENDLESS}r = lab.connect()\n"
BOTH = "{'loop': loop, 'pipeline': pipeline}"

# name: (what is run once, what is run again and again)
HELPERS = {
    "connect": ("", "lab.spare(); lab.connect()"),
    "connect far": ("", "for ms in (1, 2, 3, 4, 5): lab.connect(ms)"),
    "count": (WORK, "lab.count(loop, r)"),
    "count async": (WORK, "lab.count(one_by_one, r)"),
    "count without end": (WORK, "lab.count(endless, r)"),
    "count far": (WORK + "far = lab.connect(1)", "lab.count(loop, far)"),
    "capture": (
        WORK + "big = 'x' * 1_000_000",
        "lab.capture(lambda c: [c.set('big', big) for _ in range(5)], r)",
    ),
    "compare": (WORK, f"lab.compare({BOTH}, ops=20)"),
    "compare far": (WORK, f"lab.compare({BOTH}, ops=20, rtt_ms=(0, 1))"),
    "compare async": (
        WORK,
        "lab.compare({'loop': loop, 'async': one_by_one}, ops=20, rtt_ms=(0, 1))",
    ),
    "compare parallel": (WORK, f"lab.compare({BOTH}, ops=20, rtt_ms=1, parallel=True)"),
    "budget": (WORK, f"lab.compare({BOTH}, ops=20, rounds=2).budget('loop')"),
    "sweep": (WORK, "lab.sweep(lambda c, size: loop(c), (1, 2), ops=20, memory=True)"),
    "timeline": (WORK, "lab.timeline(lambda: loop(r))"),
    "bystander": (WORK, "lab.bystander(loop, r)"),
    "run_fresh": (
        WORK,
        "lab.run_fresh('import redis, time; redis.Redis(**address).ping(); time.sleep(0.3)', 1)",
    ),
    "spare": ("", "lab.spare('maxmemory 10mb')"),
    "frozen": ("sp = lab.spare()", "with lab.frozen(sp, 0.2): time.sleep(0.1)"),
    "cluster": ("", "lab.cluster().connect(1).close()"),
    "replica": ("", "lab.replica().stop()"),
    "replica far": (
        "",
        "with lab.replica(rtt_ms=5) as two: two.primary.set('key', 1);"
        " two.primary.wait(1, 100); two.cut()",
    ),
}

# s of a call, about, of those that take long
SLOW = {
    "cluster": 3.0,
    "replica far": 2.5,
    "compare far": 2.0,
    "compare async": 2.0,
    "connect far": 1.5,
    "sweep": 1.0,
}


class Place:
    """The place of a kernel that is to be killed: folders for its files, and an environment.

    `environment` has a mark in the variable LAB_DRILL, by which the kernel's processes are found.
    `folder` becomes the folder for temporary files.
    """

    def __init__(self, folder: Path):
        self.folder, self.mark = folder / "tmp", secrets.token_hex(8)
        self.folder.mkdir()
        self.environment = {
            **os.environ,
            "LAB_DRILL": self.mark,
            "LAB_SCALE": "ci",
            "TQDM_DISABLE": "1",
            "TMPDIR": str(self.folder),
            "LAB_STATE": str(folder / "state"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        }
        self.environment.pop("REDIS_URL", None)

    def started(self) -> dict[int, str]:
        """Return {pid: command} of the kernel's processes: those with its mark or in its folder.

        A Redis server overwrites its environment with its title, so it is found by its folder.
        Zombies have neither.
        """
        found, mark = {}, self.mark.encode()
        for process in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if process.name.isdigit() and (
                    mark in (process / "environ").read_bytes()
                    or os.readlink(process / "cwd").startswith(str(self.folder))
                ):
                    command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found[int(process.name)] = command[:200]
        return found

    def left(self, but=()) -> list:
        """Wait until nothing of a dead kernel is left; return [] or, after GRACE_S, what is left.

        The list has (pid, command) of processes and the Paths of files. `but` are pids that may
        live on. While a process of the lowest priority waits for a CPU, only a twentieth of the
        time counts towards GRACE_S: beside busy programs such a process waited up to 6 s until it
        could end.
        """
        passed, now = 0, time.monotonic()
        while True:
            alive = {pid: command for pid, command in self.started().items() if pid not in but}
            found = [*alive.items(), *self.folder.iterdir()]
            if not found or passed >= GRACE_S:
                return found
            time.sleep(0.01)
            before, now = now, time.monotonic()  # where all stands still, a moment
            passed += min(now - before, 0.05) / (20 if any(map(wants_a_cpu, alive)) else 1)


def wants_a_cpu(pid: int) -> bool:
    """Return whether a process has the lowest priority and runs or waits for its turn."""
    with contextlib.suppress(OSError):
        return (
            os.sched_getscheduler(pid) == os.SCHED_IDLE
            and Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "R"
        )


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    yield made
    kill_all(made.started())


def kill_all(pids, number=signal.SIGKILL):
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, number)
