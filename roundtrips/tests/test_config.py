"""[tool.roundtrips]: found upwards, read strictly, and what it ignores."""

from collections import namedtuple

import pytest

from roundtrips import RoundTripsError, config
from roundtrips.config import Settings, settings

Site = namedtuple("Site", "file line function")
Found = namedtuple("Found", "site kind")
TABLE = """
[tool.roundtrips]
max = 40
max-setup = 8
fail_on_findings = true
ratchet = "trips.json"
ratchet_tolerance = "10%"
ignore = ["loop", "app/old_*.py", "app/pages.py:show"]
"""
CODE = f"""
class View:
    def show(self):
        return [r.get(key) for key in "ab"]

def edit():
    r.get('a')  {config.COMMENT}
    r.get('b')
"""


def test_the_table_is_found_upwards(tmp_path):
    (tmp_path / "pyproject.toml").write_text(TABLE)
    inner = tmp_path / "app" / "deep"
    inner.mkdir(parents=True)
    assert settings(str(inner)) == Settings(
        max=40, max_setup=8, fail_on_findings=True, ratchet_tolerance="10%",
        ratchet=str(tmp_path / "trips.json"),
        ignore=("loop", "app/old_*.py", "app/pages.py:show"), folder=str(tmp_path),
    )  # fmt: skip
    (inner / "pyproject.toml").write_text("[tool]\nroundtrips = { max = 3 }\n")
    assert settings(str(inner)).max == 3
    (inner / "pyproject.toml").write_text("this is = no [toml")  # not ours to say
    assert settings(str(inner)) == Settings(folder=str(inner))


@pytest.mark.parametrize("line, says", [
    ("maxx = 3", "has 'maxx', which is unknown"), ("max = -1", "no whole number of 0 or more"),
    ("max = true", "no whole number"), ("max = '3'", "no whole number"), ("ratchet = 3", "no text"),
    ("fail_on_findings = 1", "no true or false"), ("ignore = 'loop'", "no list of texts"),
    ("ignore = [3]", "no list of texts"), ("ratchet_tolerance = 0.1", "no number or text"),
    ("max = ", "is no TOML"),
])  # fmt: skip
def test_what_the_table_can_not_say_is_refused(tmp_path, line, says):
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{line}\n")
    with pytest.raises(RoundTripsError, match=says):
        settings(str(tmp_path))


def test_what_is_ignored(tmp_path):
    code = tmp_path / "app" / "pages.py"
    code.parent.mkdir()
    code.write_text(CODE)
    made = Settings(ignore=("walk", "app/old_*.py", "app/pages.py:show"), folder=str(tmp_path))
    old, pages = str(tmp_path / "app" / "old_cart.py"), str(code)
    found = [Found(*each) for each in [
        (Site(old, 1, "f"), "loop"), (Site(pages, 4, "<listcomp>"), "loop"),
        (Site(pages, 8, "edit"), "walk"), (Site(pages, 7, "edit"), "loop"),
        (Site(pages, 8, "edit"), "loop"),
    ]]  # fmt: skip
    assert made.kept(found) == found[-1:]
    assert made.ignores(Site(old, 1, "f")) and not made.ignores(Site(pages, 7, "edit"))
