"""Measurements that chapter 13's judges have not seen, and the word that each must say."""

WRITES = {"once_s": 0.1, "constants_s": 0.085, "once_work_s": 0.013}

CASES = [
    ("A4", {"loop_far_s": 3.4, "pipeline_far_s": 0.07, "loop_near_s": 0.35, "pipeline_near_s": 0.07}, "holds"),
    ("A4", {"loop_far_s": 3.4, "pipeline_far_s": 0.4, "loop_near_s": 0.35, "pipeline_near_s": 0.07}, "depends"),
    ("A4", {"loop_far_s": 3.4, "pipeline_far_s": 0.07, "loop_near_s": 0.05, "pipeline_near_s": 0.06}, "does not hold here"),
    ("A4", {"loop_far_s": 3.4, "pipeline_far_s": 3.3, "loop_near_s": 0.35, "pipeline_near_s": 0.36}, "does not hold here"),
    ("B2", {"calls_s": 1.1e-3, "plain_s": 2.0e-4, "default_s": 2.2e-4}, "holds"),
    ("B2", {"calls_s": 1.1e-3, "plain_s": 6.4e-4, "default_s": 6.5e-4}, "depends"),
    ("B2", {"calls_s": 1.1e-3, "plain_s": 9.0e-4, "default_s": 2.2e-4}, "depends"),
    ("B2", {"calls_s": 1.06e-3, "plain_s": 2.9e-4, "default_s": 2.0e-4}, "holds"),
    ("B2", {"calls_s": 1.1e-3, "plain_s": 1.1e-3, "default_s": 1.2e-3}, "does not hold here"),
    ("C6", {"rtt_ms": 6.6, "published_gain": 6, "connecting_gain": 18, "open_gain": 93}, "holds"),
    ("C6", {"rtt_ms": 6.6, "published_gain": 6, "connecting_gain": 6.1, "open_gain": 6.3}, "holds"),
    ("C6", {"rtt_ms": 6.6, "published_gain": 6, "connecting_gain": 2.0, "open_gain": 93}, "depends"),
    ("C6", {"rtt_ms": 6.6, "published_gain": 6, "connecting_gain": 1, "open_gain": 1.1}, "does not hold here"),
    ("E1", {**WRITES, "loop_s": 5.1, "hundreds_s": 0.15, "hundreds_work_s": 0.06}, "holds"),
    ("E1", {**WRITES, "loop_s": 5.1, "hundreds_s": 0.15, "hundreds_work_s": 0.012}, "depends"),
    ("E1", {**WRITES, "loop_s": 1.1, "hundreds_s": 0.15, "hundreds_work_s": 0.06}, "depends"),
    ("E1", {**WRITES, "loop_s": 0.1, "hundreds_s": 0.15, "hundreds_work_s": 0.012}, "does not hold here"),
    ("E1", {**WRITES, "loop_s": 0.05, "hundreds_s": 0.15, "hundreds_work_s": 0.06}, "untested"),
]
