"""What a checkpoint of a simulation holds, and how a simulation takes it up again."""

from ..errors import FormatError
from .checkpoint import Checkpoints
from .ledger import Ledger
from .status import Status


def contents(sim):
    """(arrays, data) that restore a simulation bit by bit."""
    system = sim.system
    arrays = {"motion": system.save(), "numbers": system.loads.numbers, "on": system.loads.on, "controllers": system.numbers}
    arrays |= {f"method {name}": array for name, array in sim.method.arrays().items()}
    data = {
        "model": sim.model.fingerprint,
        "integrator": repr(sim.integrator),
        "method": sim.method.scalars(),
        "time": sim.time,
        "goal": sim._goal,
        "wall": sim._wall,
        "status": sim.status.to_dict(),
        "ledger": sim._frames.ledger.to_dict(),
        "frames": sim._frames.to_dict(),
    }
    return arrays, data


def restore(sim, path):
    """Bring a new simulation to where its checkpoint was."""
    held = Checkpoints(path).resume(sim.model)
    data, arrays = held.data, held.arrays
    for what, ours in (("model", sim.model.fingerprint), ("integrator", repr(sim.integrator))):
        if data.get(what) != ours:
            raise FormatError(f"{path}: the checkpoint is of another {what} ({data.get(what)}); give the one it was made with", str(path))
    system = sim.system
    if "motion" not in arrays or arrays["motion"].shape != (system.place.size,) or arrays["numbers"].shape != system.loads.numbers.shape:
        raise FormatError(f"{path}: the checkpoint is of other forces or another solver; give the same settings", str(path))
    system.load(arrays["motion"])
    system.loads.numbers[:], system.loads.on[:] = arrays["numbers"], arrays["on"]
    system.numbers[:] = arrays["controllers"]
    start = len("method ")
    sim.method.restore({name[start:]: array for name, array in arrays.items() if name.startswith("method ")}, data["method"])
    sim.time, sim._goal, sim._wall = data["time"], data["goal"], data["wall"]
    sim.status = Status.from_dict(data["status"])
    sim._frames.ledger = Ledger.from_dict(data["ledger"])
    sim._frames.from_dict(data["frames"])
    if held.recording is not None:
        sim._frames.recorder.restore(held.recording)
    sim._checkpoints = Checkpoints(path)
    sim._checkpoints.resume(sim.model)
    sim._begun = True
    sim._frames.state_set(sim.state)
