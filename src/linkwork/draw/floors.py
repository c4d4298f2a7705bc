"""Floors of a mechanism in pictures: one that is level is the floor that a picture has anyway, with grid and shadow; one that slopes is a slab.

A slab is as large as what is above it needs, and takes no part in where the camera stands.
"""

import numpy as np

from ..parts.shapes import Floor
from .solids import box

LEVEL = 1e-9  # the sine of the largest slope that counts as level
REACH = 0.9  # half the edge of a slab, in sizes of the mechanism


def floor_planes(thing):
    """The planes (R, p) of all floors that touch or are seen: z of R is the outward normal. thing: a Mechanism, or the ground with its shapes; or None."""
    ground = getattr(thing, "ground", thing)
    shapes = () if ground is None else (*ground.visuals, *ground.collisions)
    return [(shape.plane.rotation, shape.plane.translation) for shape in shapes if isinstance(shape, Floor)]


def is_level(plane):
    """Is its normal vertical, upwards?"""
    R, _ = plane
    return bool(np.hypot(R[0, 2], R[1, 2]) <= LEVEL and R[2, 2] > 0.0)


def level_height(planes):
    """The height of the highest level floor, m; None if there is none."""
    return max((float(p[2]) for R, p in planes if is_level((R, p))), default=None)


def slab(plane, middle, size):
    """A thin square plate whose upper face is on the plane, around the point of the plane that is nearest to `middle`, in the world."""
    R, p = plane
    normal = R[:, 2]
    foot = middle - normal * float(normal @ (middle - p))
    thickness = 0.02 * size
    return box(2.0 * REACH * size, 2.0 * REACH * size, thickness).placed(R, foot - 0.5 * thickness * normal)
