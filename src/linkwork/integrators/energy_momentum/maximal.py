r"""A mechanism in maximal coordinates: each body by its centre of mass and its three axes, all joints as quadratic rows.

    z = (c, d_1, d_2, d_3) of every body,        u = z',        T = 1/2 sum ( m |c'|^2 + E_ij d_i' . d_j' ),   E = tr(I)/2 - I

with the constant mass matrix of natural coordinates (Betsch & Steinmann 2001). A row is  g = 1/2 z^T Q z + b^T z + c:  d_i . d_j of a body, points
that coincide, axes at right angles or at a fixed angle, points in planes, distances squared. For such rows the gradient at the middle of
a step is a discrete gradient: Q (z_0 + z_1)/2 + b, times z_1 - z_0, is exactly g(z_1) - g(z_0).

The ground is one more body, whose numbers stand behind those of all bodies and never change; one zero stands behind them.
"""

from typing import NamedTuple

import numpy as np

from ...dynamics.configuration import neutral
from ...dynamics.kinematics import forward_kinematics
from .maximal_rows import JointMarks, across, constraint_rows, cross

BODY = 12  # numbers of a body
_STILL = np.concatenate([np.zeros(3), np.eye(3).ravel()])  # of the ground

_GROUND = (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


class Mark(NamedTuple):
    """A place on a body (its number, or that of the ground): axes R in body axes, point r from the centre of mass."""

    body: int
    R: np.ndarray
    r: np.ndarray

    def point(self):
        """3 x 12: the point from the body's numbers."""
        return np.kron(np.concatenate([[1.0], self.r]), np.eye(3))

    def along(self, a):
        """3 x 12: a direction, given in the mark's axes, from the body's numbers."""
        return np.kron(np.concatenate([[0.0], self.R @ a]), np.eye(3))


class Maximal:
    """The maximal coordinates of a model, with its mass matrix and its rows. Raises ModelError for what has no quadratic rows."""

    def __init__(self, model):
        self.model, nb = model, model.nb
        self.size = BODY * nb
        self.coms = np.array([body.inertia.com for body in model.bodies]).reshape(nb, 3)
        self.masses = np.array([body.inertia.mass for body in model.bodies])
        self.M = np.zeros((self.size, self.size))
        for k, body in enumerate(model.bodies):
            I, block, own = np.asarray(body.inertia.tensor), np.zeros((4, 4)), slice(BODY * k, BODY * (k + 1))
            block[0, 0], block[1:, 1:] = body.inertia.mass, 0.5 * np.trace(I) * np.eye(3) - I
            self.M[own, own] = np.kron(block, np.eye(3))
        self.gravity = np.zeros(self.size)
        for k in range(nb):
            self.gravity[BODY * k : BODY * k + 3] = self.masses[k] * np.asarray(model.gravity)
        self._rows, self.names = [], []
        self.joints = [JointMarks(joint, self) for joint in model.joints]
        self.length = float(model.constraint_tables.length[0])  # m, what positions are measured by
        self._lay()

    # ---- rows

    def mark(self, body, pose):
        """A place as a Mark."""
        if body == "ground":
            return Mark(self.model.nb, np.asarray(pose.rotation), np.asarray(pose.translation))
        k = self.model.body(body).index
        return Mark(k, np.asarray(pose.rotation), np.asarray(pose.translation) - self.coms[k])

    def row(self, name, quadratic=(), linear=(), constant=0.0):
        """Add a row: sums of x . y with x, y = A z of a body, given as ((body, A), (body, B)), and of l . A z as ((body, l @ A))."""
        bodies = sorted({body for pair in quadratic for body, _ in pair} | {body for body, _ in linear})
        Q, b = np.zeros((2 * BODY, 2 * BODY)), np.zeros(2 * BODY)
        at = {body: slice(BODY * k, BODY * (k + 1)) for k, body in enumerate(bodies)}
        for (i, A), (j, B) in quadratic:
            Q[at[i], at[j]] += A.T @ B
            Q[at[j], at[i]] += B.T @ A
        for i, l in linear:
            b[at[i]] += l
        places = np.full(2 * BODY, self.size + BODY)
        for body in bodies:
            places[at[body]] = BODY * body + np.arange(BODY)
        self._rows.append((places, Q, b, constant))
        self.names.append(name)

    def coincide(self, name, a, b):
        for k in range(3):
            self.row(name, linear=((a.body, a.point()[k]), (b.body, -b.point()[k])))

    def at_angle(self, name, a, x, b, y, cosine=0.0):
        """Direction x of a and y of b at a fixed angle."""
        self.row(name, (((a.body, a.along(x)), (b.body, b.along(y))),), constant=-cosine)

    def in_plane(self, name, a, n, b, height=0.0):
        """The point of b at a height over the plane through a across n, a direction of a."""
        N = a.along(n)
        self.row(name, (((a.body, N), (b.body, b.point())), ((a.body, -N), (a.body, a.point()))), constant=-height)

    def same_axes(self, name, a, b):
        x, y, z = np.eye(3)
        for first, second in ((x, y), (y, z), (z, x)):
            self.at_angle(name, a, first, b, second)

    def parallel(self, name, a, x, b, y):
        for e in across(x):
            self.at_angle(name, a, e, b, y)

    def distance(self, name, a, b, length):
        p, q = a.point(), b.point()
        half = 0.5
        same = (((a.body, half * p), (a.body, p)), ((b.body, half * q), (b.body, q)), ((a.body, -p), (b.body, q)))
        self.row(name, same, constant=-0.5 * length**2)

    def _lay(self):
        from scipy.sparse import csr_matrix  # here, so that `import linkwork` need not wait for it

        for k, body in enumerate(self.model.bodies):
            mark = Mark(k, np.eye(3), np.zeros(3))
            for i in range(3):
                for j in range(i, 3):
                    x, y = np.eye(3)[i], np.eye(3)[j]
                    scale = 0.5 if i == j else 1.0
                    pair = (((k, scale * mark.along(x)), (k, mark.along(y))),)
                    self.row(f"body {body.name!r}", pair, constant=-scale * float(i == j))
        for constraint in self.model.constraints:
            if not constraint.is_loop:
                constraint_rows(self, constraint)
        places, Q, b, c = zip(*self._rows, strict=True) if self._rows else ((), (), (), ())
        self.places, self.Q = np.array(places, dtype=int).reshape(-1, 2 * BODY), np.array(Q).reshape(-1, 2 * BODY, 2 * BODY)
        self.b, self.c = np.array(b).reshape(-1, 2 * BODY), np.array(c)
        whole = self.size + BODY + 1
        rows, i, j = np.nonzero(self.Q)
        at = self.places[rows, i] * whole + self.places[rows, j]
        self._sum = csr_matrix((self.Q[rows, i, j], (at, rows)), shape=(whole * whole, len(self.c)))
        self._rows = None

    def whole(self, z, still=_STILL):
        """z with the numbers of the ground and a zero behind."""
        return np.concatenate([z, still, [0.0]])

    def g(self, z):
        x = self.whole(z)[self.places]
        return 0.5 * np.einsum("ki,kij,kj->k", x, self.Q, x) + (self.b * x).sum(axis=1) + self.c

    def units(self, length):
        """(size,) What coordinates are measured by: a length for positions, 1 for directions."""
        found = np.ones((self.size // BODY, BODY))
        found[:, :3] = length
        return found.ravel()

    def gradient(self, z):
        """(rows, size): the gradient of all rows at z."""
        x = self.whole(z)[self.places]
        return self._spread(np.einsum("kij,kj->ki", self.Q, x) + self.b)

    def turned(self, u):
        """(rows, size): Q_k u, the change of G with z along u, which is also that of G z' with z."""
        return self._spread(np.einsum("kij,kj->ki", self.Q, self.whole(u, np.zeros(BODY))[self.places]))

    def _spread(self, values):
        found = np.zeros((len(self.c), self.size + BODY + 1))
        found[np.arange(len(self.c))[:, None], self.places] = values
        return found[:, : self.size]

    def weighted(self, multipliers):
        """The sum of Q_k times multipliers, (size, size)."""
        whole = self.size + BODY + 1
        return (self._sum @ multipliers).reshape(whole, whole)[: self.size, : self.size]

    # ---- there and back

    def from_joints(self, q, v):
        """(z, u) of a state."""
        found = forward_kinematics(self.model, q, v)
        z, u = np.zeros((self.model.nb, 4, 3)), np.zeros((self.model.nb, 4, 3))
        for k, (R, p, V, com) in enumerate(zip(found.rotations, found.positions, found.velocities, self.coms, strict=True)):
            w = R @ V[:3]
            z[k, 0], z[k, 1:] = p + R @ com, R.T
            u[k, 0], u[k, 1:] = R @ V[3:] + cross(w, R @ com), cross(w, R.T)
        return z.ravel(), u.ravel()

    def to_joints(self, z, u, q, guess):
        """(q, v) of z and u; q: what it was before, guess: about what angles are now."""
        frames = self.frames(z, u)
        new_q, new_v = neutral(self.model), np.zeros(self.model.nv)
        for joint in self.joints:
            joint.read(frames, new_q, new_v, q, guess)
        return new_q, new_v

    def frames(self, z, u):
        """(R, centre of mass, its velocity, angular velocity) of each body, and of the ground last."""
        Z, U = (np.asarray(x).reshape(-1, 4, 3) for x in (z, u))
        w = 0.5 * cross(Z[:, 1:], U[:, 1:]).sum(axis=1)
        return [*zip(Z[:, 1:].transpose(0, 2, 1), Z[:, 0], U[:, 0], w, strict=True), _GROUND]
