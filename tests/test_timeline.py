"""The timeline: what clients said and heard, in order; and what one saw of another's batch."""

import lab_utils as lab
from chapter_helpers.seen import plot_seen


def rows(seen):
    return [(step.who, step.says, step.hears) for step in seen.steps]


def test_a_client_has_a_name_or_a_number_and_what_says_nothing_is_no_step(r):
    with lab.connect(client_name="A") as a:
        a.connection_pool.disconnect()
        assert rows(lab.timeline(lambda: a.ping())) == [("A", "PING", "PONG")]
    assert rows(lab.timeline(lambda: r.ping())) == [("client 1", "PING", "PONG")]

    def empty():  # it watches, and has nothing queued: nothing is written when it is executed
        with r.pipeline(transaction=False) as pipe:
            pipe.watch("stock")
            pipe.execute()

    assert [says for _, says, _ in rows(lab.timeline(empty))] == ["WATCH stock", "UNWATCH"]


def test_what_was_seen_of_a_batch_is_sorted_into_nothing_a_part_and_all(capsys):
    runs = {
        "pipeline": [([(-0.001, 0), (0.001, 3), (0.002, 9), (0.004, 10)], 0.003)],
        "transaction": [([(0.001, 0)], 0.003)],
    }
    figure = plot_seen(runs, 10)
    assert figure.get_suptitle() == "2 of 4 looks see the pipeline half done, 0 the transaction"
    assert len(figure.axes) == 2
    assert capsys.readouterr().out == (
        "measured: pipeline: 4 looks in 3 ms, 1 saw nothing, 2 a part, 1 all of it; transaction: "
        "1 look in 3 ms, 1 saw nothing, 0 a part, 0 all of it\n"
    )
