"""How many floating-point operations an algorithm spends on one state of a model, counted by running the kernels themselves.

The kernels are generic in their scalar; here they run as plain Python on a scalar that counts. What `performed`, `simplified` and
`needed` mean is said in counting_scalar.py.

    counts(model, "aba").needed.flops                           multiplications, additions, divisions and roots; sines and cosines apart
    counts(model, "aba").performed.flops_with(lane_sincos())    sines and cosines at the price of the polynomials that lanes evaluate
    flops_per_state(model, "forward dynamics")                  `needed`, with such sines and cosines: the useful work of a benchmark

Counting needs LINKWORK_JIT=0; in a process that compiles, a child process counts.
"""

import functools
import os
import pickle
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
from counting_scalar import Counts, Trace, Work

import linkwork
from linkwork.kernels import JIT
from linkwork.model.tables import CUSTOM

if JIT:
    from peak import peak_gflops  # noqa: F401 - what a machine could do belongs beside what an algorithm needs

ALGORITHMS = ("rnea", "crba", "aba", "factor_and_solve", "forward_by_crba")
BENCHMARKS = {"inverse dynamics": "rnea", "mass matrix": "crba", "forward dynamics": "aba"}


def counts(model, algorithm, q=None, v=None, x=None):
    """The Work of one state of a model.

    `algorithm`: "rnea" (q, v, vdot to tau), "crba" (q to M), "aba" (q, v, tau to vdot), "factor_and_solve" (the sparse factor of M and
    one solve) or "forward_by_crba" (q, v, tau to vdot: RNEA for the bias, CRBA, factor, solve). x is vdot or tau. The counts do not
    depend on the state, which is arbitrary unless it is given. Custom joints are refused: they run the user's own functions.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm: found {algorithm!r}; allowed are {', '.join(ALGORITHMS)}")
    if (model.tables.links["kind"] == CUSTOM).any():
        raise ValueError(f"{model.name}: it has a custom joint, whose functions cannot be counted; count the model without it")
    rng = np.random.default_rng(1)
    if q is None:
        q = rng.uniform(0.5, 1.0, model.nq)
        for at in model.tables.quats:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    v, x = (rng.uniform(0.5, 1.0, model.nv) if y is None else y for y in (v, x))
    return _in_plain_python("_trace", model, algorithm, *(np.asarray(y, dtype=float) for y in (q, v, x)))


@functools.cache
def lane_sincos():
    """What a sine and cosine of a lane costs (lanes/elementary.py: reduction and two polynomials), as Counts."""
    return _in_plain_python("_trace_lane_sincos").needed


@functools.cache
def flops_per_state(model, what):
    """The operations that one state needs at least, sines and cosines included; `what` is one of BENCHMARKS."""
    return counts(model, BENCHMARKS[what]).needed.flops_with(lane_sincos())


# ----------------------------------------------------------------------------------------------- one run


def counting_tables(tables, trace):
    """The tables of a model with every float a constant of the trace."""

    def row(record, together=()):
        entry = {name: record[name] for name in record.dtype.names}
        for name, value in entry.items():
            if record.dtype[name].base.kind == "f":
                entry[name] = trace.constants(value) if np.ndim(value) else trace.constant(value)
        for pair in together:
            entry |= zip(pair, trace.constants([record[name] for name in pair]), strict=True)
        return SimpleNamespace(**entry)

    links = [row(link, (("c0", "s0"), ("ca", "sa"))) for link in tables.links]
    for link in links:
        link.offset = trace.constant(link.offset.value, 1.0)  # an angle, made from sines and cosines
    generals = [row(general) for general in tables.generals]
    armature, gravity = [trace.constant(x) for x in tables.armature], trace.constants(tables.gravity)
    return tables._replace(links=links, generals=generals, armature=armature, gravity=gravity)


def _trace(model, algorithm, q, v, x):
    from linkwork.data.tree import GRAVITY, VELOCITIES, TreeData
    from linkwork.dynamics.aba import articulated_bodies
    from linkwork.dynamics.crba import composite_bodies
    from linkwork.dynamics.rnea import newton_euler

    trace = Trace()
    t, nothing = counting_tables(model.tables, trace), trace.constant(0.0)
    tree = TreeData.allocate(model.sizes, dtype=object)
    tree._memory.zero_number = nothing
    for values, given in ((tree.q, q), (tree.v, v), (tree.tau, x), (tree.vdot, x)):
        values[:] = [trace.variable(value) for value in given]
    M = np.full((model.nv, model.nv), nothing, dtype=object)
    match algorithm:
        case "rnea":
            newton_euler(t, tree, GRAVITY | VELOCITIES)
            answer = tree.tau
        case "aba":
            articulated_bodies(t, tree, GRAVITY | VELOCITIES)
            answer = tree.vdot
        case "crba":
            composite_bodies(t, tree, M, 0, None)
            answer = M
        case "factor_and_solve":
            answer = _factor_and_solve(t, _any_mass_matrix(t, M, trace), tree.tau)
        case "forward_by_crba":
            tau = tree.tau.copy()
            tree.vdot[:] = nothing
            newton_euler(t, tree, GRAVITY | VELOCITIES)
            composite_bodies(t, tree, M, 0, None)
            answer = _factor_and_solve(t, M, tau - tree.tau)
    return trace.work(answer)


def _any_mass_matrix(t, M, trace):
    """A positive definite matrix with the zeros of the tree's mass matrix, all other entries unknown."""
    for i in t.order:
        M[i, i], j = trace.variable(len(M)), t.ancestor[i]
        while j >= 0:
            M[i, j] = M[j, i] = trace.variable(1.0)
            j = t.ancestor[j]
    return M


def _factor_and_solve(t, M, b):
    from linkwork.dynamics.factor import factor_in_place, solve_in_place

    # The factor takes its roots by math.sqrt, which knows floats only.
    with mock.patch("linkwork.dynamics.factor.math", SimpleNamespace(sqrt=lambda y: y.sqrt()), create=True):
        if factor_in_place(t.ancestor, t.order, M) >= 0:
            raise ValueError("the mass matrix is not positive definite; give the tips of the tree mass and inertia")
    solve_in_place(t.ancestor, t.order, M, b)
    return b


def _trace_lane_sincos():
    from linkwork.kernels.lanes import elementary

    trace = Trace()

    def quadrant(k, s, c):
        return k + 6755399441055744.0, s, c  # the one addition in it; the rest is logic on bits

    with mock.patch.multiple(elementary, round_pack=lambda y: trace.make(None, "round", round(y.value), y), _quadrant=quadrant):
        return trace.work(np.array(elementary._sincos_reduced(trace.variable(0.3))))


# ----------------------------------------------------------------------------------------------- in which process


def _in_plain_python(function, *arguments):
    if not JIT:
        return globals()[function](*arguments)
    path = os.pathsep.join([str(Path(linkwork.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    child = subprocess.run(
        [sys.executable, __file__],
        input=pickle.dumps((function, arguments)),
        capture_output=True,
        env={**os.environ, "LINKWORK_JIT": "0", "PYTHONPATH": path},
    )
    if child.returncode:
        raise RuntimeError(f"counting failed in the child process:\n{child.stderr.decode()}")
    *numbers, result = pickle.loads(child.stdout)
    return Work(*(Counts(**n) for n in numbers), result)


if __name__ == "__main__":
    asked, given = pickle.load(sys.stdin.buffer)
    done = globals()[asked](*given)
    sys.stdout.buffer.write(pickle.dumps((asdict(done.performed), asdict(done.simplified), asdict(done.needed), done.result)))
