"""Measurements that chapter 07's judge must tell apart."""

SEEN = {"watch_turns": 3, "lua_turns": 1, "near_watch_s": 100e-6, "near_lua_s": 40e-6, "far_watch_s": 3.1e-3,
        "far_lua_s": 1.05e-3, "far_rtt_ms": 1, "pipeline_wait_s": 0.4e-3, "script_wait_s": 10e-3, "items": 10_000}

CASES = [
    ("C7", SEEN, "holds"),
    ("C7", {**SEEN, "near_watch_s": 41e-6}, "holds"),
    ("C7", {**SEEN, "watch_turns": 1, "near_watch_s": 41e-6, "far_watch_s": 1.05e-3}, "does not hold here"),
    ("C7", {**SEEN, "near_watch_s": 41e-6, "far_watch_s": 1.05e-3}, "does not hold here"),
]
