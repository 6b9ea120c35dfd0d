"""What the client of a server or a link that has ended is told, in a cell and in a helper."""

import os
import subprocess
import sys
import textwrap

import pytest
import redis
from helpers import url_of

from lab_utils.testbed.ended import sentence

SCRIPT = """
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
    import lab_utils as lab
    from lab_utils.testbed.ended import sentence
    from lab_utils.testbed.link import link
    from lab_utils.testbed.chosen_server import server

    def told(client):
        try:
            return str(client.ping())
        except redis.ConnectionError as error:
            return str(sentence(error))

    hasty = Retry(NoBackoff(), 0)
    near, far, spare = lab.connect(retry=hasty), lab.connect(1, retry=hasty), lab.spare(retry=hasty)
    print(told(near), told(far), told(spare))
    link().process.kill()
    link.known().process.wait()
    print(told(far))
    lab.connect(1)
    print(told(far))
    spare.shutdown(nosave=True)
    print(told(spare))
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
    print(told(lab.connect(retry=hasty)))
"""
SERVER = "The lab's server has ended. Run r = lab.connect() again: it starts another one, empty."
MADE_ANEW = "This client's server has ended, and another one stands in its place. Make the client anew: r = lab.connect()."
SAID = ["True True True",
        "The simulated link has ended. Run lab.connect(rtt_ms=1) again: it starts another, and clients of the old one go on.",
        "this machine: the link had ended; a new one stands in its place, and its clients go on working.", "True",
        "None", SERVER, SERVER, SERVER,
        "this machine: the lab's server had ended; a new one, empty, stands in its place. "
        "Clients of the old one must be made anew.",
        MADE_ANEW, MADE_ANEW, "True"]


@pytest.fixture
def environment():
    return {name: value for name, value in os.environ.items() if name != "REDIS_URL"}


def test_each_client_is_told_what_has_ended_and_what_to_do(environment):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(SCRIPT)], env=environment, capture_output=True, text=True,
                          timeout=60)
    assert (done.stdout.splitlines(), done.stderr) == (SAID, "")


def test_a_cell_is_told_below_its_error(environment):
    """IPython's shell runs cells as a notebook's kernel does."""
    cells = ["import lab_utils as lab; from redis.retry import Retry; from redis.backoff import NoBackoff",
             "r = lab.connect(retry=Retry(NoBackoff(), 0)); r.shutdown(nosave=True)",
             "from lab_utils.testbed.chosen_server import server; server.known().kept.process.wait(30)", "r.ping()", "1 / 0"]
    script = ("from IPython.core.interactiveshell import InteractiveShell\n"
              f"for cell in {cells!r}:\n    InteractiveShell.instance().run_cell(cell)")
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines() == [SERVER], done.stdout
    assert "ConnectionError" in done.stdout and "ZeroDivisionError" in done.stdout


def test_a_server_of_ones_own_that_was_restarted(environment, another_server):
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
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env={**environment, "REDIS_URL": url_of(theirs, db=7)},
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        "The server of REDIS_URL was restarted, or lost the lab's reservation. Run r = lab.connect() again: it makes it anew.",
        "this machine: the reservation on the server of REDIS_URL was lost, and is made anew.", "True"], done.stderr


def test_another_error_is_not_explained_by_it(r):
    with pytest.raises(redis.ConnectionError) as caught:
        redis.Redis(port=1, retry=None).ping()
    assert sentence(caught.value) is None
