"""The first part that a ray meets: against closed forms, behind each other, hidden, within, and what spans two bodies."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw
from linkwork.studio.scene import Scene
from linkwork.studio.scene.casting import Instances, nearest_instance
from linkwork.studio.scene.layout import sag
from linkwork.studio.scene.meshes import unit
from linkwork.studio.scene.view import ray_through

DOWN = np.array((0.0, 0.0, -1.0))


def instances(name, rng, count):
    R = Rotation.random(count, rng=rng)
    return Instances(name, unit(name), rng.uniform(-2.0, 2.0, (count, 3)), R.as_quat(scalar_first=True), rng.uniform(0.15, 0.5, (count, 3)))


def exact(name, o, d):
    """The least t >= 0 at which o + t d meets a unit sphere, box or cylinder from outside; inf if it misses."""
    if name == "box":
        with np.errstate(divide="ignore"):
            L, H = (-0.5 - o) / d, (0.5 - o) / d
        enter, leave = np.minimum(L, H).max(), np.maximum(L, H).min()
        return enter if 0.0 <= enter <= leave else np.inf
    k = 3 if name == "sphere" else 2
    a, b, c = d[:k] @ d[:k], o[:k] @ d[:k], o[:k] @ o[:k] - 1.0
    if b * b < a * c:
        return np.inf
    side = (-b - np.sqrt(b * b - a * c)) / a
    if name == "sphere":
        return side if side >= 0.0 else np.inf
    cap = (-0.5 * np.sign(d[2]) - o[2]) / d[2]
    t = max(side, cap)
    out = min((-b + np.sqrt(b * b - a * c)) / a, (0.5 * np.sign(d[2]) - o[2]) / d[2])
    return t if 0.0 <= t <= out else np.inf


@pytest.mark.parametrize("name", ["sphere", "box", "cylinder"])
def test_of_many_instances_the_nearest_is_found_where_the_equation_says(name):
    """Meshes are flat between 40 sides and have bevels of 3 %, so that rays near an edge may miss, and t is up to some % of a size late."""
    rng = np.random.default_rng(5)
    batch = instances(name, rng, 40)
    agreed = hits = 0
    for _ in range(200):
        o = 6.0 * rng.normal(size=3)
        d = rng.uniform(-1.5, 1.5, size=3) - o
        R = Rotation.from_quat(batch.wxyzs, scalar_first=True).inv()
        O, D = R.apply(o - batch.positions) / batch.scales, R.apply(np.tile(d, (40, 1))) / batch.scales
        t = np.array([exact(name, u, v) for u, v in zip(O, D, strict=True)])
        if (np.linalg.norm(O, axis=1) < 1.8).any():
            continue  # the eye is within one, or nearly
        found = nearest_instance([batch], o, d)
        hits += np.isfinite(t.min())
        agreed += (found is None) if t.min() == np.inf else found is not None and found[2] == np.argmin(t)
        if found is not None:
            assert found[0] * np.linalg.norm(d) == pytest.approx(t[found[2]] * np.linalg.norm(d), abs=0.1) or t[found[2]] == np.inf
    assert hits > 60 and agreed >= 190


def test_batches_are_looked_at_together_and_what_is_in_front_wins():
    ahead = [
        Instances(name, unit(name), np.array([(0.0, 0.0, z)]), np.array([(1.0, 0.0, 0.0, 0.0)]), np.ones((1, 3)))
        for name, z in (("box", 0.0), ("sphere", 3.0), ("cylinder", -3.0))
    ]
    t, batch, instance = nearest_instance(ahead, (0.05, 0.02, 10.0), 2.0 * DOWN)
    assert (batch, instance) == (1, 0) and t == pytest.approx(3.0, abs=0.01), "in lengths of the direction; the sphere has 40 sides"
    assert nearest_instance(ahead, (0.05, 0.02, -10.0), -DOWN)[1] == 2, "from below"
    assert nearest_instance(ahead, (0.05, 0.02, 10.0), -DOWN) is None, "it looks away"
    assert nearest_instance(ahead, (0.05, 0.02, 3.0), DOWN)[1] == 0, "an eye within the sphere sees through it"
    assert nearest_instance([], (0.0, 0.0, 1.0), DOWN) is None


def test_rays_along_axes_and_poses_that_are_not_finite_do_no_harm():
    P = np.array([(0.0, 0.0, 0.0), (np.nan, 0.0, 0.0), (0.0, 0.0, -4.0)])
    batch = Instances("box", unit("box"), P, np.tile((1.0, 0.0, 0.0, 0.0), (3, 1)), np.ones((3, 3)))
    assert nearest_instance([batch], (0.1, 0.1, 5.0), DOWN)[1:] == (0, 0)
    assert nearest_instance([batch], (0.1, 0.1, -1.0), DOWN)[1:] == (0, 2)
    assert nearest_instance([batch], (0.8, 0.1, 5.0), DOWN) is None


# ---------------------------------------------------------------------- in a scene


@pytest.mark.filterwarnings("error")
def test_eyes_and_sizes_beyond_all_measure_meet_nothing():
    ball = Instances("ball", unit("ball"), np.zeros((1, 3)), np.array(((1.0, 0.0, 0.0, 0.0),)), np.ones((1, 3)))
    for eye in ((np.inf, 0, 0), (1e308, -1e308, 1e308), (np.nan, 0, 0)):
        assert nearest_instance([ball], eye, (-1.0, 0.0, 0.0)) is None
    for size in (0.0, 5e-324, np.inf, np.nan):
        assert nearest_instance([ball._replace(scales=np.full((1, 3), size))], (5.0, 0, 0), (-1.0, 0.0, 0.0)) is None
    for fov in (np.inf, np.nan, 0.0, -1.0, 4.0):
        camera = SimpleNamespace(position=(0.0, 0.0, 5.0), wxyz=(0.0, 1.0, 0.0, 0.0), fov=fov)
        assert nearest_instance([ball], *ray_through(camera, 0.5, 0.5, 1.0)) is None


@pytest.fixture
def scene(server):
    server.scene.reset()
    made = Scene(server)
    yield made
    made.close()


def pair():
    """Two boxes, 1 m apart along x, with a spring between their middles, and one below the first; a hinge holds the second to the ground."""
    m = lw.Mechanism("pair")
    for name in ("left", "right", "below"):
        m.add_body(name, mass=1.0, shape=lw.Box(0.2, 0.2, 0.2))
    m.add_force("spring", lw.SpringDamper(10.0), "left", "right")
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground.at(1, 0, 0), "right")
    P = np.array(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)))
    return m, P, np.tile((1.0, 0.0, 0.0, 0.0), (3, 1))


def above(scene, x, y=0.0):
    return scene.under((x, y, 5.0), DOWN)


def test_parts_by_name_and_those_behind_only_where_the_first_is_hidden_or_gone(scene):
    m, P, Q = pair()
    scene.show(m, P, Q)
    assert above(scene, 0.05, 0.05) == "left" and above(scene, 1.08, 0.08) == "right" and above(scene, 0.5, 1.0) is None
    scene.move(P + np.array(((0.0, 0.7, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))), Q)
    assert above(scene, 0.05, 0.05) == "below" and above(scene, 0.05, 0.75) == "left"
    scene.bodies(False)
    assert above(scene, 0.05, 0.75) is None
    scene.bodies(True)
    assert above(scene, 0.05, 0.75) == "left"


def test_a_joint_is_met_where_its_hub_comes_out_of_the_body_and_not_where_signs_are_off(scene):
    m, P, Q = pair()
    scene.show(m, P, Q)
    assert above(scene, 1.0) == "hinge"
    scene.glyphs(False)
    assert above(scene, 1.0) == "right"


def test_a_spring_is_met_between_its_turns_too_and_follows_its_ends(scene):
    m, P, Q = pair()
    scene.show(m, P, Q)
    assert {above(scene, x) for x in np.linspace(0.3, 0.7, 41)} == {"spring"}
    assert above(scene, 0.5, 0.2) is None
    scene.move(P + np.array(((0.0, 0.4, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.0))), Q)
    assert above(scene, 0.5) is None and above(scene, 0.5, 0.4) == "spring"
    scene.forces(False)
    assert above(scene, 0.5, 0.4) is None


def test_a_slack_string_is_met_where_it_hangs(scene):
    m, P, Q = pair()
    m.change("spring", kind=lw.RubberString(100.0, length=1.5))
    scene.show(m, P, Q)
    assert above(scene, 0.5) == "spring"
    seen = [scene.under((0.5, -5.0, z), (0.0, 1.0, 0.0)) for z in (0.0, -sag(1.0, 1.5))]
    assert seen == [None, "spring"]
    m.change("spring", kind=lw.RubberString(100.0, length=0.9))
    scene.show(m, P, Q)
    assert scene.under((0.5, -5.0, 0.0), (0.0, 1.0, 0.0)) == "spring", "taut, it runs straight"
