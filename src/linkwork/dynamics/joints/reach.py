"""How far joints carry a point at most: bounds that hold at every pose, for screens that pass steps over (integrators/event_screen.py).

A joint that turns carries a point beyond it no faster than its distance from the joint; the links between, laid out straight, bound that distance. What a
slide, a free body or a custom joint between them adds is not known beforehand: reaches across one are infinite.
"""

import math

import numpy as np

from ...model.tables import AXIAL, BALL, FREE


def turns_of(model):
    """rad that bodies turn for a unit of each velocity's way, (nv,)."""
    made = np.zeros(model.nv)
    for link in model.tables.links:
        v, nv = int(link["v"]), int(link["nv"])
        if link["kind"] == AXIAL:
            made[v] = abs(link["turn"])
        else:
            made[v : v + (3 if link["kind"] == FREE else nv)] = 1.0
    return made


def reach_between(model, a, pa, b=-1, pb=(0.0, 0.0, 0.0)):
    """(reach, moving): how far the point pa of link a (-1: the world) moves, as seen from link b, for a unit of each velocity's way, at most (nv,); and
    which velocities move it (nv,)."""
    path_a, path_b = _path(model, a), _path(model, b)
    common = set(path_a) & set(path_b)
    reach, moving = np.zeros(model.nv), np.zeros(model.nv, dtype=bool)
    long_a = _add_reach(model, [i for i in path_a if i not in common], float(np.linalg.norm(pa)), reach, moving)
    apart = np.zeros(model.nv)
    own = [i for i in path_b if i not in common]
    long_b = _add_reach(model, own, float(np.linalg.norm(pb)), np.zeros(model.nv), moving.copy())
    _add_reach(model, own, float(np.linalg.norm(pb)) + long_a + long_b, apart, moving)
    return reach + apart, moving


def _path(model, link):
    """Links from one up to the root."""
    found = []
    while link >= 0:
        found.append(int(link))
        link = int(model.tables.links[link]["parent"])
    return found


def _add_reach(model, path, far, reach, moving):
    """Fill in the joints of a path, tip first, for a point that is `far` from the first link's origin; returns how far it may be from the last parent's."""
    for i in path:
        link = model.tables.links[i]
        v, nv, kind = int(link["v"]), int(link["nv"]), link["kind"]
        moving[v : v + nv] = True
        if kind == AXIAL:
            turn, slide = abs(float(link["turn"])), abs(float(link["slide"]))
            reach[v] = (turn * far if turn else 0.0) + slide
            far = math.inf if slide else far + float(np.linalg.norm(link["r"]))
        elif kind in (BALL, FREE):
            reach[v : v + 3] = far
            reach[v + 3 : v + nv] = 1.0
            far = math.inf if kind == FREE else far + float(np.linalg.norm(link["r"]))
        else:
            reach[v : v + nv] = far = math.inf
    return far
