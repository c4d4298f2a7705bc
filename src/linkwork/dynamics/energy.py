"""Kinetic and potential energy, and the centre of mass.

    T = sum_i v_i^T I_i v_i / 2 + sum_k armature_k qdot_k^2 / 2,        V = - sum_i m_i g . p_i          (zero at the world's origin)
Bodies welded to the ground belong to it: they count neither here nor in the centre of mass.
"""

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..kernels import kernel
from ..kernels.scalar import beyond, load, scalar_for, store, width, zero
from ..model.model import need_model
from ..model.tables import at_links, at_v, count_bodies, count_links, count_v, floats_at, open_tables
from ..spatial.inertia import inertia_times
from ..spatial.matrices import apply9
from ..spatial.vectors import add3, dot3, dot6, load6, scale3, store3
from .bound import Bound, Route
from .call import Driver, deliver, need_kind, run
from .kinematics import forward_kinematics
from .links import rigid_of
from .slots import HUGE, give, take_q, take_qv
from .sweep import S_V, STRIDE, body_pose, sweep_links


@kernel(inline=True)
def first_moment(handle, work, like):
    """Mass and sum of m p over all moving bodies, in the world, after `sweep_links`."""
    t = open_tables(handle)
    o = zero(like)
    mass, moment = 0.0, (o, o, o)
    for b in range(count_bodies(t)):
        body = t.bodies[b]
        if body.link >= 0:
            R, p = body_pose(handle, work, b, like)
            h = apply9(R, (o + body.h[0], o + body.h[1], o + body.h[2]))
            moment = add3(moment, add3(h, scale3(body.m, p)))
            mass += body.m
    return mass, moment


@kernel
def _energy(handle, memory, start, stop, q, v, kinetic, potential) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    for k in range(start, stop, width(like)):
        if beyond(take_qv(t, work, q, v, k, like), 0.0):
            return k + 1
        sweep_links(handle, work, 1, like)
        twice = zero(like)
        for i in range(count_links(t)):
            V = load6(work, at_links(t) + STRIDE * i + S_V, like)
            twice = twice + dot6(V, inertia_times(rigid_of(t.links[i]), V))
        for i in range(count_v(t)):
            rate = load(work, at_v(t) + i, like)
            twice = twice + t.armature[i] * rate * rate
        _, moment = first_moment(handle, work, like)
        store(work, 0, 0.5 * twice)
        store(work, 1, zero(like) - dot3((t.gravity[0], t.gravity[1], t.gravity[2]), moment))
        give(work, 0, kinetic, k, 1, like)
        give(work, 1, potential, k, 1, like)
    return 0


@kernel
def _first_moment(handle, memory, start, stop, q, out) -> int:
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    for k in range(start, stop, width(like)):
        if beyond(take_q(t, work, q, k, like), 0.0):
            return k + 1
        sweep_links(handle, work, 0, like)
        _, moment = first_moment(handle, work, like)
        store3(work, 0, moment)
        give(work, 0, out, k, 3, like)
    return 0


_energies = Driver(_energy, 1, 1, 1, 1)
_moments = Driver(_first_moment, 1, 1)


class Energy(NamedTuple):
    """Energies in J: floats for one state, arrays for a batch."""

    kinetic: np.ndarray | float
    potential: np.ndarray | float

    @property
    def total(self):
        return self.kinetic + self.potential


def _energy_of(model, kinetic, potential):
    return Energy(kinetic, potential)


_bound = Bound(Route(_energies, ("nq", "nv"), ((), ()), finish=_energy_of))


@_bound.public
def energy(model, q, v, *, out=None, threads=1):
    """Kinetic and potential energy. Reflected rotor inertia counts as kinetic energy; the potential is zero at the world's origin.

    out: an Energy of arrays to fill, such as an earlier result for as many states (for one state of two arrays of shape ()).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("ball")
    >>> _ = m.add_body("ball", mass=2.0, inertia=(1, 1, 1))
    >>> e = lw.energy(m.build(), [0, 0, 3.0, 1, 0, 0, 0], [0, 0, 0, 4.0, 0, 0])
    >>> round(float(e.kinetic), 9), round(float(e.potential), 9)
    (16.0, 58.86)
    """
    need_model(model)
    need_kind(out, Energy)
    kinetic, potential = run(_energies, model, [("q", q, (model.nq,)), ("v", v, (model.nv,))], [(), ()], out, threads)
    if out is not None:
        return out
    return Energy(kinetic, potential) if kinetic.ndim else Energy(float(kinetic), float(potential))


def center_of_mass(model, q, v=None, vdot=None, *, out=None, threads=1):
    """The centre of mass of all moving bodies in the world (..., 3); with v its velocity too, with vdot its acceleration too (as a tuple).

    out: an array to fill; with v or vdot a tuple of two or three.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, arm)
    >>> position, velocity = lw.center_of_mass(m.build(), [0.0], [2.0])
    >>> position.tolist(), velocity.tolist()
    ([0.5, 0.0, 0.0], [0.0, 1.0, 0.0])
    """
    need_model(model)
    mass = model.mass
    if mass <= 0.0:
        raise ModelError(f"model {model.name!r}: nothing that moves has mass, so there is no centre of mass; give a body mass")
    position = run(_moments, model, [("q", q, (model.nq,))], [(3,)], None, threads) / mass
    if v is None and vdot is None:
        return deliver(position, out)
    kinematics = forward_kinematics(model, q, v, vdot, threads=threads)
    bodies = model.tables.bodies
    weights = np.where(bodies["link"] >= 0, bodies["m"], 0.0) / mass
    V, com = kinematics.velocities, [np.array(b.inertia.com, dtype=float) for b in model.bodies]
    arms = np.array(com).reshape(-1, 3)
    w, u = V[..., :3], V[..., 3:] + np.cross(V[..., :3], arms)
    velocity = np.einsum("b,...bij,...bj->...i", weights, kinematics.rotations, u)
    if vdot is None:
        return deliver((position, velocity), out)
    A = kinematics.accelerations
    classical = A[..., 3:] + np.cross(A[..., :3], arms) + np.cross(w, u)
    acceleration = np.einsum("b,...bij,...bj->...i", weights, kinematics.rotations, classical)
    return deliver((position, velocity, acceleration), out)
