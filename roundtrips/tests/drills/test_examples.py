"""The examples, each run as its first lines say, and the panel of the toolbar in a real browser."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import redis

from frameworks import need, without
from runs import ran

EXAMPLES = Path(__file__).parents[2] / "examples"
SERVES = r"http://127\.0\.0\.1:[1-9]\d*"  # what a web server prints once it listens


@pytest.fixture
def url(server, r):
    return f"redis://:{server['password']}@{server['host']}:{server['port']}/0"


@pytest.fixture
def start(url):
    """Yield a function `start(*arguments)` that starts Python with these arguments in examples/.

    It returns what the process prints, as a file. The processes are ended after the test.
    """
    with contextlib.ExitStack() as stack:

        def start(*arguments):
            process = subprocess.Popen(
                [sys.executable, "-u", *arguments], cwd=EXAMPLES, text=True,
                env={**os.environ, "REDIS_URL": url},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            stack.enter_context(process)
            stack.callback(process.kill)
            return process.stdout

        yield start


def read_to(pattern, printed):
    """Read the lines `printed` up to the first where the regular expression matches.

    Return what matched. The lines are printed, so that pytest shows them when the test fails.
    """
    for line in printed:
        print(line, end="")
        if found := re.search(pattern, line):
            return found[0]
    raise AssertionError(f"{pattern!r} was not printed")


def get(address):
    with urllib.request.urlopen(address, timeout=30) as reply:
        return json.load(reply), reply.headers["Server-Timing"]


def test_script(url):
    done = ran(EXAMPLES, {}, "script.py", by=(), REDIS_URL=url)
    assert done.stdout.startswith("3 round trips   3 waits   3 commands"), done


def test_flask(start, r):
    need("flask")
    r.zadd("board", {f"user{number}": number for number in range(20)})
    printed = start("-m", "flask", "--app", "flask_board", "run", "-p", "0")
    body, timing = get(read_to(SERVES, printed))
    assert body[0] == "user19" and 'desc="11 round trips, 11 waits' in timing
    read_to(r"HGET.* flask_board\.py:", printed)


def test_fastapi(start):
    need("fastapi", "uvicorn")
    address = read_to(SERVES, start("-m", "uvicorn", "fastapi_cart:app", "--port", "0"))
    get(f"{address}/cart/ann?add=tea")
    body, timing = get(f"{address}/cart/ann?add=tea")
    assert body == {"tea": 2} and timing.endswith('desc="1 round trip, 1 wait"')


def test_celery(start, url):
    need("celery")
    printed = start("-m", "celery", "-A", "celery_mail", "worker", "--pool", "solo", "-l", "INFO")
    read_to(" ready", printed)
    send = "import celery_mail; celery_mail.send_all.delay(['ann', 'bob', 'cid'])"
    ran(EXAMPLES, {}, "-c", send, by=(), REDIS_URL=url).check_returncode()
    read_to("send_all: 1 round trip   1 wait   3 commands", printed)


def test_rq(server, url):
    rq = need("rq")
    with redis.Redis(**server) as connection:
        rq.Queue(connection=connection).enqueue("rq_mail.send_all", ["ann", "bob"])
    words = "-m", "rq.cli", "worker", "--job-class", "rq_mail.CountedJob", "--burst"
    done = ran(EXAMPLES, {}, *words, "--url", url, by=(), REDIS_URL=url)
    assert "rq_mail.send_all: 1 round trip   1 wait   1 command" in done.stderr + done.stdout, done


def test_djangos_own_tests(url):
    need("django", "debug_toolbar")
    done = ran(EXAMPLES, {}, "-m", "unittest", "django_shop", by=(), REDIS_URL=url)
    assert done.returncode == 0 and "Ran 1 test" in done.stderr, done


def test_the_panel_of_djangos_toolbar_in_a_browser(start, r):
    need("django", "debug_toolbar", "playwright")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)
    address = read_to(SERVES, start("django_shop.py", "runserver", "--noreload", "0"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or without("there is no chromium"),
            args=["--no-sandbox"],
        )
        page = browser.new_page()
        for query, subtitle, label in (
            ("", "1 round trip, 1 wait", "MGET"),
            ("?one_by_one", "20 round trips, 20 waits", "GET"),
        ):
            page.goto(f"{address}/{query}")
            panel = page.locator("#djdt-RoundTripsPanel")
            if not panel.is_visible():
                page.locator("#djShowToolBarButton").click()
            expect(panel).to_contain_text(subtitle)
            panel.locator("a").click()
            content = page.locator("#RoundTripsPanel")
            expect(content).to_contain_text(label)
            expect(content).to_contain_text("django_shop.py:")


ASYNC = """
import asyncio, django_shop
from django.test import AsyncClient
from roundtrips.integrations.django_panel import RoundTripsPanel

RoundTripsPanel.record_stats = lambda panel, stats: print(stats["summary"])

async def main():
    get, here = AsyncClient().get, {"REMOTE_ADDR": "127.0.0.1"}
    await asyncio.gather(get("/", **here), get("/?one_by_one", **here))

asyncio.run(main())
"""


def test_the_panel_under_asgi_tells_requests_apart(url):
    need("django", "debug_toolbar")
    done = ran(EXAMPLES, {}, "-c", ASYNC, by=(), REDIS_URL=url)
    found = re.findall(r"(\d+) round trips?, (\d+) wait", done.stdout)
    assert sorted(found) == [("1", "1"), ("20", "20")], done
