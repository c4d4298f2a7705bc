"""Users' functions with an index beyond an array: a named error of the part, never a write into foreign memory (decision 0019)."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python checks indices by itself, and its exceptions are the user's own")

TABLE = np.arange(10.0)
TEN = "index 10 is out of bounds for axis 0 with size 10"


def pendulum(kind=None):
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", kind or lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    return m, bob


@lw.controller(rate=1000.0, states=10)
def late(t, q, v, memory):
    memory[int(t * 1000)] = 1.0
    return -q


@lw.force(on="joint")
def along(q, v, t):
    return TABLE[int(t * 1000 + 1e-6)]


@lw.force
def between(a, b, t):
    f = np.zeros(10)
    f[int(t * 1000 + 1e-6)] = 1.0
    return f[0], f[1], f[2]


@pytest.mark.slow
def test_a_controller_that_writes_beyond_its_memory_fails_by_name():
    m, _ = pendulum()
    status = lw.simulate(m, 20.0, controllers=[late]).status
    assert status == "failed" and f"controller 'late' raised IndexError: {TEN}" in str(status)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [along, between])
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.Adaptive(), lw.Variational(step=1e-3), lw.SemiImplicitEuler(step=1e-3)])
def test_a_force_that_reads_beyond_an_array_fails_by_name(kind, integrator):
    m, bob = pendulum()
    m.add_force("bad", kind(), *(("pivot",) if kind is along else (bob, m.ground)))
    status = lw.simulate(m, 1.0, integrator).status
    assert status == "failed" and "force 'bad' raised IndexError" in str(status) and "with size 10" in str(status)
    with pytest.raises(lw.ModelError, match=r"force 'bad': its function raised IndexError: index 5000 is out of bounds .* with size 10"):
        lw.applied_forces(m.build(), [0.1], [0.0], 5.0)


@pytest.mark.slow
def test_helpers_that_their_author_compiled_are_checked_too():
    import numba

    helper = numba.njit(lambda t: TABLE[int(t * 1e9)])
    kind = lw.force(lambda q, v, t: helper(t), on="joint")
    m, _ = pendulum()
    m.add_force("bad", kind(), "pivot")
    assert "force 'bad' raised IndexError" in str(lw.simulate(m, 1.0).status)


def pose(q):
    return 0.0 * TABLE[int(abs(q[0]) * 20)], 0.0, 0.0, math.cos(q[0] / 2), 0.0, math.sin(q[0] / 2), 0.0


def motion(q):
    return ((0.0, 1.0, 0.0, 0.0, 0.0, 0.0),)


def rate(q, v):
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@pytest.mark.slow
def test_a_custom_joint_that_reads_beyond_an_array_fails_by_name():
    m, _ = pendulum(lw.Custom(1, pose, motion, rate))
    assert f"joint 'pivot' raised IndexError: {TEN}" in str(lw.simulate(m, 5.0, q=[0.1], v=[3.0]).status)
    with pytest.raises(lw.SolverError, match=r"joint 'pivot': its function raised IndexError: .* with size 10"):
        lw.forward_dynamics(m.build(), [3.0], [0.0], [0.0])


def short_pose(q):
    return (
        np.zeros(3 if q[0] > 1.0 else 7)
        + np.array([0.0, 0.0, 0.0, math.cos(q[0] / 2), 0.0, math.sin(q[0] / 2), 0.0])[: 3 if q[0] > 1.0 else 7]
    )


@pytest.mark.slow
def test_a_custom_joint_whose_result_is_too_short_fails_by_name():
    m, _ = pendulum(lw.Custom(1, short_pose, motion, rate))
    assert "joint 'pivot' raised" in str(lw.simulate(m, 5.0, q=[0.1], v=[5.0]).status)


@pytest.mark.slow
def test_a_function_of_time_that_reads_beyond_an_array_fails_by_name():
    m, _ = pendulum()
    m.add_constraint("drive", lw.Drive(lambda t: TABLE[10 if t > 0.5 else 0] + t), "pivot")
    assert f"constraint 'drive' raised IndexError: {TEN}" in str(lw.simulate(m, 5.0).status)


def test_what_raised_in_an_earlier_run_is_not_told_of_a_later_one():
    """The function raises where a step was rejected; the run that fails later fails for another reason."""
    m, _ = pendulum()
    m.add_force("bad", along(), "pivot")
    sim = lw.Simulation(m, raises=False)
    assert sim.run(1.0).status == "failed"
    sim.state = lw.State(0.0, [0.0], [0.0])
    sim.switch("bad", on=False)
    assert sim.run(0.1).status == "finished"


SCRIPT = """
import numba, numpy as np
from linkwork.jets.retarget import compilable
f = lambda x, k: x[k]
made = compilable(numba.njit(boundscheck=False)(f) if {own} else f)
try:
    made(np.zeros(4), 4)
    print("unchecked")
except IndexError:
    print("checked")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("own", "variable", "found"), [(False, "", "checked"), (True, "", "unchecked"), (False, "0", "unchecked")])
def test_checks_can_be_left_out_everywhere_or_in_one_function(own, variable, found):
    """One place beyond four zeros is read here, which harms nobody."""
    quiet = os.environ | {"LINKWORK_BOUNDS": variable, "LINKWORK_QUIET": "1"}
    run = subprocess.run([sys.executable, "-c", SCRIPT.format(own=own)], capture_output=True, text=True, check=True, env=quiet)
    assert run.stdout.strip() == found
