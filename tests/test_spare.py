"""A spare server is another one, with its own settings, and leaves the lab's alone."""

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


def test_redis_url_is_never_used(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    assert lab.spare().ping()
