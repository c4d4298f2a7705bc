"""Names to columns, for frames and recordings alike; everything that takes names of a recording (plots, the command line) uses this.

recording["pivot"]                                a channel, joint, coordinate or body
recording["pivot", "v"], recording["pivot.v"]     a quantity of a part
recording["v pivot"], recording["poses crank.x"]  a column, as the head of a CSV file names it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError, UnknownNameError
from ..parts.place import part_name
from .channels import GROUPS, channels_of, shapes_of
from .columns import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# What can be looked up for a part, by the channel that has it.
ASKED = {"reaction": "reactions", "pose": "poses", "multiplier": "multipliers"}
OF_COORDINATES = ("q", "v", "vdot", "tau")
OF_FORCES = ("stored", "work", "dissipated")
OF_PAIRS = {"force": "contact_forces", "status": "contact_status"}
QUANTITIES = (*OF_COORDINATES, *ASKED, *OF_FORCES, *OF_PAIRS)


class Named:
    """What has columns by name: the last axes of every array are those of its channel, axes before them belong to the frames."""

    layout: Layout
    model: Any
    _columns: dict[str, np.ndarray]

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of what was recorded."""
        return tuple(self._columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that can be looked up alone: channels, joints and their coordinates, bodies."""
        layout, found = self.layout, [*self._columns]
        found += ["energy"] if self._has(("kinetic", "potential", "stored")) else []
        if "q" in self._columns:
            found += [joint.name for joint in layout.joints if joint.nq]
            found += [label for joint in layout.joints if joint.nq > 1 for label in joint.q_labels]
        found += layout.bodies if "poses" in self._columns else ()
        return tuple(dict.fromkeys(found))

    def _has(self, channels: Any) -> Any:
        return all(channel in self._columns for channel in channels)

    def column(self, channel: str) -> Any:
        """A whole channel by its name; `rec["q"]` is the same unless a joint bears the name of a channel."""
        if channel not in self._columns:
            if channel in shapes_of(self.layout):
                hint = f"it was not asked for: record={channel!r} (or --record) does; this recording has {', '.join(self._columns)}"
                raise UnknownNameError("recorded channel", channel, self._columns, hint)
            raise UnknownNameError("channel", channel, [*shapes_of(self.layout)])
        return self._columns[channel]

    @property
    def time(self) -> Any:
        return self._columns["time"]

    @property
    def q(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.column("q")
        return found

    @property
    def v(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self.column("v")
        return found

    @property
    def energy(self) -> NDArray[np.float64]:
        """Mechanical energy: kinetic, potential and stored, J."""
        found: NDArray[np.float64] = self.column("kinetic") + self.column("potential") + self.column("stored").sum(axis=-1)
        return found

    def pose(self, body: str) -> NDArray[np.float64]:
        """x y z qw qx qy qz of a body in the world, (..., 7): as recorded, else by the model from q if both are there."""
        at = self._index("body", self.layout.bodies, body)
        if "poses" in self._columns or self.model is None or "q" not in self._columns:
            found: NDArray[np.float64] = self.column("poses")[..., at, :]
            return found
        from .interpolate import poses_of

        poses: NDArray[np.float64] = poses_of(self.model, self.q)[..., at, :]
        return poses

    def resolved(self, key: Any) -> Any:
        """A name, or a (part, quantity) pair, as `named` takes it: "spring.work" is ("spring", "work"), unless something is called so."""
        if isinstance(key, tuple) and len(key) == 2:
            return tuple(part_name(word, "part") for word in key)
        key = part_name(key, "part")
        if not isinstance(key, str) or self._is_one_name(key) or self._labelled(key) is not None:
            return key
        part, _, what = key.rpartition(".")
        return (part, what) if part and (what in QUANTITIES or part in self._parts) else key

    def named(self, key: Any) -> Any:
        """The array of a name, or of a (part, quantity) pair."""
        if isinstance(key, str) and key in self._columns:
            return self._columns[key]
        key = self.resolved(key)
        if isinstance(key, tuple):
            return self._of_part(*key)
        if not isinstance(key, str):
            raise UnknownNameError("channel, joint, coordinate or body", key, self.names)
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
        if key in self.layout.pairs:
            raise StateError(f"{key!r} is a pair of shapes; ask for recording[{key!r}, 'force'] or 'status'", "name")
        if key in self.layout.parts:
            raise StateError(f"{key!r} is a constraint; ask for recording[{key!r}, 'reaction'] or 'multiplier'", "name")
        if (place := self._labelled(key)) is not None:
            return self.column(place[0])[(..., *place[1])]
        raise UnknownNameError("channel, joint, coordinate or body", key, [*self.names, *self._dotted()])

    def _is_one_name(self, key: str) -> bool:
        """Is it the name of a channel, a coordinate or a part?"""
        return key in GROUPS or key in shapes_of(self.layout) or key in self._parts

    @property
    def _parts(self) -> set[str]:
        layout = self.layout
        found = {*layout.bodies, *layout.parts, *layout.forces, *layout.pairs}
        for joint in layout.joints:
            found |= {joint.name, *joint.q_labels, *joint.v_labels}
        return found

    def _labelled(self, key: str) -> tuple[Any, ...] | None:
        """(channel, place of a column in it) of "v pivot" or "poses crank.x", as CSV files call them; None if it is no such name."""
        channel, _, label = key.partition(" ")
        known = channels_of(self.layout).get(channel) if label else None
        if known is None or label not in known.labels:
            return None
        return channel, np.unravel_index(known.labels.index(label), known.shape)

    def _dotted(self) -> Iterator[Any]:
        """Quantities of parts as one name each: those that were recorded."""
        layout, has = self.layout, self._columns
        for joint in layout.joints:
            yield from (f"{joint.name}.{what}" for what in OF_COORDINATES if what in has and joint.nv)
        yield from (f"{part}.reaction" for part in layout.parts if "reactions" in has)
        yield from (f"{body}.pose" for body in layout.bodies if "poses" in has)
        yield from dict.fromkeys(f"{name}.multiplier" for name, _ in layout.rows if "multipliers" in has)
        yield from (f"{force}.{what}" for force in layout.forces for what in ("stored", "work") if what in has)
        yield from (f"{pair}.{what}" for pair in layout.pairs for what, channel in OF_PAIRS.items() if channel in has)
        yield from (f"{force}.dissipated" for force in layout.forces if self._has(("stored", "work")))

    def _of_part(self, part: str, what: str) -> Any:
        channel = ASKED.get(what, what)
        if channel in OF_COORDINATES:
            if (span := self._coordinates(part)) is None:
                self._refuse_of_others(part, what)
                known = [name for joint in self.layout.joints for name in (joint.name, *joint.q_labels)]
                raise UnknownNameError("joint or coordinate", part, dict.fromkeys(known))
            found = span[0 if channel == "q" else 1]
            if found is None:
                raise StateError(f"{part!r} is a coordinate of q, of which {what!r} has none; ask for the whole joint", "name")
            return self.column(channel)[..., found]
        if channel == "reactions":
            if part not in self.layout.parts:
                self._refuse_of_others(part, what)
            return self.column(channel)[..., self._index("joint or constraint", self.layout.parts, part), :]
        if channel == "poses":
            if part not in self.layout.bodies:
                self._refuse_of_others(part, what)
            return self.pose(part)
        if channel == "multipliers":
            rows = [k for k, (name, _) in enumerate(self.layout.rows) if name == part]
            if not rows:
                raise UnknownNameError("constraint or joint that closes a loop", part, dict.fromkeys(name for name, _ in self.layout.rows))
            return self.column(channel)[..., rows]
        if channel in OF_FORCES:
            if part not in self.layout.forces:
                self._refuse_of_others(part, what)
            at = self._index("force", self.layout.forces, part)
            return self.dissipated[..., at] if what == "dissipated" else self.column(channel)[..., at]
        if what in OF_PAIRS:
            if part not in self.layout.pairs:
                self._refuse_of_others(part, what)
            at = self._index("pair of shapes", self.layout.pairs, part)
            found = self.column(OF_PAIRS[what])
            return found[..., at, :] if what == "force" else found[..., at]
        raise UnknownNameError("quantity of a part", what, QUANTITIES)

    def _refuse_of_others(self, part: Any, what: Any) -> None:
        """Raise if a part is there but has no such quantity: a body has no `v`, a joint no `work`."""
        if part in self._parts:
            has = [name.rpartition(".")[2] for name in self._dotted() if name.rpartition(".")[0] == part]
            raise UnknownNameError(f"recorded quantity of {part!r}", what, has)

    @property
    def dissipated(self) -> NDArray[np.float64]:
        raise StateError("dissipated: it is counted from the start of a recording; ask the recording, not one of its samples", "name")

    def _coordinates(self, name: str) -> Any:
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
    def _index(what: str, names: tuple[str, ...], name: str) -> int:
        name = part_name(name, what)
        if name not in names:
            raise UnknownNameError(what, name, names)
        return names.index(name)


def _single(span: slice) -> int | slice:
    return span.start if span.stop - span.start == 1 else span


def equal(a: NDArray[np.float64] | NDArray[np.int64] | float, b: NDArray[np.float64] | NDArray[np.int64] | float) -> bool:
    """Bit by bit the same, but that all NaN are one."""
    if np.shape(a) != np.shape(b):
        return False
    a, b = np.asarray(a), np.asarray(b)
    same = a.view(np.int64) == b.view(np.int64)
    return bool(np.all(same | (np.isnan(a) & np.isnan(b)))) if a.dtype.kind == "f" else bool(same.all())
