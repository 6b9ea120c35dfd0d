"""[tool.roundtrips]: found upwards, read strictly, and what it ignores."""

import sys
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
ratchet_tolerance = "10%"
keys = "none"
ignore = ["loop", "app/old_*.py", "app/pages.py:show"]
"""
needs_toml = pytest.mark.skipif(sys.version_info < (3, 11), reason="no tomllib")


@needs_toml
def test_the_table_is_found_upwards(tmp_path):
    (tmp_path / "pyproject.toml").write_text(TABLE)
    inner = tmp_path / "app" / "deep"
    inner.mkdir(parents=True)
    assert settings(str(inner)) == Settings(
        max=40, max_setup=8, fail_on_findings=True, ratchet_tolerance="10%", keys="none",
        ignore=("loop", "app/old_*.py", "app/pages.py:show"), folder=str(tmp_path),
    )  # fmt: skip


def test_without_a_table_nothing_is_set(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("this is = no [toml")  # not ours to say
    monkeypatch.chdir(tmp_path)
    assert settings() == Settings(folder=str(tmp_path))


@needs_toml
@pytest.mark.parametrize("line, says", [
    ("maxx = 3", "has 'maxx', which is unknown"), ("max = -1", "no whole number of 0 or more"),
    ("max = true", "no whole number"), ("max = '3'", "no whole number"), ("keys = 3", "no text"),
    ("fail_on_findings = 1", "no true or false"), ("ignore = 'loop'", "no list of texts"),
    ("ignore = [3]", "no list of texts"), ("max = ", "is no TOML"),
])  # fmt: skip
def test_what_the_table_can_not_say_is_refused(tmp_path, line, says):
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{line}\n")
    with pytest.raises(RoundTripsError, match=says):
        settings(str(tmp_path))


def test_without_a_reader_of_toml_the_table_is_refused(tmp_path, monkeypatch):
    for name in ("tomllib", "tomli"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "pyproject.toml").write_text('name = "has roundtrips among what it needs"\n')
    assert settings(str(tmp_path)).max is None
    (tmp_path / "pyproject.toml").write_text(TABLE)
    with pytest.raises(RoundTripsError, match=r"needs Python 3\.11, or tomli"):
        settings(str(tmp_path))


def test_what_is_ignored(tmp_path):
    code = tmp_path / "app" / "pages.py"
    code.parent.mkdir()
    code.write_text(f"r.get('a')  {config.COMMENT}\nr.get('b')\n")
    made = Settings(ignore=("walk", "app/old_*.py", "app/pages.py:show"), folder=str(tmp_path))
    old, pages = str(tmp_path / "app" / "old_cart.py"), str(code)
    found = [Found(*each) for each in [
        (Site(old, 1, "f"), "loop"), (Site(pages, 2, "View.show"), "loop"),
        (Site(pages, 2, "edit"), "walk"), (Site(pages, 1, "edit"), "loop"),
        (Site(pages, 2, "edit"), "loop"),
    ]]  # fmt: skip
    assert made.kept(found) == found[-1:]
    assert made.ignores(Site(old, 1, "f")) and not made.ignores(Site(pages, 1, "edit"))
