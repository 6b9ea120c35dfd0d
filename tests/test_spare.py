"""A spare server is another one, with its own settings, and leaves the lab's alone."""

import redis

import lab_utils as lab


def test_a_spare_server_is_not_the_labs():
    r, spare = lab.connect(), lab.spare()
    assert spare.info("server")["run_id"] != r.info("server")["run_id"]
    sha = r.script_load("return 'still known'")
    spare.script_flush()
    assert r.script_exists(sha) == [True]


def test_settings_and_options_reach_server_and_client():
    spare = lab.spare("maxmemory 10mb", decode_responses=True)
    assert spare.config_get("maxmemory")["maxmemory"] == str(10 * 1024 * 1024)
    assert lab.count(lambda r: r.ping(), spare).round_trips == 1


def test_it_may_listen_on_a_unix_socket_too(tmp_path):
    """As chapter 09 has it, to compare the two roads to one server."""
    spare = lab.spare(f"unixsocket {tmp_path}/redis.sock", "unixsocketperm 700")
    other = redis.Redis(unix_socket_path=f"{tmp_path}/redis.sock", password=spare.get_connection_kwargs()["password"])
    assert other.info("server")["run_id"] == spare.info("server")["run_id"]


def test_redis_url_is_never_used(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert lab.spare().ping()
