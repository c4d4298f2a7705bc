"""What one force exerts at a state, by its name; the energy that forces store; constant loads."""

import numpy as np
import pytest

import linkwork as lw


def slider(*, on=True):
    m = lw.Mechanism("slider", gravity=(0, 0, 0))
    block = m.add_body("block", mass=2.0, inertia=(1, 1, 1))
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    m.add_force("band", lw.SpringDamper(10.0, 3.0, length=1.0), block, m.ground.at(3, 0, 0), on=on)
    m.add_force("buffer", lw.JointSpring(4.0, rest=0.25), "rail")
    return m.build()


def test_the_force_of_one_spring_is_asked_by_its_name():
    exerted = lw.applied_forces(slider(), [0.5], [0.2])
    band, buffer = exerted["band"], exerted["buffer"]
    assert exerted.names == ("band", "buffer")
    assert np.allclose(band.force, [10.0 * 1.5 - 3.0 * 0.2, 0, 0], atol=1e-14) and np.allclose(band.second_force, -band.force)
    assert band.point.tolist() == [0.5, 0, 0] and band.second_point.tolist() == [3.0, 0, 0] and not band.tau.any()
    assert float(band.tension) == pytest.approx(14.4) and band.energy == pytest.approx(11.25)
    assert buffer.tau.tolist() == [-1.0] and buffer.energy == pytest.approx(0.125) and not buffer.force.any()
    tau, wrenches = exerted  # as before
    assert tau.tolist() == [-1.0] and np.allclose(wrenches[0, 3:], band.force)


def test_forces_of_many_states_and_of_a_force_that_is_off():
    q = np.array([[0.5], [1.0], [3.0]])
    band = lw.applied_forces(slider(), q)["band"]
    assert band.force.shape == (3, 3) and np.allclose(band.energy, [11.25, 5.0, 5.0])
    assert np.allclose(band.tension[:2], [15.0, 10.0]) and band.tension[2] == 0.0  # the places meet: no line
    off = lw.applied_forces(slider(on=False), q)["band"]
    assert not off.force.any() and not off.energy.any()


def test_a_force_that_does_not_exist_is_refused_with_near_names():
    with pytest.raises(lw.UnknownNameError, match="did you mean 'band'"):
        lw.applied_forces(slider(), [0.5])["bnad"]
    m = lw.Mechanism("none")
    m.add_body("b", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(lw.UnknownNameError, match="there is no force yet"):
        lw.applied_forces(m.build(), [0, 0, 0, 1, 0, 0, 0])["band"]


def test_energy_with_forces_is_kept_along_a_motion():
    m = lw.Mechanism("bouncer")
    ball = m.add_body("ball", mass=2.0, inertia=(0.1, 0.2, 0.3))
    m.add_force("band", lw.SpringDamper(stiffness=50.0, length=0.5), ball.at(0.1, 0, 0), m.ground.at(0, 0, 1))
    m.add_force("weight", lw.Load(force=(3.0, 0.0, -4.0)), ball.at(0, 0.2, 0))
    rec = lw.simulate(m, 0.5, lw.Adaptive(order=8, rtol=1e-12, atol=1e-13), q=[0.3, 0.2, 0, 1, 0, 0, 0])
    e = lw.energy(m.build(), rec.q, rec.v, forces=True)
    assert np.ptp(e.stored) > 0.1 * np.ptp(e.kinetic) > 0.1  # not trivial
    assert np.ptp(e.total) < 1e-9 * np.abs(e.total).max()
    one = lw.energy(m.build(), rec.q[-1], rec.v[-1], forces=True)
    assert isinstance(one.stored, float) and one.total == pytest.approx(e.total[-1], rel=1e-14)
    exerted = lw.applied_forces(m.build(), rec.q[-1], rec.v[-1])
    assert one.stored == pytest.approx(sum(exerted[name].energy for name in exerted.names))
    assert np.allclose(rec["stored"][-1].sum(), one.stored, rtol=1e-12)


def test_energy_without_forces_stays_a_pair():
    kinetic, potential = lw.energy(slider(), [0.5], [0.2])
    assert kinetic == pytest.approx(0.04) and potential == 0.0
    with pytest.raises(lw.StateError, match="forces: found 1; allowed are True and False"):
        lw.energy(slider(), [0.5], [0.2], forces=1)
    with pytest.raises(lw.StateError, match="leave one of them out"):
        lw.energy(slider(), [0.5], [0.2], forces=True, out=lw.Energy(np.zeros(()), np.zeros(())))


def test_a_constant_load_keeps_its_direction_or_turns_with_its_body():
    turned = lw.Pose.from_rpy(0, 0, np.pi / 2).quaternion
    for axes, expected in (("world", [5.0, 0, 0]), ("body", [0, 5.0, 0])):
        m = lw.Mechanism("free", gravity=(0, 0, 0))
        body = m.add_body("body", mass=2.0, inertia=(1, 1, 1))
        m.add_force("push", lw.ConstantForce(force=(5.0, 0, 0), torque=(0, 0, 0.5), axes=axes), body.at(1, 0, 0))
        push = lw.applied_forces(m.build(), [0, 0, 0, *turned])["push"]
        assert np.allclose(push.force, expected, atol=1e-14) and np.allclose(push.moment, [0, 0, 0.5])
        assert not push.second_force.any()


def test_a_load_in_a_file_comes_back_as_it_was():
    m = lw.Mechanism("shelf")
    board = m.add_body("board", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, board)
    m.add_force("books", lw.Load(force=(0, 0, -50.0), axes="body"), board.at(0.4, 0, 0))
    text = lw.to_toml(m)
    assert 'kind = "load"' in text and lw.from_toml(text) == m
    with pytest.raises(lw.ModelError, match=r"axes is 'a'.*'world', 'body'"):
        lw.Load(axes="a")
    with pytest.raises(lw.ModelError, match="Load is given 2 places; it takes 1"):
        m.add_force("two", lw.Load(), board, m.ground.at(0, 0, 1))
    copy = m.clone()
    copy.change("books", force=(0, 0, -60.0))
    assert copy.force("books").kind.force == (0, 0, -60.0) and copy.force("books").b == m.force("books").b
