"""Runs the notebooks and rewrites a committed file only where a fact or a verdict's word changed.

    python tools/notebooks.py [--force] [NOTEBOOK ...]      default: every chapter and case

Measured values differ on every run; as long as only they do, the file stays as it is, so that a
re-run is no diff. --force rewrites it all the same: for new pictures after a change of style.

What was measured on a busy machine is not committed, --force or not, nor is a figure of a
measurement that failed, nor a verdict that one figure turns within its claim's margin: the chapter
is left as it is, the reason is told, and the exit status is 1. With a chapter that is rewritten go
the measurements behind its verdicts, to tests/measured/claims.json.
"""

import datetime
import itertools
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbval.plugin import get_sanitize_patterns

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book"))

import drawings  # noqa: E402  stands in book/

MEASURED = ROOT / "tests" / "measured" / "claims.json"
CELL_TIMEOUT_S = 300
# So says a figure whose rounds do not show what was looked for.
FAILED = "no knee shown", "too few rounds to tell"
NOTICED = 1.1  # two figures of one work that are further apart make a reader wonder
# The tag of a cell that times known work anew, beside something else on purpose.
UNDER_LOAD = "under-load"
SCOREBOARDS = ("14_scoreboard",)  # they try the claims of other chapters again
ASK_VERSIONS = (
    "from lab_utils.testbed.fingerprints import environment_line\nprint(environment_line())"
)
ASK_WHETHER_BUSY = (
    "from lab_utils import calm\nprint(calm.so_far().sentence() if calm.so_far().busy else '')"
)


def main(names):
    os.environ["TQDM_DISABLE"] = "1"  # a progress bar would stay in the file
    # whoever runs it has solved some of the exercises
    os.environ.setdefault("LAB_STATE", str(ROOT / ".lab" / "notebooks"))
    Path(os.environ["LAB_STATE"]).mkdir(parents=True, exist_ok=True)
    force = "--force" in names
    every = [
        path
        for pattern in ("*.ipynb", "cases/*.ipynb")
        for path in sorted((ROOT / "notebooks").glob(pattern))
    ]
    paths = [Path(name) for name in names if name != "--force"] or every
    os.environ["LAB_FIGURE_CHECK"] = drawings.__file__
    refused = False
    for path in paths:
        os.environ["LAB_CHAPTER"] = path.stem
        before = nbformat.read(path, as_version=4)
        after, busy, drawn, times = run(path)
        busy = (
            busy
            or busy_trials(path.stem)
            or failed_figures(after)
            or disagreement(times)
            or on_a_hair(path.stem, words(after))
        )
        changed = force or comparable(before) != comparable(after) or words(before) != words(after)
        if changed and busy:
            refused = True
        elif changed:
            path.write_text(nbformat.writes(after, indent=1) + "\n", encoding="utf-8")
            keep_measured(path.stem, words(after))
            drawings.keep(path.stem, drawn)
        print(f"{path.name}: {told(changed, busy)}", flush=True)
    return int(refused)


def told(changed, busy):
    if changed and busy:
        return f"NOT rewritten, {busy}. Run it again when nothing else computes"
    return "rewritten" if changed else "no fact changed"


def words(notebook):
    """Return {claim: word of its verdict} as the notebook shows them."""
    from lab_utils.course import claims

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = [
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs
    ]
    return {name: word for name, (word, _) in claims.shown_in("\n".join(texts)).items()}


def busy_trials(chapter):
    """Return a sentence with the claims that the scoreboard tried on a busy machine, "" if none."""
    from lab_utils.course import state

    tried = {
        name: entry["chapters"].get(chapter, {}) for name, entry in state.load("claims").items()
    }
    names = (
        [name for name, verdict in tried.items() if verdict.get("taken_share", 0) > 0]
        if chapter in SCOREBOARDS
        else []
    )
    return f"the machine was busy when claims were tried: {', '.join(names)}" if names else ""


def on_a_hair(chapter, shown):
    """Return a sentence with the verdicts that one figure within its claim's margin would turn."""
    from lab_utils.course import claims

    turned = [
        name
        for name, measured in measured_in(chapter, shown).items()
        if claims.turning(name, measured)
    ]
    return f"a verdict hangs on one figure: {', '.join(turned)}" if turned else ""


def failed_figures(notebook):
    """Return what a figure says whose measurement failed, by its alt text; "" if none."""
    alts = [
        output.get("metadata", {}).get("image/png", {}).get("alt", "")
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    ]
    return next(
        (f"a figure says “{words}”: {alt}" for alt in alts for words in FAILED if words in alt), ""
    )


def disagreement(times):
    """Return a sentence where two cells timed the same work and a reader would wonder, or "".

    Figures agree where rounds do not tell one from the other, or medians are within NOTICED.
    """
    from lab_utils.timing.ratio import apart
    from lab_utils.words import milliseconds, plain_duration

    def told(each):
        median, low, high = (
            plain_duration(of(each["seconds"])) for of in (statistics.median, min, max)
        )
        return f"{median} ({low} to {high}) in [{each['cell']}]"

    for one, other in itertools.combinations(times, 2):
        if one["cell"] != other["cell"] and all(
            one[what] == other[what] for what in ("name", "work", "rtt")
        ):
            fast, slow = sorted((one["seconds"], other["seconds"]), key=statistics.median)
            if apart(fast, slow) and statistics.median(slow) > NOTICED * statistics.median(fast):
                return (
                    f"“{one['name']}” at RTT {milliseconds(one['rtt'])} takes {told(one)} and "
                    f"{told(other)}"
                )
    return ""


def keep_measured(chapter, shown):
    """Write what a chapter's verdicts rest on, for the test of their margins."""
    found = measured_in(chapter, shown)
    if found:
        kept = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
        kept[chapter] = found
        MEASURED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def measured_in(chapter, shown):
    """Return {claim: what its verdict rests on}; none of a scoreboard: the claims are others'."""
    from lab_utils.course import state

    tried = {} if chapter in SCOREBOARDS else state.load("claims")
    return {name: tried[name]["chapters"][chapter]["measured"] for name in shown if tried}


def run(path):
    """Run a notebook; return it with its outputs, how busy it was or "", its drawings and times."""
    drawn = {}
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(f"{ASK_VERSIONS}\n{ASK_WHETHER_BUSY}"))
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as noted:
        os.environ["LAB_TIMES"] = noted.name
        NotebookClient(
            notebook,
            timeout=CELL_TIMEOUT_S,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
        loaded = [
            cell.execution_count
            for cell in notebook.cells
            if UNDER_LOAD in cell.metadata.get("tags", ())
        ]
        times = [each for each in map(json.loads, noted) if each["cell"] not in loaded]
    versions, busy = "".join(output.text for output in notebook.cells.pop().outputs).splitlines()
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            # For the reading edition.
            "measured": {"date": datetime.date.today().isoformat(), "on": versions},
        }
    )
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:02d}"
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            found, refused = drawings.taken(cell)
            drawn |= found
            print(*refused, sep="\n", end="\n" * bool(refused))
            cell.outputs = joined([tidy(output) for output in cell.outputs])
    return notebook, busy, drawn, times


def tidy(output):
    if "metadata" in output:
        output.metadata = nbformat.from_dict(
            {
                kind: {told: more[told] for told in ("alt", "drag") if told in more}
                for kind, more in output.metadata.items()
                if kind.startswith("image/")
            }
        )
    if "data" in output:
        # Its state is not saved, so it would show nothing.
        output.data.pop("application/vnd.jupyter.widget-view+json", None)
    return output


def joined(outputs):
    """Return the outputs with printed text in one piece: the moment decides how it is cut up."""
    found = []
    for output in outputs:
        if found and output.output_type == "stream" and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def comparable(notebook):
    """Return what a reader calls the content: cells, and facts in their outputs, no pictures."""
    return [
        (
            cell.cell_type,
            cell.source,
            cell.metadata.get("tags", []),
            cell.get("execution_count"),
            [facts(output) for output in cell.get("outputs", [])],
        )
        for cell in notebook.cells
    ]


def facts(output):
    """Return an output as nbval will compare it, with everything measured blanked."""
    if output.output_type == "stream":
        return output.name, sanitized(output.text)
    if output.output_type == "error":
        return output.ename, sanitized(output.evalue)
    return {
        kind: sanitized(str(value))
        for kind, value in output.data.items()
        if not kind.startswith("image/")
    }


def sanitized(text):
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return text


RULES = get_sanitize_patterns((ROOT / "tests" / "nbval_sanitize.cfg").read_text(encoding="utf-8"))

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
