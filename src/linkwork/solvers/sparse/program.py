"""The program of the sparse solver: where the blocks of the factor stand, and who meets whom (data/sparse.py), laid out once for a model."""

import math
from typing import NamedTuple

import numpy as np

from ...data.lending import cached
from ...data.sparse import ClosingJoint, Coupling, LaterConstraint, LinkEntry, LinkProgram, SparseConstraint, SparseData, SparseProgram
from ...kernels.array_fields import pack_width
from ...kernels.records import new_record
from .order import find_order

UNEVEN = (
    1e6  # a ratio of inertias: elimination from the tips adds them up, and an error of eps times the heavy ones is one of the light ones
)

# Of one group (model/constraint_tables.py): beyond, its dense matrix costs seconds, and what the pivots of this solver say is taken, doubtful or not.
MOST_ROWS = 1000


class Analysis(NamedTuple):
    """The program of a model, and the sizes of what a solve keeps."""

    program: SparseProgram
    sizes: dict


class Layout:
    """Lays out a model's program: rows in packs, wrenches on their ways, panels, lists of links."""

    def __init__(self, model):
        self.model, self.width, self.order = model, pack_width(), find_order(model)
        closing = self.order.closing
        counts = (
            6 - closing[e][3].bit_count() if e in closing else int(model.constraint_tables.blocks[k]["rows"])
            for e, k in enumerate(self.order.turn)
        )
        self.rows = list(counts)
        self.packs = [-(-rows // self.width) for rows in self.rows]
        self.tail = -(-7 // self.width)  # a wrench and gamma
        self.first, self.row_packs = _places(self.packs)
        self._wrenches()
        self._panels()

    def _wrenches(self):
        """`where[e]`: link (or meeting link) to the wrenches that constraint e brings there; branches join where a wrench stands already."""
        parents, at = self.model.tables.links["parent"].tolist(), 0
        self.where = []
        for packs, path, starts in zip(self.packs, self.order.paths, self.order.starts, strict=True):
            where = {link: at + 6 * packs * k for k, link in enumerate(starts)}
            at += 6 * packs * len(starts)
            for link in path:
                if parents[link] >= 0:
                    where.setdefault(parents[link], where[link])
            self.where.append(where)
        self.wrench_packs = at

    def _panels(self):
        """Each row of a constraint: K with itself, with later constraints, then the tail."""
        order = self.order
        self.column = []
        for e, later in enumerate(order.later):
            columns, _ = _places([self.packs[other] for other in (e, *later)])
            self.column.append(dict(zip((e, *later), columns, strict=True)))
        self.stride = [p + sum(self.packs[o] for o in later) + self.tail for p, later in zip(self.packs, order.later, strict=True)]
        self.panel, self.panel_packs = _places([rows * stride for rows, stride in zip(self.rows, self.stride, strict=True)])

    def coupling(self, first, second):
        """Where the coupling of two constraints stands, first by turn."""
        return self.panel[first] + self.column[first][second]

    def analysis(self):
        """The program, and the sizes."""
        order, model = self.order, self.model
        loaded = sorted({link for joint in order.closing.values() for link in joint[1:3] if link >= 0})
        closing_inertias = {link: k for k, link in enumerate(loaded)}
        program, meets = new_record(SparseProgram), self._meets(len(order.alive))
        program.count, program.world = len(self.rows), len(self.rows) - meets[-1][1]
        program.closing, program.closing_inertias, program.tail = len(order.closing), len(loaded), self.tail
        program.uneven, program.reveals_rank = self._is_uneven(), bool(model.constraint_tables.groups["rows"].max(initial=0) <= MOST_ROWS)
        program.row_packs, program.wrench_packs, program.panel_packs = self.row_packs, self.wrench_packs, self.panel_packs
        self._constraints(program)
        innovations = self._links(program, meets, closing_inertias)
        firsts = model.constraint_tables.blocks["row"][order.turn].tolist()
        joints = [
            (e, cut, parent, body, firsts[e], closing_inertias[body], closing_inertias.get(parent, -1), free)
            for e, (cut, parent, body, free) in order.closing.items()
        ]
        program.joints = _table(ClosingJoint, joints)
        sizes = {
            name: getattr(program, name) for name in ("count", "closing", "closing_inertias", "row_packs", "wrench_packs", "panel_packs")
        }
        return Analysis(program, sizes | {"lanes": self.width, "innovations": innovations})

    def _is_uneven(self):
        """Do the inertias of links on the ways of constraints differ by more than UNEVEN, as they are or as couplings make one feel the other (by squares of
        their ratios)? Of a link the greatest counts: principal ones, the mass at the mechanism's length, armature; a slender rod is no uneven link."""
        on_ways, length = np.unique(self.model.constraint_tables.paths), float(self.model.constraint_tables.length[0])
        links = self.model.tables.links[on_ways]
        I = links["I"][:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3)
        greatest = (
            np.maximum(np.linalg.eigvalsh(I)[:, 2], np.maximum(links["m"] * length**2, links["armature"])) if len(links) else np.zeros(0)
        )
        inertia = dict(zip(on_ways[greatest > 0.0].tolist(), greatest[greatest > 0.0].tolist(), strict=True))
        return _spread(inertia.values()) > UNEVEN or any(
            _spread(inertia[link] * speed**2 for link, speed in train.items() if link in inertia) > UNEVEN for train in self._trains()
        )

    def _trains(self):
        """{link: speed} of each set of links whose joints are coupled two by two, in a row or branching: how fast all turn with the first."""
        meshes = {}
        for first, count in self.model.constraint_tables.blocks[["term", "terms"]].tolist():
            terms = self.model.constraint_tables.terms[first : first + count]
            if count == 2 and (terms["moment"] != 0.0).all():
                (a, x), (b, y) = terms[["link", "moment"]].tolist()
                meshes.setdefault(a, []).append((b, -x / y))
                meshes.setdefault(b, []).append((a, -y / x))
        seen = set()
        for start in meshes:
            if start not in seen:
                train, waiting = {start: 1.0}, [start]
                while waiting:
                    link = waiting.pop()
                    for other, ratio in meshes[link]:
                        if other not in train:
                            train[other] = train[link] * ratio
                            waiting.append(other)
                seen.update(train)
                yield train

    def _constraints(self, program):
        order, constraints, laters, targets = self.order, [], [], []
        blocks = self.model.constraint_tables.blocks[["a", "b", "row", "holonomic"]][order.turn].tolist()
        for e, later in enumerate(order.later):
            where, meet = self.where[e], order.meet[e]
            ends = order.closing[e][1:3] if e in order.closing else blocks[e][:2]
            row, (a, b) = -1 if e in order.closing else blocks[e][2], (where.get(link, -1) for link in ends)
            panel = (self.panel[e], self.stride[e], where.get(meet, -1))
            begins = len(laters), len(later), len(targets)
            constraints.append((self.rows[e], self.packs[e], row, self.first[e], *panel, a, b, *begins, blocks[e][3]))
            laters += [(other, self.column[e][other], self.where[other].get(meet, -1)) for other in later]
            targets += [self.coupling(a, b) for i, a in enumerate(later) for b in later[i:]]
        program.constraints, program.laters = _table(SparseConstraint, constraints), _table(LaterConstraint, laters)
        program.targets = np.array(targets, dtype=np.int64)

    def _links(self, program, meets, closing_inertias):
        """The lists of all links; returns the packs of their innovations."""
        tables, order, terms = self.model.tables, self.order, self._terms()
        links, entries, couplings, known, y = [], [], [], {}, 0
        cuts = {joint[0] for joint in order.closing.values()}
        for i, (parent, nv, mass) in enumerate(tables.links[["parent", "nv", "m"]].tolist()):
            alive = order.alive[i]
            passing = tuple(self._entry(e, i, parent, terms) for e in alive)
            key = tuple(alive), passing
            if key not in known:
                known[key] = len(entries), len(couplings)
                entries += passing
                couplings += [(self.coupling(a, b), self.stride[a]) for j, a in enumerate(alive) for b in alive[j:]]
            entry, coupling = known[key]
            links.append(
                (
                    entry,
                    len(passing),
                    coupling,
                    y,
                    *meets[i],
                    closing_inertias.get(i, -1),
                    i in cuts,
                    1.0 / mass if mass > 0.0 else math.inf,
                )
            )
            y += nv * sum(self.packs[e] for e in alive)
        program.links, program.entries, program.couplings = (
            _table(LinkProgram, links),
            _table(LinkEntry, entries),
            _table(Coupling, couplings),
        )
        return y

    def _entry(self, e, i, parent, terms):
        """Constraint e on link i."""
        k, where = self.order.turn[e], self.where[e]
        return self.rows[e], self.packs[e], self.first[e], where[i], where.get(parent, -1), k if i in terms[k] else -1

    def _meets(self, n):
        """(first constraint that meets at each link, their number); the last of the list: at the world."""
        meets = [[0, 0] for _ in range(n + 1)]
        for e, meet in enumerate(self.order.meet):
            if not meets[meet][1]:
                meets[meet][0] = e
            meets[meet][1] += 1
        return meets

    def _terms(self):
        """Of every block of the model, the links whose joint coordinates it has."""
        links = self.model.constraint_tables.terms["link"].tolist()
        return [links[first : first + count] for first, count in self.model.constraint_tables.blocks[["term", "terms"]].tolist()]


def _spread(values):
    """The ratio of the greatest to the least; 1 of none."""
    values = list(values)
    return max(values) / min(values) if values and min(values) > 0.0 else 1.0


def _places(sizes):
    """Where pieces of these sizes begin, one after the other, and where the last one ends."""
    places, at = [], 0
    for size in sizes:
        places.append(at)
        at += size
    return places, at


def _table(record, rows):
    return record.over(np.array(rows, dtype=record.dtype()))


def analysis_of(model):
    """The analysis kept beside a model; made at the first call."""
    return cached(model, "sparse", lambda model: Layout(model).analysis())


def new_sparse_data(data):
    """What the sparse solver keeps, in a Data: its memory, with the program of the model."""
    program, sizes = analysis_of(data.model)
    return data.new(SparseData, program=program, joints=data.tree.motion.joints, **sizes)
