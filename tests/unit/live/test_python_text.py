"""Sessions and values as Python text: what is written says the same again."""

import ast

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PPoly

import linkwork as lw
from linkwork.live.python_text import Text, call_text

from ... import constraint_cases, force_cases

FUNCTIONS = {name: getattr(constraint_cases, name) for name in ("swing", "helix", "egg", "two_numbers")}
FORCES = {name: getattr(force_cases, name) for name in ("magnet", "cubic", "lift")}
TIMES = np.linspace(0.0, 2.0, 5)


def said_again(live, **own):
    """The Live that the script of another one makes."""
    names = dict(own)
    exec(live.python, names)  # the test's own text
    return names["live"]


@pytest.mark.parametrize("name", lw.shipped())
def test_the_script_of_a_shipped_mechanism_makes_it_again(name):
    live = lw.Live(lw.shipped(name))
    live.advance(2e-3)
    again = said_again(live)
    assert again.mechanism == live.mechanism
    assert np.array_equal(again.q, live.q)  # the same numbers through the same steps


@pytest.mark.parametrize("name", lw.shipped())
def test_a_shipped_mechanism_that_was_edited_is_written_out(name):
    shipped = lw.shipped(name)
    setup = shipped.setup if shipped.mechanism.bodies else None
    live = lw.Live(lw.Document(shipped.mechanism, setup))  # without a file behind it
    live.change_gravity((0.0, 0.0, -1.62))
    assert said_again(live).mechanism == live.mechanism


CASES = {f"constraint: {name}": case.kind for name, case in constraint_cases.CASES.items()}
CASES |= {f"force: {name}": case.kind for name, case in force_cases.CASES.items()}
CASES |= {f"own force: {name}": made() if name != "lift" else made(2.5) for name, made in FORCES.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_kind_is_written_so_that_reading_gives_the_same(name):
    text = Text()
    written = text.value(CASES[name])
    names = {"lw": lw, "PPoly": PPoly, "_lift": FORCES["lift"], **FUNCTIONS, **FORCES}
    assert eval(written, names) == CASES[name]  # the test's own text
    assert "..." not in written
    assert set(text.own) <= {*FUNCTIONS, *FORCES, "_lift"}


def swinging():
    live = lw.Live(lw.Mechanism("arm", gravity=(0.0, 0.0, 0.0)))
    live.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    live.add_joint("pivot", lw.Revolute((0, 1, 0)), "ground", "arm")
    return live


def test_functions_of_time_survive_in_the_script():
    live = swinging()
    live.add_constraint("motor", lw.Drive(CubicSpline(TIMES, np.sin(TIMES))), "pivot")
    live.change("motor", target=PPoly([[0.5, 0.25], [0.0, 0.5]], [0.0, 1.0, 2.0]))
    live.add_force("push", lw.JointTable([0.0, 1.0, 2.0], [0.0, 1.0, 0.3]), "pivot")
    again = said_again(live)
    assert again.mechanism == live.mechanism
    assert again.mechanism.constraint("motor").kind.target.pieces == ((0.5, 0.0), (0.25, 0.5))


@pytest.mark.slow
def test_a_function_of_ones_own_stands_there_by_its_name_and_a_comment_says_so():
    live = swinging()
    live.add_constraint("motor", lw.Drive(constraint_cases.swing), "pivot")
    line = next(line for line in live.python.splitlines() if "'motor'" in line)
    ast.parse(line)
    assert "swing" in line.partition("#")[2] and "cannot be written here" in line.partition("#")[2]
    assert said_again(live, swing=constraint_cases.swing).mechanism == live.mechanism
    with pytest.raises(NameError, match="swing"):
        said_again(live)


def test_two_nameless_functions_are_told_apart():
    text = Text()
    written = [text.value(lw.Drive(law)) for law in (lambda t: t, lambda t: 2.0 * t)]
    assert written[0] != written[1] and len(text.own) == 2
    assert all(name.isidentifier() for name in text.own)


@pytest.mark.slow
def test_a_session_may_begin_with_functions():
    m = swinging().mechanism.clone()
    m.add_constraint("motor", lw.Drive(constraint_cases.swing), "pivot")
    m.add_force("field", force_cases.magnet(strength=3.0), "arm", m.ground.at(3, 0, 0))
    m.add_force("spring", lw.SpringDamper(10.0, length=1.0), "arm", m.ground.at(2, 0, 0), on=False)
    live = lw.Live(m, lw.SemiImplicitEuler(step=2e-3), constraint_tolerance=1e-8)
    head = live.python.splitlines()[2]
    assert "constraint_tolerance=1e-08" in head and "step=0.002" in head
    own = {"swing": constraint_cases.swing, "magnet": force_cases.magnet}
    assert said_again(live, **own).mechanism == live.mechanism


@pytest.mark.slow
def test_controllers_are_told_of_by_name():
    m = lw.Mechanism("leg")
    for name, above in (("thigh", m.ground), ("shin", "thigh")):
        m.add_body(name, mass=1.0, com=(0, 0, -0.2), inertia=(0.1, 0.1, 0.1))
        m.add_joint({"thigh": "hip", "shin": "knee"}[name], lw.Revolute((0, 1, 0)), above, name)
    live = lw.Live(m, controllers=[force_cases.pid(kp=3.0)])
    again = said_again(live, pid=force_cases.pid)
    for one in (live, again):
        one.set_joint("hip", q=0.3)
        one.advance(0.01)
    assert "pid: made of a function" in live.python
    assert np.array_equal(again.q, live.q) and live.v.any()


def test_what_has_no_text_at_all_leaves_the_line_readable():
    line = call_text("live", "change", ["part"], {"field": object()})
    ast.parse(line)
    assert "object" in line.partition("#")[2]


def test_poses_are_written_to_the_last_bit():
    random = np.random.default_rng(3)
    for _ in range(50):
        pose = lw.Pose(random.normal(size=3), lw.Pose.exp(random.normal(size=6)).rotation)
        assert eval(Text().value(pose), {"lw": lw}) == pose  # the test's own text


def test_a_mechanism_that_was_merged_is_written_out_with_where_its_bodies_start():
    live = lw.Live(lw.shipped("pendulum"))
    satellite = lw.Mechanism("satellite")
    satellite.add_body("hub", mass=1.0, inertia=(0.1, 0.1, 0.1))
    live.merge(satellite, "sat ", poses={"hub": lw.Pose((1.0, 2.0, 3.0))})
    again = said_again(live)
    assert again.mechanism == live.mechanism and again.poses()["sat hub"] == live.poses()["sat hub"] == lw.Pose((1.0, 2.0, 3.0))
