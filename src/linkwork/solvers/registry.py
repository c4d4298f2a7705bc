"""The solvers of constrained dynamics: what each is called, what it can, and where it stands. A new one is a package and a line here.

Every package has the same three verbs, a file each,

    prepare.py    what links and rows of constraints say at a state
    solve.py      accelerations and multipliers, or a correction, with a factor made there
    correct.py    a correction with the factor of a solve before, or of the residuals of its solution

In `delassus` and `sparse` they are kernels on records of data/; motion.py gives them to integrators, by address (solvers/accelerations.py), and driver.py
to calls from Python. In `lathrop` they are NumPy, for calls alone.
"""

import functools
from importlib import import_module
from typing import NamedTuple

from ..errors import ModelError, StateError
from ..kernels import address_of


class Solver(NamedTuple):
    """A solver: `call`, the module and function that solve states given from Python; `motion`, the module whose ACCELERATIONS integrators use, None if it
    cannot be called by address; `lanes`: does it solve LANES states side by side?
    """

    call: tuple[str, str] | None
    motion: str | None
    lanes: bool


SOLVERS = {
    "articulated": Solver(("delassus.driver", "solve_constrained"), "delassus.motion", True),
    "propagation": Solver(("lathrop.driver", "solve_propagation"), None, False),
    "sparse": Solver(("sparse.driver", "solve_sparse"), "sparse.motion", False),
}
TREE = Solver(None, "accelerations", True)  # of models without constraints
# A batch of states fills SIMD lanes with the articulated solver; with more rows than this, its dense matrix costs more than that gains.
MANY_ROWS = 24


def choose(model, solver, batch=False):
    """The function that solves: (model, q, v, tau, f_ext, t, threads=) -> Constrained."""
    if check_solver(solver) == "auto":
        solver = "articulated" if batch and model.nc <= MANY_ROWS else "sparse"
    module, name = SOLVERS[solver].call
    return getattr(import_module(f".{module}", __package__), name)


def check_solver(solver):
    """The name itself, of a solver that there is, or "auto"."""
    if not isinstance(solver, str) or solver not in ("auto", *SOLVERS):
        raise StateError(f"solver: found {solver!r}; allowed are 'auto', {', '.join(map(repr, SOLVERS))}", "solver")
    return solver


def solver_in_motion(model, solver, wide=False):
    """The name of the solver that moves a model, LANES states side by side if `wide`: "tree" without constraints."""
    if not model.nc:
        return "tree"
    if solver == "auto":
        return "articulated" if wide else "sparse"
    can = [name for name, at in SOLVERS.items() if at.motion and (at.lanes or not wide)]
    if solver not in can:
        allowed = ", ".join(map(repr, can if wide else ["auto", *can]))
        if solver == "propagation":
            raise ModelError(
                f"solver: found 'propagation', which is worked out in NumPy for one state at a time, as an independent opinion, and would slow a "
                f"motion down a thousandfold; allowed are {allowed}; to compare, ask lw.forward_dynamics(model, q, v, solver='propagation') or "
                "lw.cross_check(model, q, v) at states of the recording"
            )
        raise ModelError(f"solver: found {solver!r}; allowed are {allowed}")
    return solver


def acceleration_function(solver, in_mode=False):
    """The AccelerationFunction of a solver by its name, or of "tree"; in_mode: with forces at closed contacts (solvers/contact/mode.py)."""
    if in_mode:
        return getattr(import_module(".contact.mode", __package__), "TREE_IN_MODE" if solver == "tree" else "ARTICULATED_IN_MODE")
    return import_module(f".{(TREE if solver == 'tree' else SOLVERS[solver]).motion}", __package__).ACCELERATIONS


def fastest_driver():
    """The driver that solves one state the fastest, with constraints and without forces on bodies: (q, v, tau, t) to (vdot, multipliers, (rank, residual))."""
    return import_module(".sparse.driver", __package__).DRIVER


@functools.cache
def acceleration_address(solver, wide=False, in_mode=False):
    """The address of a solver's function for motions, compiled at the first call."""
    motion = acceleration_function(solver, in_mode)
    return address_of(motion.wide if wide else motion.one)
