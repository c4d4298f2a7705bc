"""`linkwork info`: what a mechanism is made of; or what a recording holds."""

from .arguments import add_json, add_source
from .messages import answer
from .source import load, load_recording


def add(verbs):
    parser = verbs.add_parser(
        "info",
        help="what a mechanism or a recording is made of",
        description="The tree of a mechanism, sizes and masses; or what a recording holds.",
    )
    add_source(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options):
    if options.file.lower().endswith(".arrow"):
        return _recording(options)
    source = load(options)
    mechanism, setup = source.mechanism, source.setup
    faults = mechanism.faults()
    text = [str(mechanism), ""]
    data = {"name": mechanism.name, "gravity": mechanism.gravity, **_counts(mechanism), "faults": [list(fault) for fault in faults]}
    if faults:
        text += [f"it cannot be built: {len(faults)} fault{'s' if len(faults) > 1 else ''}; `linkwork check` lists them"]
    else:
        model = mechanism.build()
        data |= _sizes(model)
        text += _size_lines(model)
    text += [f"note: {note}" for note in _notes(mechanism)]
    data |= {"notes": _notes(mechanism), "duration": setup.duration, "integrator": setup.integrator, "controllers": list(setup.controllers)}
    answer(options, "\n".join(text).rstrip(), data)
    return 0


def _counts(mechanism):
    return {what: len(getattr(mechanism, what)) for what in ("bodies", "joints", "frames", "constraints", "forces")}


def _sizes(model):
    loops = [joint.name for joint in model.joints if joint.closes_loop]
    return {"nq": model.nq, "nv": model.nv, "rows": model.nc, "loops": loops, "mass": model.mass, "fingerprint": model.fingerprint}


def _size_lines(model):
    loops = sum(joint.closes_loop for joint in model.joints)
    lines = [f"coordinates {model.nq}, velocities {model.nv}, rows of constraints {model.nc}, loops {loops}", f"mass {model.mass:.6g} kg"]
    heaviest = sorted(model.bodies, key=lambda body: -body.inertia.mass)[:3]
    if heaviest:
        lines[1] += "; heaviest: " + ", ".join(f"{body.name} {body.inertia.mass:.4g} kg" for body in heaviest)
    return lines


def _notes(mechanism):
    return [str(note) for note in getattr(mechanism, "notes", ())]


def _recording(options):
    recording = load_recording(options.file)
    text = [repr(recording), f"status: {recording.status}", *(f"{name}: {value}" for name, value in recording.notes.items())]
    if recording.audit is not None:
        text += ["", str(recording.audit)]
    data = {"model": recording.layout.model, "frames": len(recording), "channels": recording.channels, "names": recording.names}
    data |= {"status": recording.status.to_dict(), "notes": dict(recording.notes), "digest": recording.digest}
    data["audit"] = None if recording.audit is None else recording.audit.to_dict()
    answer(options, "\n".join(text), data)
    return 0
