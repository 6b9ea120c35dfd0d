"""Compile what the page needs of /host/lab into /host/lab.zip; run.mjs runs this.

The page's own Python compiles: another's bytecode is none to it. Modules that no offered exercise
imports are left out.
"""

import os
import py_compile
import re
import sys
import zipfile
from pathlib import Path

FROM = Path("/host/lab")
# Beside modules: what they read, and under which licence they stand.
DATA = re.compile(r".*\.(json|md)|METADATA|LICEN[CS]E.*", re.IGNORECASE)

sys.path.insert(0, str(FROM))
os.makedirs("/home", exist_ok=True)

import json  # noqa: E402

from in_page import page  # noqa: E402

for name in json.loads(Path("/host/offered.json").read_text("utf-8")):
    page.run((FROM / "exercises" / name / "solution.py").read_text("utf-8"), "{}")
page.run("import redis.asyncio\nr.get(str(n))", "{}")

loaded = {getattr(module, "__file__", None) for module in sys.modules.values()}
with zipfile.ZipFile("/host/lab.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(FROM.rglob("*")):
        name = path.relative_to(FROM)
        if DATA.fullmatch(path.name) or name.match("exercises/*/check.py"):
            archive.write(path, str(name))
        elif str(path) in loaded:
            compiled = py_compile.compile(
                str(path),
                cfile="/tmp/compiled.pyc",
                dfile=f"/lab/{name}",
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            archive.write(compiled, str(name.with_suffix(".pyc")))
