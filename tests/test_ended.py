"""What the client of a server or a link that has ended is told, in a cell and in a helper."""

import os
import subprocess
import sys
import textwrap

import pytest
import redis
from helpers import url_of

from lab_utils.testbed.ended import sentence
from lab_utils.testbed.link import GONE

SCRIPT = """
    import time
    import redis
    import lab_utils as lab
    from lab_utils.testbed.ended import sentence
    from lab_utils.testbed import guard
    from lab_utils.testbed.link import link
    from lab_utils.testbed.chosen_server import server

    def told(client):
        try:
            return str(client.ping())
        except redis.ConnectionError as error:
            return str(sentence(error))

    near, far, spare = lab.connect(retry=None), lab.connect(1, retry=None), lab.spare(retry=None)
    print(told(near), told(far), told(spare))
    link().process.kill()
    link.known().process.wait()
    print(told(far))
    new = lab.connect(1, retry=None)
    print(told(far), told(new))
    far = new
    spare.shutdown(nosave=True)
    while not guard.has_ended(("127.0.0.1", spare.get_connection_kwargs()["port"])):
        time.sleep(0.01)
    print(told(spare))
    for helper in lab.empty, lambda client: lab.count(lambda c: c.ping(), client):
        try:
            helper(spare)
        except lab.LabError as error:
            print(error)
    server().stop()
    print(told(near))
    print(told(far))
    try:
        lab.count(lambda client: client.ping(), near)
    except lab.LabError as error:
        print(error)
    lab.connect()
    print(told(near))
    print(told(far))
    print(told(lab.connect(retry=None)), told(lab.connect(1, retry=None)))
"""
ENDED = (
    "The server of this client, which the lab had started for you, has ended. Start another "
    "one, as you did this one, with lab.connect(), lab.spare(), lab.replica() or "
    "lab.cluster()."
)
SAID = [
    "True True True",
    GONE,
    "this machine: the link had ended; a new one stands in its place, "
    "for clients made from now on.",
    f"{GONE} True",
    ENDED,
    ENDED,
    ENDED,
    ENDED,
    ENDED,
    ENDED,
    "this machine: the lab's server had ended; a new one, empty, stands in its place. "
    "Clients of the old one must be made anew.",
    ENDED,
    ENDED,
    "True True",
]


def run(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        timeout=300,
        env={**os.environ, "REDIS_URL": "", **environment},
        capture_output=True,
        text=True,
    )


def said(script, **environment):
    """The lines that a kernel prints which runs a script, and nothing to its errors."""
    done = run(script, **environment)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_each_client_is_told_what_has_ended_and_what_to_do():
    assert said(SCRIPT) == SAID


def test_a_cell_is_told_below_its_error():
    """IPython's shell runs cells as a notebook's kernel does."""
    cells = [
        "import lab_utils as lab; from lab_utils.testbed.chosen_server import server",
        "r = lab.connect(retry=None); r.shutdown(nosave=True)",
        "server.known().kept.process.wait(30)",
        "r.ping()",
        "1 / 0",
    ]
    script = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        f"for cell in {cells!r}:\n    InteractiveShell.instance().run_cell(cell)"
    )
    done = run(script)
    assert done.stderr.splitlines() == [ENDED], done.stdout
    assert "ConnectionError" in done.stdout and "ZeroDivisionError" in done.stdout


def test_a_server_of_ones_own_that_was_restarted(another_server):
    theirs = another_server()
    script = """
        import time, redis
        import lab_utils as lab
        from lab_utils.testbed.ended import sentence
        from lab_utils.testbed.chosen_server import server
        r = lab.connect(db=7)
        with redis.Redis(**{**server().options, "db": 0}) as admin:
            admin.client_kill_filter(_type="pubsub")
        while server.known().alive():
            time.sleep(0.01)
        print(sentence(redis.ConnectionError()))
        print(lab.connect().ping())
    """
    assert said(script, REDIS_URL=url_of(theirs, db=7)) == [
        "The server of REDIS_URL was restarted, or lost the lab's reservation. "
        "Run r = lab.connect() again: it makes it anew.",
        "this machine: the reservation on the server of REDIS_URL was lost, and is made anew.",
        "True",
    ]


def test_another_error_is_not_explained_by_it(r):
    with pytest.raises(redis.ConnectionError) as caught:
        redis.Redis(port=1, retry=None).ping()
    assert sentence(caught.value) is None


def test_a_cluster_that_has_ended_says_so():
    script = """
        import lab_utils as lab
        nodes = lab.cluster()
        client = nodes.connect()
        nodes.stop()
        for helper in nodes.connect, lambda: lab.count(lambda c: c.ping(), client):
            try:
                helper()
            except lab.LabError as error:
                print(error)
    """
    assert said(script) == [
        "All nodes of this cluster have ended. Start another one with lab.cluster().",
        ENDED,
    ]


def test_a_reservation_whose_connection_ended_without_a_word_is_made_anew(another_server):
    """Its holder stands still, as where no packet tells it; the lab's keys still stand there."""
    theirs = another_server()
    script = """
        import os, signal
        import redis
        import lab_utils as lab
        from lab_utils.testbed.chosen_server import server
        r = lab.connect()
        r.set("mine", 1)
        os.kill(server().reservation.process.pid, signal.SIGSTOP)
        r.client_kill_filter(_type="pubsub")
        r = lab.connect()
        print(lab.count(lambda c: c.ping(), r).round_trips, r.client_info()["db"])
        with redis.Redis(**{**server().options, "db": 7}) as admin:
            print(admin.keys())
    """
    assert said(script, REDIS_URL=url_of(theirs, db=7)) == [
        "this machine: the reservation on the server of REDIS_URL was lost, and is made anew.",
        "this machine: the lab goes on in database 8 of that server. Number 7 is somebody else's "
        "by now, or holds keys, perhaps your own: the lab leaves them there.",
        "1 8",
        "[b'mine']",
    ]


def test_a_server_that_stops_answering_is_said_in_time(another_server):
    theirs = another_server()
    script = f"""
        import os, signal, time
        import lab_utils as lab
        lab.connect()
        os.kill({theirs.pid}, signal.SIGSTOP)
        started = time.monotonic()
        try:
            lab.connect()
        except lab.LabError as error:
            print("No answer from" in str(error), time.monotonic() - started < 6)
        finally:
            os.kill({theirs.pid}, signal.SIGCONT)
    """
    assert said(script, REDIS_URL=url_of(theirs, db=7)) == ["True True"]
