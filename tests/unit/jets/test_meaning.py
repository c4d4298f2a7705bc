"""Functions whose numbers and helpers from outside change are other functions, though they are the same objects."""

import pytest

import linkwork as lw

GAIN = 2.0


def shift(t):
    return 0.1 * t


def law(q, v, t):
    return GAIN


def path(t):
    return shift(t)


def command(t, q, v):
    return GAIN * (1.0 + 0.0 * q)


def bare():
    m = lw.Mechanism("wheel")
    wheel = m.add_body("wheel", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("axle", lw.Revolute((0, 1, 0)), m.ground, wheel)
    return m


def answers():
    forced, driven = bare(), bare()
    forced.add_force("law", lw.force(on="joint")(law), "axle")
    driven.add_constraint("drive", lw.Drive(path), "axle")
    return (
        float(lw.forward_dynamics(forced.build(), [0.0], [0.0])[0]),
        float(lw.constraint_jacobian(driven.build(), [0.0], [0.0], 1.0).phi[0]),
        float(lw.simulate(bare(), 0.1, controllers=[lw.controller(rate=100)(command)]).v[-1, 0]),
    )


@pytest.mark.slow
def test_what_a_function_uses_from_outside_is_that_of_the_build(monkeypatch):
    assert answers() == pytest.approx((2.0, -0.1, 0.2))
    monkeypatch.setitem(globals(), "GAIN", 5.0)
    monkeypatch.setitem(globals(), "shift", lambda t: 0.7 * t)
    assert answers() == pytest.approx((5.0, -0.7, 0.5))
