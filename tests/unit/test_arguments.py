"""Exact arguments: the short way into a kernel takes precisely the arrays it understands and refuses all others without reading them."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.dynamics.inverse import _plain
from linkwork.kernels import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python has no unboxing")


class Subclass(np.ndarray):
    pass


@pytest.fixture(scope="module")
def model():
    m = lw.Mechanism("two joints")
    a = m.add_body("a", mass=1.0, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
    b = m.add_body("b", mass=1.0, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
    m.add_joint("j", lw.Revolute(axis=(0, 1, 0)), m.ground, a)
    m.add_joint("k", lw.Revolute(axis=(1, 0, 0)), a.at(0, 0, 1), b)
    built = m.build()
    _plain.prepare(batch=False)
    return built


def call(model, q):
    v, x, out = np.array([0.3, -0.2]), np.array([1.0, 2.0]), np.zeros(2)
    data = lw.Data(model)  # kept while the kernel works in it
    status = _plain.one(model.handle, _plain.data_in(data), 0, 1, q, v, x, out)
    return status, out


GOOD = np.array([0.1, 0.2])
WRONG = {
    "list": [0.1, 0.2],
    "None": None,
    "tuple": (0.1, 0.2),
    "text": "ab",
    "number": 0.1,
    "int64": np.array([1, 2]),
    "float32": GOOD.astype(np.float32),
    "complex": GOOD.astype(complex),
    "big-endian": GOOD.astype(">f8"),
    "two axes": GOOD[None],
    "no axes": np.array(0.1),
    "strided": np.repeat(GOOD, 2)[::2],
    "subclass": GOOD.view(Subclass),
    "unaligned": np.frombuffer(b"x" + GOOD.tobytes(), dtype=np.uint8)[1:].view(np.float64),
    "objects": np.array([0.1, 0.2], dtype=object),
    "dates": np.array([1, 2], dtype="M8[s]"),
    "records": np.zeros(2, dtype=[("a", "f8")]),
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_but_an_exact_array_is_a_type_error(model, name):
    with pytest.raises(TypeError):
        call(model, WRONG[name])


@pytest.mark.parametrize("q", [GOOD, np.array([[9.0, 9.0], [0.1, 0.2]])[1]])
def test_exact_arrays_are_read_from_where_they_begin(model, q):
    status, out = call(model, q)
    assert status == 0
    assert np.array_equal(out, call(model, GOOD.copy())[1])
    assert np.abs(out).min() > 0.01


def test_read_only_arrays_are_fine(model):
    q = GOOD.copy()
    q.flags.writeable = False
    assert call(model, q)[0] == 0


@pytest.mark.parametrize("q", [np.zeros(1), np.zeros(3), np.zeros(0)])
def test_a_wrong_length_is_noticed_by_the_kernel(model, q):
    assert call(model, q)[0] != 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_noticed_by_the_kernel(model, bad):
    assert call(model, np.array([0.1, bad]))[0] != 0


@pytest.mark.parametrize("name", ["list", "tuple", "int64", "float32", "big-endian", "strided", "subclass", "unaligned"])
def test_the_long_way_takes_what_can_be_converted(model, name):
    q = np.array(WRONG[name], dtype=float)
    v, x = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    # float32 input is rounded before it arrives; everything else is the same number, hence the same bits
    assert np.array_equal(lw.inverse_dynamics(model, WRONG[name], v, x), lw.inverse_dynamics(model, q, v, x))
