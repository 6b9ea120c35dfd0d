"""Measurements that chapter 03's judges have not seen, and the word that each must say."""

SIZES = {"all_at_once_s": 0.139, "smaller_s": 0.157, "batch_bytes": 2.4e6, "all_at_once_bytes": 4.6e6, "smaller_bytes": 2.5e5,
         "all_queued_bytes": 16_300_000}
SERVED = {"loop_s": 0.031, "loop_server_s": 0.0056, "loop_reads": 1_000}

CASES = [
    ("C4", {**SIZES, "batch_s": 0.14, "batch_queued_bytes": 6_300_000}, "holds"),
    ("C4", {**SIZES, "batch_s": 0.14, "batch_queued_bytes": 16_000_000}, "depends"),
    ("C4", {**SIZES, "batch_s": 0.34, "batch_queued_bytes": 6_300_000}, "depends"),
    ("C4", {**SIZES, "batch_s": 0.34, "batch_queued_bytes": 16_000_000}, "does not hold here"),
    ("C5", {**SERVED, "pipeline_s": 0.007, "pipeline_server_s": 0.0004, "pipeline_reads": 2}, "holds"),
    ("C5", {**SERVED, "pipeline_s": 0.007, "pipeline_server_s": 0.0004, "pipeline_reads": None}, "holds"),
    ("C5", {**SERVED, "pipeline_s": 0.007, "pipeline_server_s": 0.0004, "pipeline_reads": 1_000}, "depends"),
    ("C5", {**SERVED, "pipeline_s": 0.007, "pipeline_server_s": 0.0050, "pipeline_reads": 2}, "depends"),
    ("C5", {**SERVED, "pipeline_s": 0.030, "pipeline_server_s": 0.0055, "pipeline_reads": 1_000}, "does not hold here"),
    ("C14", {"near_gain": 3.0, "far_gain": 9.9, "loaded_gain": 40.0}, "does not hold here"),
    ("C14", {"near_gain": 3.0, "far_gain": 0.7, "loaded_gain": 40.0}, "holds"),
    ("C14", {"near_gain": 3.0, "far_gain": 9.9, "loaded_gain": 0.7}, "holds"),
    ("C14", {"near_gain": 3.0, "far_gain": 1.5, "loaded_gain": 40.0}, "depends"),
    ("C14", {"near_gain": 3.0, "far_gain": 9.9, "loaded_gain": 1.1}, "depends"),
    ("D2", {"loop_near_s": 0.003, "loop_far_s": 0.103, "pipeline_near_s": 0.0007, "pipeline_far_s": 0.0017}, "holds"),
    ("D2", {"loop_near_s": 0.003, "loop_far_s": 0.103, "pipeline_near_s": 0.0007, "pipeline_far_s": 0.0507}, "depends"),
    ("D2", {"loop_near_s": 0.003, "loop_far_s": 0.103, "pipeline_near_s": 0.0007, "pipeline_far_s": 0.0997},
     "does not hold here"),
    ("D3", {"plain_near_s": 36e-6, "pipeline_near_s": 52e-6, "plain_far_s": 1.04e-3, "pipeline_far_s": 1.06e-3}, "depends"),
    ("D3", {"plain_near_s": 36e-6, "pipeline_near_s": 90e-6, "plain_far_s": 1.04e-3, "pipeline_far_s": 1.09e-3}, "holds"),
    ("D6", {"near_gains": {1: 0.86, 2: 1.6, 100: 5.0}, "far_gains": {1: 1.0, 2: 2.0}}, "depends"),
    ("D6", {"near_gains": {1: 0.4, 2: 0.6, 100: 5.0}, "far_gains": {1: 1.0, 2: 2.0}}, "depends"),
    ("D6", {"near_gains": {1: 0.2, 2: 0.3, 100: 2.0}, "far_gains": {1: 0.4, 2: 0.5}}, "holds"),
    ("D6", {"near_gains": {1: 0.2, 2: 0.3, 100: 0.9}, "far_gains": {1: 0.4, 2: 0.5}}, "does not hold here"),
    ("E2", {"loop_s": 0.031, "mset_s": 0.0008, "loop_client_s": 0.025, "mset_server_s": 0.00017}, "holds"),
    ("E2", {"loop_s": 0.031, "mset_s": 0.006, "loop_client_s": 0.025, "mset_server_s": 0.00017}, "depends"),
    ("E2", {"loop_s": 0.031, "mset_s": 0.03, "loop_client_s": 0.025, "mset_server_s": 0.02}, "does not hold here"),
    ("E3", {"write_pipeline": 37, "write_multi": 45, "read_pipeline": 39, "read_multi": 46}, "holds"),
    ("E3", {"write_pipeline": 37, "write_multi": 45, "read_pipeline": 39, "read_multi": 4}, "depends"),
    ("E3", {"write_pipeline": 37, "write_multi": 45, "read_pipeline": 1, "read_multi": 1.1}, "does not hold here"),
]
