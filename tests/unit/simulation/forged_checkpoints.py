"""Checkpoints with a right hash and wrong contents, taken up again: `python -m tests.unit.simulation.forged_checkpoints SEED COUNT [INTEGRATOR]`.

Run as a process of its own, so that a crash is seen as one. Every forgery must be refused by a LinkworkError, or taken up and run on. What was tried
last is printed before it is tried; anything else that is raised, or takes longer than SLOW, ends the process.
"""

import copy
import hashlib
import json
import math
import random
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import linkwork as lw
from linkwork.simulation import checkpoint

SLOW = 20  # s
PHYSICS = (
    "array 'parameters'",
    "array 'controllers'",
    "array 'motion'",
    "bytes",
)  # a gain of 1e8 is a motion that is slow to follow, not a forgery
VALUES = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    10**6,
    2**40,
    2**62,
    -(2**62),
    2**70,
    1e300,
    -1e300,
    1e-300,
    0.5,
    math.nan,
    math.inf,
    -math.inf,
)
OTHERS = ("", "x", "NaN", [], {}, [[]], [1, 2, 3], {"a": 1}, [None], "\udc80", "a" * 1000)
WORDS = (0, 1, -1, 2**31, -(2**31), 2**40, 2**62, -(2**63), 0x7FF0000000000000, 0x7FF8000000000000, 0x4197D78400000000)
INTEGRATORS = (
    lw.RungeKutta4(step=2.5e-3),
    lw.SemiImplicitEuler(step=1e-3),
    lw.Adaptive(),
    lw.Adams(),
    lw.Implicit(step=5e-3),
    lw.Implicit(),
    lw.Variational(step=2.5e-3),
    lw.EnergyMomentum(step=5e-3),
)


@lw.controller(rate=200.0, states=3)
def remembering(t, q, v, memory, gain=0.1):
    memory[0] = memory[1]
    memory[1] = q[0]
    return -gain * v


def mechanism():
    m = lw.Mechanism("forged")
    arm = m.add_body("arm", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    bob = m.add_body("bob", mass=0.5, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.add_joint("ball", lw.Spherical(), m.ground, arm)
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), arm.at(0, 0, -1), bob)
    m.add_constraint("rod", lw.Distance(math.hypot(1.0, 2.0)), bob.at(0, 0, -1), m.ground.at(1.0, 0, 0))
    m.add_force("spring", lw.SpringDamper(stiffness=20.0, length=1.0), bob, m.ground.at(0, 0.5, -1))
    return m


def settings(integrator):
    controllers = [] if isinstance(integrator, lw.EnergyMomentum) else [remembering]
    watched = [lw.Event(lambda t, q, v: v[0], name="turns"), lw.Event(lambda t, q, v: t - 0.01, name="late")]
    return {"controllers": controllers, "events": watched, "record_interval": 0.01}


def paths(value, at=()):
    """The places of all values inside a value of JSON."""
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from paths(inner, (*at, key))


def forged_data(data, draw):
    """The JSON of a checkpoint with one value that is another, gone, or twice."""
    data = copy.deepcopy(data)
    at = draw.choice([path for path in paths(data) if path])
    holder = data
    for key in at[:-1]:
        holder = holder[key]
    if isinstance(holder, list) and draw.random() < 0.2:
        holder.append(holder[at[-1]])
    elif draw.random() < 0.2:
        del holder[at[-1]]
    else:
        value = holder[at[-1]]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and draw.random() < 0.3:
            holder[at[-1]] = value + draw.choice((1, -1, 100, -100, 0.5, 1e9))
        else:
            holder[at[-1]] = draw.choice(VALUES + OTHERS)
    return data, f"data {at}"


def forged_arrays(arrays, draw):
    """The arrays of a checkpoint with one that is another, gone, longer, or of another type."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = draw.choice(list(arrays))
    array, way = arrays[name], draw.choice(("gone", "shape", "type", "words", "words", "words", "words", "zeros"))
    if way == "gone":
        del arrays[name]
    elif way == "shape":
        choices = (
            array.reshape(-1)[:-1],
            np.concatenate([array.reshape(-1)] * 2),
            array[None],
            np.zeros(0),
            np.zeros((2, 2)),
            np.array(1.0),
        )
        arrays[name] = draw.choice(choices).astype(array.dtype)
    elif way == "type":
        arrays[name] = array.astype(draw.choice((np.float64, np.int64, np.uint8, np.bool_)))
    elif way == "zeros":
        arrays[name] = np.zeros_like(array)
    elif array.size and array.dtype.itemsize == 8:
        words = arrays[name] = np.ascontiguousarray(array)
        words = words.reshape(-1).view(np.int64)
        for _ in range(draw.choice((1, 1, 1, 5))):
            k = draw.randrange(len(words))
            number = draw.choice((1.0, -1.0, 3.0, 13.0, 15.0, 16.0, 1e6, 1e17, math.nan, math.inf))
            words[k] = draw.choice(WORDS) if draw.random() < 0.5 else int(np.float64(number).view(np.int64))
    return arrays, f"array {name!r} {way}"


def forged_bytes(raw, draw):
    """The bytes of a checkpoint with some that are others, hashed anew or not."""
    body = bytearray(raw[40:])
    for _ in range(draw.choice((1, 3, 30))):
        body[draw.randrange(len(body))] = draw.randrange(256)
    body = body[: draw.randrange(len(body))] if draw.random() < 0.2 else body
    head = hashlib.sha256(body).digest() if draw.random() < 0.8 else raw[8:40]
    return raw[:8] + head + bytes(body)


def forge(path, raw, arrays, held, draw):
    """Write a forgery; returns what it is, in words."""
    way = draw.random()
    if way < 0.1:
        path.write_bytes(forged_bytes(raw, draw))
        return "bytes"
    if way < 0.55:
        held, what = forged_data(held, draw)
    else:
        arrays, what = forged_arrays(arrays, draw)
    text = json.dumps(held).encode("utf-8", "surrogatepass")
    kept = json.dumps
    try:
        checkpoint.json.dumps = lambda given: kept({**given, "data": json.loads(text)})
        checkpoint.write_checkpoint(path, arrays, held)
    finally:
        checkpoint.json.dumps = kept
    return what


def main(seed, count, only=None):
    warnings.simplefilter("ignore")
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        sources = []
        for integrator in INTEGRATORS if only is None else INTEGRATORS[only : only + 1]:
            path = Path(folder) / f"{len(sources)}.ckpt"
            lw.Simulation(mechanism(), integrator, checkpoint=path, v=None, **settings(integrator)).run(0.055)
            sources.append((integrator, path, path.read_bytes(), *checkpoint.read_checkpoint(path)))
        model, refused = mechanism().build(), 0
        for k in range(count):
            integrator, path, raw, arrays, held = sources[k % len(sources)]
            what = forge(path, raw, arrays, held, draw)
            print(f"{k} {integrator} {what}", flush=True)
            signal.alarm(SLOW)
            try:
                sim = lw.Simulation.resumed(path, model, integrator, **settings(integrator))
                sim.step(3)
                if not any(name in what for name in PHYSICS):
                    sim.run(0.02)
                assert np.isfinite(sim.recording.q).all()
            except lw.LinkworkError as error:
                assert len(str(error)) < 2000, len(str(error))
                refused += 1
            signal.alarm(0)
        print(f"done: {refused} of {count} refused")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *(int(x) for x in sys.argv[3:]))
