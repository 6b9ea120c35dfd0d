"""Measurements for the judges of chapter 02, and the word each must say."""

CASES = [
    ("A1", {"commands": 3, "writes": 1, "turns": 1}, "holds"),
    ("A1", {"commands": 1_000, "writes": 7, "turns": 1}, "holds"),
    ("A1", {"commands": 1_000, "writes": 1_000, "turns": 1}, "does not hold here"),
    ("A1", {"commands": 3, "writes": 1, "turns": 3}, "does not hold here"),
    ("A2", {"turns": 3, "acks": 0, "pipeline_acks": 0}, "depends"),
    ("A2", {"turns": 3, "acks": 1, "pipeline_acks": 0}, "depends"),
    ("A2", {"turns": 3, "acks": 3, "pipeline_acks": 1}, "depends"),
    ("A2", {"turns": 3, "acks": 3, "pipeline_acks": 0}, "holds"),
    ("A2", {"turns": 3, "acks": None, "pipeline_acks": None}, "untested"),
]
