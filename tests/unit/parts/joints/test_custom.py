"""Custom joints: three functions that must belong together."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.kernels import JIT
from linkwork.parts import Custom


# A slider on a parabola y = x^2 that turns about z on the way: two coordinates, S depends on both.
def pose(q):
    return q[0], q[0] ** 2, 0.0, np.cos(q[1] / 2), 0.0, 0.0, np.sin(q[1] / 2)


def motion(q):
    c, s = np.cos(q[1]), np.sin(q[1])
    return (0, 0, 0, c + 2 * q[0] * s, -s + 2 * q[0] * c, 0), (0, 0, 1, 0, 0, 0)


def rate(q, v):
    c, s = np.cos(q[1]), np.sin(q[1])
    slope = 2 * q[0]
    return 0, 0, 0, (-s * v[1] + slope * c * v[1] + 2 * s * v[0]) * v[0], (-c * v[1] - slope * s * v[1] + 2 * c * v[0]) * v[0], 0


def test_functions_that_belong_together_have_no_faults():
    kind = Custom(2, pose, motion, rate, upper=(4, 5), damping=0.1)
    assert list(kind.faults()) == []
    assert (kind.nq, kind.nv, kind.elements, kind.custom) == (2, 2, None, True)
    assert kind.pose is pose and kind.motion is motion and kind.rate is rate
    assert kind.upper == (4.0, 5.0)


def test_a_custom_kind_is_a_value():
    kind = Custom(2, pose, motion, rate)
    assert kind == Custom(nv=2, pose=pose, motion=motion, rate=rate)
    assert kind != Custom(2, pose, motion, lambda q, v: rate(q, v))
    assert pickle.loads(pickle.dumps(kind)) == kind
    assert hash(kind) == hash(Custom(2, pose, motion, rate))


@pytest.mark.parametrize(
    ("functions", "texts"),
    [
        ((pose, motion, lambda q, v: np.negative(rate(q, v))), ["rate differs", "derivative of motion", "correct the function"]),
        ((pose, lambda q: motion(-q), rate), ["differs", "correct the function"]),
        ((lambda q: pose(2 * q), motion, rate), ["motion differs", "derivative of pose"]),
        ((lambda q: pose(q)[:6], motion, rate), ["pose returned", "7 finite numbers"]),
        ((pose, lambda q: motion(q)[:1], rate), ["motion returned", "2 columns of 6"]),
        ((pose, motion, lambda q, v: (0.0,) * 5), ["rate returned", "6 finite numbers"]),
        ((lambda q: (*pose(q)[:6], np.nan), motion, rate), ["pose returned", "finite"]),
        ((lambda q: (*pose(q)[:3], 2.0, 0.0, 0.0, 0.0), motion, rate), ["quaternion of length 2", "normalise"]),
        ((lambda q: pose(q) if q[0] == 0 else pose(q)[:5], motion, rate), ["another number of values nearby"]),
        ((lambda q: q.fly(), motion, rate), ["failed", "AttributeError", "fly"]),
        ((lambda q: "seven", motion, rate), ["failed", "ValueError"]),
    ],
)
def test_functions_that_do_not_belong_together_are_a_fault(functions, texts):
    ((about, message),) = Custom(2, *functions).faults()
    assert about == "custom"
    for text in ["at q = [", *texts]:
        assert text in message


def test_functions_are_tried_within_the_limits_only():
    def narrow(q):
        if not (5 <= q[0] <= 6 + 1e-3 or 5 - 1e-3 <= q[0] <= 6):
            raise ArithmeticError
        return q[0], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0

    kind = Custom(1, narrow, lambda q: [(0, 0, 0, 1, 0, 0)], lambda q, v: np.zeros(6), lower=5, upper=6)
    assert list(kind.faults()) == []


def test_a_function_cannot_change_the_position_it_is_given():
    def greedy(q):
        x = q[0]
        q[:] = 7.0
        return x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0

    assert list(Custom(1, greedy, lambda q: [(0, 0, 0, 1, 0, 0)], lambda q, v: np.zeros(6)).faults()) == []


@pytest.mark.parametrize("nv", [0, -1, 7, 10**12])
def test_the_number_of_freedoms_is_1_to_6(nv):
    with pytest.raises(ModelError, match=f"Custom: nv is {nv}; a joint has from 1 to 6 degrees of freedom; use Weld for none"):
        Custom(nv, pose, motion, rate)


@pytest.mark.parametrize("nv", [2.0, True, "2", None])
def test_the_number_of_freedoms_is_whole(nv):
    with pytest.raises(ModelError, match=r"Custom: nv is .*whole number from 1 to 6"):
        Custom(nv, pose, motion, rate)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_functions_are_functions(place):
    functions = [pose, motion, rate]
    functions[place] = 3.0
    with pytest.raises(ModelError, match=rf"Custom: {('pose', 'motion', 'rate')[place]} is 3.0 \(float\); give a function"):
        Custom(2, *functions)


def slide(pose, motion, rate):
    """Accelerations of a body on a custom slide along x, inclined against gravity."""
    m = lw.Mechanism("slide", gravity=(3.0, 0.0, 0.0))
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("slide", Custom(1, pose, motion, rate), m.ground, body)
    return lw.forward_dynamics(m.build(), [0.3], [1.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "functions",
    [
        (lambda q: (q[0], 0, 0, 1, 0, 0, 0), lambda q: ((0, 0, 0, 1.0, 0, 0),), lambda q, v: (0, 0, 0, 0.0 * v[0], 0, 0)),
        (lambda q: (q[0], 0.0, 0, 1, 0.0, 0, 0), lambda q: ((0, 0, 0, 1, 0, 0),), lambda q, v: (0, 0, 0, 0, 0, 0)),
        (lambda q: [q[0], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], lambda q: [(0, 0, 0, 1.0, 0, 0)], lambda q, v: [0.0] * 6),
    ],
    ids=["mixed", "whole numbers", "lists"],
)
def test_functions_that_mix_whole_numbers_and_floats_could_not_be_compiled(functions):
    assert slide(*functions) == pytest.approx([3.0], abs=1e-14)


@pytest.mark.slow
def test_columns_of_different_types_are_taken():
    """The second column holds floats, the first whole numbers beside one."""
    m = lw.Mechanism("table", gravity=(3.0, 2.0, 0.0))
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    kind = Custom(
        2, lambda q: (q[0], q[1], 0, 1, 0, 0, 0), lambda q: ((0, 0, 0, 1.0, 0, 0), (0.0, 0.0, 0.0, 0.0, 1.0, 0.0)), lambda q, v: (0,) * 6
    )
    m.add_joint("table", kind, m.ground, body)
    assert lw.forward_dynamics(m.build(), [0.3, 0.1], [1.0, 2.0]) == pytest.approx([3.0, 2.0], abs=1e-14)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize("place", range(3))
def test_an_import_within_a_function_is_refused_by_the_joint(place):
    """It was an error of the compiler's, with 150 lines of its own."""

    def importing(*given):
        import math  # noqa: F401

        return (pose, motion, rate)[place](*given)

    m = lw.Mechanism("slide")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("bend", Custom(2, *[importing if k == place else f for k, f in enumerate((pose, motion, rate))]), m.ground, body)
    with pytest.raises(ModelError, match=r"joint 'bend': its functions cannot be compiled: Use of unsupported opcode \(IMPORT_NAME\)"):
        m.build()
