"""A batch is its states, one by one: whatever the number of states, axes, threads, repetitions, and whoever owns the result."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw

from .measures import assert_close, case, seeds, size

# name: function of (model, q, v, x, f_ext, **options), options being out and threads; and how many outputs `out` takes
FUNCTIONS = {
    "forward_dynamics": lambda m, q, v, x, f, **o: lw.forward_dynamics(m, q, v, x, **o),
    "forward_dynamics with wrenches": lambda m, q, v, x, f, **o: lw.forward_dynamics(m, q, v, x, f, **o),
    "inverse_dynamics": lambda m, q, v, x, f, **o: lw.inverse_dynamics(m, q, v, x, **o),
    "inverse_dynamics with wrenches": lambda m, q, v, x, f, **o: lw.inverse_dynamics(m, q, v, x, f, **o),
    "bias_force": lambda m, q, v, x, f, **o: lw.bias_force(m, q, v, f, **o),
    "gravity_force": lambda m, q, v, x, f, **o: lw.gravity_force(m, q, **o),
    "mass_matrix": lambda m, q, v, x, f, **o: lw.mass_matrix(m, q, **o),
    "mass_matrix_times": lambda m, q, v, x, f, **o: lw.mass_matrix_times(m, q, x, **o),
    "inverse_mass_matrix": lambda m, q, v, x, f, **o: lw.inverse_mass_matrix(m, q, **o),
    "inverse_mass_matrix by square factors": lambda m, q, v, x, f, **o: lw.inverse_mass_matrix(m, q, method="square", **o),
    "impulse_response": lambda m, q, v, x, f, **o: lw.impulse_response(m, q, x, f, **o),
    "jacobian": lambda m, q, v, x, f, **o: lw.jacobian(m, q, "mark 1", **o),
    "centroidal_momentum_matrix": lambda m, q, v, x, f, **o: lw.centroidal_momentum_matrix(m, q, **o),
    "integrate": lambda m, q, v, x, f, **o: lw.integrate(m, q, x, **o),
    "difference": lambda m, q, v, x, f, **o: lw.difference(m, q, lw.integrate(m, q, 0.3 * v), **o),
    "hybrid_dynamics": lambda m, q, v, x, f, **o: lw.hybrid_dynamics(m, q, v, x, _driven(m), f, **o),
}
WITHOUT_OUT = {
    "forward_kinematics": lambda m, q, v, x, f, **o: _kinematics(lw.forward_kinematics(m, q, v, x, **o)),
    "energy": lambda m, q, v, x, f, **o: tuple(lw.energy(m, q, v, **o)),
    "momentum": lambda m, q, v, x, f, **o: tuple(lw.momentum(m, q, v, **o)),
    "center_of_mass": lambda m, q, v, x, f, **o: lw.center_of_mass(m, q, v, x, **o),
    "jacobian_rate_times_v": lambda m, q, v, x, f, **o: lw.jacobian_rate_times_v(m, q, v, "mark 2", **o),
    "inverse_inertia": lambda m, q, v, x, f, **o: lw.inverse_inertia(m, q, "mark 1", "mark 2", **o),
}
ALL = FUNCTIONS | WITHOUT_OUT
NO_THREADS = {
    "solve_mass_matrix": lambda m, q, v, x, f: lw.solve_mass_matrix(m, q, x),
    "factor_mass_matrix": lambda m, q, v, x, f: lw.factor_mass_matrix(m, q).L,
    "log_determinant": lambda m, q, v, x, f: lw.factor_mass_matrix(m, q).log_determinant,
    "clamp": lambda m, q, v, x, f: lw.clamp(m, q),
}
# Results that came out of a division by the mass matrix: lanes and single states round alike, but what they round is amplified.
SOLVED = ("forward", "inverse_mass", "impulse", "inverse_inertia", "hybrid", "solve", "factor", "log")


def _driven(model):
    return [joint.name for joint in model.joints[::2]]


def _kinematics(k):
    return k.rotations, k.positions, k.velocities, k.accelerations


def _tuple(result):
    return result if isinstance(result, tuple) else (result,)


def _same_bits(a, b):
    return all(np.array_equal(x, y) for x, y in zip(_tuple(a), _tuple(b), strict=True))


@pytest.mark.parametrize("name", ALL | NO_THREADS)
@settings(max_examples=15)  # 26 functions, each over 13 states
@given(seed=seeds)
def test_a_batch_equals_its_states_one_by_one(name, seed):
    """Lanes compute what single calls compute, for a number of states that fills no whole pack."""
    function = (ALL | NO_THREADS)[name]
    _, model, q, v, x, f = case(seed, size=13)
    batch = _tuple(function(model, q, v, x, f))
    single = [_tuple(function(model, *state)) for state in zip(q, v, x, f, strict=True)]
    # Angular momentum, say, may be zero but for rounding: what is measured by is the largest of all that the function gives.
    scale = max(size(together) for together in batch)
    if name.startswith(SOLVED):
        scale *= float(np.max(np.linalg.cond(lw.mass_matrix(model, q))))
    for k, together in enumerate(batch):
        assert_close(together, np.array([result[k] for result in single]), 1e-12, scale)


@settings(max_examples=15)
@given(seed=seeds)
def test_leading_axes_are_kept_and_broadcast(seed):
    """(2, 3) states give (2, 3) results; one state of an argument serves all."""
    _, model, q, v, x, f = case(seed, size=6)
    flat = lw.forward_dynamics(model, q, v, x, f)
    shaped = lw.forward_dynamics(model, *(a.reshape(2, 3, *a.shape[1:]) for a in (q, v, x, f)))
    assert shaped.shape == (2, 3, model.nv)
    assert (shaped.reshape(6, -1) == flat).all()
    assert lw.mass_matrix(model, q.reshape(3, 1, 2, -1)).shape == (3, 1, 2, model.nv, model.nv)
    repeated = lw.forward_dynamics(model, q, np.repeat(v[:1], 6, axis=0), np.repeat(x[:1], 6, axis=0))
    assert (lw.forward_dynamics(model, q, v[0], x[0]) == repeated).all()
    assert (lw.forward_dynamics(model, q[:, None], v[0], x[:1])[:, 0] == repeated).all()
    assert lw.forward_dynamics(model, q[:1], v[0]).shape == (1, model.nv)
    assert lw.forward_dynamics(model, q[:0], v[:0]).shape == (0, model.nv)


@pytest.mark.parametrize("name", ALL)
def test_results_do_not_depend_on_the_number_of_threads(name):
    """The same bits from one thread, two, three or all cores; and again when asked again."""
    _, model, q, v, x, f = case(11, "every kind", size=210)  # three blocks of 64 states and a part of one
    once = ALL[name](model, q, v, x, f, threads=1)
    assert np.isfinite(_tuple(once)[0]).all()
    for threads in (1, 2, 3, 5, None):
        assert _same_bits(ALL[name](model, q, v, x, f, threads=threads), once)


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=seeds)
def test_a_repeated_call_gives_the_same_bits(seed):
    """Scratch memory that other calls left behind does not show."""
    _, model, q, v, x, f = case(seed, size=5)
    states = [(q, v, x, f), (q[0], v[0], x[0], f[0])]
    once = [[ALL[name](model, *state) for name in ALL] for state in states]
    again = [[ALL[name](model, *state) for name in reversed(ALL)][::-1] for state in states]
    assert all(_same_bits(a, b) for one, two in zip(once, again, strict=True) for a, b in zip(one, two, strict=True))
    fresh = case(seed).mechanism.build()  # a model that nothing has touched
    assert all(_same_bits(ALL[name](fresh, *states[1]), result) for name, result in zip(ALL, once[1], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=5)
@given(seed=seeds, single=st.booleans())
def test_out_is_filled_with_the_same_bits_and_returned(name, seed, single):
    """out= receives what is returned without it, whatever its memory layout; the arguments stay as they were."""
    _, model, q, v, x, f = case(seed, size=5)
    arguments = tuple(np.array(a[0] if single else a) for a in (q, v, x, f))
    expected = _tuple(FUNCTIONS[name](model, *arguments))
    before = [a.copy() for a in arguments]
    for make in (
        lambda a: np.full(a.shape, np.nan),
        lambda a: np.full((*a.shape, 2), np.nan)[..., 0],
        lambda a: np.full(a.shape, np.nan).T.copy().T,
    ):
        out = tuple(make(a) for a in expected)
        found = FUNCTIONS[name](model, *arguments, out=out if len(out) > 1 else out[0])
        assert all(a is b for a, b in zip(_tuple(found), out, strict=True))
        assert _same_bits(out, expected)
    assert _same_bits(tuple(arguments), tuple(before))


@pytest.mark.parametrize("which", [0, 1, 2])
def test_out_may_be_one_of_the_arguments(which):
    """A result written over an argument is the result that would have been returned."""
    _, model, q, v, x, _ = case(3, "floating", size=40)
    expected = [lw.forward_dynamics(model, q, v, x), *lw.hybrid_dynamics(model, q, v, x, _driven(model))]
    arguments = [q.copy(), v.copy(), x.copy()]
    if which:
        assert (lw.forward_dynamics(model, *arguments, out=arguments[which]) == expected[0]).all()
    else:
        assert (lw.integrate(model, arguments[0], v, out=arguments[0]) == lw.integrate(model, q, v)).all()
    for place in (0, 1):
        known = x.copy()
        out = (known, np.empty_like(x)) if place == 0 else (np.empty_like(x), known)
        assert _same_bits(lw.hybrid_dynamics(model, q, v, known, _driven(model), out=out), tuple(expected[1:]))


@settings(max_examples=15)
@given(seed=seeds)
def test_other_memory_layouts_and_number_types_are_read_alike(seed):
    """Lists, float32 and whole numbers, read-only, strided, reversed and misaligned arrays are the numbers they hold."""
    _, model, q, v, x, _ = case(seed)
    x = np.round(x)
    expected = lw.forward_dynamics(model, q, v, x)
    frozen, strided, raw = q.copy(), np.zeros((model.nq, 3)), np.zeros(8 * model.nq + 4, dtype=np.uint8)
    frozen.flags.writeable = False
    strided[:, 1] = q
    misaligned = raw[4:].view(np.float64)
    misaligned[:] = q
    for same in (q.tolist(), tuple(q), frozen, strided[:, 1], q[::-1].copy()[::-1], misaligned, q.astype(np.longdouble)):
        assert (lw.forward_dynamics(model, same, v, x) == expected).all()
    for same in (x.astype(int), x.astype(np.float32), [int(number) for number in x]):
        assert (lw.forward_dynamics(model, q, v, same) == expected).all()


def test_byte_swapped_arrays_are_read_alike():
    """Numbers of the other byte order, as files hold them, are the numbers they hold."""
    _, model, q, v, x, _ = case(0)
    expected = lw.forward_dynamics(model, q, v, x)
    assert (lw.mass_matrix(model, q.astype(">f8")) == lw.mass_matrix(model, q)).all()
    assert (lw.forward_dynamics(model, q.astype(">f8"), v, x) == expected).all()
