"""For each claim of chapter 04, measurements that make its judge say one thing and another."""

CASES = [
    ("A3", dict(sets=3, default_commands=5, plain_commands=3), "depends"),
    ("A3", dict(sets=3, default_commands=5, plain_commands=5), "holds"),
    ("A3", dict(sets=3, default_commands=3, plain_commands=3), "does not hold here"),
    ("C8", dict(commands=200_000, pipeline_worst_s=0.004, multi_worst_s=0.077, batches_worst_s=0.003), "depends"),
    ("C8", dict(commands=200_000, pipeline_worst_s=0.08, multi_worst_s=0.08, batches_worst_s=0.003), "holds"),
    ("C8", dict(commands=200_000, pipeline_worst_s=0.001, multi_worst_s=0.001, batches_worst_s=0.001), "does not hold here"),
    ("C9", dict(looks=400, plain_midst=120, default_midst=0), "depends"),
    ("C9", dict(looks=400, plain_midst=120, default_midst=80), "holds"),
    ("C9", dict(looks=400, plain_midst=0, default_midst=0), "does not hold here"),
    ("C10", dict(commands=3, run_time_plain=2, run_time_multi=2, queue_time_plain=2, queue_time_multi=0), "depends"),
    ("C10", dict(commands=3, run_time_plain=2, run_time_multi=2, queue_time_plain=2, queue_time_multi=2), "holds"),
    ("C10", dict(commands=3, run_time_plain=0, run_time_multi=0, queue_time_plain=0, queue_time_multi=0), "does not hold here"),
    ("C11", dict(results_before_execute=0, turns=1), "holds"),
    ("C11", dict(results_before_execute=1, turns=3), "depends"),
    ("C11", dict(results_before_execute=1, turns=1), "does not hold here"),
    ("C13", dict(queueing=0, executing=1, watching=1, plain_call=1), "depends"),
    ("C13", dict(queueing=1, executing=1, watching=1, plain_call=1), "holds"),
    ("C13", dict(queueing=0, executing=0, watching=0, plain_call=0), "does not hold here"),
]
