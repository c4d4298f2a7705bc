"""Parity with MuJoCo 4.0 on mechanisms with the joints that URDF does not have.

These are ball, cylindrical, universal, planar and translational joints, several free bodies, and places of joints away from body origins.
Contacts, limits and damping are off, so both solve M vdot + b = tau exactly. 1e-9 is asked; rounding gives about 1e-14. As with
Pinocchio, coordinates are taken in units in which every M_ii is 1, so that an error in a small part cannot hide behind a large one.
"""

import zlib

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is a development dependency: pip install linkwork[dev]")

pytestmark = pytest.mark.peer

import linkwork as lw  # noqa: E402

from .twins import KINDS, Part, Twin  # noqa: E402

TOLERANCE = 1e-9
SINGLE, BATCH = 3, 7
TILTED = (0.8, 0.3, -0.4, 0.1)  # quaternions; Part scales them to 1
SKEW = {"com": (0.03, -0.05, 0.12), "moments": (0.011, 0.017, 0.023), "axes": (0.6, 0.2, -0.3, 0.5)}


def arm_of_hinges_and_slides():
    return [
        Part(
            "turret",
            "ground",
            "revolute",
            axis=(0.1, 0.2, 1.0),
            at=(0.1, 0, 0.3),
            turn=TILTED,
            anchor=(0.02, -0.01, 0.05),
            mass=4.0,
            **SKEW,
        ),
        Part("boom", "turret", "revolute", axis=(0, 1, 0), at=(0.1, 0.2, 0.4), anchor=(-0.2, 0, 0), mass=2.0, **SKEW),
        Part("stick", "boom", "prismatic", axis=(1, 0.3, 0), at=(0.5, 0, 0), turn=(0.5, 0.5, -0.5, 0.5), mass=1.5, **SKEW),
        Part("lamp", "stick", "weld", at=(0.1, 0.1, 0.1), turn=TILTED, mass=0.3, **SKEW),
        Part("bucket", "stick", "revolute", axis=(0, 0, -1), at=(0.3, 0, 0.1), mass=0.7, armature=0.2, **SKEW),
        Part("counterweight", "turret", "prismatic", axis=(0, 0.6, 0.8), at=(-0.5, 0, 0), turn=TILTED, mass=6.0, armature=1.5, **SKEW),
    ]


def chain_of_balls():
    return [
        Part("upper", "ground", "spherical", at=(0, 0, 2), turn=TILTED, anchor=(0.01, 0.02, 0.3), mass=2.0, **SKEW),
        Part(
            "lower",
            "upper",
            "spherical",
            at=(0.1, 0, -0.5),
            turn=(0.3, -0.9, 0.1, 0.2),
            anchor=(0, 0.05, 0.2),
            mass=1.0,
            armature=0.05,
            **SKEW,
        ),
        Part("hand", "lower", "revolute", axis=(1, 1, 0), at=(0, 0, -0.4), mass=0.4, **SKEW),
        Part("side", "upper", "spherical", at=(0, 0.4, 0), mass=0.6, **SKEW),
    ]


def floating_with_limbs():
    return [
        Part("trunk", "ground", "free", mass=10.0, com=(0.01, 0.02, -0.03), moments=(0.4, 0.5, 0.6), axes=TILTED),
        Part("left", "trunk", "spherical", at=(0, 0.2, -0.1), turn=TILTED, mass=2.0, **SKEW),
        Part("left_shin", "left", "revolute", axis=(0, 1, 0), at=(0, 0, -0.4), mass=1.0, armature=0.1, **SKEW),
        Part("right", "trunk", "universal", axis=(1, 0, 0), axis2=(0, 1, 0.2), at=(0, -0.2, -0.1), anchor=(0, 0, 0.1), mass=2.0, **SKEW),
        Part("right_shin", "right", "cylindrical", axis=(0.2, 0, 1), at=(0, 0, -0.4), mass=1.0, **SKEW),
    ]


def two_free_bodies_and_a_table():
    return [
        Part("table", "ground", "planar", at=(0.3, -0.2, 0.1), turn=TILTED, anchor=(0.1, 0.2, 0.3), mass=5.0, **SKEW),
        Part("crane", "table", "translational", at=(0, 0, 1), turn=(0.1, 0.9, 0.3, 0.2), mass=3.0, armature=0.4, **SKEW),
        Part("satellite", "ground", "free", mass=1.0, armature=0.3, **SKEW),
        Part("panel", "satellite", "revolute", axis=(0, 1, 0), at=(0.5, 0, 0), anchor=(-0.3, 0, 0), mass=0.2, **SKEW),
        Part("probe", "ground", "free", mass=0.5, **SKEW),
    ]


def random_tree(seed):
    """Twelve bodies of all kinds, with parents, places and mass properties drawn."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in KINDS if kind not in ("free", "weld")]
    parts = []
    for k in range(12):
        parent = "ground" if k == 0 else parts[rng.integers(max(0, k - 4), k)].name
        box = rng.uniform(0.05, 0.4, 3) ** 2
        mass = rng.uniform(0.2, 3.0)
        parts.append(
            Part(
                f"body{k}",
                parent,
                "free" if k == 0 and seed % 2 else kinds[(k + seed) % len(kinds)],
                axis=tuple(rng.normal(size=3)),
                axis2=tuple(rng.normal(size=3)),
                at=tuple(rng.normal(size=3) * 0.3),
                turn=tuple(rng.normal(size=4)),
                anchor=tuple(rng.normal(size=3) * 0.1),
                mass=mass,
                com=tuple(rng.normal(size=3) * 0.1),
                moments=tuple(mass / 12 * (box.sum() - box)),
                axes=tuple(rng.normal(size=4)),
                armature=float(rng.uniform(0.0, 0.1)),
            )
        )
    return parts


TWINS = {
    "hinges and slides": arm_of_hinges_and_slides,
    "balls": chain_of_balls,
    "floating": floating_with_limbs,
    "free bodies": two_free_bodies_and_a_table,
    "random fixed": lambda: random_tree(2),
    "random floating": lambda: random_tree(3),
}


@pytest.fixture(scope="module", params=TWINS)
def twin(request):
    return Twin(request.param, TWINS[request.param](), gravity=(0.5, -1.0, -9.0))


@pytest.fixture(scope="module")
def states(twin):
    rng = np.random.default_rng(zlib.crc32(twin.name.encode()))
    model = twin.model
    draw = {name: rng.normal(size=(BATCH, model.nv)) for name in ("v", "vdot", "tau")}
    return {"q": lw.random_configuration(model, rng, BATCH), **draw, "f_ext": rng.normal(size=(BATCH, model.nb, 6))}


def gap(ours, theirs, units=1.0):
    assert ours.shape == theirs.shape
    return np.abs((ours - theirs) / units).max() / np.abs(theirs / units).max()


def agree(twin, states, names, ours, theirs, units=lambda M: 1.0):
    """Our function on the named arguments against a function of what MuJoCo computed: as a batch, and some states singly."""
    batch = ours(*(states[name] for name in names))
    for k in range(BATCH):
        q, v = states["q"][k], states["v"][k]
        f_ext = states["f_ext"][k] if "f_ext" in names else None
        twin.set(q, v, states["tau"][k] if "tau" in names else None, f_ext)
        T = twin.change(q)
        M = np.zeros((twin.peer.nv, twin.peer.nv))
        mujoco.mj_fullM(twin.peer, twin.data, M)
        M = T.T @ M[np.ix_(twin.at_v, twin.at_v)] @ T
        expected = theirs(k, q, v, T, M)
        answers = [batch[k]] + ([ours(*(states[name][k] for name in names))] if k < SINGLE else [])
        for answer in answers:
            found = gap(np.asarray(answer), expected, units(M))
            assert found <= TOLERANCE, (twin.name, k, found)


def own_inertia(M):
    return np.sqrt(np.diag(M))


def test_poses_agree(twin, states):
    def theirs(k, q, v, T, M):
        return np.array([[*twin.data.xmat[i], *twin.data.xpos[i]] for i in twin.bodies.values()])

    def ours(q):
        kinematics = lw.forward_kinematics(twin.model, q)
        R = kinematics.rotations
        return np.concatenate([R.reshape(*R.shape[:-2], 9), kinematics.positions], axis=-1)

    agree(twin, states, ["q"], ours, theirs)


def test_jacobians_agree(twin, states):
    name = twin.model.bodies[-1].name

    def theirs(k, q, v, T, M):
        linear, angular = np.zeros((2, 3, twin.peer.nv))
        mujoco.mj_jacBody(twin.peer, twin.data, linear, angular, twin.bodies[name])
        return np.concatenate([angular, linear])[:, twin.at_v] @ T

    agree(twin, states, ["q"], lambda q: lw.jacobian(twin.model, q, name), theirs)


def test_velocities_and_accelerations_of_bodies_agree(twin, states):
    """Of a motion with vdot given. MuJoCo's accelerations are what a sensor feels, so gravity is taken out of them."""

    def theirs(k, q, v, T, M):
        twin.data.qacc[twin.at_v] = T @ states["vdot"][k] + twin.drift(q, v)
        mujoco.mj_rnePostConstraint(twin.peer, twin.data)
        found = []
        for index in twin.bodies.values():
            velocity, acceleration = np.zeros((2, 6))
            mujoco.mj_objectVelocity(twin.peer, twin.data, mujoco.mjtObj.mjOBJ_XBODY, index, velocity, 0)
            mujoco.mj_objectAcceleration(twin.peer, twin.data, mujoco.mjtObj.mjOBJ_XBODY, index, acceleration, 0)
            acceleration[3:] += twin.peer.opt.gravity
            found.append(np.concatenate([velocity, acceleration]))
        return np.array(found)

    def ours(q, v, vdot):
        k = lw.forward_kinematics(twin.model, q, v, vdot)
        rows = [np.concatenate([k.velocity(name, "world"), k.acceleration(name, "world")], axis=-1) for name in twin.bodies]
        return np.stack(rows, axis=-2)

    agree(twin, states, ["q", "v", "vdot"], ours, theirs)


def test_mass_matrices_agree(twin, states):
    agree(
        twin,
        states,
        ["q"],
        lambda q: lw.mass_matrix(twin.model, q),
        lambda k, q, v, T, M: M,
        lambda M: np.outer(own_inertia(M), own_inertia(M)),
    )


def test_bias_forces_agree(twin, states):
    """M (T vdot + Tdot v) + b = ... : with b of MuJoCo's velocities, ours is T^T (b + M Tdot v)."""

    def theirs(k, q, v, T, M):
        return T.T @ twin.data.qfrc_bias[twin.at_v] + M @ np.linalg.solve(T, twin.drift(q, v))

    agree(twin, states, ["q", "v"], lambda q, v: lw.bias_force(twin.model, q, v), theirs, own_inertia)


@pytest.mark.parametrize("names", [["q", "v", "tau"], ["q", "v", "tau", "f_ext"]], ids=["joint forces", "wrenches on all bodies"])
def test_accelerations_agree(twin, states, names):
    def theirs(k, q, v, T, M):
        return np.linalg.solve(T, twin.data.qacc[twin.at_v] - twin.drift(q, v))

    agree(twin, states, names, lambda *s: lw.forward_dynamics(twin.model, *s), theirs, lambda M: 1.0 / own_inertia(M))


def test_inverse_dynamics_agrees(twin, states):
    def theirs(k, q, v, T, M):
        twin.data.qacc[twin.at_v] = T @ states["vdot"][k] + twin.drift(q, v)
        mujoco.mj_inverse(twin.peer, twin.data)
        return T.T @ twin.data.qfrc_inverse[twin.at_v]

    agree(twin, states, ["q", "v", "vdot"], lambda q, v, a: lw.inverse_dynamics(twin.model, q, v, a), theirs, own_inertia)


def test_energies_agree(twin, states):
    def ours(q, v):
        e = lw.energy(twin.model, q, v)
        return np.stack([e.potential, e.kinetic], axis=-1)

    agree(twin, states, ["q", "v"], ours, lambda k, q, v, T, M: twin.data.energy.copy())


def test_configurations_are_integrated_alike_where_the_manifolds_agree(twin, states):
    """Ball and axial joints. A free body moves on SE(3) with us and on R^3 x SO(3) in MuJoCo: there only the turn agrees."""
    q, dv = states["q"][0], states["v"][0]
    step = dv.copy()
    for _, at_v in twin.free:
        step[at_v.start + 3 : at_v.stop] = 0.0
    moved = np.zeros(twin.peer.nq)
    moved[twin.at_q] = q
    velocity = np.zeros(twin.peer.nv)
    velocity[twin.at_v] = twin.change(q) @ step
    mujoco.mj_integratePos(twin.peer, moved, velocity, 1.0)
    ours = lw.integrate(twin.model, q, step)
    assert np.abs(ours - q).max() > 0.1
    assert gap(ours, moved[twin.at_q]) <= TOLERANCE
