"""All faces of a figure in a few arrays, so that a pose is one product and not a loop over faces."""

import math

import numpy as np

# Neighbouring faces at a larger angle have a drawn edge between them.
CREASE = math.cos(math.radians(40.0))


class Stack:
    """points (p, 3) on bodies `owner` (p,); faces (f, k): numbers of points, the last repeated up to k; count (f,).

    color (f, 3); solid (f,): the number of the face's piece; convex, closed: by piece. neighbour (f, k): the face beyond the edge from
    this corner to the next, -1 if there is none; crease (f, k): the edge is sharp.
    """

    def __init__(self, pieces):
        self.convex = np.array([piece.solid.convex for piece in pieces], dtype=bool)
        self.closed = np.array([piece.solid.closed for piece in pieces], dtype=bool)
        width = max((len(face) for piece in pieces for face in piece.solid.faces), default=3)
        points, owner, rows, colors, solid, first = [np.zeros((0, 3))], [], [], [], [], 0
        for number, piece in enumerate(pieces):
            points.append(piece.solid.corners)
            owner += [piece.body] * len(piece.solid.corners)
            for face in piece.solid.faces:
                rows.append([first + k for k in face] + [first + face[-1]] * (width - len(face)))
                colors.append(piece.color)
                solid.append(number)
            first += len(piece.solid.corners)
        self.points, self.owner = np.concatenate(points), np.array(owner, dtype=np.int64)
        self.faces = np.array(rows, dtype=np.int64).reshape(-1, width)
        self.count = np.array([len(face) for piece in pieces for face in piece.solid.faces], dtype=np.int64)
        self.color, self.solid = np.array(colors, dtype=float).reshape(-1, 3), np.array(solid, dtype=np.int64)
        self.neighbour, self.crease = self._edges()

    def _edges(self):
        beyond, at = {}, []
        for f, (face, count) in enumerate(zip(self.faces.tolist(), self.count.tolist(), strict=True)):
            edges = [(face[k], face[(k + 1) % count]) for k in range(count)]
            at.append(edges)
            beyond.update(dict.fromkeys(edges, f))
        neighbour = np.full(self.faces.shape, -1, dtype=np.int64)
        for f, edges in enumerate(at):
            neighbour[f, : len(edges)] = [beyond.get((b, a), -1) for a, b in edges]
        spread = self.points[self.faces]
        spread = spread - spread.mean(axis=1, keepdims=True)
        normal = np.cross(spread, np.roll(spread, -1, axis=1)).sum(axis=1)
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
        crease = np.einsum("fc,fkc->fk", normal, normal[neighbour]) < CREASE
        return neighbour, (crease | (neighbour < 0)) & (np.arange(self.faces.shape[1]) < self.count[:, None])

    def world(self, rotations, positions):
        """Points in the world, (p, 3), for poses of all bodies (nb, 3, 3) and (nb, 3)."""
        return on_bodies(self.points, self.owner, rotations, positions)


def on_bodies(points, owner, rotations, positions):
    """Points (p, 3) on bodies (p,), -1 being the ground, in the world."""
    R = np.concatenate([rotations, np.eye(3)[None]])
    p = np.concatenate([positions, np.zeros((1, 3))])
    return np.einsum("pij,pj->pi", R[owner], points) + p[owner]
