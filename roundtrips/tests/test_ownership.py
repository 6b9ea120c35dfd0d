"""Whose code a line is: one's own that is installed, a library's wherever it lies, a helper's."""

import pytest

from runs import ran, reported

CALLS = "import json, os, redis\nr = redis.Redis(**json.loads(os.environ['CLIENT']))\n"
GET = f"{CALLS}def get(key):\n    return r.get(key)\n"
PAGE = "from {0} import get\ndef page():\n    for number in range(9):\n        get(number)\n"
FROM_FOLDER = '{"url": "file:///src", "dir_info": {}}'
FROM_WHEEL = '{"url": "file:///wheels/one-1-py3-none-any.whl", "archive_info": {}}'


def install(place, package, text, origin=""):
    """Write a package and its metadata into the folder `place`, as pip does.

    `text` is the package's source. `origin` is the JSON of its direct_url.json; "" is for no such
    file.
    """
    (place / package).mkdir(parents=True)
    (place / package / "__init__.py").write_text(text)
    info = place / f"{package}-1.dist-info"
    info.mkdir()
    (info / "RECORD").write_text(f"{package}/__init__.py,,\n{info.name}/RECORD,,\n")
    if origin:
        (info / "direct_url.json").write_text(origin)


def sites(tmp_path, server, *places):
    """Run app.py under roundtrips; return [(file, function, library)] of its call sites.

    `places` are the folders in `tmp_path` that PYTHONPATH names. Unless the test has written
    app.py, it calls page() of the module shop. Call sites that set up connections are left out.
    """
    if not (tmp_path / "app.py").exists():
        (tmp_path / "app.py").write_text("from shop import page\npage()\n")
    path = ":".join(str(tmp_path / place) for place in places)
    report, _ = reported(tmp_path, server, "app.py", PYTHONPATH=path)
    return [
        (each["file"].replace(str(tmp_path), ""), each["function"].split(".")[-1], each["through"])
        for each in report["call_sites"]
        if not each["setup"]
    ]


@pytest.mark.parametrize("folder, origin, table, own", [
    ("site-packages", "", "", False), ("site-packages", FROM_FOLDER, "", True),
    ("site-packages", FROM_WHEEL, "", False), ("libs", "", "", False),
    ("site-packages", "", '[project]\nname = "Shop"\n', True), ("libs", FROM_FOLDER, "", True),
    ("site-packages", "", '[tool.roundtrips]\nown = ["shop"]\n', True),
    ("libs", "", '[tool.roundtrips]\nown = ["shop"]\n', True),
])  # fmt: skip
def test_a_package_of_ones_own_may_be_installed(tmp_path, server, folder, origin, table, own):
    install(tmp_path / folder, "helper", GET)
    install(tmp_path / folder, "shop", PAGE.format("helper"), origin)
    (tmp_path / "pyproject.toml").write_text(table)
    [(file, function, through)] = sites(tmp_path, server, folder)
    assert through == "helper"
    assert (file.endswith("shop/__init__.py"), function == "page") == (own, own)


@pytest.mark.parametrize("package, helpers", [
    ("sentry_sdk", []), ("newrelic", []), ("ours", ["ours"]),
])  # fmt: skip
def test_what_wraps_redis_py_is_passed_by(tmp_path, server, package, helpers):
    install(tmp_path / "site-packages", package, GET)
    (tmp_path / "shop.py").write_text(PAGE.format(package))
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\nhelpers = {helpers}\n")
    [(file, function, through)] = sites(tmp_path, server, "site-packages")
    assert (file.endswith("shop.py"), function, through) == (True, "page", None)


ASYNC = """
import asyncio, json, os, redis.asyncio, sentry_sdk
from roundtrips import trace
async def page():
    async with redis.asyncio.Redis(**json.loads(os.environ["CLIENT"])) as r:
        await asyncio.gather(*[r.get(key) for key in "abc"])
with trace() as t:
    asyncio.run(page())
print({(os.path.basename(each.site.file), each.site.line) for each in t.call_sites})
"""
SENTRY = """
import redis.asyncio
plain = redis.asyncio.Redis.execute_command
async def execute_command(self, *args, **kwargs):
    return await plain(self, *args, **kwargs)
redis.asyncio.Redis.execute_command = execute_command
"""


def test_what_wraps_asyncios_client_is_passed_by_where_tasks_run_its_calls(tmp_path, server):
    install(tmp_path / "site-packages", "sentry_sdk", SENTRY)
    (tmp_path / "app.py").write_text(ASYNC)
    done = ran(tmp_path, server, "app.py", by=(), PYTHONPATH=str(tmp_path / "site-packages"))
    assert done.stdout == "{('app.py', 6)}\n", done


LINES = "r.get(1)\n    r.get(2)\n    r.get(3)"


@pytest.mark.parametrize("helpers, get, functions", [
    ([], "return r.get(key)", {"users", "carts"}),
    (["app.py:get"], "r.get(key)", {"users", "carts"}),
    ([], "try:\n        return hidden(key)\n    finally:\n        pass", {"users", "carts"}),
    ([], "for each in [key]: r.get(each)", {"get"}), ([], LINES, {"get"}),
    (["other.py", "*:get"], LINES, {"users", "carts"}),
    (["*.py"], LINES, {"get"}),  # where nothing else is above, the helper's own line
])  # fmt: skip
def test_a_helpers_callers_are_shown_in_its_place(tmp_path, server, helpers, get, functions):
    hidden = "def hidden(key):\n    return r.get(key)\n"
    two = "def users():\n    get(1)\ndef carts():\n    get(2)\nusers()\ncarts()\n"
    (tmp_path / "app.py").write_text(f"{CALLS}{hidden}def get(key):\n    {get}\n{two}")
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\nhelpers = {helpers}\n")
    assert {function for _, function, _ in sites(tmp_path, server)} == functions


BEATS = {
    "thread": """
import threading
r.get(1)
kept = r.client()  # so the thread needs a connection of its own
t = threading.Thread(target=lambda: (get(1), get(2)), name="beat-1")
t.start()
t.join()
""",
    "task": """
import asyncio
r.get(1)
kept = r.client()
async def main():
    async def beat_often():
        get(1), get(2)
    await asyncio.create_task(beat_often())
asyncio.run(main())
""",
}


@pytest.mark.parametrize("names, counted, connections", [
    ([], 3, 2), (["beat*"], 1, 1), (["*"], 1, 1),
])  # fmt: skip
@pytest.mark.parametrize("text", BEATS.values(), ids=BEATS)
def test_a_thread_may_be_left_out_by_its_name(tmp_path, server, text, names, counted, connections):
    (tmp_path / "app.py").write_text(GET + text)
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\nignore_threads = {names}\n")
    report, _ = reported(tmp_path, server, "app.py")
    assert (report["round_trips"], report["connections"], report["uncounted"]) == (
        counted, connections, [],
    )  # fmt: skip


def test_a_thread_that_is_left_out_is_counted_in_a_block_that_gave_it_work(tmp_path, server):
    (tmp_path / "pyproject.toml").write_text("[tool.roundtrips]\nignore_threads = ['beat']\n")
    text = f"{GET}import threading\nfrom roundtrips import trace\nwith trace() as t:\n"
    text += "    thread = threading.Thread(target=get, args=(1,), name='beat')\n"
    text += "    thread.start()\n    thread.join()\nassert t.round_trips == 1, t\n"
    (tmp_path / "app.py").write_text(text)
    _, done = reported(tmp_path, server, "app.py")
    assert done.returncode == 0, done.stderr


def test_callers_of_a_helper_are_told_apart_where_it_hands_work_over(tmp_path, server):
    helper = "def read(keys):\n    return list(pool.map(r.get, keys))\n"
    pages = "def a():\n    read('abc')\ndef b():\n    read('de')\na()\nb()\n"
    pool = "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
    (tmp_path / "app.py").write_text(f"{CALLS}{pool}{helper}{pages}")
    assert sorted(sites(tmp_path, server)) == [("/app.py", "a", None), ("/app.py", "b", None)]


def test_the_line_of_a_librarys_call_in_another_thread_is_where_it_was_handed_over(
    tmp_path, server
):
    install(tmp_path / "site-packages", "helper", GET)
    pool = "from concurrent.futures import ThreadPoolExecutor\nfrom helper import get\n"
    page = "def page():\n    with ThreadPoolExecutor() as pool:\n        pool.submit(get, 1)\n"
    (tmp_path / "shop.py").write_text(pool + page)
    assert sites(tmp_path, server, "site-packages") == [("/shop.py", "page", "helper")]
