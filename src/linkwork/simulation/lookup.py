"""Names to columns: `recording["pivot"]`, `recording["pivot", "v"]`, `recording["crank", "pose"]`, for frames and recordings alike."""

from typing import Any

import numpy as np

from ..errors import StateError, UnknownNameError
from .channels import GROUPS, shapes_of
from .layout import Layout

# What may be asked of a part, by the channel that answers.
ASKED = {"reaction": "reactions", "pose": "poses", "multiplier": "multipliers"}
OF_COORDINATES = ("q", "v", "vdot", "tau")
OF_FORCES = ("stored", "work", "dissipated")


class Named:
    """What has columns by name: the last axes of every array are those of its channel, axes before them belong to the frames."""

    layout: Layout
    model: Any
    _columns: dict[str, np.ndarray]

    @property
    def channels(self):
        """Names of what was recorded."""
        return tuple(self._columns)

    @property
    def names(self):
        """Every name that may be asked for alone: channels, joints and their coordinates, bodies."""
        layout, found = self.layout, [*self._columns]
        found += ["energy"] if self._has(("kinetic", "potential", "stored")) else []
        if "q" in self._columns:
            found += [joint.name for joint in layout.joints if joint.nq]
            found += [label for joint in layout.joints if joint.nq > 1 for label in joint.q_labels]
        found += layout.bodies if "poses" in self._columns else ()
        return tuple(dict.fromkeys(found))

    def _has(self, channels):
        return all(channel in self._columns for channel in channels)

    def column(self, channel):
        """A whole channel by its name; `rec["q"]` is the same unless a joint bears the name of a channel."""
        if channel not in self._columns:
            if channel in shapes_of(self.layout):
                raise UnknownNameError("recorded channel (record= decides)", channel, self._columns)
            raise UnknownNameError("channel", channel, [*shapes_of(self.layout)])
        return self._columns[channel]

    @property
    def time(self):
        return self._columns["time"]

    @property
    def q(self):
        return self.column("q")

    @property
    def v(self):
        return self.column("v")

    @property
    def energy(self):
        """Mechanical energy: kinetic, potential and stored, J."""
        return self.column("kinetic") + self.column("potential") + self.column("stored").sum(axis=-1)

    def pose(self, body):
        """x y z qw qx qy qz of a body in the world, (..., 7): as recorded, else by the model from q if both are there."""
        at = self._index("body", self.layout.bodies, body)
        if "poses" in self._columns or self.model is None or "q" not in self._columns:
            return self.column("poses")[..., at, :]
        from .interpolate import poses_of

        return poses_of(self.model, self.q)[..., at, :]

    def named(self, key):
        """The array of a name, or of a (part, quantity) pair."""
        if isinstance(key, tuple) and len(key) == 2:
            return self._of_part(*key)
        if not isinstance(key, str):
            key = getattr(key, "name", key)
        if key in self._columns:
            return self._columns[key]
        if key == "energy":
            return self.energy
        if key in GROUPS:
            raise StateError(f"{key!r} is a group of channels; ask for one of them: {', '.join(map(repr, GROUPS[key]))}", key)
        if key in shapes_of(self.layout):
            return self.column(key)
        if (span := self._coordinates(key)) is not None:
            return self.column("v")[..., span[1]] if span[0] is None else self.column("q")[..., span[0]]
        if key in self.layout.bodies:
            return self.pose(key)
        if key in self.layout.forces:
            raise StateError(f"{key!r} is a force; ask for one of its quantities, such as recording[{key!r}, 'work'], or 'stored'", "name")
        if key in self.layout.parts:
            raise StateError(f"{key!r} is a constraint; ask for recording[{key!r}, 'reaction'] or 'multiplier'", "name")
        raise UnknownNameError("channel, joint, coordinate or body", key, self.names)

    def _of_part(self, part, what):
        part = getattr(part, "name", part)
        channel = ASKED.get(what, what)
        if channel in OF_COORDINATES:
            if (span := self._coordinates(part)) is None:
                known = [name for joint in self.layout.joints for name in (joint.name, *joint.q_labels)]
                raise UnknownNameError("joint or coordinate", part, dict.fromkeys(known))
            found = span[0 if channel == "q" else 1]
            if found is None:
                raise StateError(f"{part!r} is a coordinate of q, of which {what!r} has none; ask for the whole joint", "name")
            return self.column(channel)[..., found]
        if channel == "reactions":
            return self.column(channel)[..., self._index("joint or constraint", self.layout.parts, part), :]
        if channel == "poses":
            return self.pose(part)
        if channel == "multipliers":
            rows = [k for k, (name, _) in enumerate(self.layout.rows) if name == part]
            if not rows:
                raise UnknownNameError("constraint or joint that closes a loop", part, dict.fromkeys(name for name, _ in self.layout.rows))
            return self.column(channel)[..., rows]
        if channel in OF_FORCES:
            at = self._index("force", self.layout.forces, part)
            return self.dissipated[..., at] if what == "dissipated" else self.column(channel)[..., at]
        raise UnknownNameError("quantity of a part", what, [*OF_COORDINATES, *ASKED, *OF_FORCES])

    @property
    def dissipated(self):
        raise StateError("dissipated: it is counted from the start of a recording; ask the recording, not one of its frames", "name")

    def _coordinates(self, name):
        """(columns of q, columns of v) of a joint, or of one of its coordinates: a number if there is one column, else a slice."""
        for joint, iq, iv in self.layout.spans():
            if joint.name == name:
                return _single(iq), _single(iv)
        for joint, iq, iv in self.layout.spans():
            if name in joint.q_labels or name in joint.v_labels:
                in_q = iq.start + joint.q_labels.index(name) if name in joint.q_labels else None
                in_v = iv.start + joint.v_labels.index(name) if name in joint.v_labels else None
                return in_q, in_v
        return None

    @staticmethod
    def _index(what, names, name):
        name = getattr(name, "name", name)
        if name not in names:
            raise UnknownNameError(what, name, names)
        return names.index(name)


def _single(span):
    return span.start if span.stop - span.start == 1 else span


def equal(a, b):
    """Bit by bit the same, but that all NaN are one."""
    if np.shape(a) != np.shape(b):
        return False
    a, b = np.asarray(a), np.asarray(b)
    same = a.view(np.int64) == b.view(np.int64)
    return bool(np.all(same | (np.isnan(a) & np.isnan(b)))) if a.dtype.kind == "f" else bool(same.all())
