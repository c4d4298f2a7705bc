"""Numbers that can be watched while time runs: a name such as "q crank" identifies it, and a function here reads it.

q JOINT, v JOINT, torque JOINT      coordinate, speed, and force of controllers and laws along it; "q JOINT 2" is the second of several
reaction PART, moment PART          size of the force (N) and moment (N m) in a joint or constraint
tension FORCE                       size of a force between places, N
length FORCE                        m, between its two places
x BODY, y BODY, z BODY, speed BODY  of its origin, in the world
distance A | B                      m, between the origins of two bodies or frames
energy kinetic|potential|total, gap, momentum, hand

Names of recordings mean the same: "crank.v" is "v crank", "crank" is "q crank", "energy" is "energy total".
"""

import itertools
import math
import warnings
from collections import deque
from typing import NamedTuple

import numpy as np

from ..dynamics.energy import energy
from ..dynamics.kinematics import forward_kinematics
from ..dynamics.momentum import momentum
from ..errors import ConstraintWarning, UnknownNameError
from ..simulation.columns import columns_of_joint

KEPT = 36000  # values: ten minutes at 60 a second
ENERGIES = ("kinetic", "potential", "total")


class Signal(NamedTuple):
    """A name and a unit."""

    name: str
    unit: str


class SignalState:
    """One state, and what has been worked out about it so far: signals of a frame share it."""

    def __init__(self, live):
        self.live, self.model = live, live.model
        self.q, self.v, self.t = live.q, live.v, live.time
        self._found = {}

    def _once(self, what, function):
        if what not in self._found:
            self._found[what] = function()
        return self._found[what]

    @property
    def kinematics(self):
        return self._once("k", lambda: forward_kinematics(self.model, self.q, self.v))

    @property
    def evaluation(self):
        return self._once("evaluation", lambda: self.live.simulation.system.evaluate(self.t, self.q, self.v))

    @property
    def energy(self):
        return self._once("energy", lambda: energy(self.model, self.q, self.v))

    @property
    def forces(self):
        return self._once("forces", lambda: self.live.simulation.gauges.forces(self.t, self.q, self.v))

    @property
    def reactions(self):
        gauges = self.live.simulation.gauges
        return self._once("reactions", lambda: gauges.reactions(self.t, self.q, self.v, self.evaluation, self.forces))

    def ends(self, force):
        """What a force between places exerts at both ends, and where they are."""
        return self.forces.ends[self.live.simulation.gauges.each.entry_of(force)]


def all_signals(live):
    """Every signal that a mechanism has now."""
    model, found = live.model, []
    if model is None:
        return found
    for joint in model.joints:
        for k in range(joint.nv):
            tail = f" {k + 1}" if joint.nv > 1 else ""
            turns = _turns(joint, k)
            if joint.nq == joint.nv:
                found.append(Signal(f"q {joint.name}{tail}", "rad" if turns else "m"))
            found.append(Signal(f"v {joint.name}{tail}", "rad/s" if turns else "m/s"))
            if not joint.kind.free:
                found.append(Signal(f"torque {joint.name}{tail}", "N m" if turns else "N"))
        if not (joint.kind.free and joint.name.endswith(".free")):
            found += [Signal(f"reaction {joint.name}", "N"), Signal(f"moment {joint.name}", "N m")]
    for constraint in model.constraints:
        if not constraint.is_loop:
            found += [Signal(f"reaction {constraint.name}", "N"), Signal(f"moment {constraint.name}", "N m")]
    for force in model.forces:
        if force.places:
            found += [Signal(f"tension {force.name}", "N"), Signal(f"length {force.name}", "m")]
    for body in model.bodies:
        found += [Signal(f"{axis} {body.name}", "m") for axis in "xyz"] + [Signal(f"speed {body.name}", "m/s")]
    found += [Signal(f"energy {which}", "J") for which in ENERGIES]
    return [*found, Signal("momentum", "kg m/s"), Signal("gap", "m or rad"), Signal("hand", "N")]


def active_forces_of(live):
    """(tau, wrenches on bodies) of all that acts now. A hard pull, a constraint in the simulation, counts by the force that it exerts."""
    state = SignalState(live)
    tau, wrenches = state.evaluation.tau, state.forces.wrenches
    grip = live.pulling
    if grip is not None and grip.hard:
        b = live.model.body(grip.body).index
        force = state.kinematics.rotations[b].T @ grip.force
        wrenches[b] += np.concatenate([np.cross(grip.point, force), force])
    return tau, wrenches


def signal_name(live, name):
    """The name that `all_signals` has for a signal, also where it is called as in a recording. Raises UnknownNameError."""
    known = [signal.name for signal in all_signals(live)]
    if name in known or (isinstance(name, str) and name.startswith("distance ") and "|" in name):
        return name
    others = _names_in_recordings(live.model)
    if others.get(name) in known:
        return others[name]
    part, _, what = str(name).rpartition(".")
    if f"{what} {part}" in known:
        return f"{what} {part}"
    raise UnknownNameError("signal", name, [*known, *(other for other, signal in others.items() if signal in known)])


def _names_in_recordings(model):
    """{name in a recording: signal} where the words or their order differ."""
    found = {"energy": "energy total", "kinetic": "energy kinetic", "potential": "energy potential"}
    for joint in model.joints if model is not None else ():
        columns = columns_of_joint(joint)
        for word, labels in (("q", columns.q_labels), ("v", columns.v_labels)):
            for k, label in enumerate(labels):
                signal = f"{word} {joint.name}{f' {k + 1}' if joint.nv > 1 else ''}"
                found |= {f"{label}.{word}": signal, f"{word} {label}": signal}
                found.setdefault(label, signal)
    return found


def reader(live, name):
    """The function of a Look that reads a signal. Raises UnknownNameError."""
    model, name = live.model, signal_name(live, name)
    word, _, rest = name.partition(" ")
    if word == "distance" and "|" in rest:
        a, b = (part.strip() for part in rest.split("|", 1))
        for part in (a, b):
            model.frame(part)
        return lambda state: float(np.linalg.norm(state.kinematics.position(a) - state.kinematics.position(b)))
    if word in ("q", "v", "torque"):
        return _joint_reader(model, word, rest)
    if word in ("reaction", "moment"):
        rows = slice(3, 6) if word == "reaction" else slice(0, 3)
        return lambda state: _size(state.reactions.wrench(rest)[rows])
    if word == "length":
        return lambda state: _size(state.ends(rest)["p_a"] - state.ends(rest)["p_b"])
    if word == "tension":
        end = "f_a" if model.force(rest).places[0][0] != "ground" else "f_b"
        return lambda state: _size(state.ends(rest)[end])
    if word in ("x", "y", "z"):
        b, k = model.body(rest).index, "xyz".index(word)
        return lambda state: float(state.kinematics.positions[b, k])
    if word == "speed":
        b = model.body(rest).index
        return lambda state: float(np.linalg.norm(state.kinematics.velocities[b, 3:]))
    return _whole_reader(word, rest)


def _whole_reader(word, rest):
    if word == "energy":
        total = rest == "total"
        return lambda state: float(
            state.energy.kinetic + state.energy.potential + state.evaluation.stored.sum() if total else getattr(state.energy, rest)
        )
    if word == "momentum":
        return lambda state: float(np.linalg.norm(momentum(state.model, state.q, state.v).linear))
    if word == "hand":
        return lambda state: 0.0 if state.live.pulling is None else float(np.linalg.norm(state.live.pulling.force))
    return lambda state: float(np.abs(state.live.simulation.system.gaps(state.t, state.q, state.v)[0]).max(initial=0.0))


def _joint_reader(model, word, rest):
    names = {joint.name: (joint, 0) for joint in model.joints if joint.nv == 1}
    names |= {f"{joint.name} {k + 1}": (joint, k) for joint in model.joints if joint.nv > 1 for k in range(joint.nv)}
    joint, k = names[rest]
    at = (joint.q_index if word == "q" else joint.v_index).start + k
    if word == "torque":
        return lambda state: float(state.evaluation.tau[at])
    return lambda state: float((state.q if word == "q" else state.v)[at])


def _size(vector):
    return math.sqrt(vector @ vector)


def _turns(joint, k):
    if joint.kind.ball or joint.kind.free:
        return k < 3
    return joint.kind.custom or joint.kind.elements[k].turn != 0.0


def _heir(name, unit, units):
    """The name under which a signal goes on when a joint has another number of coordinates; "" if there is none. units: {name: unit} now."""
    if unit is None or units.get(name) == unit:
        return name
    numbered = (f"{name} {k}" for k in range(1, 7))
    return next((other for other in (*numbered, name.removesuffix(" 1")) if units.get(other) == unit), "")


class Watch:
    """Signals that are watched, with what they were."""

    def __init__(self):
        self.values: dict[str, deque] = {}
        self._readers, self._units = {}, {}

    def add(self, live, name):
        name = signal_name(live, name)
        self._readers[name] = reader(live, name)
        self._units[name] = dict(all_signals(live)).get(name)
        self.values.setdefault(name, deque(maxlen=KEPT))

    def remove(self, name):
        for kept in (self._readers, self.values, self._units):
            kept.pop(name, None)

    def history(self, name, since=None):
        """(times, values), oldest first. What is older than `since` is not touched: it may be long."""
        kept = self.values.get(name, ())
        if since is not None:
            kept = list(itertools.takewhile(lambda entry: entry[0] >= since, reversed(kept)))[::-1]
        pairs = np.array(kept, dtype=float).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy()

    def renew(self, live):
        """After an edit: what no longer exists keeps its past and goes on no more, nor does what is of another unit now."""
        self._readers = {}
        units = dict(all_signals(live)) if self.values else {}
        for name in self.values:
            try:
                self._readers[name] = reader(live, _heir(name, self._units.get(name), units))
            except (UnknownNameError, KeyError):
                continue

    def take_sample(self, live):
        """One value of each. A signal that cannot be read now is left out of this frame."""
        state = SignalState(live)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstraintWarning)
            for name, read in self._readers.items():
                try:
                    value = read(state)
                except (ArithmeticError, ValueError, KeyError):
                    continue
                self.values[name].append((state.t, value))

    def cut(self, t):
        for kept in self.values.values():
            while kept and kept[-1][0] > t:
                kept.pop()
