"""Planar loops: which rows of a closing joint hold by themselves, whatever the joints of the loop do.

Where all turns of a loop are about one direction n, and all slides across it, bodies of the loop turn about n and shift across it relative to each
other, and never otherwise. A weld's turn about an axis across n and its shift along n then have rows that are zero at every pose. Solvers
would find that out at every solve, by pivots that are mere rounding; here they are left out once for all: two rows of five are left of a hinge.
The rows are still evaluated, so that a gap across the plane is seen.
"""

import numpy as np

from ..model.tables import AXIAL

PARALLEL = 1e-13  # a sine: with more, the square of what a row could move would be beyond the noise that solvers/semidefinite.py allows


def idle_directions(links, block):
    """The directions of the twin's link (a mask: turns, then shifts, about and along x, y, z) in which its loop never moves; 0 if it is not planar.

    `block`: the weld of a twin (link a) to its body (link b).
    """
    twin, body = int(block["a"]), int(block["b"])
    near, far = _way(links, twin), _way(links, body)
    while near and far and near[0] == far[0]:  # what is common to both ways does not belong to the loop
        near.pop(0)
        far.pop(0)
    loop = links[near + far]
    if np.any(loop["kind"] != AXIAL) or np.any((loop["turn"] != 0.0) == (loop["slide"] != 0.0)) or not np.any(loop["turn"]):
        return 0
    frames = _frames(links, near) | _frames(links, far)
    n = next(frames[i][:, 2] for i in near + far if links[i]["turn"] != 0.0)
    for i in near + far:
        z = frames[i][:, 2]
        across = np.linalg.norm(np.cross(n, z)) if links[i]["turn"] != 0.0 else abs(n @ z)
        if across > PARALLEL:
            return 0
    there = (frames[twin] @ block["Ra"].reshape(3, 3)).T @ n
    here = ((frames[body] if body in frames else np.eye(3)) @ block["Rb"].reshape(3, 3)).T @ n
    if np.linalg.norm(there - here) > 4.0 * PARALLEL:  # the two sides lie in different planes: the loop cannot be closed
        return 0
    n = np.abs(frames[twin].T @ n)
    mask = 0
    for k in range(3):
        if n[k] <= PARALLEL:
            mask |= 1 << k
        if np.delete(n, k).max() <= PARALLEL:
            mask |= 8 << k
    return mask


def _way(links, link):
    """The links from the root to a link."""
    way = []
    while link >= 0:
        way.append(link)
        link = int(links[link]["parent"])
    return way[::-1]


def _frames(links, way):
    """{link: its axes at q = 0, seen from where the way begins}."""
    R, frames = np.eye(3), {}
    for i in way:
        link = links[i]
        c0, s0, ca, sa, c, s = link["c0"], link["s0"], link["ca"], link["sa"], np.cos(link["offset"]), np.sin(link["offset"])
        R = R @ [[c0, -s0, 0.0], [s0, c0, 0.0], [0.0, 0.0, 1.0]] @ [[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]]
        R = R @ [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
        frames[i] = R
    return frames
