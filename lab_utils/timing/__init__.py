"""Measure how long work takes, and how long other clients wait while it runs."""
