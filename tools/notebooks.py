"""Run the notebooks, and rewrite a committed file only if a fact or a verdict in it has changed.

    python tools/notebooks.py [--force] [NOTEBOOK ...]      default: every chapter and case

Measured values differ on every run. As long as only they differ the file is not rewritten, so that
a new run makes no diff. --force rewrites it all the same, for new pictures after a change of style.

A chapter is not rewritten, even with --force, in three cases: the machine was busy, a figure says
that its measurement failed, or a verdict would change if one measured value changed by the claim's
margin. Then the reason is printed, and the exit status is 1. For a rewritten chapter two more files
are stored: the measurements behind its verdicts in tests/measured/claims.json, and its figures as
SVG, for the reading edition, in book/figures/NN_name/cell-NN.svg.
"""

import datetime
import json
import os
import re
import shutil
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from helpers import as_compared  # noqa: E402  stands in tests/, as verdict_words does
from verdict_words import turning, verdicts  # noqa: E402

MEASURED = ROOT / "tests" / "measured" / "claims.json"
FIGURES = ROOT / "book" / "figures"
CELL_TIMEOUT_S = 300
# So says a figure whose rounds do not show what was looked for.
FAILED = "no knee shown", "too few rounds to tell"
ASK_VERSIONS = (
    "from lab_utils.testbed.fingerprints import environment_line\nprint(environment_line())"
)
ASK_WHETHER_BUSY = (
    "from lab_utils.disturbance import so_far\nprint(so_far().sentence() if so_far().busy else '')"
)
# A kernel shows each figure as SVG beside the picture; the reading edition has the SVG.
SVG = "image/svg+xml"
KERNEL_ARGUMENTS = ["--InlineBackend.figure_formats={'png', 'svg'}"]
ENVIRONMENT = {"MATPLOTLIBRC": str(ROOT / "tools" / "matplotlibrc")}
FONTS = "'DejaVu Sans',Verdana,sans-serif"  # the latter no wider: words keep their room
LEFT_OUT = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>"
    r'|(?<=<g) id="[^"]*"',
    re.DOTALL,
)
TAG, FRACTION = re.compile(r"<[^>]*>"), re.compile(r"-?\d+\.\d+")
FAMILY = re.compile(r"'DejaVu Sans'[^;\"]*sans-serif[^;\"]*")


def main(names: list[str]):
    os.environ["TQDM_DISABLE"] = "1"  # a progress bar would stay in the file
    # whoever runs it has solved some of the exercises
    os.environ.setdefault("LAB_STATE", str(ROOT / ".lab" / "notebooks"))
    Path(os.environ["LAB_STATE"]).mkdir(parents=True, exist_ok=True)
    os.environ.update(ENVIRONMENT)
    force = "--force" in names
    folder = ROOT / "notebooks"
    every = [*sorted(folder.glob("*.ipynb")), *sorted(folder.glob("cases/*.ipynb"))]
    refused = 0
    for path in [Path(name) for name in names if name != "--force"] or every:
        os.environ["LAB_CHAPTER"] = path.stem
        before = nbformat.read(path, as_version=4)
        after, busy, drawn = run(path)
        reason = busy or failed_figures(after) or on_a_hair(after)
        said = "no fact changed"
        if force or comparable(before) != comparable(after):
            if reason:
                refused = 1
                said = f"NOT rewritten, {reason}. Run it again when nothing else computes"
            else:
                path.write_text(nbformat.writes(after, indent=1) + "\n", encoding="utf-8")
                keep_measured(path.stem, measured_in(after))
                keep_drawings(path.stem, drawn)
                said = "rewritten"
        print(f"{path.name}: {said}", flush=True)
    return refused


def on_a_hair(notebook) -> str:
    """Return a sentence that names the verdicts that hang on a single measurement; "" if none does.

    Those are the verdicts that change if one measurement changes by the claim's margin. `notebook`
    is a notebook of nbformat.
    """
    turned = [name for name, measured in measured_in(notebook).items() if turning(name, measured)]
    return f"a verdict hangs on one figure: {', '.join(turned)}" if turned else ""


def failed_figures(notebook) -> str:
    """Return the alt texts of the figures whose measurement failed, as one text; "" if none failed.

    A measurement failed if the figure's alt text has one of the texts FAILED. `notebook` is a
    notebook of nbformat.
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    alts = [output.get("metadata", {}).get("image/png", {}).get("alt", "") for output in outputs]
    said = [f"a figure says “{words}”: {alt}" for alt in alts for words in FAILED if words in alt]
    return "; ".join(said)


def keep_measured(chapter: str, found: dict[str, dict]) -> None:
    """Store the measurements behind a chapter's verdicts in tests/measured/claims.json.

    `found` is {claim's name: {name: measurement}}, as `measured_in` returned it; `chapter` is the
    notebook's file name without suffix.
    """
    if found:
        kept = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
        kept[chapter] = found
        MEASURED.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def measured_in(notebook) -> dict[str, dict]:
    """Return the measurements behind a notebook's verdicts: {claim's name: {name: measurement}}.

    `notebook` is a notebook of nbformat, which was just run on this machine.
    """
    from lab_utils.course import ledger, state

    tried = [name for cell in notebook.cells for name in ledger.TRIES.findall(cell.source)]
    known = state.load("claims")
    return {name: known[name]["measured"] for name in tried}


def run(path: Path) -> tuple:
    """Run the notebook at `path`; return (notebook, sentence, drawings).

    The notebook, of nbformat, has its outputs. The sentence says how busy the machine was, and is
    "" if it was not; the drawings are {file name: SVG text}.
    """
    drawn = {}
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(f"{ASK_VERSIONS}\n{ASK_WHETHER_BUSY}"))
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=KERNEL_ARGUMENTS,
    ).execute()
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
            drawn |= drawings_in(cell)
            cell.outputs = joined([tidy(output) for output in cell.outputs])
    return notebook, busy, drawn


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


def joined(outputs: list) -> list:
    """Return a cell's outputs with neighbouring pieces of printed text joined into one.

    Jupyter cuts printed text into pieces at random places. `outputs` is a list of nbformat's
    outputs.
    """
    found = []
    for output in outputs:
        if found and output.output_type == "stream" and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def drawings_in(cell: dict) -> dict[str, str]:
    """Remove the SVG drawings from a cell's outputs; return them as {file name: SVG text}."""
    found = {}
    for output in cell.get("outputs", ()):
        if drawing := output.get("data", {}).pop(SVG, None):
            found[f"{cell['id']}.svg"] = squeezed(drawing)
            output["metadata"].pop(SVG, None)
    return found


def keep_drawings(chapter: str, files: dict[str, str]) -> None:
    """Store a chapter's drawings, {file name: SVG text}, in book/figures/; delete its earlier ones.

    `chapter` is the notebook's file name without suffix.
    """
    shutil.rmtree(FIGURES / chapter, ignore_errors=True)
    for name, text in files.items():
        (FIGURES / chapter).mkdir(parents=True, exist_ok=True)
        (FIGURES / chapter / name).write_text(text, encoding="utf-8")


def squeezed(text: str) -> str:
    """Return an SVG drawing in a fifth of its size: one decimal a coordinate, and no comments."""
    text = FAMILY.sub(FONTS, LEFT_OUT.sub("", text))
    text = TAG.sub(lambda tag: FRACTION.sub(tenths, tag[0]), text)
    text = text.replace("</style>", "text{white-space:pre}</style>")
    return re.sub(r"\s*\n\s*", "\n", text).strip() + "\n"


def tenths(found) -> str:
    return f"{float(found[0]):.1f}".removesuffix(".0")


def comparable(notebook) -> list:
    """Return a notebook's cells, printed facts and verdicts, as a list to compare with another's.

    Measured values are left out. If two lists are equal, the notebook has not changed. `notebook`
    is a notebook of nbformat.
    """
    words = [(name, verdict.word) for name, verdict in verdicts(notebook).items()]
    return words + [
        (
            cell.cell_type,
            cell.source,
            cell.metadata.get("tags", []),
            cell.get("execution_count"),
            [facts(output) for output in cell.get("outputs", [])],
        )
        for cell in notebook.cells
    ]


def facts(output: dict):
    """Return an output of nbformat in the form that nbval compares.

    Measured values in it are replaced by fixed words. The form is a tuple (name, text) for what was
    printed or raised, else a dict {MIME type: text} without pictures.
    """
    if output.output_type == "stream":
        return output.name, as_compared(output.text)
    if output.output_type == "error":
        return output.ename, as_compared(output.evalue)
    return {
        kind: as_compared(str(value))
        for kind, value in output.data.items()
        if not kind.startswith("image/")
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
