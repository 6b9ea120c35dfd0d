"""A spare server is another one, with its own settings, and leaves the lab's alone."""

import signal
import sys

import lab_utils as lab
from lab_utils.testbed import clusters, guard, keeper, private_server, server, spare_server


def test_a_spare_server_is_not_the_labs():
    r, spare = lab.connect(), lab.spare()
    assert spare.info("server")["run_id"] != r.info("server")["run_id"]
    sha = r.script_load("return 'still known'")
    spare.script_flush()
    assert r.script_exists(sha) == [True]


def test_redis_url_is_never_used(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert lab.spare().ping()


# Interrupted


MODULES = clusters, guard, keeper, private_server, server, spare_server
FILES = {module.__file__ for module in MODULES}


def traced(work, before_line):
    """Run `work()`, and call `before_line(place)` before each line of FILES in this thread."""

    def on_line(frame, event, _):
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "line":
            before_line((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    sys.settrace(on_line)
    try:
        return work()
    finally:
        sys.settrace(None)


def interrupted(place, work):
    """Run `work()` with a Ctrl-C the first time that it gets to `place`; True if it got there."""

    def before_line(here):
        if here == place:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        traced(work, before_line)
    except KeyboardInterrupt:
        return True
    finally:
        signal.signal(signal.SIGINT, before)
    return False


def nothing_remains(before):
    """Of what was started since, no process and no address in the lab's books."""
    return (
        keeper._kept == before
        and all(kept.alive() for kept in before)
        and all(known.kept in before for known in guard._private.values() if known.alive())
    )


def test_interrupted_on_any_line_a_spare_server_is_stopped(lab_server):
    places = {}
    traced(lambda: spare_server.spare().close(), lambda place: places.setdefault(place))
    assert len(places) > 60
    before = set(keeper._kept)
    for place in places:
        assert not interrupted(place, spare_server.spare) or nothing_remains(before), place
        for late in keeper._kept - before:  # another way was taken this time
            late.stop()
