import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError, StateError


def box_on_floor(pose=(0, 0, 0.05), **floor):
    m = lw.Mechanism("box")
    m.add_body("box", shape=lw.Box(0.4, 0.2, 0.1), density=500)
    m.add_floor(**floor)
    return m.build(), [*pose, 1, 0, 0, 0]


def two_balls(distance):
    m = lw.Mechanism("balls")
    m.contact = True
    for name in ("one", "other"):
        m.add_body(name, shape=lw.Sphere(0.1), density=500)
    return m.build(), [0, 0, 0, 1, 0, 0, 0, distance, 0, 0, 1, 0, 0, 0]


def test_a_box_that_rests_touches_with_four_corners_at_gap_zero():
    found = lw.contacts(*box_on_floor())
    assert sorted(map(tuple, np.abs(found.points).tolist())) == [(0.2, 0.1, 0.0)] * 4
    np.testing.assert_allclose(found.points[:, 2], 0.0, atol=1e-17)
    np.testing.assert_allclose(found.gaps, 0.0, atol=1e-17)
    assert found.normals.tolist() == [[0, 0, 1]] * 4
    assert {contact.features[1] for contact in found} == {f"vertex {x}x {y}y -z" for x in "+-" for y in "+-"}


def test_gaps_are_negative_where_shapes_overlap_and_positive_where_they_are_apart():
    for height, gap in ((0.04, -0.01), (0.06, 0.01)):
        found = lw.contacts(*box_on_floor((0, 0, height)), reach=0.02)
        np.testing.assert_allclose(found.gaps, gap, rtol=1e-13)
        assert found.depth == pytest.approx(max(0.0, -gap), rel=1e-13)


def test_reach_says_how_far_away_is_shown():
    model, q = two_balls(0.25)
    assert len(lw.contacts(model, q)) == 0 and len(lw.contacts(model, q, reach=0.0499)) == 0
    [contact] = lw.contacts(model, q, reach=0.0501)
    assert contact.gap == pytest.approx(0.05, rel=1e-13) and contact.n.tolist() == [1, 0, 0]
    assert lw.contacts(model, q).reach == 1e-4  # a thousandth of the radius


def test_the_normal_points_from_the_first_shape_to_the_second_whatever_their_kinds():
    m = lw.Mechanism("mixed")
    m.contact = True
    m.add_body("box", shape=lw.Box(0.2, 0.2, 0.2), density=500)
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    q = {"box.free": [0, 0, 0, 1, 0, 0, 0], "ball.free": [0, 0, 0.195, 1, 0, 0, 0]}
    for order in (("box", "ball"), ("ball", "box")):
        other = lw.Mechanism("mixed")
        other.contact = True
        for name in order:
            other.add_body(name, shape=m.body(name).shape, density=500)
        [contact] = lw.contacts(other.build(), np.concatenate([q[f"{name}.free"] for name in order]))
        assert (contact.a, contact.b) == order and contact.gap == pytest.approx(-0.005, rel=1e-12)
        assert contact.n.tolist() == [0, 0, 1 if order[0] == "box" else -1]
        assert contact.features == (("face +z", "") if order[0] == "box" else ("", "face +z"))


def test_velocities_are_those_of_the_second_body_against_the_first():
    """The rate of the gap is u . n; compared with differences of the gap along the motion."""
    m = lw.Mechanism("mixed")
    m.contact = True
    m.add_body("a", shape=lw.Sphere(0.3), density=500)
    m.add_body("b", shape=lw.Sphere(0.2, at=(0.1, 0, 0)), density=500)
    model, rng = m.build(), np.random.default_rng(5)
    for _ in range(5):
        q, v = lw.random_configuration(model, rng=rng), rng.normal(size=model.nv)
        q[:3], q[7:10] = 0.0, (0.3, 0.2, 0.1)
        [contact] = lw.contacts(model, q, v, reach=1.0)
        h = 1e-6
        gaps = [lw.contacts(model, lw.integrate(model, q, s * h * v), reach=1.0)[0].gap for s in (-1, 1)]
        assert -contact.approach == pytest.approx((gaps[1] - gaps[0]) / (2 * h), abs=1e-8)  # h^2 and rounding / h
        assert abs(contact.sliding @ contact.n) < 1e-15
        np.testing.assert_allclose(contact.sliding - contact.approach * contact.n, contact.velocity, atol=1e-15)


def test_a_rolling_ball_does_not_slide():
    m = lw.Mechanism("ball")
    m.add_body("ball", shape=lw.Sphere(0.1), density=500)
    m.add_floor()
    [contact] = lw.contacts(m.build(), [0, 0, 0.1, 1, 0, 0, 0], [0, 3.0, 0, 0.3, 0, 0])
    np.testing.assert_allclose(contact.velocity, 0.0, atol=1e-16)


def test_a_shape_is_found_where_its_body_carries_it():
    m = lw.Mechanism("arm")
    m.add_body("arm", shape=lw.Sphere(0.1, at=(0, 0, -1.0)), density=500)
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground.at(0, 0, 1.0), "arm")
    m.add_floor(0.0)
    m.touch("arm", "ground")
    model = m.build()
    [contact] = lw.contacts(model, [0.0], reach=0.2)
    assert contact.gap == pytest.approx(-0.1, rel=1e-13)
    [contact] = lw.contacts(model, [0.3], [2.0], reach=1.0)
    assert contact.gap == pytest.approx(1.0 - math.cos(0.3) - 0.1, abs=1e-15)
    assert contact.approach == pytest.approx(-2.0 * math.sin(0.3), rel=1e-13)


def test_friction_and_restitution_are_those_of_the_pair():
    contact = lw.contacts(*box_on_floor(surface=lw.Surface(0.125, 0.3)))[0]
    assert (contact.friction, contact.restitution) == (0.25, 0.3)


def test_contacts_between_two_parts_in_either_order_by_bodies_or_shapes():
    m = lw.Mechanism("stack")
    m.add_body("low", shape=lw.Box(1, 1, 1), density=1)
    m.add_body("high", collisions=[lw.Sphere(0.1), lw.Sphere(0.1, at=(0.3, 0, 0))], mass=1.0, inertia=(1, 1, 1))
    m.add_floor()
    found = lw.contacts(m.build(), [0, 0, 0.5, 1, 0, 0, 0, 0, 0, 1.1, 1, 0, 0, 0])
    assert len(found) == 6 and len(found.between("low", "ground")) == 4
    assert len(found.between(m.body("high"), "low")) == 2 and found.between("high/1", "low") == (found[5],)
    with pytest.raises(lw.UnknownNameError, match="no shape that touches is called 'hihg'"):
        found.between("hihg", "low")


def test_a_table_of_contacts_prints():
    said = str(lw.contacts(*box_on_floor(), [0, 0, 0, 0.5, 0, 0])).splitlines()
    assert said[0] == "4 contacts of 'box' with gaps up to 0.000229 m"
    assert said[1].split() == ["pair", "x", "y", "z", "normal", "gap", "approach", "sliding", "features"]
    assert said[3].split() == ["ground", "-", "box", "-0.2", "-0.1", "0", "(0,", "0,", "1)", "0", "0", "0.5", "vertex", "-x", "-y", "-z"]
    assert len(said) == 8
    assert str(lw.contacts(*box_on_floor((0, 0, 9)))) == "0 contacts of 'box' with gaps up to 0.000229 m"


def test_velocities_are_not_known_without_v():
    contact = lw.contacts(*box_on_floor())[0]
    for ask in ("approach", "sliding"):
        with pytest.raises(StateError, match=r"contacts\(model, q\) was given no v; give v"):
            getattr(contact, ask)


def test_a_model_whose_bodies_do_not_touch_is_refused_with_what_to_do():
    m = lw.Mechanism("box")
    m.add_body("box", shape=lw.Box(0.4, 0.2, 0.1), density=500)
    with pytest.raises(ModelError, match=r"contacts: no bodies of model 'box' touch.*add a floor, a Surface"):
        lw.contacts(m.build(), [0, 0, 0, 1, 0, 0, 0])


def test_one_state_is_asked_for():
    model, q = box_on_floor()
    with pytest.raises(StateError, match=r"allowed is one state, \(7,\)"):
        lw.contacts(model, [q, q])
    for reach in (-1.0, math.nan, "far"):
        with pytest.raises(StateError, match=r"reach: found .*; allowed is a finite number from 0 on"):
            lw.contacts(model, q, reach=reach)


def test_a_mesh_is_found_where_its_vertices_are():
    """Its table has the origin in the middle of the box around it."""
    m = lw.Mechanism("wedge")
    corners = np.array([(0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1)])
    m.add_body("wedge", shape=lw.Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]), density=1000)
    m.add_floor()
    model = m.build()
    found = lw.contacts(model, [1.0, 2.0, 0.0, 1, 0, 0, 0])
    assert found.gaps == pytest.approx([0, 0, 0], abs=1e-15)
    assert sorted(p.round(12).tolist() for p in found.points) == [[1.0, 2.0, 0.0], [1.0, 2.2, 0.0], [1.3, 2.0, 0.0]]


def test_a_mesh_that_is_not_about_its_origin_touches_where_it_is():
    """Hulls are kept about the middle of their vertices; questions about one state have to know that."""
    corners = [(x, y, z) for x in (1.0, 1.2) for y in (-0.1, 0.1) for z in (0.5, 0.7)]
    faces = [
        t
        for a, b, c, d in [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        for t in ((a, b, c), (a, c, d))
    ]
    m = lw.Mechanism("far")
    m.add_body("block", density=500, shape=lw.Mesh(corners, faces, at=(0, 0, 0.1)))
    m.add_floor()
    turned = lw.Pose.from_rpy(0, 0, np.pi / 2, (3.0, 0, -0.6))
    found = lw.contacts(m.build(), [*turned.translation, *turned.quaternion])
    assert len(found) == 4
    assert np.allclose(sorted(map(tuple, found.points.round(9))), [(2.9, 1.0, 0), (2.9, 1.2, 0), (3.1, 1.0, 0), (3.1, 1.2, 0)])
