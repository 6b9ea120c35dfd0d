"""Compute how different two colours look, for the eye that sees the smallest difference.

Distances are CIE76, in CIELAB of the white point D65 (2 degrees): some 2.3 is just noticeable. The
formulas are those of https://en.wikipedia.org/wiki/SRGB (IEC 61966-2-1: gamma, and the matrix to
XYZ) and https://en.wikipedia.org/wiki/CIELAB_color_space (CIE 15). What a reader without one kind
of cones sees is from G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, A Physiologically-based
Model for Simulation of Color Vision Deficiency (2009), table 1 at severity 1.0, on linear RGB.
"""

import functools

import numpy as np

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.95047, 1.0, 1.08883])
SIGHTS = {
    "all cones": np.eye(3),
    "without L cones": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "without M cones": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "without S cones": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


@functools.cache
def distance(one: str, other: str) -> float:
    """Return how different two colours look, as a CIE76 distance: about 2.3 is just noticeable.

    Both are written "#RRGGBB". The distance is the smallest among those of all kinds of sight in
    SIGHTS.
    """
    return min(
        float(np.linalg.norm(np.subtract(cielab(one, sight), cielab(other, sight))))
        for sight in SIGHTS
    )


def cielab(color: str, sight: str = "all cones"):
    """Return (L, a, b) of a colour, written "#RRGGBB", as seen with the kind of sight `sight`.

    `sight` is a key of SIGHTS: "all cones", or for example "without L cones".
    """
    seen = np.clip(SIGHTS[sight] @ linear(color), 0, 1)
    x, y, z = (root(part) for part in TO_XYZ @ seen / WHITE)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def linear(color: str):
    """Return the light of a colour "#RRGGBB": an array of red, green and blue, 0 to 1, no gamma."""
    parts = np.array([int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def root(part):
    """Return the cube root of `part`, 0 to 1, as CIELAB has it: a straight line near black."""
    return part ** (1 / 3) if part > (6 / 29) ** 3 else part * (29 / 6) ** 2 / 3 + 4 / 29
