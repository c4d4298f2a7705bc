"""Channels: what can be recorded, with the shape of one frame, a label and a unit for every column.

channel        shape       unit           what
time           -           s              always there
q, v, vdot     nq, nv, nv                 coordinates, velocities, accelerations; their conventions are those of the joints
tau            nv          N m, N         all joint forces of controllers and joint laws
poses          nb, 7       m, 1           x y z qw qx qy qz of every body in the world
reactions      parts, 6    N m, N         [n; f] of joints, then constraints: world axes, moment about the part's point
kinetic        -           J
potential      -           J              of gravity
stored         forces      J              potential energy of every force
work           forces      J              done by every force on the mechanism so far
drives         -           J              work of prescribed motion so far
losses         -           J              kinetic energy that joining and impacts have taken so far
numerical      -           J              what is left: T + V - (T + V at the start) - work - drives + losses
gaps           2           m or rad, /s   largest |phi| and largest |phi_dot| over all rows
gap_rows       2                          whose they are: numbers of rows, -1 for none
multipliers    nc                         of all rows
contact_forces pairs, 3    N              of every pair of shapes that may touch: on the second one, world axes, mean over the last step
contact_status pairs                      0: apart; 1: pressed together, every point sticks; 2: a point slides; 3: it rolls (sticks, moving on)
momentum       6           kg m^2/s, kg m/s   about the world's origin: angular, then linear, as all spatial vectors
steps, rejections, iterations, evaluations   counts since the frame before
solver_time    -           s              wall time since the frame before; no part of what makes recordings equal

Names of groups stand for several channels: energy, gaps, statistics, and "all".
"""

from dataclasses import dataclass

import numpy as np

from ..errors import StateError, UnknownNameError
from ..integrators.integrator import STEP_COUNTS
from .columns import POSE, WRENCH

GROUPS = {
    "energy": ("kinetic", "potential", "stored", "work", "drives", "losses", "numerical"),
    "gaps": ("gaps", "gap_rows"),
    "statistics": (*STEP_COUNTS, "solver_time"),
}
DEFAULT = ("q", "v", "energy")
# Sums since the start of a run: when recordings are joined, the second goes on where the first ended.
CUMULATIVE = ("work", "drives", "losses", "numerical")
WHOLE_NUMBERS = ("contact_status", "gap_rows", *STEP_COUNTS)
# Differs from run to run on one machine.
UNREPRODUCIBLE = ("solver_time",)
_AXES = ("x", "y", "z")
# Of channels with one number a frame; counts have none.
_UNITS = {"time": "s", "solver_time": "s"} | dict.fromkeys(("kinetic", "potential", "drives", "losses", "numerical"), "J")


@dataclass(frozen=True)
class Channel:
    """One quantity: the shape of a frame, and for every column, counted row by row, a label and a unit."""

    name: str
    shape: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def dtype(self):
        return dtype_of(self.name)

    @property
    def size(self):
        return len(self.labels)


def dtype_of(name):
    """The kind of numbers in a channel."""
    return np.dtype(np.int64 if name in WHOLE_NUMBERS else np.float64)


def shapes_of(layout):
    """The shapes of one frame of all channels by name, in the order in which they stand in files."""
    nq, nv, forces = layout.nq, layout.nv, len(layout.forces)
    return {
        "time": (),
        "q": (nq,),
        "v": (nv,),
        "vdot": (nv,),
        "tau": (nv,),
        "poses": (len(layout.bodies), 7),
        "reactions": (len(layout.parts), 6),
        "kinetic": (),
        "potential": (),
        "stored": (forces,),
        "work": (forces,),
        "drives": (),
        "losses": (),
        "numerical": (),
        "gaps": (2,),
        "gap_rows": (2,),
        "multipliers": (len(layout.rows),),
        "contact_forces": (len(layout.pairs), 3),
        "contact_status": (len(layout.pairs),),
        "momentum": (6,),
        **dict.fromkeys(STEP_COUNTS, ()),
        "solver_time": (),
    }


def channels_of(layout):
    """All channels of a layout by name, with labels and units."""
    j = layout.joints
    v_labels, bodies = _joined(x.v_labels for x in j), len(layout.bodies)
    parts, forces, rows = len(layout.parts), layout.forces, len(layout.rows)
    named = {
        "q": (_joined(x.q_labels for x in j), _joined(x.q_units for x in j)),
        "v": (v_labels, _joined(x.v_units() for x in j)),
        "vdot": (v_labels, _joined(x.v_units(2) for x in j)),
        "tau": (v_labels, _joined(x.tau_units for x in j)),
        "poses": (_crossed(layout.bodies, POSE), (("m",) * 3 + ("1",) * 4) * bodies),
        "reactions": (_crossed(layout.parts, WRENCH), (("N m",) * 3 + ("N",) * 3) * parts),
        "stored": (forces, ("J",) * len(forces)),
        "work": (forces, ("J",) * len(forces)),
        "gaps": (("position", "velocity"), ("m or rad", "m/s or rad/s")),
        "gap_rows": (("position", "velocity"), ("", "")),
        "multipliers": (tuple(layout.row_label(k) for k in range(rows)), ("N or N m",) * rows),
        "contact_forces": (_crossed(layout.pairs, ("Fx", "Fy", "Fz")), ("N",) * (3 * len(layout.pairs))),
        "contact_status": (layout.pairs, ("",) * len(layout.pairs)),
        "momentum": (_crossed(("angular", "linear"), _AXES), ("kg m^2/s",) * 3 + ("kg m/s",) * 3),
    }
    found = {}
    for name, shape in shapes_of(layout).items():
        labels, units = named.get(name) or ((name,), (_UNITS.get(name, ""),))
        found[name] = Channel(name, shape, labels, units)
    return found


def wanted(record, known):
    """The channels that a `record=` argument requests, in the order of `known`; time is always among them.

    record: a name, several names, "all", or None for q, v and energy. Names are those of channels and of groups.

    >>> from linkwork.simulation.columns import Layout
    >>> wanted(("v", "gaps"), channels_of(Layout("rod", "", ())))
    ('time', 'v', 'gaps', 'gap_rows')
    """
    names = DEFAULT if record is None else (record,) if isinstance(record, str) else record
    try:
        names = tuple(names)
    except TypeError:
        raise StateError(
            f"record: found {record!r} ({type(record).__name__}); allowed are names of channels, such as ('q', 'v', 'energy'), or 'all'",
            "record",
        ) from None
    chosen = {"time"}
    for name in names:
        if isinstance(name, str) and name == "all":
            chosen |= set(known)
        elif isinstance(name, str) and (name in GROUPS or name in known):
            chosen |= set(GROUPS.get(name, (name,)))
        else:
            raise UnknownNameError("channel", name, ["all", *dict.fromkeys((*GROUPS, *known))])
    return tuple(name for name in known if name in chosen)


def _joined(tuples):
    return tuple(item for items in tuples for item in items)


def _crossed(names, words):
    return tuple(f"{name}.{word}" for name in names for word in words)
