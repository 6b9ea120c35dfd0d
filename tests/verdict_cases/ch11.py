"""For the claim of chapter 11, measurements that make its judge say one thing and another."""

CLUSTER = dict(commands=30, nodes=3, mset_refused=True, tagged_refused=False)

CASES = [
    ("C12", dict(**CLUSTER, reply="error MOVED", plain_failed=17, failed=0), "depends"),
    ("C12", dict(**CLUSTER, reply="error MOVED", plain_failed=17, failed=17), "holds"),
    ("C12", dict(**CLUSTER, reply="nil", plain_failed=0, failed=0), "does not hold here"),
]
