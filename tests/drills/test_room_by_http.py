"""A room by HTTP: many post at once by the hub's tokens, and the leader frees a name."""

import threading
import time

import rooms
from boards import Visitor, guess
from rooms import Learner
from tries import tries

LEARNERS = tries(200)
room = rooms.room_of_three  # the fixture


def test_all_post_at_once_by_the_hubs_tokens_and_nothing_is_lost(room, record_property):
    """Tokens that the board sees for the first time, so it asks the hub about each."""
    tokens = {}
    for number in range(LEARNERS):
        learner = Learner(room, f"learner {number}")
        assert learner.come_in()[0] == 302
        learner.http.get(f"{room.url}/hub/home", timeout=60)
        address = f"/api/users/{learner.name}/tokens"
        made = learner.ask("POST", address, {"note": "a kernel's"}, of="/hub")
        tokens[learner.name] = made.json()["token"]
    gate, answers = threading.Barrier(LEARNERS + 1), []

    def post(name, value):
        gate.wait()
        began = time.monotonic()
        answer = Visitor(f"{room.url}/services/board").post(tokens[name], guess(value))
        answers.append((answer, time.monotonic() - began))

    threads = [
        threading.Thread(target=post, args=(name, value)) for value, name in enumerate(tokens, 1)
    ]
    for thread in threads:
        thread.start()
    gate.wait()
    began = time.monotonic()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    taken = {"taken": ["guess 00.loop ms"], "refused": {}}
    assert [answer for answer, _ in answers] == [(200, taken)] * LEARNERS
    assert set(rows(room)) == {
        f"{name},00,guess,00.loop,{value},ms,no," for value, name in enumerate(tokens, 1)
    }
    slowest = max(seconds for _, seconds in answers)
    record_property(
        "of",
        f"{LEARNERS} learners by hub and proxy, on disk after {took:.2f} s, "
        f"the slowest answer {slowest:.2f} s",
    )


def rows(room):
    leader = Visitor(f"{room.url}/services/board")
    leader.key = room.boards_key
    status, text = leader.ask("/board.csv?names=1")
    assert status == 200
    return [line.split(",", 1)[1] for line in text.splitlines()[1:]]


def test_a_name_that_the_leader_frees_goes_to_the_next_with_its_notebooks(room):
    before, after, leader = Learner(room, "ana"), Learner(room, "ana"), Learner(room, "leader")
    assert before.come_in()[0] == 302
    status, page = after.come_in()
    assert status == 403 and "ask the leader to free the name" in page
    work = room.folder / "learners" / "ana" / "work"
    work.mkdir(parents=True)
    (work / "mine.txt").write_text("mine", encoding="utf-8")
    assert leader.come_in(room.leaders_password)[0] == 302
    leader.http.get(f"{room.url}/hub/home", timeout=60)
    leader.ask("DELETE", "/api/users/ana", of="/hub")
    assert after.come_in()[0] == 302
    after.start()
    assert after.ask("GET", "/api/contents/mine.txt").json()["content"] == "mine"
