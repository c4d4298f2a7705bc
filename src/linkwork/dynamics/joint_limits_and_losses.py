"""Forces that joints bring along: damping, dry friction and stops at the limits, as their kinds were given them.

Friction needs a speed over which it sets in, and a stop a stiffness. Both are chosen so that steps of h can follow them, with the inertia m
that a coordinate feels when all others are free to give way:

    friction   slip speed = max(0.01, F h / m): the fastest decay, F / (m slip speed), takes at least a step
    stop       k = m w^2,  w = min(0.2 / h, 300 rad/s);   a stop hit at 1 rad/s or 1 m/s gives back about a fifth of the speed
"""

import math

import numpy as np

from ..errors import LinkworkError
from ..model.model import ForceInfo
from ..parts.forces import JointDamper, JointFriction, LimitStop
from .configuration import neutral
from .inverse_mass import inverse_mass_matrix

SLIP_SPEED = 0.01  # rad/s or m/s
STOP_FREQUENCY = 300.0  # rad/s
DISSIPATION = 1.2  # s/rad or s/m


def limit_and_loss_forces(model, step=1e-3, hard=False):
    """ForceInfo of what the joints of a model were given: "elbow.damping", "elbow.friction", "elbow.stop".

    hard: limits and dry friction are rows of the method (integrators/nonsmooth), only damping is a force.
    """
    felt, found, taken = None, [], {force.name for force in model.forces}
    for joint in model.joints:
        options = joint.damping.tolist(), joint.friction.tolist(), joint.lower.tolist(), joint.upper.tolist()
        for k, (damping, friction, lower, upper) in enumerate(zip(*options, strict=True)):
            limited = not hard and (math.isfinite(lower) or math.isfinite(upper))
            if felt is None and ((friction > 0.0 and not hard) or limited):
                felt = _felt_inertia(model)
            kinds = {}
            if damping > 0.0:
                kinds["damping"] = JointDamper(damping)
            if friction > 0.0 and not hard:
                kinds["friction"] = JointFriction(friction, max(SLIP_SPEED, friction * step / felt[joint.v_index.start + k]))
            if limited and not (joint.kind.ball or joint.kind.free):
                stiffness = felt[joint.v_index.start + k] * min(0.2 / step, STOP_FREQUENCY) ** 2
                room = 1e-9 if lower == upper else 0.0
                kinds["stop"] = LimitStop(stiffness, lower - room, upper + room, DISSIPATION)
            for what, kind in kinds.items():
                name = f"{joint.name}.{what}" if joint.nv == 1 else f"{joint.name}.{what} {k}"
                found.append(ForceInfo(_free_name(name, taken), kind, (), ((joint.name, k),)))
    return found


def _felt_inertia(model):
    """1 / (M^-1)_kk with all joints at zero: what a force on one coordinate meets when the others give way."""
    try:
        return 1.0 / np.maximum(np.diagonal(inverse_mass_matrix(model, neutral(model))), 1e-12)
    except LinkworkError:
        return np.ones(model.nv)


def _free_name(name, taken):
    while name in taken:
        name += "'"
    taken.add(name)
    return name
