"""A joint that takes another kind while its parts stay where they are: the place on its child is moved instead.

With F and M the places on parent and child, and q the coordinates of the new kind nearest F^-1 M, the place goes to M' = F X_J(q).
"""

import numpy as np

from ..analysis.joint_coordinates import coordinates_of, motion_of
from ..parts.place import Place
from ..spatial.pose import Pose

FITS = 1e-12  # a place that is nearer stays as it was written


def refitted_child(joint, bodies) -> Place:
    """The place on the child of a joint at which it holds its bodies as they stand. bodies: {name: (pose in the world, ...)}."""
    ends = [bodies[name][0] if name in bodies else Pose() for name in (joint.parent_body, joint.child_body)]
    relative = (ends[0] @ joint.parent_pose).inverse() @ (ends[1] @ joint.child_pose)
    kind = joint.kind
    if kind.free:
        return joint.child
    arms = [float(np.linalg.norm(pose.translation)) for pose in (joint.parent_pose, joint.child_pose, relative)]
    q = coordinates_of(kind, relative, max(arms) or 1.0)
    held = Pose((0.0, 0.0, 0.0), q) if kind.ball else motion_of(kind, q)[0] if kind.nv else Pose()
    shift = relative.inverse() @ held
    if abs(shift.log()).max() < FITS:
        return joint.child
    return Place(joint.child.name, joint.child.pose @ shift)
