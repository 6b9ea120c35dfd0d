"""Every chapter runs from top to bottom in a real browser; `make test` runs one."""

import pytest
from chapter_runs import CHOSEN
from test_browser import browser, lab, page, run_all  # noqa: F401  fixtures


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("path", CHOSEN, ids=lambda path: path.stem)
def test_all_cells_run_in_a_browser(page, path):  # noqa: F811  the fixture above
    run_all(page, path.name)
