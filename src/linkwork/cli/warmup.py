"""`linkwork warmup`: compile the kernels now, so that nothing has to wait later. They are kept on disk, once per machine and version."""

import os
import time as clock

import linkwork as lw

from .arguments import add_json, add_quiet
from .messages import answer, remark

SHORT = 2e-3  # s of motion: enough to compile


def add(verbs):
    parser = verbs.add_parser(
        "warmup",
        help="compile the kernels now",
        description="Compile the kernels now, so that nothing has to wait later. Takes some minutes the first time, seconds after.",
    )
    add_json(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(options):
    os.environ["LINKWORK_QUIET"] = "1"  # the lines below say more
    rows, begun = [], clock.perf_counter()
    for label, task in _tasks():
        remark(options, f"{label} ...")
        start, failed = clock.perf_counter(), None
        try:
            task()
        except lw.LinkworkError as error:  # what one integrator cannot do must not keep the others cold
            failed = str(error)
        rows.append({"what": label, "seconds": round(clock.perf_counter() - start, 3), **({"failed": failed} if failed else {})})
        remark(options, f"  {rows[-1]['seconds']:.1f} s" + (f": {failed}" if failed else ""))
    whole = clock.perf_counter() - begun
    answer(options, f"{len(rows)} groups of kernels are ready, {whole:.1f} s", {"groups": rows, "seconds": whole})
    return 1 if any("failed" in row for row in rows) else 0


def _tasks():
    """(what, function) one after the other; each compiles what those before it did not."""
    tree, closed = (_Ready(name) for name in ("double-spherical-pendulum", "four-bar"))
    yield "reading and building", lambda: (tree.make(), closed.make())
    yield "dynamics of trees", tree.dynamics
    yield "dynamics with loops and constraints", closed.dynamics
    yield "reports: mobility, cross-check of solvers", closed.reports
    yield "edits of a running mechanism, the hand, the studio", edit_and_pull
    for name in lw.named_integrators():
        yield f"integrator {name}, tree", lambda name=name: tree.simulate(name)
        yield f"integrator {name}, loops", lambda name=name: closed.simulate(name)


def edit_and_pull():
    """What the studio does: edits, pulls, poses, reads; with a loop, and once it is cut open without one."""
    lw.Live().advance(SHORT)
    live = lw.Live(lw.shipped("four-bar"))
    live.add_body("weight", shape=lw.Sphere(0.03), density=500.0, pose=(0, 0, 1))
    live.add_joint("ball", lw.Spherical(), lw.Place("coupler", lw.Pose((0.1, 0, 0))), "weight")
    for signal in ("reaction ball", "energy total", "gap"):
        live.watch(signal)
    for cut in (None, "C"):
        if cut:
            live.remove(cut)
        live.mobility()
        for hard in (False, True):
            live.pull("weight", (0, 0, 0), (0, 0, 1), hard=hard)
            live.advance(SHORT)
            live.release()
    live.undo()
    live.pose_to("weight", (0, 0, 0), (0, 0, 1.1))


class _Ready:
    """A shipped mechanism, built when it is first needed."""

    def __init__(self, name):
        self.name = name

    def make(self):
        document = lw.shipped(self.name)
        self.model, self.setup = document.mechanism.build(), document.setup
        self.options = self.setup.options(self.model)
        self.q, self.v = self.options["q"], self.options["v"]

    def dynamics(self):
        import numpy as np

        model, many = self.model, 16
        for q, v in ((self.q, self.v), (np.tile(self.q, (many, 1)), np.tile(self.v, (many, 1)))):
            vdot = lw.forward_dynamics(model, q, v, np.zeros_like(v))
            lw.forward_kinematics(model, q)
            lw.energy(model, q, v)
            lw.momentum(model, q, v)
            if not model.nc:
                lw.inverse_dynamics(model, q, v, vdot)
                lw.mass_matrix(model, q)

    def reports(self):
        lw.mobility(self.model, self.q)
        lw.cross_check(self.model, self.q, self.v)

    def simulate(self, name):
        integrator = lw.integrator(name)
        sim = lw.Simulation(self.model, **{**self.options, "integrator": integrator, "progress": False})
        sim.run(SHORT).status.raise_failure()
