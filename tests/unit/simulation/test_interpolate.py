"""Between frames: cubics on the joints' manifolds, measured against motions in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwork as lw
from linkwork.simulation import rotation_arrays
from linkwork.simulation.columns import JointColumns, Layout
from linkwork.simulation.recording import Recording
from linkwork.spatial import so3
from linkwork.spatial.plain import plain

from .motions import model_of, recorded

vectors = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(np.array)
small = st.tuples(*[st.floats(-1e-3, 1e-3)] * 3).map(np.array)

LAYOUT = Layout("kite", "", (JointColumns("slide", "vector", ("1",), ("m",)), JointColumns("ball", "ball"), JointColumns("base", "free")))


def motion(t):
    """(q, v) of a slide, a ball and a free body that turn about two axes at changing speed, in closed form."""
    t = np.asarray(t, dtype=float)
    z, x = np.array([0.0, 0.0, 1.0]), np.array([0.6, 0.8, 0.0])
    f, df, g, dg = 2.0 * np.sin(1.3 * t) + t, 2.6 * np.cos(1.3 * t) + 1.0, np.cos(2.1 * t), -2.1 * np.sin(2.1 * t)
    second = rotation_arrays.exp(g[:, None] * x)
    turn = rotation_arrays.product(rotation_arrays.exp(f[:, None] * z), second)
    omega = rotation_arrays.rotate(rotation_arrays.conjugate(second), df[:, None] * z) + dg[:, None] * x
    place = np.column_stack([np.sin(t), np.cos(1.7 * t), t**5])
    speed = np.column_stack([np.cos(t), -1.7 * np.sin(1.7 * t), 5.0 * t**4])
    q = np.column_stack([np.sin(3.0 * t), turn, place, turn])
    v = np.column_stack([3.0 * np.cos(3.0 * t), omega, omega, rotation_arrays.rotate(rotation_arrays.conjugate(turn), speed)])
    return q, v


def frames(n, duration=2.0, keep=("q", "v")):
    time = np.linspace(0.0, duration, n + 1)
    q, v = motion(time)
    return Recording(LAYOUT, {"time": time} | {name: x for name, x in (("q", q), ("v", v)) if name in keep})


def errors(n, keep=("q", "v")):
    """Largest errors of q (quaternions up to sign) and v, midway and elsewhere between n frames."""
    t = np.linspace(0.0, 2.0, 997)
    found = frames(n, keep=keep).at(t)
    q, v = motion(t)
    signs = np.ones_like(q)
    for part in (slice(1, 5), slice(8, 12)):
        signs[:, part] = np.sign(np.sum(found.q[:, part] * q[:, part], axis=1))[:, None]
    return np.abs(signs * found.q - q).max(axis=0), np.abs(found.v - v).max(axis=0) if "v" in keep else None


def test_positions_have_order_four_and_velocities_order_three():
    (coarse, coarse_v), (fine, fine_v) = errors(40), errors(80)
    # Halving the interval divides the error by 2^4 and 2^3; the coordinates differ in how early they get there.
    assert np.all(np.log2(coarse / fine) > 3.7)
    assert np.all(np.log2(coarse_v / fine_v) > 2.7)
    assert fine.max() < 1e-5 and coarse.max() > 1e-8, "an error that can be measured"


def test_without_velocities_the_way_is_straight():
    coarse, fine = errors(40, keep=("q",))[0], errors(80, keep=("q",))[0]
    assert np.all((np.log2(coarse / fine) > 1.7) & (np.log2(coarse / fine) < 2.3))


def test_velocity_is_the_rate_of_the_interpolated_position():
    rec, h = frames(10), 1e-6
    t = np.linspace(0.05, 1.9, 30)
    before, here, after = (rec.at(t + s) for s in (-h, 0.0, h))
    turned = rotation_arrays.log(rotation_arrays.product(rotation_arrays.conjugate(before["ball"]), after["ball"])) / (2 * h)
    assert np.allclose(turned, here["ball", "v"], atol=1e-8)
    moved = (after["base"][:, :3] - before["base"][:, :3]) / (2 * h)
    assert np.allclose(moved, rotation_arrays.rotate(here["base"][:, 3:], here["base", "v"][:, 3:]), atol=1e-8)
    assert np.allclose((after["slide"] - before["slide"]) / (2 * h), here["slide", "v"], atol=1e-8)


def test_quaternions_stay_of_unit_length():
    found = frames(7).at(np.linspace(0.0, 2.0, 501))  # seven frames for turns of more than a radian
    for joint, part in (("ball", slice(0, 4)), ("base", slice(3, 7))):
        assert np.abs(np.linalg.norm(found[joint][:, part], axis=1) - 1.0).max() < 1e-15 * 10


def test_an_even_spin_is_exact_however_fast():
    omega = np.array([30.0, -70.0, 110.0])  # five turns between two frames
    time = np.linspace(0.0, 1.0, 5)
    layout = Layout("spinner", "", (JointColumns("ball", "ball"),))
    rec = Recording(layout, {"time": time, "q": rotation_arrays.exp(time[:, None] * omega), "v": np.tile(omega, (5, 1))})
    t = np.linspace(0.0, 1.0, 73)
    found, expected = rec.at(t), rotation_arrays.exp(t[:, None] * omega)
    sign = np.sign(np.sum(found.q * expected, axis=1))[:, None]
    assert np.allclose(sign * found.q, expected, atol=1e-13)  # |omega t| = 134 rad, times 1e-16, some times over
    assert np.allclose(found.v, omega, atol=1e-10)


def test_a_thrown_body_flies_on_its_parabola():
    m = lw.Mechanism("stone")
    m.add_body("stone", mass=2.0, inertia=(0.1, 0.2, 0.25))
    model = m.build()
    time = np.linspace(0.0, 1.0, 6)
    spin = np.array([0.0, 0.0, 9.0])  # about a principal axis: even
    turn = rotation_arrays.exp(time[:, None] * spin)
    place = np.column_stack([3.0 * time, 0.0 * time, 4.0 * time - 4.905 * time**2])
    speed = np.column_stack([3.0 + 0 * time, 0 * time, 4.0 - 9.81 * time])
    v = np.hstack([np.tile(spin, (6, 1)), rotation_arrays.rotate(rotation_arrays.conjugate(turn), speed)])
    rec = Recording(Layout.of(model), {"time": time, "q": np.hstack([place, turn]), "v": v}, model=model)
    state = rec.state_at(0.37)
    assert np.allclose(state.q[:3], [1.11, 0.0, 4.0 * 0.37 - 4.905 * 0.37**2], atol=1e-14)
    energy = [float(sum(lw.energy(model, s.q, s.v))) for s in (rec.sample(0).state, state)]
    assert energy[0] == pytest.approx(energy[1], abs=1e-12)


@pytest.mark.parametrize("case", ["double pendulum", "satellite", "four-bar"])
def test_frames_are_met_bit_by_bit(case):
    rec = recorded(case)
    assert rec.at(rec.time) == rec
    assert rec.state_at(rec.time[11]) == rec.sample(11).state
    assert rec.at(float(rec.time[-1])).state == rec.sample(-1).state


def test_interpolated_motions_agree_with_the_model():
    """At the middle of the interval: q_0 moved by the model's own `integrate` along its `difference` gives the same for vector joints and balls."""
    rec, model = recorded("satellite", record=("q",)), model_of("satellite")
    t = 0.5 * (rec.time[:-1] + rec.time[1:])
    expected = lw.integrate(model, rec.q[:-1], 0.5 * lw.difference(model, rec.q[:-1], rec.q[1:]))
    found = rec.at(t).q
    turning = [*range(3, 11), 11, 12]  # the place of a free body goes straight here, along a screw in `integrate`
    assert np.allclose(found[:, turning], expected[:, turning], atol=1e-14)
    assert np.allclose(found[:, :3], 0.5 * (rec.q[:-1, :3] + rec.q[1:, :3]), atol=1e-15)


def test_other_channels(tmp_path):
    recorded("satellite").save(tmp_path / "run.arrow")
    rec = Recording.load(tmp_path / "run.arrow")  # without a model: with one, poses are those of q
    t, frame = 0.5 * (rec.time[3] + rec.time[4]), rec.at(0.5 * (rec.time[3] + rec.time[4]))
    assert frame.time == t
    for name in ("kinetic", "momentum", "tau", "reactions", "work"):
        assert np.allclose(frame[name], 0.5 * (rec[name][3] + rec[name][4]), atol=1e-14), name
    assert frame["steps"] == rec["steps"][3]
    pose = frame["dish", "pose"]
    assert np.linalg.norm(pose[3:]) == pytest.approx(1.0, abs=1e-15)
    # A slerp is half way in angle.
    ends = (rotation_arrays.log(rotation_arrays.product(rotation_arrays.conjugate(rec.pose("dish")[k, 3:]), pose[3:])) for k in (3, 4))
    first, second = ends
    assert np.allclose(first, -second, atol=1e-14) and np.linalg.norm(first) > 1e-3


def test_the_interpolated_state_is_near_the_motion():
    """Every second frame left out and interpolated: the free motion of a satellite, error O(h^4) over 40 ms."""
    rec = recorded("satellite")
    half = Recording(rec.layout, {name: rec[name][::2] for name in ("time", "q", "v")})
    found = half.at(rec.time[1:-1])
    assert np.abs(found.q - rec.q[1:-1])[1::2].max() == 0.0, "frames that were kept"
    worst = np.abs(found.q - rec.q[1:-1]).max()
    assert 0.0 < worst < 2e-4  # h^4 / 384 times the fourth derivative, which the sleeve makes 1e4
    linear = Recording(rec.layout, {name: rec[name][::2] for name in ("time", "q")}).at(rec.time[1:-1])
    assert worst < 0.02 * np.abs(linear.q - rec.q[1:-1]).max()


@pytest.mark.parametrize(
    ("t", "message"),
    [
        (-0.01, "goes from 0 s to 2 s"),
        (2.01, "t is 2.01 s"),
        (np.nan, "t is nan s"),
        ([0.5, 3.0], "t is 3 s"),
        (np.zeros((2, 2)), "a number or a row of numbers"),
        ([0.5, 0.4], "do not increase"),
    ],
)
def test_times_that_make_no_sense_are_refused(t, message):
    with pytest.raises(lw.StateError, match=message):
        frames(4).at(t)


def test_after_an_impact_the_later_frame_counts():
    columns = {"time": [0.0, 1.0, 1.0, 2.0], "q": [[0.0], [1.0], [1.0], [0.0]], "v": [[1.0], [1.0], [-1.0], [-1.0]]}
    rec = Recording(Layout("bouncer", "", (JointColumns("height", "vector", ("1",), ("m",)),)), columns)
    assert rec.at(1.0).v[0] == -1.0
    assert np.allclose(rec.at([0.25, 0.75, 1.5]).q[:, 0], [0.25, 0.75, 0.5], atol=1e-15)


# ---------------------------------------------------------------------- the formulas of rotation_arrays.py are those of the kernels


@given(vectors | small, vectors)
def test_turns_are_those_of_the_kernels(a, x):
    quaternion = np.array(plain(so3.quaternion_exp)(tuple(a)))
    assert np.allclose(rotation_arrays.exp(a), quaternion, atol=1e-15)
    assert np.allclose(rotation_arrays.log(quaternion), plain(so3.quaternion_log)(tuple(quaternion)), atol=1e-14)
    assert np.allclose(
        rotation_arrays.rotate(quaternion, x), np.reshape(plain(so3.quaternion_to_matrix)(tuple(quaternion)), (3, 3)) @ x, atol=1e-14
    )
    J = np.reshape(plain(so3.left_jacobian)(tuple(a)), (3, 3)).T
    K = np.reshape(plain(so3.left_jacobian_inverse)(tuple(a)), (3, 3)).T
    assert np.allclose(rotation_arrays.right_jacobian_times(a, x), J @ x, atol=1e-14)
    # |a| up to 5.2: the inverse grows like 1 / (2 pi - |a|) and its rounding with it.
    assert np.allclose(rotation_arrays.right_jacobian_inverse_times(a, x), K @ x, atol=1e-12)


@given(vectors, vectors)
def test_products_of_turns_are_those_of_the_kernels(a, b):
    p, q = rotation_arrays.exp(a), rotation_arrays.exp(b)
    assert np.allclose(rotation_arrays.product(p, q), plain(so3.quaternion_product)(tuple(p), tuple(q)), atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 0.299999, 0.300001, 3.1415926, np.pi])
def test_log_undoes_exp_at_every_size(angle):
    a = angle * np.array([0.6, 0.0, -0.8])
    assert np.allclose(rotation_arrays.log(rotation_arrays.exp(a)), a, rtol=1e-14, atol=1e-15) or angle == np.pi
    assert np.isfinite(rotation_arrays.right_jacobian_inverse_times(a, np.ones(3))).all()
