"""What the client of a server or a link that has ended is told, in a cell and in a helper."""

import os
import signal
import subprocess
import sys
import textwrap

from fakes import somebodys_server
from helpers import url_of

from lab_utils.testbed.ownership import ENDED, GONE

SCRIPT = """
    import lab_utils as lab
    from lab_utils.testbed.ownership import check
    from lab_utils.testbed.link import link
    from lab_utils.testbed.chosen_server import server

    def says(helper, *arguments):
        try:
            print(helper(*arguments))
        except lab.LabError as error:
            print(error)

    def count(client):
        return lab.count(lambda c: c.ping(), client).round_trips

    near, far, spare = lab.connect(retry=None), lab.connect(1, retry=None), lab.spare(retry=None)
    link().process.kill()
    link.known().process.wait()
    says(count, far)
    new = lab.connect(1)
    says(count, far)
    says(count, new)
    check(spare).stop()
    says(count, spare)
    says(lab.empty, spare)
    server().stop()
    says(count, near)
    says(count, new)
    lab.connect()
    says(count, near)
    says(count, lab.connect())
    says(count, lab.connect(1))
"""
SAID = [
    GONE,
    "this machine: the link had ended; a new one stands in its place, "
    "for clients made from now on.",
    GONE,
    "1",
    *[ENDED] * 4,
    "this machine: the lab's server had ended; a new one, empty, stands in its place. "
    "Clients of the old one must be made anew.",
    ENDED,
    "1",
    "1",
]
LOOKS_ANEW = (
    "this machine: the database on the server of REDIS_URL was lost; the lab looks for one anew."
)


def run(script, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        timeout=300,
        env={**os.environ, "REDIS_URL": "", **environment},
        capture_output=True,
        text=True,
    )


def said(script, **environment):
    """Run `script` in a kernel, with further environment variables; return the lines printed.

    Fails if errors are printed.
    """
    done = run(script, **environment)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_each_client_is_told_what_has_ended_and_what_to_do():
    assert said(SCRIPT) == SAID


def test_a_cell_is_told_below_its_error():
    # IPython's shell runs cells as a notebook's kernel does.
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


def test_a_server_of_ones_own_whose_connection_broke():
    script = """
        import lab_utils as lab
        r = lab.connect()
        r.client_kill_filter(_id=min(each["id"] for each in r.client_list() if each["name"]))
        for helper in lab.empty, lambda r: print(lab.connect().ping()):
            try:
                helper(r)
            except lab.LabError as error:
                print(str(error).partition(":")[0])
    """
    with somebodys_server() as theirs:
        assert said(script, REDIS_URL=url_of(theirs, db=7)) == [
            "The lab no longer holds its database on the server of REDIS_URL",
            LOOKS_ANEW,
            "True",
        ]


def test_a_server_that_stops_answering_is_said_in_time():
    with somebodys_server() as theirs:
        script = f"""
            import os, signal, time
            import lab_utils as lab
            lab.connect()
            os.kill({theirs.pid}, signal.SIGSTOP)
            started = time.monotonic()
            try:
                lab.connect()
            except lab.LabError as error:
                print("No answer from" in str(error), time.monotonic() - started < 10)
        """
        try:
            assert said(script, REDIS_URL=url_of(theirs, db=7)) == [LOOKS_ANEW, "True True"]
        finally:
            os.kill(theirs.pid, signal.SIGCONT)
