"""Open the lab: copy the chapters to work/, and start JupyterLab on the copy of chapter 00.

Learners work on copies, so a `git pull` never conflicts with their edits. A copy that was not
edited is updated. A copy that was edited stays, and the newer version is written beside it as
NAME.new.ipynb. LAB_WORK names another folder than work/; in a room each learner has one.

    python tools/lab.py [options of JupyterLab]     also joins the board that LAB_BOARD names
    python tools/lab.py --copies        makes or updates the copies, and opens nothing
"""

import contextlib
import getpass
import hashlib
import http.client
import itertools
import json
import os
import re
import sys
import urllib.error
from pathlib import Path

from lab_utils.course.reporting import post

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "notebooks"
EXERCISES = ROOT / "exercises"
DOCS = ROOT / "docs" / "symptoms.md", ROOT / "docs" / "cheat_sheet.md"  # which chapters lead to
SOLUTION_LINK = re.compile(r"\.\./exercises/(\d\d\.\d)/solution\.py")  # in a chapter
DOCS_LINK = re.compile(r"\.\./docs/(symptoms|cheat_sheet)\.md")
WORK = Path(os.environ.get("LAB_WORK") or ROOT / "work").absolute()
RECORD = WORK / ".lab" / "copies.json"  # name -> digest of the version that was copied
# What a file raises that is no notebook any more.
NO_NOTEBOOK = ValueError, KeyError, TypeError, AttributeError, RecursionError
START = "/lab/tree/00_start_here.ipynb"
WITHOUT = "Without a board, start the lab with `make lab`."


def main(jupyter_options: list[str]):
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
        join_board(os.environ["LAB_BOARD"], os.environ.get("LAB_BOARD_NAME", ""))
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


def join_board(address: str, name: str):
    """Join the leader's board at the URL `address`, so that this lab's Jupyter kernels post to it.

    The user types the room's password, and the board returns a token, which Jupyter kernels get in
    the environment variable LAB_BOARD_TOKEN. Neither is stored. `name` is the learner's, or "" for
    none: whoever joins again by the same name is the same person. If there is no board, exit with
    advice.
    """
    url = (address if "://" in address else f"http://{address}").rstrip("/")
    try:
        token = ask_for_token(url, name)
    except (OSError, ValueError, http.client.HTTPException) as error:
        sys.exit(
            f"There is no board at {address} ({error}). Check the address with the leader, and "
            f"whether this network lets laptops talk to each other. {WITHOUT}"
        )
    print(
        f"You are on the board at {url}, {f'as {name}' if name else 'without a name'}. The leader "
        "sees there what you guess and measure, and which exercises you try. `make lab` without "
        "BOARD= posts nothing."
    )
    os.environ["LAB_BOARD_URL"] = url
    os.environ["LAB_BOARD_TOKEN"] = token


def ask_for_token(url: str, name: str) -> str:
    """Ask the user for the room's password until it is right; return the token of the board.

    `url` is the board's, `name` the learner's, or "". Exits if the board refuses anything but the
    password.
    """
    while True:
        try:
            password = getpass.getpass("The room's password: ").strip()
        except EOFError:
            sys.exit(
                "The room's password is typed, and nothing can be typed here. Run `make lab "
                f"BOARD={url}` in a terminal. {WITHOUT}"
            )
        try:
            return post(url, "/api/join", {"password": password, "name": name})["token"]
        except urllib.error.HTTPError as error:
            print(json.load(error)["error"])
            if error.code != 403:
                sys.exit(f"You are not on the board. {WITHOUT}")


def bring_up_to_date() -> list[str]:
    """Copy new and changed files from notebooks/ to work/; return lines about newer versions.

    There is a line for each copy that the learner edited and that has a newer version. A copy is
    replaced, or deleted if the lab no longer has its original, only if the learner has not edited
    it. Raises OSError if work/ can't be written.
    """
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    copied, said = digests_copied(), []
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


def chapters() -> list[Path]:
    """Return the files to copy to work/, sorted by the names of their copies.

    They are the notebooks, their helpers, the solutions of the exercises, and pages of docs/.
    """
    patterns = "*.ipynb", "cases/*.*", "chapter_helpers/*.py", "game/*.py", "other_clients/*.*"
    # The other right and wrong answers are for the tests.
    found = [
        *(path for pattern in patterns for path in CHAPTERS.glob(pattern)),
        *EXERCISES.glob("*/solution.py"),
        *DOCS,
    ]
    return sorted((path for path in found if path.is_file()), key=name_of)


def name_of(source: Path) -> str:
    """Return the path of the copy of `source` in work/, as text, such as solutions/03.2.py."""
    if source.is_relative_to(EXERCISES):
        return f"solutions/{source.parent.name}.py"
    if source in DOCS:
        return source.name
    return source.relative_to(CHAPTERS).as_posix()


def bring(source: Path, copied: dict[str, str]) -> list[str]:
    """Make or update the copy of the file `source` in work/; return the lines to print about it.

    `copied` is {name in work/: SHA-256 of the version copied}, and is updated. A copy that the
    learner edited is never changed: a newer version is laid beside it, and the line says where.
    Otherwise the list of lines is empty.
    """
    name = name_of(source)
    target, now = WORK / name, digest(source)
    if copied.get(name) == now and os.path.lexists(target):
        return []
    target.parent.mkdir(parents=True, exist_ok=True)
    said = []
    if edited(target, now, copied):
        target = path_beside(target, now, copied)
        copied[target.relative_to(WORK).as_posix()] = now
        said.append(
            f"{name} has a newer version. Yours is kept as you edited it; the new one is "
            f"beside it: {target.name}"
        )
    write(target, as_copied(source))
    copied[name] = now
    return said


def as_copied(source: Path) -> bytes:
    """Return the bytes that the copy of the file `source` gets.

    A copied chapter has no outputs, which would show the answers to its guesses. Links in it lead
    to other copies.
    """
    content = source.read_bytes()
    if source.suffix == ".ipynb":
        notebook = json.loads(content)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)
            else:
                cell["source"] = to_the_copy("".join(cell["source"]))
        content = (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()
    if source in DOCS:
        content = to_the_copy(content.decode()).encode()
    return content


def to_the_copy(text: str) -> str:
    text = SOLUTION_LINK.sub(r"solutions/\1.py", text)
    return DOCS_LINK.sub(r"\1.md", text).replace("](../notebooks/", "](")


def digests_copied() -> dict[str, str]:
    """Return {name in work/: SHA-256 of the version that was copied}, from the file of digests.

    The result is {} if that file can't be read; then all copies count as edited.
    """
    try:
        copied = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return copied if isinstance(copied, dict) else {}


def write(target: Path, content: bytes) -> None:
    """Write the bytes `content` to the Path `target`, as a whole or not at all.

    A symbolic link is replaced, not followed.
    """
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        scratch.write_bytes(content)
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)


def edited(target: Path, now: str | None, copied: dict[str, str]) -> bool:
    """Return whether the file `target` in work/ was edited by the learner.

    A file is not edited if its SHA-256 is that of the version copied before, which is in `copied`,
    {name in work/: SHA-256}, or is `now`, that of the new version (None if there is none). A
    missing file is not edited; a symbolic link or a folder is.
    """
    if not os.path.lexists(target):
        return False
    laid = copied.get(target.relative_to(WORK).as_posix())
    return target.is_symlink() or not target.is_file() or digest(target) not in (laid, now)


def path_beside(target: Path, now: str, copied: dict[str, str]) -> Path:
    """Return the Path for a new version beside an edited copy, `target`: NAME.new.ipynb.

    If the learner has edited that file too, it is NAME.new2.ipynb, and so on. `now` is the SHA-256
    of the new version, `copied` is {name in work/: SHA-256 of the version copied}.
    """
    for number in itertools.count(1):
        place = target.with_suffix(f".new{number if number > 1 else ''}{target.suffix}")
        if not edited(place, now, copied):
            return place


def digest(path: Path) -> str:
    """Return the SHA-256 of the file `path`, as hex digits; a notebook's outputs do not count."""
    text = path.read_bytes()
    if path.suffix == ".ipynb":
        with contextlib.suppress(*NO_NOTEBOOK):
            cells = json.loads(text)["cells"]
            text = json.dumps(
                [[cell["cell_type"], to_the_copy("".join(cell["source"]))] for cell in cells]
            ).encode()
    elif path.suffix == ".md":
        text = to_the_copy(text.decode(errors="replace")).encode()
    return hashlib.sha256(text).hexdigest()


if __name__ == "__main__":
    main(sys.argv[1:])
