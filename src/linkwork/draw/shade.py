"""Colours: a quiet palette, and how light falls on a flat face.

    shade = ambient + sun max(0, n . l) + head max(0, n . e),      n: the face's normal, l: towards the sun, e: towards the eye,

Lambert's law with two lamps, one fixed in the world and one carried by the camera, so that no side of a mechanism is black.
"""

import re

import numpy as np

from ..errors import ModelError
from ..parts.validation import refuse

PAPER = (0.984, 0.980, 0.969)
INK = (0.200, 0.216, 0.247)
GRAPHITE = (0.318, 0.337, 0.376)
GROUND = (0.690, 0.675, 0.639)
SHADOW = (0.910, 0.902, 0.882)
GRID = (0.875, 0.863, 0.831)
TRAIL = (0.757, 0.373, 0.263)
SPRING = (0.478, 0.510, 0.553)
PALETTE = (
    (0.361, 0.510, 0.663),  # steel
    (0.804, 0.502, 0.373),  # terracotta
    (0.514, 0.647, 0.522),  # sage
    (0.851, 0.694, 0.373),  # ochre
    (0.596, 0.486, 0.639),  # heather
    (0.369, 0.616, 0.627),  # verdigris
    (0.804, 0.576, 0.604),  # rose
    (0.475, 0.522, 0.580),  # slate
)

SUN = np.array((0.32, -0.42, 0.85)) / np.linalg.norm((0.32, -0.42, 0.85))
AMBIENT, SUN_SHARE, HEAD_SHARE = 0.56, 0.42, 0.22
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def lit(colors, normals, towards_eye):
    """Colours (n, 3) in [0, 1] of faces with unit normals (n, 3), all in world axes; towards_eye (n, 3) are unit vectors."""
    sun = np.maximum(normals @ SUN, 0.0)
    head = np.maximum(np.einsum("ij,ij->i", normals, towards_eye), 0.0)
    return np.clip(colors * (AMBIENT + SUN_SHARE * sun + HEAD_SHARE * head)[:, None], 0.0, 1.0)


def hexadecimal(color):
    """(r, g, b) in [0, 1] as #rrggbb."""
    return "#" + "".join(f"{round(255 * min(max(float(x), 0.0), 1.0)):02x}" for x in color)


def color_from(value, owner):
    """A colour that a person gives, "#rrggbb" or three numbers from 0 to 1, as three floats."""
    if isinstance(value, str) and _HEX.fullmatch(value):
        return tuple(int(value[k : k + 2], 16) / 255 for k in (1, 3, 5))
    try:
        color = tuple(float(x) for x in value)
    except (TypeError, ValueError):
        color = ()
    if len(color) != 3 or not all(0.0 <= x <= 1.0 for x in color):
        raise refuse(owner, "its colour", value, 'give "#rrggbb" or three numbers from 0 to 1')
    return color


def body_colors(names, given):
    """A colour for every body, from the palette in turn unless one is given: {name: (r, g, b)}."""
    if given is not None and not isinstance(given, dict):
        raise refuse("draw", "colors", given, 'give a dictionary such as {"crank": "#5c82a9"}')
    unknown = [name for name in given or {} if name not in names and name != "ground"]
    if unknown:
        raise ModelError(
            f"draw: colors names {unknown[0]!r}, which is no body; the bodies are {', '.join(map(repr, names[:8]))}; correct it"
        )
    colors = {name: PALETTE[k % len(PALETTE)] for k, name in enumerate(names)} | {"ground": GROUND}
    return colors | {name: color_from(value, f"body {name!r}") for name, value in (given or {}).items()}
