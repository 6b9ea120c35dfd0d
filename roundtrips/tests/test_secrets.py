"""Planted secrets, searched through everything that a trace gives away."""

import json

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from roundtrips import trace
from roundtrips.report import github
from roundtrips.report.json import summary

KEYS = ["AnnSmith", "ann.smith", "session-ann", "tenant/acme/plan", "bearer sk_live_abc",
        "ann@example.com", "user:ann:cart", "x" * 40]  # fmt: skip
PARTS = ["AnnSmith", "ann", "smith", "acme", "sk_live", "bearer", "example", "x" * 40]
VALUES = ["hunter2", "s3cret-value", "the-member", "the-field", "the-channel", "the-script"]


def program(r):
    for key in KEYS:
        r.set(key, VALUES[0])
        r.get(key)
        r.delete(key)
    r.mset({key: VALUES[1] for key in KEYS[:4]})
    for number in range(5):
        r.set(f"{KEYS[number]}:{number}", VALUES[1])
    r.delete(*KEYS)
    r.sadd("set:1", VALUES[2])
    r.hset("hash:1", VALUES[3], VALUES[0])
    r.publish(VALUES[4], VALUES[1])
    r.eval(f"return '{VALUES[5]}'", 1, KEYS[0])
    pipe = r.pipeline()
    for key in KEYS:
        pipe.set(key, VALUES[0])
    pipe.execute()
    for told in (
        ("AUTH", VALUES[0]), ("AUTH", "ann", VALUES[0]), ("HELLO", 2, "AUTH", "ann", VALUES[0]),
        ("CONFIG", "SET", "masterauth", VALUES[0]), ("MY.COMMAND", VALUES[0]), ("SET", KEYS[0]),
    ):  # fmt: skip
        with pytest.raises(redis.RedisError):
            r.execute_command(*told)
            raise redis.RedisError
    r.config_set("masterauth", "")


def outputs(t):
    """Yield (name, text) for each form in which the Trace `t` can be shown or stored."""
    program = "shop.py"
    yield "repr", repr(t)
    yield "report", t.report()
    yield "notebook", t._repr_html_()
    yield "json", json.dumps(summary(t), ensure_ascii=False)
    yield "findings", repr(t.findings) + "".join(map(repr, t.findings))
    yield "log", repr(t.log) + repr(t.call_sites)
    yield "summary", github.summary(t, program)
    yield "workflow", "\n".join(github.workflow_commands(t))


@pytest.mark.parametrize("keys", ["words", "none"])
def test_no_secret_leaves(server, r, keys):
    options = {**server, "username": "default", "client_name": "hunter2"}
    with redis.Redis(**options, retry=Retry(NoBackoff(), 0)) as client, trace(keys=keys) as t:
        program(client)
    assert t.round_trips > 30
    for name, text in outputs(t):
        for secret in (*PARTS, *VALUES, server["password"]):
            assert secret not in text.replace(__file__, ""), f"{secret} is in {name}"
