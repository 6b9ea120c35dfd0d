"""Checks of chapter 09: commands packed by hand, a client without hiredis, and a cache that hears of changes."""

import contextlib
import itertools
import time

import redis
from redis.backoff import NoBackoff
from redis.connection import CacheProxyConnection
from redis.retry import Retry

from ...arguments import shown
from ...testbed.chosen_server import connect
from ...testbed.spare_server import spare
from ...tracing.cost import cost_and_result
from ...tracing.resp import commands_in
from ...words import counted
from ..checking import Refused, borrowed, exercise_client, replaced, text, trips_of
from ..exercises import exercise

# 09.1
VALUES = {f"exercise:row:{i}": f"value {i}" for i in range(15_000)} | {  # more replies than one recv() brings
    "exercise:row:é": "naïve café", "exercise:row:two lines": "one\r\ntwo", "exercise:row:empty": ""}
ARRIVAL_S = 1.0
REST_OF_THEM = ("read_response() raises where a reply is an error, and the replies behind it are still to come. Who reads them?",
                "Catch redis.ResponseError around each read_response() and keep it as the reply. What breaks off otherwise "
                "must close: "
                "except BaseException: connection.disconnect(); raise.")
NOT_GIVEN_BACK = "try: … finally: r.connection_pool.release(connection) gives it back whatever happens in between."
ONE_PIECE = "b''.join(…) of all the packed commands makes one piece of bytes; send_packed_command([data]) sends it as it is."
# 09.3
KEPT = ("redis-py's client-side caching keeps replies: protocol=3 and a cache_config, on one client that your function keeps.",
        "Make the client once, in price_reader, and not at each call; and ask by cached.get(…), since a pipeline always asks.")
PRODUCTS = {"tea": b"3", "mug": b"7", "pot": b"12"}
PATIENCE_S = 2.0  # within which word of a change must have arrived


@exercise("09.1", "write load(r, values): one SET each, all of them in one piece and one turn; return the replies", (
    "hiredis.pack_command(('SET', key, value)) gives the bytes of one command. Join them, and send them over a connection "
    "of r's pool: its send_packed_command takes a list of pieces, here of one.",
    "Every command has a reply, and a reply that nobody reads is what the next user of the connection reads. Then give the "
    "connection back.",
    "connection = r.connection_pool.get_connection(); connection.send_packed_command([data]); "
    "[connection.read_response() for _ in values]; r.connection_pool.release(connection)",
))
def load(answer):
    with exercise_client() as other, connect(max_connections=1) as client:
        traffic = watch(client)
        number, returned = client.client_id(), watch_release(client, traffic)
        traffic.clear()
        replies = loaded(answer, client)
        seen = list(traffic)
        let_arrive(other)
        check_stored(other)
        check_left_usable(client, number)
        check_sent(seen)
        check_read(returned)
        check_replies(replies)
    check_refused_one(answer)
    return f"{counted(len(VALUES), 'SET')} in one piece and one turn, every reply read, errors too, the connection given back"


def loaded(answer, client):
    try:
        return answer(client, dict(VALUES))
    except TypeError as error:
        if "not 'int'" not in str(error):
            raise
        raise Refused(f"your code raised TypeError: {error}. send_packed_command goes through what it is handed, and bytes are a "
                      "row of numbers", "Hand it a list of one piece: connection.send_packed_command([data])") from error


def check_refused_one(answer):
    """Tries a server that refuses one of three keys: the replies behind the error must not wait for the next caller."""
    client = spare(max_connections=1, retry=Retry(NoBackoff(), 0))
    try:
        client.execute_command("ACL", "SETUSER", "default", "resetkeys", "~exercise:row:*")
        try:
            replies = answer(client, {"exercise:row:1": "a", "exercise:forbidden": "b", "exercise:row:2": "c"})
        except redis.ResponseError:
            replies = None  # raising is an answer too, if what came behind the error is nobody's
        heard = heard_next(client)
        if heard != b"exercise":
            raise Refused(f"right values; but where the server refuses one SET, the next one to use the client asks for ECHO "
                          "and reads "
                          f"{heard!r}", *REST_OF_THEM)
        if replies is not None and not (len(replies) == 3 and isinstance(replies[1], redis.ResponseError)):
            raise Refused(f"right values; but where the server refuses the second of three SETs, you return {shown(replies)}: "
                          "the refusal is neither raised nor among the replies", "append(error) in place of the reply that it "
                                                                                 "is.")
    finally:
        with contextlib.suppress(redis.RedisError):
            client.shutdown(nosave=True)
        client.close()


def heard_next(client):
    """What the next one to use the client reads for an ECHO of "exercise"."""
    try:
        return client.echo("exercise")
    except redis.exceptions.MaxConnectionsError:
        raise Refused("where the server refuses one SET, the connection is not given back: a pool of one is empty then",
                      "try: … finally: pool.release(connection)") from None
    except redis.RedisError as error:
        return error


def let_arrive(client):
    """An answer that did not wait for its replies has come back before the server has run all of it."""
    last, deadline = list(VALUES)[-1], time.monotonic() + ARRIVAL_S
    while not client.exists(last) and time.monotonic() < deadline:
        time.sleep(0.01)


def check_stored(client):
    for (key, value), stored in zip(VALUES.items(), client.mget(VALUES), strict=True):
        if stored != value.encode():
            raise Refused(f"{key} should hold {value.encode()!r} and holds {stored!r}")
        if stored and key == "exercise:row:0" and client.ttl(key) != -1:
            raise Refused(f"right values, but they expire in {client.ttl(key)} s: one plain SET each")


def check_left_usable(client, number):
    """`number` is the id that the server gave to the client's connection before the answer had it."""
    try:
        reply = client.echo("exercise")
    except redis.exceptions.MaxConnectionsError:
        raise Refused("right values, but the connection was not given back: a pool of one is empty now", NOT_GIVEN_BACK) from None
    if reply != b"exercise":
        raise Refused(f"right values, but the next one to use the client asks for ECHO and reads {reply!r}: "
                      "there are replies left that nobody read", "Every SET has a reply: read as many as there are values.")
    if client.client_id() != number:
        raise Refused("right values, but the connection came back closed: the next caller has to connect and log in again",
                      "A connection whose replies have all been read is as good as new: release it, and leave it open.")


def watch(client):
    """What the client's only connection sends from now on, piece by piece, and for each read how many bytes came.

    The socket itself is watched, since an answer may write to it past redis-py, as the chapter does.
    """
    traffic = []
    connection = borrowed(client)
    connection.disconnect()
    open_socket = connection._connect
    connection._connect = lambda: Watched(open_socket(), traffic)
    client.ping()
    traffic.clear()  # of the handshake
    return traffic


class Watched:
    """A socket that notes what is sent and when is read."""

    def __init__(self, sock, traffic):
        self._sock, self._traffic = sock, traffic

    def __getattr__(self, name):
        return getattr(self._sock, name)

    def sendall(self, data, *flags):
        self._traffic.append(bytes(data))
        return self._sock.sendall(data, *flags)

    def send(self, data, *flags):
        sent = self._sock.send(data, *flags)
        self._traffic.append(bytes(data[:sent]))
        return sent

    def recv(self, *args):
        data = self._sock.recv(*args)
        self._traffic.append(len(data))
        return data

    def recv_into(self, *args):
        size = self._sock.recv_into(*args)
        self._traffic.append(size)
        return size


def watch_release(client, traffic):
    """Notes, each time that a connection is given back to the client's pool, how many bytes had been read until then."""
    pool, returned = client.connection_pool, []
    release = pool.release

    def noted(connection):
        returned.append(sum(step for step in traffic if isinstance(step, int)))
        return release(connection)

    pool.release = noted
    return returned


def check_read(returned):
    owed = len(VALUES) * len(b"+OK\r\n")
    if returned and returned[0] < owed:
        raise Refused(f"right values, but the connection was given back after {returned[0]:,} of {owed:,} bytes of replies: "
                      "whoever takes it in the meantime reads yours", "Read all replies first, then release.")


def check_sent(traffic):
    pieces = [step for step in traffic if isinstance(step, bytes)]
    if not pieces:
        raise Refused("right values, but nothing was sent over a connection of r")
    turns = sum(isinstance(step, bytes) and isinstance(after, int) for step, after in itertools.pairwise([*traffic, 0]))
    if turns != 1:
        raise Refused(f"right values, but {counted(turns, 'round trip')}; the budget is 1")
    commands = sum(1 for _ in commands_in(pieces))
    if commands != len(VALUES):
        raise Refused(f"right values, but {counted(commands, 'command')} for {len(VALUES)} values",
                      "hiredis.pack_command(('SET', key, value)) packs one command.")
    if len(pieces) != 1:
        raise Refused(f"right values in one turn, but sent in {len(pieces)} pieces; the budget is 1", ONE_PIECE)


def check_replies(replies):
    said = list(replies) if isinstance(replies, (list, tuple)) else replies
    if said not in ([b"OK"] * len(VALUES), ["OK"] * len(VALUES), [True] * len(VALUES)):
        raise Refused(f"all is stored, but instead of {len(VALUES)} replies your function returned {shown(replies)}",
                      "Return what read_response() gave, for each value.")


@exercise("09.2", "write without_hiredis(r): a client like r, on which hiredis neither reads nor packs", (
    "The chapter made one client without hiredis' parser and one without its packer. Which options did it pass?",
    "like(r, parser_class=…, command_packer=…): both at once.",
))
def without_hiredis(answer):
    for decode in (True, False):
        with exercise_client(decode_responses=decode, client_name="exercise") as client:
            made = answer(client)
            if not isinstance(made, redis.Redis):
                raise Refused(f"a redis.Redis was expected, not {shown(made)}")
            if made.connection_pool is client.connection_pool:
                raise Refused("this is the very client that was passed in: make one of its own")
            with made:
                compare_options(client, made)
                compare_connections(client, made)
                check_answers(client, made)
    return "redis-py's own parser and its own packer, all else as in r"


def compare_options(client, made):
    like, new = (options_of(each) for each in (client, made))
    for name in sorted(like.keys() | new.keys()):
        if like.get(name) != new.get(name):
            raise Refused(f"all else should stay as in r, but {name} is {new.get(name)!r} instead of {like.get(name)!r}",
                          "like(r, …) takes everything over from r. Pass it what concerns hiredis, and nothing else.")


def options_of(client):
    """The options of a client's connections that can be compared; of its retries, how many there are and with what pauses."""
    options = client.connection_pool.connection_kwargs
    plain = {name: value for name, value in options.items()
             if isinstance(value, (str, int, float, bool)) and name not in ("password", "protocol")}
    return plain | {"retry": (client.get_retry().get_retries(), type(client.get_retry()._backoff).__name__)}


def compare_connections(client, made):
    like = borrowed(client)
    try:
        new = borrowed(made)
    except redis.ResponseError:  # its text repeats what was sent, the password too
        raise Refused("its connections can't log in: the server does not understand what their packer writes",
                      "PythonRespSerializer(6_000, r.get_encoder().encode) packs as r does.") from None
    except (TypeError, AttributeError) as error:
        raise Refused(f"its connections can't be opened with the parser or packer that you passed: {type(error).__name__}: "
                      f"{error}",
                      "parser_class takes the class itself, _RESP3Parser; command_packer takes a packer that is made "
                      "already.") from None
    parser, packer = type(new._parser).__name__, type(new._command_packer).__name__
    if "hiredis" in parser.lower():
        raise Refused(f"its connections still read with {parser}", "parser_class=_RESP3Parser")
    if "hiredis" in packer.lower():
        raise Refused(f"it reads with {parser}, but still packs with {packer}",
                      "command_packer=PythonRespSerializer(6_000, r.get_encoder().encode)")
    for what in ("protocol", "db", "client_name"):
        if str(getattr(like, what)) != str(getattr(new, what)):
            raise Refused(f"no hiredis, but another {what}: {getattr(new, what)!r} instead of {getattr(like, what)!r}")


def check_answers(client, made):
    client.set("exercise:text", "naïve")
    if made.get("exercise:text") != client.get("exercise:text"):
        raise Refused(f"no hiredis, but it replies {made.get('exercise:text')!r} where r replies {client.get('exercise:text')!r}")
    made.set("exercise:text", "café")
    if client.get("exercise:text") not in ("café", "café".encode()):
        raise Refused("no hiredis, but what it writes r does not read")


@exercise("09.3", "write price_reader(r): a function price(product) without a turn for what it knows, which hears of changes", (
    "A dict of your own would not hear of changes. Which option of the chapter's last section makes redis-py keep replies?",
    "redis-py's client-side caching: protocol=3 and a cache_config, on one client that your function keeps.",
    "cached = like(r, protocol=3, cache_config=CacheConfig()), and a function that calls "
    "cached.get(f'exercise:price:{product}'): a single command, since a pipeline always asks.",
))
def price_reader(answer):
    with exercise_client() as client:
        client.mset({f"exercise:price:{product}": price for product, price in PRODUCTS.items()})
        with caching_allowed(client):
            price = answer(client)
            if not callable(price):
                raise Refused(f"price_reader(r) should return a function, not {shown(price)}")
            check_cached(client, price)
            check_change(client, price)
    return "each price read once, again without a turn, and right after another client's change"


def caching_allowed(client):
    """redis-py caches with Redis 7.4 and newer only, though servers have sent word of changes since 6.0. Here any may."""
    spoken_to = borrowed(client).handshake_metadata
    name = spoken_to.get(b"server", spoken_to.get("server", b"redis"))
    return replaced(CacheProxyConnection, MIN_ALLOWED_VERSION="6.0.0", DEFAULT_SERVER_NAME=text(name))


def check_cached(client, price):
    compare_prices(price, PRODUCTS, "at first")
    cost, _ = cost_and_result(lambda _: compare_prices(price, PRODUCTS, "the second time"), client)
    trips = trips_of(cost)
    if trips:
        raise Refused(f"right prices, but {counted(trips, 'round trip')} for {len(PRODUCTS)} that it had read before", *KEPT)


def check_change(client, price):
    client.set("exercise:price:tea", "4")
    now = PRODUCTS | {"tea": b"4"}
    deadline = time.monotonic() + PATIENCE_S
    while price("tea") != b"4":
        if time.monotonic() > deadline:
            raise Refused(f"another client made tea cost 4; {PATIENCE_S:g} s later it is still {price('tea')!r}")
        time.sleep(0.01)
    cost, _ = cost_and_result(lambda _: compare_prices(price, now, "after a change"), client)
    trips = trips_of(cost)
    if trips:
        raise Refused(f"right prices after a change, but {counted(trips, 'round trip')} for prices that nobody changed since",
                      *KEPT)


def compare_prices(price, expected, when):
    for product, right in expected.items():
        got = price(product)
        if got != right:
            raise Refused(f"{when} the price of {product} is {got!r} and should be {right!r}",
                          "Return what GET replies, as r would: bytes.")
