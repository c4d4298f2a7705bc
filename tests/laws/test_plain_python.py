"""The plain-Python twin (LINKWORK_JIT=0) of every public function, and complex steps through its recursions.

Compiled and plain functions are the same source; a subprocess runs the plain one on the same mechanisms.
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

from .measures import assert_close, case, condition, size
from .mechanisms import FAMILIES
from .plain_results import DERIVED, SEED, all_results, complex_step

ROOT = Path(__file__).parents[2]

# Compiled code fuses multiplications with additions, so bits differ; both sums are of a few hundred terms of one size.
SAME_SOURCE = 1e-12


@pytest.fixture(scope="module")
def plain():
    """Results of the plain functions: {family: {name: arrays}}, and their derivatives by complex steps."""
    if not JIT:
        pytest.skip("this is the plain run itself")
    environment = os.environ | {"LINKWORK_JIT": "0", "PYTHONPATH": os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])}
    command = [sys.executable, "-m", "tests.laws.plain_results"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_compiled_functions_are_their_plain_source(plain, family):
    """Every public function gives the numbers of its plain source, one state at a time and in a batch."""
    expected, found = plain["results"][family], all_results(family)
    assert expected.keys() == found.keys()
    model, q = case(SEED, family).model, case(SEED, family, size=3).q
    amplified = max(condition(model, row) for row in q)
    sizes = {}
    for name, value in found.items():
        function = name.split(",")[0]
        sizes[function] = max(sizes.get(function, 0.0), size(value))
    for name, value in found.items():
        assert_close(value, expected[name], SAME_SOURCE, scale=sizes[name.split(",")[0]] * amplified)


@pytest.mark.slow
@pytest.mark.parametrize("family", DERIVED)
def test_complex_steps_give_the_derivatives_of_forward_dynamics(plain, family):
    """Im(FD(x + i h e)) / h is the derivative of forward dynamics by q, v and tau, to machine precision: the recursion is analytic."""
    _, model, q, v, tau, _ = case(SEED, family)
    step = 1e-4
    shifts = step * np.concatenate([np.eye(model.nv), -np.eye(model.nv), 2 * np.eye(model.nv), -2 * np.eye(model.nv)])
    around = {
        "q": lw.forward_dynamics(model, lw.integrate(model, q, shifts), v, tau),
        "v": lw.forward_dynamics(model, q, v + shifts, tau),
        "tau": lw.forward_dynamics(model, q, v, tau + shifts),
    }
    exact = plain["complex"][family]
    for name, values in around.items():
        near, less, far, further = np.split(values, 4)
        differences = (8.0 * (near - less) - (far - further)).T / (12.0 * step)
        # Fourth-order differences: 1e-16 / 1e-4 of rounding and 1e-16 of truncation, at the scale of the accelerations.
        scale = size(exact[name]) + condition(model, q) * size(values)
        assert_close(exact[name], differences, 1e-10, scale=scale)
        assert size(exact[name]) > 1e-6
    # The derivative by tau is the inverse mass matrix.
    assert_close(exact["tau"], lw.inverse_mass_matrix(model, q), scale=size(exact["tau"]) * condition(model, q))


@pytest.mark.skipif(JIT, reason="for runs with LINKWORK_JIT=0")
def test_complex_steps_in_this_process():
    """In plain Python, the derivative of forward dynamics by tau is the inverse mass matrix."""
    _, model, q, *_ = case(SEED, "tree")
    assert_close(complex_step("tree")["tau"], lw.inverse_mass_matrix(model, q), scale=condition(model, q))
