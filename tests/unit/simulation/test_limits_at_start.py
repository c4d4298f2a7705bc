"""A start far beyond a joint's limits was accepted without a word: the stop held 45 kJ, and the audit spoke of energy, not of the joint."""

import warnings

import numpy as np
import pytest

import linkwork as lw


def arm(lower=-0.5, upper=0.5, kind=lw.Revolute, **options):
    """A bar on a hinge (or a rail) with limits, and a second one on it without."""
    m = lw.Mechanism("arm", gravity=(0.0, 0.0, 0.0))
    near = m.add_body("near", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    far = m.add_body("far", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    m.add_joint("shoulder", kind((0, 1, 0), lower=lower, upper=upper, **options), m.ground, near)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), near.at(1, 0, 0), far)
    return m


def test_a_run_says_which_joint_begins_beyond_its_limits_what_was_found_and_what_is_allowed():
    with pytest.warns(
        lw.LimitWarning, match=r"joint 'shoulder' starts at 2 rad, 1.5 rad beyond its upper limit 0.5; allowed is -0.5 to 0.5"
    ) as heard:
        rec = lw.simulate(arm(), 0.01, q=[2.0, 0.0])
    heard = [warning for warning in heard if warning.category is lw.LimitWarning]
    assert len(heard) == 1 and heard[0].filename == __file__
    assert any("joint 'shoulder'" in text for text in rec.audit.warnings)
    stored = rec.audit.force("shoulder.stop").stored_start
    assert stored > 1.0 and f"holds {stored:.3g} J" in str(heard[0].message)


def test_the_lower_limit_of_a_slide_is_told_in_metres():
    with pytest.warns(lw.LimitWarning, match=r"starts at -0.7 m, 0.2 m beyond its lower limit -0.5"):
        lw.simulate(arm(kind=lw.Prismatic), 0.01, q=[-0.7, 0.0])


@pytest.mark.parametrize("limit", ["lower", "upper"])
def test_a_slide_with_one_limit_runs_and_is_judged_by_the_length_of_the_mechanism(limit):
    """It was an AttributeError at every start, within the limit too."""
    side = -1.0 if limit == "lower" else 1.0
    m = arm(**({"lower": -np.inf, "upper": np.inf} | {limit: side}), kind=lw.Prismatic)
    assert lw.simulate(m, 0.01, q=[0.9 * side, 0.0]).status.ok
    assert lw.simulate(m, 0.01, q=[1.0004 * side, 0.0]).status.ok  # the bodies of this mechanism are 0.5 m: 0.5 mm is what a stop gives way
    with pytest.warns(lw.LimitWarning, match=rf"joint 'shoulder' starts at {1.1 * side:g} m, 0.1 m beyond its {limit} limit"):
        lw.simulate(m, 0.01, q=[1.1 * side, 0.0])


def test_one_degree_of_freedom_of_several_is_named():
    m = lw.Mechanism("sleeve")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("sleeve", lw.Cylindrical((0, 0, 1), lower=-1.0, upper=1.0), m.ground, body)
    with pytest.warns(lw.LimitWarning, match=r"joint 'sleeve' \(degree of freedom 2 of 2\)"):
        lw.simulate(m, 0.01, q=[0.0, 3.0])


def test_a_state_that_is_set_later_is_judged_too():
    sim = lw.Simulation(arm(), q=[0.0, 0.0])
    sim.run(0.01)
    with pytest.warns(lw.LimitWarning, match="shoulder"):
        sim.state = lw.State(sim.time, np.array([2.0, 0.0]), np.zeros(2))


def test_a_rollout_names_the_copy_that_is_deepest():
    q = np.array([[0.0, 0.0], [0.7, 0.0], [-3.0, 0.0]])
    with pytest.warns(lw.LimitWarning, match=r"q\[2\]: joint 'shoulder' starts at -3 rad"):
        lw.rollout(arm().build(), q, np.zeros((3, 2)), 2)


def test_live_says_so_when_it_begins():
    with pytest.warns(lw.LimitWarning, match="shoulder"):
        lw.Live(arm(), setup=lw.Setup(q={"shoulder": (2.0,)}))


@pytest.mark.parametrize("q", [0.5, -0.5, 0.5 + 5e-4, 0.0])
def test_at_a_limit_or_resting_against_it_nothing_is_said(q):
    """A stop that holds a load is entered by m g / k, some ten-thousandths of a radian."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LimitWarning)
        lw.simulate(arm(), 0.01, q=[q, 0.0])


def test_where_limits_do_not_act_nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LimitWarning)
        lw.simulate(arm(), 0.01, q=[2.0, 0.0], joint_forces=False)
        lw.rollout(arm().build(), np.array([[2.0, 0.0]]), np.zeros((1, 2)), 2, joint_forces=False)


def test_a_limit_on_one_side_and_a_range_of_nothing_have_a_measure_of_their_own():
    for lower, upper in ((-np.inf, 0.5), (0.5, 0.5)):
        with pytest.warns(lw.LimitWarning, match="starts at 0.6 rad, 0.1 rad beyond"):
            lw.simulate(arm(lower, upper), 0.01, q=[0.6, 0.0])


def test_a_resumed_run_does_not_speak_of_a_start_that_it_does_not_have(tmp_path):
    m, path = arm(lower=0.5, upper=1.5), tmp_path / "run"
    first = lw.Simulation(m, q=[1.0, 0.0], v=[0.3, 0.0], checkpoint=path)
    first.run(0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LimitWarning)
        again = lw.Simulation.resumed(path, m)
        again.run(0.02)


def test_limits_that_joints_do_not_pass_say_so_too():
    """With `ContactStepping` they are no stops: a start half a radian beyond was moved back in one step, without a word."""
    with pytest.warns(lw.LimitWarning, match=r"joint 'shoulder' starts at 2 rad, 1.5 rad beyond its upper limit 0.5; .* moves it back"):
        rec = lw.simulate(arm(), 0.1, lw.ContactStepping(), q=[2.0, 0.0])
    assert any("joint 'shoulder'" in text for text in rec.audit.warnings) and rec.q[-1, 0] <= 0.5 + 1e-9
    with pytest.warns(lw.LimitWarning, match=r"q\[1\]: joint 'shoulder' starts at -3 rad"):
        lw.rollout(arm().build(), np.array([[0.0, 0.0], [-3.0, 0.0]]), np.zeros((2, 2)), 2, lw.ContactStepping())
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LimitWarning)
        lw.simulate(arm(), 0.01, lw.ContactStepping(), q=[2.0, 0.0], joint_forces=False)
