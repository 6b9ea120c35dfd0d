"""Help a single chapter each, to measure or to draw.

These modules import lab_utils, never the reverse.
"""
