"""For each claim of chapter 10, measurements that make its judge say one thing and another."""

GB = 1_073_741_824
MB = 1_048_576

LONG = dict(batches_s=0.055, queued_bytes=36_000_000, commands=100_000, pipeline_worst_s=0.004, multi_worst_s=0.038)

CASES = [
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=True, pipeline_cut=False, multi_cut=True), "depends"),
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=True, pipeline_cut=False, multi_cut=False), "depends"),
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=True, pipeline_cut=True, multi_cut=True), "holds"),
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=False, pipeline_cut=False, multi_cut=False), "does not hold here"),
    ("C8", dict(**LONG, at_once_s=0.062, cut_off=True), "holds"),
    ("C8", dict(**LONG, at_once_s=0.090, cut_off=False), "holds"),
    ("C8", dict(**LONG, at_once_s=0.050, cut_off=False), "does not hold here"),
    ("C13", dict(queueing=0, executing=1, watching=1, plain_call=1), "holds"),
    ("C13", dict(queueing=0, executing=0, watching=0, plain_call=0), "does not hold here"),
]
