"""Mechanisms that come with Linkwork: readable, buildable, closed at the initial state, and moving as they should."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.formats.shipped import _folder

# Degrees of freedom left by all constraints; a motor or a drive takes one.
FREEDOM = {
    "pendulum": 1,
    "double-spherical-pendulum": 6,
    "four-bar": 1,
    "slider-crank": 0,
    "stewart-platform": 0,
    "jansen-linkage": 0,
    "walking-linkage": 6,
    "newton-cradle": 5,
    "stack": 42,
    "arm": 10,
    "work-cell": 0,
}


def test_every_shipped_mechanism_is_listed_and_tested():
    assert set(lw.shipped()) == set(FREEDOM)
    with pytest.raises(lw.UnknownNameError, match="did you mean 'four-bar'"):
        lw.shipped("fourbar")


@pytest.mark.parametrize("name", sorted(FREEDOM))
def test_it_is_closed_at_its_initial_state(name):
    doc = lw.shipped(name)
    assert doc.mechanism.notes == () and doc.setup.duration > 0
    model = doc.mechanism.build()
    state = doc.setup.state(model)
    if model.nc:
        rows = lw.constraint_jacobian(model, state.q, state.v, state.t)
        assert np.abs(rows.phi).max() < 1e-12  # of lengths of 1 m, from numbers of 17 digits
        assert np.abs(rows.phi_dot).max() < 1e-9
    assert np.abs(state.v).max(initial=0.0) > 0 or name in ("pendulum", "stewart-platform", "arm", "work-cell", "newton-cradle")
    assert lw.mobility(model, state.q, state.t).dof == FREEDOM[name]


def test_texts_come_back_as_they_are():
    for name in lw.shipped():
        text = (_folder() / f"{name}.toml").read_text(encoding="utf-8")
        doc = lw.shipped(name)
        assert doc.text == text
        assert lw.from_toml(lw.to_toml(doc.mechanism)) == doc.mechanism


def test_the_feet_of_the_jansen_linkage_draw_a_flat_line():
    """Half of the turn a foot of Jansen's linkage is on the ground, within 1 % of the leg's height, moving one way."""
    doc = lw.shipped("jansen-linkage")
    doc.mechanism.remove("speed")
    model = doc.mechanism.build()
    q, turn = doc.setup.state(model).q, np.zeros(model.nv)
    turn[model.joint("motor").v_index] = -1.0
    toes = [f"{side}-{k}-toe" for side in ("left", "right") for k in (1, 2)]
    path = []
    for _ in range(72):
        v = lw.project_velocity(model, q, turn, hold=("motor",))
        q = lw.assemble(model, lw.integrate(model, q, v * (2 * np.pi / 72)), hold=("motor",))
        kinematics = lw.forward_kinematics(model, q)
        path.append([kinematics.pose(toe).translation for toe in toes])
    path = np.array(path)
    heights = path[:, :, 2]
    on_ground = heights < heights.min(axis=0) + 0.01
    assert (on_ground.mean(axis=0) > 0.4).all()
    step = np.diff(path[:, :, 0], axis=0)
    assert (step[on_ground[1:] & on_ground[:-1]] < 0.0).all()
    assert np.ptp(path[:, :, 0], axis=0).min() > 0.5


@pytest.mark.slow
def test_the_walking_linkage_walks_on_its_feet():
    """Ten seconds, three turns of the crank: steadily forward and upright, with the laws of contact to rounding."""
    doc = lw.shipped("walking-linkage")
    model = doc.mechanism.build()
    rec = lw.simulate(doc, 10.0, record_interval=0.02)
    assert rec.status == "finished"
    place = rec.q[:, model.joint("flight").q_index]
    assert (
        place[-1, 0] > 4.2 and np.abs(place[:, 1]).max() < 0.1
    )  # m; a foot moves back by 0.23 m for each rad of the crank while it stands
    speed = np.diff(place[::10, 0]) / np.diff(rec.time[::10])  # over 0.2 s
    assert speed.min() > 0.3 and speed.max() < 0.65
    assert np.ptp(place[:, 2]) < 0.025  # the paths of two feet that take turns: 14 mm, and what the frame tips by
    tilt = np.arccos(1.0 - 2.0 * (place[:, 4] ** 2 + place[:, 5] ** 2))  # of its vertical; |turn about it| is what its heading is
    assert np.degrees(tilt).max() < 1.5
    assert 2.0 * np.abs(place[:, 6]).max() < np.radians(3.0)
    contact = rec.audit.contact
    assert contact.approximate <= 0.01 * contact.steps  # the others are exact to 1e-10 of the velocities of the step,
    assert contact.residual.value < 1e-10  # and here in m/s
    assert contact.slip.value < 1e-10 and contact.gap.value < 1e-9 and contact.cone < 1e-10
    assert {name for pair in contact.impacts_of for name in (pair.a, pair.b)} == {
        "ground",
        *(f"{s}-{k}-foot" for s in ("front", "rear") for k in (1, 2)),
    }
    assert min(pair.number for pair in contact.impacts_of) >= 4  # each foot is put down in every turn
    assert rec.audit.gap.value < 1e-11


def test_the_last_ball_of_the_cradle_leaves_and_comes_back():
    doc = lw.shipped("newton-cradle")
    rec = lw.simulate(doc, 2.0, record_interval=0.01)
    q = rec.q
    first, last = q[:, 0], q[:, 4]
    assert (
        abs(last.max() - 0.6) < 0.01 and np.abs(q[:, 1:4]).max() < 0.03
    )  # the gaps of 1 mm are 2 mrad at 0.5 m: the middle takes some of them up
    out = np.argmax(last)
    assert first[out] > -0.01 and first[out:].min() < -0.58  # the first stands while the last is out, and is struck in turn
    contact = rec.audit.contact
    assert [pair.number for pair in contact.impacts_of] == [3, 3, 3, 3]  # there, back, and there again
    assert rec.audit.relative < 1e-3 and contact.residual.value < 1e-12


def test_the_stack_stands_until_the_ball_arrives():
    doc = lw.shipped("stack")
    model = doc.mechanism.build()
    boxes = [model.body(f"box-{k}").index for k in range(1, 7)]
    rec = lw.simulate(doc, 2.0, record_interval=0.02)
    assert rec.status == "finished"
    places = lw.forward_kinematics(model, rec.q).positions
    arrives = (1.75 - 0.15 - 0.1) / 3.0  # s
    before, after = places[rec.time < arrives - 0.01], places[-1]
    assert len(before) > 20 and np.abs(before[:, boxes] - places[0, boxes]).max() < 1e-12
    assert after[boxes, 2].max() < 0.45 and np.abs(after[boxes] - places[0, boxes]).max() > 0.3  # the pile has fallen
    lowest = after[:, 2] - np.where(np.arange(len(model.bodies)) == model.body("ball").index, 0.15, 0.1)
    assert lowest.min() > -1e-6  # nothing has sunk into the floor
    contact = rec.audit.contact
    assert contact.approximate <= 0.01 * contact.steps and contact.residual.value < 1e-6 and contact.gap.value < 1e-4
    assert rec.audit.relative < 1e-3
