"""Moving the referee's snapshots about: velocities that joints allow, poses in which they hold."""

from dataclasses import replace

import numpy as np

from .reference import constraint_rows, gaps, moved, split


def moving(snapshot, rng, speed=1.0):
    """The snapshot with a random velocity that every joint allows, its largest component `speed`; at rest if it cannot move."""
    N = split(constraint_rows(snapshot)[0]).free
    x = N @ rng.normal(size=N.shape[1])
    V, v = snapshot.split(speed * _scaled(x))
    return replace(snapshot, V=V, v=v)


def with_velocity(snapshot, by_joint):
    """The snapshot with the given velocities of all joints, and those of the bodies that follow. ArithmeticError if none do."""
    C, v = constraint_rows(snapshot)[0], snapshot.stacked({}, by_joint)
    count = 6 * len(snapshot.mechanism.bodies)
    x = v.copy()
    x[:count] = np.linalg.lstsq(C[:, :count], -C @ v)[0]
    wrong = np.max(np.abs(C @ x), initial=0.0)
    if wrong > 1e-9 * (1.0 + np.max(np.abs(v), initial=0.0)):
        raise ArithmeticError(f"{snapshot.mechanism.name!r}: no bodies move like this, joints would part at {wrong:.3g}")
    V, v = snapshot.split(x)
    return replace(snapshot, V=V, v=v)


def closed(snapshot, steps=60, accuracy=1e-13):
    """The nearest snapshot in which every joint holds: damped Gauss-Newton steps on the gaps. Velocities stay as they are.

    The damping goes down with the gaps. It is there for poses in which C loses rank, and for overconstrained mechanisms, of which C
    has too high a rank as long as joints do not hold.
    """
    for _ in range(steps):
        e = gaps(snapshot).ravel()
        size = np.max(np.abs(e), initial=0.0)
        if size < accuracy:
            return snapshot
        C = constraint_rows(snapshot)[0]
        snapshot = moved(snapshot, -C.T @ np.linalg.solve(C @ C.T + 0.1 * size * np.eye(len(e)), e))
    raise ArithmeticError(f"{snapshot.mechanism.name!r} does not close: gaps of {size:.3g} are left after {steps} steps")


def elsewhere(snapshot, rng, distance=0.3, steps=6):
    """A snapshot some way off in which every joint holds, at rest: along the velocity of this one, or if it rests, along a random one.

    Every component of the way is about `distance` or less, in m and rad.
    """
    heading = snapshot.stacked(snapshot.V, snapshot.v)
    for _ in range(steps):
        if not np.any(heading):
            start = moving(snapshot, rng)
            heading = start.stacked(start.V, start.v)
        snapshot = closed(moved(snapshot, distance / steps * _scaled(heading)))
        N = split(constraint_rows(snapshot)[0], 1e-6).free
        heading = N @ N.T @ heading
    return stopped(snapshot)


def stopped(snapshot):
    """The same at rest."""
    return replace(snapshot, V={n: 0.0 * V for n, V in snapshot.V.items()}, v={n: 0.0 * v for n, v in snapshot.v.items()})


def _scaled(x):
    return x / max(np.max(np.abs(x), initial=0.0), 1e-300)
