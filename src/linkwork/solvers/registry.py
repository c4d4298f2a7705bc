"""The solvers of constrained dynamics by name, and which one suits a model."""

from importlib import import_module

from ..errors import StateError

# name: module and function, imported when asked for
SOLVERS = {
    "articulated": ("delassus.driver", "solve_constrained"),
    "propagation": ("lathrop.solve", "solve_propagation"),
    "sparse": ("sparse.driver", "solve_sparse"),
}
# A batch of states fills SIMD lanes with the articulated solver; with more rows than this, its dense matrix costs more than that gains.
MANY_ROWS = 24


def choose(model, solver, batch=False):
    """The function that solves: (model, q, v, tau, f_ext, t, threads=) -> Constrained."""
    if check_solver(solver) == "auto":
        solver = "articulated" if batch and model.nc <= MANY_ROWS else "sparse"
    module, name = SOLVERS[solver]
    return getattr(import_module(f".{module}", __package__), name)


def check_solver(solver):
    """The name itself, of a solver that there is, or "auto"."""
    if not isinstance(solver, str) or solver not in ("auto", *SOLVERS):
        raise StateError(f"solver: found {solver!r}; allowed are 'auto', {', '.join(map(repr, SOLVERS))}", "solver")
    return solver
