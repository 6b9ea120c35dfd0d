"""Programs that failed once, each as `programs` describes it."""

KEPT = []
