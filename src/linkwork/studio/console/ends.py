"""End-points: ilc pc. A body is nailed to the world, or a point of it held, or neither.

A nail or point that is told to go elsewhere does not jump: it is drawn there as a critically damped spring would, with time constant tau,

    x(t) = x* + (a + b s) exp(-s / tau),    a = x_0 - x*,   b = v_0 + a / tau,   s = t - t_0

from where it is and as it moves, so that a program can send a new target every frame. The law is laid as a piecewise polynomial that agrees with
it in value, rate and acceleration.
"""

import math

import numpy as np

import linkwork as lw

from . import find
from .errors import RefusedError
from .table import command
from .words import quoted, shown

TAU = 0.1  # s
PIECES = 24  # of length tau; what is then left of the way is 1e-9
NAIL, POINT = "nail", "point"


@command(
    "ilc BODY {free|nail|move_to_point} [-p x y z] [-t x y z] [-E w x y z] [-tau s]",
    "the end-point of a body: free; nail: welded to the world as it stands; move_to_point: its point -p held, turning freely. "
    "-t (and -E of a nail): where in the world, reached smoothly with time constant -tau (.1)",
)
def ilc(console, given):
    name, what = given.values
    live, mechanism = console.live, console.mechanism
    find.body(mechanism, name)
    if what == "free" and given.options:
        raise RefusedError(f"ilc: {', '.join(given.options)} mean nothing for free; leave them out")
    if what == "nail" and given["-p"] is not None:
        raise RefusedError("ilc: a nail holds the whole body; -p is for move_to_point")
    if what == "move_to_point" and given["-E"] is not None:
        raise RefusedError("ilc: move_to_point leaves the body free to turn; -E is for nail")
    tau = TAU if given["-tau"] is None else given["-tau"]
    if not 1e-6 <= tau <= 1e6:
        raise RefusedError(f"ilc: -tau is {tau:g} s; allowed are 1e-6 to 1e6 s")
    made = None if what == "free" else (_nail if what == "nail" else _point)(live, name, given, tau)
    known = {constraint.name for constraint in mechanism.constraints}
    with live.edit(f"{what} {name}") as m:
        keeps = NAIL if what == "nail" else POINT if what == "move_to_point" else None
        for word in (NAIL, POINT):
            if find.force_name(name, word) in known and word != keeps:
                m.remove(find.force_name(name, word))
        if made is not None:
            called, (kind, a, b) = find.force_name(name, keeps), made
            if called in known:
                m.change(called, kind=kind, a=a, b=b)
            else:
                m.add_constraint(find.free_name(m.mechanism, called), kind, a, b)


def _point(live, name, given, tau):
    """(kind, places) of a point that is held or drawn to a target."""
    known = [c for c in live.mechanism.constraints if c.name == find.force_name(name, POINT)]
    p = given["-p"] if given["-p"] is not None else known[0].a.pose.translation if known else (0.0, 0.0, 0.0)
    a = lw.Place(name, lw.Pose(p))
    now, speed = find.point(live, a)
    if given["-t"] is None:
        return lw.FollowPath((0.0, 0.0, 0.0)), a, lw.Place("ground", lw.Pose(now))
    target = np.array(given["-t"])
    laws = tuple(drawn_in(live.time, x, v, tau) for x, v in zip(now - target, speed, strict=True))
    return lw.FollowPath(laws), a, lw.Place("ground", lw.Pose(target))


def _nail(live, name, given, tau):
    """(kind, places) of a nail. A turn goes about one axis n, which is laid along z of both places: (R C)^T R_0 C = turn about z, C e_z = n."""
    X, (turning, moving) = live.poses()[name], find.velocity(live, name)
    if given["-t"] is None and given["-E"] is None:
        return lw.Nail(), lw.Place(name), lw.Place("ground", X)
    target = lw.Pose(
        X.translation if given["-t"] is None else given["-t"], X.rotation if given["-E"] is None else find.rotation(given["-E"])
    )
    way = (target.inverse() @ lw.Pose(target.translation, X.rotation)).log()[:3]
    angle = float(np.linalg.norm(way))
    n = way / angle if angle > 1e-9 else np.array([0.0, 0.0, 1.0])
    C = _axes_along(n)
    R = target.rotation @ C
    offset, speed = R.T @ (X.translation - target.translation), R.T @ moving
    x, y, z = (drawn_in(live.time, d, v, tau) for d, v in zip(offset, speed, strict=True))
    turn = drawn_in(live.time, angle, float(R[:, 2] @ turning), tau) if angle > 1e-9 else 0.0
    return lw.Nail(x=x, y=y, z=z, rz=turn), lw.Place(name, lw.Pose((0, 0, 0), C)), lw.Place("ground", lw.Pose(target.translation, R))


def _axes_along(n):
    """A rotation whose z axis is n."""
    least = np.zeros(3)
    least[int(np.argmin(np.abs(n)))] = 1.0
    x = np.cross(least, n)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(n, x), n])


class Drawn:
    """A piecewise polynomial as scipy has it: `x` breaks, `c` coefficients, highest power first."""

    def __init__(self, x, c):
        self.x, self.c = x, c


def drawn_in(t0, offset, speed, tau):
    """The law of an offset that is drawn to 0; 0 where it is there and at rest."""
    a, v = float(offset), float(speed)
    if abs(a) < 1e-12 and abs(v) < 1e-12:
        return 0.0
    b = v + a / tau
    breaks = t0 + tau * np.arange(PIECES + 2)
    columns = []
    for k in range(PIECES):
        ends = [_decay(a, b, tau, s * tau) if s < PIECES else (0.0, 0.0, 0.0) for s in (k, k + 1)]
        columns.append(_quintic(*ends, breaks[k + 1] - breaks[k]))
    columns.append([0.0] * 6)
    return Drawn(breaks, np.array(columns).T)


def _decay(a, b, tau, s):
    """Value, rate and acceleration of (a + b s) exp(-s / tau)."""
    e, x = math.exp(-s / tau), a + b * s
    return x * e, (b - x / tau) * e, (x / tau - 2.0 * b) / tau * e


def _quintic(start, end, h):
    """Coefficients, highest power first, of the polynomial with these values, rates and accelerations at its ends."""
    (p0, v0, a0), (p1, v1, a1) = start, end
    d = p1 - p0 - v0 * h - 0.5 * a0 * h * h
    e = (v1 - v0 - a0 * h) * h
    f = (a1 - a0) * h * h
    return [(6 * d - 3 * e + 0.5 * f) / h**5, (-15 * d + 7 * e - f) / h**4, (10 * d - 4 * e + 0.5 * f) / h**3, 0.5 * a0, v0, p0]


@command("pc [BODY]", "prints constraints, all or those of a body: name, kind, bodies, and the moment and force they exert on the first")
def pc(console, given):
    (name,) = given.values
    live, mechanism = console.live, console.mechanism
    if name is not None:
        find.body(mechanism, name)
    chosen = [c for c in mechanism.constraints if name is None or name in find.acts_on(mechanism, c)]
    if not chosen:
        return
    found = lw.reactions(live.model, live.q, live.v, t=live.time)
    for constraint in chosen:
        on = " ".join(quoted(body) for body in find.acts_on(mechanism, constraint))
        wrench = found[constraint.name]
        yield f"constraint {quoted(constraint.name)} {type(constraint.kind).__name__} {on} -n {shown(wrench.moment)} -f {shown(wrench.force)}"
