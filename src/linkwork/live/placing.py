"""What moves along when a body or a joint is put somewhere."""

import numpy as np

from ..errors import StateError
from ..parts.graph import assembly_of
from ..parts.registry import GROUND
from ..spatial.checks import numbers
from ..spatial.pose import Pose


def placed_assembly(mechanism, bodies, body, pose, twist):
    """{body: (pose, twist)} of all that floats together with a body, moved as one piece; bodies: the same as it is now, new ones at the origin."""
    body = mechanism.body(body).name
    names = assembly_of(mechanism, body)
    if GROUND in names:
        raise StateError(
            f"place: body {body!r} is held to ground by joints, so it cannot be put anywhere; set a joint (set_joint), draw it (pose_to), or "
            "remove the joint that holds it",
            "body",
        )
    bodies = {name: bodies.get(name, (Pose(), np.zeros(6))) for name in names}
    X = bodies[body][0]
    target = X if pose is None else pose if isinstance(pose, Pose) else Pose(pose)
    move = target @ X.inverse()
    placed = {name: (move @ bodies[name][0], bodies[name][1]) for name in names}
    placed[body] = target, bodies[body][1]
    if twist is not None:
        twist = numbers("twist", twist, (6,))
        placed = {name: (at, (at.inverse() @ target).adjoint @ twist) for name, (at, _) in placed.items()}
        placed[body] = target, twist
    return placed


def hanging_together(mechanism, joint):
    """Names of all bodies that hang together with a joint."""
    found = mechanism.joint(joint)
    return {name for body in (found.parent_body, found.child_body) if body != GROUND for name in assembly_of(mechanism, body)} - {GROUND}
