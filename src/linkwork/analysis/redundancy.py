"""Redundant rows by the names of parts: small sets of joints and constraints that hold each other in self-stress.

Every dependent row is a self-stress, and its wrenches run through all joints around the loop. First each constraint (a joint that closes a loop
is one) is looked at alone: what of it is redundant even without the others belongs to its own loop. The rest needs several constraints
together; for these, constraints are left out one by one as long as a new self-stress remains, so that the set becomes as small as
that greedy way gets it. The sets together span all self-stress: their counts add up to the redundancy.
"""

from dataclasses import dataclass, field

import numpy as np

from ..constraints.independent_rows import independent_rows
from .dependence import null_vectors
from .report_text import counted, listed
from .split_rows import null_space

TOUCHED = 1e-6  # a share of a self-stress of unit size below this is rounding


@dataclass(frozen=True)
class RedundantSet:
    """Joints and constraints that hold more than they need to. `count`: how many of their constraints could go.

    `names`: all that carry the self-stress, around the whole loop. `constraints`: those of them that close loops or are constraints, and
    `imposed` how many constraints these impose. `stress`: the multipliers (nc, count).
    """

    names: tuple[str, ...]
    count: int
    constraints: tuple[str, ...]
    imposed: int
    stress: np.ndarray = field(repr=False, compare=False)

    def __str__(self):
        together, one = " together" if len(self.constraints) > 1 else "", len(self.constraints) == 1
        others = [n for n in self.names if n not in self.constraints]
        why = f"{listed(others)} {'holds' if len(others) == 1 else 'hold'} the same already"
        if not others:
            why = "it holds what cannot move anyway" if one else "they hold the same"
        return f"{self.count} of the {counted(self.imposed, 'constraint')} of {listed(self.constraints)}{together}: {why}"


def redundant_sets(model, rows, transmission):
    """The sets of a model's rows (a `Split`)."""
    if not len(rows.dependent):
        return ()
    rows, idle = _without_idle(model, rows, transmission)
    if not len(rows.dependent):
        return idle
    finder = _Finder(model, rows, transmission)
    for info in sorted(model.constraints, key=lambda c: _path_length(model, c)):
        own = _own_stress(rows, info.rows)
        if own.shape[1]:
            finder.record(own, [info])
    while finder.missing:
        before = finder.missing
        finder.record(*finder.smallest())
        if finder.missing == before:
            break  # what is left carries nothing that could be told from rounding
    return (*finder.sets, *idle)


def _without_idle(model, rows, transmission):
    """The split without rows that put no force on anything in this pose, and these as sets of their own."""
    felt = np.linalg.norm(transmission.weighted(*transmission.spread(rows.stress), rows.stress), axis=0)
    idle = rows.dependent[felt <= TOUCHED**2]
    sets = []
    for info in model.constraints:
        own = [i for i in idle if info.rows.start <= i < info.rows.stop]
        if own:
            stress = np.zeros((len(rows.J), len(own)))
            stress[own, np.arange(len(own))] = 1.0
            sets.append(RedundantSet((info.name,), len(own), (info.name,), imposed_by(model, info), stress))
    kept = ~np.isin(rows.dependent, idle)
    return rows._replace(dependent=rows.dependent[kept], stress=rows.stress[:, kept]), tuple(sets)


def imposed_by(model, info):
    """How many constraints a part imposes: its rows, or for a joint that closes a loop 6 less its freedoms."""
    return 6 - model.joint(info.name).nv if info.is_loop else info.rows.stop - info.rows.start


def _path_length(model, info):
    blocks = model.constraint_tables.blocks
    return max(int(b["paths"]) for b in blocks if info.rows.start <= b["row"] < info.rows.stop)


def _own_stress(rows, some):
    """Self-stress of some rows alone, as multipliers of all rows."""
    found = independent_rows(rows.directions[some], rows.gaps[some])
    Z = np.zeros((len(rows.J), len(found.dependent)))
    Z[some] = null_vectors(rows.J[some], found.independent, found.dependent)
    return Z


class _Finder:
    """Collects sets until their self-stresses span all of it. `known`: orthonormal self-stresses found so far, in the measure of wrenches."""

    def __init__(self, model, rows, transmission):
        self.model, self.transmission, self.sets = model, transmission, []
        self.total = rows.stress.shape[1]
        self.stress = rows.stress
        self.known = np.zeros((len(self._measure(rows.stress)), 0))

    @property
    def missing(self):
        return self.total - self.known.shape[1]

    def _measure(self, Z):
        return self.transmission.weighted(*self.transmission.spread(Z), Z)

    def _beyond(self, Z, names, count):
        """What self-stresses of some constraints do beyond those known of these constraints alone, in the measure."""
        G = self._measure(Z / np.max(np.abs(Z), axis=0))
        inside = [s.stress for s in self.sets if set(s.constraints) <= names]
        if inside:
            B, _ = np.linalg.qr(self._measure(np.hstack(inside)))
            G = G - B @ (B.T @ G)
        return np.linalg.svd(G, full_matrices=False)[0][:, :count]

    def _new(self, Z):
        """The part of self-stresses that is not known yet: an orthonormal basis, and the multipliers that make it."""
        Z = Z / np.max(np.abs(Z), axis=0)
        G = self._measure(Z)
        rest = G - self.known @ (self.known.T @ G)
        U, sizes, Vt = np.linalg.svd(rest, full_matrices=False)
        count = min(int(np.sum(sizes > TOUCHED * max(1.0, sizes[0]))), self.missing)
        return U[:, :count], Z @ (Vt[:count].T / sizes[:count])

    def record(self, Z, infos):
        basis, new = self._new(Z)
        if not basis.shape[1]:
            return
        size = self._sizes(self._beyond(Z, {i.name for i in infos}, basis.shape[1]))
        names = tuple(part.name for part, s in zip(self.transmission.parts, size, strict=True) if s > TOUCHED)
        constraints = tuple(i.name for i in infos)
        imposed = sum(imposed_by(self.model, i) for i in infos)
        self.sets.append(RedundantSet(names or constraints, basis.shape[1], constraints, imposed, new))
        self.known = np.hstack([self.known, basis])

    def _sizes(self, basis):
        """How much of a basis (in the measure) each part carries."""
        parts = self.transmission.parts
        size = np.linalg.norm(basis, axis=1)
        each = [float(np.max(size[12 * k : 12 * k + 12])) for k in range(len(parts))]
        at = 12 * len(parts)
        for k, part in enumerate(self.transmission.constraints, len(self.model.joints)):
            for _ in part.joints:
                count = part.rows.stop - part.rows.start
                each[k] = max(each[k], float(np.max(size[at : at + count])))
                at += count
        return each

    def smallest(self):
        """A self-stress that is not known yet, of few constraints: (multipliers, infos)."""
        C, infos = np.eye(self.total), list(self.model.constraints)
        for info in sorted(reversed(infos), key=lambda c: -_path_length(self.model, c)):
            fewer = C @ null_space(self.stress[info.rows] @ C)
            if fewer.shape[1] and self._new(self.stress @ fewer)[0].shape[1]:
                C = fewer
                infos.remove(info)
        return self.stress @ C, [i for i in infos if np.max(np.abs(self.stress[i.rows] @ C), initial=0.0) > TOUCHED]
