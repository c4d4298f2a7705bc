"""What is compared with Pinocchio: each quantity by our functions and by its, and the measure of their difference.

Both sides round differently, and each result carries some 1e-16 times the length of its sums: 1e-14 is usual, 1e-10 is asked. Errors
are measured against the largest magnitude of the compared array, after making its entries comparable: angular and linear parts are
compared apart, and a coordinate i of tau, vdot or M is taken in units in which its own inertia M_ii is 1. So a finger's torque of
1e-4 N m counts as much as a hip's of 100 N m.

Forward dynamics alone has a further allowance: solving M vdot = r by any stable method errs by eps cond(M), M taken in the said units.
This exceeds 1e-10 for iCub only, whose file has point masses for legs (cond 5e7).
"""

from typing import NamedTuple

import numpy as np
import pinocchio as pin

import linkwork as lw

TOLERANCE = 1e-10
SINGLE = 4  # of the states of a batch, so many are computed one by one as well
LOCAL, ALIGNED = pin.ReferenceFrame.LOCAL, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
FRAMES = {"body": LOCAL, "world": ALIGNED}


# ---------------------------------------------------------------------------------------------------- the quantities
#
# ours(pair, s): s holds one state or a batch. theirs(pair, s): one state, in our order. Both give a dict of arrays, compared apart.


def _parts(key, vectors):
    """Angular and linear parts of vectors (..., 6)."""
    return {(key, "angular"): vectors[..., :3], (key, "linear"): vectors[..., 3:]}


def _row_parts(key, matrix):
    """Angular and linear rows of a matrix (..., 6, nv)."""
    return {(key, "angular"): matrix[..., :3, :], (key, "linear"): matrix[..., 3:, :]}


def angular_first(array):
    """A vector or matrix of Pinocchio's with its angular rows first."""
    return np.concatenate([array[3:], array[:3]])


def some_bodies(pair):
    """Names of up to nine bodies, first and last among them, for what is computed body by body."""
    names = list(pair.frames)
    return [names[k] for k in sorted({round(x) for x in np.linspace(0, len(names) - 1, 9)})]


def our_poses(pair, s):
    k = lw.forward_kinematics(pair.model, s.q)
    return {"rotation": k.rotations, "position": k.positions}


def their_poses(pair, s):
    pin.framesForwardKinematics(pair.peer, pair.data, pair.to_peer_q(s.q))
    poses = [pair.data.oMf[f] for f in pair.frames.values()]
    return {"rotation": np.array([p.rotation for p in poses]), "position": np.array([p.translation for p in poses])}


def our_motions(pair, s):
    k = lw.forward_kinematics(pair.model, s.q, s.v, s.vdot)
    found = _parts("velocity", k.velocities) | _parts("acceleration", k.accelerations)
    for what in ("velocity", "acceleration"):
        found |= _parts(f"{what} world", np.stack([getattr(k, what)(name, "world") for name in some_bodies(pair)], axis=-2))
    return found


def their_motions(pair, s):
    pin.forwardKinematics(pair.peer, pair.data, pair.to_peer_q(s.q), pair.to_peer_v(s.v), pair.to_peer_v(s.vdot))
    pin.updateFramePlacements(pair.peer, pair.data)

    def gathered(function, names, frame):
        return np.array([angular_first(function(pair.peer, pair.data, pair.frames[name], frame).vector) for name in names])

    return {
        **_parts("velocity", gathered(pin.getFrameVelocity, pair.frames, LOCAL)),
        **_parts("acceleration", gathered(pin.getFrameAcceleration, pair.frames, LOCAL)),
        **_parts("velocity world", gathered(pin.getFrameVelocity, some_bodies(pair), ALIGNED)),
        **_parts("acceleration world", gathered(pin.getFrameClassicalAcceleration, some_bodies(pair), ALIGNED)),
    }


def our_jacobians(pair, s):
    found = {}
    for axes in FRAMES:
        found |= _row_parts(axes, np.stack([lw.jacobian(pair.model, s.q, name, axes=axes) for name in some_bodies(pair)], axis=-3))
    return found


def their_jacobians(pair, s):
    pin.computeJointJacobians(pair.peer, pair.data, pair.to_peer_q(s.q))
    pin.updateFramePlacements(pair.peer, pair.data)
    found = {}
    for axes, frame in FRAMES.items():
        J = [angular_first(pin.getFrameJacobian(pair.peer, pair.data, pair.frames[name], frame)) for name in some_bodies(pair)]
        found |= _row_parts(axes, np.array(J)[..., pair.at])
    return found


def our_jacobian_rates(pair, s):
    found = {}
    for axes in FRAMES:
        rates = [lw.jacobian_rate_times_v(pair.model, s.q, s.v, name, axes=axes) for name in some_bodies(pair)]
        found |= _parts(axes, np.stack(rates, axis=-2))
    return found


def their_jacobian_rates(pair, s):
    """From the derivative of the Jacobian itself, which our side does not form."""
    v = pair.to_peer_v(s.v)
    pin.computeJointJacobiansTimeVariation(pair.peer, pair.data, pair.to_peer_q(s.q), v)
    pin.updateFramePlacements(pair.peer, pair.data)
    found = {}
    for axes, frame in FRAMES.items():
        rates = [pin.getFrameJacobianTimeVariation(pair.peer, pair.data, pair.frames[name], frame) @ v for name in some_bodies(pair)]
        found |= _parts(axes, np.array([angular_first(rate) for rate in rates]))
    return found


def our_inverse_dynamics(pair, s):
    return {"tau": lw.inverse_dynamics(pair.model, s.q, s.v, s.vdot), "forced": lw.inverse_dynamics(pair.model, s.q, s.v, s.vdot, s.f_ext)}


def their_inverse_dynamics(pair, s):
    state = pair.to_peer_q(s.q), pair.to_peer_v(s.v), pair.to_peer_v(s.vdot)
    free = pin.rnea(pair.peer, pair.data, *state).copy()
    return {"tau": free[pair.at], "forced": pin.rnea(pair.peer, pair.data, *state, pair.peer_forces(s.f_ext))[pair.at]}


def our_forward_dynamics(pair, s):
    return {"vdot": lw.forward_dynamics(pair.model, s.q, s.v, s.tau), "forced": lw.forward_dynamics(pair.model, s.q, s.v, s.tau, s.f_ext)}


def their_forward_dynamics(pair, s):
    state = pair.to_peer_q(s.q), pair.to_peer_v(s.v), pair.to_peer_v(s.tau)
    free = pin.aba(pair.peer, pair.data, *state).copy()
    return {"vdot": free[pair.at], "forced": pin.aba(pair.peer, pair.data, *state, pair.peer_forces(s.f_ext))[pair.at]}


def our_bias(pair, s):
    return {"bias": lw.bias_force(pair.model, s.q, s.v), "gravity": lw.gravity_force(pair.model, s.q)}


def their_bias(pair, s):
    q = pair.to_peer_q(s.q)
    bias = pin.nonLinearEffects(pair.peer, pair.data, q, pair.to_peer_v(s.v)).copy()
    return {"bias": bias[pair.at], "gravity": pin.computeGeneralizedGravity(pair.peer, pair.data, q)[pair.at]}


def our_mass_matrix(pair, s):
    return {"M": lw.mass_matrix(pair.model, s.q)}


def their_mass_matrix(pair, s):
    return {"M": peer_mass_matrix(pair, s.q)}


def our_centre_of_mass(pair, s):
    return dict(zip(("position", "velocity", "acceleration"), lw.center_of_mass(pair.model, s.q, s.v, s.vdot), strict=True))


def their_centre_of_mass(pair, s):
    pin.centerOfMass(pair.peer, pair.data, pair.to_peer_q(s.q), pair.to_peer_v(s.v), pair.to_peer_v(s.vdot))
    return {"position": pair.data.com[0].copy(), "velocity": pair.data.vcom[0].copy(), "acceleration": pair.data.acom[0].copy()}


def our_momentum(pair, s):
    h = lw.momentum(pair.model, s.q, s.v)
    return {"angular": h.angular, "linear": h.linear, **_row_parts("A", lw.centroidal_momentum_matrix(pair.model, s.q))}


def their_momentum(pair, s):
    pin.ccrba(pair.peer, pair.data, pair.to_peer_q(s.q), pair.to_peer_v(s.v))
    h = pair.data.hg
    return {"angular": h.angular.copy(), "linear": h.linear.copy(), **_row_parts("A", angular_first(pair.data.Ag)[:, pair.at])}


def our_energy(pair, s):
    e = lw.energy(pair.model, s.q, s.v)
    return {"kinetic": np.asarray(e.kinetic), "potential": np.asarray(e.potential)}


def their_energy(pair, s):
    q = pair.to_peer_q(s.q)
    kinetic = pin.computeKineticEnergy(pair.peer, pair.data, q, pair.to_peer_v(s.v))
    return {"kinetic": np.asarray(kinetic), "potential": np.asarray(pin.computePotentialEnergy(pair.peer, pair.data, q))}


def our_configuration(pair, s):
    """The moved q is told in Pinocchio's coordinates; q and -q are one quaternion, and so are their outer products."""
    moved = lw.integrate(pair.model, s.q, s.dv)
    back = lw.difference(pair.model, s.q, moved)
    return {**_moved(pair, np.apply_along_axis(pair.to_peer_q, -1, moved)), "difference": _unwound(pair, back)}


def their_configuration(pair, s):
    q = pair.to_peer_q(s.q)
    moved = pin.integrate(pair.peer, q, pair.to_peer_v(s.dv))
    return {**_moved(pair, moved), "difference": _unwound(pair, pin.difference(pair.peer, q, moved)[pair.at])}


def _moved(pair, q):
    if pair.root == "fixed":
        return {"q": q}
    return {"q": np.delete(q, np.s_[3:7], axis=-1), "rotation": q[..., 3:7, None] * q[..., None, 3:7]}


def _unwound(pair, dv):
    """Pinocchio's difference of a continuous joint lies within half a turn; ours counts turns."""
    return np.where(pair.periodic, np.arctan2(np.sin(dv), np.cos(dv)), dv)


# ---------------------------------------------------------------------------------------------------- units


def peer_mass_matrix(pair, q):
    return pin.crba(pair.peer, pair.data, pair.to_peer_q(q))[np.ix_(pair.at, pair.at)].copy()


def _no_units(pair, s):
    return 1.0


def force_units(pair, s):
    """Units of generalised forces in which every M_ii is 1."""
    return np.sqrt(np.diag(peer_mass_matrix(pair, s.q)))


def _accelerations(pair, s):
    return 1.0 / force_units(pair, s)


def _inertias(pair, s):
    return np.outer(*[force_units(pair, s)] * 2)


def _plain_tolerance(pair, s):
    return TOLERANCE


def _tolerance_of_a_solution(pair, s):
    M = peer_mass_matrix(pair, s.q) / _inertias(pair, s)
    return max(TOLERANCE, np.finfo(float).eps * np.linalg.cond(M))


class Quantity(NamedTuple):
    ours: object
    theirs: object
    units: object = _no_units
    least: float = 0.0  # magnitude below which a whole array is the rounding of zero
    tolerance: object = _plain_tolerance


QUANTITIES = {
    "poses": Quantity(our_poses, their_poses),
    "velocities and accelerations": Quantity(our_motions, their_motions),
    "jacobians": Quantity(our_jacobians, their_jacobians),
    # Exactly zero for some arms (all axes parallel), and then rounding of products of velocities of about 1 rad/s and 1 m/s.
    "jacobian rates": Quantity(our_jacobian_rates, their_jacobian_rates, least=1.0),
    "inverse dynamics": Quantity(our_inverse_dynamics, their_inverse_dynamics, force_units),
    "forward dynamics": Quantity(our_forward_dynamics, their_forward_dynamics, _accelerations, tolerance=_tolerance_of_a_solution),
    "bias and gravity": Quantity(our_bias, their_bias, force_units),
    "mass matrix": Quantity(our_mass_matrix, their_mass_matrix, _inertias),
    "centre of mass": Quantity(our_centre_of_mass, their_centre_of_mass),
    "momentum": Quantity(our_momentum, their_momentum),
    "energy": Quantity(our_energy, their_energy),
    "integrate and difference": Quantity(our_configuration, their_configuration),
}


def gap(ours, theirs, units=1.0, least=0.0):
    """Largest difference relative to the largest magnitude, both in the given units."""
    assert ours.shape == theirs.shape
    a, b = ours / units, theirs / units
    scale = max(np.abs(b).max(), least)
    assert np.isfinite(scale) and np.isfinite(a).all()
    difference = np.abs(a - b).max()
    return 0.0 if difference == 0.0 else difference / scale


def compare(pair, quantity, states):
    """(excess, which) of the worst entry: the first states one by one, and all of them as a batch, against Pinocchio.

    The excess is the error over what is allowed, so it may be 1.
    """
    batch = quantity.ours(pair, states)
    found = []
    for k in range(len(states)):
        s = states[k]
        theirs, units, allowed = quantity.theirs(pair, s), quantity.units(pair, s), quantity.tolerance(pair, s)
        answers = [("batch", {key: value[k] for key, value in batch.items()})]
        if k < SINGLE:
            answers.append(("single", quantity.ours(pair, s)))
        for how, ours in answers:
            assert ours.keys() == theirs.keys()
            for key in theirs:
                error = gap(ours[key], theirs[key], units, quantity.least)
                found.append((error / allowed, f"{how} {k}, {key}: {error:.1e}, allowed {allowed:.1e}"))
    return max(found)
