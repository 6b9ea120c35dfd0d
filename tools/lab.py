"""Opens the lab: your own copies of the chapters in work/, in JupyterLab, on chapter 00.

You work on copies, so a `git pull` never meets your edits. A chapter you have not edited is brought
up to date; one you have edited stays yours, and a newer version is laid beside it as
NAME.new.ipynb. LAB_WORK names another folder than work/; in a room each learner has one.

    python tools/lab.py [options of JupyterLab]
    python tools/lab.py --copies        lays the copies, and opens nothing
"""

import contextlib
import hashlib
import itertools
import json
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "notebooks"
EXERCISES = ROOT / "exercises"
SOLUTION_LINK = re.compile(r"\.\./exercises/(\d\d\.\d)/solution\.py")  # in a chapter
WORK = Path(os.environ.get("LAB_WORK") or ROOT / "work").absolute()
RECORD = WORK / ".lab" / "copies.json"  # name -> digest of the version that was copied
# What a file raises that is no notebook any more.
NO_NOTEBOOK = ValueError, KeyError, TypeError, AttributeError, RecursionError
START = "/lab/tree/00_start_here.ipynb"


def main(jupyter_options):
    try:
        for line in bring_up_to_date():
            print(line)
    except OSError as error:
        sys.exit(
            f"Your copies of the chapters go to {WORK}, and that does not work: {error}. "
            "Rename what stands there, or make it yours to write, and run `make lab` again. "
            "Nothing was lost."
        )
    if jupyter_options == ["--copies"]:
        return
    if os.environ.get("LAB_BOARD"):
        from joining import join

        join(os.environ["LAB_BOARD"], os.environ.get("LAB_BOARD_NAME", ""), RECORD.parent)
    paths = str(ROOT / ".jupyter"), os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
    of_a_room = "JUPYTERHUB_SERVICE_PREFIX" in os.environ  # which its hub gives a server
    command = [
        sys.executable,
        "-m",
        "jupyterhub.singleuser" if of_a_room else "jupyterlab",
        f"--ServerApp.root_dir={WORK}",
        f"--LabApp.default_url={START}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container there is often nobody else
    if of_a_room:
        os.environ["JUPYTERHUB_DEFAULT_URL"] = START
    else:
        print(
            "If no browser opens, open the address with the token that JupyterLab prints below. "
            "Ctrl-C twice ends the lab.",
            flush=True,
        )
    os.environ.setdefault("PYTHONUTF8", "1")  # so that a kernel reads and writes µ in any locale
    os.chdir(WORK)
    os.execv(sys.executable, [*command, *jupyter_options])


def bring_up_to_date():
    """Copy what is new from notebooks/ to work/; return what is worth saying about it.

    Only a plain file that is as it was laid there is replaced, or taken away where the lab has it
    no more; all else is the learner's. Raises OSError where work/ cannot be written.
    """
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    copied, said = remembered(), []
    try:
        for source in chapters():
            said += bring(source, copied)
        known = set(map(name_of, chapters()))
        for name in [name for name in copied if ".new" not in name and name not in known]:
            if not edited(WORK / name, None, copied):
                (WORK / name).unlink(missing_ok=True)
                del copied[name]
    finally:
        write(RECORD, json.dumps(copied, indent=1).encode())
    return said


def chapters():
    """Return notebooks, what stands beside them, and solutions, in the order of their copies."""
    patterns = "*.ipynb", "cases/*.*", "chapter_helpers/*.py", "game/*.py", "other_clients/*.*"
    # The other right and wrong answers are for the tests.
    found = [
        *(path for pattern in patterns for path in CHAPTERS.glob(pattern)),
        *EXERCISES.glob("*/solution.py"),
    ]
    return sorted((path for path in found if path.is_file()), key=name_of)


def name_of(source):
    """Return where a file's copy goes in work/: exercises/03.2/solution.py to solutions/03.2.py."""
    if source.is_relative_to(EXERCISES):
        return f"solutions/{source.parent.name}.py"
    return source.relative_to(CHAPTERS).as_posix()


def bring(source, copied):
    """Bring one file up to date, and `copied` with it; return what is worth saying."""
    name = name_of(source)
    target, now = WORK / name, digest(source)
    if copied.get(name) == now and os.path.lexists(target):
        return []
    target.parent.mkdir(parents=True, exist_ok=True)
    said = []
    if edited(target, now, copied):
        target = beside(target, now, copied)
        copied[target.relative_to(WORK).as_posix()] = now
        said.append(
            f"{name} has a newer version. Yours is kept as you edited it; the new one is "
            f"beside it: {target.name}"
        )
    write(target, as_copied(source))
    copied[name] = now
    return said


def as_copied(source):
    """Return the bytes of the file as a learner gets it.

    A chapter has no outputs, or the answer would stand below each guess, and links to the copies of
    the solutions.
    """
    content = source.read_bytes()
    if source.suffix == ".ipynb":
        with contextlib.suppress(*NO_NOTEBOOK):
            notebook = json.loads(content)
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    cell.update(outputs=[], execution_count=None)
                else:
                    cell["source"] = to_the_copy("".join(cell["source"]))
            content = (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
    return content


def to_the_copy(text):
    return SOLUTION_LINK.sub(r"solutions/\1.py", text)


def remembered():
    """Return {name: digest of the version copied}; {} if unreadable: all copies count as edited."""
    try:
        copied = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return copied if isinstance(copied, dict) else {}


def write(target, content):
    """Put a whole file in place at once; a link there is replaced, never followed."""
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def edited(target, now, copied):
    """Return True if it is no plain file, or neither the version laid there nor the new one."""
    if not os.path.lexists(target):
        return False
    laid = copied.get(target.relative_to(WORK).as_posix())
    return target.is_symlink() or not target.is_file() or digest(target) not in (laid, now)


def beside(target, now, copied):
    """Return NAME.new.ipynb, or NAME.new2.ipynb where that one has been edited too, and so on."""
    for number in itertools.count(1):
        place = target.with_suffix(f".new{number if number > 1 else ''}{target.suffix}")
        if not edited(place, now, copied):
            return place


def digest(path):
    """Return the SHA-256 of a file; of a notebook, of what its cells say: running it is no edit."""
    text = path.read_bytes()
    if path.suffix == ".ipynb":
        with contextlib.suppress(*NO_NOTEBOOK):
            cells = json.loads(text)["cells"]
            text = json.dumps(
                [[cell["cell_type"], to_the_copy("".join(cell["source"]))] for cell in cells]
            ).encode()
    return hashlib.sha256(text).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1:])
