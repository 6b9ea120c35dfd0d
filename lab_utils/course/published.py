"""Published tables beside what comes out here; remembered for the scoreboard."""

from dataclasses import asdict

from .. import calm
from ..arguments import check_dict, check_names, check_number, check_positive, check_text, check_title
from ..errors import LabError
from ..figures.published import plot_table, published_words
from . import state


def plot_published(what, published, reproduced, rtt_ms, title=None, fitted=()):
    """Draw published seconds beside those reproduced here at the fitted distance: {name: seconds}, twice.

    `fitted` names the published figures that the distance was solved from: they are marked, and are no evidence.
    Where that is all of them, there is nothing to look at: a line is printed.
    The table is remembered for the scoreboard under the name `what`, on a busy machine with its Calm. Raises LabError for a
    fitted name that is not there.
    """
    check_text(what, "what")
    check_title(title, "lab.plot_published")
    for values in (published, reproduced):
        for name, value in check_dict(values, "lab.plot_published", '{"loop": 5.07}').items():
            check_positive(value, name)
    if missing := [name for name in published if name not in reproduced]:
        raise LabError(f"lab.plot_published has no reproduced figure for {', '.join(missing)}. Write one for each published.")
    rtt_ms, fitted = check_number(rtt_ms, "rtt_ms", 0), [fitted] if isinstance(fitted, str) else check_names(fitted, "fitted")
    if strangers := set(fitted) - set(published):
        raise LabError(f"lab.plot_published knows no figure {', '.join(map(repr, sorted(strangers)))} to mark as fitted. "
                       f"There are: {', '.join(published)}.")
    seen = calm.so_far()
    with state.changing("published") as tables:
        tables[what] = {"published": published, "reproduced": reproduced, "rtt_ms": rtt_ms, "fitted": list(fitted),
                        **({"calm": asdict(seen)} if seen.busy else {})}
    if set(fitted) == set(published):
        print(f"measured: {published_words(published, reproduced, fitted)}")
        return None
    return plot_table(what, published, reproduced, rtt_ms, title, fitted)
