"""Whole runs of the variational method, for tests that look at their ends."""

from typing import NamedTuple

import numpy as np

from linkwork.data.variational import VariationalReport
from linkwork.integrators.variational.run import Run


class VariationalRun(NamedTuple):
    """Where a run ended: q, v, the multipliers of its last step (forces at the step's beginning), and the kernel's report."""

    q: np.ndarray
    v: np.ndarray
    multipliers: np.ndarray
    report: VariationalReport


def variational_run(model, q, v, h, steps, tau=None, **options):
    """Run from (q, v) for `steps` steps of h: a VariationalRun.

    tau: a compiled function as integrators/variational/force_calls.py describes it (with an `address`), in plain Python any function.
    options: t, at which the run begins (0), and damping as `Run` takes them; iterations and real_time as `Run.step` does.
    """
    begun = {name: options.pop(name) for name in ("t", "damping") if name in options}
    run = Run(model, q, v, tau=tau, **begun)
    run.step(h, steps, **options)
    return VariationalRun(*run.state(), run.multipliers, run.report)
