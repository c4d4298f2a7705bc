"""Rigid bodies that touch, as complementarity problems; and what a solution has to fulfil, written another way than in the solver."""

import numpy as np

from linkwork.data.contact_problem import BOX, FRICTION, UNILATERAL, new_contact_problem
from linkwork.data.stepper import for_kernels
from linkwork.solvers.contact.solve import solve_contacts


def frame(n):
    """Normal and two tangents."""
    n = np.asarray(n, dtype=float) / np.linalg.norm(n)
    t = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    t /= np.linalg.norm(t)
    return n, t, np.cross(n, t)


class Scene:
    """Bodies (mass, inertia, centre) and contacts (first body, second body, point, normal, friction); -1 is the ground."""

    def __init__(self):
        self.bodies, self.contacts = [], []

    def box(self, mass, half, centre, R=None):
        a, b, c = half
        R = np.eye(3) if R is None else R
        I = R @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ R.T * (mass / 3.0)
        self.bodies.append((mass, I, np.asarray(centre, dtype=float)))
        return len(self.bodies) - 1

    def touch(self, a, b, p, n, mu):
        self.contacts.append((a, b, np.asarray(p, dtype=float), n, mu))

    def matrices(self):
        """J (3m, 6nb), M^-1, G, and the coefficients of friction; velocities are (omega, v) of each body about its centre."""
        nb = len(self.bodies)
        J, W = np.zeros((3 * len(self.contacts), 6 * nb)), np.zeros((6 * nb, 6 * nb))
        for i, (a, b, p, n, _) in enumerate(self.contacts):
            for j, d in enumerate(frame(n)):
                for body, sign in ((a, -1.0), (b, 1.0)):
                    if body >= 0:
                        J[3 * i + j, 6 * body : 6 * body + 6] += sign * np.r_[np.cross(p - self.bodies[body][2], d), d]
        for k, (mass, I, _) in enumerate(self.bodies):
            W[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.linalg.inv(I)
            W[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = np.eye(3) / mass
        G = J @ W @ J.T
        return J, W, 0.5 * (G + G.T), np.array([contact[4] for contact in self.contacts])


def block(mu, half=(0.5, 0.5, 0.5), mass=1.0):
    """A block on its four lower corners: twelve rows of rank six."""
    scene = Scene()
    k = scene.box(mass, half, (0.0, 0.0, half[2]))
    for x in (-half[0], half[0]):
        for y in (-half[1], half[1]):
            scene.touch(-1, k, (x, y, 0.0), (0, 0, 1), mu)
    return scene


def bricks(rows, columns, mu, half=(0.1, 0.05, 0.05)):
    """A wall, every second row shifted by half a brick: faces below and beside touch in four points each."""
    scene, (a, b, c), where = Scene(), half, {}
    for r in range(rows):
        for k in range(columns):
            x = 2.0 * a * k + a * (r % 2)
            where[r, k] = scene.box(1.0, half, (x, 0.0, c + 2.0 * c * r)), x
    for r in range(rows):
        for k in range(columns):
            one, x = where[r, k]
            below = (
                [(-1, x - a, x + a)]
                if r == 0
                else [(o, max(x, y) - a, min(x, y) + a) for o, y in (where[r - 1, j] for j in range(columns))]
            )
            for other, low, high in below:
                if high - low > 1e-9:
                    for px in (low, high):
                        for py in (-b, b):
                            scene.touch(other, one, (px, py, 2.0 * c * r), (0, 0, 1), mu)
            if k + 1 < columns:
                for py in (-b, b):
                    for pz in (0.0, 2.0 * c):
                        scene.touch(one, where[r, k + 1][0], (x + a, py, 2.0 * c * r + pz), (1, 0, 0), mu)
    return scene


def random_bodies(rng, bodies, contacts, ratio, friction):
    """Boxes of random sizes, attitudes and masses that touch at random points with random normals: most are jammed in some way."""
    scene = Scene()
    for _ in range(bodies):
        R = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        scene.box(ratio ** rng.uniform(-0.5, 0.5), rng.uniform(0.2, 1.0, 3), rng.uniform(-1.0, 1.0, 3), R)
    for _ in range(contacts):
        b, a = int(rng.integers(bodies)), int(rng.integers(-1, bodies))
        p = scene.bodies[b][2] + 0.7 * rng.uniform(-1.0, 1.0, 3)
        scene.touch(-1 if a == b else a, b, p, rng.standard_normal(3), rng.uniform(0.0, friction))
    return scene


def gravity(scene, tilt=0.0, axis=0, step=1e-3):
    """Changes of velocity by gravity in a step, on a ground that is tilted along an axis."""
    v = np.zeros(6 * len(scene.bodies))
    v[3 + axis :: 6], v[5::6] = 9.81 * step * np.sin(tilt), -9.81 * step * np.cos(tilt)
    return v


def load(G, g, mu=(), kinds=None, bounds=None, guess=None):
    """A problem of contacts with friction, or of the kinds given."""
    kinds = [FRICTION] * len(mu) if kinds is None else list(kinds)
    n, m = len(g), len(kinds)
    problem = new_contact_problem(n, m)
    rows = [3 if kind == FRICTION else 1 for kind in kinds]
    problem.n, problem.m = n, m
    problem.G[: n * n], problem.g[:n], problem.kind[:m] = np.asarray(G, dtype=float).ravel(), g, kinds
    problem.first[:m] = np.cumsum([0, *rows[:-1]])
    problem.mu[: len(mu)] = mu
    if bounds is not None:
        problem.lower[:m], problem.upper[:m] = np.transpose(bounds)
    if guess is not None:
        problem.l[:n] = guess
    return problem


def solve(G, g, mu=(), **options):
    """(what `solve_contacts` returns, the problem)."""
    problem = load(G, g, mu, **options)
    return solve_contacts(for_kernels(problem)), problem


def faults(problem):
    """How far (l, w) is from a solution, in velocity, by de Saxce's form of the law: w + mu |wt| n in the dual cone, l in the cone, orthogonal.

    The velocity of a violated sign or cone, or l.(w + mu |wt| n) by the length of l; of impulses, by the diagonal of G."""
    n, m = problem.n, problem.m
    G, l = problem.G[: n * n].reshape(n, n), problem.l[:n]
    w, worst = G @ l + problem.g[:n], 0.0
    for c in range(m):
        i, kind = problem.first[c], problem.kind[c]
        size = max(np.diag(G)[i : i + 3].max() if kind == FRICTION else G[i, i], 1e-300)
        if kind == UNILATERAL:
            worst = max(worst, -w[i], -l[i] * size, min(abs(w[i]), abs(l[i]) * size))
        elif kind == BOX:
            low, high = (l[i] - problem.lower[c]) * size, (problem.upper[c] - l[i]) * size
            worst = max(worst, -low, -high, min(max(w[i], 0.0), low), min(max(-w[i], 0.0), high))
        else:
            mu, wt, lt = problem.mu[c], np.linalg.norm(w[i + 1 : i + 3]), np.linalg.norm(l[i + 1 : i + 3])
            length = np.linalg.norm(l[i : i + 3])
            work = abs(l[i : i + 3] @ w[i : i + 3] + mu * wt * l[i]) / length if length > 0.0 else 0.0
            worst = max(
                worst, -w[i], (lt - mu * l[i]) * size, -l[i] * size, work if length * size > 1e-12 * np.abs(problem.g[:n]).max() else 0.0
            )
    return worst
