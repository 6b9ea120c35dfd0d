"""Measurements that chapter 09's judge has not seen, and the word that it must say."""

CASES = [
    ("B1", {"get": 1.2, "list_10": 1.5, "list_1000": 10.1, "list_10000": 16.0, "pipeline": 1.03}, "depends"),
    ("B1", {"get": 8.0, "list_10": 9.0, "list_1000": 11.0, "list_10000": 12.0, "pipeline": 9.5}, "holds"),
    ("B1", {"get": 1.0, "list_10": 1.1, "list_1000": 2.0, "list_10000": 2.2, "pipeline": 1.0}, "depends"),
    ("B1", {"get": 1.0, "list_10": 1.0, "list_1000": 1.1, "list_10000": 1.1, "pipeline": 0.9}, "does not hold here"),
]
