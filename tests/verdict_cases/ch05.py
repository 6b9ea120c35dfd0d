"""Measurements that chapter 05's judges have not seen, and the word that each must say."""

SEARCH = {"prefix_s": 6e-4, "infix_s": 1e-3, "plain_prefix_s": 3.55e-3}
GROWTH = {"few": 13_527, "many": 213_527, "keys_few_s": 5e-4, "keys_many_s": 0.0199, "index_few_s": 3e-4, "index_many_s": 3.1e-4}

CASES = [
    ("B3", {**SEARCH, "none_by_prefix_us": 179, "none_by_infix_us": 819, "plain_infix_s": 3.97e-3}, "depends"),
    ("B3", {**SEARCH, "none_by_prefix_us": 179, "none_by_infix_us": 190, "plain_infix_s": 3.97e-3}, "holds"),
    ("B3", {**SEARCH, "none_by_prefix_us": 179, "none_by_infix_us": 9_000, "plain_infix_s": 12e-3}, "does not hold here"),
    ("B4", {"prefix_s": 0.0198, "suffix_s": 0.00818, "plain_prefix_s": 0.0198, "plain_suffix_s": 0.00818}, "holds"),
    ("B4", {"prefix_s": 7e-4, "suffix_s": 1.2e-3, "plain_prefix_s": 4.2e-3, "plain_suffix_s": 2.3e-3}, "depends"),
    ("B4", {"prefix_s": 7e-4, "suffix_s": 1.2e-3, "plain_prefix_s": 4.2e-3, "plain_suffix_s": 4.1e-3}, "does not hold here"),
    ("B4", {"prefix_s": 2.0, "suffix_s": 1.0, "plain_prefix_s": 4.0, "plain_suffix_s": 4.0}, "depends"),
    ("B5", {**GROWTH, "queries": 3, "answered": 3}, "holds"),
    ("B5", {**GROWTH, "queries": 3, "answered": 2}, "does not hold here"),
    ("B6", {"keys_s": 5e-4, "hgetall_s": 1.8e-4, "keys_mget_s": 6e-4, "alone_keys_s": 5e-4, "alone_hgetall_s": 9e-4}, "depends"),
    ("B6", {"keys_s": 2.92e-3, "hgetall_s": 4.4e-3, "keys_mget_s": 5e-3, "alone_keys_s": 5e-4, "alone_hgetall_s": 9e-4}, "holds"),
    ("B6", {"keys_s": 5e-4, "hgetall_s": 1.8e-4, "keys_mget_s": 6e-4, "alone_keys_s": 5e-4, "alone_hgetall_s": 3e-4},
     "does not hold here"),
    ("B7", {"packed_bytes": 16_400, "table_bytes": 36_200, "keys_bytes": 44_000, "most_fields": 512, "longest_value": 64},
     "holds"),
    ("B7", {"packed_bytes": 16_400, "table_bytes": 36_200, "keys_bytes": 17_000, "most_fields": 512, "longest_value": 64},
     "holds"),
    ("B7", {"packed_bytes": 35_000, "table_bytes": 36_200, "keys_bytes": 44_000, "most_fields": 512, "longest_value": 64},
     "does not hold here"),
    ("D7", {"records": 100, "naive_turns": 101, "mended_turns": 2, "naive_s": 0.11, "mended_s": 3e-3}, "holds"),
    ("D7", {"records": 100, "naive_turns": 3, "mended_turns": 2, "naive_s": 4e-3, "mended_s": 3e-3}, "depends"),
    ("D7", {"records": 100, "naive_turns": 101, "mended_turns": 2, "naive_s": 3e-3, "mended_s": 3e-3}, "does not hold here"),
]
