"""What `test_plain_python.py` compares: results of all public functions; run as a program, it prints them pickled.

`complex_step` runs the articulated-body recursion itself on complex numbers, which only plain Python can.
"""

import pickle
import sys

import numpy as np

import linkwork as lw
from linkwork.data.tree import GRAVITY, VELOCITIES, TreeData
from linkwork.dynamics.aba import articulated_bodies
from linkwork.model.tables import open_tables

from .measures import case
from .mechanisms import FAMILIES
from .test_batch_laws import ALL, NO_THREADS

SEED = 2
DERIVED = ("tree", "floating", "every kind")  # families whose derivatives are taken: plain Python is slow


def all_results(family):
    """Arrays by name of function: for one state, and for a batch of three."""
    _, model, q, v, x, f = case(SEED, family, size=3)
    found = {}
    for name, function in (ALL | NO_THREADS).items():
        for form, arguments in (("one", (q[0], v[0], x[0], f[0])), ("batch", (q, v, x, f))):
            result = function(model, *arguments)
            for k, array in enumerate(result if isinstance(result, tuple) else (result,)):
                found[f"{name}, {form}, {k}"] = np.asarray(array)
    return found


def complex_step(family, h=1e-30):
    """Derivatives of forward dynamics by q (along velocity coordinates), v and tau, each (nv, nv)."""
    _, model, q, v, tau, _ = case(SEED, family)
    tables, nv = open_tables(model.handle), model.nv
    derivatives = {"q": np.zeros((nv, nv)), "v": np.zeros((nv, nv)), "tau": np.zeros((nv, nv))}
    for name, matrix in derivatives.items():
        for k, e in enumerate(np.eye(nv)):
            tree = TreeData.allocate(model.sizes, dtype=complex)
            tree.q[:] = _moved(model, q, 1j * h * e) if name == "q" else q
            tree.v[:] = v + 1j * h * e * (name == "v")
            tree.tau[:] = tau + 1j * h * e * (name == "tau")
            articulated_bodies(tables, tree, GRAVITY | VELOCITIES)
            matrix[:, k] = tree.vdot.imag / h
    return derivatives


def _moved(model, q, dv):
    """q (+) dv to first order, for a complex dv that is tiny."""
    q = q.astype(complex)
    for joint in model.joints:
        at, step = joint.q_index.start, dv[joint.v_index]
        if joint.kind.free:
            w, x, y, z = q[at + 3 : at + 7].real
            q[at : at + 3] += lw.Pose((0, 0, 0), (w, x, y, z)).rotation @ step[3:]
            at += 3
        if joint.kind.free or joint.kind.ball:
            w, x, y, z = q[at : at + 4]
            a, b, c = 0.5 * step[:3]
            q[at : at + 4] += np.array([-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a])
        else:
            q[joint.q_index] += step
    return q


if __name__ == "__main__":
    results = {family: all_results(family) for family in FAMILIES}
    sys.stdout.buffer.write(pickle.dumps({"results": results, "complex": {family: complex_step(family) for family in DERIVED}}))
