"""Kinetic and potential energy.

    T = sum_i v_i^T I_i v_i / 2 + sum_k armature_k qdot_k^2 / 2,        V = - sum_i m_i g . p_i          (zero at the world's origin)
Bodies welded to the ground belong to it: they do not count.
"""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import checked
from ..data.tree import TreeData
from ..errors import SolverError, StateError
from ..kernels import Scalar, Vector, kernel
from ..kernels.records import pointer_to
from ..kernels.scalar import beyond, scalar_for, width, zero
from ..model.model import need_model
from ..model.tables import open_tables, rigid_of
from ..spatial.inertia import inertia_times
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, dot3, dot6, scale3
from ..validation import is_flag
from .bound import Bound, Route
from .call import Driver, finite_times, need_kind, run
from .exchange import SINGULAR, give_tuple, take, take_q
from .sweep import VELOCITY_ORDER, body_pose, sweep_links

if TYPE_CHECKING:
    from ..model.model import Model


@kernel(inline=True)
def first_moment(model: Any, motion: Any) -> tuple[Scalar, Vector[3]]:
    """Mass and sum of m p over all moving bodies, in the world, after `sweep_links`."""
    o = zero(motion)
    mass, moment = 0.0, (o, o, o)
    for b in range(model.nb):
        body = model.bodies[b]
        if body.link >= 0:
            R, p = body_pose(model, motion, b)
            h = apply9(R, (o + body.h[0], o + body.h[1], o + body.h[2]))
            moment = add3(moment, add3(h, scale3(body.m, p)))
            mass += body.m
    return mass, moment


@kernel(inline=True)
def kinetic_energy(model: Any, motion: Any, v: Any) -> Scalar:
    """T, after `sweep_links` to the order of velocities."""
    twice = zero(motion)
    for i in range(model.n):
        V = motion.links[i].v
        twice = twice + dot6(V, inertia_times(rigid_of(model.links[i]), V))
    for i in range(model.nv):
        twice = twice + model.armature[i] * v[i] * v[i]
    return 0.5 * twice


@kernel
def _energy(
    handle: int, data: int, start: int, stop: int, q: NDArray[np.float64], v: NDArray[np.float64], kinetic: Any, potential: Any
) -> int:
    model, tree = open_tables(handle), pointer_to(TreeData, data, scalar_for(q))
    for k in range(start, stop, width(tree)):
        if beyond(take_q(model, tree.q, q, k) + take(tree.v, v, k, model.nv), 0.0):
            return k + 1
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        bad = give_tuple((kinetic_energy(model, tree.motion, tree.v),), kinetic, k)
        _, moment = first_moment(model, tree.motion)
        bad = bad + give_tuple((zero(tree) - dot3((model.gravity[0], model.gravity[1], model.gravity[2]), moment),), potential, k)
        if beyond(bad, 0.0):
            return SINGULAR - k
    return 0


_energies = Driver(_energy, 1, 1, 1, 1)


class Energy(NamedTuple):
    """Energies in J: floats for one state, arrays for a batch.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("stone")
    >>> _ = m.add_body("stone", mass=2.0, inertia=(1, 1, 1))
    >>> e = lw.energy(m.build(), [0, 0, 1.0, 1, 0, 0, 0], [0, 0, 0, 3.0, 0, 0])
    >>> round(e.kinetic, 9), round(e.potential, 9), round(e.total, 9)
    (9.0, 19.62, 28.62)
    """

    kinetic: np.ndarray | float
    potential: np.ndarray | float

    @property
    def total(self) -> NDArray[np.float64] | float:
        return self.kinetic + self.potential


class StoredEnergy(NamedTuple):
    """Energies in J with what forces store (springs, weights, attractions): floats for one state, arrays for a batch.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("hanging")
    >>> bob = m.add_body("bob", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_force("spring", lw.SpringDamper(stiffness=100.0, length=0.5), bob, m.ground)
    >>> e = lw.energy(m.build(), [0, 0, -0.6, 1, 0, 0, 0], [0.0] * 6, forces=True)
    >>> round(e.stored, 9), round(e.potential, 9), round(e.total, 9)
    (0.5, -5.886, -5.386)
    """

    kinetic: np.ndarray | float
    potential: np.ndarray | float
    stored: np.ndarray | float

    @property
    def total(self) -> NDArray[np.float64] | float:
        return self.kinetic + self.potential + self.stored


def _energy_of(model: "Model", kinetic: float, potential: float) -> "Energy":
    return Energy(kinetic, potential)


_bound = Bound(Route(_energies, ("nq", "nv"), ((), ()), finish=_energy_of))


@_bound.public
@checked(t="times", threads="threads")
def energy(
    model: "Model",
    q: ArrayLike,
    v: ArrayLike,
    *,
    forces: bool = False,
    t: ArrayLike = 0.0,
    out: "Energy | None" = None,
    threads: int | None = 1,
) -> "Energy | StoredEnergy":
    """Kinetic and potential energy. Reflected rotor inertia counts as kinetic energy; the potential is that of gravity, zero at the world's origin.

    forces: True for the energy stored in the mechanism's forces too (springs, weights): a StoredEnergy, whose `total` is conserved where nothing
    dissipates or drives. What each of them stores, lw.applied_forces(model, q, v)[name].energy tells. t: time, for forces that look at it.
    out: an Energy of arrays to fill, such as an earlier result for as many states (for one state of two arrays of shape ()).
    An energy beyond all numbers (velocities from about 1e154 on) is a SolverError.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> e = lw.energy(m.build(), [0, 0, 3.0, 1, 0, 0, 0], [0, 0, 0, 4.0, 0, 0])
    >>> round(float(e.kinetic), 9), round(float(e.potential), 9)
    (16.0, 58.86)
    >>> _ = m.add_force("band", lw.SpringDamper(stiffness=10.0, length=1.0), "ball")
    >>> e = lw.energy(m.build(), [0, 0, 3.0, 1, 0, 0, 0], [0, 0, 0, 4.0, 0, 0], forces=True)
    >>> e.stored, round(e.total, 9)
    (20.0, 94.86)
    """
    need_model(model)
    need_kind(out, Energy)
    finite_times(t)
    if not is_flag(forces):
        raise StateError(f"forces: found {forces!r}; allowed are True and False", "forces")
    if forces:
        if out is not None:
            raise StateError("out: found an array to fill; allowed is None where forces=True; leave one of them out", "out")
        from .applied_forces import stored_energy  # here, so that energies alone need not wait for the laws of forces

        stored = stored_energy(model, q, v, t)
        if not np.isfinite(stored).all():
            raise SolverError(
                "the energy that forces store is not finite; is a place or a stiffness beyond all measure? lw.applied_forces(model, q, v) tells of each"
            )
        return StoredEnergy(*energy(model, q, v, threads=threads), stored if np.ndim(stored) else float(stored))  # type: ignore[call-arg]
    kinetic, potential = run(_energies, model, [("q", q, (model.nq,)), ("v", v, (model.nv,))], [(), ()], out, threads)
    if out is not None:
        return out
    return Energy(kinetic, potential) if kinetic.ndim else Energy(float(kinetic), float(potential))


def energy_or_infinity(model: "Model", q: NDArray[np.float64], v: NDArray[np.float64]) -> Energy:
    """The energy of one state; the kinetic is infinite where it is beyond all numbers, which callers judge by themselves."""
    try:
        return energy(model, q, v)  # without what forces store
    except SolverError:
        return Energy(math.inf, 0.0)
