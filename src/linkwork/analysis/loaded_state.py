"""One state and all that acts on it, as questions about one state take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.applied_forces import with_forces
from ..dynamics.call import shaped
from ..dynamics.external import wrenches as wrench_input
from ..errors import StateError

if TYPE_CHECKING:
    from ..model.model import Model


class LoadedState(NamedTuple):
    """One state and what acts on it: q (nq,), v (nv,), joint forces tau (nv,), wrenches on bodies f_ext (nb, 6) or None, t in s."""

    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    f_ext: np.ndarray | None
    t: float


def under_forces(model: Model, state: LoadedState) -> LoadedState:
    """The LoadedState with what the model's own forces exert added."""
    if not model.forces:
        return state
    q, v, tau, f_ext, t = state
    tau, f_ext = with_forces(model, q, v, t, tau, f_ext)
    return state._replace(tau=tau, f_ext=f_ext)


def one_state(
    model: Model,
    q: Any,
    v: Any,
    tau: Any,
    f_ext: Any,
    t: Any,
) -> LoadedState:
    """The arguments as a LoadedState, or an error that says that a batch is not taken."""
    nv = (model.nv,)
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv)]
    inputs += [] if f_ext is None else [wrench_input(model, f_ext)]
    arrays, leading = shaped(inputs)
    if leading or np.ndim(t):
        raise StateError(f"q: found a batch of {leading or np.shape(t)} states; allowed is one state; call it in a loop", "q")
    return LoadedState(*arrays, *([None] if f_ext is None else []), float(t))  # type: ignore[call-arg]
