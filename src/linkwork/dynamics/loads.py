"""The forces that act on a model while it moves: laid out for kernels once, their parameters and switches changed at any time after."""

import dataclasses

import numpy as np

from ..errors import ModelError, UnknownNameError
from ..kernels import JIT
from ..model.tables import count_links
from ..parts.forces.kind import GIVEN, JOINTS, WRENCHES
from .force_tables import (
    ALONG,
    BETWEEN,
    ENTRY,
    L_BETWEEN,
    L_ENTRIES,
    L_FEEDBACK,
    L_FORCES,
    L_GAP,
    L_HELD,
    L_LAMBDA,
    L_NUMBERS,
    L_ON,
    L_POWERS,
    L_SCRATCH,
    L_STORED,
    L_TABLE,
    L_VALUES,
    L_WRENCHES,
    LOADS_HEADER,
    LoadTables,
)

EVERY = -1


class Loads:
    """Forces of a model (`infos`: ForceInfo, the model's own if None) laid out behind `first` slots of scratch memory.

    `handle` is what kernels take. `slots` is how many slots there are in all, those before `first` included.
    """

    def __init__(self, model, infos=None, first=0):
        self.model = model
        self.infos = list(model.forces if infos is None else infos)
        self.names = [info.name for info in self.infos]
        entries, numbers, self._first, self._alive = [], [], [], []
        for k, info in enumerate(self.infos):
            code, keep = info.kind.code(f"force {info.name!r}")
            self._alive.append((info.kind, keep))
            self._first.append(len(numbers))
            entries += [_entry(k, len(numbers), code, **place) for place in _places(model, info)]
            numbers += info.kind.numbers()
        self.codes = [info[-1] for info in entries]
        self.entries = np.array([tuple(entry[:-1]) + (entry[-1] if JIT else 0,) for entry in entries], dtype=ENTRY)
        self.numbers = np.array([*numbers, 0.0])
        self.on = np.array([*(float(info.on) for info in self.infos), 0.0])
        self.feedback = np.zeros(3)
        self._lay(first)

    def _lay(self, first):
        model, size = self.model, np.zeros(LOADS_HEADER, dtype=np.int64)
        n, nf = int(count_links_of(model)), len(self.infos)
        size[L_ENTRIES], size[L_FORCES], size[L_NUMBERS] = len(self.entries), nf, len(self.numbers)
        size[L_BETWEEN] = int((self.entries["kind"] == BETWEEN).sum())
        size[L_WRENCHES] = first
        size[L_HELD] = first + 6 * n
        size[L_POWERS] = size[L_HELD] + model.nv
        size[L_STORED] = size[L_POWERS] + nf + 2
        size[L_LAMBDA] = size[L_STORED] + nf
        size[L_GAP] = size[L_LAMBDA] + model.nc
        size[L_SCRATCH] = size[L_GAP] + 2
        size[L_TABLE], size[L_VALUES], size[L_ON] = (a.ctypes.data for a in (self.entries, self.numbers, self.on))
        size[L_FEEDBACK] = self.feedback.ctypes.data
        self.slots = int(size[L_SCRATCH]) + 2 * (GIVEN + WRENCHES) + 8
        self.header = size
        self.handle = int(size.ctypes.data) if JIT else self._plain()

    def _plain(self):
        """For plain Python: entries that know their fields as attributes, with functions for codes."""
        rows = [_Plain(entry, code) for entry, code in zip(self.entries.view(np.recarray), self.codes, strict=True)]
        return LoadTables(self.header, rows, self.numbers, self.on, self.feedback)

    def index(self, name):
        """The number of a force."""
        name = getattr(name, "name", name)
        if name not in self.names:
            raise UnknownNameError("force", name, self.names)
        return self.names.index(name)

    def switch(self, name, on):
        """Let a force act, or not."""
        self.on[self.index(name)] = float(bool(on))

    def change(self, name, **values):
        """Change parameters of a force: refused values change nothing."""
        k = self.index(name)
        info = self.infos[k]
        known = [field.name for field in dataclasses.fields(info.kind)]
        for field in values:
            if field not in known:
                raise UnknownNameError(f"parameter of force {info.name!r}", field, known)
        kind = dataclasses.replace(info.kind, **values)
        faults = [text for _, text in kind.faults()]
        if faults:
            raise ModelError(f"force {info.name!r}: {'; '.join(faults)}")
        numbers = kind.numbers()
        if len(numbers) != len(info.kind.numbers()):
            raise ModelError(
                f"force {info.name!r}: the change needs {len(numbers)} numbers where {len(info.kind.numbers())} are laid out; build anew"
            )
        self.numbers[self._first[k] : self._first[k] + len(numbers)] = numbers
        self.infos[k] = dataclasses.replace(info, kind=kind)


def count_links_of(model):
    return count_links(model.tables) if not JIT else model.tables.size[0]


class _Plain:
    """An entry in plain Python, with its law for a code."""

    def __init__(self, row, code):
        self._row, self.code = row, code

    def __getattr__(self, name):
        return getattr(self._row, name)


def _entry(force, number, code, kind, a=-1, b=-1, q=-1, v=-1, Ra=None, pa=None, Rb=None, pb=None):
    one, here = np.eye(3).ravel(), np.zeros(3)
    Ra, pa, Rb, pb = (given if given is not None else none for given, none in ((Ra, one), (pa, here), (Rb, one), (pb, here)))
    return kind, force, a, b, q, v, number, 0, Ra, pa, Rb, pb, code


def _places(model, info):
    """What each entry of a force acts on."""
    if info.kind.takes == JOINTS:
        for name, dof in info.joints:
            joint = model.joint(name)
            scalar = not (joint.kind.ball or joint.kind.free)
            for k in range(joint.nv) if dof == EVERY else (dof,):
                yield {"kind": ALONG, "q": joint.q_index.start + k if scalar else -1, "v": joint.v_index.start + k}
        return
    sides = [_marker(model, *place) for place in info.places]
    (a, Ra, pa), (b, Rb, pb) = sides
    yield {"kind": BETWEEN, "a": a, "Ra": Ra, "pa": pa, "b": b, "Rb": Rb, "pb": pb}


def _marker(model, body, pose):
    """(link, R, p) of a place on a body, in the frame of the body's link."""
    if body == "ground":
        return -1, pose.rotation.ravel(), pose.translation
    row = model.tables.bodies[model.body(body).index]
    R, p = row["R"].reshape(3, 3), row["p"]
    return int(row["link"]), (R @ pose.rotation).ravel(), p + R @ pose.translation
