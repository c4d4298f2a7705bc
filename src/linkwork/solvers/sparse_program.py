"""The program of the sparse solver: where the blocks of the factor stand in memory, and who meets whom, as one array of integers.

Rows of a constraint fill the lanes of packs (width W): a block of up to W rows costs one vector operation where a row would cost a scalar one.
So all that belongs to rows is counted in packs; offsets of packs count from the start of the scratch memory.

memory (floats)  q v tau vdot, links, extras, gathers, carry: the workspace of dynamics/sweep.py (its accelerations are ours)
                 LINK_STORE floats for each link: K = U/D (6), u/D, 1/D, four numbers of the bias acceleration
                 6 n link forces, then 6 nb given ones; the rows as evaluated; time, laws, some floats for laws of users
                 loads that closing joints put on links (27 each), and what these joints keep (sparse_closing.py)
memory (packs)   of each constraint: gamma, diagonal, size, lambda, order of pivots           `packs` each
                 wrenches: 6 for each pack of rows, for every way on which a constraint comes inward
                 panels: for each row [ K with itself | K with later constraints | its wrench on the meeting link, gamma ]
                 y: for each link, each constraint through it, each velocity                    `packs` each

program (ints)   header, then constraints by turn, then links, then lists; see the constants below
"""

import contextlib

import numpy as np

from ..data.constraints import SparseLink
from ..dynamics.sweep import STRIDE
from ..kernels import JIT, when_compiling
from ..kernels.views import slots_of
from ..model.tables import GATHER_SLOTS, floats_at, ints_at
from ..parts.constraints.rows import ROW
from .sparse_order import find_order

# Header.
P_COUNT, P_LINKS, P_STORE, P_FORCES, P_ROWS, P_TIME, P_LAWS, P_RAW, P_FIRST, P_LAST, P_TAIL, P_WORLD, P_LARGEST = range(13)
P_JOINTS, P_JOINTS_COUNT, P_LOADS, P_LOADS_END = range(13, 17)
HEADER = 20
# A constraint: rows, packs, first row in the model (-1: rows of a closing joint), panel, packs in a row of it, vectors, wrench on the meeting
# link (-1: none), wrenches of its two places (-1: none), number of later constraints, where these stand, where the targets of their
# products stand.
C_ROWS, C_PACKS, C_ROW, C_PANEL, C_STRIDE, C_VECTOR, C_WRENCH, C_PLACES = range(8)
C_LATER, C_LATERS, C_TARGETS = range(9, 12)
CONSTRAINT = 12
# A later constraint: its number, the column of the panel where the coupling stands, its wrench on the meeting link.
LATER = 3
# A link: its list (0: no constraint passes), where its y stand, first constraint that meets here and their number, where the load of
# closing joints on it stands (0: none, -1: it is a twin that has gone before).
L_LIST, L_Y, L_MEET, L_MEETS, L_LOAD = range(5)
LINK = 5
# A joint that closes a loop and goes first: its constraint, twin, parent (-1: world), body, first row in the model, floats, loads of body and
# parent, mask of the directions that need no row.
J_CONSTRAINT, J_TWIN, J_PARENT, J_BODY, J_ROW, J_STORE, J_BODY_LOAD, J_PARENT_LOAD, J_FREE = range(9)
JOINT = 9
JOINT_STORE = 54
# A list: number of entries, entries (constraint, rows, packs, wrench here, wrench at the parent (-1: none), vectors, block with a term here
# or -1), then for every pair of entries (first <= second) where their coupling stands and the packs in a row of it.
E_CONSTRAINT, E_ROWS, E_PACKS, E_FROM, E_TO, E_VECTOR, E_TERM = range(7)
ENTRY = 7
VECTORS = 5
GAMMA, DIAGONAL, SIZE, LAMBDA, PIVOTS = range(5)
LINK_STORE = slots_of(SparseLink)
RESERVED = 8  # floats before the scratch memory: the address of the program


def lanes():
    """Rows in a pack: 1 in plain Python."""
    if not JIT:
        return 1
    from ..kernels.level import lanes

    return lanes()


class Layout:
    """Lays a model's program and counts its memory."""

    def __init__(self, model):
        self.model, self.width, self.order = model, lanes(), find_order(model)
        closing = self.order.closing
        counts = (
            6 - closing[e][3].bit_count() if e in closing else int(model.rules.blocks[k]["rows"]) for e, k in enumerate(self.order.turn)
        )
        self.rows = list(counts)
        self.packs = [-(-rows // self.width) for rows in self.rows]
        self.tail = -(-7 // self.width)
        self.header = [0] * HEADER
        self._floats()
        self._wrenches()
        self._panels()
        self._write()

    def _floats(self):
        n, nq, nv, nb, extras, gathers = (int(x) for x in self.model.tables.size[:6])
        header = self.header
        header[P_COUNT] = len(self.rows)
        header[P_STORE] = nq + 3 * nv + STRIDE * n + extras + GATHER_SLOTS * (gathers + 1)
        header[P_FORCES] = header[P_STORE] + LINK_STORE * n
        header[P_ROWS] = header[P_FORCES] + 6 * n + 6 * nb
        header[P_TIME] = header[P_ROWS] + ROW * self.model.nc
        header[P_LAWS] = header[P_TIME] + 1
        header[P_RAW] = header[P_LAWS] + 3 * int(self.model.rules.size[3])
        header[P_LARGEST] = header[P_RAW] + 96 + 15 * self.model.nc  # what laws and relations may use
        header[P_LOADS] = header[P_LARGEST] + 1
        loaded = sorted({link for joint in self.order.closing.values() for link in joint[1:3] if link >= 0})
        self.loads = {link: header[P_LOADS] + GATHER_SLOTS * k for k, link in enumerate(loaded)}
        header[P_LOADS_END] = header[P_LOADS] + GATHER_SLOTS * len(loaded)
        self.end = -(-(header[P_LOADS_END] + JOINT_STORE * len(self.order.closing)) // self.width)  # in packs from here on
        header[P_FIRST], header[P_TAIL] = self.end, self.tail

    def _take(self, packs):
        at = self.end
        self.end += packs
        return at

    def _wrenches(self):
        """`where[e]`: link (or meeting link) to the wrenches that constraint e brings there; branches join where a wrench stands already."""
        parents = self.model.tables.links["parent"].tolist()
        self.vectors = [self._take(VECTORS * packs) for packs in self.packs]
        self.where = []
        for packs, path, starts in zip(self.packs, self.order.paths, self.order.starts, strict=True):
            where = {link: self._take(6 * packs) for link in starts}
            for link in path:
                if parents[link] >= 0:
                    where.setdefault(parents[link], where[link])
            self.where.append(where)

    def _panels(self):
        order = self.order
        self.stride = [p + sum(self.packs[o] for o in later) + self.tail for p, later in zip(self.packs, order.later, strict=True)]
        self.panel = [self._take(rows * stride) for rows, stride in zip(self.rows, self.stride, strict=True)]
        self.header[P_LAST] = self.end
        self.column = []
        for e, later in enumerate(order.later):
            column, at = {e: 0}, self.packs[e]
            for other in later:
                column[other], at = at, at + self.packs[other]
            self.column.append(column)

    def coupling(self, first, second):
        """Where the coupling of two constraints stands, first by turn."""
        return self.panel[first] + self.column[first][second]

    def _write(self):
        order, counts = self.order, self.model.tables.links["nv"].tolist()
        heads, tails = [], []
        first = HEADER + CONSTRAINT * len(self.rows) + LINK * len(counts)
        blocks = self.model.rules.blocks[["a", "b", "row"]][order.turn].tolist()
        for e, later in enumerate(order.later):
            where, meet = self.where[e], order.meet[e]
            ends = order.closing[e][1:3] if e in order.closing else blocks[e][:2]
            places = [where.get(link, -1) for link in ends]
            laters = first + len(tails)
            for other in later:
                tails += [other, self.column[e][other], self.where[other].get(meet, -1)]
            targets = first + len(tails)
            tails += [self.coupling(a, b) for i, a in enumerate(later) for b in later[i:]]
            row, at_meet, count = -1 if e in order.closing else blocks[e][2], where.get(meet, -1), len(later)
            heads += [self.rows[e], self.packs[e], row, self.panel[e], self.stride[e], self.vectors[e], at_meet, *places, count]
            heads += [laters, targets]
        self.header[P_LINKS] = HEADER + len(heads)
        meets = self._meets(len(counts))
        self.header[P_WORLD] = len(self.rows) - meets[-1][1]
        known = {(): 0}
        parents, terms = self.model.tables.links["parent"].tolist(), self._terms()
        for i, alive in enumerate(order.alive):
            entries = self._list(i, parents[i], alive, terms)
            if entries not in known:
                known[entries] = first + len(tails)
                tails += entries
            y = self._take(counts[i] * sum(self.packs[e] for e in alive))
            heads += [known[entries], y, *meets[i], self.loads.get(i, 0)]
        self.header[P_JOINTS], self.header[P_JOINTS_COUNT] = first + len(tails), len(order.closing)
        for k, (e, (twin, parent, body, free)) in enumerate(order.closing.items()):
            store = self.header[P_LOADS_END] + JOINT_STORE * k
            tails += [e, twin, parent, body, blocks[e][2], store, self.loads[body], self.loads.get(parent, -1), free]
            heads[self.header[P_LINKS] - HEADER + LINK * twin + L_LOAD] = -1
        self.program = np.array([*self.header, *heads, *tails], dtype=np.int64)
        self.floats = self.end * self.width

    def _meets(self, n):
        meets = [[0, 0] for _ in range(n + 1)]
        for e, meet in enumerate(self.order.meet):
            if not meets[meet][1]:
                meets[meet][0] = e
            meets[meet][1] += 1
        return meets

    def _terms(self):
        """Of every block of the model, the links whose joint coordinates it has."""
        links = self.model.rules.terms["link"].tolist()
        return [links[first : first + count] for first, count in self.model.rules.blocks[["term", "terms"]].tolist()]

    def _list(self, i, parent, alive, terms):
        if not alive:
            return ()
        found = [len(alive)]
        for e in alive:
            k, where = self.order.turn[e], self.where[e]
            here = i in terms[k]
            found += [e, self.rows[e], self.packs[e], where[i], where.get(parent, -1), self.vectors[e], k if here else -1]
        for j, a in enumerate(alive):
            for b in alive[j:]:
                found += [self.coupling(a, b), self.stride[a]]
        return tuple(found)


class Workspace:
    """The program of a model and the scratch memories that go with it: one for calls that hold the GIL, others for batches, lent from a pool."""

    def __init__(self, model):
        layout = Layout(model)
        self.order, self.program, self.floats = layout.order, layout.program, layout.floats
        self.pool, self._memories = [], []
        self.scratch = self.new_memory()

    def new_memory(self):
        """One more scratch memory. In plain Python it is the program with an array."""
        array = np.zeros(self.floats + RESERVED + 8)
        if not JIT:
            return self.program, array
        self._memories.append(array)
        first = -array.ctypes.data % 64 // 8
        array.view(np.int64)[first] = self.program.ctypes.data
        return int(array.ctypes.data + 8 * first)

    @contextlib.contextmanager
    def memory(self):
        """Borrow scratch memory."""
        try:
            memory = self.pool.pop()
        except IndexError:
            memory = self.new_memory()
        try:
            yield memory
        finally:
            self.pool.append(memory)


def workspace_of(model):
    """The workspace kept beside a model; made at the first call."""
    try:
        return model.kept["sparse"]
    except KeyError:
        return model.kept.setdefault("sparse", Workspace(model))


def open_workspace(memory):
    """(program, scratch memory as floats) of a memory."""
    return memory


@when_compiling
def _verbs():
    from numba.extending import overload

    from ..dynamics.slots import HUGE

    @overload(open_workspace)
    def _open_workspace(memory):
        return lambda memory: (ints_at(ints_at(memory, 1)[0], HUGE), floats_at(memory + 8 * RESERVED, HUGE))
