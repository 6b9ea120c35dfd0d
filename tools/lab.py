"""Opens the lab: your own copies of the chapters in work/, in JupyterLab, on chapter 00.

You work on copies, so a `git pull` never meets your edits. A chapter you have not edited is brought up to date; one you
have edited stays yours, and a newer version is laid beside it as NAME.new.ipynb. LAB_WORK names another folder than work/;
in a room each learner has one.

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
NO_NOTEBOOK = ValueError, KeyError, TypeError, AttributeError, RecursionError  # what a file raises that is none any more
START = "/lab/tree/00_start_here.ipynb"
RENAMED = {"12_scoreboard.ipynb": "14_scoreboard.ipynb"}


def main(jupyter_options):
    try:
        for line in bring_up_to_date():
            print(line)
    except OSError as error:
        sys.exit(f"Your copies of the chapters go to {WORK}, and that does not work: {error}. "
                 "Rename what stands there, or make it yours to write, and run `make lab` again. Nothing was lost.")
    if jupyter_options == ["--copies"]:
        return
    if os.environ.get("LAB_BOARD"):
        from joining import join

        join(os.environ["LAB_BOARD"], os.environ.get("LAB_BOARD_NAME", ""), RECORD.parent)
    own_path = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [str(ROOT / ".jupyter"), own_path]))
    of_a_room = "JUPYTERHUB_SERVICE_PREFIX" in os.environ  # its hub gave a learner's server this address
    command = [sys.executable, "-m", "jupyterhub.singleuser" if of_a_room else "jupyterlab", f"--ServerApp.root_dir={WORK}",
               f"--LabApp.default_url={START}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # in a container there is often nobody else
    if of_a_room:
        os.environ["JUPYTERHUB_DEFAULT_URL"] = START
    else:
        print("If no browser opens, open the address with the token that JupyterLab prints below. Ctrl-C twice ends the lab.",
              flush=True)
    os.environ.setdefault("PYTHONUTF8", "1")  # so that a kernel reads and writes µ in any locale
    os.chdir(WORK)
    os.execv(sys.executable, [*command, *jupyter_options])


def bring_up_to_date():
    """Copies what is new from notebooks/ to work/; returns what is worth saying about it.

    Plain files in plain folders are brought up to date; whatever else stands in their place is the learner's.
    Raises OSError where work/ cannot be written.
    """
    make_folder(RECORD.parent)
    copied, said = remembered()
    try:
        for source in chapters():
            said += bring(source, copied)
        said += tidy(copied)
    finally:
        write(RECORD, json.dumps(copied, indent=1).encode())
    return list(dict.fromkeys(said))


def chapters():
    """The notebooks, the game of chapter 12 and the solutions to be copied, in order. Other answers are for the tests."""
    found = [*CHAPTERS.glob("*.ipynb"), *CHAPTERS.glob("*.py"), *CHAPTERS.glob("game/*.py"),
             *CHAPTERS.glob("other_clients/*.*"), *EXERCISES.glob("*/solution.py")]
    return sorted((path for path in found if path.is_file()), key=name_of)


def name_of(source):
    """Where the copy of a file goes, below work/: solutions/03.2.py is exercises/03.2/solution.py."""
    if source.is_relative_to(EXERCISES):
        return f"solutions/{source.parent.name}.py"
    return source.relative_to(CHAPTERS).as_posix()


def tidy(copied):
    """Takes away the copies of what the lab has no more, and says what became of them; an edited one stays."""
    known = set(map(name_of, chapters()))
    said = []
    for name in [name for name in copied if ".new" not in name and name not in known]:
        target, now = WORK / name, RENAMED.get(name)
        stays = edited(target, name, None, copied)
        if not stays and is_plain(target) and not through_a_link(target):
            target.unlink()
        if now:
            said.append(f"{name} is now {now}: chapters were renumbered."
                        + (" Yours is kept as you edited it, under its old name." if stays else ""))
        if not stays:
            del copied[name]
    return said


def through_a_link(target):
    return any((WORK / part).is_symlink() for part in target.relative_to(WORK).parents if part != Path("."))


def bring(source, copied):
    """Brings one file up to date, and `copied` with it; returns what is worth saying."""
    name = name_of(source)
    target, now = WORK / name, digest(source)
    if copied.get(name) == now and os.path.lexists(target):
        return []
    try:
        make_folder(target.parent)
    except FileExistsError as error:
        return [f"{error}, so nothing is copied into it. Rename it to get what belongs there."]
    said = []
    if edited(target, name, now, copied):
        target = beside(target, now, copied)
        copied[target.relative_to(WORK).as_posix()] = now
        said.append(f"{name} has a newer version. Yours is kept as you edited it; the new one is beside it: {target.name}")
    write(target, as_copied(source))
    copied[name] = now
    return said


def as_copied(source):
    """The file as a learner gets it: a chapter without outputs, or the answer would stand below each guess, and with links to
    the copies of the solutions.
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
    """({name: digest of the version that was copied}, what is worth saying). A record of another shape is kept aside."""
    if not os.path.lexists(RECORD):
        return {}, []
    try:
        copied = json.loads(RECORD.read_text(encoding="utf-8")) if is_plain(RECORD) else None
    except (OSError, ValueError, RecursionError):
        copied = None
    if isinstance(copied, dict):
        return copied, []
    aside = next(place for number in itertools.count(1)
                 if not os.path.lexists(place := RECORD.with_name(f"{RECORD.name}.broken-{number}")))
    RECORD.rename(aside)
    return {}, [f"{RECORD.relative_to(WORK.parent)} cannot be read as what the lab writes. It is kept aside as {aside.name}; "
                "what you have edited stays as it is."]


def make_folder(folder):
    """Makes a folder of work/, and raises FileExistsError where a file or a link stands in its place.

    work/ itself may be a link; below it none is followed, since it could lead anywhere.
    """
    for part in (*reversed(folder.relative_to(WORK).parents), folder.relative_to(WORK)):
        place = WORK / part
        if place != WORK and place.is_symlink():
            raise FileExistsError(f"{place.relative_to(WORK.parent)} is a link to somewhere else")
        if os.path.lexists(place) and not place.is_dir():
            raise FileExistsError(f"{place.relative_to(WORK.parent)} is no folder")
        place.mkdir(exist_ok=True)


def write(target, content):
    """Puts a whole file in place at once; a link there is replaced, never followed."""
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        scratch.unlink(missing_ok=True)
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def is_plain(path):
    return path.is_file() and not path.is_symlink()


def edited(target, name, now, copied):
    """True if what stands there is neither the version that was laid there nor the new one, or is no plain file."""
    return os.path.lexists(target) and not (is_plain(target) and digest(target) in (copied.get(name), now))


def beside(target, now, copied):
    """NAME.new.ipynb, or NAME.new2.ipynb where that one has been edited too, and so on."""
    for number in itertools.count(1):
        place = target.with_suffix(f".new{number if number > 1 else ''}{target.suffix}")
        if not edited(place, place.relative_to(WORK).as_posix(), now, copied):
            return place


def digest(path):
    """Of a notebook, what its cells say in the copy; so that running it, which changes only outputs, is no edit. Else of the
    bytes.
    """
    text = path.read_bytes()
    if path.suffix == ".ipynb":
        with contextlib.suppress(*NO_NOTEBOOK):
            cells = json.loads(text)["cells"]
            text = json.dumps([[cell["cell_type"], to_the_copy("".join(cell["source"]))] for cell in cells]).encode()
    return hashlib.sha256(text).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1:])
