"""What a piece of code cost, to the byte, whichever way it talks to Redis; and nothing left behind in redis-py."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
import redis._parsers
import redis.asyncio.connection
import redis.connection
from helpers import refusal

import lab_utils as lab
from lab_utils.counting.cost import Cost, Costs, cost_and_result
from lab_utils.counting.recording import Recording
from lab_utils.testbed import chosen_server

TAPPED = [(owner, name) for owner in (redis.connection.AbstractConnection, redis.asyncio.connection.AbstractConnection)
          for name in ("connect_check_health", "send_packed_command", "read_response")]
ORIGINALS = [getattr(owner, name) for owner, name in TAPPED]
VALUES = {f"key{i}": f"value{i}" for i in range(1_000)}


def is_plain():
    """True while redis-py's own methods are in place."""
    return [getattr(owner, name) for owner, name in TAPPED] == ORIGINALS


@pytest.fixture(autouse=True)
def redis_py_is_left_as_it_was():
    assert is_plain()
    yield
    assert is_plain()


def loop(r):
    for key, value in VALUES.items():
        r.set(key, value)


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for key, value in VALUES.items():
        pipe.set(key, value)
    pipe.execute()


def transaction(r):
    pipe = r.pipeline()
    for key, value in VALUES.items():
        pipe.set(key, value)
    pipe.execute()


def mset(r):
    r.mset(VALUES)


def client_side(cost):
    return cost.round_trips, cost.commands, cost.bytes_sent, cost.bytes_received


# Known costs


@pytest.mark.parametrize("work, known", [
    (loop, (1_000, 1_000, 38_780, 5_000)),
    (pipeline, (1, 1_000, 38_780, 5_000)),
    (transaction, (1, 1_002, 38_809, 14_012)),
    (mset, (1, 1, 25_797, 5)),
], ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("rtt_ms", [0, 0.1])
def test_a_thousand_sets(r, work, known, rtt_ms):
    cost = lab.count(work, lab.connect(rtt_ms=rtt_ms))
    assert client_side(cost) == known
    assert (cost.connections, cost.handshake_trips) == (0, 0)
    assert r.mget(VALUES) == [value.encode() for value in VALUES.values()]  # the work itself was done


def test_nothing_costs_nothing(r):
    cost = lab.count(lambda r: None, r)
    assert client_side(cost) == (0, 0, 0, 0)
    assert (cost.server_us, cost.server_reads, cost.server_writes) == (0, 0, 0)


def test_a_turn_is_a_wait_not_a_write(r):
    """Three requests sent before the first reply is read are one round trip, however they were written."""
    def work(r):
        connection = r.connection_pool.get_connection()
        for i in (1, 2, 3):
            connection.send_command("ECHO", i)
        assert [connection.read_response() for _ in range(3)] == [b"1", b"2", b"3"]
        r.connection_pool.release(connection)

    cost = lab.count(work, r)
    assert (cost.round_trips, cost.commands) == (1, 3)


# Other ways to talk


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("parser", ["python", "hiredis"])
@pytest.mark.parametrize("decode", [False, True])
def test_protocols_and_parsers(r, protocol, parser, decode):
    python = {2: redis._parsers._RESP2Parser, 3: redis._parsers._RESP3Parser}[protocol]
    kind = redis._parsers._HiredisParser if parser == "hiredis" else python
    pool = redis.ConnectionPool(**chosen_server.server().options, protocol=protocol, decode_responses=decode, parser_class=kind)
    client = redis.Redis.from_pool(pool)
    connection = pool.get_connection()
    assert type(connection._parser) is kind
    pool.release(connection)
    cost, reply = cost_and_result(lambda r: (pipeline(r), r.mget("key1", "key2"))[1], client)
    assert client_side(cost) == (2, 1_001, 38_780 + 34, 5_000 + 4 + 2 * 12)
    assert reply == (["value1", "value2"] if decode else [b"value1", b"value2"])
    client.close()


def test_an_asyncio_client(r):
    async def one_by_one(r):
        for key, value in VALUES.items():
            await r.set(key, value)

    async def piped(r):
        pipe = r.pipeline(transaction=False)
        for key, value in VALUES.items():
            pipe.set(key, value)
        await pipe.execute()

    assert client_side(lab.count(one_by_one, r)) == (1_000, 1_000, 38_780, 5_000)
    assert client_side(lab.count(piped, r)) == (1, 1_000, 38_780, 5_000)
    assert client_side(lab.count(piped, lab.connect(rtt_ms=1))) == (1, 1_000, 38_780, 5_000)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # Python's own, of a coroutine that nobody awaited
def test_an_async_function_without_await_is_no_count_of_0(r):
    async def forgot(r):
        r.set("key", "value")

    assert "forget await" in refusal(lab.count, forgot, r)
    assert lab.count(lambda r: None, r).round_trips == 0  # a plain one may know the answer


def test_threads_over_a_pool(r):
    barrier = threading.Barrier(8)

    def one(r, number):
        barrier.wait()  # all at once, so that each takes a connection of its own
        for i in range(5):
            r.set(f"key{number}{i}", f"value{number}{i}")

    def work(r):
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: one(r, number), range(8)))

    cost = lab.count(work, lab.connect())
    assert client_side(cost) == (40, 40, 40 * 37, 40 * 5)
    assert cost.connections <= 7
    assert cost.handshake_trips == 4 * cost.connections


def test_a_fresh_connection_costs_four_round_trips_apart(r):
    def work(r):
        r.connection_pool.disconnect()
        r.set("key1", "value1")

    cost = lab.count(work, lab.connect())
    assert client_side(cost) == (1, 1, 35, 5)
    assert (cost.connections, cost.handshake_trips) == (1, 4)
    assert "+ 1 new connection: 4 round trips" in repr(cost)


# The server's own account


def test_the_server_counts_too(r):
    of_loop, of_pipeline = lab.count(loop, r), lab.count(pipeline, r)
    assert of_loop.server_reads >= 1_000 and of_loop.server_writes >= 1_000
    assert of_pipeline.server_reads < 50 and of_pipeline.server_writes < 50
    assert 0 < of_pipeline.server_us < 1_000_000


def test_time_inside_a_container_is_not_counted_twice(r):
    r.config_resetstat()
    cost = lab.count(lambda r: r.eval("for i = 1, 20000 do redis.call('SET', 'key1', i) end", 0), r)
    inside = r.info("commandstats")["cmdstat_eval"]["usec"]
    assert cost.server_us == inside


def test_a_foreign_client_makes_it_say_shared(r):
    stranger = lab.connect()

    def work(r):
        r.set("key1", "value1")
        thread = threading.Thread(target=foreign)
        thread.start()
        thread.join()

    def foreign():  # past redis-py, so that the seen can't see it
        sock = stranger.connection_pool.get_connection()._sock
        sock.sendall(b"*1\r\n$4\r\nPING\r\n")
        sock.recv(100)

    cost = lab.count(work, r)
    assert client_side(cost) == (1, 1, 35, 5)
    assert (cost.server_us, cost.server_reads, cost.server_writes) == (None, None, None)
    assert "shared with other clients: not counted" in repr(cost)


# Nothing left behind


def test_during_a_count_redis_py_is_tapped_and_in_a_timed_pass_plain(r):
    assert cost_and_result(lambda r: is_plain(), r)[1] is False
    seen = []
    lab.compare({"one": lambda r: seen.append(is_plain())}, rounds=3)
    assert seen and all(seen)


def test_a_function_that_raises_leaves_redis_py_plain(r):
    async def fails(r):
        raise ZeroDivisionError

    for work in (lambda r: r.set("key1", 1 / 0), fails):
        with pytest.raises(ZeroDivisionError):
            lab.count(work, r)
        assert is_plain()


def test_recordings_within_and_across_one_another(r):
    """The second pair is closed in the order in which it was opened, as a trace inside a count may be."""
    with Recording() as outer:
        r.set("key1", "value1")
        with Recording() as inner:
            r.get("key1")
        r.get("key1")
    assert [len(seen.round_trips) for seen in (outer, inner)] == [3, 1]
    one, other = Recording(), Recording()
    one.__enter__()
    other.__enter__()
    r.set("key1", "value1")
    other.__exit__()
    r.get("key1")
    one.__exit__()
    assert (len(one.round_trips), len(other.round_trips)) == (2, 1)


# What is printed


def test_a_table_of_costs(r):
    costs = lab.count({"pipeline": pipeline, "mset": mset}, r)
    head, *lines = repr(costs).splitlines()
    assert head == "           round trips   commands   bytes sent   received   server µs"
    assert lines[0].startswith("pipeline             1      1,000       38,780      5,000   ")
    assert lines[1].startswith("mset                 1          1       25,797          5   ")
    assert all("   ~" in line.replace("    ", "   ") for line in lines)
    assert costs["mset"].bytes_received == 5


def test_what_a_table_leaves_out_is_there_when_asked(r):
    head, one, *_ = repr(lab.count({"loop": loop}, r).rest()).splitlines()
    assert " ".join(head.split()) == "server's reads server's writes"
    assert one.startswith("loop ") and one.count("~") == 2


def test_how_large_a_measured_value_is_moves_no_column():
    few, many = (repr(Costs(loop=Cost(1, 1, 2, 3, server_us))).splitlines() for server_us in (5, 1_234_567_890_123))
    assert few[0] == many[0] and few[1].index("~") != many[1].index("~")


def test_one_cost(r):
    text = repr(lab.count(loop, r))
    assert text.startswith("1,000 round trips   1,000 commands   38,780 bytes sent   5,000 received   server ~")
