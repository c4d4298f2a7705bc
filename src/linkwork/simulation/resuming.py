"""What a checkpoint of a simulation holds, and how a simulation takes it up again.

A checkpoint is whole if its hash is right, but anybody can write one: names, types, sizes, counts and times are checked before anything believes them
(integrators/saved_values.py), and all that is wrong is a FormatError.
"""

import hashlib

import numpy as np

from ..arguments import RENAMED
from ..dynamics.call import diagnose
from ..errors import FormatError, LinkworkError, StateError
from ..integrators.decisions import decisions, restore_decisions
from ..integrators.saved_values import refuse_saved, saved_array, saved_number
from ..jets.meaning import function_said
from ..model.model import force_said
from .checkpoint import Checkpoints
from .ledger import Ledger
from .status import Status

_METHOD = "method "  # before the names of a method's arrays


def contents(sim):
    """(arrays, data) that restore a simulation bit by bit."""
    system = sim.system
    arrays = {
        "motion": system.save(),
        "parameters": system.active_forces.words,
        "on": system.active_forces.on,
        "controllers": system.numbers,
    }
    arrays |= {_METHOD + name: array for name, array in sim.method.arrays().items()} | decisions(system.workspace.accelerations)
    data = {
        "model": sim.model.fingerprint,
        "integrator": repr(sim.integrator),
        "controllers": [_controller_said(c) for c in system.controllers],
        "events": [_event_said(event) for event in sim._events],
        "settings": _settings(sim),
        "begin": [sim.began.t, sim.began.q.tolist(), sim.began.v.tolist()],
        "method": sim.method.scalars(),
        "time": sim.time,
        "goal": sim._goal,
        "wall": sim._wall,
        "status": sim.status.to_dict(),
        "ledger": sim._samples.ledger.to_dict(),
        "frames": sim._samples.to_dict(),
        "watch": sim._schedule.watch_to_dict(),
    }
    return arrays, data


def _settings(sim):
    """What is set for a run beside its model, integrator, controllers and events, as text by name."""
    times = None if sim.times is None else _digest(sim.times.tobytes())
    forces = [
        (f.name, force_said(f.kind), f.joints, f.on, [(body, pose.matrix.tobytes()) for body, pose in f.places]) for f in sim._more_forces
    ]
    said = {"drift": sim.drift, "times": times, "forces": [(f[0], _digest(f)) for f in forces]}
    said |= {"constraint_tolerance": sim.constraint_tolerance, "record_interval": sim.record_interval}
    return {name: repr(value) for name, value in said.items()}


def _controller_said(controller):
    """Name, and a digest of function, rate, joints and parameters."""
    return [controller.name, _digest((function_said(controller.function), controller.made_by[1:], controller.parameters()))]


def _event_said(event):
    """Name, direction, stop, and a digest of the function."""
    function = event.function
    return [
        event.name,
        int(event.direction),
        bool(event.stop),
        _digest(repr(function) if hasattr(function, "on") else function_said(function)),
    ]


def _digest(content):
    return hashlib.sha256(repr(content).encode()).hexdigest()[:16]


def _check_events(sim, said):
    """Events that are given must be those of the run; without any, it goes on unwatched."""
    ours = [_event_said(event) for event in sim._events]
    if not ours or ours == said:
        return
    names = [[x[0] for x in events] for events in (said, ours)]
    if names[0] != names[1]:
        found = f"found {', '.join(map(repr, names[1]))}, but the run watched for {', '.join(map(repr, names[0])) or 'none'}"
    else:
        wrong = next(a[0] for a, b in zip(ours, said, strict=True) if a != b)
        found = f"found another function, direction or stop of event {wrong!r} than the run watched for"
    raise FormatError(f"events: {found}; allowed are the events of the run, in their order, or none; give those")


def restore(sim, path, begin=()):
    """Bring a new simulation to where its checkpoint was. `begin`: names of t, q, v that were given, which must be those the run began with."""
    held = Checkpoints(path).resume(sim.model)
    try:
        _restore(sim, held, begin)
    except StateError as error:
        raise FormatError(f"{path}: {error}", str(path)) if error.argument not in begin else error from error
    except FormatError as error:
        raise FormatError(f"{path}: {error}", str(path)) from error
    except LinkworkError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise FormatError(f"{path}: the checkpoint is not understood ({type(error).__name__}: {str(error)[:200]})", str(path)) from error
    sim._begun = True


def _restore(sim, held, begin):
    data, arrays, system = held.data, held.arrays, sim.system
    controllers = [_controller_said(c) for c in system.controllers]
    for what, ours in (("model", sim.model.fingerprint), ("integrator", repr(sim.integrator)), ("controllers", controllers)):
        said = data.get(what)
        if said != ours:
            what = "list of controllers" if what == "controllers" else what
            raise FormatError(f"the checkpoint is of another {what} ({str(said)[:200]}); give the one it was made with")
    _check_events(sim, data["events"])
    settings = {RENAMED["Simulation"].get(name, name): value for name, value in data["settings"].items()}
    for name, ours in _settings(sim).items():
        if settings.get(name) != ours:
            raise FormatError(
                f"{name}: found {ours}, but the run in the checkpoint has {str(settings.get(name))[:80]}; give the same settings"
            )
    _check_begin(sim, data["begin"], begin)
    sizes = ("motion", (system.workspace.size,)), ("parameters", system.active_forces.words.shape), ("controllers", system.numbers.shape)
    if any(name not in arrays or arrays[name].shape != shape for name, shape in sizes):
        raise FormatError("the checkpoint is of other forces, controllers or another solver; give the same settings")
    on = saved_array(arrays, "on", system.active_forces.on.shape, np.int64)
    if ((on != 0) & (on != 1)).any():
        raise refuse_saved("array 'on'", on.tolist(), "0 or 1 for each force")
    motion = saved_array(arrays, "motion", (system.workspace.size,), finite=False)
    with np.errstate(invalid="ignore"):  # counts that are none are refused below
        system.load(motion)
    restore_decisions(system.workspace.accelerations, arrays)
    _check_state(sim)
    system.workspace.refuse_wrong_integers(motion)
    words = saved_array(arrays, "parameters", system.active_forces.words.shape, np.int64)
    if not system.active_forces.accepts(words):
        raise refuse_saved("array 'parameters'", "a table of another size", "tables as long as their numbers")
    system.active_forces.words[:] = words
    system.numbers[:] = saved_array(arrays, "controllers", system.numbers.shape, finite=False)
    system.active_forces.on[:] = on
    method = {name.removeprefix(_METHOD): array for name, array in arrays.items() if name.startswith(_METHOD)}
    sim.method.restore(method, data["method"])
    _restore_times(sim, data)
    sim.status = Status.from_dict(data["status"])
    _restore_frames(sim, data, held.recording)


def _check_begin(sim, said, begin):
    """Refuse another beginning than the run had; without one, the run's own stands."""
    t, q, v = said
    saved = {"t": saved_number({"t": t}, "t"), "q": np.array(q, dtype=float), "v": np.array(v, dtype=float)}
    if saved["q"].shape != (sim.model.nq,) or saved["v"].shape != (sim.model.nv,):
        raise refuse_saved("beginning", said, f"t, {sim.model.nq} coordinates and {sim.model.nv} velocities")
    for name in begin:
        if not np.array_equal(getattr(sim.began, name), saved[name]):
            raise StateError(
                f"{name}: found another beginning than that of the run in the checkpoint, which began with {name} = {_said(saved[name])}; a run is "
                f"taken up where the checkpoint left it; leave {name} out, or begin a new Simulation",
                name,
            )
    sim.began = type(sim.began)(saved["t"], saved["q"], saved["v"])


def _said(value):
    return repr(value) if isinstance(value, float) else np.array2string(value, threshold=8)


def _check_state(sim):
    """Refuse a motion whose state is none."""
    model, system = sim.model, sim.system
    inputs, arrays = [("q", None, (model.nq,)), ("v", None, (model.nv,))], [np.array(system.q), np.array(system.v)]
    try:
        diagnose(model, inputs, arrays)
    except StateError as error:
        if error.argument is not None:
            raise refuse_saved("state", str(error), "finite numbers, and quaternions of unit length") from None


def _restore_times(sim, data):
    """The time that is shown, and where the run is to end. A method stands within a step of the time that is shown."""
    time, goal, wall = (saved_number(data, name) for name in ("time", "goal", "wall"))
    method = sim.method
    reach = (
        max(method.time - method.before, getattr(sim.integrator, "step", None) or 0.0)
        + 1e-9 * sim.record_interval
        + 8.0 * np.spacing(abs(time))
    )
    if not abs(time - method.time) <= reach:
        raise refuse_saved("time", time, f"one within a step of {method.time!r}")
    if wall < 0.0:
        raise refuse_saved("wall", wall, "a number from 0 on")
    sim.time, sim._goal, sim._wall = time, goal, wall


def _restore_frames(sim, data, recording):
    frames = sim._samples
    ledger = Ledger.from_dict(data["ledger"])
    if (ledger.model, ledger.forces, ledger.rows) != (frames.ledger.model, frames.ledger.forces, frames.ledger.rows):
        raise FormatError("the checkpoint's ledger is of other forces or rows; give the same settings")
    samples = [sample for sample in (ledger._first, ledger._last) if sample is not None]
    if any(sample.stored.shape != (len(ledger.forces),) or sample.work.shape != sample.stored.shape for sample in samples):
        raise refuse_saved("ledger", ledger.forces, "a number for each force in its samples")
    if len(samples) != (2 if ledger.frames else 0) or (recording is not None and recording.time[-1] > sim.time):
        raise refuse_saved("number of frames", ledger.frames, "that of its ledger, up to the time of the run")
    frames.ledger = ledger
    if recording is not None:
        frames.recorder.restore(recording)
    frames.from_dict(data["frames"], sim._events)
    sim._schedule.next_sample()  # refuses samples that would never come
    sim._schedule.watch_from_dict(data["watch"])
