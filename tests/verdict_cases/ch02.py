"""Measurements for the judges of chapter 02, and the word each must say."""

CASES = [
    ("A1", {"writes": 1, "turns": 1}, "holds"),
    ("A1", {"writes": 7, "turns": 1}, "depends"),
    ("A1", {"writes": 3, "turns": 3}, "does not hold here"),
    ("A2", {"turns": 3, "acks": 0}, "does not hold here"),
    ("A2", {"turns": 3, "acks": 3}, "holds"),
    ("A2", {"turns": 3, "acks": None}, "untested"),
]
