"""The forces of a model at given states, as joint forces and wrenches on bodies, and each by itself: what all functions of states let act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import checked
from ..data.forces import ALONG
from ..errors import UnknownNameError
from ..model.model import need_model
from .call import finite, shaped
from .force_by_force import ForceEnds, forces_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model
    from .force_by_force import ForceByForce


class ExertedForce(NamedTuple):
    """What one force exerts, in SI units. `force` and `moment` act on the first body, at the first place; the others on the second.

    All vectors are in world axes (..., 3), moments about the point of the place. A law along joints has joint forces `tau` (..., nv) and zero vectors,
    one between places has zero `tau`. A force that is switched off exerts nothing.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("hanging")
    >>> bob = m.add_body("bob", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_force("spring", lw.SpringDamper(stiffness=100.0, length=0.5), bob, m.ground)
    >>> spring = lw.applied_forces(m.build(), [0, 0, -0.6, 1, 0, 0, 0], [0.0] * 6)["spring"]
    >>> spring.force.round(9).tolist(), round(float(spring.energy), 9)  # N on the bob, world axes; J
    ([0.0, 0.0, 10.0], 0.5)
    """

    force: np.ndarray  # N, on the first body
    moment: np.ndarray  # N m, on the first body, about `point`
    point: np.ndarray  # m, where the first place is
    second_force: np.ndarray  # N, on the second body (or ground)
    second_moment: np.ndarray  # N m, on the second body, about `second_point`
    second_point: np.ndarray  # m, where the second place is
    tau: np.ndarray  # N m or N, along the joints
    energy: np.ndarray | float  # J, stored in it

    @property
    def tension(self) -> NDArray[np.float64] | float:
        """N, the force along the line from the first place to the second: positive if it draws them together; 0 where they coincide."""
        line = self.second_point - self.point
        length = np.linalg.norm(line, axis=-1)
        return np.sum(self.force * line, axis=-1) / np.where(length > 0.0, length, 1.0)


class _Together(NamedTuple):
    tau: np.ndarray
    wrenches: np.ndarray


class AppliedForces(_Together):
    """What all forces exert: a tuple (tau, wrenches); by the name of a force an ExertedForce, what it exerts by itself.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("hanging")
    >>> bob = m.add_body("bob", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_force("spring", lw.SpringDamper(stiffness=100.0, length=0.5), bob, m.ground)
    >>> exerted = lw.applied_forces(m.build(), [0, 0, -0.6, 1, 0, 0, 0], [0.0] * 6)
    >>> exerted.names, round(float(exerted["spring"].tension), 9)
    (('spring',), 10.0)
    """

    _forces: Any
    _ends: Any

    def __new__(
        cls,
        tau: NDArray[np.float64],
        wrenches: NDArray[np.float64],
        forces: ForceByForce | None = None,
        ends: NDArray[np.float64] | None = None,
    ) -> AppliedForces:
        made = super().__new__(cls, tau, wrenches)
        made._forces, made._ends = forces, ends
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all forces."""
        return () if self._forces is None else tuple(self._forces.active_forces.names)

    def __getitem__(self, key: Any) -> Any:  # by name too
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.names:
            raise UnknownNameError("force", key, self.names)
        return self._one(self._forces.active_forces.entries, self._forces.active_forces.index(key))

    def _one(self, entries: Any, k: Any) -> Any:
        rows = np.flatnonzero(entries["force"] == k)
        leading = self.tau.shape[:-1]
        end, tau = self._ends[..., rows[0]], np.zeros(self.tau.shape)
        if entries["kind"][rows[0]] == ALONG:
            for row in rows:
                tau[..., entries["v"][row]] += self._ends["along"][..., row]
            stored = self._ends["energy"][..., rows].sum(axis=-1)
        else:
            stored = end["energy"]
        vectors = (end[name].copy() for name in ("f_a", "n_a", "p_a", "f_b", "n_b", "p_b"))
        return ExertedForce(*vectors, tau, stored.copy() if leading else float(stored))  # type: ignore[call-arg]

    def __getnewargs__(self) -> Any:
        return self.tau, self.wrenches

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, ((self.tau, self.wrenches),)  # what forces exert by themselves belongs to a model in this process


@checked(t="times")
def applied_forces(model: Model, q: ArrayLike, v: ArrayLike | None = None, t: ArrayLike = 0.0) -> AppliedForces:
    """What the forces of a model exert at given states: (tau (..., nv), wrenches (..., nb, 6)), N m and N, wrenches each in its body's frame.

    Springs, dampers, motors and all else that `Mechanism.add_force` added and that is switched on; damping, friction and limits of the joints
    themselves act in simulations only. By its name, what a force exerts by itself, in world axes, and the energy in it: see ExertedForce.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("slider")
    >>> block = m.add_body("block", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    >>> _ = m.add_force("band", lw.SpringDamper(stiffness=10.0, length=1.0), block, m.ground.at(3, 0, 0))
    >>> exerted = lw.applied_forces(m.build(), [0.5])
    >>> tau, wrenches = exerted
    >>> wrenches.tolist()
    [[0.0, 0.0, 0.0, 15.0, 0.0, 0.0]]
    >>> band = exerted["band"]
    >>> band.force.tolist(), float(band.tension), band.energy       # N on the block, N, J
    ([15.0, 0.0, 0.0], 15.0, 11.25)
    """
    need_model(model)
    inputs = [
        ("q", q, (model.nq,)),
        ("v", np.zeros(model.nv) if v is None else v, (model.nv,)),
        ("t", np.asarray(t, dtype=float)[..., None], (1,)),
    ]
    arrays = finite(model, inputs)
    leading = arrays[0].shape[:-1]
    qs, vs, time = (array.reshape(-1, array.shape[-1]) for array in arrays)
    tau, wrenches = np.zeros((len(qs), model.nv)), np.zeros((len(qs), model.nb, 6))
    forces = ends = None
    if model.forces:
        forces = forces_of(model)
        ends = np.zeros((len(qs), len(forces.active_forces.entries)), ForceEnds.dtype())
        for k in range(len(qs)):
            tau[k], wrenches[k], ends[k] = forces.at(time[k, 0], qs[k], vs[k])
            if not (np.isfinite(tau[k]).all() and np.isfinite(wrenches[k]).all()) and (error := forces.explained(time[k, 0], qs[k], vs[k])):
                raise error
        ends = ends.reshape(*leading, *ends.shape[1:])
    return AppliedForces(tau.reshape(*leading, model.nv), wrenches.reshape(*leading, model.nb, 6), forces, ends)


def with_forces(
    model: Model, q: ArrayLike, v: ArrayLike, t: ArrayLike, tau: ArrayLike | None, f_ext: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """tau and f_ext, with what the model's forces exert added."""
    from .external import wrenches as wrench_input

    joint, body = applied_forces(model, q, v, t)
    if f_ext is not None:
        body = _sum(body, *wrench_input(model, f_ext))
    return joint if tau is None else _sum(joint, "tau", tau, (model.nv,)), body


def _sum(exerted: NDArray[np.float64], name: str, given: Any, shape: tuple[int, ...]) -> Any:
    """What forces exert, and what was given of the same shape (StateError if it was not)."""
    (a, b), _ = shaped([("forces", exerted, shape), (name, given, shape)])
    return a + b


def stored_energy(model: Model, q: ArrayLike, v: ArrayLike, t: ArrayLike = 0.0) -> Any:
    """J in all forces of a model that are switched on, (...)."""
    exerted: Any = applied_forces(model, q, v, t)
    return sum((exerted[name].energy for name in exerted.names), np.zeros(exerted.tau.shape[:-1]))
