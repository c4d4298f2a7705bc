"""Kernels without a compiler: `plain` inside a compiling process, and LINKWORK_JIT=0 for a whole one."""

import json
import os
import subprocess
import sys

import pytest

from linkwork.kernels import JIT, kernel
from linkwork.spatial.plain import plain
from linkwork.spatial.se3 import pose_exp, pose_log
from linkwork.spatial.so3 import quaternion_log
from linkwork.spatial.vectors import add3

# Both processes run this text; it prints numbers of every module, floats and complex, as exact hexadecimals.
CHECKS = """
import json, sys
from linkwork.spatial.articulated import articulated_from_rigid, articulated_to_parent
from linkwork.spatial.inertia import bias_force, inertia_from_com, inertia_transform
from linkwork.spatial.plain import plain
from linkwork.spatial.motion import screw_of
from linkwork.spatial.se3 import pose_compose, pose_exp, pose_inverse, pose_log
from linkwork.spatial.so3 import quaternion_log, rotation_exp

def flat(x):
    if isinstance(x, tuple):
        return [z for y in x for z in flat(y)]
    return [float(x.real).hex(), float(x.imag).hex()]

V, W = (0.3, -0.2, 0.9, 1.0, -2.0, 0.5), (1.1, 0.4, -0.7, 0.2, 0.6, -0.3)
tiny, half, free = (1e-9, 0.0, -2e-9, 0.1, 0.2, 0.3), (0.0, 3.141592653589793, 0.0, 1.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0, 2.0, 2.0)
X = plain(pose_compose)(plain(pose_exp)(V), plain(pose_inverse)(plain(pose_exp)(W)))
I = plain(inertia_from_com)(2.0, (0.1, 0.2, 0.3), (1.0, 0.1, 0.2, 1.5, 0.3, 2.0))
results = [
    X, plain(pose_log)(X), plain(pose_log)(plain(pose_exp)(tiny)), plain(pose_log)(plain(pose_exp)(half)),
    plain(pose_exp)(tuple(v + 1e-30j * w for v, w in zip(V, W))), plain(quaternion_log)((-0.1 + 1e-30j, 0.2, 0.3, 0.9)),
    plain(rotation_exp)((0.0, 0.0, 1e-30j)), plain(screw_of)(V), plain(screw_of)(free),
    plain(bias_force)(plain(inertia_transform)(X, I), W), plain(articulated_to_parent)(X, plain(articulated_from_rigid)(I)),
]
print(json.dumps([flat(r) for r in results] + ["numba" in sys.modules]))
"""


def numbers_with(jit):
    environment = {**os.environ, "LINKWORK_JIT": jit, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", CHECKS], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_package_runs_without_a_compiler_and_gives_the_same_bits():
    *without, numba_loaded = numbers_with("0")
    assert not numba_loaded
    *with_plain, _ = numbers_with("1")
    assert sum(len(r) for r in without) > 190
    assert without == with_plain


@kernel(inline=True)
def twice(a):
    return add3(a, a)


def test_plain_replaces_callees_too():
    assert plain(twice)((1, 2, 3)) == (2, 4, 6)
    assert plain(twice)(("a", "b", "c")) == ("aa", "bb", "cc"), "only plain Python adds texts: a callee is still compiled"
    assert plain(twice).__name__ == "twice"
    assert plain(twice) is plain(twice)


def test_plain_of_a_plain_function_is_itself():
    assert plain(len) is len


@pytest.mark.skipif(not JIT, reason="nothing is compiled here")
def test_plain_compiles_nothing():
    plain(pose_log)(plain(pose_exp)((0.1, 0.2, 0.3, 1.0, 2.0, 3.0)))
    assert all(k.called is None for k in (pose_exp, pose_log, quaternion_log))
