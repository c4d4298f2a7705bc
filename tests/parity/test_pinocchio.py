"""Parity with Pinocchio 4.1 on the robots of example-robot-data, each fixed and floating, one state at a time and as a batch.

What is compared and how closely stands in quantities.py, the robots in robots.py, the map between coordinates in pairs.py.
"""

import zlib

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio", reason="Pinocchio is a development dependency: pip install linkwork[dev]")

pytestmark = pytest.mark.peer

import linkwork as lw  # noqa: E402
from linkwork.formats.read import read  # noqa: E402

from .pairs import Pair, States, pair_of  # noqa: E402
from .quantities import FRAMES, QUANTITIES, TOLERANCE, angular_first, compare, force_units, gap  # noqa: E402
from .robots import REFUSED, ROBOTS, UNPHYSICAL, path_of  # noqa: E402

BATCH = 11  # fills no whole number of SIMD packs of 2, 4 or 8 lanes: the remainder is tested too
CASES = [(robot, root) for robot in ROBOTS for root in ("fixed", "floating")]


def states_of(pair, seed=0):
    return States.random(pair.model, BATCH, zlib.crc32(f"{pair.robot} {pair.root} {seed}".encode()))


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("robot, root", CASES)
def test_agrees_with_pinocchio(robot, root, quantity):
    pair = pair_of(robot, root)
    worst, where = compare(pair, QUANTITIES[quantity], states_of(pair))
    assert worst <= 1.0, where


@pytest.mark.parametrize("robot, root", CASES)
def test_pinocchio_finds_that_our_accelerations_take_the_given_forces(robot, root):
    """A backward error: the conditioning of M has no part in it. Measured against the inertial forces, of which tau is what remains."""
    pair = pair_of(robot, root)
    states = states_of(pair)
    batch = lw.forward_dynamics(pair.model, states.q, states.v, states.tau, states.f_ext)
    for k in range(BATCH):
        s, units = states[k], force_units(pair, states[k])
        for vdot in (batch[k], lw.forward_dynamics(pair.model, s.q, s.v, s.tau, s.f_ext)):
            state = pair.to_peer_q(s.q), pair.to_peer_v(s.v), pair.to_peer_v(vdot)
            tau = pin.rnea(pair.peer, pair.data, *state, pair.peer_forces(s.f_ext))[pair.at]
            assert np.abs((tau - s.tau) / units).max() <= TOLERANCE * np.abs(vdot * units).max()


@pytest.mark.parametrize("quantity", ["inverse dynamics", "forward dynamics", "bias and gravity", "mass matrix", "momentum", "energy"])
@pytest.mark.parametrize("robot, root", [("panda", "fixed"), ("talos_full", "floating"), ("tiago", "floating")])
def test_armature_acts_as_in_pinocchio(robot, root, quantity):
    """Rotor inertia adds to the diagonal of M and to the kinetic energy, and to no momentum."""
    rng = np.random.default_rng(5)
    pair = Pair(robot, root, armature=lambda: rng.uniform(0.01, 1.0))
    assert np.count_nonzero(pair.peer.armature) == pair.peer.nv - (6 if root == "floating" else 0)
    worst, where = compare(pair, QUANTITIES[quantity], states_of(pair))
    assert worst <= 1.0, where


def test_one_armature_for_all_turns_of_a_ball_acts_as_in_pinocchio():
    """Pinocchio adds armature to the diagonal of M and has no velocity terms of it: right for balls with one number for three turns, since
    omega x a omega = 0. With three numbers its motion is that of no Lagrangian; MuJoCo has one number only."""
    rng = np.random.default_rng(2)
    mechanism, peer, parent, last = lw.Mechanism("balls"), pin.Model(), None, 0
    for k, a in enumerate((0.3, 0.1, 0.7)):
        mass, com, moments, at = 1.0 + k, rng.uniform(-0.2, 0.2, 3), rng.uniform(0.1, 0.15, 3), rng.uniform(-0.5, 0.5, 3)
        body = mechanism.add_body(f"body {k}", mass=mass, com=com, inertia=moments)
        mechanism.add_joint(f"ball {k}", lw.Spherical(armature=a), (parent or mechanism.ground).at(*at), body)
        last = peer.addJoint(last, pin.JointModelSpherical(), pin.SE3(np.eye(3), at), f"ball {k}")
        peer.appendBodyToJoint(last, pin.Inertia(mass, com, np.diag(moments)), pin.SE3.Identity())
        parent = body
    peer.armature = np.repeat([0.3, 0.1, 0.7], 3)
    model, data = mechanism.build(), peer.createData()
    q, v, x = lw.random_configuration(model, rng), *rng.normal(size=(2, 9))
    turned = q.reshape(3, 4)[:, [1, 2, 3, 0]].ravel()
    for ours, theirs in (
        (lw.mass_matrix(model, q), pin.crba(peer, data, turned)),
        (lw.inverse_dynamics(model, q, v, x), pin.rnea(peer, data, turned, v, x)),
        (lw.forward_dynamics(model, q, v, x), pin.aba(peer, data, turned, v, x)),
    ):
        upper = np.triu_indices(9) if ours.ndim == 2 else slice(None)
        assert ours[upper] == pytest.approx(theirs[upper], abs=1e-11 * np.abs(theirs).max())


def test_gravity_of_another_direction_agrees():
    pair = Pair("talos_reduced", "floating", gravity=(1.0, -2.0, 3.0))
    for quantity in ("inverse dynamics", "forward dynamics", "bias and gravity", "energy"):
        worst, where = compare(pair, QUANTITIES[quantity], states_of(pair))
        assert worst <= 1.0, (quantity, where)


def test_frames_placed_on_links_agree():
    """Frames away from the origin of their link: pose, velocity, acceleration and Jacobian."""
    frames = {
        "tool": ("gripper_left_motor_single_link", lw.Pose.from_rpy(0.4, 0.5, -0.6, (0.1, -0.2, 0.3))),
        "eye": ("base_link", lw.Pose.from_rpy(2.0, -1.0, 0.3, (1.0, 2.0, -0.5))),
    }
    pair = Pair("talos_reduced", "floating", frames=frames)
    s = states_of(pair)[0]
    k = lw.forward_kinematics(pair.model, s.q, s.v, s.vdot)
    pin.forwardKinematics(pair.peer, pair.data, pair.to_peer_q(s.q), pair.to_peer_v(s.v), pair.to_peer_v(s.vdot))
    pin.computeJointJacobians(pair.peer, pair.data)
    pin.updateFramePlacements(pair.peer, pair.data)
    for name in frames:
        f = pair.peer.getFrameId(name)
        assert gap(k.pose(name).matrix, pair.data.oMf[f].homogeneous) <= TOLERANCE
        for axes, frame in FRAMES.items():
            at = pair.peer, pair.data, f, frame
            rate = pin.getFrameAcceleration if axes == "body" else pin.getFrameClassicalAcceleration
            assert gap(k.velocity(name, axes), angular_first(pin.getFrameVelocity(*at).vector)) <= TOLERANCE
            assert gap(k.acceleration(name, axes), angular_first(rate(*at).vector)) <= TOLERANCE
            assert gap(lw.jacobian(pair.model, s.q, name, axes=axes), angular_first(pin.getFrameJacobian(*at))[:, pair.at]) <= TOLERANCE


@pytest.mark.parametrize("robot", ROBOTS)
def test_faults_of_robots_are_the_stated_ones_and_no_others(robot):
    """Which links are taken though impossible, and which joints make build() refuse: nothing is mended or left out in silence."""
    mechanism = read(str(path_of(robot)), mimics=False)
    taken = UNPHYSICAL.get(robot, {})
    assert {body.name for body in mechanism.bodies if body.unphysical} == taken.keys()
    for link, text in taken.items():
        assert any(f"link {link!r}" in str(note) and text in note.message for note in mechanism.notes)
    refused = REFUSED.get(robot, {})
    faults = {fault.part: fault.message for fault in mechanism.faults()}
    assert faults.keys() == refused.keys()
    assert all(text in faults[part] for part, text in refused.items())


def test_parity_is_of_moving_robots():
    """The comparison would be idle if states were at rest: velocities, forces and turns are of the size of one."""
    pair = pair_of("talos_full", "floating")
    s = states_of(pair)
    assert np.abs(lw.bias_force(pair.model, s.q, s.v) - lw.gravity_force(pair.model, s.q)).max() > 1.0
    assert min(np.ptp(getattr(s, name), axis=0).min() for name in ("v", "vdot", "tau", "dv")) > 0.1
    assert np.linalg.norm(lw.difference(pair.model, s.q[0], s.q[1])) > 1.0
