"""For each claim of chapter 10, measurements that make its judge say one thing and another."""

GB = 1_073_741_824
MB = 1_048_576

CASES = [
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=True, pipeline_cut=False, multi_cut=True), "depends"),
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=True, pipeline_cut=False, multi_cut=False), "depends"),
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=True, pipeline_cut=True, multi_cut=True), "holds"),
    ("C3", dict(default_bytes=GB, limit_bytes=MB, one_cut=False, pipeline_cut=False, multi_cut=False), "does not hold here"),
    ("C12", dict(reply="error MOVED", commands=30, nodes=3, failed=0, mset_refused=True, tagged_refused=False), "depends"),
    ("C12", dict(reply="error MOVED", commands=30, nodes=3, failed=20, mset_refused=True, tagged_refused=False), "holds"),
    ("C12", dict(reply="nil", commands=30, nodes=3, failed=0, mset_refused=False, tagged_refused=False), "does not hold here"),
]
