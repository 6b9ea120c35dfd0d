"""Measurements that chapter 01's judges have not seen, and the word that each must say."""

CASES = [
    ("C1", {"rtt_ms": 250, "request_s": 0.2503, "served_s": 5e-6}, "holds"),
    ("C1", {"rtt_ms": 250, "request_s": 0.050, "served_s": 5e-6}, "does not hold here"),
    ("C1", {"rtt_ms": 250, "request_s": 0.26, "served_s": 0.1}, "depends"),
    ("C2", {"commands": 100, "loop_trips": 100, "pipeline_trips": 1}, "holds"),
    ("C2", {"commands": 100, "loop_trips": 100, "pipeline_trips": 7}, "depends"),
    ("C2", {"commands": 100, "loop_trips": 100, "pipeline_trips": 100}, "does not hold here"),
    ("D1", {"near_ms": 0.25, "far_ms": 1, "loop_near_s": 0.028, "loop_far_s": 0.103, "pipeline_far_s": 0.0015}, "holds"),
    ("D1", {"near_ms": 0.25, "far_ms": 1, "loop_near_s": 0.028, "loop_far_s": 0.029, "pipeline_far_s": 0.0015},
     "does not hold here"),
    ("D1", {"near_ms": 0.25, "far_ms": 1, "loop_near_s": 0.028, "loop_far_s": 0.036, "pipeline_far_s": 0.0015}, "depends"),
]
