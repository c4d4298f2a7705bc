"""What a plot shows: names turned into panels, each with curves of one unit."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import StateError
from .channels import GROUPS, channels_of
from .columns import POSE
from .recording import Sample


@dataclass
class Panel:
    """Curves over time that share a unit. `strong`: the label of one that is drawn in black, above the others. `steps`: they are whole
    numbers that held over the time before a sample, such as a status."""

    title: str
    unit: str
    curves: list[tuple[str, Any]] = field(default_factory=list)
    log: bool = False
    strong: str = ""
    steps: bool = False


def panels_for(recording, names):
    """The panels of some names, or of an overview: coordinates, energies, gaps."""
    if not names:
        names = [name for name in ("q", "energy", "gaps") if name in recording.names or name in recording.channels]
        names = [name for name in names if name != "gaps" or recording.layout.rows] or [recording.channels[-1]]
    panels = []
    for name in names:
        panels += _special(recording, name) if isinstance(name, str) and name in _SPECIAL else _ordinary(recording, name)
    return [panel for panel in panels if panel.curves]


def _special(recording, name):
    return _SPECIAL[name](recording)


def _energy(recording):
    kinetic, stored = recording.column("kinetic"), recording.column("stored")
    panel = Panel("energy", "J", [("kinetic", kinetic), ("potential", recording.column("potential"))], strong="mechanical")
    panel.curves += [(f"stored: {force}", stored[:, k]) for k, force in enumerate(recording.layout.forces) if np.any(stored[:, k])]
    panel.curves.append(("mechanical", recording.energy))
    return [panel, *(_work(recording) if "work" in recording.channels else [])]


def _work(recording):
    work = recording.column("work")
    curves = [(force, work[:, k]) for k, force in enumerate(recording.layout.forces)]
    curves += [
        (name, recording.column(name)) for name in ("drives", "losses") if name in recording.channels and np.any(recording.column(name))
    ]
    numerical = [("energy that nothing explains", recording.column("numerical"))] if "numerical" in recording.channels else []
    return [Panel("work done so far", "J", curves), Panel("energy that nothing explains", "J", numerical)]


def _gaps(recording):
    gaps = recording.column("gaps")
    units = channels_of(recording.layout)["gaps"].units
    curves = [(f"{label} [{unit}]", gaps[:, k]) for k, (label, unit) in enumerate(zip(("position", "velocity"), units, strict=True))]
    return [Panel("largest gap of a constraint", "", curves, log=bool(np.any(gaps > 0.0)))]


def _statistics(recording):
    counts = [name for name in GROUPS["statistics"][:-1] if name in recording.channels]
    panel = Panel("per frame", "", [(name, recording.column(name)) for name in counts if np.any(recording.column(name))])
    return [panel, *(_ordinary(recording, "solver_time") if "solver_time" in recording.channels else [])]


_SPECIAL = {"energy": _energy, "gaps": _gaps, "statistics": _statistics}


def _ordinary(recording, key):
    """One panel for every unit among the columns of a name."""
    key = key if isinstance(key, slice) else recording.resolved(key)
    title = " ".join(str(getattr(part, "name", part)) for part in (key if isinstance(key, tuple) else (key,)))
    panels = {}
    for label, unit, column in curves_of(recording, key):
        whole = np.issubdtype(np.asarray(column).dtype, np.integer)
        panels.setdefault((unit, whole), Panel(title, unit, steps=whole)).curves.append((label, column))
    return list(panels.values())


def curves_of(recording, key):
    """(label, unit, column) for every column that `recording[key]` has; the key is resolved."""
    if isinstance(key, tuple) and len(key) == 2 and key[1] in ("pose", "poses"):
        pose = recording.pose(key[0])
        return [(word, "m" if k < 3 else "1", pose[:, k]) for k, word in enumerate(POSE)]
    if key == "energy" or (isinstance(key, tuple) and len(key) == 2 and key[1] == "dissipated"):
        return [("dissipated" if key != "energy" else "mechanical", "J", recording[key])]
    if isinstance(key, slice):
        raise StateError("plot: a span of time is cut from the recording: rec[t0:t1].plot(...)", "names")
    # A frame that holds the numbers of its columns answers any name with the columns it means.
    known, numbers, labels, count = channels_of(recording.layout), {}, [], 0
    for name in recording.channels:
        channel = known[name]
        numbers[name] = np.arange(count, count + channel.size).reshape(channel.shape)
        labels += [(name, k, channel.labels[k], channel.units[k]) for k in range(channel.size)]
        count += channel.size
    found = []
    for number in np.ravel(Sample(recording.layout, numbers).named(key)):
        name, k, label, unit = labels[number]
        found.append((label, unit, recording.column(name).reshape(len(recording), -1)[:, k]))
    return found
