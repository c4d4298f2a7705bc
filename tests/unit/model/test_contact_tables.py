import copy
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.data.tree import TreeData
from linkwork.draw.solids import ground_of
from linkwork.dynamics.kinematics import forward_kinematics
from linkwork.errors import ModelError, UnknownNameError
from linkwork.geometry.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FLOOR, HEIGHT_FIELD, HULL, SPHERE, TRIANGLES
from linkwork.geometry.mesh_parts import hull_part
from linkwork.geometry.shape_table import SHAPE, floats_at
from linkwork.kernels import kernel
from linkwork.model.contact_tables import PAIR, contact_tables, has_contacts, lay_addresses, no_contacts, open_contacts


def arm(contact=None):
    """A floor, a linkage of two bodies with turned joints and shapes, a weld, and a ball."""
    m = lw.Mechanism("arm")
    m.contact = contact
    turned = lw.Pose.from_rpy(0.3, -0.7, 1.1)
    m.add_body("upper", shape=lw.Box(0.2, 0.4, 0.6, at=lw.Pose((0.1, 0.2, 0.3)) @ turned), density=1000)
    m.add_body("lower", shape=lw.Capsule(0.1, 0.5, at=lw.Pose((0, 0, -0.3))), density=1000)
    m.add_body("hand", collisions=[lw.Sphere(0.1, at=(0.2, 0, 0)), lw.Cylinder(0.1, 0.3)], mass=1.0, inertia=(1, 1, 1))
    m.add_body("ball", shape=lw.Sphere(0.2), density=500, surface=lw.Surface(0.8, 0.4))
    m.add_joint("shoulder", lw.Universal((0, 1, 0), (1, 0, 0)), m.ground.at(0, 0, 2), m.body("upper").at(0, 0, 0.5))
    m.add_joint("elbow", lw.Revolute((1, 2, 3)), m.body("lower").at(0.1, 0, 0.4), m.body("upper").at(lw.Pose((0, 0, -0.5)) @ turned))
    m.add_joint("wrist", lw.Weld(), m.body("lower").at(0, 0, -0.5), m.body("hand").at(turned))
    return m


@kernel(entry="i A1 -> i")
def _read(handle, out):
    t = open_contacts(handle)
    out[0], out[1], out[2] = t.nshapes, t.npairs, t.length[0]
    for k in range(t.npairs):
        pair = t.pairs[k]
        out[3] += pair.friction
        out[4] += pair.restitution
        out[5] += t.shapes[pair.a]["size"][0] + t.shapes[pair.b]["size"][1] + 10.0 * pair.link_b
    return 1 if has_contacts(handle) else 0


def test_kernels_see_shapes_and_pairs_behind_the_models_handle():
    m = arm()
    m.add_floor(surface=lw.Surface(0.2))
    model = m.build()
    out, t = np.zeros(6), model.contact_tables
    assert _read(model.handle, out) == 1
    sizes = t.shapes["size"][t.pairs["a"], 0] + t.shapes["size"][t.pairs["b"], 1] + 10.0 * t.pairs["link_b"]
    np.testing.assert_allclose(out, [6, 8, t.length[0], t.pairs["friction"].sum(), t.pairs["restitution"].sum(), sizes.sum()], rtol=1e-14)


def test_a_model_without_contact_has_empty_tables():
    model = arm(contact=False).build()
    assert not model.touches and model.shapes == () and model.pairs == ()
    assert _read(model.handle, np.zeros(6)) == 0


def test_shapes_of_the_ground_come_first_and_bodies_follow_in_the_order_of_the_model():
    m = arm()
    m.add_floor()
    model = m.build()
    assert [shape.name for shape in model.shapes] == ["ground", "upper", "lower", "hand/0", "hand/1", "ball"]
    t = model.contact_tables
    assert t.shapes["kind"].tolist() == [FLOOR, BOX, CAPSULE, SPHERE, CYLINDER, SPHERE]
    assert t.shapes["body"].tolist() == [-1, 0, 1, 2, 2, 3]
    assert t.shapes["link"].tolist() == [-1, *(int(model.tables.bodies["link"][b]) for b in (0, 1, 2, 2, 3))]
    assert (t.pairs["a"] < t.pairs["b"]).all() and (t.pairs["link_a"] != t.pairs["link_b"]).all()
    order = [tuple(pair) for pair in t.pairs[["a", "b"]].tolist()]
    assert order == sorted(order) and len(set(order)) == len(order)
    assert all(model.shape(shape.name) is shape and shape.index == k for k, shape in enumerate(model.shapes))


def test_shapes_stand_in_their_links_where_they_stand_on_their_bodies():
    """X_WL X_LS, of the recursion's own link frames, against X_WB X_BS."""
    m = arm()
    m.add_floor(-3.0)
    model = m.build()
    q = lw.random_configuration(model, rng=3)
    found = forward_kinematics(model, q)
    with (data := lw.Data(model)).in_use():
        lw.forward_dynamics(model, q, np.zeros(model.nv), np.zeros(model.nv))
    assert isinstance(data.tree, TreeData)
    bodies = model.tables.bodies
    for info, row in zip(model.shapes[1:], model.contact_tables.shapes[1:], strict=True):
        body = model.body(info.body)
        X_LB = lw.Pose(bodies["p"][body.index], bodies["R"][body.index].reshape(3, 3))
        X_LS = lw.Pose(row["p"], row["R"].reshape(3, 3))
        expected = found.pose(info.body) @ info.shape.at
        there = found.pose(info.body) @ X_LB.inverse() @ X_LS
        np.testing.assert_allclose(there.matrix, expected.matrix, atol=1e-14)  # a few products of rotations


@pytest.mark.parametrize(
    ("shape", "kind", "size", "bound"),
    [
        (lw.Box(0.2, 0.4, 0.6), BOX, (0.1, 0.2, 0.3), math.sqrt(0.14)),
        (lw.Sphere(0.3), SPHERE, (0.3, 0, 0), 0.3),
        (lw.Capsule(0.1, 0.6), CAPSULE, (0.1, 0.3, 0), 0.4),
        (lw.Cylinder(0.3, 0.8), CYLINDER, (0.3, 0.4, 0), 0.5),
        (lw.Cone(0.3, 0.8), CONE, (0.3, 0.4, 0), 0.5),
        (lw.Ellipsoid(0.1, 0.3, 0.2), ELLIPSOID, (0.1, 0.3, 0.2), 0.3),
    ],
)
def test_numbers_of_a_shape(shape, kind, size, bound):
    m = lw.Mechanism("one")
    m.add_body("it", shape=shape, density=100)
    m.add_floor(0.7)
    floor, row = m.build().contact_tables.shapes
    assert row["kind"] == kind and row["bound"] == pytest.approx(bound, rel=1e-15)
    np.testing.assert_allclose(row["size"], size, rtol=1e-15)
    assert floor["kind"] == FLOOR and floor["bound"] == math.inf and floor["p"].tolist() == [0, 0, 0.7]


def test_a_floor_that_slopes_has_its_normal_along_z_of_its_frame():
    m = lw.Mechanism("slope")
    m.add_body("ball", shape=lw.Sphere(0.1), density=100)
    slope = lw.Pose.from_rpy(0.0, 0.3, 0.0)
    m.change("ground", collisions=[lw.Floor(0.5, at=slope)])
    row = m.build().contact_tables.shapes[0]
    normal = row["R"].reshape(3, 3)[:, 2]
    np.testing.assert_allclose(normal, slope.rotation[:, 2], atol=1e-16)
    np.testing.assert_allclose(row["p"], 0.5 * normal, atol=1e-16)


def test_what_holds_between_two_shapes():
    m = arm(contact=True)
    m.surface = lw.Surface(0.2)
    m.touch("ball", "upper", lw.Surface(0.1, 0.9))
    pairs = {(pair.a, pair.b): (pair.friction, pair.restitution) for pair in m.build().pairs}
    assert pairs["upper", "ball"] == (0.1, 0.9)
    assert pairs["lower", "ball"] == pytest.approx((0.4, 0.4), rel=1e-15)


# ---- as a value


def test_models_that_touch_differently_differ_and_others_are_equal():
    m = arm(contact=True)
    model = m.build()
    assert m.clone().build() == model and m.clone().build().fingerprint == model.fingerprint
    prints = {model.fingerprint}
    for change in (
        lambda m: m.ignore("ball", "upper"),
        lambda m: setattr(m, "surface", lw.Surface(0.51)),
        lambda m: m.add_floor(),
        lambda m: m.change("ball", shape=lw.Sphere(0.21), density=None, mass=3.0, inertia=None),
        lambda m: setattr(m, "contact", False),
    ):
        other = m.clone()
        change(other)
        prints.add(other.build().fingerprint)
    assert len(prints) == 6


def test_a_model_without_contact_says_what_it_said_before():
    """Shapes alone are no content: runs that were saved go on."""
    with_shapes, without = arm(), arm()
    for body in with_shapes.bodies:
        without.change(body.name, shape=None, collisions=(), density=None, inertia=body.mass_properties(), surface=None)
    with_shapes.change("ball", surface=None)
    assert with_shapes.build().fingerprint == without.build().fingerprint


def test_pickles_and_copies_are_equal_and_usable():
    m = arm()
    m.add_floor()
    model = m.build()
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model) and again.pairs == model.pairs
    assert copy.deepcopy(model) is model
    out, expected = np.zeros(6), np.zeros(6)
    assert _read(again.handle, out) == _read(model.handle, expected) == 1
    np.testing.assert_array_equal(out, expected)


def test_addresses_are_no_content_and_are_laid_anew():
    shapes = np.zeros(2, SHAPE)
    points, integers = np.arange(9.0), np.arange(5)
    offsets = np.array([(-1, -1, -1, -1), (3, 0, 2, -1)])
    laid = contact_tables(shapes, np.zeros(0, PAIR), points, integers, offsets)
    assert laid.shapes["points"].tolist() == [0, laid.points.ctypes.data + 24]
    assert laid.shapes["faces"].tolist() == [0, laid.integers.ctypes.data]
    assert laid.shapes["neighbours"].tolist() == [0, laid.integers.ctypes.data + 16] and laid.shapes["tree"].tolist() == [0, 0]
    moved = lay_addresses(type(laid)(*(np.array(table) for table in laid)))
    assert moved.shapes["points"][1] == moved.points.ctypes.data + 24 != laid.shapes["points"][1]
    from linkwork.model.model import _table_said

    assert _table_said(moved.shapes) == _table_said(laid.shapes)


def test_tables_are_read_only():
    m = arm()
    m.add_floor()
    with pytest.raises(ValueError, match="read-only"):
        m.build().contact_tables.pairs["friction"][0] = 0.0


def test_the_same_mechanism_has_the_same_fingerprint_in_another_process():
    code = (
        "import linkwork as lw\nm = lw.Mechanism('ball')\nm.add_body('ball', shape=lw.Sphere(0.1), density=500)\nm.add_floor(0.25)\n"
        "print(m.build().fingerprint)"
    )
    m = lw.Mechanism("ball")
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    m.add_floor(0.25)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == m.build().fingerprint


def test_no_contacts_is_of_one_size():
    assert no_contacts().size.tolist() == [0] * 5 and no_contacts().length.tolist() == [1.0]


# ---- for people


def test_a_shape_that_does_not_touch_is_not_found():
    m = arm()
    m.add_floor()
    with pytest.raises(UnknownNameError, match=r"no shape that touches is called 'hand'; did you mean .hand/1. or .hand/0."):
        m.build().shape("hand")


def test_a_model_says_how_many_pairs_may_touch():
    m = arm()
    m.add_floor()
    assert repr(m.build()).endswith(", 8 pairs of shapes that may touch)")
    assert "contact_tables" not in dir(m.build()) and "pairs" in dir(m.build())


CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
TETRAHEDRON = lw.Mesh(CORNERS, faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def rocks(*shapes):
    m = lw.Mechanism("rocks")
    m.add_floor()
    for k, shape in enumerate(shapes):
        m.add_body(f"rock {k}", shape=shape, density=1000)
    return m


@kernel(entry="i i A1 -> n")
def _vertices(handle, k, out):
    """The vertices that the row of a shape leads to."""
    shape = open_contacts(handle).shapes[k]
    points = floats_at(shape.points).values
    for i in range(3 * shape.count):
        out[i] = points[i]


def vertices(model, k):
    """In the axes of the shape's link."""
    row = model.contact_tables.shapes[k]
    out = np.zeros(3 * row["count"])
    _vertices(model.handle, k, out)
    return out.reshape(-1, 3) @ row["R"].reshape(3, 3).T + row["p"]


def in_any_order(points):
    return sorted(np.round(points, 12).tolist())


def test_a_mesh_touches_with_its_convex_hull():
    inside = lw.Mesh([*CORNERS, (0.1, 0.1, 0.1)], faces=[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    at = lw.Pose.from_rpy(0.1, 0.2, 0.3, translation=(1, 2, 3))
    model = rocks(inside, lw.Mesh(CORNERS, TETRAHEDRON.faces, at=at)).build()
    shapes = model.contact_tables.shapes
    assert (
        shapes["kind"].tolist() == [FLOOR, HULL, HULL] and shapes["count"].tolist() == [0, 4, 4] and shapes["nfaces"].tolist() == [0, 4, 4]
    )
    assert in_any_order(vertices(model, 1)) == in_any_order(CORNERS)
    assert in_any_order(vertices(model, 2)) == in_any_order(at.act(np.array(CORNERS, dtype=float)))
    assert shapes["bound"][1] == pytest.approx(
        math.sqrt(0.75), rel=1e-15
    )  # half the diagonal of the box around it, about whose middle it is


def test_equal_meshes_have_one_hull():
    model = rocks(TETRAHEDRON, lw.Mesh(CORNERS, TETRAHEDRON.faces), lw.Mesh(1.5 * np.array(CORNERS), TETRAHEDRON.faces)).build()
    points = model.contact_tables.shapes["points"]
    assert points[1] == points[2] != points[3]


def test_hulls_are_pickled_with_their_model_and_found_again():
    model = rocks(TETRAHEDRON, lw.Mesh(2.0 * np.array(CORNERS), TETRAHEDRON.faces)).build()
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model)
    for k in (1, 2):
        np.testing.assert_array_equal(vertices(again, k), vertices(model, k))
    assert (again.contact_tables.shapes["points"][1:] != model.contact_tables.shapes["points"][1:]).all()
    assert rocks(TETRAHEDRON, TETRAHEDRON).build() != model


def test_a_mesh_that_is_flat_cannot_touch_and_says_which():
    flat = lw.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], faces=[(0, 1, 2), (1, 3, 2)])
    m = lw.Mechanism("odd")
    m.add_body("sheet", shape=flat, mass=1.0, inertia=(1, 1, 1))
    m.add_floor()
    with pytest.raises(
        ModelError, match=r"shape 'sheet': its Mesh touches with its convex hull, which cannot be made: .* lie in one plane"
    ):
        m.build()


X, Y = np.meshgrid(np.linspace(-1.0, 1.0, 9), np.linspace(-0.5, 0.5, 5))
GROUND = lw.HeightField(3.0 + 0.1 * X + 0.2 * np.sin(3.0 * Y), 0.25, at=lw.Pose((1.0, 2.0, 0.5)))


def over(shape):
    m = lw.Mechanism("yard")
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    m.change("ground", collisions=[shape])
    return m


@pytest.mark.parametrize("as_mesh", [False, True])
def test_a_ball_over_a_surface_touches_where_the_surface_is(as_mesh):
    vertices, faces = ground_of(GROUND)
    ground = lw.Mesh(vertices, faces, at=GROUND.at, touching="triangles") if as_mesh else GROUND
    model = over(ground).build()
    assert [shape.name for shape in model.shapes] == ["ground", "ball"] and model.shapes[0].note == ""
    assert model.contact_tables.shapes["kind"].tolist() == [TRIANGLES if as_mesh else HEIGHT_FIELD, SPHERE]
    assert model.contact_tables.length[0] == 0.1  # what moves sets the scale, however large the ground is
    i, j = 6, 1  # a point of the grid
    p = np.array([1.0 + X[j, i], 2.0 + Y[j, i], 0.5 + GROUND.heights[j, i]])
    n = np.array([-0.1, 0.0, 1.0]) / math.hypot(0.1, 1.0)  # near the middle of a slope along x; along y it leans less than 0.55
    found = lw.contacts(model, [*(p + [0.0, 0.0, 0.2]), 1, 0, 0, 0], reach=0.3)
    assert found and all(contact.a == "ground" and contact.b == "ball" for contact in found)
    gap = min(contact.gap for contact in found)
    assert 0.2 * math.cos(0.55) - 0.1 - 1e-12 < gap < 0.1 * n[2] + 1e-12
    for contact in found:
        assert contact.n[2] > 0.7 and np.linalg.norm(contact.p - p) < 0.2


def test_a_hull_that_is_off_the_middle_of_its_body_touches_where_it_is():
    stone = lw.Mesh(np.array(CORNERS) + [5.0, 0.0, 0.0], TETRAHEDRON.faces)
    m = lw.Mechanism("odd")
    m.add_body("stone", shape=stone, density=1000)
    m.add_floor()
    model = m.build()
    found = lw.contacts(model, lw.neutral(model))
    assert sorted(np.round(contact.p, 12).tolist() for contact in found) == [[5, 0, 0], [5, 1, 0], [6, 0, 0]]


def test_a_bowl_that_moves_touches_the_floor_and_what_is_in_it():
    angle = np.linspace(0, 2 * math.pi, 12, endpoint=False)
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(12, z)]) for r, z in ((0.2, 0.0), (0.5, 0.3))]
    vertices = np.concatenate([*rings, [(0.0, 0.0, 0.0)]])
    k = np.arange(12)
    faces = [(24, i, (i + 1) % 12) for i in k] + [
        t for i in k for t in ((i, 12 + i, 12 + (i + 1) % 12), (i, 12 + (i + 1) % 12, (i + 1) % 12))
    ]
    m = lw.Mechanism("bowl")
    m.add_body("bowl", shape=lw.Mesh(vertices, np.array(faces)[:, [0, 1, 2]], touching="triangles"), mass=1.0, inertia=(1, 1, 1))
    m.add_body("ball", shape=lw.Sphere(0.1), density=100)
    m.add_floor(-1e-5)
    model = m.build()
    q = np.array([0.0, 0, 0, 1, 0, 0, 0, 0.05, 0, 0.1, 1, 0, 0, 0])
    found = lw.contacts(model, q, reach=2e-5)
    [inside] = found.between("ball", "bowl")
    assert abs(inside.gap) < 1e-15 and abs(inside.n[2]) == 1.0
    assert len(found.between("ground", "bowl")) >= 3 and len(found.between("ground", "ball")) == 1


def test_a_hull_that_fills_hollows_says_so():
    hollow = [*CORNERS, (0.05, 0.05, 0.05)]
    m = rocks(lw.Mesh(hollow, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]), TETRAHEDRON)
    notes = [shape.note for shape in m.build().shapes]
    assert notes[1].startswith("the convex hull of its Mesh, ") and "times the volume; touching='pieces'" in notes[1]
    assert notes[2] == ""


@pytest.mark.parametrize(("low", "filled"), [(-1.0, False), (-0.1, False), (0.3, True), (0.5, True)])
def test_the_hull_of_an_open_mesh_says_what_it_fills(low, filled):
    """A sphere with its top cut off at a height; only the lid of the hull is not of the mesh. Cut off next to nothing, there is no lid."""
    turns, height = np.linspace(0, 2 * np.pi, 40, endpoint=False), np.linspace(-1.0, 1.0 if low < 0 else 1.0 - low, 24)
    radius = np.sqrt(np.maximum(1.0 - height**2, 0.0))
    vertices = np.array([(r * np.cos(a), r * np.sin(a), z) for r, z in zip(radius, height, strict=True) for a in turns])
    n = len(turns)
    faces = []
    for i in range(len(height) - 1):
        for k in range(n):
            a, b = i * n + k, i * n + (k + 1) % n
            faces += [(a, b, b + n), (a, b + n, a + n)]
    if low == -0.1:
        faces = faces[:-2]  # a triangle is missing at the top, as in many files
    m = lw.Mechanism("bowl")
    m.add_floor()
    m.add_body("bowl", shape=lw.Mesh(vertices, faces), mass=1.0, inertia=(1, 1, 1))
    note = m.build().shape("bowl").note
    assert ("which is open" in note) == filled
    assert filled or note == ""


def test_a_body_without_a_shape_that_falls_through_the_floor_is_named():
    m = lw.Mechanism("stone")
    m.add_floor()
    stone = m.add_body("stone", mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.warns(lw.ContactWarning, match="'stone' has no shape to touch with, and nothing holds it: it falls through the ground"):
        m.build()
    pebble = m.add_body("pebble", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), stone, pebble)
    with pytest.warns(lw.ContactWarning, match="'stone' and 1 more have no shape"):
        m.build()
    for held in (
        lambda m: m.change("pebble", shape=lw.Sphere(0.1)),
        lambda m: m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, "stone"),
        lambda m: m.add_force("rubber", lw.SpringDamper(10.0, 1.0), m.ground.at(0, 0, 3), "pebble"),
        lambda m: m.change("ground", collisions=[]),
    ):
        other = copy.deepcopy(m)
        held(other)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            other.build()


def test_pieces_are_shapes_of_their_own(monkeypatch):
    one, other = np.array(CORNERS), np.array(CORNERS) + [3.0, 0.0, 0.0]
    monkeypatch.setattr("linkwork.model.lay_contact_tables.piece_parts", lambda v, f: [hull_part(one), hull_part(other)])
    mesh = lw.Mesh(CORNERS, TETRAHEDRON.faces, touching="pieces")
    m = lw.Mechanism("odd")
    m.add_body("stone", collisions=[mesh, lw.Sphere(0.1)], mass=1.0, inertia=(1, 1, 1))
    m.add_floor()
    model = m.build()
    assert [shape.name for shape in model.shapes] == ["ground", "stone/0 piece 0", "stone/0 piece 1", "stone/1"]
    assert model.shapes[2].note == "one of 2 convex pieces of its Mesh" and len(model.pairs) == 3
    assert max(contact.p[0] for contact in lw.contacts(model, lw.neutral(model))) == 4.0


def test_a_mesh_file_touches_with_the_hull_of_what_is_in_it(tmp_path):
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "stone.obj").write_text(text)
    m = lw.Mechanism("odd")
    file = lw.MeshFile(str(tmp_path / "stone.obj"), scale=(2.0, 1.0, -1.0), at=(0.0, 0.0, 1.0))
    m.add_body("stone", collisions=[file], mass=1.0, inertia=(1, 1, 1))
    m.add_floor()
    model = m.build()
    [contact] = lw.contacts(model, lw.neutral(model))
    assert contact.p.tolist() == [0.0, 0.0, 0.0] and abs(contact.gap) < 1e-15  # the tip, mirrored downward
    (tmp_path / "stone.obj").write_text("v 0 0")
    [fault] = m.faults()
    assert fault.part == "stone" and "touches others with a file that cannot be read" in fault.message and "stone.obj" in fault.message


def test_so_many_pairs_that_no_step_could_look_at_them_are_refused(monkeypatch):
    monkeypatch.setattr("linkwork.model.lay_contact_tables.MOST_PAIRS", 2)
    with pytest.raises(ModelError, match="4 shapes make 6 pairs that may touch; allowed are 2; put shapes that do not move into one Mesh"):
        rocks(TETRAHEDRON, TETRAHEDRON, TETRAHEDRON).build()


def test_a_shape_of_ones_own_is_refused_by_name():
    class Blob(lw.Shape):
        pass

    m = lw.Mechanism("odd")
    m.add_body("blob", shape=Blob(), mass=1.0, inertia=(1, 1, 1))
    m.add_floor()
    with pytest.raises(ModelError, match="shape 'blob': a Blob cannot touch others yet; allowed are Floor, Sphere"):
        m.build()
