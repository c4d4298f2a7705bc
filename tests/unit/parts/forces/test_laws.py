"""What every force law obeys, whichever it is: energy, dissipation, action and reaction; compiled as in plain Python."""

import copy
import importlib
import os
import pathlib
import pickle
import pkgutil
import shutil
import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.parts import forces

from ....force_cases import CASES, evaluated, evaluated_plain, moved, on_joints, state, velocities

SEEDS = range(12)
STEP = 1e-6
every_case = pytest.mark.parametrize("name", CASES)
stores = pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.driven])
between = pytest.mark.parametrize("name", [name for name, case in CASES.items() if not on_joints(case.kind)])


def test_every_file_with_a_law_is_exported():
    modules = [importlib.import_module(f"{forces.__name__}.{file.name}") for file in pkgutil.iter_modules(forces.__path__)]
    found = {x for module in modules for x in vars(module).values() if isinstance(x, type) and issubclass(x, lw.ForceKind) and x.law}
    assert found == {getattr(lw, name) for name in forces.__all__ if getattr(getattr(lw, name), "law", None)}


def test_every_kind_is_among_the_cases():
    kinds = {kind for name in forces.__all__ if isinstance(kind := getattr(forces, name), type) and getattr(kind, "law", None)}
    assert len(kinds) >= 15
    assert kinds == {type(case.kind) for case in CASES.values()}, "a new law needs a case in tests/force_cases.py"


@every_case
def test_it_acts(name):
    found = [np.linalg.norm(evaluated(CASES[name].kind, state(CASES[name].kind, seed))[0]) for seed in SEEDS]
    assert np.count_nonzero(found) >= 3


@stores
def test_at_rest_the_force_is_the_gradient_of_the_energy(name):
    """Along each of the twelve motions of two markers (or along q). Differences of second order, so STEP^2 and rounding / STEP count: 1e-8 or so."""
    kind = CASES[name].kind
    for seed in SEEDS:
        given = state(kind, seed, moving=False)
        force, stored = evaluated(kind, given)
        slopes = []
        for unit in np.eye(len(velocities(given))):
            after, before = (evaluated(kind, moved(given, sign * STEP * unit))[1] for sign in (1, -1))
            slopes.append((after - before) / (2 * STEP))
        assert np.allclose(force, -np.array(slopes), rtol=1e-6, atol=1e-7 * (1 + np.max(np.abs(force)) + abs(stored)))


@stores
def test_motion_gains_no_energy_beyond_what_was_stored(name):
    """P + dV/dt <= 0, with dV/dt the power against the force at rest; zero for laws without damping."""
    case = CASES[name]
    losses = []
    for seed in SEEDS:
        given, resting = state(case.kind, seed), state(case.kind, seed, moving=False)
        difference = evaluated(case.kind, given)[0] - evaluated(case.kind, resting)[0]
        losses.append(difference @ velocities(given))
        size = np.max(np.abs(evaluated(case.kind, given)[0]))
        assert losses[-1] <= 1e-13 * (1 + size)
    assert (min(losses) < -1e-3) == case.damped


@between
def test_action_is_reaction(name):
    case = CASES[name]
    for seed in SEEDS:
        given = state(case.kind, seed)
        n_a, f_a, n_b, f_b = evaluated(case.kind, given)[0].reshape(4, 3)
        p_a, p_b = given[9:12], given[27:30]
        force, moment = f_a + f_b, n_a + np.cross(p_a, f_a) + n_b + np.cross(p_b, f_b)
        size = np.linalg.norm(f_a) + np.linalg.norm(n_a)
        if case.closed:
            assert np.max(np.abs([force, moment])) <= 1e-14 * (1 + size)
        else:
            assert np.allclose(force, f_a) and np.linalg.norm(f_a) > 0.1


@every_case
def test_compiled_and_plain_agree(name):
    """Fused multiply-add is all that differs."""
    kind = CASES[name].kind
    for seed in SEEDS:
        given = state(kind, seed)
        (force, stored), (plain_force, plain_stored) = evaluated(kind, given), evaluated_plain(kind, given)
        size = 1 + np.max(np.abs(plain_force)) + abs(plain_stored)
        assert np.allclose(force, plain_force, rtol=0, atol=2e-14 * size)
        assert abs(stored - plain_stored) <= 2e-14 * size


@every_case
def test_a_kind_is_a_value_with_finite_numbers(name):
    kind = CASES[name].kind
    assert all(isinstance(x, float) and np.isfinite(x) for x in kind.numbers())
    assert list(kind.faults()) == []
    again = pickle.loads(pickle.dumps(kind))
    assert again == kind == copy.deepcopy(kind) and hash(again) == hash(kind) and again.numbers() == kind.numbers()
    assert len(repr(kind)) < 1000 and type(kind).__name__ in repr(kind)
    assert sum(kind == other.kind for other in CASES.values()) == 1


@every_case
def test_a_mechanism_takes_it(name):
    kind = CASES[name].kind
    m = lw.Mechanism()
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground, rod)
    m.add_force(name, kind, *(["hinge"] if on_joints(kind) else [rod.at(0.1, 0, 0)]))
    assert m.faults() == [] and m.force(name).kind is kind and m.clone() == m
    assert pickle.loads(pickle.dumps(m)) == m


def test_laws_of_velocities_suit_joints_without_coordinates():
    """A ball's velocity is no dq/dt; friction, damping and tables do not mind."""
    m = lw.Mechanism()
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("ball", lw.Spherical(), m.ground, rod)
    for name, case in CASES.items():
        if on_joints(case.kind):
            m.add_force(name, case.kind, "ball")
    refused = {type(m.force(fault.part).kind) for fault in m.faults()}
    assert refused == {lw.JointSpring, lw.LimitStop}


NEW_LAW = '''
"""A wind."""

from dataclasses import dataclass

from ...kernels import kernel
from ...kernels.records import Record, real
from .fields import FINITE
from .kind import LAW_CALL, ForceKind, put_wrenches


class WindParameters(Record, constant=True):
    """What the law reads."""

    strength = real("N")


@kernel(address=LAW_CALL)
def wind(given, parameters: WindParameters, out):
    none = (0.0, 0.0, 0.0)
    put_wrenches(out, none, (parameters.strength, 0.0, 0.0), none, none, 0.0)


@dataclass(frozen=True)
class Wind(ForceKind):
    """Pushes along x."""

    strength: float
    law = wind
    law_reads = WindParameters
    holds = {"strength": FINITE}
'''
USE = """
import linkwork as lw
m = lw.Mechanism("leaf", gravity=(0, 0, 0))
m.add_body("leaf", mass=2.0, inertia=(1, 1, 1))
m.add_force("breeze", lw.Wind(6.0), "leaf")
assert lw.from_toml(lw.to_toml(m)) == m
print(lw.simulate(m, 0.01, lw.SemiImplicitEuler(step=1e-3)).v[-1, 3])
"""


@pytest.mark.slow
def test_a_new_law_is_one_file(tmp_path):
    """It acts, and files know it, with no change anywhere else: tried on a copy of the package, in plain Python, which needs no compiling."""
    package = pathlib.Path(lw.__file__).parent
    shutil.copytree(package, tmp_path / "linkwork", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "linkwork" / "parts" / "forces" / "wind.py").write_text(NEW_LAW)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "LINKWORK_JIT": "0"}
    done = subprocess.run([sys.executable, "-c", USE], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(0.03, rel=1e-9)  # 6 N on 2 kg for 0.01 s
