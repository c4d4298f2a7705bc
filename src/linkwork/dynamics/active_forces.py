"""The forces that act on a model while it moves: laid out for kernels once, their parameters and switches changed at any time after."""

import dataclasses

import numpy as np

from ..data.forces import ALONG, BETWEEN, ForceEntry, ForceTable
from ..errors import ModelError, UnknownNameError
from ..kernels import JIT
from ..kernels.records import new_record
from ..native_function import first_error
from ..parts.forces.kind import JOINTS
from ..parts.place import part_name

EVERY = -1


class ActiveForces:
    """Forces of a model (`infos`: ForceInfo, the model's own if None) laid out for kernels: `table` is the ForceTable, `handle` what kernels take."""

    def __init__(self, model, infos=None):
        self.model = model
        self.infos = list(model.forces if infos is None else infos)
        self.names = [info.name for info in self.infos]
        places, codes, words, slots, self._firsts, self._alive = [], [], [], 0, [0], []
        for k, info in enumerate(self.infos):
            code, keep = info.kind.code(f"force {info.name!r}")
            self._alive.append((info.kind, keep))
            words.append(info.kind.law_words())
            self._firsts.append(self._firsts[-1] + len(words[-1]))
            for place in _places(model, info):
                places.append({"force": k, "memory": slots, "slots": info.kind.slots, **place})
                slots += info.kind.slots
                codes.append(code)
        self.entries = np.zeros(len(places), ForceEntry.dtype())
        self.words, self.on = np.concatenate([*words, [0]], dtype=np.int64), np.array([*(int(info.on) for info in self.infos), 0])
        for k, place in enumerate(places):
            for name, value in place.items():
                self.entries[name][k] = value
        table = self.table = new_record(ForceTable)
        table.entries, table.on = ForceEntry.over(self.entries), self.on
        for entry, code in zip(table.entries, codes, strict=True):
            entry.code, entry.parameters = code, self.parameters_of(entry.force)
        table.count, table.forces = len(places), len(self.infos)
        table.between = int((self.entries["kind"] == BETWEEN).sum())
        table.slots = slots
        self.codes = codes
        self.handle = table.address if JIT else table

    @property
    def feedback(self):
        """(speed, stiffness, damping) with which constraints draw gaps in."""
        return self.table.feedback

    @feedback.setter
    def feedback(self, values):
        self.table.feedback = values

    def parameters_of(self, k):
        """What the force law k is called with: the address of its parameters, or in plain Python what stands there."""
        return self.words.ctypes.data + 8 * self._firsts[k] if JIT else self.infos[k].kind.law_given(self._own(self.words, k))

    def _own(self, words, k):
        return words[self._firsts[k] : self._firsts[k + 1]]

    def accepts(self, words):
        """Can the laws read these words, as many as there are, in the place of their own?"""
        return all(info.kind.law_accepts(self._own(words, k)) for k, info in enumerate(self.infos))

    @property
    def parameters(self):
        """All that may change between steps, as bytes."""
        return self.words.tobytes() + self.on.tobytes() + np.array(self.feedback).tobytes()

    def raised(self):
        """(name of the force, the exception) of a user's function that raised since `forget_errors`, None if none did."""
        found = (
            ((self.names[entry["force"]], first_error(code)) for entry, code in zip(self.entries, self.codes, strict=True)) if JIT else ()
        )
        return next(((name, error) for name, error in found if error is not None), None)

    @property
    def sizes(self):
        """The sizes that the records of forces (data/forces.py) have beyond those of the model."""
        return {"forces": len(self.infos), "slots": self.table.slots}

    def memory_of(self, name):
        """Where the numbers stand that a force remembers (a slice), among those of all."""
        entries = self.entries[self.entries["force"] == self.index(name)]
        first = int(entries["memory"][0]) if len(entries) else 0
        return slice(first, first + int(entries["slots"].sum()))

    def index(self, name):
        """The number of a force."""
        name = part_name(name, "force")
        if name not in self.names:
            raise UnknownNameError("force", name, self.names)
        return self.names.index(name)

    def switch(self, name, on):
        """Let a force act, or not."""
        self.on[self.index(name)] = int(bool(on))

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
        words, laid = kind.law_words(), self._own(self.words, k)
        if len(words) != len(laid):
            raise ModelError(f"force {info.name!r}: the change needs {len(words)} numbers where {len(laid)} are laid out; build anew")
        laid[:] = words
        self.infos[k] = dataclasses.replace(info, kind=kind)


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
