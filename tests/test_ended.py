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
    import time
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
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

    hasty = Retry(NoBackoff(), 0)
    near, far, spare = lab.connect(retry=hasty), lab.connect(1, retry=hasty), lab.spare(retry=hasty)
    print(told(near), told(far), told(spare))
    link().process.kill()
    link.known().process.wait()
    print(told(far))
    lab.connect(1)
    print(told(far))
    spare.shutdown(nosave=True)
    while not guard.has_ended(("127.0.0.1", spare.get_connection_kwargs()["port"])):
        time.sleep(0.01)
    print(told(spare))
    for helper in lab.empty, lab.raw_socket, lambda client: lab.count(lambda c: c.ping(), client):
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
    print(told(lab.connect(retry=hasty)))
"""
SERVER = "The lab's server has ended. Run r = lab.connect() again: it starts another one, empty."
MADE_ANEW = "This client's server has ended, and another one stands in its place. Make the client anew: r = lab.connect()."
ENDED = ("The server of this client, which the lab had started for you, has ended. Start another one, as you did this one, with "
         "lab.connect(), lab.spare(), lab.replica() or lab.cluster().")
NO_CONNECTION = ("The server of this client took no connection ([Errno 111] Connection refused): it, or the link before it, has "
                 "ended. Run r = lab.connect() again.")
SAID = ["True True True",
        "The simulated link has ended. Run lab.connect(rtt_ms=1) again: it starts another, and clients of the old one go on.",
        "this machine: the link had ended; a new one stands in its place, and its clients go on working.", "True",
        ENDED, ENDED, NO_CONNECTION, ENDED, SERVER, SERVER, SERVER,
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


def test_a_server_that_ends_just_before_it_is_asked_for_is_replaced(environment):
    script = """
        import os, signal
        import lab_utils as lab
        from lab_utils.testbed.chosen_server import server
        lab.connect()
        os.kill(server().pid, signal.SIGKILL)
        print(lab.connect().ping())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True,
                          timeout=60)
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr


def test_a_cluster_that_has_ended_says_so(environment):
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
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True,
                          timeout=60)
    assert done.stdout.splitlines() == ["All nodes of this cluster have ended. Start another one with lab.cluster().", ENDED]


def test_a_reservation_whose_connection_ended_without_a_word_is_made_anew(environment, another_server):
    """Its holder is stopped: as where no packet says that the connection has ended. The lab's keys still stand there."""
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
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env={**environment, "REDIS_URL": url_of(theirs, db=7)},
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        "this machine: the reservation on the server of REDIS_URL was lost, and is made anew.",
        "this machine: the lab goes on in database 8 of that server. Number 7 is somebody else's by now, or holds keys, perhaps "
        "your own: the lab leaves them there.", "1 8", "[b'mine']"], done.stderr


def test_a_server_that_stops_answering_is_said_in_time(environment, another_server):
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
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env={**environment, "REDIS_URL": url_of(theirs, db=7)},
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["True True"], done.stderr


def test_a_server_of_ones_own_that_takes_no_further_client(environment, another_server):
    theirs = another_server("maxclients 2")
    script = """
        import lab_utils as lab
        r = lab.connect()
        try:
            lab.count(lambda c: c.ping(), r)
        except lab.LabError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env={**environment, "REDIS_URL": url_of(theirs, db=7)},
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["The server of REDIS_URL has as many clients as it takes. Close some, or raise its "
                                        "maxclients, and run the cell again."], done.stderr
