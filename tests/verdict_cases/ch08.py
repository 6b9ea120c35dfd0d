"""For each claim of chapter 08, measurements that make its judge say one thing and another."""

PIPELINE = {10: 0.0012, 100: 0.0016, 1_000: 0.0056}
CPU = dict(loop_cpu_us=70.0, pipeline_cpu_us=4.5, threads_connections=16, tasks_connections=50)

CASES = [
    ("D4", dict(pipeline_s=PIPELINE, pooled_s={10: 0.0016, 100: 0.0065, 1_000: 0.055},
                shared_s={10: 0.0014, 100: 0.0027, 1_000: 0.015}), "untested"),
    ("D4", dict(pipeline_s=PIPELINE, pooled_s={10: 0.0012, 100: 0.0019, 1_000: 0.0099},
                shared_s={10: 0.0012, 100: 0.0018, 1_000: 0.008}), "holds"),
    ("D4", dict(pipeline_s=PIPELINE, pooled_s={10: 0.0012, 100: 0.0016, 1_000: 0.004},
                shared_s={10: 0.0012, 100: 0.0016, 1_000: 0.004}), "untested"),
    ("D5", dict(**CPU, threads_cpu_us=210.0, tasks_cpu_us=90.0, free_loop_s=0.01, free_threads_s=0.04), "holds"),
    ("D5", dict(**CPU, threads_cpu_us=60.0, tasks_cpu_us=50.0, free_loop_s=0.01, free_threads_s=0.012), "holds"),
    ("D5", dict(**CPU, threads_cpu_us=6.0, tasks_cpu_us=50.0, free_loop_s=0.01, free_threads_s=0.04), "depends"),
    ("D5", dict(**CPU, threads_cpu_us=6.0, tasks_cpu_us=5.0, free_loop_s=0.01, free_threads_s=0.01), "does not hold here"),
]
