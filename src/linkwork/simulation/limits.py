"""A start far beyond the limits of a joint: the stop there is a spring, and throws the joint back; a limit that is a row of contact moves it back at once.

A stop of stiffness k = m w^2 (dynamics/joint_limits_and_losses.py) that is entered by x holds k x^2 / 2, and gives the joint the speed w x, w up to
300 rad/s. What rests against a stop, or has just hit one, is some thousandths of its range inside; a start that is deeper is a mistake more often than not.
It is accepted with a warning.
"""

import warnings

import numpy as np

from ..constraints.tolerance import comparable
from ..errors import LimitWarning, outside_level
from ..parts.forces import LimitStop

DEEP = 1e-3  # of the range of a joint; of 1 rad, or of the mechanism's length, where it has no range


def warn_beyond_limits(model, own, q, hard=False):
    """Warn of the joint that is deepest in its stop at the states q (copies, nq), relative to what is usual; its text, or None if none is.

    own: the forces of joints (`limit_and_loss_forces`): without a stop among them limits do not act, unless they are `hard`.
    """
    worst, text = 1.0, None
    for joint, k, lower, upper, stiffness in _hard_limits(model) if hard else _stops(model, own):
        here = q[:, joint.q_index.start + k]
        depth = np.maximum(lower - here, here - upper)
        copy = int(np.argmax(depth))
        if depth[copy] > worst * _usual(model, joint, k):
            worst = depth[copy] / _usual(model, joint, k)
            text = _text(joint, k, stiffness, float(here[copy]), float(depth[copy]), f"[{copy}]" if len(q) > 1 else "")
    if text is not None:
        warnings.warn(text, LimitWarning, stacklevel=outside_level())
    return text


def _stops(model, own):
    """(joint, degree of freedom, lower, upper, stiffness) of the stops among the forces of joints."""
    for info in own:
        if isinstance(info.kind, LimitStop):
            name, k = info.joints[0]
            yield model.joint(name), k, info.kind.lower, info.kind.upper, info.kind.stiffness


def _hard_limits(model):
    """The same of limits that joints do not pass."""
    for joint in model.joints:
        if not (joint.kind.ball or joint.kind.free):
            for k in range(joint.nv):
                yield joint, k, float(joint.lower[k]), float(joint.upper[k]), None


def _usual(model, joint, k):
    """How deep a joint may be beyond its limit without a word, rad or m."""
    lower, upper = joint.lower[k], joint.upper[k]
    if np.isfinite(lower) and np.isfinite(upper) and lower < upper:
        return DEEP * (upper - lower)
    return DEEP / comparable(model)[joint.v_index.start + k]


def _slides(joint, k):
    return not joint.kind.custom and joint.kind.elements[k].turn == 0.0


def _text(joint, k, stiffness, here, depth, which):
    unit = "m" if _slides(joint, k) else "rad"
    side, limit = ("lower", joint.lower[k]) if here < joint.lower[k] else ("upper", joint.upper[k])
    dof = f" (degree of freedom {k + 1} of {joint.nv})" if joint.nv > 1 else ""
    if stiffness is None:
        follows = "the first step moves it back there"
    else:
        follows = f"its stop holds {0.5 * stiffness * depth * depth:.3g} J there and throws it back"
    return (
        f"q{which}: joint {joint.name!r}{dof} starts at {here:.4g} {unit}, {depth:.3g} {unit} beyond its {side} limit {limit:.4g}; allowed is "
        f"{joint.lower[k]:.4g} to {joint.upper[k]:.4g}; {follows}: start within the limits, as lw.clamp(model, q) "
        "does, change them, or give joint_forces=False"
    )
