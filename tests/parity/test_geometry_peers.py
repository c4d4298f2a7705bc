"""Every pair of convex kinds, and surfaces, against Coal, FCL and MuJoCo, and what decides where they differ.

The separation along a unit vector n, s(n) = min over b of n.b - max over a of n.a, is never above the true (signed) distance. So a gap that is s of its own
normal is not too large; and who claims a larger one has to show a normal with that separation. Each difference is judged by that alone:

    too far     the gap is more than the separation along every normal that is known
    too near    it is less than the separation along one of them

    python tests/parity/test_geometry_peers.py 100000              so many pairs of each two kinds; counts as a table
    python tests/parity/test_geometry_peers.py 100000 box-box      of some only

Pairs are near each other: apart, touching to 1e-12, overlapping by a little or deeply; one in three with axes that are parallel to rounding or nearly so;
sizes between 0.02 and 1 and, one pair in five, a ratio of 1000 between the two shapes.
"""

import itertools
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

if __name__ == "__main__":  # as a script: what pytest does by itself
    sys.path.insert(0, str(Path(__file__).parents[2]))
    __package__ = "tests.parity"

from linkwork.geometry.hull import hull_row
from linkwork.geometry.pair import manifold_of, shape_row

from ..convex_cases import KINDS, extent, random_rotation, random_shape, reach_along, separation, turn

pytestmark = pytest.mark.peer
coal = pytest.importorskip("coal")

FAR = 1e3  # reach: every gap is reported
POOL = 60  # shapes of a kind
SAME = 1e-6  # of the length of a pair: gaps that agree
CERTAIN = 1e-8  # of the length: differences of separations that count as none
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))
# Ours prefers faces to edges by so much (geometry/box.py, capsule_box.py): of the shortest length, and of a depth.
SLACK, DEEP = 1.01e-6, 0.05
PREFERRING = (("capsule", "box"), ("box", "box"))


class Pool:
    """Shapes of one kind, as ours, as Coal's, as FCL's and as MuJoCo's."""

    def __init__(self, kind, rng):
        self.kind = kind
        self.shapes = [random_shape(rng, kind, 1e-3 if k % 10 == 0 else 1.0) for k in range(POOL)]
        self.kept = [hull_row(shape[1]) if kind == "hull" else None for shape in self.shapes]
        self.rows = [shape_row(*shape) if kept is None else kept[0][0] for shape, kept in zip(self.shapes, self.kept)]
        self.coal = [self._coal(shape, kept) for shape, kept in zip(self.shapes, self.kept)]
        self.fcl = [self._fcl(shape, kept) for shape, kept in zip(self.shapes, self.kept)]

    def _coal(self, shape, kept):
        kind, *s = shape
        if kind == "hull":
            points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
            for point in kept[1].vertices:
                points.append(point)
            for t in triangles_of(kept[1]):
                faces.append(coal.Triangle(*(int(i) for i in t)))
            return coal.Convex(points, faces)
        made = {
            "sphere": coal.Sphere,
            "capsule": lambda r, h: coal.Capsule(r, 2 * h),
            "box": lambda x, y, z: coal.Box(2 * x, 2 * y, 2 * z),
            "cylinder": lambda r, h: coal.Cylinder(r, 2 * h),
            "cone": lambda r, h: coal.Cone(r, 2 * h),
            "ellipsoid": coal.Ellipsoid,
        }
        return made[kind](*s)

    def _fcl(self, shape, kept):
        try:
            import fcl
        except ImportError:
            return None
        kind, *s = shape
        if kind == "hull":
            faces = [x for i in range(kept[1].nfaces) for x in (len(kept[1].face(i)), *kept[1].face(i))]
            return fcl.Convex(kept[1].vertices.copy(), kept[1].nfaces, np.array(faces))
        made = {
            "sphere": fcl.Sphere,
            "capsule": lambda r, h: fcl.Capsule(r, 2 * h),
            "box": lambda x, y, z: fcl.Box(2 * x, 2 * y, 2 * z),
            "cylinder": lambda r, h: fcl.Cylinder(r, 2 * h),
            "cone": lambda r, h: fcl.Cone(r, 2 * h),
            "ellipsoid": fcl.Ellipsoid,
        }
        return made[kind](*s)


def triangles_of(hull):
    return [(f[0], b, c) for f in map(hull.face, range(hull.nfaces)) for b, c in itertools.pairwise(f[1:])]


class CoalPeer:
    """Signed distance and normal."""

    name = "Coal"

    def __init__(self):
        self.request, self.result = coal.DistanceRequest(), coal.DistanceResult()
        self.request.enable_signed_distance = True
        self.request.gjk_tolerance = self.request.epa_tolerance = 1e-9
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 500

    def claim(self, one, i, other, j, Xa, Xb):
        self.result.clear()
        try:
            gap = coal.distance(one.coal[i], coal.Transform3s(*Xa), other.coal[j], coal.Transform3s(*Xb), self.request, self.result)
        except (RuntimeError, ValueError):
            return math.nan, None
        n = np.array(self.result.normal)
        return gap, n if np.isfinite(n).all() and abs(n @ n - 1.0) < 1e-6 else None


class FclPeer:
    """Distances of shapes that are apart; FCL's depths are those of one point of many."""

    name = "FCL"

    def __init__(self):
        import fcl

        self.fcl, self.request = fcl, fcl.DistanceRequest()

    def claim(self, one, i, other, j, Xa, Xb):
        objects = [self.fcl.CollisionObject(pool.fcl[k], self.fcl.Transform(*X)) for pool, k, X in ((one, i, Xa), (other, j, Xb))]
        gap = self.fcl.distance(*objects, self.request, self.fcl.DistanceResult())
        return (gap, None) if gap > 0.0 else (None, None)


class MuJoCoPeer:
    """mj_geomDistance; it has no cone. Normals are those between its two points."""

    name = "MuJoCo"
    kinds = ("sphere", "capsule", "box", "cylinder", "ellipsoid")

    def __init__(self, one, other):
        import mujoco

        self.mujoco, assets, geoms = mujoco, "", ""
        for side, pool in enumerate((one, other)):
            if pool.kind == "hull":
                for k, shape in enumerate(pool.shapes):
                    vertex = " ".join(f"{x:.17g}" for x in np.ravel(shape[1]))
                    assets += f'<mesh name="m{side}{k}" vertex="{vertex}" inertia="convex"/>'
                    geoms += f'<geom name="g{side}{k}" type="mesh" mesh="m{side}{k}" mass="1"/>'
            else:
                geoms += f'<geom name="g{side}" type="{pool.kind}" size="1 1 1"/>'
        option = '<option ccd_tolerance="1e-10" ccd_iterations="500"/>'
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>")
        self.data, self.fromto = mujoco.MjData(self.model), np.zeros(6)
        mujoco.mj_forward(self.model, self.data)
        self.first = {"hull": POOL}.get(one.kind, 1)

    def claim(self, one, i, other, j, Xa, Xb):
        geoms = (i if one.kind == "hull" else 0), self.first + (j if other.kind == "hull" else 0)
        for geom, pool, k, (R, p) in zip(geoms, (one, other), (i, j), (Xa, Xb)):
            if pool.kind == "hull":  # moved to its principal axes
                turned, mesh = np.zeros(9), self.model.geom_dataid[geom]
                self.mujoco.mju_quat2Mat(turned, self.model.mesh_quat[mesh])
                R, p = R @ turned.reshape(3, 3), p + R @ self.model.mesh_pos[mesh]
            else:
                self.model.geom_size[geom, : len(pool.shapes[k]) - 1] = pool.shapes[k][1:]
            self.data.geom_xpos[geom], self.data.geom_xmat[geom] = p, R.ravel()
        gap = self.mujoco.mj_geomDistance(self.model, self.data, *geoms, FAR, self.fromto)
        e = self.fromto[3:] - self.fromto[:3]
        size = math.sqrt(e @ e)
        return gap, (math.copysign(1.0, gap) / size) * e if size > 1e-9 else None


def random_poses(rng, a, b):
    """Two poses, so that the shapes are near each other."""
    Ra = random_rotation(rng) if rng.random() < 0.8 else np.eye(3)
    if rng.random() < 0.35:
        quarter = turn(np.eye(3)[rng.integers(3)], math.pi / 2 * rng.integers(4))
        Rb = Ra @ quarter @ turn(rng.normal(size=3), (0.0, 1e-14, 1e-10, 1e-7, 1e-5, 1e-3)[rng.integers(6)])
    else:
        Rb = random_rotation(rng)
    n = Ra[:, rng.integers(3)] if rng.random() < 0.4 else rng.normal(size=3)
    n = n / math.sqrt(n @ n)
    pa = rng.normal(size=3) * 0.5
    if rng.random() < 0.03:
        return (Ra, pa), (Rb, pa.copy())  # coincident centres
    smaller = min(extent(a), extent(b))
    side = rng.normal(size=3) * 0.3 * extent(a) * rng.integers(2)
    side -= n * (n @ side)
    zero = np.zeros(3)
    touching = reach_along(a, (Ra, zero), n[None])[0] + reach_along(b, (Rb, zero), -n[None])[0]
    shift = smaller * (0.0, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.1, 0.5)[rng.integers(8)] * (1 - 2 * rng.integers(2))
    return (Ra, pa), (Rb, pa + n * (touching + shift) + side)


def shortest(shape):
    return float(np.ptp(shape[1], axis=0).min()) if shape[0] == "hull" else min(shape[1:])


def compare(kinds, count, seed=5, peers=("Coal", "FCL", "MuJoCo"), every=1):
    """(Counter of what was found, [(number, what, ...) of our own errors]). every: MuJoCo and FCL are asked for one pair in so many."""
    rng = np.random.default_rng([seed, *(KINDS.index(kind) for kind in kinds)])
    one, other = (Pool(kind, rng) for kind in kinds)
    asked = [CoalPeer()] if "Coal" in peers else []
    if "FCL" in peers and None not in (*one.fcl, *other.fcl):
        asked.append(FclPeer())
    if "MuJoCo" in peers and "cone" not in kinds:
        asked.append(MuJoCoPeer(one, other))
    counts, wrong = Counter(), []
    for k in range(count):
        i, j = rng.integers(POOL, size=2)
        a, b = one.shapes[i], other.shapes[j]
        Xa, Xb = random_poses(rng, a, b)
        found = manifold_of(one.rows[i], Xa, other.rows[j], Xb, reach=FAR)
        counts["pairs"] += 1
        if not found.points:
            wrong.append((k, "no points", a, Xa, b, Xb))
            continue
        best = min(found.points, key=lambda point: point.gap)
        length = extent(a) + extent(b) + float(np.linalg.norm(Xb[1] - Xa[1]))
        case = (a, Xa), (b, Xb)
        counts["overlap"] += best.gap < 0.0
        known, claims = [float(separation(case, best.n)[0])], {}
        for peer in asked if k % every == 0 else asked[:1]:
            gap, n = peer.claim(one, i, other, j, Xa, Xb)
            if gap is not None:
                claims[peer.name] = gap
            if n is not None:
                known.append(float(separation(case, n / math.sqrt(n @ n))[0]))
        most = max(known)
        # What ties between faces and edges may cost.
        chosen = SLACK * min(shortest(a), shortest(b)) + DEEP * max(0.0, -best.gap) if kinds in PREFERRING else 0.0
        error = (best.gap - most) / length
        if error > CERTAIN:  # no normal has that separation
            wrong.append((k, "too far", error, best.gap, most, known, claims, case))
        elif error < -CERTAIN - chosen / length:  # a normal has more
            wrong.append((k, "too near", error, best.gap, most, known, claims, case))
        elif error < -CERTAIN:
            counts["ours: a face preferred to edges"] += 1
        for name, gap in claims.items():
            counts[name] += 1
            difference = gap - most
            if not abs(difference) <= SAME * length:
                what = "no number" if math.isnan(gap) else "too far" if difference > 0.0 else "too near"
                counts[f"{name} {what}"] += 1
                if what != "no number":
                    counts[f"{name} {what} by 1e-3"] += abs(difference) > 1e-3 * length
    return counts, wrong


@pytest.mark.slow
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_no_normal_of_a_peer_separates_more_than_ours(kinds):
    counts, wrong = compare(kinds, 250)
    assert wrong == []
    assert counts["overlap"] > 0.04 * counts["pairs"]  # 7 to 32 % of 20 000 pairs of each two kinds
    # Peers are right nearly always, or agreement would prove nothing.
    off = sum(count for what, count in counts.items() if what.endswith(("far", "near", "number")))
    assert off < 0.25 * sum(counts[name] for name in ("Coal", "FCL", "MuJoCo")), counts


if __name__ == "__main__":
    chosen = [tuple(text.split("-")) for text in sys.argv[2:]] or PAIRS
    for kinds in chosen:
        counts, wrong = compare(kinds, int(sys.argv[1]), every=3)
        kinds_of_error = Counter(f"{case[1]} by 1e{math.ceil(math.log10(abs(case[2])))}" if len(case) > 6 else case[1] for case in wrong)
        print("-".join(kinds), dict(sorted(counts.items())), "ours:", dict(sorted(kinds_of_error.items())), flush=True)
        for case in sorted(wrong, key=lambda case: -abs(case[2]) if len(case) > 6 else -1.0)[:3]:
            print("   ", case, flush=True)
