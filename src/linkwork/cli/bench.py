"""`linkwork bench`: how fast this machine simulates the mechanisms that come with Linkwork."""

import time as clock

import linkwork as lw

from .arguments import add_json, integrators, mechanisms, seconds
from .messages import UsageError, answer, say

AT_LEAST = 0.3  # s of measuring
STEP = 1e-3


def add(verbs):
    parser = verbs.add_parser(
        "bench",
        help="steps per second on this machine",
        description="Steps per second of shipped mechanisms: one core, compiled loop, no frames.",
    )
    chosen = parser.add_argument("names", nargs="*", default=[], metavar="NAME", help="shipped mechanisms; by default all")
    chosen.completer = mechanisms
    method = parser.add_argument("--integrator", metavar="NAME", default="runge-kutta-4", help="by default runge-kutta-4")
    method.completer = integrators
    parser.add_argument("--step", type=seconds, metavar="S", help=f"step of the integrator, if it has one ({STEP:g})")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options):
    known = lw.shipped()
    for name in options.names:
        if name not in known:
            raise UsageError(str(lw.UnknownNameError("shipped mechanism", name, known)))
    method = _integrator(options)
    rows = []
    for name in options.names or known:
        say(f"{name} ...")
        rows.append({"name": name, **_measured(lw.shipped(name), method)})
    heads = f"{'mechanism':<28}{'nv':>5}{'rows':>6}{'steps/s':>12}{'us a step':>12}{'x real time':>13}"
    lines = [f"{method} on one core", heads, *(_line(row) for row in rows)]
    answer(options, "\n".join(lines), {"integrator": repr(method), "mechanisms": rows})
    return 0


def _integrator(options):
    settings = {} if options.step is None else {"step": options.step}
    try:
        return lw.integrator(options.integrator, **settings)
    except lw.LinkworkError as error:
        raise UsageError(str(error)) from None


def _measured(document, method):
    """The best of runs that get longer until one takes long enough; the first pays for compilation and is not counted."""
    model = document.mechanism.build()
    settings = {**document.setup.options(model), "integrator": method, "record_interval": 1e6, "record": ("q",), "progress": False}
    sim = lw.Simulation(model, **settings)
    span, best, spent = 20 * STEP, (0.0, 0.0), 0.0
    sim.run(span).status.raise_failure()
    while spent < AT_LEAST:
        steps, start = sim.audit.steps, clock.perf_counter()
        sim.run(span).status.raise_failure()
        took = clock.perf_counter() - start
        spent += took
        best = max(best, ((sim.audit.steps - steps) / took, span / took))
        span *= 2.0 if took < AT_LEAST / 4 else 1.0
    return {"nv": model.nv, "rows": model.nc, "steps_per_second": best[0], "real_time_factor": best[1]}


def _line(row):
    rate = row["steps_per_second"]
    return f"{row['name']:<28}{row['nv']:>5}{row['rows']:>6}{rate:>12.0f}{1e6 / rate:>12.2f}{row['real_time_factor']:>13.1f}"
