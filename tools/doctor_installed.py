"""The part of `make doctor` that needs the lab, so .venv's Python: tells a finding a line, as JSON.

A private server is started and ended; nothing is written but to a server that REDIS_URL names, as
any chapter does.
"""

import importlib
import json
import os
import re
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

OK, NOTE, FIX = "ok", "note", "FIX"
ROOT = Path(__file__).resolve().parent.parent
AGAIN = "Run make clean, then make lab: work/ stays as it is."
OFF_MS = 0.1  # by which 1 ms of the link may be off
# The folder roundtrips/ of a clone alone can be imported too, so a module of it is named.
MODULES = (
    "redis",
    "hiredis",
    "orjson",
    "msgpack",
    "matplotlib.pyplot",
    "ipywidgets",
    "anywidget",
    "tqdm",
    "jupyterlab",
    "lab_utils",
    "roundtrips.traces",
)


def main():
    with tempfile.TemporaryDirectory(prefix="lab-doctor-") as state:
        os.environ.update(LAB_STATE=state, LAB_FIGURES="off", TQDM_DISABLE="1", MPLBACKEND="agg")
        os.environ.setdefault("LAB_SCALE", "ci")
        told = [
            tell(finding)
            for check in (pinned, imports, widgets, kernel, server, own_server)
            for finding in found(check)
        ]
        chapters_server = "own server" if os.environ.get("REDIS_URL") else "server"
        if (FIX, chapters_server) in told:
            tell(
                (
                    NOTE,
                    "link",
                    "not tried, nor whether the machine is calm: there is no server. "
                    "Run make doctor again then.",
                )
            )
        else:
            for finding in found(link):
                tell(finding)


def tell(finding):
    print(json.dumps(finding), flush=True)
    return finding[:2]


def found(check):
    """Yield a check's findings; what it raises is one too: the lab's own errors say what to do."""
    try:
        yield from check()
    except Exception as error:
        kind = type(error).__name__
        told = str(error) if kind == "LabError" else f"{kind}: {error}. {AGAIN}"
        yield FIX, check.__name__.replace("_", " "), told


def pinned():
    """Look whether what is installed is what requirements.txt names."""
    wrong = []
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    for name, wanted in re.findall(r"(?m)^([\w-]+)==([\w.]+) +#", text):
        try:
            have = version(name)
        except PackageNotFoundError:
            have = "none"
        if have != wanted:
            wrong.append(f"{name} is {have}, not {wanted}")
    yield (
        (FIX, "pinned", f"{', '.join(wrong)}: facts may differ. {AGAIN}")
        if wrong
        else (OK, "pinned", "all packages are those of requirements.txt")
    )


def imports():
    broken = []
    for name in MODULES:
        try:
            importlib.import_module(name)
        except Exception as error:  # a wheel for another machine raises what it likes
            broken.append(f"{name} ({type(error).__name__}: {error})")
    lab = sys.modules.get("lab_utils")
    where = Path(lab.__file__).parent.parent if lab else ROOT
    if broken:
        yield FIX, "imports", f"{'; '.join(broken)}. {AGAIN}"
    elif where != ROOT:
        yield NOTE, "imports", f"lab_utils comes from {where}, not from this folder"
    else:
        yield OK, "imports", "every package can be imported"


def widgets():
    """Look whether JupyterLab has the half of ipywidgets and anywidget that runs in the browser."""
    from jupyter_core.paths import jupyter_path

    parts = "@jupyter-widgets/jupyterlab-manager", "anywidget"
    if all(
        any((Path(path) / part / "package.json").exists() for path in jupyter_path("labextensions"))
        for part in parts
    ):
        yield (
            OK,
            "widgets",
            (f"ipywidgets {version('ipywidgets')} and anywidget, with their parts for the browser"),
        )
    else:
        yield (
            FIX,
            "widgets",
            (
                "JupyterLab has no part of ipywidgets or anywidget: the map would "
                f"show as text. {AGAIN}"
            ),
        )


def kernel():
    """Start a kernel as JupyterLab does; it has to be of this Python."""
    from jupyter_client.manager import start_new_kernel

    said = []

    def hear(message):
        said.append(message["content"].get("text", ""))

    manager, client = start_new_kernel(
        kernel_name="python3", startup_timeout=30, cwd=tempfile.gettempdir()
    )
    try:
        client.execute_interactive("import sys; print(sys.prefix)", timeout=30, output_hook=hear)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    prefix = "".join(said).strip()
    if prefix == sys.prefix:
        yield OK, "kernel", "starts and answers"
    else:
        yield (
            FIX,
            "kernel",
            (
                f"“Python 3” is another Python's: {prefix}. Run jupyter kernelspec "
                "list, and remove the python3 that does not stand in .venv."
            ),
        )


def server():
    """Start the private server. With REDIS_URL too, chapters start some of their own."""
    from lab_utils.testbed.fingerprints import server_name
    from lab_utils.testbed.private_server import find_binary, start

    started = start(find_binary())
    try:
        with started.connect() as client:
            yield OK, "server", f"{server_name(client.info('server'))} starts and answers"
    finally:
        started.stop()


def own_server():
    """Connect to the server that REDIS_URL names, on an empty database, reserved meanwhile."""
    if not os.environ.get("REDIS_URL"):
        return
    import lab_utils as lab
    from lab_utils.testbed.chosen_server import server as chosen
    from lab_utils.testbed.fingerprints import where

    with lab.connect():
        yield OK, "own server", where(chosen())


def link():
    """Measure how far off the link is, and whether other programs disturb what is measured."""
    import lab_utils as lab
    from lab_utils import calm
    from lab_utils.testbed.fingerprints import ASKED_MS, distance_ms

    measured = distance_ms()
    if abs(measured - ASKED_MS) > OFF_MS:
        yield (
            NOTE,
            "link",
            (
                f"{ASKED_MS} ms asked, {measured:.3f} measured. Close what else "
                "computes, plug the machine in, and run make doctor again: counts are "
                "exact meanwhile, times are not."
            ),
        )
    else:
        yield OK, "link", f"{ASKED_MS} ms asked, {measured:.3f} measured"
    lab.compare({"PING": lambda r: r.ping()}, rounds=60)
    state = calm.so_far()
    sentence = state.sentence().replace("~", "") + "."
    if state.busy:
        sentence += " Close what else computes; verdicts may be “untested” until then."
    yield NOTE if state.busy else OK, "calm", sentence


if __name__ == "__main__":
    main()
