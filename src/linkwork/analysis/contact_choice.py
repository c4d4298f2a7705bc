"""The forces at contacts that keep one state going on as the laws of contact demand, which of them are unique, and a choice of least norm.

    w = G l + g          G = J M^-1 J^T (constraints kept),   g = J vdot_free + gamma:  accelerations along n, t1, t2

of points that touch and do not move apart. A point that is at rest against the other body obeys Signorini's and Coulomb's laws with the exact cone: the problem
of solvers/contact/. At a point that slides along d the force is ln (n - mu d), and ln obeys Signorini's law alone; its friction is given to the solver as a
load, again and again, until it does not change. Once statuses are right, one linear system has the answer to rounding.

Forces may be added that accelerate nothing: combinations x of the directions D in which forces are free, with (M^-1)_constrained D x = 0. A point that
moves apart has no direction, one that slides has one, n - mu d, one that sticks has three. Where forces are at the bounds of their cones, combinations that
leave the cones do not count: what is left is found by a linear program, the cones replaced by polygons inside them.

How far forces that balance stay from slipping is the least s with forces in cones of friction s mu, a quasiconvex problem: s is bisected by linear programs,
in which tangents are added to polygons around the cones until no force is beyond its cone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.contact_problem import FAILED, FRICTION, UNILATERAL, new_contact_problem
from ..data.stepper import for_kernels
from ..solvers.contact.solve import solve_contacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDS = 300  # of friction as a load
SETTLED = 1e-13  # of the largest force: friction that does not change any more
SOLVED, ACCEPTED = 1e-12, 1e-6  # of the largest acceleration without forces: a residual to stop at, and one that is an answer
SURE = 1e-9  # of the largest acceleration that enters: what counts as none
INSIDE = 1e-9  # of the largest force: nearer to the bound of a cone is on it
NARROWED = 1e-9  # of friction, and of the largest force: what is less does not count where cones are narrowed
BOUND = 1e6  # of the largest force: forces that press bodies together at will are no larger
SAME = 1e-8  # singular values below it, of directions of unit size, count as none
FACETS = 16  # of the polygon inside a cone


class Problem(NamedTuple):
    """Contacts as numbers: G (3 m, 3 m), g (3 m,), friction (m,), slip (m, 2): the direction in which a point slides along t1 and t2, zero if it does not."""

    G: np.ndarray
    g: np.ndarray
    friction: np.ndarray
    slip: np.ndarray


class Answer(NamedTuple):
    """Forces l (3 m,), accelerations w (3 m,), and what is not satisfied, as an acceleration."""

    l: np.ndarray
    w: np.ndarray
    residual: float


def find_forces(problem: Problem, guess: NDArray[np.float64] | None = None) -> Answer | None:
    """The forces of a problem; None if none were found: friction jams, and there may be none."""
    G, g, mu, slip = problem
    l = np.zeros(len(g)) if guess is None else guess.copy()
    if not len(mu):
        return Answer(l, g, 0.0)
    aim = SOLVED * max(float(np.abs(g).max()), 1e-300)
    sliding = np.flatnonzero(slip.any(axis=1))
    for _ in range(ROUNDS):
        friction = np.zeros(len(g))
        for k in sliding:
            friction[3 * k + 1 : 3 * k + 3] = -mu[k] * l[3 * k] * slip[k]
        found = _solve(problem, g + G @ friction, l)
        if found is None:
            return None
        change = np.abs(found[3 * sliding] - l[3 * sliding]).max(initial=0.0)
        l = found
        for k in sliding:
            l[3 * k + 1 : 3 * k + 3] = -mu[k] * l[3 * k] * slip[k]
        best = _judged(problem, l)
        polished = _polished(problem, best)
        if polished.residual < best.residual:
            best = polished
        if best.residual <= aim or change <= SETTLED * np.abs(l).max(initial=0.0):
            break
    return best if best.residual <= ACCEPTED / SOLVED * aim else None


def _solve(problem: Problem, g: NDArray[np.float64], guess: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """l where the friction of points that slide is in g already: they have one row."""
    rows: list[int] = []
    kinds, first = [], []
    for k, mu in enumerate(problem.friction):
        first.append(len(rows))
        with_friction = mu > 0.0 and not problem.slip[k].any()
        kinds.append(FRICTION if with_friction else UNILATERAL)
        rows += [3 * k, 3 * k + 1, 3 * k + 2] if with_friction else [3 * k]
    n, m = len(rows), len(kinds)
    p = new_contact_problem(max(n, 1), max(m, 1))
    p.n, p.m = n, m
    p.G[: n * n], p.g[:n], p.kind[:m] = problem.G[np.ix_(rows, rows)].ravel(), g[rows], kinds
    p.first[:m], p.mu[:m], p.l[:n] = first, problem.friction, guess[rows]
    if solve_contacts(for_kernels(p)) == FAILED:
        return None
    l = np.zeros(len(g))
    l[rows] = p.l[:n]
    return l


def _judged(problem: Problem, l: NDArray[np.float64]) -> Answer:
    """The Answer of forces, with what of the laws they leave open (natural map, in units of acceleration)."""
    G, g, mu, slip = problem
    w, worst = G @ l + g, 0.0
    for k in range(len(mu)):
        at, size = 3 * k, max(float(G[3 * k, 3 * k]), 1e-300)
        worst = max(worst, abs(l[at] - max(0.0, l[at] - w[at] / size)) * size)
        if mu[k] > 0.0:
            want = -mu[k] * l[at] * slip[k]
            if not slip[k].any():
                size = max(float(G[at + 1, at + 1]), float(G[at + 2, at + 2]), 1e-300)
                want = l[at + 1 : at + 3] - w[at + 1 : at + 3] / size
                length = float(np.hypot(*want))
                want = want if length <= mu[k] * l[at] else want * (mu[k] * max(l[at], 0.0) / length)
            worst = max(worst, float(np.abs(l[at + 1 : at + 3] - want).max()) * size)
    return Answer(l, w, worst)


def _polished(problem: Problem, found: Answer) -> Answer:
    """One linear system for the statuses of an answer: points that are pressed do not move, along n, or sliding ones along n alone."""
    columns: list[NDArray[np.float64]] = []
    rows: list[int] = []
    scale = np.abs(found.l).max(initial=0.0)
    for k, mu in enumerate(problem.friction):
        at = 3 * k
        if found.l[at] <= INSIDE * scale:
            continue
        l = found.l[at : at + 3]
        for i in range(3 if mu > 0.0 and not problem.slip[k].any() and np.hypot(l[1], l[2]) < mu * l[0] * (1.0 - INSIDE) else 1):
            column = np.zeros(len(found.l))
            column[at + i] = 1.0
            if i == 0 and mu > 0.0 and np.hypot(l[1], l[2]) >= mu * l[0] * (1.0 - INSIDE):
                column[at : at + 3] = l / l[0]
            columns.append(column)
            rows.append(at + i)
    if not columns:
        return found
    D = np.array(columns).T
    x = np.linalg.lstsq((problem.G @ D)[rows], -found.w[rows], rcond=None)[0]
    return _judged(problem, found.l + D @ x)


# ---- what is not unique


def free_combinations(problem: Problem, found: Answer, response: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3 m, k): an orthonormal basis of what may be added to the forces, a little of it at least. response: M^-1 J^T (nv, 3 m), constraints kept."""
    if not len(problem.friction):
        return np.zeros((0, 0))
    D, bounds = _directions(problem, found)
    if not D.shape[1]:
        return np.zeros((len(found.l), 0))
    moved = response @ D
    size = np.linalg.norm(response, axis=0).max(initial=0.0)
    N = D @ _null(moved / max(size, 1e-300))
    N = np.linalg.qr(N)[0] if N.shape[1] else N
    held = bounds @ N
    return N if not len(held) or not N.shape[1] else N @ _two_sided(held)


def least_norm(problem: Problem, l: NDArray[np.float64], N: NDArray[np.float64]) -> NDArray[np.float64]:
    """The forces of least norm among l + N y; as far towards it as the cones allow on the straight way."""
    if not N.shape[1]:
        return l
    d = -N @ (N.T @ l)
    share = 1.0
    for k, mu in enumerate(problem.friction):
        at = slice(3 * k, 3 * k + 3)
        if mu > 0.0 and not problem.slip[k].any():
            share = min(share, _along_cone(l[at], d[at], mu))
        elif d[3 * k] < 0.0:
            share = min(share, max(l[3 * k], 0.0) / -d[3 * k])
    return l + share * d


def least_friction(A: NDArray[np.float64], l: NDArray[np.float64], friction: NDArray[np.float64]) -> float:
    """The least factor s, up to that of l, such that forces x with A x = A l are in cones of friction s mu. l (3 m,): in their cones."""
    scale = float(np.abs(l).max(initial=0.0))
    if not scale > 0.0 or not (friction > 0.0).any():
        return 0.0
    x, N = l / scale, _null(A / max(float(np.abs(A).max(initial=0.0)), 1e-300))
    low, s = 0.0, _factor(x, friction)
    rough = np.flatnonzero(friction > 0.0)
    tangents = [(k, angle) for k in rough for angle in 2.0 * np.pi * np.arange(FACETS) / FACETS]
    middle = 0.0  # first of all: is friction needed?
    while N.shape[1] and s - low > NARROWED:
        found = _narrower(x, N, friction, middle, tangents)
        if found is None:
            low, middle = middle, 0.5 * (middle + s)
            continue
        parts = found.reshape(-1, 3)
        beyond = np.hypot(parts[:, 1], parts[:, 2]) > middle * friction * parts[:, 0] + NARROWED * np.abs(found).max()
        angle = np.arctan2(parts[:, 2], parts[:, 1])
        new = [(k, angle[k]) for k in rough if beyond[k]]
        if new and len(tangents) < ROUNDS * len(friction):
            tangents += new
        else:
            s = middle
            middle = 0.5 * (low + s)
    return s


def _factor(l: NDArray[np.float64], friction: NDArray[np.float64]) -> float:
    """The least s for which forces are in cones of friction s mu."""
    parts = l.reshape(-1, 3)
    size, limit = np.hypot(parts[:, 1], parts[:, 2]), friction * parts[:, 0]
    presses = limit > INSIDE * np.abs(l).max(initial=0.0)
    return float((size[presses] / limit[presses]).max(initial=0.0))


# parameters: the numbers of a linear program
def _narrower(l: Any, N: Any, friction: Any, s: float, tangents: Any) -> NDArray[np.float64] | None:
    """l + N y with d . lt + r <= s mu ln, r as large as may be, for the tangents (point, angle of d); None if there is none."""
    from scipy.optimize import linprog  # here, so that `import linkwork` need not wait for it

    n, k = len(l), N.shape[1]
    points, angles = np.array(tangents).T
    at, rows = 3 * points.astype(int), np.arange(len(tangents))
    F = np.zeros((len(tangents) + n // 3, n))
    F[rows, at], F[rows, at + 1], F[rows, at + 2] = -s * friction[at // 3], np.cos(angles), np.sin(angles)
    F[len(tangents) + np.arange(n // 3), 3 * np.arange(n // 3)] = -1.0
    smooth = np.flatnonzero(np.repeat(friction == 0.0, 3) & (np.arange(n) % 3 > 0))
    made = linprog(
        np.r_[np.zeros(k), -1.0],
        A_ub=np.column_stack([F @ N, np.r_[np.ones(len(tangents)), np.zeros(n // 3)]]),
        b_ub=-(F @ l),
        A_eq=np.column_stack([N[smooth], np.zeros(len(smooth))]) if len(smooth) else None,
        b_eq=-l[smooth] if len(smooth) else None,
        bounds=[(-BOUND, BOUND)] * k + [(0.0, 1.0)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return None if made.status != 0 else l + N @ made.x[:k]


def _along_cone(l: Any, d: Any, mu: float) -> float:
    """The largest part of d, up to 1, that may be added to l in the cone |lt| <= mu ln."""
    if np.hypot(*(l + d)[1:]) <= mu * (l + d)[0]:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if np.hypot(*(l + middle * d)[1:]) <= mu * (l + middle * d)[0] else (low, middle)
    return low


def _directions(problem: Problem, found: Answer) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(D, bounds): directions as columns (3 m, d), and rows B (b, 3 m) for forces that are at a bound: B times what is added must not be negative."""
    n, D, bounds = len(found.l), [], []
    scale, none = np.abs(found.l).max(initial=0.0), SURE * max(float(np.abs(problem.g).max(initial=0.0)), 1e-300)
    for k, mu in enumerate(problem.friction):
        at = 3 * k
        l, w = found.l[at : at + 3], found.w[at : at + 3]
        if w[0] > none:
            continue
        slip = problem.slip[k] if problem.slip[k].any() else w[1:] / np.hypot(*w[1:]) if mu > 0.0 and np.hypot(*w[1:]) > none else None
        if mu == 0.0 or slip is not None:
            column = np.zeros(n)
            column[at] = 1.0
            if mu > 0.0:
                column[at + 1 : at + 3] = -mu * slip
            D.append(column)
            if l[0] <= INSIDE * scale:
                bounds.append(_row(n, at, (1.0, 0.0, 0.0)))
            continue
        for i in range(3):
            column = np.zeros(n)
            column[at + i] = 1.0
            D.append(column)
        size = float(np.hypot(l[1], l[2]))
        if l[0] <= INSIDE * scale:
            for angle in 2.0 * np.pi * np.arange(FACETS) / FACETS:
                bounds.append(_row(n, at, (mu * np.cos(np.pi / FACETS), -np.cos(angle), -np.sin(angle))))
        elif size >= mu * l[0] - INSIDE * scale:
            bounds.append(_row(n, at, (mu, -l[1] / size, -l[2] / size)))
    return np.array(D).reshape(-1, n).T, np.array(bounds).reshape(-1, n)


def _row(n: int, at: int, numbers: Any) -> NDArray[np.float64]:
    row = np.zeros(n)
    row[at : at + 3] = numbers
    return row


def _null(A: NDArray[np.float64]) -> NDArray[np.float64]:
    _, sizes, Vt = np.linalg.svd(A)
    return Vt[int(np.sum(sizes > SAME)) :].T


def _two_sided(A: NDArray[np.float64]) -> NDArray[np.float64]:
    """A basis of the span of {y: A y >= 0}."""
    A = A[np.linalg.norm(A, axis=1) > SAME]
    if not len(A):
        return np.eye(A.shape[1])
    from scipy.optimize import linprog  # here, so that `import linkwork` need not wait for it

    k, rows = A.shape[1], len(A)
    found = linprog(
        np.r_[np.zeros(k), -np.ones(rows)],
        A_ub=np.hstack([-A, np.eye(rows)]),
        b_ub=np.zeros(rows),
        bounds=[(None, None)] * k + [(0.0, 1.0)] * rows,
        method="highs",
    )
    return _null(A[found.x[k:] < 0.5]) if found.status == 0 else np.eye(k)
