"""For each claim of chapter 04, measurements that make its judge say one thing and another."""

CASES = [
    ("A3", dict(sets=3, default_commands=5, plain_commands=3), "holds"),
    ("A3", dict(sets=3, default_commands=3, plain_commands=3), "does not hold here"),
    ("C9", dict(looks=400, plain_midst=120, default_midst=0), "holds"),
    ("C9", dict(looks=400, plain_midst=0, default_midst=0), "does not hold here"),
    ("C10", dict(commands=3, run_time_plain=2, run_time_multi=2, queue_time_plain=2, queue_time_multi=0), "holds"),
    ("C10", dict(commands=3, run_time_plain=0, run_time_multi=0, queue_time_plain=0, queue_time_multi=0), "does not hold here"),
    ("C10", dict(commands=3, run_time_plain=2, run_time_multi=2, queue_time_plain=1, queue_time_multi=0), "does not hold here"),
    ("C11", dict(results_before_execute=0, turns=1, effects_kept=True), "depends"),
    ("C11", dict(results_before_execute=0, turns=1, effects_kept=False), "holds"),
    ("C11", dict(results_before_execute=1, turns=1, effects_kept=True), "does not hold here"),
]
