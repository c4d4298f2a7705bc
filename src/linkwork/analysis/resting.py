"""Rest where bodies touch: a pose in which forces at contacts, within their cones, balance all others; and what begins to move where there is none.

    Z^T (Q(q) + J^T l) = 0,    gap >= 0 _|_ ln >= 0,    |lt| <= mu ln                       Z, Q: statics.py

The pose goes downhill as slowly as one likes: steps are the motions of a mechanism without mass that yields to forces by A^-1,

    dq = Z A^-1 Z^T (Q + J^T l),      w = J dq + gap:  Signorini and Coulomb, as for velocities

A is the stiffness along motions that leave points alone that carry (rolling, tipping, swinging, and sliding where they slip), with absolute
eigenvalues, and one softness for all others. Where dq = 0 it rests, whatever A is. Bodies that slide are so slowed down by friction,
and stop where it holds them.

Whether a pose is at rest is first asked of linear algebra (forces of least norm), then of the solver of contacts, then of a linear program with polygons
inside the cones: where bodies jam, Coulomb's law allows rest and motion both, and the program finds rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.configuration import difference, integrate
from ..dynamics.kinematics import forward_kinematics
from ..errors import LinkworkError, SolverError
from .assembly import close
from .contact_choice import Answer, Problem, find_forces
from .contact_forces import ContactForces, described_forces, forces_at_contacts
from .contact_rows import TOUCHING, ContactRows, contact_rows, jacobian_nearby, length_of_scene
from .loaded_state import LoadedState, under_forces
from .report_text import short
from .static_loads import allowed, independent, multipliers, rounding, stiffness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..model.model import Model
    from .static_loads import Loads

REACH = 0.3  # the longest step, rad; of slides, lengths of the mechanism, at first
FARTHER = 2.0  # times as far the next step may go, if this one went as far as it could
SOFTEST = 1e-3  # of the largest force: an unbalanced one that is smaller makes no step longer
GONE = 1e3  # lengths of the scene: what has moved so far is held by nothing
FACETS = 48  # of the polygons inside the cones
EXACT = 1e-9  # of the length of the scene: a gap that counts as none


class Resting(NamedTuple):
    """What does not change on the way to rest."""

    model: Model
    load: Loads
    held: np.ndarray
    unit: np.ndarray
    slides: np.ndarray
    t: float
    tolerance: float


class Pose(NamedTuple):
    """A pose, with forces on its joints Q, motions Z, and its contacts; `closed`: which points touch."""

    q: np.ndarray
    Q: np.ndarray
    G: np.ndarray
    numbers: np.ndarray
    Z: np.ndarray
    rows: ContactRows
    closed: np.ndarray


def rest(s: Resting, q: NDArray[np.float64], most: int, settle: bool) -> tuple[Any, ...]:
    """The fields of an Equilibrium: the first pose at rest on the way from q, or a SolverError."""
    q = start = close(s.model, q, s.held, False, s.t, 1e-10, 300)
    grown, unbalanced = 1.0, np.inf
    length = length_of_scene(s.model)
    for iteration in range(most + 1):
        pose = _pose(s, q, REACH * grown * length)
        found = _balance(s, pose, program=iteration == 0)
        if found is not None:
            return _result(s, pose, found, iteration)
        if not settle:
            raise _moves(s, pose)
        if iteration == most or np.abs((q - start)[: len(q)]).max() > GONE * max(length, 1.0):
            raise _falls(s, start, q, iteration)
        step, unbalanced = _step(s, pose, unbalanced, grown)
        way = np.abs(step) / np.where(s.slides, grown * s.unit, 1.0)
        limited = REACH / max(float(way.max(initial=0.0)), 1e-300)
        q = close(s.model, integrate(s.model, q, min(1.0, limited) * step), s.held, False, s.t, 1e-10, 100)
        grown = FARTHER * grown if limited < 1.0 else max(1.0, grown / FARTHER)
    raise _falls(s, start, q, most)


def _pose(s: Resting, q: NDArray[np.float64], reach: float) -> Pose:
    Q, (numbers, G) = s.load(q), independent(s.model, q, s.t, s.held)
    rows = contact_rows(s.model, q, reach=reach)
    gaps = np.array([point.gap for point in rows.points])
    return Pose(q, Q, G, numbers, allowed(G, s.held, s.unit), rows, gaps <= TOUCHING * length_of_scene(s.model))


def _balance(s: Resting, pose: Pose, program: bool) -> NDArray[np.float64] | None:
    """Forces (3 m,) of the closed points that balance the pose, None if none were found."""
    contact = pose.rows.some(pose.closed)
    A, b = pose.Z.T @ contact.J.T, -pose.Z.T @ pose.Q
    limit = s.tolerance * s.load.scale
    if np.abs(b).max(initial=0.0) <= limit:
        return np.zeros(A.shape[1])
    if any(point.gap < -TOUCHING * length_of_scene(s.model) for point in contact.points):
        return None
    if not A.shape[1]:
        return None
    l = np.linalg.lstsq(A, b, rcond=1e-12)[0]
    if np.abs(A @ l - b).max() > limit:
        return None  # no forces at these points could, of whatever sign
    if _within(l, contact.friction):
        return l
    problem = Problem(A.T @ A, -A.T @ b, contact.friction, np.zeros((len(contact.points), 2)))
    found = find_forces(problem, l)
    if found is not None and np.abs(A @ found.l - b).max() <= limit:
        return found.l
    return _programmed(A, b, contact.friction, limit) if program else None


def _within(l: NDArray[np.float64], friction: NDArray[np.float64]) -> bool:
    parts = l.reshape(-1, 3)
    return bool((np.hypot(parts[:, 1], parts[:, 2]) <= friction * parts[:, 0]).all() and (parts[:, 0] >= 0.0).all())


def _programmed(A: NDArray[np.float64], b: NDArray[np.float64], friction: NDArray[np.float64], limit: float) -> NDArray[np.float64] | None:
    """Forces by a linear program: combinations of the edges of pyramids inside the cones, of least sum."""
    from scipy.optimize import linprog  # here, so that `import linkwork` need not wait for it

    edges = []
    for k, mu in enumerate(friction):
        for angle in 2.0 * np.pi * np.arange(FACETS if mu > 0.0 else 1) / FACETS:
            edge = np.zeros(A.shape[1])
            edge[3 * k : 3 * k + 3] = 1.0, mu * np.cos(angle), mu * np.sin(angle)
            edges.append(edge)
    E, size = np.array(edges).T, float(np.abs(b).max())
    found = linprog(np.ones(E.shape[1]), A_eq=A @ E, b_eq=b / size, method="highs", options={"primal_feasibility_tolerance": 1e-10})
    if found.status != 0:
        return None
    l = size * (E @ found.x)
    l = l + np.linalg.lstsq(A, b - A @ l, rcond=1e-12)[0]
    return l if np.abs(A @ l - b).max() <= limit else None


def _step(s: Resting, pose: Pose, unbalanced: float, grown: float) -> tuple[NDArray[np.float64], float]:
    """(dq, what is unbalanced): a step downhill."""
    rows, Z = pose.rows, pose.Z
    gaps = np.array([point.gap for point in rows.points])
    gaps = np.where(np.abs(gaps) > EXACT * length_of_scene(s.model), gaps, 0.0)
    reduced = Z.T @ pose.Q
    soft = max(min(unbalanced, float(np.linalg.norm(reduced))), SOFTEST * s.load.scale) / (2.0 * REACH * grown)
    l = _forces(rows, Z, np.eye(Z.shape[1]) / soft, reduced, gaps)
    inverse = np.eye(Z.shape[1]) / soft
    free = _motions_of(pose, l, sliding=True)
    if free.shape[1]:
        H = _stiffness(s, pose, l, Z @ free)
        values, vectors = np.linalg.eigh(H)
        V = free @ vectors
        floor = max(rounding(values, s.load.scale), soft)
        inverse = inverse - V @ V.T / soft + (V / np.maximum(np.abs(values), floor)) @ V.T
        l = _forces(rows, Z, inverse, reduced, gaps)
    left = reduced + Z.T @ (rows.J.T @ l)
    step: NDArray[np.float64] = Z @ (inverse @ left)
    return step, float(np.linalg.norm(left))


# parameters: the numbers of a problem
def _forces(rows: ContactRows, Z: Any, inverse: Any, reduced: Any, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Forces at all points such that w = J dq + gap obeys the laws of contact; as near to it as the solver comes."""
    if not len(gaps):
        return np.zeros(0)
    JZ = rows.J @ Z
    g = JZ @ (inverse @ reduced)
    g[::3] += gaps
    size = max(float(np.abs(JZ @ inverse @ JZ.T).max()), 1e-300)  # so that forces and displacements are of one order
    found = find_forces(Problem(JZ @ inverse @ JZ.T / size, g, rows.friction, np.zeros((len(gaps), 2))))
    return np.zeros(3 * len(gaps)) if found is None else found.l / size


def _motions_of(pose: Pose, l: NDArray[np.float64], sliding: bool = False) -> NDArray[np.float64]:
    """(k, free): combinations of Z that leave points alone that carry; sliding: those that slip may go on along the surface."""
    parts = l.reshape(-1, 3)
    carries = parts[:, 0] > 1e-9 * np.abs(l).max(initial=0.0)
    each = np.repeat(carries, 3)
    limit = pose.rows.friction * parts[:, 0]
    sticks = (limit > 0.0) & ~(sliding & (np.hypot(parts[:, 1], parts[:, 2]) > (1.0 - 1e-6) * limit))
    each[1::3] &= sticks
    each[2::3] &= sticks
    A = pose.rows.J[each] @ pose.Z
    if not len(A):
        return np.eye(pose.Z.shape[1])
    _, sizes, Vt = np.linalg.svd(A)
    null: NDArray[np.float64] = Vt[int(np.sum(sizes > 1e-8 * max(float(sizes.max(initial=0.0)), 1e-300))) :].T
    return null


def _stiffness(s: Resting, pose: Pose, l: NDArray[np.float64], Z: NDArray[np.float64]) -> NDArray[np.float64]:
    """H along motions Z, with the forces at contacts held."""
    acting = np.asarray(l.reshape(-1, 3).any(axis=1))
    rows, l = pose.rows.some(acting), l[np.repeat(acting, 3)]
    lam = multipliers(pose.Q + rows.J.T @ l, pose.G, s.unit * ~s.held)
    touch = (lambda q: jacobian_nearby(rows, q).T @ l) if len(l) else None
    return stiffness(s.model, s.load, pose.q, s.t, lam, pose.numbers, Z, touch)


def _result(s: Resting, pose: Pose, l: NDArray[np.float64], iteration: int) -> tuple[Any, ...]:
    """What is said of a pose at rest."""
    closed = pose.rows.some(pose.closed)
    Z, JZ = pose.Z, closed.J @ pose.Z
    size = max(float(np.abs(JZ).max(initial=0.0)), 1e-300)
    everywhere = np.zeros(3 * len(pose.rows.points))
    problem = Problem(JZ @ JZ.T / size**2, JZ @ (Z.T @ pose.Q) / size**2, closed.friction, np.zeros((len(closed.points), 2)))
    # at rest, exactly: what is left is below the tolerance, and is not to be taken for an acceleration
    contacts = described_forces(
        closed, np.ones(len(closed.points), dtype=bool), problem, Answer(l, np.zeros(len(l)), 0.0), Z @ JZ.T / size, np.zeros(s.model.nv)
    )
    contacts.vdot = np.zeros(s.model.nv)
    shown = np.array([frame @ one.force for frame, one in zip(closed.frames, contacts, strict=True)]).reshape(-1)
    everywhere[np.repeat(pose.closed, 3)] = shown
    left = Z.T @ (pose.Q + closed.J.T @ shown)
    free = _motions_of(pose, everywhere)
    motions = Z @ free
    H = _stiffness(s, pose, everywhere, motions) if free.shape[1] else np.zeros((0, 0))
    values, vectors = np.linalg.eigh(H)
    values[np.abs(values) <= rounding(values, s.load.scale) + np.abs(left).max(initial=0.0)] = 0.0
    unbalanced = float(np.abs(Z @ left / s.unit**2).max(initial=0.0))
    contacts.balance = JZ.T / size, l, closed.friction
    return pose.q, unbalanced, values, (motions @ vectors).T, iteration, contacts


# ---- words for what is not at rest


def _moves(s: Resting, pose: Pose) -> SolverError:
    """What begins to move in a pose that does not stand."""
    model, load, still = s.model, s.load, np.zeros(s.model.nv)
    tau = load.tau + load.stopped_at(pose.q)
    if load.forces is not None:
        tau = tau + np.asarray(load.forces(pose.q), dtype=float)
    words = ""
    try:
        found = forces_at_contacts(model, under_forces(model, LoadedState(pose.q, still, tau, load.f_ext, s.t)), 0.0)
        words = _words(model, pose.q, found.vdot, "begins to move", "m/s^2", "rad/s^2") + _slipping(found)
    except LinkworkError as error:
        words = f"what begins to move could not be found ({error})"
    return SolverError(
        f"model {model.name!r} does not stand in this pose: {words}; allowed is a pose that contacts and constraints hold; with settle=True it moves on until "
        "it is held"
    )


def _slipping(found: ContactForces) -> str:
    """Which pairs slip or part."""
    pairs = [found.pair(name) for name in found.names]
    slips = [repr(pair.name) for pair in pairs if pair.status == "sliding" and pair.normal > 0.0]
    said = f"; it slips at {', '.join(slips[:4])}" if slips else ""
    parts = [repr(pair.name) for pair in pairs if not pair.normal > 0.0]
    return said + (f"; nothing presses at {', '.join(parts[:4])}" if parts else "")


def _falls(s: Resting, start: NDArray[np.float64], q: NDArray[np.float64], iterations: int) -> SolverError:
    """What went on and on."""
    words = _words(s.model, start, difference(s.model, start, q), "moved on", "m", "rad")
    return SolverError(
        f"model {s.model.name!r}: nothing holds it: {words} in {iterations} steps, and is not at rest; start nearer to where it rests, give it a floor, a stop "
        "or more friction, or hold a joint"
    )


# parameters: a motion and the words for it
def _words(model: Model, q: NDArray[np.float64], motion: NDArray[np.float64], verb: str, per: str, turning: str) -> str:
    """The body that moves most, and how: "'ladder' begins to move along (1, 0, 0), 2.1 m/s^2, turning about (0, 1, 0), 1.3 rad/s^2"."""
    found = forward_kinematics(model, q, motion)
    length, most, said = length_of_scene(model), 0.0, "something moves"
    for body in model.bodies:
        V = found.velocity(body.name, axes="world")
        w, u = V[:3], V[3:] + np.cross(V[:3], found.rotation(body.name) @ np.asarray(body.inertia.com))
        sizes = float(np.linalg.norm(u)), length * float(np.linalg.norm(w))
        if max(sizes) > 1.05 * most:
            most, told = max(sizes), []
            for size, vector, word, unit in zip(sizes, (u, w), ("along", "turning about"), (per, turning), strict=True):
                if size > 0.05 * most:
                    direction = ", ".join(short(x, 1e-4) for x in vector / np.linalg.norm(vector))
                    told.append(f"{word} ({direction}), {short(float(np.linalg.norm(vector)))} {unit}")
            said = f"{body.name!r} {verb} {', '.join(told)}"
    return said
