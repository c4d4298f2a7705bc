"""What of the way of forces through a mechanism does not depend on the pose: which part stands where, and whose wrenches it passes on.

All wrenches in world axes about one point, the inward sweep of transmission.py only adds and subtracts; what it gives is then the same at every pose,

    W_parts = inertial G - loaded f_ext + rows_a (w_a lambda) + rows_b (w_b lambda)

G: what bodies need, f_ext: what else acts on them, w_a and w_b: the wrenches of a row on its two links. The four matrices come from running the
sweep once on numbers instead of wrenches.
"""

import numpy as np

from ..constraints.tolerance import length_of, sides_of, turns
from ..data.lending import cached
from ..data.need_memory import need_memory
from ..kernels import JIT
from ..kernels.records import Record, integer, integers, real, reals, reals_fixed
from ..spatial.pose import Pose

GROUND = -1


class WiringTables(Record, constant=True):
    """The wiring as kernels read it. Where a link or a body is the ground, its number is -1."""

    parts = integer("joints and constraints, but the joints that close loops", by="_write_tables")
    joints = integer("how many of them, the first, are joints", by="_write_tables")
    nb = integer("bodies", by="_write_tables")
    nc = integer("rows", by="_write_tables")
    drives = integer("rows of `measured`", by="_write_tables")
    length = real("of the mechanism, m", by="_write_tables")
    gravity = reals_fixed(3, "m/s^2, world axes", by="_write_tables")
    at_body = integers("2 * parts", "the bodies of a part's two sides", by="_write_tables")
    offsets = reals("6 * parts", "the points of a part on them, in the bodies' axes, m", by="_write_tables")
    inertia = reals("36 * nb", "inertia of a body about its origin, a matrix that makes momenta of velocities", by="_write_tables")
    row_links = integers("2 * nc", "first links of all rows, then second links", by="_write_tables")
    row_origins = reals("6 * nc", "where one is the ground, the point about which the row's wrench is given, m", by="_write_tables")
    inertial = reals("parts * nb", "what of a body's inertial wrench each part passes on", by="_write_tables")
    loaded = reals("parts * nb", "the same of an external wrench on it", by="_write_tables")
    through = reals(
        "3 * parts * nc", "of rows: on first links, on second links, of second links on a constraint's second place", by="_write_tables"
    )
    measured = reals("drives * nc", "rows of couplings and drives, as the measure of wrenches counts them", by="_write_tables")


class Wiring:
    """The joints and constraints of a model as parts that carry wrenches; see Transmission for `parts`, `length`."""

    def __init__(self, model):
        self.bodies = {b.name: b.index for b in model.bodies}
        self.constraints = [c for c in model.constraints if not c.is_loop]
        self.parts = [*model.joints, *self.constraints]
        self.index = {part.name: k for k, part in enumerate(self.parts)}
        self.joints = len(model.joints)
        self.length, self.gravity = length_of(model), tuple(map(float, model.gravity))
        self._read_places()
        self._read_bodies(model)
        self._read_rows(model)
        self._sweep(model)
        self.tables = _write_tables(self)
        self.address = self.tables.address if JIT else self.tables  # what kernels take

    def _read_places(self):
        nowhere = (("ground", Pose()),) * 2  # where a part acts along joint coordinates alone
        places = [sides_of(part) if k < self.joints else (*part.places, *nowhere)[:2] for k, part in enumerate(self.parts)]
        self.at_body = np.array([[self.bodies.get(body, GROUND) for body, _ in sides] for sides in places], dtype=int).reshape(-1, 2)
        self.offsets = np.array([[pose.translation for _, pose in sides] for sides in places]).reshape(-1, 2, 3)
        self.turned = np.array([[pose.rotation for _, pose in sides] for sides in places]).reshape(-1, 2, 3, 3)

    def _read_bodies(self, model):
        """The inertia of every body about its origin, as a matrix that makes momenta of velocities, (nb, 6, 6)."""
        table = model.tables.bodies
        xx, xy, xz, yy, yz, zz = table["I"].T
        x, y, z = table["h"].T
        o, m = np.zeros(len(table)), table["m"]
        rows = [
            [xx, xy, xz, o, -z, y],
            [xy, yy, yz, z, o, -x],
            [xz, yz, zz, -y, x, o],
            [o, z, -y, m, o, o],
            [-z, o, x, o, m, o],
            [y, -x, o, o, o, m],
        ]
        self.inertia = np.array(rows).reshape(6, 6, -1).transpose(2, 0, 1).copy()

    def _read_rows(self, model):
        """The links of all rows, first and second; where one is the world, the point about which the row's wrench is given."""
        self.row_links, self.row_origins = np.full((2, model.nc), GROUND), np.zeros((2, model.nc, 3))
        self.driving = np.zeros((model.nv, model.nc))
        for block in model.constraint_tables.blocks:
            rows = slice(block["row"], block["row"] + block["rows"])
            for side, name in enumerate("ab"):
                self.row_links[side, rows], self.row_origins[side, rows] = block[name], block["p" + name]
            for term in model.constraint_tables.terms[block["term"] : block["term"] + block["terms"]]:
                self.driving[term["v"], rows] += term["coefficient"]
        measured = [np.zeros((0, model.nc))]
        for part in self.constraints:
            for joint, dof in part.joints:
                scale = self.length if turns(model.joint(joint).kind, dof) else 1.0
                rows = np.eye(model.nc)[part.rows]
                measured.append(self.driving[model.joint(joint).v_index.start + dof, part.rows, None] * rows / scale)
        self.measured = np.concatenate(measured)  # rows of couplings and drives, as the measure of wrenches counts them

    def _sweep(self, model):
        nb, nc = model.nb, model.nc
        need_memory(model.name, model.sizes, 8 * (3 * len(self.parts) * nc + (len(self.parts) + nb) * 2 * (nb + nc)), "to find reactions")
        self.through = np.zeros((3, len(self.parts), nc))
        self.rows, self.second = self.through[:2], self.through[2]
        # What each body needs and each part exerts, as coefficients of: G | f_ext with its sign | rows, first links | rows, second links.
        width = 2 * nb + 2 * nc
        exerts, needs = np.zeros((len(self.parts), width)), np.zeros((nb, width))
        needs[:, :nb] = needs[:, nb : 2 * nb] = np.eye(nb)
        of_rows = 2 * nb + np.arange(2 * nc).reshape(2, nc)

        def add(body, coefficients):
            if body != "ground":
                needs[self.bodies[body]] += coefficients

        for at, part in enumerate(self.constraints, self.joints):
            for side, (body, _) in enumerate(part.places):
                W = np.zeros(width)
                W[of_rows[side, part.rows]] = 1.0
                if side == 0:
                    exerts[at] = W
                else:
                    self.second[at, part.rows] = 1.0
                add(body, -W)
        shares = _shares(model)
        for at, joint in enumerate(model.joints):
            if joint.closes_loop:
                W = np.zeros(width)
                W[of_rows[0, model.constraint(joint.name).rows]] = -1.0
                if joint.child != "ground" and joint.nv:
                    W[self.bodies[joint.child]] = 1.0 / shares[joint.child]
                exerts[at] = W
                add(joint.child, -W)
                add(joint.parent, W)
        for at in range(self.joints - 1, -1, -1):
            joint = model.joints[at]
            if not joint.closes_loop:
                exerts[at] = needs[self.bodies[joint.child]]
                add(joint.parent, exerts[at])
        self.inertial, self.loaded = exerts[:, :nb].copy(), exerts[:, nb : 2 * nb].copy()
        self.rows[:] = exerts[:, 2 * nb :].reshape(len(exerts), 2, nc).transpose(1, 0, 2)


def _write_tables(wiring):
    """The wiring as kernels read it."""
    sizes = {"parts": len(wiring.parts), "nb": len(wiring.inertia), "nc": wiring.through.shape[2], "drives": len(wiring.measured)}
    tables = WiringTables.allocate(sizes)
    for name, size in sizes.items():
        setattr(tables, name, size)
    tables.joints, tables.length, tables.gravity = wiring.joints, wiring.length, wiring.gravity
    for name in ("at_body", "offsets", "inertia", "row_links", "row_origins", "inertial", "loaded", "through", "measured"):
        getattr(tables, name)[:] = getattr(wiring, name).reshape(-1)
    return tables


def wiring_of(model) -> Wiring:
    """The wiring of a model, kept beside it."""
    return cached(model, "wiring", Wiring)


def _shares(model):
    """Into how many equal parts build() divided the inertia of each body."""
    shares = dict.fromkeys([b.name for b in model.bodies], 1)
    for joint in model.joints:
        if joint.closes_loop and joint.nv and joint.child != "ground":
            shares[joint.child] += 1
    return shares
