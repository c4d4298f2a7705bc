"""Bodies that an edit has put into each other are moved apart at once: the least displacement in the mass metric, loops kept.

    min over dq  dq^T M dq    with  n . J dq + gap >= 0  for all points that touch or overlap,  constraints closed

which is 0 <= l _|_ G l + gap >= 0, G = J M^-1 J^T: what a step does after itself (integrators/nonsmooth/steps.py), here until nothing overlaps.
Bodies that overlapped before the edit, and no deeper, stay as they were: that was meant, or is being moved apart by the motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..analysis.assembly import assemble, project_velocity
from ..analysis.contact_choice import Problem, find_forces
from ..analysis.contact_rows import contact_rows, length_of_scene
from ..analysis.contacts import contacts
from ..dynamics.configuration import clamp, integrate
from ..dynamics.kinematics import forward_kinematics
from ..errors import LinkworkError, StateError
from ..simulation.overlaps import DEEP
from ..solvers.impulse_response import impulse_response

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..model.model import Model
    from .moments import Moment

ROUNDS = 40  # of the linear problem: it is exact for faces that stay parallel, two or three rounds otherwise
FARTHEST = 0.5  # lengths of the scene, rad: a step of the linear problem that is longer is cut


class Separation(NamedTuple):
    """A moment in which nothing overlaps that did not before, what was moved apart in words, and the largest shift of a body, m."""

    moment: Moment
    words: str = ""
    moved: float = 0.0


def separated(moment: Moment, before: Moment) -> Separation:
    """The moment after an edit with bodies moved apart that overlap by it; a StateError that names them if they cannot be.

    before: the moment the edit began with.
    """
    model = moment.model
    if not model.touches:
        return Separation(moment)
    deep = DEEP * float(model.contact_tables.length[0])
    found = overlaps(model, moment.q, deep)
    if not found or _there_before(found, before, deep):
        return Separation(moment)
    q = _moved_apart(model, moment.q, moment.t)
    left = overlaps(model, q, deep)
    if left:
        (a, b), depth = max(left.items(), key=lambda pair: pair[1])
        raise StateError(
            f"{a!r} and {b!r} would overlap by {depth:.3g} m, and no motion of theirs makes room; put them elsewhere, or let "
            f"them pass with ignore({a!r}, {b!r})",
            "edit",
        )
    v = project_velocity(model, q, moment.v, t=moment.t) if model.nc else moment.v
    (a, b), depth = max(found.items(), key=lambda pair: pair[1])
    others = f" (and {len(found) - 1} more pairs)" if len(found) > 1 else ""
    shift = forward_kinematics(model, q).positions - forward_kinematics(model, moment.q).positions
    words = f"{a!r} and {b!r} overlapped by {depth:.3g} m{others} and were moved apart"
    return Separation(moment._replace(q=q, v=v), words, float(np.linalg.norm(shift, axis=1).max(initial=0.0)))


def overlaps(model: Model, q: NDArray[np.float64], deep: float) -> dict[tuple[str, str], float]:
    """{(body, body): by how much they overlap, m} of all bodies that overlap by more than `deep`."""
    body = {shape.name: shape.body for shape in model.shapes}
    found: dict[tuple[str, str], float] = {}
    for touch in contacts(model, q, reach=0.0):
        if -touch.gap > deep:
            pair = body[touch.a], body[touch.b]
            found[pair] = max(found.get(pair, 0.0), -touch.gap)
    return found


def _there_before(found: dict[tuple[str, str], float], before: Moment, deep: float) -> bool:
    """Did all of them overlap before, as deep?"""
    if before.model is None or not before.model.touches:
        return False
    was = overlaps(before.model, before.q, deep)
    return all(depth <= max(was.get(pair, 0.0), was.get(pair[::-1], 0.0)) + deep for pair, depth in found.items())


def _moved_apart(model: Model, q: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """The pose after rounds of the linear problem, each closed again; where one cannot be solved, as far as it came."""
    length = length_of_scene(model)
    rounding = 1e-10 * length
    for _ in range(ROUNDS):
        rows = contact_rows(model, q, reach=rounding)
        gaps = np.array([point.gap for point in rows.points])
        if not (gaps < -rounding).any():
            break
        J = rows.J[::3]
        yielding = impulse_response(model, np.broadcast_to(q, (len(J), model.nq)), J)
        G, g = np.zeros((3 * len(J), 3 * len(J))), np.zeros(3 * len(J))
        size = max(float(np.abs(J @ yielding.T).max()), 1e-300)
        G[::3, ::3], g[::3] = J @ yielding.T / size, np.where(np.abs(gaps) > rounding, gaps, 0.0)
        answer = find_forces(Problem(G, g, np.zeros(len(J)), np.zeros((len(J), 2))))
        if answer is None:
            break
        step = answer.l[::3] @ yielding / size
        reach = float(np.abs(step).max(initial=0.0)) / (FARTHEST * max(length, 1.0))
        q = clamp(model, integrate(model, q, step / max(reach, 1.0)))  # limits of joints are no rows here
        if model.nc:
            try:
                q = assemble(model, q, t=t)
            except LinkworkError:
                break
    return q
