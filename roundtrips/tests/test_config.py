"""[tool.roundtrips]: found upwards, read strictly, and what it ignores."""

import pytest

from roundtrips import RoundTripsError, config, trace
from roundtrips.config import Settings, settings

TABLE = """
[tool.roundtrips]
max = 40
setup = 8
no_keys = true
ratchet = "trips.json"
ratchet_tolerance = "10%"
ignore = ["loop", "app/old_*.py", "app/pages.py:show"]
"""


def test_the_table_is_found_upwards(tmp_path):
    (tmp_path / "pyproject.toml").write_text(TABLE)
    inner = tmp_path / "app" / "deep"
    inner.mkdir(parents=True)
    assert settings(str(inner)) == Settings(
        max=40, setup=8, no_keys=True, ratchet_tolerance="10%",
        ratchet=str(tmp_path / "trips.json"),
        ignore=("loop", "app/old_*.py", "app/pages.py:show"), folder=str(tmp_path),
    )  # fmt: skip
    (inner / "pyproject.toml").write_text("[tool]\nroundtrips = { max = 3 }\n")
    assert settings(str(inner)).max == 3
    (inner / "pyproject.toml").write_text("this is = no [toml")  # not ours to say
    assert settings(str(inner)) == Settings(folder=str(inner))


@pytest.mark.parametrize("line, says", [
    ("maxx = 3", "has 'maxx', which is unknown"), ("max = -1", "something like max = 20"),
    ("max = true", "something like max = 20"), ("max = '3'", "something like max = 20"),
    ("ratchet = 3", 'like ratchet = "trips.json"'), ("no_keys = 1", "like no_keys = true"),
    ("ignore = 'loop'", "something like ignore = .\"loop\","),
    ("ignore = [3]", "something like ignore = .\"loop\","),
    ("ratchet_tolerance = 0.1", 'like ratchet_tolerance = 2, or "10%"'), ("max = ", "is no TOML"),
])  # fmt: skip
def test_what_the_table_can_not_say_is_refused(tmp_path, line, says):
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{line}\n")
    with pytest.raises(RoundTripsError, match=says):
        settings(str(tmp_path))


CODE = f"""
class View:
    def show(self):
        for number in range(9):
            r.get(f"a:{{number}}")

def edit():
    for number in range(9):
        r.get(f"b:{{number}}")  {config.COMMENT}
    for number in range(9):
        r.get(f"c:{{number}}")

View().show()
edit()
"""


@pytest.mark.parametrize("ignore, left", [
    ([], ["a", "c"]), (["app/pages.py:show"], ["c"]), (["app/pages.py"], []), (["app/*.py"], []),
    (["app/old.py", "show"], ["a", "c"]), (["loop"], []),
])  # fmt: skip
def test_what_is_ignored(r, tmp_path, monkeypatch, ignore, left):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "pages.py").write_text(CODE)
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\nignore = {ignore}\n")
    monkeypatch.chdir(tmp_path)
    with trace(keys="plain") as t:
        exec(compile(CODE, str(tmp_path / "app" / "pages.py"), "exec"), {"r": r})
    assert sorted(each.shows[4] for each in t.findings) == left
