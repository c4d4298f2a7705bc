"""Where bodies stand with all joints at zero, before there is a model to ask."""

import numpy as np

from ..spatial.pose import Pose


def home_poses(edges):
    """{body name: its pose in the world} with all joints at zero; `edges` of the tree, parents first."""
    poses = {"ground": Pose()}
    for edge in edges:
        if edge.closes_loop:
            continue
        joint = edge.joint
        near, far = (joint.child_pose, joint.parent_pose) if edge.reversed else (joint.parent_pose, joint.child_pose)
        moved = Pose()
        if joint.kind.custom:
            place = np.asarray(joint.kind.pose(np.zeros(joint.kind.nv)), dtype=float)
            moved = Pose(place[:3], place[3:] / np.linalg.norm(place[3:]))
            moved = moved.inverse() if edge.reversed else moved
        poses[edge.child_body_name] = poses[edge.parent_body_name] @ near @ moved @ far.inverse()
    return poses
