"""Planar loops: which rows of a closing joint hold by themselves, whatever the joints of the loop do.

Where all turns of a loop are about one direction n, and all slides across it, bodies of the loop turn about n and shift across it relative to each
other, and never otherwise. A weld's turn about an axis across n and its shift along n then have rows that are zero at every pose. Solvers
would find that out at every solve, by pivots that are mere rounding; here they are left out once for all: two rows of five are left of a hinge.
The rows are still evaluated, so that a gap across the plane is seen.
"""

import math
from typing import NamedTuple

import numpy as np

from ...dynamics.joints.closing import turning_joints
from ...parts.joints.axis import cross

PARALLEL = (
    1e-13  # a sine: with more, the square of what a row could move would be beyond the noise that solvers/delassus/semidefinite.py allows
)


class AtZero(NamedTuple):
    """The links of a model with all joints at zero."""

    parents: list
    turning: list  # True for a hinge, False for a slide, None for what is neither
    turned: np.ndarray  # (n, 3, 3): the axes of a hinge or slide in its parent, Rz(theta0) Rx(alpha) Rz(offset)


def at_zero(links):
    """What `idle_directions` needs to know of all links."""
    c0, s0, ca, sa = links["c0"], links["s0"], links["ca"], links["sa"]
    c, s = np.cos(links["offset"]), np.sin(links["offset"])
    rows = [
        [c0 * c - s0 * ca * s, -c0 * s - s0 * ca * c, s0 * sa],
        [s0 * c + c0 * ca * s, -s0 * s + c0 * ca * c, -c0 * sa],
        [sa * s, sa * c, ca],
    ]
    return AtZero(links["parent"].tolist(), turning_joints(links), np.array(rows).transpose(2, 0, 1))


def idle_directions(links, block):
    """The directions of the cut body's link (a mask: turns, then shifts, about and along x, y, z) in which its loop never moves; 0 if it is not planar.

    links: at zero. block: the weld of a cut body (link a) to its body (link b).
    """
    cut, body = int(block["a"]), int(block["b"])
    near, far = _way(links.parents, cut), _way(links.parents, body)
    while near and far and near[0] == far[0]:  # what is common to both ways does not belong to the loop
        near.pop(0)
        far.pop(0)
    turning = [links.turning[i] for i in near + far]
    if None in turning or True not in turning:
        return 0
    frames = _frames(links.turned, near) | _frames(links.turned, far)
    axes = [frames[i][:, 2].tolist() for i in near + far]
    n = axes[turning.index(True)]
    for z, turns in zip(axes, turning, strict=True):
        if (math.hypot(*cross(n, z)) if turns else abs(n[0] * z[0] + n[1] * z[1] + n[2] * z[2])) > PARALLEL:
            return 0
    there = (frames[cut] @ block["Ra"].reshape(3, 3)).T @ n
    here = ((frames[body] if body in frames else np.eye(3)) @ block["Rb"].reshape(3, 3)).T @ n
    if np.linalg.norm(there - here) > 4.0 * PARALLEL:  # the two sides lie in different planes: the loop cannot be closed
        return 0
    n = np.abs(frames[cut].T @ n).tolist()
    mask = 0
    for k in range(3):
        if n[k] <= PARALLEL:
            mask |= 1 << k
        if max(n[k - 1], n[k - 2]) <= PARALLEL:
            mask |= 8 << k
    return mask


def _way(parents, link):
    """The links from the root to a link."""
    way = []
    while link >= 0:
        way.append(link)
        link = parents[link]
    return way[::-1]


def _frames(turned, way):
    """{link: its axes at q = 0, seen from where the way begins}."""
    R, frames = np.eye(3), {}
    for i in way:
        frames[i] = R = R @ turned[i]
    return frames
