"""`draw`: files, notebooks, what is refused and how it is said."""

import io
import os
import warnings

import numpy as np
import pytest
from lxml import etree
from PIL import Image

import linkwork as lw
from linkwork.draw.figure import Figure

from .swings import HOSTILE, pendulum


def four_bar():
    m = lw.Mechanism("four-bar")
    crank = m.add_body("crank", mass=1.0, com=(0.25, 0, 0), inertia=(0.001, 0.02, 0.02))
    coupler = m.add_body("coupler", mass=2.0, com=(0.5, 0, 0), inertia=(0.002, 0.17, 0.17))
    rocker = m.add_body("rocker", mass=1.5, com=(0.4, 0, 0), inertia=(0.002, 0.08, 0.08))
    hinge = lw.Revolute(axis=(0, -1, 0))
    m.add_joint("a", hinge, m.ground, crank)
    m.add_joint("b", hinge, crank.at(0.5, 0, 0), coupler)
    m.add_joint("c", hinge, coupler.at(1.0, 0, 0), rocker.at(0.8, 0, 0))
    m.add_joint("d", hinge, m.ground.at(1.1, 0, 0), rocker)
    return m


def test_svg_is_sound_and_of_the_size(tmp_path):
    picture = lw.draw(pendulum(), [0.4], tmp_path / "a.svg", size=(400, 300))
    root = etree.parse(str(tmp_path / "a.svg")).getroot()
    assert (root.get("width"), root.get("viewBox")) == ("400", "0 0 400 300")
    assert len(root.findall("{*}path")) > 20
    assert picture._repr_svg_() == (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_png_is_an_image_of_the_size(tmp_path):
    picture = lw.draw(pendulum(), [0.4], tmp_path / "a.PNG", size=(400, 300))
    with Image.open(tmp_path / "a.PNG") as image:
        assert (image.format, image.size) == ("PNG", (400, 300))
        assert len(image.convert("RGB").getcolors(99999)) > 30
    assert picture._repr_png_() == (tmp_path / "a.PNG").read_bytes()


def test_the_bob_is_where_the_camera_says():
    m = pendulum()
    camera = lw.Camera((0, -4, -0.5), (0, 0, -0.5))
    red = lw.draw(m, [0.5], camera=camera, colors={"bob": "#ff0000"}, floor=False, size=(480, 360)).image()
    place = lw.forward_kinematics(m.build(), [0.5]).pose("bob").act((0, 0, -1.0))
    r, g, b = red.getpixel(tuple(int(x) for x in camera.pixel(place, (480, 360))))
    assert r > 120 > 60 > max(g, b)


def test_the_same_picture_every_time():
    assert lw.draw(four_bar()).svg() == lw.draw(four_bar()).svg()


def test_hostile_names_stay_text():
    picture = lw.draw(pendulum(HOSTILE, HOSTILE), [0.2], labels=True)
    root = etree.fromstring(picture.svg().encode("utf-8"))
    assert not root.findall(".//{*}script")
    assert "<script>alert(1)" in root.find("{*}title").text
    assert "<script>alert(1)" in root.find(".//{*}text").text
    assert Image.open(io.BytesIO(picture.png())).size == (960, 720)


def test_loops_are_closed_where_no_q_is_given():
    """Both ends of joint c meet: the crank at zero, the rest assembled."""
    m = lw.Mechanism("triangle")
    for k in (0, 1):
        rod = m.add_body(f"rod {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"foot {k}", lw.Revolute((0, -1, 0)), m.ground.at(0.9 * k, 0, 0), rod)
    m.add_joint("top", lw.Revolute((0, -1, 0)), m.body("rod 0").at(1, 0, 0), m.body("rod 1").at(1, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(lw.draw(m).marks) > 50


def test_a_loop_that_cannot_close_is_drawn_open_with_a_warning():
    m = lw.Mechanism("short")
    for k in (0, 1):
        rod = m.add_body(f"rod {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"foot {k}", lw.Revolute((0, -1, 0)), m.ground.at(5.0 * k, 0, 0), rod)
    m.add_joint("top", lw.Revolute((0, -1, 0)), m.body("rod 0").at(1, 0, 0), m.body("rod 1").at(1, 0, 0))
    with pytest.warns(lw.PictureWarning, match="open"):
        lw.draw(m)


def test_a_sign_stands_where_its_joint_is():
    """Whichever way the tree walks through a joint: hubs of the four-bar are at its four points."""
    m = four_bar()
    model = m.build()
    guess = np.zeros(model.nq)
    for joint, angle in {"a": np.pi / 3, "b": -0.6, "d": 1.7}.items():
        guess[model.joint(joint).q_index] = angle
    q = lw.assemble(model, guess, hold="a")
    figure, found = Figure(model, q), lw.forward_kinematics(model, q)
    names = {b.index: b.name for b in model.bodies} | {-1: "ground"}
    middles = [found.pose(names[p.body]).act(p.solid.corners.mean(axis=0)) for p in figure.pieces if len(p.solid.corners) == 40]
    expected = [(0, 0, 0), found.pose("crank").act((0.5, 0, 0)), found.pose("rocker").act((0.8, 0, 0)), (1.1, 0, 0)]
    assert len(middles) == 4
    for point in expected:
        assert min(np.linalg.norm(middle - point) for middle in middles) < 1e-9


def test_unreadable_meshes_are_said_once_and_replaced():
    m = lw.Mechanism("robot")
    for k in range(3):
        link = m.add_body(f"link {k}", mass=1.0, inertia=(0.01, 0.01, 0.01), visuals=[lw.MeshFile("package://robot/a.stl")])
        m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1)), m.ground.at(k, 0, 0), link)
    m.change("link 2", collisions=[lw.Box(0.2, 0.2, 0.2)])
    with pytest.warns(lw.PictureWarning, match=r"'link 0', and 2 more .*package_dirs") as said:
        lw.draw(m)
    assert len(said) == 1
    figure = Figure(m.build(), np.zeros(3), joints=False)
    of = {k: [p.solid for p in figure.pieces if p.body == m.build().body(f"link {k}").index] for k in (1, 2)}
    assert np.ptp(of[2][0].corners, axis=0) == pytest.approx((0.2, 0.2, 0.2))  # the collision shape
    assert np.ptp(of[1][-1].corners, axis=0) == pytest.approx([np.sqrt(0.06)] * 3)  # the box of equal inertia: a^2 = 6 I / m


def test_options_change_the_picture():
    m = pendulum()
    usual = lw.draw(m, [0.3])
    for option in (
        {"joints": False},
        {"floor": False},
        {"shadow": False},
        {"floor": -3.0},
        {"frames": ["bob"]},
        {"colors": {"bob": (0, 0, 1)}},
    ):
        assert lw.draw(m, [0.3], **option).svg() != usual.svg(), option
    assert lw.draw(m, [0.3], labels=True).labels[0].text == "bob"
    assert not usual.labels


def test_springs_and_strings_of_forces_are_lines():
    m = pendulum()
    for name, kind in (("spring", lw.SpringDamper(10.0)), ("string", lw.RubberString(10.0, 0.5)), ("drag", lw.ViscousDamping(1.0))):
        m.add_force(name, kind, m.ground.at(1, 0, 0), m.body("bob").at(0, 0, -1))
    figure = Figure(m.build(), np.zeros(1))
    assert [tie.style for tie in figure.ties] == ["coil", "string"]
    assert sum(mark.fill is None for mark in lw.draw(m, [0.0], floor=False).marks) > 60


@pytest.mark.parametrize(
    ("path", "words"),
    [("a.bmp", ".svg, .png"), ("a", ".svg, .png"), ("a.gif", "animate"), ("no/such/a.png", "does not exist"), (3, "name of a file")],
)
def test_paths_that_cannot_be(tmp_path, path, words):
    with pytest.raises(lw.FormatError, match=words):
        lw.draw(pendulum(), path=tmp_path / path if isinstance(path, str) else path)
    assert not list(tmp_path.iterdir())


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a.png").mkdir()
    with pytest.raises(lw.FormatError, match="folder"):
        lw.draw(pendulum(), path=tmp_path / "a.png")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(lw.FormatError, match="may not be written"):
        lw.draw(pendulum(), path=tmp_path / "a.png")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"q": [np.nan]}, lw.StateError, "'pivot'"),
        ({"q": [0.0, 1.0]}, lw.StateError, "shape"),
        ({"q": "x"}, lw.StateError, "numbers"),
        ({"camera": (1, 2, 3)}, lw.ModelError, "Camera"),
        ({"size": (10, 10)}, lw.ModelError, "pixels"),
        ({"size": 300}, lw.ModelError, "pixels"),
        ({"size": (1e9, 1e9)}, lw.ModelError, "pixels"),
        ({"colors": {"arm": "#ff0000"}}, lw.ModelError, "'bob'"),
        ({"colors": {"bob": "red"}}, lw.ModelError, "#rrggbb"),
        ({"floor": 0.0}, lw.ModelError, "reaches down"),
        ({"floor": "low"}, lw.ModelError, "height"),
        ({"frames": ["tip"]}, lw.UnknownNameError, "tip"),
        ({"trails": [[(0, 0), (1, 1)]]}, lw.ModelError, "trails"),
    ],
)
def test_arguments_that_cannot_be(given, error, words):
    with pytest.raises(error, match=words):
        lw.draw(pendulum(), **given)


def test_only_mechanisms_and_models_are_drawn():
    with pytest.raises(lw.ModelError, match="a Mechanism, a Document or a Model"):
        lw.draw("pendulum")


def test_degenerate_mechanisms_have_pictures():
    """Nothing, a point mass at the origin, a body that floats, zero gravity."""
    empty = lw.Mechanism("empty")
    point = lw.Mechanism("point", gravity=(0, 0, 0))
    point.add_joint("slide", lw.Translational(), point.ground, point.add_body("p", mass=1.0))
    brick = lw.Mechanism("brick")
    brick.add_body("b", mass=2.0, inertia=(0.02, 0.03, 0.04))
    for m in (empty, point, brick):
        assert lw.draw(m).svg().endswith("</svg>\n")
    assert len(lw.draw(brick, floor=False).marks) == 3  # the box of equal inertia
