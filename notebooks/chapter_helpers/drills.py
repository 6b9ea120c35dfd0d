"""Break a server while a batch runs; compare what the client was told with what the server has.

The batch is the chapter's own function: `batch(client, visit, visits, …)` counts visits in one
pipeline. `visit(pipe, number)` is the function that adds one visit to the pipeline.
"""

import contextlib
import socket
import time

import redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException
from redis.retry import Retry

import lab_utils as lab

NO_RETRIES = Retry(NoBackoff(), 0)


def attempt(call) -> str:
    """Run `call()`; return the name of the redis.RedisError that it raised, or "no error"."""
    try:
        call()
    except redis.RedisError as error:
        return type(error).__name__
    return "no error"


def heard(call):
    """Run `call()`; return its result, or the name of the error of redis-py that it raised.

    That is a redis.RedisError or a RedisClusterException.
    """
    try:
        return call()
    except (redis.RedisError, RedisClusterException) as error:
        return type(error).__name__


def address_of(client: redis.Redis) -> dict:
    """Return {"host", "port", "password"} of a client's server, for connecting another client."""
    options = client.get_connection_kwargs()
    return {name: options[name] for name in ("host", "port", "password")}


def visits_in(server: redis.Redis) -> int:
    """Return how many visits are counted on a server, in its key `visits` or in its set `visitors`.

    `server` is a client of that server. The size of the set is used if there is no key `visits`.
    """
    return int(server.get("visits") or server.scard("visitors"))


def cut_midway(batch, visit, **options) -> tuple[str, int]:
    """Run a batch on a new server, and let the server close the client's connection halfway.

    `batch(client, visit, visits, half_way, transaction)` sends one pipeline, and `visit(pipe,
    number)` adds one visit to that pipeline. `options` go to redis.Redis. Returns (the name of the
    error that the client got, or "no error"; the number of visits on the server). If the client
    tries again, the connection that it opens for that is not closed.
    """
    server = lab.spare(retry=NO_RETRIES)
    client = redis.Redis(**address_of(server), **options)
    number = client.client_id()

    def cut(pipe):
        pipe.client_kill_filter(_id=number, skipme=False)

    heard = attempt(lambda: batch(client, visit, half_way=cut))
    held = visits_in(server)
    server.shutdown(nosave=True)
    return heard, held


def stall(batch, visit, visits: int = 100, **options) -> tuple[str, int]:
    """Run a batch of `visits` visits in a transaction on a new server that is frozen for 0.45 s.

    The client gives up waiting for a reply after 0.3 s. `batch(client, visit, visits, half_way,
    transaction)` sends one pipeline, and `visit(pipe, number)` adds one visit to that pipeline.
    `options` go to redis.Redis. Returns (the name of the error that the client got, or "no error";
    the number of visits on the server).
    """
    server = lab.spare(retry=NO_RETRIES)
    client = redis.Redis(**address_of(server), socket_timeout=0.3, **options)
    client.ping()
    with lab.frozen(server, 0.45):
        heard = attempt(lambda: batch(client, visit, visits, transaction=True))
    held = visits_in(server)
    server.shutdown(nosave=True)
    return heard, held


def late_reply(take) -> str:
    """Let a client call `take(worker)` while the server is frozen for longer than the client waits.

    `worker` is a redis.Redis with a timeout of 0.3 s and redis-py's default retries; the server is
    frozen for 0.45 s and has "job 1" and "job 2" in the list `jobs`. Returns a line of text: what
    `take` returned, how many jobs are still in `jobs`, and which are in the list `working`.
    """
    server = lab.spare(retry=NO_RETRIES)
    server.rpush("jobs", "job 1", "job 2")
    worker = redis.Redis(**address_of(server), socket_timeout=0.3, decode_responses=True)
    worker.ping()
    with lab.frozen(server, 0.45):
        got = take(worker)
    queued = server.llen("jobs")
    working = [job.decode() for job in server.lrange("working", 0, -1)]
    server.shutdown(nosave=True)
    return f"the worker gets {got}; still queued: {queued}; in working: {working}"


@contextlib.contextmanager
def slow_names(seconds: float):
    """In a `with` block, make every lookup of a host name take `seconds` longer."""
    look_up = socket.getaddrinfo

    def slowly(*asked, **more):
        time.sleep(seconds)
        return look_up(*asked, **more)

    socket.getaddrinfo = slowly
    try:
        yield
    finally:
        socket.getaddrinfo = look_up
