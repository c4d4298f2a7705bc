"""Places: how a pose on a body can be said, and what is refused."""

import copy
import math
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from linkwork.errors import ModelError
from linkwork.parts import Mechanism, Place
from linkwork.spatial.pose import Pose

QUARTER = math.sqrt(0.5)
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # a quarter turn about z


@pytest.fixture
def body():
    return Mechanism().add_body("crank")


def test_a_place_is_said_by_numbers_a_point_a_pose_or_nothing(body):
    expected = Pose((1, 2, 3))
    for place in (body.at(1, 2, 3), body.at((1, 2, 3)), body.at([1, 2, 3]), body.at(np.array([1, 2, 3])), body.at(expected)):
        assert place.part is body and place.name == "crank"
        assert place.pose == expected
    assert body.at().pose == Pose()


@pytest.mark.parametrize(
    "rotation", [TURN, TURN.tolist(), (QUARTER, 0, 0, QUARTER), Rotation.from_matrix(TURN), Pose.from_rpy(0, 0, math.pi / 2)]
)
def test_a_rotation_is_said_in_many_ways(body, rotation):
    for place in (body.at(1, 2, 3, rotation=rotation), body.at((1, 2, 3), rotation=rotation)):
        assert place.pose.isclose(Pose((1, 2, 3), TURN), 1e-15)
    assert body.at(rotation=rotation).pose.isclose(Pose((0, 0, 0), TURN), 1e-15)


def test_a_rotation_turns_a_pose_about_its_own_origin(body):
    given = Pose((1, 2, 3), TURN)
    assert body.at(given, rotation=TURN).pose.isclose(given @ Pose((0, 0, 0), TURN), 1e-15)


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        ((1, 2), ["2 entries", "give x, y, z"]),
        ((1, 2, 3, 4), ["4 entries"]),
        (((1, 2),), ["(1, 2)", "give x, y, z"]),
        (("abc",), ["'abc'"]),
        ((5,), ["5"]),
        ((1, "2", 3), ["y of a place", "'2'", "real number"]),
        ((np.eye(3),), ["give x, y, z"]),
        ((None,), ["None"]),
    ],
)
def test_a_wrong_place_is_refused_with_the_name_of_the_body(body, arguments, texts):
    with pytest.raises(ModelError) as caught:
        body.at(*arguments)
    assert str(caught.value).startswith("body 'crank': ")
    for text in texts:
        assert text in str(caught.value)


@pytest.mark.parametrize(
    ("rotation", "text"),
    [
        (2 * TURN, "orthonormal"),
        (np.diag([1, 1, -1]), "reflection"),
        ((1, 1, 0, 0), "length"),
        ((0, 0, 1), "from_rpy"),
        ("up", "rotation"),
        (Pose((1, 0, 0)), "no translation"),
    ],
)
def test_a_wrong_rotation_is_refused_with_the_name_of_the_body(body, rotation, text):
    with pytest.raises(ModelError, match=text) as caught:
        body.at(0, 0, 0, rotation=rotation)
    assert str(caught.value).startswith("body 'crank': ")


def test_a_translation_that_is_not_finite_is_kept_for_faults_to_find(body):
    assert math.isnan(body.at(math.nan, 0, 0).pose.translation[0])


def test_places_are_values():
    place = Place("crank", Pose((1, 2, 3)))
    for copied in (Place("crank", (1, 2, 3)), copy.deepcopy(place), pickle.loads(pickle.dumps(place))):
        assert copied == place and hash(copied) == hash(place)
    assert place != Place("crank") and place != Place("rod", Pose((1, 2, 3)))
    assert repr(place) == "Place('crank', Pose((1, 2, 3)))"
    with pytest.raises(AttributeError):
        place.pose = Pose()


def test_a_frame_has_places_too():
    m = Mechanism()
    body = m.add_body("crank")
    tool = m.add_frame("tool", body.at(1, 0, 0, rotation=TURN))
    tip = m.add_frame("tip", tool.at(1, 0, 0))
    assert tip.body == "crank"
    assert tip.pose.isclose(Pose((1, 1, 0), TURN), 1e-15)
    assert tip.place.name == "tool"
