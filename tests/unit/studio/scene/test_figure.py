"""What is drawn of a mechanism: every part has something to see, sizes suit, and stay."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.scene.bodies import stick_pieces
from linkwork.studio.scene.colours import BodyColors
from linkwork.studio.scene.figure import make_figure
from linkwork.studio.scene.joints import reach
from linkwork.studio.scene.pieces import BODIES, CENTRES, FRAMES, JOINTS
from linkwork.studio.scene.surfaces import Surfaces, creased

KINDS = {
    "hinge": lw.Revolute((0, 1, 0)),
    "slide": lw.Prismatic((1, 0, 0)),
    "tube": lw.Cylindrical((1, 0, 0)),
    "screw": lw.Screw((1, 0, 0), pitch=0.01),
    "left": lw.Screw((1, 0, 0), pitch=-0.01),
    "ball": lw.Spherical(),
    "cross": lw.Universal((1, 0, 0), (0, 1, 0)),
    "plane": lw.Planar(),
    "space": lw.Translational(),
    "weld": lw.Weld(),
    "free": lw.Free(),
}


def figure_of(mechanism, **more):
    colors = BodyColors()
    colors.update([body.name for body in mechanism.bodies])
    return make_figure(mechanism, colors, Surfaces(), **more)


def meshes(figure, part):
    return sorted(piece.mesh for piece in figure.pieces if piece.part == part and piece.group != "stand")


def arm(kind):
    m = lw.Mechanism("arm")
    body = m.add_body("body", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("joint", kind, m.ground.at(0, 0, 1), body)
    return m


def test_every_kind_of_joint_has_a_sign_of_its_own():
    signs = {}
    for name, kind in KINDS.items():
        figure = figure_of(arm(kind))
        pieces = [p for p in figure.pieces if p.part == "joint" and p.group == JOINTS]
        signs[name] = tuple(sorted((p.mesh, *np.round(np.divide(p.scale, figure.r), 1)) for p in pieces))
    assert all(signs.values())
    assert len(set(signs.values())) == len(signs)


def test_every_kind_of_force_and_constraint_between_places_is_seen():
    m = lw.Mechanism("laws")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("joint", lw.Revolute((0, 1, 0)), m.ground, body)
    other = m.add_body("other", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("second", lw.Revolute((0, 1, 0)), m.ground.at(1, 0, 0), other)
    place = m.ground.at(1.0, 2.0, 3.0)
    forces = {
        "spring": lw.SpringDamper(stiffness=1.0, length=1.0),
        "dashpot": lw.SpringDamper(stiffness=0.0, damping=1.0),
        "string": lw.RubberString(stiffness=1.0, length=1.0),
        "motor": lw.Motor(torque=(0, 1, 0)),
        "jet": lw.Motor(force=(1, 0, 0)),
        "attraction": lw.Attraction(strength=1.0),
        "brake": lw.Brake(force=1.0),
        "bushing": lw.Bushing(stiffness=(1.0,) * 6),
        "torsion": lw.TorsionSpring(stiffness=1.0),
        "support": lw.Support(stiffness=1.0),
        "viscous": lw.ViscousDamping(linear=1.0),
    }
    for name, kind in forces.items():
        m.add_force(name, kind, body.at(0.1, 0, 0), place)
    for name, kind in {"on spring": lw.JointSpring(1.0), "on damper": lw.JointDamper(1.0), "on friction": lw.JointFriction(1.0)}.items():
        m.add_force(name, kind, "joint")
    constraints = {
        "stay": lw.Distance(1.0),
        "nail": lw.Nail(),
        "lock": lw.Lock(),
        "angle": lw.Angle(),
        "pin": lw.Coincident(),
        "on plane": lw.PointOnPlane(),
        "on line": lw.PointOnLine(),
        "parallel": lw.ParallelAxes(),
        "same": lw.SameOrientation(),
        "wheel": lw.RollingDisc(0.2),
        "rolling": lw.RollingBall(0.2),
        "blade": lw.KnifeEdge(),
    }
    for name, kind in constraints.items():
        m.add_constraint(name, kind, body.at(0.1, 0, 0), place)
    for name, kind, joints in (("gear", lw.Gear(2.0), ("joint", "second")), ("drive", lw.SpeedDrive(1.0), ("joint",))):
        m.add_constraint(name, kind, *joints)
    figure = figure_of(m)
    seen = {piece.part for piece in figure.pieces} | {tie.part for tie in figure.ties}
    assert {part.name for part in (*m.forces, *m.constraints)} <= seen
    assert {tie.mesh for tie in figure.ties if tie.part == "spring"} == {"coil"}
    assert {tie.slack for tie in figure.ties if tie.part == "string"} == {1.0}
    assert figure.role["gear"] == "constraint" and figure.role["spring"] == "force" and figure.role["joint"] == "joint"


def test_shapes_are_drawn_at_their_size_and_place():
    m = lw.Mechanism("shapes")
    at = lw.Pose.from_rpy(0.3, 0.2, 0.1)
    m.add_body("box", mass=1.0, shape=lw.Box(1, 2, 3, at=at))
    m.add_body("capsule", mass=1.0, shape=lw.Capsule(0.5, 2.0))
    m.add_body("egg", mass=1.0, shape=lw.Ellipsoid(1, 2, 3))
    m.add_body("seen", mass=1.0, inertia=(1, 1, 1), visuals=[lw.Sphere(2.0), lw.Cone(1.0, 2.0)], collisions=[lw.Box(9, 9, 9)])
    pieces = {name: [p for p in figure_of(m).pieces if p.part == name and p.group == BODIES] for name in ("box", "capsule", "egg", "seen")}
    (box,) = pieces["box"]
    assert (box.mesh, box.scale) == ("box", (1.0, 2.0, 3.0))
    np.testing.assert_allclose(box.R, at.rotation)
    assert [p.mesh for p in pieces["capsule"]] == ["cylinder", "sphere", "sphere"]
    np.testing.assert_allclose([p.p[2] for p in pieces["capsule"]], (0.0, -1.0, 1.0))
    assert pieces["egg"][0].scale == (1.0, 2.0, 3.0)
    assert [p.mesh for p in pieces["seen"]] == ["sphere", "cone"]


def test_bodies_without_shape_are_rods_plates_spokes_and_lumps():
    surfaces, inertia = Surfaces(), lw.Inertia(1.0, (0.4, 0, 0), np.eye(3) * 0.001)

    def kinds(*places):
        return [item[0].split()[0] for item in stick_pieces(np.array(places, dtype=float).reshape(-1, 3), inertia, 0.01, 1.0, surfaces)]

    assert kinds((0, 0, 0), (1, 0, 0)) == ["rod", "ball", "ball"]
    assert kinds((0, 0, 0), (1, 0, 0), (0.5, 0.4, 0)) == ["mesh"]
    assert kinds((0, 0, 0), (0.5, 0, 0), (1, 0, 0)) == ["rod", "ball", "ball"]
    assert kinds((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)).count("rod") == 4
    assert kinds((0, 0, 0))[-1] in ("box", "sphere") and "rod" in kinds((0, 0, 0))
    assert len(kinds()) == 1


def test_the_hub_of_a_hinge_comes_out_of_thick_bodies():
    m = lw.Mechanism("thick")
    body = m.add_body("body", mass=1.0, shape=lw.Box(1.0, 0.12, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground, body)
    figure = figure_of(m)
    (hub,) = [p for p in figure.pieces if p.part == "hinge" and p.mesh == "rod"]
    assert hub.scale[2] > 0.12


def test_reach_is_that_of_the_line_through_the_box():
    R = np.eye(3)
    assert reach(np.array((0, 0, 1.0)), np.zeros(3), R, np.array((0, 0, 0.5)), (-1, -1, -1), (1, 1, 1)) == pytest.approx(1.5)
    assert reach(np.array((0, 0, 1.0)), np.array((2.0, 0, 0)), R, np.zeros(3), (-1, -1, -1), (1, 1, 1)) == 0.0


def test_signs_keep_their_size_when_a_little_is_added_and_change_when_all_is_other():
    m = arm(lw.Revolute((0, 1, 0)))
    first = figure_of(m)
    m.add_body("more", mass=1.0, shape=lw.Box(0.4, 0.4, 0.4))
    assert figure_of(m, before=first).r == first.r
    m.add_body("huge", mass=1.0, shape=lw.Box(50, 50, 50))
    m.change("joint", child=lw.Place("body", lw.Pose((30.0, 0, 0))))
    assert figure_of(m, before=first).r > 5.0 * first.r


def test_centres_and_frames_are_drawn_on_request():
    m = arm(lw.Revolute((0, 1, 0)))
    m.add_frame("tool", m.body("body").at(1, 0, 0))
    plain, both = figure_of(m), figure_of(m, extras={CENTRES, FRAMES})
    assert plain.role["tool"] == "frame" and not meshes(plain, "tool")
    assert meshes(both, "tool") == ["rod"] * 3
    assert [p.mesh for p in both.pieces if p.group == CENTRES] == ["dark", "light"]


def test_a_joint_that_stands_on_nothing_is_passed_over():
    m = arm(lw.Revolute((0, 1, 0)))
    m.add_joint("lost", lw.Revolute((0, 1, 0)), "nobody", "body")
    figure = figure_of(m)
    assert not meshes(figure, "lost") and meshes(figure, "joint")


def test_equal_meshes_are_one_and_unreadable_files_are_told(tmp_path):
    tetra = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    m = lw.Mechanism("meshes")
    for k in range(3):
        m.add_body(f"b{k}", mass=1.0, inertia=(1, 1, 1), visuals=[lw.Mesh(*tetra)])
    m.add_body("lost", mass=1.0, inertia=(0.1, 0.1, 0.1), visuals=[lw.MeshFile(str(tmp_path / "none.stl"))], collisions=[lw.Sphere(0.3)])
    surfaces, colors = Surfaces(), BodyColors()
    colors.update([b.name for b in m.bodies])
    figure = make_figure(m, colors, surfaces)
    assert len({p.mesh for p in figure.pieces if p.part.startswith("b")}) == 1
    assert [p.mesh for p in figure.pieces if p.part == "lost"] == ["sphere"]
    assert list(surfaces.notes) == [str(tmp_path / "none.stl")]


def test_sharp_edges_are_parted_and_smooth_ones_shared():
    t = 2.0 * math.pi * np.arange(24) / 24
    ring = np.column_stack([np.cos(t), np.sin(t)])
    vertices = np.concatenate([np.column_stack([ring, np.full(24, z)]) for z in (0.0, 1.0)] + [[(0, 0, 0), (0, 0, 1)]])
    k, n = np.arange(24), (np.arange(24) + 1) % 24
    side = np.concatenate([np.column_stack([k, n, n + 24]), np.column_stack([k, n + 24, k + 24])])
    caps = np.concatenate([np.column_stack([np.full(24, 48), n, k]), np.column_stack([np.full(24, 49), k + 24, n + 24])])
    made, faces = creased(vertices, np.concatenate([side, caps]))
    assert len(made) == 48 + 2 * 25, "the wall shares its 48 corners; each cap has 24 of its own and its middle"
    np.testing.assert_allclose(made[faces], vertices[np.concatenate([side, caps])])


def test_signs_on_joints_follow_the_axis_of_the_joint():
    m = arm(lw.Revolute((0, 1, 0)))
    (hub,) = [p for p in figure_of(m).pieces if p.part == "joint" and p.mesh == "rod"]
    np.testing.assert_allclose(np.abs(hub.R[:, 2]), (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(hub.p, (0, 0, 1))
    assert hub.group == JOINTS
