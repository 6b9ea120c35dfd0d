"""What stops or copies a server does so with those of the lab's own alone.

That no helper runs anything with a client of somebody else's server, a drill asks of all helpers:
tests/drills/test_somebodys_data.py.
"""

import pytest
from fakes import held, somebodys_server
from helpers import refusal, url_of

import lab_utils as lab

HELPERS = {"frozen": lambda client: lab.frozen(client, 1), "replica": lab.replica}


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
def test_a_server_of_somebody_else_or_one_that_has_ended_is_left_alone(another_server, helper):
    """The process id of a server that has ended may be that of somebody else's process by now."""
    ended = another_server()
    ended.stop()
    assert "has ended" in refusal(helper, ended.connect())
    with somebodys_server() as theirs:
        assert "leaves it alone" in refusal(helper, theirs.connect())
        with held(url_of(theirs)) as mine:
            assert "lab.spare()" in refusal(helper, mine.connect())
