"""What the columns of a recording mean, without the model: names, coordinates and their manifolds, units.

A recording outlives its model: a file is read where the script that built the mechanism is not at hand. A `Layout` holds what is needed then,
and goes to a file as JSON.

manifold   q                       v                           (docs/conventions.md, Joints)
vector     nq numbers              dq/dt
ball       quaternion wxyz         angular velocity, child's axes
free       x y z, quaternion wxyz  angular and linear velocity, child's axes
"""

from dataclasses import dataclass, fields
from typing import Any

from ..data.lending import cached
from ..errors import FormatError

QUATERNION = ("qw", "qx", "qy", "qz")
PLACE = ("x", "y", "z")
POSE = (*PLACE, *QUATERNION)
WRENCH = ("Mx", "My", "Mz", "Fx", "Fy", "Fz")
MANIFOLDS = ("vector", "ball", "free")

# Words for the coordinates of kinds that have several; others are counted from 1.
_WORDS = {"Planar": ("x", "y", "angle"), "Translational": PLACE, "Cylindrical": ("angle", "slide")}
_FORCE = {"rad": "N m", "m": "N"}


@dataclass(frozen=True)
class JointColumns:
    """The coordinates of one joint. `words` and `units` (rad, m, or "" for a user's own) are those of a vector joint, empty for others."""

    name: str
    manifold: str
    words: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    @property
    def nq(self):
        return {"vector": len(self.words), "ball": 4, "free": 7}[self.manifold]

    @property
    def nv(self):
        return {"vector": len(self.words), "ball": 3, "free": 6}[self.manifold]

    @property
    def q_labels(self):
        return self._labels({"vector": self.words, "ball": QUATERNION, "free": POSE}[self.manifold])

    @property
    def v_labels(self):
        turning, sliding = ("wx", "wy", "wz"), ("vx", "vy", "vz")
        return self._labels({"vector": self.words, "ball": turning, "free": turning + sliding}[self.manifold])

    def _labels(self, words):
        return (self.name,) if len(words) == 1 else tuple(f"{self.name}.{word}" for word in words)

    @property
    def q_units(self):
        return {"vector": self.units, "ball": ("1",) * 4, "free": ("m",) * 3 + ("1",) * 4}[self.manifold]

    @property
    def _freedoms(self):
        return {"vector": self.units, "ball": ("rad",) * 3, "free": ("rad",) * 3 + ("m",) * 3}[self.manifold]

    def v_units(self, power=1):
        """Of v (power 1) or vdot (2); the unit of a user's own coordinate is not known."""
        return tuple(unit and f"{unit}/s{'' if power == 1 else '^2'}" for unit in self._freedoms)

    @property
    def tau_units(self):
        return tuple(_FORCE.get(unit, "") for unit in self._freedoms)


def _fingerprint(model):
    """Computed once for a model, for all simulations of it."""
    return cached(model, "fingerprint", lambda model: model.fingerprint)


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """Names of everything that has a column. `parts`: joints, then constraints, in the order of reactions; `rows`: (constraint, word) pairs. `pairs`: of
    shapes that may touch, "ground - box".

    identity: the fingerprint of the model, or the Model, whose fingerprint is computed on demand: that takes milliseconds.
    """

    model: str
    identity: Any
    joints: tuple[JointColumns, ...]
    bodies: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    forces: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()

    @classmethod
    def of(cls, model, forces=()):
        """The layout of a model, with the names of its forces."""
        constraints = [c.name for c in model.constraints if not c.is_loop]
        rows = [(c.name, word) for c in sorted(model.constraints, key=lambda c: c.rows.start) for word in c.words]
        return cls(
            model.name,
            model,
            tuple(columns_of_joint(joint) for joint in model.joints),
            tuple(body.name for body in model.bodies),
            (*(joint.name for joint in model.joints), *constraints),
            tuple(rows),
            tuple(forces),
            tuple([f"{pair.a} - {pair.b}" for pair in model.pairs]),
        )

    @property
    def fingerprint(self) -> str:
        return self.identity if isinstance(self.identity, str) else _fingerprint(self.identity)

    def __eq__(self, other):
        if not isinstance(other, Layout):
            return NotImplemented
        same = all(getattr(self, name) == getattr(other, name) for name in _NAMES)
        return same and (self.identity is other.identity or self.fingerprint == other.fingerprint)

    def __hash__(self):
        return hash(tuple([getattr(self, name) for name in _NAMES]))

    def __repr__(self):
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in ("model", "fingerprint", *_NAMES[1:]))
        return f"Layout({shown})"

    def __reduce__(self):
        return Layout, (self.model, self.fingerprint, *(getattr(self, name) for name in _NAMES[1:]))

    @property
    def nq(self):
        return sum(joint.nq for joint in self.joints)

    @property
    def nv(self):
        return sum(joint.nv for joint in self.joints)

    def spans(self):
        """(joint, slice of q, slice of v) for every joint."""
        iq = iv = 0
        for joint in self.joints:
            yield joint, slice(iq, iq + joint.nq), slice(iv, iv + joint.nv)
            iq, iv = iq + joint.nq, iv + joint.nv

    def row_label(self, index):
        """'rocker pin.x': the constraint and the word of a row; '' for -1, which means none."""
        return ".".join(self.rows[index]) if 0 <= index < len(self.rows) else ""

    def to_dict(self) -> dict[str, Any]:
        joints = [{"name": j.name, "manifold": j.manifold, "words": list(j.words), "units": list(j.units)} for j in self.joints]
        return {
            "model": self.model,
            "fingerprint": self.fingerprint,
            "joints": joints,
            "bodies": list(self.bodies),
            "parts": list(self.parts),
            "rows": [list(row) for row in self.rows],
            "forces": list(self.forces),
            "pairs": list(self.pairs),
        }

    @classmethod
    def from_dict(cls, given) -> "Layout":
        """From the data of a file: anything unexpected is a FormatError."""
        try:
            joints = tuple(_checked_joint(j) for j in given["joints"])
            rows = tuple((_text(name), _text(word)) for name, word in given["rows"])
            names = {key: tuple(_text(name) for name in _list(given[key])) for key in ("bodies", "parts", "forces")}
            names["pairs"] = tuple(_text(name) for name in _list(given.get("pairs", [])))  # earlier versions knew no contact
            return cls(_text(given["model"]), _text(given["fingerprint"]), joints, rows=rows, **names)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"the layout of the recording is not understood ({type(error).__name__}: {error})") from error


_NAMES = tuple(field.name for field in fields(Layout) if field.name != "identity")


def columns_of_joint(joint):
    """The coordinates of a joint of a model."""
    kind = joint.kind
    if kind.ball or kind.free:
        return JointColumns(joint.name, "ball" if kind.ball else "free")
    words = _WORDS.get(type(kind).__name__) or tuple([str(k + 1) for k in range(kind.nv)])
    units = ("",) * kind.nv if kind.custom else tuple(["rad" if e.turn else "m" for e in kind.elements or ()])
    return JointColumns(joint.name, "vector", words, units)


def _checked_joint(given):
    words, units = (tuple(_text(x) for x in _list(given[key])) for key in ("words", "units"))
    if given["manifold"] not in MANIFOLDS or len(words) != len(units) or (words and given["manifold"] != "vector"):
        raise ValueError(f"joint {given['name']!r} has no known coordinates")
    return JointColumns(_text(given["name"]), given["manifold"], words, units)


def _text(value):
    if not isinstance(value, str):
        raise TypeError(f"found {value!r} where a name should be")
    return value


def _list(value):
    if not isinstance(value, list):
        raise TypeError(f"found {value!r} where a list should be")
    return value
