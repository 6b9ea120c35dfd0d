"""Measures the lab itself: whether it keeps its promises on this machine. `make bench` runs it."""
