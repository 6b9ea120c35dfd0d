"""Run all answers of the exercises that the page to try offers, in one process, as the page does.

    python tests/walk_to_try.py FOLDER     or by Python for browsers, whose /host is FOLDER

FOLDER/answers.json has [path, source] of each; FOLDER/verdicts.json gets {path: verdict}.
"""

import json
import sys
import zipfile
from pathlib import Path

if sys.platform == "emscripten":
    WORK = Path("/host")
    zipfile.ZipFile(WORK / "lab.zip").extractall("/lab")
    sys.path.insert(0, "/lab")
else:
    WORK = Path(sys.argv[1])
    ROOT = Path(__file__).resolve().parent.parent
    sys.path[:0] = map(str, (ROOT, ROOT / "roundtrips" / "src", ROOT / "book" / "try"))
    sys.modules["hiredis"] = None

from in_page import page

verdicts = {}
for name, source in json.loads((WORK / "answers.json").read_text("utf-8")):
    said = json.loads(page.run(source, "{}"))
    verdicts[name] = said["error"] or said["verdict"]
(WORK / "verdicts.json").write_text(json.dumps(verdicts), encoding="utf-8")
