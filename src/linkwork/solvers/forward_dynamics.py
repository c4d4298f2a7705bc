"""Forward dynamics: the public function, for trees and for mechanisms with loops and constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import checked
from ..constraints.modes import CONTRADICTION
from ..dynamics.applied_forces import with_forces
from ..dynamics.bound import Bound, Route
from ..dynamics.call import at_times, deliver, finite_times
from ..dynamics.forward import tree_forward_dynamics, unforced
from ..model.model import need_model
from .registry import check_solver, choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

bound = Bound(
    Route(unforced, ("nq", "nv", "nv?"), (("nv",),), timed=None, admits=lambda model: not model.nc)
)  # solvers/sparse/driver.py adds another


# parameters: options of a public function, given by name
@bound.public
@checked(t="times", solver="word", forces="flag", threads="threads")
def forward_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    t: ArrayLike = 0.0,
    solver: str = "auto",
    forces: bool = True,
    out: NDArray[np.float64] | None = None,
    threads: int | None = 1,
) -> NDArray[np.float64]:
    """Accelerations vdot that joint forces and external forces cause: M(q) vdot = tau - bias(q, v) + sum J^T f_ext + G^T lambda, G vdot + gamma = 0.

    A tree is solved by articulated bodies, O(n) (Featherstone 1987, section 6.4). With loops and constraints, lambda are multipliers that
    make every constraint hold. The accelerations are unique even where constraints are redundant; where they contradict each other
    the best compromise is returned with a ConstraintWarning.

    Args:
        model: a built Model.
        q, v: positions (..., nq) and velocities (..., nv).
        tau: generalised forces (..., nv); None means zero.
        f_ext: external wrenches [n; f] on the bodies (..., nb, 6), each in its body's frame and about its origin, or a dict {body, or its name: wrench}.
        t: time, for prescribed motion; one number, or one for each state.
        forces: let the forces act that the mechanism was given (springs, motors, ...); joint damping, friction and limits act in simulations only.
        solver: for models with constraints, "articulated", "propagation" or "sparse"; "auto" takes the fastest.
        out: array to fill. It is left alone when an argument is refused; when a state turns out singular (SolverError), states
            before it, or in another thread's share, may have been written. threads: cores to use for a batch (None: all).
    Returns:
        vdot (..., nv).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-9, 1e-9, 1e-9))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> round(float(lw.forward_dynamics(m.build(), [0.1], [0.0])[0]), 5)
    -0.97937
    """
    if out is None and f_ext is None and threads == 1 and solver == "auto" and not (forces and getattr(model, "forces", True)):
        result = bound.short(model, q, v, tau, t)
        if result is not None:
            return result
    need_model(model)
    solver = check_solver(solver)
    if forces and model.forces:
        tau, f_ext = with_forces(model, q, v, finite_times(t), tau, f_ext)
    if not model.nc:
        return tree_forward_dynamics(model, at_times(q, t), v, tau, f_ext, out, threads)
    solve = choose(model, solver, batch=getattr(q, "ndim", 1) > 1)
    found = solve(model, q, v, tau, f_ext, finite_times(t), threads=threads)
    vdot = found.vdot
    wrong = np.argwhere(found.residual > CONTRADICTION)
    if len(wrong):
        from .least_squares import compromise, refuse_unsolved

        refuse_unsolved(model, (q, v, t), found)
        vdot = compromise(model, q, v, tau, f_ext, t, vdot, wrong)
    return deliver(vdot, out)
