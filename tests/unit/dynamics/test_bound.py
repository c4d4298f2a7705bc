"""Bound calls: public functions as C functions give the same bits as the long way, refuse the same, leak nothing, and are safe among threads."""

import contextlib
import gc
import inspect
import math
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.data.lending import cache_of
from linkwork.dynamics import bound as bounds
from linkwork.kernels import JIT
from linkwork.kernels import bound as native

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python has no bound calls")


class Subclass(np.ndarray):
    pass


def bodies(m, count, rng):
    for k in range(count):
        a = rng.normal(size=(3, 3))
        second = 0.02 * (a @ a.T + np.eye(3))
        yield m.add_body(f"b{k}", mass=rng.uniform(0.5, 2), com=rng.normal(0, 0.1, 3), inertia=np.trace(second) * np.eye(3) - second)


def unit(rng):
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def tree(seed, floating):
    rng = np.random.default_rng(seed)
    m = lw.Mechanism(f"tree {seed}")
    placed = [] if floating else [m.ground]
    for k, body in enumerate(bodies(m, 9, rng)):
        kind = (lw.Revolute(axis=unit(rng)), lw.Prismatic(axis=unit(rng)), lw.Spherical(), lw.Universal((1, 0, 0), (0, 1, 0)))[k % 4]
        if placed:
            m.add_joint(f"j{k}", kind, placed[rng.integers(len(placed))].at(*rng.normal(0, 0.3, 3)), body)
        placed.append(body)
    return m


def screw(seed=0):
    """A joint of the user's own functions among others."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("screw")
    a, b = bodies(m, 2, rng)
    m.add_joint("screw", lw.Custom(1, screw_pose, screw_motion, screw_rate), m.ground, a)
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), a.at(0.3, 0, 0), b)
    return m


def screw_pose(q):
    return (0.0, 0.0, 0.1 * q[0], math.cos(0.5 * q[0]), 0.0, 0.0, math.sin(0.5 * q[0]))


def screw_motion(q):
    return ((0.0, 0.0, 1.0, 0.0, 0.0, 0.1),)


def screw_rate(q, v):
    return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def four_bar(drive=None):
    m = lw.Mechanism("four-bar")
    crank, rocker = (m.add_body(name, mass=1.0, inertia=(0.01, 0.01, 0.01)) for name in ("crank", "rocker"))
    rod = m.add_body("rod", mass=2.0, inertia=(0.01, 0.03, 0.03))
    turning = lw.Revolute((0, 1, 0))
    m.add_joint("a", turning, m.ground, crank.at(0, 0, -0.1))
    m.add_joint("b", turning, crank.at(0, 0, 0.1), rod.at(-0.15, 0, 0))
    m.add_joint("c", turning, m.ground.at(0.3, 0, 0), rocker.at(0, 0, -0.1))
    m.add_joint("d", turning, rocker.at(0, 0, 0.1), rod.at(0.15, 0, 0))
    if drive is not None:
        m.add_constraint("motor", lw.Drive(drive), "a")
    return m


MODELS = {
    "fixed tree": tree(1, floating=False),
    "floating tree": tree(2, floating=True),
    "custom joint": screw(),
    "four-bar": four_bar(),
    "driven four-bar": four_bar(lambda t: 0.3 * t * t),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return warm(MODELS[request.param].build())


def calls(model, rng):
    """(function, positional arguments) of all bound functions for a random state."""
    q, v, x = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    if model.nc:
        q = lw.neutral(model)
    other = lw.random_configuration(model, rng)
    yield lw.forward_dynamics, (q, v, x)
    yield lw.forward_dynamics, (q, v)
    yield lw.forward_dynamics, (q, v, None)
    if not model.nc:
        yield lw.inverse_dynamics, (q, v, x)
    yield lw.bias_force, (q, v)
    yield lw.gravity_force, (q,)
    yield lw.mass_matrix, (q,)
    yield lw.mass_matrix_times, (q, x)
    yield lw.integrate, (q, v)
    yield lw.difference, (q, other)
    yield lw.forward_kinematics, (q,)
    yield lw.forward_kinematics, (q, v)
    yield lw.forward_kinematics, (q, v, x)
    yield lw.energy, (q, v)
    yield lw.centroidal_momentum_matrix, (q,)
    yield lw.jacobian, (q, model.bodies[-1].name)
    yield lw.jacobian_rate_times_v, (q, v, model.bodies[-1].name)
    yield lw.center_of_mass, (q,)
    yield lw.center_of_mass, (q, v)
    yield lw.center_of_mass, (q, v, x)
    yield lw.momentum, (q, v)
    if model.nc:
        yield lw.constraint_jacobian, (q, v)


def warm(model):
    """Call everything until it is bound."""
    for _ in range(5):
        for function, arguments in calls(model, np.random.default_rng(0)):
            function(model, *arguments)
    return model


def arrays(result):
    if isinstance(result, lw.Kinematics):
        result = (result.rotations, result.positions, result.velocities, result.accelerations)
    return [np.asarray(a) for a in (result if isinstance(result, tuple) else (result,)) if a is not None]


def assert_same(one, other):
    assert type(one) is type(other)
    for a, b in zip(arrays(one), arrays(other), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype == np.float64
        assert a.tobytes() == b.tobytes()


def words(model):
    """The table by which compiled functions find a model."""
    return cache_of(model).bound.words


def long_way(model, function, arguments, **options):
    """The same call with the model unbound."""
    table = words(model).copy()
    words(model)[native.FIRST : native.RECORDS] = 0
    patience, bounds._PATIENCE = bounds._PATIENCE, math.inf  # nothing is bound anew meanwhile
    try:
        return function(model, *arguments, **options)
    finally:
        bounds._PATIENCE = patience
        words(model)[: native.RECORDS] = table[: native.RECORDS]


def python_lines(function, *arguments, **options):
    """How many Python functions a call runs."""
    seen = []
    sys.setprofile(lambda frame, event, thing: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        function(*arguments, **options)
    finally:
        sys.setprofile(None)
    return seen


def test_the_short_way_gives_the_same_bits_as_the_long_way(model):
    rng = np.random.default_rng(7)
    for _ in range(20):
        for function, arguments in calls(model, rng):
            assert_same(function(model, *arguments), long_way(model, function, arguments))


def test_plain_calls_run_no_python(model):
    for function, arguments in calls(model, np.random.default_rng(3)):
        ran = python_lines(function, model, *arguments)
        allowed = {  # what makes the result, and what looks a frame up by its name
            lw.forward_kinematics: ["__init__"],
            lw.energy: ["_energy_of"],
            lw.jacobian: ["jacobian"],
            lw.jacobian_rate_times_v: ["jacobian_rate_times_v"],
            lw.center_of_mass: ["_several"] if len(arguments) > 1 else [],
            lw.momentum: ["_momentum_of"],
            lw.constraint_jacobian: ["_made"],
        }.get(function, [])
        assert [name for name in ran if name not in ("<lambda>", "__new__")] == allowed, function.__name__


def test_a_time_is_understood(model):
    rng = np.random.default_rng(8)
    function, (q, v, x) = next(iter(calls(model, rng)))
    for t in (0.0, 0.7, -3.0):
        assert python_lines(function, model, q, v, x, t=t) == []
        assert_same(function(model, q, v, x, t=t), long_way(model, function, (q, v, x), t=t))
    assert_same(function(model, q, v, x, t=1), function(model, q, v, x, t=1.0))
    assert_same(function(model, q, v, x, t=np.float64(0.5)), function(model, q, v, x, t=0.5))
    for t in (math.nan, math.inf, "now", None):
        with pytest.raises(lw.StateError):
            function(model, q, v, x, t=t)


CONVERTED = {
    "list": list,
    "tuple": tuple,
    "float32": lambda a: a.astype(np.float32).astype(np.float64).astype(np.float32),
    "big-endian": lambda a: a.astype(">f8"),
    "strided": lambda a: np.repeat(a, 2)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "subclass": lambda a: a.view(Subclass),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), dtype=np.uint8)[1:].view(np.float64),
}
AS_IT_IS = {
    "read-only": lambda a: np.frombuffer(a.tobytes()),
    "unpickled": lambda a: pickle.loads(pickle.dumps(a)),
    "a row": lambda a: np.array([a, a])[1],
    "part of another": lambda a: np.concatenate([a, a, a])[len(a) : 2 * len(a)],
    "fortran": lambda a: np.asfortranarray(a),
}
REFUSED = {
    "too long": lambda a: np.append(a, 0.0),
    "too short": lambda a: a[:-1].copy(),
    "empty": lambda a: np.zeros(0),
    "a number": lambda a: 0.5,
    "no axes": lambda a: np.array(0.5),
    "complex": lambda a: a.astype(complex),
    "objects": lambda a: a.astype(object),
    "text": lambda a: "text",
    "dates": lambda a: a.astype("M8[s]"),
    "NaN": lambda a: np.append(a[:-1], np.nan),
    "infinite": lambda a: np.append(a[:-1], -np.inf),
    "None": lambda a: None,
    "a dict": lambda a: {},
}


def array_places(arguments):
    return [k for k, a in enumerate(arguments) if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("change", [*CONVERTED, *AS_IT_IS])
def test_what_can_be_converted_gives_the_same_as_when_it_is(model, change):
    make = (CONVERTED | AS_IT_IS)[change]
    for function, arguments in calls(model, np.random.default_rng(4)):
        for k in array_places(arguments):
            if change == "float32" and (k == 0 or function is lw.difference):
                continue  # rounding takes quaternions off unit length
            changed = [make(a) if i == k else a for i, a in enumerate(arguments)]
            same = [np.array(make(a), dtype=float) if i == k else a for i, a in enumerate(arguments)]
            assert_same(function(model, *changed), function(model, *same))


@pytest.mark.parametrize("fault", REFUSED)
def test_what_is_wrong_is_refused_as_by_the_long_way(model, fault):
    for function, arguments in calls(model, np.random.default_rng(5)):
        for k in array_places(arguments):
            wrong = [REFUSED[fault](a) if i == k else a for i, a in enumerate(arguments)]
            found = []
            for call in (function, lambda m, *a, f=function: long_way(m, f, a)):
                try:
                    found.append(arrays(call(model, *wrong))[0].tobytes())  # None may be left out
                except lw.StateError as error:
                    found.append((type(error), str(error)))
            assert found[0] == found[1]


def test_wrong_counts_and_models_are_errors_of_python(model):
    for function, arguments in calls(model, np.random.default_rng(0)):
        with pytest.raises(TypeError, match="missing"):
            function()
        with pytest.raises(TypeError, match="missing"):
            function(model)
        with pytest.raises(TypeError, match="positional"):
            function(model, *[np.zeros(1)] * 9)
        with pytest.raises(TypeError, match=r"unexpected keyword|no argument is called 'mistake'"):
            function(model, *[np.zeros(1)] * 3, mistake=1)
        with pytest.raises(lw.ModelError):
            function(None, *arguments)
        with pytest.raises(lw.ModelError):
            function("model", *arguments)


def test_results_are_the_callers_own(model):
    """New memory at each call, writeable, owned; inputs are left alone."""
    for function, arguments in calls(model, np.random.default_rng(6)):
        held = [a.tobytes() for a in arguments if isinstance(a, np.ndarray)]
        first = function(model, *arguments)
        kept = [a.tobytes() for a in arrays(first)]
        for a in arrays(function(model, *arguments)):
            assert a.flags.writeable and a.flags.c_contiguous and a.flags.aligned
            a.fill(7.0)
        assert [a.tobytes() for a in arrays(first)] == kept
        assert [a.tobytes() for a in arguments if isinstance(a, np.ndarray)] == held


@pytest.mark.slow
def test_nothing_leaks(model):
    cases = list(calls(model, np.random.default_rng(9)))
    for function, arguments in cases:
        bad = (np.full_like(arguments[0], np.nan), *arguments[1:])
        watched = [model, words(model), None, np.ndarray, np.dtype(float), bad[0], *arguments]
        before = None
        for count in (100, 3000):
            for _ in range(count):
                function(model, *arguments)
                with contextlib.suppress(lw.StateError):
                    if count < 200:
                        function(model, *bad)
            if before is None:
                gc.collect()
                tracemalloc.start()
                before = [sys.getrefcount(x) for x in watched]
                memory = tracemalloc.get_traced_memory()[0]
        ends = [sys.getrefcount(x) for x in watched]
        grown = tracemalloc.get_traced_memory()[0] - memory
        tracemalloc.stop()
        assert all(abs(b - a) < 50 for a, b in zip(before, ends, strict=True)), function.__name__
        assert grown < 20_000, function.__name__


@pytest.mark.slow
def test_a_hundred_thousand_calls_and_refusals_leak_nothing():
    model = warm(MODELS["fixed tree"].build())
    rng = np.random.default_rng(1)
    q, v, x = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    from linkwork.solvers.forward_dynamics import bound

    bad, long = q * np.nan, np.append(x, 1.0)
    gc.collect()
    tracemalloc.start()
    memory, counts = tracemalloc.get_traced_memory()[0], [sys.getrefcount(a) for a in (None, model, q, v, x, bad, long)]
    for _ in range(100_000):
        bound.short(model, q, v, x, 0.0)
        bound.short(model, bad, v, x, 0.0)  # refused by the kernel, after the result has been made
        bound.short(model, q, v, long, 0.0)  # refused before
    after = [sys.getrefcount(a) for a in (None, model, q, v, x, bad, long)]
    grown = tracemalloc.get_traced_memory()[0] - memory
    tracemalloc.stop()
    assert all(abs(b - a) < 50 for a, b in zip(counts, after, strict=True))
    assert grown < 20_000


def test_four_threads_at_once(model):
    cases = [(f, a, f(model, *a)) for seed in range(4) for f, a in calls(model, np.random.default_rng(seed))]
    wrong, barrier = [], threading.Barrier(4)

    def hammer(which):
        barrier.wait()
        for turn in range(60):
            for k in range(which, len(cases), 2):
                function, arguments, expected = cases[(k + turn) % len(cases)]
                found = function(model, *arguments)
                if any(a.tobytes() != b.tobytes() for a, b in zip(arrays(found), arrays(expected), strict=True)):
                    wrong.append(function.__name__)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=hammer, args=(k,)) for k in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def interrupted_model():
    """A model whose custom joint runs Python in the middle of a kernel; what it runs is put into `happening`."""
    import numba

    def pose(q):
        with numba.objmode():
            happen()
        return (0.0, 0.0, 0.1 * q[0], math.cos(0.5 * q[0]), 0.0, 0.0, math.sin(0.5 * q[0]))

    m = lw.Mechanism("interrupted")
    a, b, c = bodies(m, 3, np.random.default_rng(0))
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), m.ground, a)
    m.add_joint("screw", lw.Custom(1, pose, screw_motion, screw_rate), a.at(0.3, 0, 0), b)
    m.add_joint("wrist", lw.Revolute((1, 0, 0)), b.at(0.3, 0, 0), c)
    return m.build()


happening: list = []


def happen():
    if happening:
        happening.pop()()


@pytest.mark.slow
def test_a_call_within_a_call_has_memory_of_its_own():
    """A user's function inside a kernel lets another call of the same model in, here in the same thread: both results are right."""
    model = interrupted_model()
    rng = np.random.default_rng(2)
    one, other = ([rng.normal(size=3) for _ in range(3)] for _ in range(2))
    for _ in range(5):
        expected, within = (lw.forward_dynamics(model, *state).tobytes() for state in (one, other))
    found = []
    for call in (
        lw.forward_dynamics,
        lambda *a: lw.forward_dynamics(*a, out=np.empty(3)),
        lambda m, q, *a: lw.forward_dynamics(m, [*q], *a),
    ):
        happening.append(lambda: found.append(lw.forward_dynamics(model, *other).tobytes()))
        assert call(model, *one).tobytes() == expected
        assert found.pop() == within
        assert happening == []
    assert words(model)[native.WORDS.index("busy")] == 0


@pytest.mark.slow
def test_another_thread_in_the_middle_of_a_call_has_memory_of_its_own():
    model = interrupted_model()
    rng = np.random.default_rng(3)
    one, other = ([rng.normal(size=3) for _ in range(3)] for _ in range(2))
    for _ in range(5):
        expected, within = (lw.forward_dynamics(model, *state).tobytes() for state in (one, other))
    found = []

    def elsewhere():
        thread = threading.Thread(target=lambda: found.append(lw.forward_dynamics(model, *other).tobytes()))
        thread.start()
        thread.join()

    happening.append(elsewhere)
    assert lw.forward_dynamics(model, *one).tobytes() == expected
    assert found == [within]


def test_public_functions_look_like_functions():
    f = lw.forward_dynamics
    assert f.__name__ == f.__qualname__ == "forward_dynamics"
    assert f.__module__ == "linkwork.solvers.forward_dynamics"
    assert f.__doc__.startswith("Accelerations vdot")
    assert list(inspect.signature(f).parameters)[:4] == ["model", "q", "v", "tau"]
    assert inspect.signature(f).parameters["t"].default == 0.0
    assert pickle.loads(pickle.dumps(f)) is f
    before = hash(f)
    warm(tree(5, False).build())
    assert hash(f) == before and f in {f: 1}


def test_a_model_that_was_bound_can_be_copied_and_forgotten():
    import weakref

    model = warm(MODELS["four-bar"].build())
    again = pickle.loads(pickle.dumps(model))
    assert again == model and cache_of(again).bound is None
    watched = weakref.ref(model)
    table = weakref.ref(words(model))
    del model
    gc.collect()
    assert watched() is None and table() is None


def test_constraints_that_contradict_each_other_take_the_long_way():
    model = MODELS["four-bar"].build()
    q = lw.neutral(model)
    for _ in range(5):
        lw.forward_dynamics(model, q, np.zeros(model.nv))
    apart = q.copy()
    apart[0] = 0.4  # the loop is open here
    v = np.ones(model.nv)
    assert_same(lw.forward_dynamics(model, apart, v), long_way(model, lw.forward_dynamics, (apart, v)))


def test_forces_of_a_mechanism_act():
    m = tree(4, False)
    m.add_force("spring", lw.JointSpring(stiffness=3.0), "j0")
    model = m.build()
    rng = np.random.default_rng(0)
    q, v, x = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    for _ in range(5):
        with_forces = lw.forward_dynamics(model, q, v, x)
        without = lw.forward_dynamics(model, q, v, x, forces=False)
    assert not np.allclose(with_forces, without)
    assert_same(lw.forward_dynamics(model, q, v, x), with_forces)
    assert_same(lw.inverse_dynamics(model, q, v, with_forces), long_way(model, lw.inverse_dynamics, (q, v, with_forces)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tree(1, False)", "four_bar()"])
def test_a_few_calls_suffice(kind):
    """Also where a process knows one model and one function only."""
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_bound import four_bar, lw, np, python_lines, tree
model = {kind}.build()
q, v = lw.neutral(model), np.zeros(model.nv)
print(*[len(python_lines(lw.forward_dynamics, model, q, v, v)) == 0 for _ in range(6)])
"""
    environment = os.environ | {"PYTHONPATH": str(Path(lw.__file__).parents[1])}
    seen = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert seen[0] == "False" and seen[-2:] == ["True", "True"]
