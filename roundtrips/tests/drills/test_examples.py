"""The examples, each run as its first lines say, and the panel of the toolbar in a real browser."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import servers
from frameworks import chromium, need

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def url(server, r):
    return f"redis://:{server['password']}@{server['host']}:{server['port']}/0"


@pytest.fixture
def start(url, tmp_path):
    """Yield a function `start(*arguments)` that starts Python with these arguments in examples/.

    It returns (Popen, Path of the file with what the process prints). The processes are ended after
    the test.
    """
    started = []

    def start(*arguments):
        said = tmp_path / "said"
        environment = {**os.environ, "REDIS_URL": url, "PYTHONPATH": str(EXAMPLES)}
        with said.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-u", *arguments], cwd=EXAMPLES, env=environment,
                stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
        started.append(process)
        return process, said

    yield start
    for process in started:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()
        process.wait()


def wait_for(look, process, said):
    """Call `look()` until it returns something true, and return that.

    Raises AssertionError after a minute, or when the Popen `process` has ended. The error's text is
    what the file `said` contains: the output of the process.
    """
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            found = look()
            if found:
                return found
        time.sleep(0.05)
    raise AssertionError(said.read_text())


def get(address, path="/"):
    with urllib.request.urlopen(f"http://{address}{path}", timeout=30) as reply:
        return reply.read().decode(), reply.headers["Server-Timing"]


def serve(start, *arguments):
    """Start a web server, wait until it replies; return ("host:port", Path of its output).

    `start` is the fixture. `arguments` are those of `python`: "{0}" in them stands for the host,
    "{1}" for a free port.
    """
    address = f"127.0.0.1:{servers.free_port()}"
    process, said = start(*[each.format(*address.split(":")) for each in arguments])

    def look():
        try:
            return get(address, "/none")
        except urllib.error.HTTPError:  # it is there
            return True

    wait_for(look, process, said)
    return address, said


def test_script(start):
    process, said = start("script.py")
    assert process.wait(60) == 0, said.read_text()
    assert said.read_text().startswith("3 round trips   3 waits   3 commands")


def test_flask(start, r):
    need("flask")
    r.zadd("board", {f"user{number}": number for number in range(20)})
    address, said = serve(start, "-m", "flask", "--app", "flask_board", "run", "-p", "{1}")
    body, timing = get(address)
    assert json.loads(body)[0] == "user19" and 'desc="11 round trips, 11 waits' in timing
    assert "HGET" in said.read_text() and "flask_board.py:" in said.read_text()


def test_fastapi(start):
    need("fastapi", "uvicorn")
    address, _ = serve(start, "-m", "uvicorn", "fastapi_cart:app", "--port", "{1}")
    get(address, "/cart/ann?add=tea")
    body, timing = get(address, "/cart/ann?add=tea")
    assert json.loads(body) == {"tea": 2} and timing.endswith('desc="1 round trip, 1 wait"')


def test_celery(start, url):
    need("celery")
    process, said = start(
        "-m", "celery", "-A", "celery_mail", "worker", "--pool", "solo", "-l", "INFO"
    )
    wait_for(lambda: " ready" in said.read_text(), process, said)
    send = "import celery_mail; celery_mail.send_all.delay(['ann', 'bob', 'cid'])"
    environment = {**os.environ, "REDIS_URL": url}
    subprocess.run([sys.executable, "-c", send], cwd=EXAMPLES, env=environment, check=True)
    line = wait_for(lambda: re.search(r"send_all: .*", said.read_text()), process, said)
    assert re.search(r"send_all: 1 round trip   1 wait   3 commands", line[0]), said.read_text()


def test_rq(start, url):
    need("rq")
    send = (
        "import os, redis, rq, rq_mail; "
        "r = redis.Redis.from_url(os.environ['REDIS_URL']); "
        "rq.Queue(connection=r).enqueue(rq_mail.send_all, ['ann', 'bob'])"
    )
    assert start("-c", send)[0].wait(60) == 0
    process, said = start(
        "-m", "rq.cli", "worker", "--job-class", "rq_mail.CountedJob", "--burst", "--url", url
    )
    assert process.wait(60) == 0, said.read_text()
    assert "rq_mail.send_all: 1 round trip   1 wait   1 command" in said.read_text()


def test_djangos_own_tests(start):
    need("django", "debug_toolbar")
    process, said = start("-m", "unittest", "django_shop")
    assert process.wait(60) == 0 and "Ran 1 test" in said.read_text(), said.read_text()


def test_the_panel_of_djangos_toolbar_in_a_browser(start, r):
    need("django", "debug_toolbar", "playwright")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)
    address, _ = serve(start, "django_shop.py", "runserver", "--noreload", "{0}:{1}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        for query, subtitle, label in (
            ("", "1 round trip, 1 wait", "MGET"),
            ("?one_by_one", "20 round trips, 20 waits", "GET"),
        ):
            page.goto(f"http://{address}/{query}")
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

async def main():
    get, here = AsyncClient().get, {"REMOTE_ADDR": "127.0.0.1"}
    for reply in await asyncio.gather(get("/", **here), get("/?one_by_one", **here)):
        print(reply.headers["Server-Timing"])

asyncio.run(main())
"""


def test_the_panel_under_asgi_tells_requests_apart(start):
    need("django", "debug_toolbar")
    process, said = start("-c", ASYNC)
    assert process.wait(60) == 0, said.read_text()
    found = re.findall(r"(\d+) round trips?, (\d+) wait", said.read_text())
    assert found == [("1", "1"), ("20", "20")], said.read_text()
