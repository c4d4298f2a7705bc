"""A mechanism as it was, to be kept for long: parts that did not change are shared with the version before, and models are built when they are needed."""

import weakref

from ..parts.duplicate import copy_of
from ..parts.mechanism import Mechanism
from ..parts.part import Part

POINTER = 8  # bytes


class Design:
    """One version of a mechanism. It costs a pointer for every part, and the parts that differ from those of the version `before`.

    mechanism, model: the very same objects for as long as anybody holds them; otherwise they are made again, with the same bits.
    """

    def __init__(self, mechanism: Mechanism, model=None, before: "Design | None" = None):
        self._parts: tuple[Part, ...] = ()
        known = {} if before is None else {part.name: part for part in before._parts}
        self._name, self._gravity = mechanism.name, mechanism.gravity
        ground = mechanism.ground
        self._ground = {"visuals": ground.visuals, "collisions": ground.collisions, "surface": ground.surface}
        self._touching = {"_contact": mechanism.contact, "_surface": mechanism.surface}
        self._touch_rules = dict(mechanism._touch_rules)
        self._roots, self._notes = tuple(mechanism._roots), mechanism.notes
        self._parts = tuple([_kept(part, known.get(part.name)) for part in mechanism._registry.everything()])
        if before is not None and len(before._parts) == len(self._parts) and all(map(_is, before._parts, self._parts)):
            self._parts = before._parts
        self._mechanism = weakref.ref(mechanism)
        self._model = _nothing if model is None else weakref.ref(model)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism; not to be edited."""
        mechanism = self._mechanism()
        if mechanism is None:
            mechanism = Mechanism(self._name, self._gravity)
            mechanism.ground._put(**self._ground)
            for part in self._parts:
                mechanism._registry.add(copy_of(part, part.name, mechanism))
            mechanism._roots, mechanism.notes = list(self._roots), self._notes
            mechanism.__dict__.update(self._touching, _touch_rules=dict(self._touch_rules))
            self._mechanism = weakref.ref(mechanism)
        return mechanism

    @property
    def model(self):
        """Its model; building it takes some 50 ms for 200 bodies."""
        model = self._model()
        if model is None:
            model = self.mechanism.build()
            self._model = weakref.ref(model)
        return model

    @property
    def bytes(self):
        """What keeping it costs, if little has changed since the version before."""
        return POINTER * len(self._parts)


def _kept(part, old):
    """A part that belongs to no mechanism, which it would keep alive; the one of the version before if it says the same."""
    if old is not None and type(old) is type(part):
        there = old.__dict__
        if all(there.get(field) is value for field, value in part.__dict__.items() if field != "_owner"):
            return old
    return copy_of(part, part.name, None)


def _is(a, b):
    return a is b


def _nothing():
    return None
