"""Mechanisms with loops and held ends for the tests of solvers, and a dense referee that shares no recursion with them."""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import null_space

import linkwork as lw
from linkwork.solvers.lathrop.link_arrays import to_child
from linkwork.solvers.lathrop.prepare import prepare

from ...laws.mechanisms import add_random_body, random_case, random_pose


class Truth(NamedTuple):
    """vdot by dense linear algebra, the rank of the rows, and a size of accelerations to judge errors by."""

    vdot: np.ndarray
    rank: int
    size: float


def dense_jacobian(pieces):
    """J of all rows, by columns of the joints on each link's way to the root."""
    n, nv = len(pieces.parent), len(pieces.tau)
    J_links, J = np.zeros((n, 6, nv)), np.zeros((len(pieces.gamma), nv))
    for i, parent in enumerate(pieces.parent):
        if parent >= 0:
            J_links[i] = to_child(pieces.R[i], pieces.p[i], J_links[parent])
        J_links[i][:, pieces.v_index[i]] += pieces.S[i]
    for group in pieces.groups:
        for side, link in enumerate(group.links):
            if link >= 0:
                J[group.rows] += pieces.wrenches[group.rows, side] @ J_links[link]
        for term in group.terms:
            J[group.rows, term.v] += term.coefficient
    return J


def truth(model, q, v, tau=None, f_ext=None, t=0.0):
    """Gauss's principle with dense matrices: the least change of vdot in the metric of M after which all rows hold."""
    tau = np.zeros(model.nv) if tau is None else tau
    pieces = prepare(model, q, v, tau, f_ext, t)
    J, still = dense_jacobian(pieces), np.zeros(model.nv)
    gamma = pieces.gamma + pieces.along_rows(pieces.accelerations(still), still)
    free = lw.solve_mass_matrix(model, q, tau - lw.bias_force(model, q, v, f_ext))
    L = np.linalg.cholesky(lw.mass_matrix(model, q))
    Y = np.linalg.solve(L, J.T).T
    s = np.linalg.svd(Y, compute_uv=False)
    x = np.linalg.lstsq(Y, -(J @ free + gamma), rcond=1e-8)[0] if len(J) else still
    vdot = free + np.linalg.solve(L.T, x)
    return Truth(vdot, int(np.sum(s > 1e-8 * s.max(initial=0.0))), max(np.abs(vdot).max(), np.abs(free).max()))


def possible_velocity(model, q, rng, t=0.0):
    """A random velocity that all rows allow, so that redundant rows agree about accelerations."""
    pieces = prepare(model, q, np.zeros(model.nv), t=t)
    J = dense_jacobian(pieces)
    if len(J) == 0:
        return rng.normal(size=model.nv)
    N = null_space(J, rcond=1e-9)
    return np.linalg.lstsq(J, -pieces.phi_dot, rcond=1e-9)[0] + N @ rng.normal(size=N.shape[1])


def drawn_joint(m, name, kind, a, b, poses, at):
    """A joint at pose `at` of the world between two bodies (or ground), whose poses are known; at rest it is as drawn."""
    ground = lw.Pose()
    return m.add_joint(name, kind, *(x.at(poses.get(x.name, ground).inverse() @ at) for x in (a, b)))


def ring(kinds, seed=0, floating=False):
    """Bodies in a ring, one between each two joints, through the ground unless floating; drawn closed, askew, in random places."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("ring", gravity=(1.0, -2.0, -9.0))
    bodies = [add_random_body(m, f"body {k}", rng) for k in range(len(kinds) - (not floating))]
    poses = {body.name: random_pose(rng, 1.0) for body in bodies}
    if floating:
        poses["body 0"] = lw.Pose()
        m.reroot(bodies[0])
    around = bodies if floating else [m.ground, *bodies]
    for k, kind in enumerate(kinds):
        drawn_joint(m, f"joint {k}", kind, around[k], around[(k + 1) % len(around)], poses, random_pose(rng, 1.0))
    return m


def planar(points, bars, name="planar"):
    """Hinges about y at named points, bodies through several of them each ("ground" is one), hinged where two or more share a point."""
    rng = np.random.default_rng(len(points))
    m, poses, owners = lw.Mechanism(name, gravity=(0.0, 0.0, -9.81)), {}, {}
    for body, through in bars.items():
        if body != "ground":
            part = add_random_body(m, body, rng)
            poses[body] = lw.Pose(np.mean([points[p] for p in through], axis=0), random_pose(rng).rotation)
        for p in through:
            owners.setdefault(p, []).append(m.ground if body == "ground" else part)
    for p, parts in owners.items():
        for k, part in enumerate(parts[1:]):
            drawn_joint(m, f"{p}{k}", lw.Revolute((0, 1, 0)), parts[0], part, poses, lw.Pose(points[p]))
    return m


def four_bar():
    points = {"a": (0, 0, 0), "b": (0.4, 0, 0.9), "c": (2.1, 0, 1.4), "d": (2.2, 0, 0)}
    return planar(points, {"ground": "ad", "crank": "ab", "coupler": "bc", "rocker": "cd"}, "four-bar")


def parallelogram():
    """Three parallel cranks: the third is redundant in the plane too."""
    points = {"a": (0, 0, 0), "b": (0.3, 0, 0.8), "c": (1, 0, 0), "d": (1.3, 0, 0.8), "e": (1.7, 0, 0), "f": (2.0, 0, 0.8)}
    return planar(points, {"ground": "ace", "1": "ab", "2": "cd", "3": "ef", "coupler": "bdf"}, "parallelogram")


def ladder(n):
    """n four-bars side by side, each sharing a crank with the next: loops that overlap, all on the ground."""
    points, bars = {}, {"ground": []}
    for k in range(n + 1):
        points[f"g{k}"], points[f"t{k}"] = (k, 0, 0), (k + 0.2, 0, 1.0 + 0.1 * (k % 2))
        bars["ground"].append(f"g{k}")
        bars[f"crank {k}"] = [f"g{k}", f"t{k}"]
        if k:
            bars[f"coupler {k}"] = [f"t{k - 1}", f"t{k}"]
    return planar(points, bars, "ladder")


def nested():
    """A four-bar whose coupler carries another one, which carries a third: loops whose common link is not the ground."""
    points = {"a": (0, 0, 0), "b": (0.2, 0, 1), "c": (2.4, 0, 1.2), "d": (2, 0, 0)}
    points |= {"e": (0.7, 0, 1.1), "f": (0.8, 0, 1.6), "g": (1.6, 0, 1.8), "h": (1.7, 0, 1.2)}
    points |= {"i": (0.9, 0, 1.7), "j": (1.0, 0, 2.1), "k": (1.4, 0, 2.2), "l": (1.45, 0, 1.8)}
    bars = {"ground": "ad", "1": "ab", "2": "bche", "3": "cd"}
    bars |= {"4": "ef", "5": "fgil", "6": "gh", "7": "ij", "8": "jk", "9": "kl"}
    return planar(points, bars, "nested")


def chain(n, kind=None):
    """An unbranched chain of n bodies in random directions."""
    rng = np.random.default_rng(n)
    m = lw.Mechanism("chain", gravity=(0.3, 0.2, -9.81))
    last = m.ground
    for k in range(n):
        body = add_random_body(m, f"body {k}", rng)
        m.add_joint(f"joint {k}", kind or lw.Revolute(rng.normal(size=3)), last.at(random_pose(rng)), body.at(random_pose(rng)))
        last = body
    return m


def star(held):
    """A body with three arms of three joints; `held` maps arms to what holds their ends (to the ground)."""
    rng = np.random.default_rng(7)
    m = lw.Mechanism("star", gravity=(0.5, 0.0, -9.81))
    hub = add_random_body(m, "hub", rng)
    for arm in range(3):
        last = hub
        for k in range(3):
            body = add_random_body(m, f"{arm}{k}", rng)
            m.add_joint(f"joint {arm}{k}", lw.Revolute(rng.normal(size=3)), last.at(random_pose(rng)), body.at(random_pose(rng)))
            last = body
        if arm in held:
            m.add_constraint(f"end {arm}", held[arm], last.at(random_pose(rng)), m.ground)
    return m


def spline(rng):
    return CubicSpline(np.linspace(0.0, 2.0, 5), rng.normal(size=5))


def random_held(seed):
    """A random tree with random locks (to the ground, between bodies, with laws), gears and drives, in a random state.

    Gaps do not matter for accelerations. What would make the rows dependent, or nearly so, is taken back, so that every solver must give
    the same. Returns (model, q, v, tau, f_ext, t).
    """
    case = random_case(seed)
    rng = np.random.default_rng(seed + 1000)
    m, t = case.mechanism, rng.uniform(0.0, 2.0)
    freedoms = [(joint.name, k) for joint in case.model.joints for k in range(joint.nv) if joint.nq == joint.nv]
    for n in range(6):
        if len(freedoms) > 1 and rng.uniform() < 0.4:
            one, two = (freedoms[i] for i in rng.choice(len(freedoms), 2, replace=False))
            on = (one, two) if rng.uniform() < 0.6 else (one,)
            m.add_constraint(f"c{n}", lw.Gear(rng.normal()) if len(on) == 2 else lw.Drive(spline(rng)), *on)
        else:
            bodies = [m.ground, *m.bodies]
            a, b = (bodies[i] for i in rng.choice(len(bodies), 2, replace=False))
            m.add_constraint(f"c{n}", _random_lock(rng), a.at(random_pose(rng)), b.at(random_pose(rng)))
        if _nearly_dependent(m.build(), case.q, t):
            m.remove(f"c{n}")
    return m.build(), case.q, case.v, case.tau, case.f_ext, t


def _random_lock(rng):
    coordinates = ("x", "y", "z", "rx", "ry", "rz")
    held = rng.choice(coordinates, rng.integers(1, 7), replace=False)
    values = dict.fromkeys(coordinates) | dict.fromkeys(held, 0.0)
    return lw.Lock(**values | {name: spline(rng) for name in held if name[0] != "r" and rng.uniform() < 0.5})


def _nearly_dependent(model, q, t):
    J = dense_jacobian(prepare(model, q, np.zeros(model.nv), t=t))
    L = np.linalg.cholesky(lw.mass_matrix(model, q))
    s = np.linalg.svd(np.linalg.solve(L, J.T), compute_uv=False)
    return len(s) < len(J) or s[-1] < max(1e-3 * s[0], 1e-6)
