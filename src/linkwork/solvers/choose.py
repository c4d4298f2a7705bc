"""The solvers of constrained dynamics by name, and which one suits a model."""

from importlib import import_module

from ..errors import StateError

# name: module and function, imported when asked for
SOLVERS = {
    "articulated": ("constrained", "solve_constrained"),
    "propagation": ("propagation", "solve_propagation"),
    "sparse": ("sparse", "solve_sparse"),
}
# With more rows than this, a dense matrix of them costs more than a sparse factor.
MANY_ROWS = 48


def choose(model, solver):
    """The function that solves: (model, q, v, tau, f_ext, t, threads=) -> Constrained."""
    if solver == "auto":
        solver = "sparse" if model.nc > MANY_ROWS else "articulated"
    try:
        module, name = SOLVERS[solver]
    except (KeyError, TypeError):
        raise StateError(f"solver: found {solver!r}; allowed are 'auto', {', '.join(map(repr, SOLVERS))}", "solver") from None
    return getattr(import_module(f".{module}", __package__), name)
