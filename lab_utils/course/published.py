"""Published tables beside what comes out here; remembered for the scoreboard, which draws all."""

from dataclasses import asdict

from .. import calm
from ..arguments import check_dict, check_names, check_number, check_positive, check_text
from ..calm import Calm, worst
from ..errors import LabError
from ..figures.canvas import environment, say, set_title, styled
from ..figures.published import UNIT, plot_table, published_words, rows_of
from ..figures.rows import draw_rows
from ..words import factor_off, two_figures
from . import state

CLOSE = 1.5  # a figure reproduced within this factor is called close


def plot_published(
    what: str, published: dict, reproduced: dict, rtt_ms: float, title=None, fitted=()
):
    """Draw published seconds beside those reproduced here: {name: seconds}, twice.

    `rtt_ms` is the fitted distance, `fitted` names the published figures that it was solved from:
    they are marked, and are no evidence; if all are fitted, a line is printed instead of a figure.
    The table is remembered for the scoreboard under the name `what`, on a busy machine with its
    Calm. Raises LabError for a fitted name that is not there.
    """
    check_text(what, "what")
    if title is not None:
        check_text(title, "plot_published: title")
    for values in (published, reproduced):
        for name, value in check_dict(values, "plot_published", '{"loop": 5.07}').items():
            check_positive(value, name)
    if missing := [name for name in published if name not in reproduced]:
        raise LabError(
            f"plot_published has no reproduced figure for {', '.join(missing)}. Write "
            "one for each published."
        )
    rtt_ms = check_number(rtt_ms, "rtt_ms", 0)
    fitted = [fitted] if isinstance(fitted, str) else check_names(fitted, "fitted")
    if strangers := set(fitted) - set(published):
        raise LabError(
            f"plot_published knows no figure {', '.join(map(repr, sorted(strangers)))} "
            f"to mark as fitted. There are: {', '.join(published)}."
        )
    seen = calm.so_far()
    with state.changing("published") as tables:
        tables[what] = {
            "published": published,
            "reproduced": reproduced,
            "rtt_ms": rtt_ms,
            "fitted": list(fitted),
            **({"calm": asdict(seen)} if seen.busy else {}),
        }
    if set(fitted) == set(published):
        print(f"measured: {published_words(published, reproduced, fitted)}")
        return None
    return plot_table(what, published, reproduced, rtt_ms, title, fitted)


@styled
def plot_tables(tables: dict, title=None):
    """Draw each remembered table: its seconds, those from here, the factor between."""
    if not tables:
        raise LabError(
            "No published table was reproduced: their cells failed. Run lab.retrial() "
            "again; the reasons stand beside the untested claims."
        )
    blocks, factors, told = {}, {}, []
    for what, table in tables.items():
        published, reproduced = table["published"], table["reproduced"]
        fitted = table.get("fitted", ())
        where = f"{what}, RTT {two_figures(table['rtt_ms'])} ms"
        blocks[where] = rows_of(published, reproduced, fitted)
        told.append(f"{what}: {published_words(published, reproduced, fitted)}")
        factors |= {
            (what, name): factor_off(then, reproduced[name])
            for name, then in published.items()
            if name not in fitted
        }
    figure, axes = draw_rows(blocks, UNIT, log=True)
    set_title(axes, title or came_out(factors))
    seen = worst(Calm(**table["calm"]) for table in tables.values() if "calm" in table)
    environment(axes, found=seen)  # not this kernel's calm: others measured
    say(". ".join(told), seen)
    return figure


def came_out(factors):
    """Say how many figures {(table, name): factor off} are close: those that went into no fit."""
    if not factors:
        return "Every published figure went into a fit, so none is evidence"
    close = sum(factor <= CLOSE for factor in factors.values())
    (table, name), farthest = max(factors.items(), key=lambda item: item[1])
    return (
        f"{close} of the {len(factors)} published figures that went into no fit "
        f"{'comes' if close == 1 else 'come'} out within {CLOSE:g}x;\n"
        f"the farthest off is “{name}” of {table}, {farthest:.1f}x"
    )
