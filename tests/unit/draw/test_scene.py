"""Whole pictures against ray casting: at any pixel the colour is that of the nearest face."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from linkwork.draw.figure import Figure
from linkwork.draw.look import View
from linkwork.draw.perspective import homogeneous
from linkwork.draw.scene import marks_of
from linkwork.draw.shade import PAPER, lit
from linkwork.draw.stack import Stack

SIZE = (480, 360)


def robot():
    """Shapes of every kind, some of them in each other, some touching, with signs of joints and a line."""
    m = lw.Mechanism("robot")
    base = m.add_body(
        "base", density=900.0, shape=lw.Cylinder(0.25, 0.1, at=(0, 0, 0.05)), visuals=[lw.Box(0.7, 0.5, 0.04, at=(0, 0, 0.02))]
    )
    arm = m.add_body("arm", density=500.0, shape=lw.Capsule(0.07, 0.7, at=lw.Pose((0.3, 0, 0)) @ lw.Pose.from_rpy(0, np.pi / 2, 0)))
    hand = m.add_body(
        "hand", density=500.0, shape=lw.Box(0.3, 0.4, 0.05, at=(0.1, 0, 0)), visuals=[lw.Cone(0.12, 0.3), lw.Sphere(0.1, at=(0.2, 0.1, 0))]
    )
    egg = m.add_body("egg", density=500.0, shape=lw.Ellipsoid(0.1, 0.15, 0.25))
    m.add_joint("turn", lw.Revolute((0, 0, 1)), m.ground, base)
    m.add_joint("lift", lw.Revolute((0, 1, 0)), base.at(0, 0, 0.25), arm)
    m.add_joint("wrist", lw.Universal((0, 1, 0), (1, 0, 0)), arm.at(0.7, 0, 0), hand)
    m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground.at(0.2, -0.5, 0.25), egg)
    return m


def cast(stack, world, camera, pixels):
    """Colours (m, 3) of the nearest faces at pixels; NaN where there is none. Every face is asked."""
    left, right, top, bottom = camera.edges(SIZE)
    screen = pixels / SIZE * (right - left, bottom - top) + (left, top)
    rays = homogeneous(screen)[:, :3] @ camera.axes
    nearest, color = np.full(len(pixels), np.inf), np.full((len(pixels), 3), np.nan)
    for f, count in enumerate(stack.count.tolist()):
        X = world[stack.faces[f, :count]]
        spread = X - X.mean(axis=0)
        normal = np.cross(spread, np.roll(spread, -1, axis=0)).sum(axis=0)
        normal /= np.linalg.norm(normal)
        ahead = float((X[0] - camera.eye) @ normal)
        if ahead >= 0.0:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            t = ahead / (rays @ normal)
        near = np.flatnonzero((t > 0.0) & (t < nearest))
        at = camera.eye + t[near, None] * rays[near]
        edge = np.roll(X, -1, axis=0) - X
        hit = near[((at[:, None] - X) * np.cross(normal, edge)).sum(axis=2).min(axis=1) > 0.0]
        nearest[hit] = t[hit]
        towards = (camera.eye - X.mean(axis=0)) / np.linalg.norm(camera.eye - X.mean(axis=0))
        color[hit] = lit(stack.color[f][None], normal[None], towards[None])
    return color


@pytest.mark.slow
@pytest.mark.parametrize("eye", [(2.0, -2.4, 1.6), (0.3, -0.4, 2.6), (1.6, 1.8, 0.15)])
def test_every_pixel_has_the_colour_of_the_nearest_face(eye):
    """Bodies in each other, touching, before and behind: ray casting and painting agree wherever a pixel is not on a border."""
    m = robot()
    model = m.build()
    q = np.array((0.4, -0.5, 0.6, -0.3, 0.1))
    figure = Figure(model, q)
    figure.ties.clear()
    stack, found = Stack(figure.pieces), lw.forward_kinematics(model, q)
    camera = lw.Camera(eye, (0.3, 0, 0.3), field_of_view=0.4)
    marks, _ = marks_of(figure, stack, found.rotations, found.positions, View(camera, SIZE))
    picture = lw.Picture([replace(mark, line=None) for mark in marks], (), SIZE, "x", camera)
    columns, rows = np.random.default_rng(7).integers((5, 5), np.array(SIZE) - 5, (1500, 2)).T
    around = np.array([(0.5, 0.5), (-0.7, 0.5), (1.7, 0.5), (0.5, -0.7), (0.5, 1.7)])
    pixels = (np.column_stack([columns, rows])[:, None] + around).reshape(-1, 2)
    color = cast(stack, stack.world(found.rotations, found.positions), camera, pixels).reshape(-1, 5, 3)
    seen = np.asarray(picture.image(), dtype=float)[rows, columns] / 255.0
    inner = (np.abs(color - color[:, :1]).max(axis=(1, 2)) < 1e-9) & np.isfinite(color).all(axis=(1, 2))
    assert inner.sum() > 90
    # 1 / 255 from bytes; 0.015 since a piece of a face takes the direction to the eye at its own middle.
    assert np.abs(seen[inner] - color[inner, 0]).max() < 0.02
    empty = np.isnan(color).all(axis=(1, 2))
    assert empty.sum() > 100
    assert np.abs(seen[empty] - PAPER).max() < 0.005


def test_an_eye_within_the_scene_sees_what_is_before_it():
    """Faces behind the eye and across the near plane: nothing is turned inside out, all pixels are finite."""
    m = robot()
    camera = lw.Camera((0.25, -0.02, 0.35), (0.7, 0.1, 0.3), field_of_view=1.5, near=0.02)
    picture = lw.draw(m, (0.4, -0.5, 0.6, -0.3, 0.1), camera=camera, size=SIZE)
    assert len(picture.marks) > 20
    points = np.concatenate([mark.points for mark in picture.marks])
    assert np.isfinite(points).all()
    assert np.abs(points).max() < 3 * max(SIZE)  # clipped to the view with its guard band


def test_looking_away_gives_an_empty_picture():
    picture = lw.draw(robot(), camera=lw.Camera((0, -5, 1), (0, -9, 3)), floor=False)
    assert picture.marks == ()


def ball_in_a_valley():
    """Shapes on the ground and on bodies, a visual, and a spring."""
    m = lw.Mechanism("valley")
    m.change("ground", collisions=[lw.HeightField(0.1 * np.add.outer(np.linspace(-1, 1, 5) ** 2, np.zeros(4)), dx=0.3, dy=0.3)])
    ball = m.add_body("ball", shape=lw.Sphere(0.1), visuals=[lw.Cone(0.05, 0.2, at=(0, 0, 0.2))], density=500)
    m.add_force("spring", lw.SpringDamper(10.0, 0.3), m.ground.at(0.5, 0, 0.5), ball)
    return m


@pytest.mark.parametrize("made", [robot, ball_in_a_valley])
def test_a_model_is_drawn_as_its_mechanism(made):
    m = made()
    model = m.build()
    picture = lw.draw(m)
    assert len(picture.marks) > 50
    assert lw.draw(model).svg() == picture.svg()
    assert lw.draw(pickle.loads(pickle.dumps(model))).svg() == picture.svg()


def test_a_recording_shows_the_shapes(tmp_path):
    """Without them a ball and a cone were cubes of equal inertia, and the ground was missing."""
    m = ball_in_a_valley()
    rec = lw.simulate(m, 0.01, q=[0.1, 0.1, 0.3, 1, 0, 0, 0])
    rec.save(tmp_path / "run.arrow")
    loaded = lw.Recording.load(tmp_path / "run.arrow", model=m.build())
    pages = [tmp_path / f"{k}.html" for k in range(3)]
    lw.animate(m, rec.time, rec.q, pages[0])
    lw.animate(rec, pages[1])
    lw.animate(loaded, pages[2])
    assert pages[0].read_text() == pages[1].read_text() == pages[2].read_text()


def test_what_is_to_be_seen_is_no_content_of_a_model():
    with_cone, without = ball_in_a_valley(), ball_in_a_valley()
    without.change("ball", visuals=[])
    assert with_cone.build() == without.build() and with_cone.build().fingerprint == without.build().fingerprint
    assert lw.draw(with_cone.build()).svg() != lw.draw(without.build()).svg()


def test_what_is_inside_of_another_body_is_not_painted():
    m = lw.Mechanism("nested")
    outer = m.add_body("outer", density=1.0, shape=lw.Box(1, 1, 1))
    m.add_joint("w", lw.Weld(), m.ground, outer)
    inner = m.add_body("inner", density=1.0, shape=lw.Sphere(0.4))
    m.add_joint("f", lw.Weld(), outer, inner)
    marks = lw.draw(m, floor=False, joints=False).marks
    assert len(marks) == 3  # three sides of the box


def test_the_trail_and_the_frames_are_lines():
    m = robot()
    plain = lw.draw(m, floor=False)
    more = lw.draw(m, floor=False, trails=[np.array([(0, 0, 0.8), (0.5, 0, 0.9), (0.6, 0.2, 0.9)])], frames=["hand"])
    lines = [mark for mark in more.marks if mark.fill is None]
    assert len(lines) - sum(mark.fill is None for mark in plain.marks) >= 5
