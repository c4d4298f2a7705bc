"""The measure that reactions make least, computed once more from the referee's wrenches."""

import numpy as np


def measured(snapshot, wrenches, length):
    """Wrenches (joints, 6), each in M, as one vector whose square is the measure: forces, and moments about both of a joint's points."""
    tall = []
    for joint, W in zip(snapshot.joints, wrenches, strict=True):
        X_WM, X_WF = snapshot.poses[joint.child] @ joint.X_CM, snapshot.poses[joint.parent] @ joint.X_PF
        arm = X_WM.rotation.T @ (X_WF.translation - X_WM.translation)
        moments = np.concatenate([W[:3], W[:3] - np.cross(arm, W[3:])]) / (np.sqrt(2.0) * length)
        tall.append(np.concatenate([moments, W[3:]]))
    return np.concatenate(tall)


def least_norm(snapshot, solution, length):
    """The referee's wrenches of least measure, by joint, in M."""
    W = np.array([solution.wrenches[joint.name] for joint in snapshot.joints])
    if len(solution.stresses):
        A = np.array([measured(snapshot, Z, length) for Z in solution.stresses]).T
        share = np.linalg.lstsq(A, -measured(snapshot, W, length), rcond=None)[0]
        W = W + np.tensordot(share, solution.stresses, 1)
    return dict(zip((joint.name for joint in snapshot.joints), W, strict=True))
