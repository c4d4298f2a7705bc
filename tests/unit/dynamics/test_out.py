"""`out=`: what a caller gives is filled with the very numbers of a call without it, and returned; or it is refused and left alone."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.model.model import MATRIX_LIMIT

from .calls import FUNCTIONS, assert_refused, call, fresh_out, like, parts, spoiled, valid

every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
one_and_many = pytest.mark.parametrize("batch", [(), (3,), (2, 5)], ids=str)


def equal(found, expected):
    """Are all arrays of two results the same to the bit?"""
    pairs = list(zip(parts(found), parts(expected), strict=True))
    return all(np.shape(a) == np.shape(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


# What an array may look like in memory: each takes an array and gives one of the same shape and dtype.
LAYOUTS = {
    "contiguous": lambda a: np.full_like(a, 7.0, order="C"),
    "by columns": lambda a: np.full(a.shape, 7, dtype=a.dtype, order="F"),
    "every other": lambda a: np.full((*a.shape, 2), 7, dtype=a.dtype)[..., 0],
    "backwards": lambda a: np.full(a.shape, 7, dtype=a.dtype)[::-1] if a.ndim else np.full((), 7, dtype=a.dtype),
    "unaligned": lambda a: np.zeros(a.nbytes + 1, dtype=np.uint8)[1:].view(a.dtype).reshape(a.shape),
    "of a class of its own": lambda a: np.full(a.shape, 7, dtype=a.dtype).view(np.recarray),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@one_and_many
@every_function
def test_out_is_filled_with_the_same_numbers_and_returned(model, function, batch, layout):
    arguments = valid(model, batch)
    expected = call(model, function, arguments)
    out = like(expected, LAYOUTS[layout])
    assert call(model, function, arguments, out=out) is out or isinstance(expected, tuple)
    assert equal(out, expected)
    again = call(model, function, arguments, out=out, threads=2)
    assert type(again) is type(out) and equal(again, expected)
    same_memory = all(np.shares_memory(a, b) for a, b in zip(parts(again), parts(out), strict=True))
    assert same_memory


@every_function
def test_an_earlier_result_may_be_filled_again(model, function):
    """The result of other states serves as `out`, if it is of arrays (one state of energy or of limits is numbers)."""
    arguments, others = valid(model, (6,)), {name: value[::-1].copy() for name, value in valid(model, (6,)).items()}
    expected, out = call(model, function, others), call(model, function, arguments)
    call(model, function, others, out=out)
    assert equal(out, expected)


@pytest.mark.parametrize("function", [lw.forward_dynamics, lw.integrate, lw.clamp, lw.solve_mass_matrix], ids=lambda f: f.__name__)
@pytest.mark.parametrize("batch", [(), (70,)])
def test_out_may_be_an_argument(model, function, batch):
    """In place: the last argument is overwritten by the result."""
    arguments = valid(model, batch)
    expected = call(model, function, arguments)
    name = {lw.integrate: "q", lw.clamp: "q", lw.forward_dynamics: "tau", lw.solve_mass_matrix: "b"}[function]
    call(model, function, arguments, out=arguments[name])
    assert equal(arguments[name], expected)


@every_function
def test_out_of_a_batch_with_a_wrong_state_is_left_alone(model, function):
    arguments = valid(model, (150,))
    name = FUNCTIONS[function][0][-1]
    out = fresh_out(model, function, arguments)
    for threads in (1, 2):
        assert_refused(model, function, arguments | {name: spoiled(arguments[name], np.nan)}, name, out=out, threads=threads)


BAD_OUT = {
    "too long": lambda a: np.zeros((*a.shape[:-1], a.shape[-1] + 1) if a.ndim else 1),
    "too many axes": lambda a: np.zeros((1, *a.shape)),
    "float32": lambda a: np.zeros(a.shape, dtype=np.float32),
    "whole numbers": lambda a: np.zeros(a.shape, dtype=int),
    "a list": lambda a: a.tolist(),
    "read-only": lambda a: np.broadcast_to(np.zeros(1, dtype=a.dtype), (*a.shape, 1))[..., 0],
    "byte-swapped": lambda a: np.zeros(a.shape, dtype=">f8"),
}


@pytest.mark.parametrize("fault", BAD_OUT)
@pytest.mark.parametrize("batch", [(), (3,)])
@every_function
def test_a_wrong_out_is_refused(model, function, batch, fault):
    arguments = valid(model, batch)
    bad = like(call(model, function, arguments), BAD_OUT[fault])
    message = assert_refused(model, function, arguments, "out", out=bad)
    assert ("bool" if function is lw.within_limits else "float64") in message
    assert "writeable" in message


def test_the_number_of_outs_must_be_right(model):
    arguments = valid(model)
    nv, three = np.zeros(model.nv), np.zeros(3)
    for out in (nv, (nv,) * 3, ()):
        assert_refused(model, lw.hybrid_dynamics, arguments, "out", out=out)
    for out in (three, (three, three)):
        assert_refused(model, lw.center_of_mass, arguments, "out", out=out)
    for function in (lw.forward_dynamics, lw.clamp):
        assert_refused(model, function, arguments, "out", out=(nv, nv))


def test_out_is_of_the_same_kind(model, one_hinge):
    """Two arrays are no Energy; kinematics of another model, or without velocities, are not what is asked for."""
    a = valid(model, (2,))
    arrays = (np.zeros(2), np.zeros(2))
    assert "allowed is what this function returned" in assert_refused(model, lw.energy, a, "out", out=arrays)
    assert_refused(model, lw.momentum, a, "out", out=lw.Energy(*arrays))
    assert_refused(model, lw.factor_mass_matrix, a, "out", out=np.zeros((2, model.nv, model.nv)))
    assert_refused(model, lw.factor_mass_matrix, a, "out", out=lw.factor_mass_matrix(one_hinge, np.zeros((2, 1))))
    poses = lw.forward_kinematics(model, a["q"])
    message = assert_refused(model, lw.forward_kinematics, a, "out", out=poses)
    assert "found Kinematics(poses of" in message and "with poses, velocities, accelerations of this model" in message
    hinge = lw.forward_kinematics(one_hinge, np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 1)))
    assert "of 1 bodies of 'hinge'" in assert_refused(model, lw.forward_kinematics, a, "out", out=hinge)
    with pytest.raises(lw.StateError, match="out: found Kinematics"):  # its velocities would be those of other states
        lw.forward_kinematics(model, a["q"], out=lw.forward_kinematics(model, a["q"], a["v"]))


def test_energy_of_one_state_is_numbers_which_cannot_be_filled(one_hinge):
    q = np.array([0.3])
    known = lw.energy(one_hinge, q, q)
    assert type(known.kinetic) is float and type(known.potential) is float
    with pytest.raises(lw.StateError, match=r"out: found float; allowed is a writeable float64 array of shape \(\)"):
        lw.energy(one_hinge, q, q, out=known)


def test_a_factor_fills_what_it_is_given(model):
    """`solve` and `inverse` of a factor have `out` as well."""
    a = valid(model, (4,))
    factor = lw.factor_mass_matrix(model, a["q"])
    for ask in (lambda **out: factor.solve(a["b"], **out), factor.inverse):
        expected = ask()
        out = np.full(expected.shape, 7.0)
        assert ask(out=out) is out and equal(out, expected)
        with pytest.raises(lw.StateError, match="out: found float64"):
            ask(out=out[1:])


# ------------------------------------------------------------------------------------------------------------- large matrices


@pytest.fixture(scope="module")
def long():
    """More velocities than lanes are used for."""
    m = lw.Mechanism("long")
    near = m.ground
    for k in range(MATRIX_LIMIT + 1):
        far = m.add_body(f"link {k}", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1)), near.at(0.1, 0, 0), far)
        near = far
    return m.build()


def test_a_batch_of_large_mass_matrices_is_checked_as_a_whole(long):
    """The message names the state, whatever the number of threads, and `out` stays as it was."""
    arguments = {"q": np.zeros((3, long.nq))}
    bad = {"q": spoiled(arguments["q"], np.nan)}
    out = np.full((3, long.nv, long.nv), 7.0)
    for threads in (1, 2):
        assert "(1, 128)" in assert_refused(long, lw.mass_matrix, bad, "q", out=out, threads=threads)
        assert "(1, 128)" in assert_refused(long, lw.mass_matrix, bad, "q", threads=threads)
    assert_refused(long, lw.mass_matrix, arguments, "threads", threads=0)
    assert_refused(long, lw.mass_matrix, arguments, "out", out=out[1:])


def test_a_batch_of_large_mass_matrices_is_that_of_its_states(long):
    q = np.random.default_rng(1).normal(size=(2, 3, long.nq))
    expected = np.array([[lw.mass_matrix(long, q[i, j]) for j in range(3)] for i in range(2)])
    out = np.full(expected.shape, 7.0)
    for threads in (1, 2, None):
        assert equal(lw.mass_matrix(long, q, threads=threads), expected)
        assert equal(lw.mass_matrix(long, q, out=out, threads=threads), expected)
        out[...] = 7.0
    assert lw.mass_matrix(long, q[:0]).shape == (0, 3, long.nv, long.nv)
