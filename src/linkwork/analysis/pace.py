"""How fast a mechanism moves, or sets out to: what small velocities and rates are measured by, in the place of 1 rad/s.

pace = max over k of  |v_k| / l_k,   sqrt(|vdot_k| / l_k)          1/s;   l: 1 for turns, a length of the mechanism for slides
"""

import numpy as np

from .wiring import length_of


def pace_of(reach, v, vdot) -> float:
    """The pace of a state, 1/s; reach: l, (nv,)."""
    return max(float(np.max(np.abs(v) / reach, initial=0.0)), float(np.sqrt(np.max(np.abs(vdot) / reach, initial=0.0))))


def gravity_pace(model) -> float:
    """sqrt(|g| / l), 1/s: how fast gravity makes a mechanism of the length l move; 0 without gravity."""
    return float(np.sqrt(np.linalg.norm(model.gravity) / length_of(model)))


def rest_pace(model) -> float:
    """What rest is measured by, 1/s: the pace of gravity; without gravity nothing tells how fast it is, and it is 1."""
    return gravity_pace(model) or 1.0
