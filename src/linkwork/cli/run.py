"""`linkwork run`: simulate a mechanism, print the receipt, leave what was asked for."""

import argparse
import os
import warnings

import linkwork as lw

from .arguments import add_json, add_quiet, add_source, duration, integrators, names, scripts, seconds
from .controllers import controllers_of
from .messages import UsageError, print_json, remark, say
from .outputs import check_outputs
from .settings import apply_settings, check_start
from .source import load

DURATION = 10.0  # s, where neither the file nor the command line says more
RECORDINGS = (".arrow", ".csv")
PLOTS, PICTURES, ANIMATIONS = (".png", ".svg", ".pdf"), (".png", ".svg"), (".html", ".gif")


def add(verbs):
    parser = verbs.add_parser(
        "run", help="simulate a mechanism", description="Simulate a mechanism and print the receipt: energies, gaps, effort."
    )
    add_source(parser)
    motion = parser.add_argument_group("motion (what is not given is as the file says)")
    motion.add_argument("--duration", type=duration, metavar="S", help=f"seconds of motion (else {DURATION:g})")
    chosen = motion.add_argument("--integrator", metavar="NAME", help="such as runge-kutta-4 or semi-implicit-euler")
    chosen.completer = integrators
    motion.add_argument("--step", type=seconds, metavar="S", help="step of the integrator")
    motion.add_argument("--solver", choices=("auto", "articulated", "sparse"), help="of loops and constraints")
    motion.add_argument("--drift", choices=("project", "feedback", "none"), help="what keeps loops closed over time")
    code = motion.add_argument(
        "--controllers", metavar="FILE.py", help="a Python file (or module) with the functions that the mechanism names; it is run"
    )
    code.completer = scripts
    motion.add_argument(
        "--set", dest="settings", metavar="PART.PARAM=VALUE", action="append", default=[], help="change a value; repeatable"
    )
    written = parser.add_argument_group("what is recorded and written")
    written.add_argument("--record-interval", type=seconds, metavar="S", help="seconds between two samples of the recording")
    written.add_argument("--frame", type=seconds, help=argparse.SUPPRESS)  # the old name of --record-interval
    written.add_argument("--record", type=names, metavar="NAMES", help="channels: q,v,energy,gaps,reactions,poses,... or all")
    written.add_argument(
        "--out", metavar="PATH", action="append", default=[], help="the recording, .arrow (without loss) or .csv; repeatable"
    )
    written.add_argument("--plot", metavar="PATH", help="curves over time, .png, .svg or .pdf")
    written.add_argument("--picture", metavar="PATH", help="the last pose, .png or .svg")
    written.add_argument("--animate", metavar="PATH", help="the motion, .html (turn it with the mouse) or .gif")
    written.add_argument(
        "--trail", metavar="NAME", action="append", default=[], help="a body or frame whose path pictures show; repeatable"
    )
    safe = parser.add_argument_group("long runs")
    safe.add_argument("--checkpoint", metavar="PATH", help="save the run here as it goes on, so that it can be resumed after a crash")
    safe.add_argument("--checkpoint-every", type=seconds, default=30.0, metavar="S", help="seconds of waiting between two checkpoints (30)")
    safe.add_argument("--resume", action="store_true", help="go on from the checkpoint; give the same file and options as before")
    add_json(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(options):
    if options.quiet:
        os.environ["LINKWORK_QUIET"] = "1"
    _check_files(options)
    source = load(options)
    held = apply_settings(source, options.settings)
    _take_old_name(options)
    _put_on_top(source.setup, options)
    functions = controllers_of(source.setup, options.controllers)
    model = source.mechanism.build()
    check_start(source.setup, model, options.settings)
    _check_trails(model, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.FailedRunWarning)  # the report says it
        sim = _simulation(source, model, held, functions, options)
        recording = _go(sim, source.setup, options)
    outputs = _write(recording, source.mechanism, options)
    return _report(recording, outputs, options)


def _check_files(options):
    if options.resume and not options.checkpoint:
        raise UsageError("--resume: there is no --checkpoint to resume from; give its path")
    if options.resume and not os.path.isfile(options.checkpoint):
        raise UsageError(f"--resume: there is no checkpoint {options.checkpoint} yet; leave --resume out to begin")
    checkpoint = options.checkpoint
    check_outputs(
        [
            *((path, RECORDINGS, "--out") for path in options.out),
            (options.plot, PLOTS, "--plot"),
            (options.picture, PICTURES, "--picture"),
            (options.animate, ANIMATIONS, "--animate"),
            (checkpoint, (os.path.splitext(checkpoint or "")[1].lower(),), "--checkpoint"),
        ],
        read=[(options.file, "FILE"), (options.controllers, "--controllers")],
    )
    if checkpoint and not options.resume and os.path.exists(checkpoint):
        raise UsageError(
            f"--checkpoint {checkpoint}: this file is there already; --resume goes on with it; to begin anew delete it, or give another path"
        )


def _take_old_name(options):
    """--frame is the old name of --record-interval, understood for this version."""
    if options.frame is None:
        return
    if options.record_interval is not None:
        raise UsageError("--frame: it is the old name of --record-interval, which is given too; leave --frame out")
    remark(options, "--frame is called --record-interval now; the old name is understood for this version")
    options.record_interval = options.frame


def _put_on_top(setup, options):
    """The options of the command line, where they are given, in place of what the file says."""
    for name in ("duration", "record_interval", "record", "solver", "drift"):
        if getattr(options, name) is not None:
            setattr(setup, name, getattr(options, name))
    said = dict(setup.integrator or {})
    try:
        if options.integrator is not None:
            chosen = type(lw.integrator(options.integrator))
            same = "kind" not in said or type(lw.integrator(said["kind"])) is chosen
            said = {**(said if same else {}), "kind": options.integrator}
        if options.step is not None:
            said["step"] = options.step
        if said:
            said.setdefault("kind", "runge-kutta-4")
            setup.integrator = said
            lw.integrator(said)
    except lw.LinkworkError as error:
        if options.integrator is None and options.step is None and not options.settings:
            raise
        raise UsageError(f"integrator: {error}") from None


def _simulation(source, model, held, functions, options):
    """The simulation, ready to run; or as its checkpoint left it."""
    try:
        settings = _rehearsed(source, model, held, functions, options)
        settings |= {"progress": False if options.quiet else None, "checkpoint_every": options.checkpoint_every}
        if options.resume:
            return lw.Simulation.resumed(options.checkpoint, model, **settings)
        return lw.Simulation(model, checkpoint=options.checkpoint, **settings)
    except lw.UnknownNameError as error:
        if options.record is None:
            raise
        raise UsageError(f"--record: {error}") from None


def _rehearsed(source, model, held, functions, options):
    """Arguments of a Simulation that has taken a step: what is wrong is found, and kernels are compiled, before the clock starts.

    A start in which the loops are closed, as in most files, is taken as it is: the kernels that would close them need not be compiled.
    """
    for close in (False, True):
        settings = source.setup.options(model, functions, hold=held if options.settings else None, close=close)
        if source.setup.record is None and model.nc:
            settings["record"] = ("q", "v", "energy", "gaps")
        elif source.setup.record is not None and (options.picture or options.animate):
            settings["record"] = (*source.setup.record, "q")  # what they are drawn from
        try:
            lw.Simulation(model, **settings).step(1)
            return settings
        except lw.StateError as error:
            if close or error.argument not in ("q", "v"):
                raise


def _check_trails(model, options):
    known = [*(body.name for body in model.bodies), *(frame.name for frame in model.frames)]
    for name in options.trail:
        if name not in known:
            raise UsageError(f"--trail: {lw.UnknownNameError('body or frame', name, known)}")
    if options.trail and not (options.picture or options.animate):
        raise UsageError("--trail: nothing is drawn that could show it; give --picture or --animate too, or leave it out")


def _go(sim, setup, options):
    """Run to the end that is asked for; a resumed run goes to the end it had, unless another is given."""
    wanted = DURATION if setup.duration is None else setup.duration
    if not options.resume:
        return sim.run(wanted)
    end = setup.time + wanted
    if abs(end - sim.goal) <= 1e-12 * max(1.0, abs(end)):
        return sim.resume()
    if end < sim.time:
        raise UsageError(f"--resume: the checkpoint has reached {sim.time:g} s, beyond the end at {end:g} s; give a longer --duration")
    return sim.run(end - sim.time)


def _write(recording, mechanism, options):
    """All files that were asked for; their paths by what they are."""
    written = {}
    for path in options.out:
        recording.to_csv(path) if path.lower().endswith(".csv") else recording.save(path)
        written.setdefault("recordings", []).append(path)
    if options.plot:
        recording.plot(path=options.plot)
        written["plot"] = options.plot
    if options.picture:
        paths = lw.forward_kinematics(recording.model, recording.q) if options.trail else None
        lw.draw(mechanism, recording.q[-1], options.picture, trails=[paths.position(name) for name in options.trail])
        written["picture"] = options.picture
    if options.animate:
        import numpy as np

        remark(options, f"drawing {options.animate} ...")
        later = np.diff(recording.time, prepend=-np.inf) > 0.0  # two frames of one time are an impact: one pose
        times, poses = recording.time[later], recording.q[later]
        lw.animate(mechanism, times, poses, options.animate, trails=options.trail, quiet=options.quiet or options.json or None)
        written["animation"] = options.animate
    return written


def _report(recording, outputs, options):
    from ..kernels.progress import display

    display.finish()
    status, good = recording.status, recording.status.word in ("finished", "stopped")
    if options.json:
        audit = recording.audit
        found = {"model": recording.layout.model, "status": status.to_dict(), "frames": len(recording), "digest": recording.digest}
        print_json({"ok": good, "command": options.verb, **found, "audit": audit.to_dict(), "files": outputs})
    elif not options.quiet:
        print(recording.audit)
        for what, paths in outputs.items():
            for path in paths if isinstance(paths, list) else [paths]:
                print(f"{what.removesuffix('s')}: {path}")
    if not good:
        say(f"linkwork run: {status}; what was recorded until then is kept")
    elif status != "finished":
        remark(options, f"linkwork run: {status}")
    return 0 if good else 1
