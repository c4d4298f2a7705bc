"""Reactions read while a mechanism moves are those that lw.reactions works out from the beginning."""

import warnings

import numpy as np
import pytest

import linkwork as lw

from ...zoo import ZOO, configuration, random_loops

CLOSE = 1e-9  # two solvers differ by rounding and the condition of the rows, up to 1e4 here
REDUNDANT = ("door", "parallelogram with two redundant links", "4-four-bar", "flat four-bar", "scissor lift", "Sarrus", "truss")
NAMES = ("slider-crank", "gear train", "Stewart platform", "RSSR", "floating ring of balls", "delta robot", *REDUNDANT)


def examples():
    yield from ((name, ZOO[name]) for name in NAMES)
    yield from ((f"random {seed}", lambda seed=seed: random_loops(seed)) for seed in range(3))


@pytest.mark.parametrize(("name", "made"), [pytest.param(*example, id=example[0]) for example in examples()])
def test_reactions_in_motion_are_those_of_lw_reactions(name, made):
    example = made()
    m = example.mechanism
    for k, body in enumerate(m.bodies[:3]):
        m.add_force(f"spring {k}", lw.SpringDamper(50.0, 1.0, 0.2), body.at(0.1, 0.0, 0.1), m.ground.at(0.3, 0.2, 0.1 * k))
    model = m.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of singular poses: there the choice of least norm still has to be the same
        sim = lw.Simulation(model, lw.RungeKutta4(step=1e-3), q=configuration(model, example.guess), joint_forces=False)
        sim.advance(0.02)
        state = sim.state
        mine, whole = sim.gauges.reactions(state.t, state.q, state.v), lw.reactions(model, state.q, state.v, t=state.t)
    size = 1.0 + max(np.abs(whole.wrench(part)).max() for part in whole.names)
    for part in whole.names:
        assert np.abs(mine.wrench(part) - whole.wrench(part)).max() <= CLOSE * size
        assert np.array_equal(mine.unique(part), whole.unique(part))
    assert mine.self_stress == whole.self_stress and (mine.self_stress > 0 or name not in REDUNDANT)
    assert size > 2.0  # something is transmitted


# Where bodies touch, what joints transmit in motion is a mean over the last step, and not that of one state.
IN_ONE_STATE = [name for name in lw.shipped() if name != "work-cell" and not lw.shipped(name).mechanism.build().touches]


@pytest.mark.parametrize("name", IN_ONE_STATE)
def test_reactions_of_shipped_mechanisms_in_motion(name):
    live = lw.Live(lw.shipped(name))
    live.advance(0.01)
    mine = live.simulation.gauges.reactions(live.time, live.q, live.v)
    whole = lw.reactions(live.model, live.q, live.v, *live.active_forces(), t=live.time, forces=False)
    size = 1.0 + max(np.abs(whole.wrench(part)).max() for part in whole.names)
    assert max(np.abs(mine.wrench(part) - whole.wrench(part)).max() for part in whole.names) <= CLOSE * size


def test_feedback_that_draws_gaps_in_is_not_taken_for_a_load():
    """With Baumgarte's feedback the motion is not that of balance: reactions are asked for as if it were not there."""
    example = ZOO["four-bar"]()
    model = example.mechanism.build()
    sim = lw.Simulation(model, lw.RungeKutta4(step=1e-3), q=configuration(model, example.guess), drift="feedback")
    sim.advance(0.3)
    state = sim.state
    mine, whole = sim.gauges.reactions(state.t, state.q, state.v), lw.reactions(model, state.q, state.v, t=state.t)
    assert max(np.abs(mine.wrench(part) - whole.wrench(part)).max() for part in whole.names) <= 1e-9
