"""Gaps of general convex pairs against MuJoCo (mj_geomDistance) and FCL.

Peers iterate and stop; who is off is decided by the certificate of tests/convex_cases.py: a gap is too small if some direction separates more, and too
large if it is not the separation along its normal. Ours must never be. FCL's depths are those of one point of many: it is compared where shapes are apart.
"""

import itertools

import numpy as np
import pytest

from linkwork.geometry.convex_pair import general_manifold
from linkwork.geometry.hull import hull_arrays, hull_row

from ..convex_cases import best_known, length_of, random_pair, separation

pytestmark = pytest.mark.peer
mujoco = pytest.importorskip("mujoco")

FAR = 10.0
AGREES = 1e-6  # of the length: what peers ask of themselves
KINDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "hull")


def ours(case):
    (a, Xa), (b, Xb) = case
    rows = [hull_row(shape[1]) if shape[0] == "hull" else None for shape in (a, b)]
    row_a, row_b = (shape if row is None else row[0][0] for shape, row in zip((a, b), rows))
    found = general_manifold(row_a, Xa, row_b, Xb, reach=1e3)
    return min(found.points, key=lambda point: point.gap), found.converged


def mujoco_gap(case):
    assets, geoms = "", ""
    for k, (shape, _) in enumerate(case):
        if shape[0] == "hull":
            vertex = " ".join(f"{x:.17g}" for x in np.ravel(shape[1]))
            assets += f'<mesh name="m{k}" vertex="{vertex}"/>'
            geoms += f'<geom type="mesh" mesh="m{k}"/>'
        else:
            geoms += f'<geom type="{shape[0]}" size="{" ".join(f"{x:.17g}" for x in shape[1:])}"/>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option ccd_tolerance="1e-12" ccd_iterations="500"/><asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for k, (shape, (R, p)) in enumerate(case):
        if shape[0] == "hull":  # MuJoCo moves a mesh to its principal axes
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, model.mesh_quat[model.geom_dataid[k]])
            p = p + R @ model.mesh_pos[model.geom_dataid[k]]
            R = R @ turn.reshape(3, 3)
        data.geom_xpos[k], data.geom_xmat[k] = p, R.ravel()
    return mujoco.mj_geomDistance(model, data, 0, 1, FAR, None)


def test_gaps_agree_with_mujoco_or_ours_is_certified():
    rng = np.random.default_rng(40)
    agreed = compared = 0
    for kind_a, kind_b in itertools.product(KINDS, KINDS):
        for _ in range(3):
            case = random_pair(rng, kind_a, kind_b)
            point, converged = ours(case)
            if point.gap > 0.9 * FAR or not converged:
                continue
            compared += 1
            length = length_of(case)
            if abs(mujoco_gap(case) - point.gap) <= AGREES * length:
                agreed += 1
                continue
            assert abs(separation(case, point.n)[0] - point.gap) <= 1e-12 * length
            assert best_known(case, point.n, rng)[1] <= point.gap + 2e-12 * length
    assert compared >= 100
    assert agreed >= 0.85 * compared


def test_distances_agree_with_fcl_or_ours_is_certified():
    fcl = pytest.importorskip("fcl")
    made = {
        "sphere": fcl.Sphere,
        "capsule": lambda r, h: fcl.Capsule(r, 2 * h),
        "box": lambda x, y, z: fcl.Box(2 * x, 2 * y, 2 * z),
        "cylinder": lambda r, h: fcl.Cylinder(r, 2 * h),
        "cone": lambda r, h: fcl.Cone(r, 2 * h),
        "ellipsoid": fcl.Ellipsoid,
    }

    def convex(points):
        hull = hull_arrays(points)
        faces = [x for i in range(hull.nfaces) for x in (len(hull.face(i)), *hull.face(i))]
        return fcl.Convex(hull.vertices.copy(), hull.nfaces, np.array(faces))

    rng = np.random.default_rng(41)
    agreed = compared = 0
    for kind_a, kind_b in itertools.product((*KINDS, "cone"), repeat=2):
        for _ in range(3):
            case = random_pair(rng, kind_a, kind_b)
            point, _ = ours(case)
            length = length_of(case)
            if point.gap < 1e-6 * length:
                continue
            objects = [
                fcl.CollisionObject(convex(shape[1]) if shape[0] == "hull" else made[shape[0]](*shape[1:]), fcl.Transform(R, p))
                for shape, (R, p) in case
            ]
            result = fcl.DistanceResult()
            theirs = fcl.distance(*objects, fcl.DistanceRequest(), result)
            compared += 1
            if abs(theirs - point.gap) <= AGREES * length:
                agreed += 1
                continue
            assert abs(separation(case, point.n)[0] - point.gap) <= 1e-12 * length
            assert best_known(case, point.n, rng)[1] <= point.gap + 2e-12 * length
    assert compared >= 40
    assert agreed >= 0.7 * compared
