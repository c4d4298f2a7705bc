"""Laws that a user writes: compiled, or interpreted with a warning; parameters, results in all their forms, errors by name."""

import copy
import dataclasses
import math
import pickle
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InterpretedWarning, ModelError
from linkwork.kernels import JIT
from linkwork.native_function import first_error, forget_errors, last_error

from ....force_cases import cubic, evaluated, lift, magnet, run, state

compiled_only = pytest.mark.skipif(not JIT, reason="plain Python compiles nothing")


def kind_of(function, **options):
    return lw.force(function, **options)()


def test_a_law_acts_as_the_built_in_one():
    for seed in range(5):
        where = state(magnet(), seed)
        for strength in (2.0, -3.5):
            assert np.allclose(evaluated(magnet(strength=strength), where)[0], evaluated(lw.Attraction(strength), where)[0], rtol=1e-13)


def test_a_law_of_a_joint_is_the_gradient_of_the_energy_it_returns():
    for q in (-0.7, 0.2, 1.1):
        force, stored = evaluated(cubic(k=5.0), np.array([q, 0.0, 0.0]))
        after, before = (evaluated(cubic(k=5.0), np.array([q + h, 0.0, 0.0]))[1] for h in (1e-6, -1e-6))
        assert stored > 0 and force[0] == pytest.approx(-(after - before) / 2e-6, rel=1e-7)
    assert evaluated(cubic(), np.array([0.0, 2.0, 0.0]))[0][0] == pytest.approx(-0.2)


FORCE, MOMENT = (1.0, -2.0, 3.0), (0.4, 0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "stores"),
    [
        (lambda a, b, t: (1, -2.0, 3), False),
        (lambda a, b, t: np.array([1.0, -2.0, 3.0]), False),
        (lambda a, b, t: [1.0, -2.0, 3.0], False),
        (lambda a, b, t: ((1, -2.0, 3), 0.5), True),
        (lambda a, b, t: (np.array([1.0, -2.0, 3.0]), 0.5), True),
    ],
)
def test_a_force_acts_at_both_places(function, stores):
    kind = kind_of(function, stores=stores)
    force, stored = evaluated(kind, state(kind, 1))
    assert force.tolist() == [0, 0, 0, *FORCE, 0, 0, 0, *(-x for x in FORCE)] and stored == 0.5 * stores


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "stores"),
    [
        (lambda a, b, t: ((0.4, 0, 1), (1, -2.0, 3)), False),
        (lambda a, b, t: (np.array([0.4, 0.0, 1.0]), (1, -2, 3)), False),
        (lambda a, b, t: ((0.4, 0, 1), (1, -2.0, 3), 0.5), True),
        (lambda a, b, t: ([0.4, 0.0, 1.0], np.array([1.0, -2.0, 3.0]), 0.5), True),
    ],
)
def test_a_wrench_is_turned_back_at_the_place_where_it_acts(function, stores):
    kind = kind_of(function, stores=stores)
    where = state(kind, 1)
    force, stored = evaluated(kind, where)
    assert np.allclose(force, evaluated(lw.Motor(MOMENT, FORCE, axes="world"), where)[0], atol=1e-15) and stored == 0.5 * stores


@pytest.mark.slow
def test_a_law_sees_both_places_and_the_time():
    def looks(a, b, t, factor=2.0):
        return ((a.R[0][1], a.w[2], a.u[1]), (b.R[2][0] * factor, b.p[1] - a.p[1], t + b.w[0] + b.u[2]))

    where = state(lw.force(looks)(), 4)
    A, B = where[:18], where[18:36]
    force, _ = evaluated(lw.force(looks)(factor=3.0), where)
    assert np.allclose(force[:6], [A[1], A[14], A[16], 3 * B[6], B[10] - A[10], where[36] + B[12] + B[17]], atol=1e-15)


def _helper(x):
    return _deeper(x) + 1.0


def _deeper(x):
    return x * x


@pytest.mark.slow
def test_helpers_of_the_user_are_compiled_with_it():
    kind = kind_of(lambda q, v, t: _helper(q), on="joint")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluated(kind, np.array([3.0, 0.0, 0.0]))[0][0] == 10.0


# ---- a function that cannot be compiled


@compiled_only
def test_what_cannot_be_compiled_runs_interpreted_and_says_so_once():
    seen = []

    @lw.force
    def logged(a, b, t, k=2.0):
        seen.append({"t": t, "kind": type(a).__name__})
        return 0.0, float(f"{k}"), 1.0

    with pytest.warns(InterpretedWarning, match=r"logged cannot be compiled and runs interpreted.*; write it so") as caught:
        assert logged().native("force 'f'").interpreted
    assert [one.filename for one in caught] == [__file__], "it points at the function"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        force, _ = evaluated(logged(k=5.0), state(logged(), 2))
    assert force[3:6].tolist() == [0.0, 5.0, 1.0] and force[9:12].tolist() == [0.0, -5.0, -1.0]
    assert [entry["kind"] for entry in seen] == ["Moving"]


@compiled_only
def test_what_is_compiled_is_not_announced():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not magnet().native("here").interpreted


# ---- functions that fail


def late(q, v, t):
    if t > 1.0:
        raise RuntimeError("too late")
    return -q


def late_interpreted(q, v, t):
    if t > 1.0:
        raise RuntimeError(f"too late by {t - 1.0:.1f} s")
    return float(str(-q))


@pytest.mark.slow
@compiled_only
@pytest.mark.parametrize("function", [late, late_interpreted])
@pytest.mark.filterwarnings("ignore::linkwork.errors.InterpretedWarning")
def test_a_law_that_raises_gives_nan_and_can_say_why(function):
    kind = kind_of(function, on="joint")
    made = kind.native("here")
    assert made.interpreted == (function is late_interpreted)
    assert run(made.address, [2.0, 0.0, 0.5], [], 2)[0].tolist() == [-2.0, 0.0]
    assert kind.failure([2.0, 0.0, 0.5], []) is None and last_error(made.address) is None
    assert np.isnan(run(made.address, [2.0, 0.0, 2.0], [], 2)[0]).all()
    assert (last_error(made.address) is not None) == made.interpreted
    assert "too late" in str(first_error(made.address))
    reason = kind.failure([2.0, 0.0, 2.0], [])
    assert isinstance(reason, RuntimeError) and "too late" in str(reason)
    assert run(made.address, [2.0, 0.0, 0.5], [], 2)[0].tolist() == [-2.0, 0.0] and last_error(made.address) is None
    assert "too late" in str(first_error(made.address))
    forget_errors([made.address])
    assert first_error(made.address) is None


@pytest.mark.skipif(JIT, reason="compiled code gives NaN instead")
def test_in_plain_python_an_exception_is_the_users_own():
    with pytest.raises(RuntimeError, match="too late"):
        run(kind_of(late, on="joint").code("here")[0], [2.0, 0.0, 2.0], [], 2)


@pytest.mark.slow
def test_a_result_that_is_not_finite_is_said():
    kind = kind_of(lambda q, v, t: math.inf, on="joint")
    assert "inf" in str(kind.failure([2.0, 0.0, 0.5], []))


@pytest.mark.slow
@compiled_only
def test_an_array_of_another_length_gives_nan():
    kind = kind_of(lambda a, b, t: np.zeros(2))
    assert np.isnan(evaluated(kind, state(kind, 0))[0][3:6]).all()
    assert "three numbers" in str(kind.failure(state(kind, 0), []))


@pytest.mark.slow
@compiled_only
@pytest.mark.parametrize(
    ("function", "options", "texts"),
    [
        (lambda a, b, t: (1.0, 2.0), {}, ["three numbers"]),
        (lambda a, b, t: 1.0, {}, ["float64", "three numbers"]),
        (lambda a, b, t: None, {}, ["none", "three numbers"]),
        (lambda a, b, t: (1.0, 2.0, 3.0), {"stores": True}, ["(force, energy)"]),
        (lambda a, b, t: ((1.0, 2.0, 3.0), (1.0, 2.0)), {}, ["three numbers"]),
        (lambda a, b, t: np.zeros((3, 3)), {}, ["array", "three numbers"]),
        (lambda q, v, t: (q, v), {"on": "joint"}, ["a number"]),
        (lambda q, v, t: q, {"on": "joint", "stores": True}, ["two numbers", "energy"]),
    ],
)
def test_a_function_that_returns_something_else_is_refused(function, options, texts):
    with pytest.raises(ModelError) as caught:
        kind_of(function, **options).code("force 'mine'")
    for text in ["force 'mine'", "returns", "allowed", "correct", *texts]:
        assert text in str(caught.value), str(caught.value)


# ---- kinds as values


@pytest.mark.parametrize("kind", [magnet(), magnet(strength=3.0), cubic(c=0.5), lift(strength=2.0)])
def test_kinds_of_importable_functions_can_be_pickled_and_compared(kind):
    again = pickle.loads(pickle.dumps(kind))
    assert again == kind and hash(again) == hash(kind) and type(again).__name__ == type(kind).__name__
    assert copy.copy(kind) == copy.deepcopy(kind) == kind
    other = dataclasses.replace(kind, **{dataclasses.fields(kind)[0].name: 9.0})
    assert other != kind and kind != lw.JointDamper(1.0)


def test_a_mechanism_with_a_users_law_is_a_value():
    m = one_body()
    m.add_force("pull", magnet, "rod")
    m.add_force("hold", cubic(k=4.0), "hinge")
    again = pickle.loads(pickle.dumps(m))
    assert again == m == m.clone() and again.force("pull").kind == magnet(2.0) and m.faults() == []


def test_the_same_function_written_twice_is_the_same_kind():
    def made(factor):
        @lw.force(on="joint")
        def law(q, v, t, k=1.0):
            return -k * q * factor

        return law()

    assert made(2.0) == made(2.0) and hash(made(2.0)) == hash(made(2.0)) and made(2.0) != made(3.0)


def test_parameters_are_changed_in_the_mechanism():
    m = one_body()
    m.add_force("pull", magnet, "rod")
    m.change("pull", strength=7)
    assert m.force("pull").kind == magnet(strength=7.0)
    m.change("pull", strength=math.nan)
    assert "force 'pull': strength is nan" in m.faults()[0].message
    assert magnet.__doc__ == "Pulls with strength / distance^2." and repr(magnet()) == "magnet(strength=2.0)"


def one_body():
    m = lw.Mechanism()
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground, rod)
    return m


def _no_t(a, b):
    return 0.0, 0.0, 0.0


def _starred(a, b, t, *more):
    return 0.0, 0.0, 0.0


def _named(a, b, t, *, k=1.0):
    return 0.0, 0.0, 0.0


def _worded(a, b, t, k="much"):
    return 0.0, 0.0, 0.0


def _taken(q, v, t, on=1.0):
    return 0.0


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (lambda: lw.force(_no_t), ["_no_t has 2 arguments", "a, b, t"]),
        (lambda: lw.force(_starred), ["'more'", "plain arguments"]),
        (lambda: lw.force(_named), ["'k'", "plain arguments"]),
        (lambda: lw.force(_worded), ["the default of k is 'much'", "real number"]),
        (lambda: lw.force(_taken, on="joint"), ["'on'", "rename"]),
        (lambda: lw.force(3.0), ["what it decorates is 3.0", "def law(a, b, t)"]),
        (lambda: lw.force(math.sin), ["what it decorates", "def law"]),
        (lambda: lw.force(_no_t, on="body"), ["on is 'body'", "'place' or 'joint'"]),
        (lambda: lw.force(_no_t, stores=1), ["stores is 1", "True or False"]),
        (lambda: magnet(strength="strong"), ["magnet: strength is 'strong'"]),
        (lambda: one_body().add_force("up", lift, "rod"), ["force 'up': _lift", "_lift(strength=...)"]),
        (lambda: one_body().add_force("up", _lifted, "rod"), ["force 'up': kind is", "@force"]),
    ],
)
def test_what_makes_no_law_is_refused(make, texts):
    with pytest.raises(ModelError) as caught:
        make()
    for text in texts:
        assert text in str(caught.value), str(caught.value)


def _lifted(a, b, t):
    return 0.0, 0.0, 1.0


def test_a_law_of_velocities_says_so():
    def drag(q, v, t):
        return -v

    m = lw.Mechanism()
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("ball", lw.Spherical(), m.ground, rod)
    m.add_force("drag", lw.force(drag, on="joint", needs_q=False), "ball")
    assert m.faults() == []
    m.change("drag", kind=lw.force(drag, on="joint"))
    assert "quaternion" in m.faults()[0].message


def test_a_pair_along_the_line_keeps_both_momenta():
    where = state(magnet(), 7)
    force, _ = evaluated(magnet(), where)
    assert np.allclose(np.cross(where[9:12], force[3:6]) + np.cross(where[27:30], force[9:12]), 0, atol=1e-14)
    assert np.linalg.norm(force) > 0.1
