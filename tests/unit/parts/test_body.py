"""Bodies: what is given, what is concluded."""

import copy
import pickle

import numpy as np
import pytest

from linkwork.errors import ModelError
from linkwork.parts import Box, Mechanism, Sphere
from linkwork.spatial.pose import Pose
from linkwork.spatial.rigid_inertia import Inertia

TENSOR = ((3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0))


def body(**given):
    return Mechanism().add_body("link", **given)


def test_nothing_given_is_massless():
    link = body()
    assert link.is_massless
    assert link.mass_properties() == Inertia()
    assert (link.mass, link.com, link.inertia, link.shape, link.density, link.visuals, link.collisions) == (None,) * 5 + ((), ())


def test_a_shape_alone_is_only_something_to_see():
    assert body(shape=Box(1, 1, 1)).mass_properties() == Inertia()


@pytest.mark.parametrize("inertia", [TENSOR, np.array(TENSOR), (3, 0.1, 0.2, 4, 0.3, 5), np.array([3, 0.1, 0.2, 4, 0.3, 5])])
def test_mass_com_and_inertia_as_given(inertia):
    link = body(mass=2, com=(0, 0, 1), inertia=inertia)
    assert link.inertia == TENSOR and link.mass == 2.0 and link.com == (0.0, 0.0, 1.0)
    assert link.mass_properties() == Inertia(2, (0, 0, 1), TENSOR)


@pytest.mark.parametrize("inertia", [(3, 4, 5), np.array([3.0, 4.0, 5.0]), np.diag([3, 4, 5])])
def test_three_moments_are_a_diagonal(inertia):
    assert body(mass=1, inertia=inertia).inertia == ((3.0, 0.0, 0.0), (0.0, 4.0, 0.0), (0.0, 0.0, 5.0))


def test_an_inertia_says_it_all():
    given = Inertia(2, (0, 0, 1), TENSOR)
    link = body(inertia=given)
    assert (link.mass, link.com, link.inertia) == (2.0, (0.0, 0.0, 1.0), TENSOR)
    assert link.mass_properties() == given


def test_mass_alone_is_a_point():
    assert body(mass=2, com=(1, 0, 0)).mass_properties() == Inertia(2, (1, 0, 0), (0, 0, 0))
    assert body(mass=2).mass_properties() == Inertia(2)


def test_a_shape_with_density_or_mass_is_a_solid():
    by_density = body(shape=Box(1, 2, 3), density=10.0).mass_properties()
    assert by_density.isclose(Inertia(60, (0, 0, 0), (5 * 13, 5 * 10, 5 * 5)), 1e-14)
    assert body(shape=Box(1, 2, 3), mass=60.0).mass_properties().isclose(by_density, 1e-14)


def test_a_solid_lies_where_its_shape_is_placed():
    pose = Pose.from_rpy(0.3, -0.2, 0.9, (1, 2, 3))
    found = body(shape=Box(1, 2, 3, at=pose), density=10.0).mass_properties()
    assert found.isclose(body(shape=Box(1, 2, 3), density=10.0).mass_properties().transformed(pose), 1e-14)
    np.testing.assert_allclose(found.com, (1, 2, 3), rtol=1e-15)


def test_further_shapes_are_kept_and_weigh_nothing():
    link = body(mass=1, visuals=[Box(1, 1, 1), Sphere(2)], collisions=Sphere(3))
    assert link.visuals == (Box(1, 1, 1), Sphere(2)) and link.collisions == (Sphere(3),)
    assert link.mass_properties() == Inertia(1)


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ({"mass": "1"}, ["mass is '1'", "real number"]),
        ({"mass": [1]}, ["mass is [1]"]),
        ({"com": (1, 2)}, ["com", "2 entries"]),
        ({"com": 1.0}, ["com is 1.0"]),
        ({"inertia": 3.0}, ["inertia is 3.0", "3x3", "(xx, yy, zz)"]),
        ({"inertia": (1, 2, 3, 4)}, ["inertia", "3x3"]),
        ({"inertia": np.eye(2)}, ["inertia", "3x3"]),
        ({"inertia": ((1, 2, 3), (1, 2), (1, 2, 3))}, ["a row of inertia", "2 entries"]),
        ({"inertia": (1, 2, "3")}, ["inertia", "'3'"]),
        ({"inertia": ((1, 0, 0), 5, 6)}, ["a row of inertia is 5"]),
        ({"shape": "box"}, ["shape is 'box'", "Box(0.1, 0.1, 0.1)"]),
        ({"shape": Box}, ["shape is the class Box (are its parentheses missing?", "Box(0.1, 0.1, 0.1)"]),
        ({"density": None, "visuals": 3}, ["visuals is 3", "sequence of shapes"]),
        ({"visuals": [3]}, ["an entry of visuals is 3"]),
        ({"collisions": "ball"}, ["collisions is 'ball'"]),
        ({"density": "steel"}, ["density is 'steel'"]),
        ({"inertia": Inertia(1), "mass": 2}, ["mass is 2.0", "inertia is an Inertia", "one or the other"]),
        ({"inertia": Inertia(1), "com": (0, 0, 0)}, ["com is", "inertia is an Inertia"]),
        ({"inertia": Inertia(1), "density": 1}, ["density is", "inertia is an Inertia"]),
    ],
)
def test_wrong_types_are_refused_at_once_and_nothing_is_added(given, texts):
    m = Mechanism()
    with pytest.raises(ModelError) as caught:
        m.add_body("link", **given)
    assert str(caught.value).startswith("body 'link': ")
    for text in texts:
        assert text in str(caught.value)
    assert m == Mechanism()


def test_a_body_is_changed_by_its_mechanism_only():
    link = body(mass=1)
    with pytest.raises(AttributeError, match=r"body 'link': mass cannot be assigned; use mechanism.change\('link', mass=...\)"):
        link.mass = 2
    with pytest.raises(AttributeError, match=r"body 'link': its name cannot be assigned; use mechanism.rename\('link', ...\)"):
        link.name = "x"
    with pytest.raises(AttributeError, match=r"body 'link' has no 'weight' to assign; it has mass, com"):
        link.weight = 2
    with pytest.raises(AttributeError, match=r"body 'link': mass cannot be deleted"):
        del link.mass
    assert link.mass == 1.0


def test_bodies_are_compared_by_content():
    link = body(mass=1, com=(1, 2, 3), shape=Box(1, 2, 3))
    assert link == body(mass=1, com=(1, 2, 3), shape=Box(1, 2, 3))
    assert link != body(mass=1, com=(1, 2, 4), shape=Box(1, 2, 3))
    assert link != Mechanism().add_body("other", mass=1, com=(1, 2, 3), shape=Box(1, 2, 3))
    assert link != "link"
    assert hash(link) == hash(body(mass=1, com=(1, 2, 3), shape=Box(1, 2, 3)))  # what is equal may stand for each other as a key


def test_a_body_copied_alone_keeps_its_content_and_leaves_its_mechanism():
    link = body(mass=1, com=(1, 2, 3), shape=Box(1, 2, 3))
    for copied in (copy.deepcopy(link), copy.copy(link), pickle.loads(pickle.dumps(link))):
        assert copied == link and copied is not link
        with pytest.raises(ModelError, match=r"body 'link' is no part of mechanism 'mechanism'"):
            Mechanism().remove(copied)


def test_what_a_body_prints():
    assert str(body()) == "body 'link'" and repr(body()) == "<body 'link'>"
