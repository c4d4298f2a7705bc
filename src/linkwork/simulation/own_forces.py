"""Forces that joints bring along: damping, dry friction and stops at the limits, as their kinds were given them."""

import numpy as np

from ..model.model import ForceInfo
from ..parts.forces import JointDamper


def own_forces(model):
    """ForceInfo of everything that the joints of a model were given: "elbow.damping", "elbow.friction", "elbow.stop"."""
    taken = {force.name for force in model.forces}
    found = []
    for joint in model.joints:
        for what, make in (("damping", _damping),):
            for k, kind in make(joint):
                name = f"{joint.name}.{what}" if joint.nv == 1 else f"{joint.name}.{what} {k}"
                found.append(ForceInfo(_free_name(name, taken), kind, (), ((joint.name, k),)))
    return found


def _damping(joint):
    return [(k, JointDamper(float(c))) for k, c in enumerate(joint.damping) if c > 0.0 and np.isfinite(c)]


def _free_name(name, taken):
    while name in taken:
        name += "'"
    taken.add(name)
    return name
