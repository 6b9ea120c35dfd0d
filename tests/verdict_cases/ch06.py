"""Measurements and the verdict that must follow, for the judges of chapter 06."""

BESIDE = {"pickle_s": 0.71e-6, "json_s": 2.5e-6, "orjson_s": 0.33e-6, "msgpack_s": 0.63e-6,
          "pickle_trip_s": 2.10e-3, "json_trip_s": 2.11e-3, "trip_rtt_ms": 1}

CASES = [
    ("B8", {"pickle_loads_s": 0.32e-6, "json_loads_s": 0.87e-6, **BESIDE}, "holds"),
    ("B8", {"pickle_loads_s": 0.32e-6, "json_loads_s": 0.30e-6, **BESIDE}, "does not hold here"),
    ("B9", {"tried": 14, "pickle_same": 12, "json_same": 4, "json_changed": 2}, "holds"),
    ("B9", {"tried": 14, "pickle_same": 12, "json_same": 10, "json_changed": 0}, "depends"),
    ("B9", {"tried": 14, "pickle_same": 4, "json_same": 9, "json_changed": 0}, "does not hold here"),
    ("B10", {"plain_tried": 8, "plain_read": 8, "other_tried": 4, "other_read": 0}, "holds"),
    ("B10", {"plain_tried": 8, "plain_read": 5, "other_tried": 4, "other_read": 4}, "holds"),
    ("B10", {"plain_tried": 8, "plain_read": 8, "other_tried": 4, "other_read": 4}, "does not hold here"),
]
