"""lw.read and lw.write of the native format: suffixes, text, bytes, meshes, places that cannot be written."""

import os
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import FormatError


@pytest.fixture
def arm():
    m = lw.Mechanism("arm", gravity=(0, 0, -1.62))
    rod = m.add_body("rod", shape=lw.Capsule(0.05, 1.0, at=(0, 0, 0.5)), density=2700)
    m.add_joint("pivot", lw.Revolute((0, 1, 0), upper=2.0), m.ground.at(0, 0, 1), rod)
    return m


def test_path_text_and_bytes_are_the_same_mechanism(arm, tmp_path):
    path = tmp_path / "Arm.TOML"
    lw.write(arm, path)
    text = path.read_text(encoding="utf-8")
    assert arm == lw.read(path) == lw.read(str(path)) == lw.read(text) == lw.read(text.encode()) == lw.read("\ufeff" + text)
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert lw.read(path) == arm


def test_errors_carry_path_line_and_column(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text('linkwork = 1\r\n[body.a]\r\n  mass = "x"\r\n', newline="")
    with pytest.raises(FormatError) as caught:
        lw.read(path)
    assert (caught.value.path, caught.value.line, caught.value.column) == (str(path), 3, 3)
    assert str(caught.value).startswith(f"{path}, line 3, column 3: body.a.mass: found")
    for content, match in (
        (b"\xff\xfe\x00", "text"),
        (b"linkwork = 1\nname = '\xff'\n", r"line 2: byte \d+ is not utf-8 text"),
        (b"", "empty"),
    ):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=match):
            lw.read(path)
    with pytest.raises(FormatError, match="No such file"):
        lw.Document.open(tmp_path / "none.toml")
    with pytest.raises(FormatError, match="from_text"):
        lw.Document.open("linkwork = 1\n")


def test_options_of_other_formats_are_refused(arm, tmp_path):
    lw.write(arm, tmp_path / "arm.toml")
    for options in ({"root": "floating"}, {"mimics": False}, {"package_dirs": ["x"]}):
        with pytest.raises(FormatError, match="is for URDF files"):
            lw.read(tmp_path / "arm.toml", **options)
    with pytest.raises(FormatError, match="a URDF names none"):
        lw.read('<robot name="r"><link name="a"/></robot>', functions={"f": abs})
    with pytest.raises(lw.ModelError, match="functions has 'f': 3"):
        lw.read(tmp_path / "arm.toml", functions={"f": 3})


def test_places_that_cannot_be_written(arm, tmp_path):
    with pytest.raises(FormatError, match=r"give a path that ends in \.toml"):
        lw.write(arm, tmp_path / "arm.urdf")
    with pytest.raises(FormatError, match=r"cannot be written \(No such file or directory\)"):
        lw.write(arm, tmp_path / "no" / "arm.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(FormatError, match="cannot be written"):
        lw.write(arm, tmp_path / "folder.toml")
    assert os.listdir(tmp_path) == ["folder.toml"]  # nothing half written is left


def test_a_mechanism_that_cannot_be_written_leaves_the_file_alone(arm, tmp_path):
    path = tmp_path / "arm.toml"
    lw.write(arm, path)
    before = path.read_bytes()
    arm.change("rod", density=float("inf"))
    with pytest.raises(FormatError, match="density is inf"):
        lw.write(arm, path)
    assert path.read_bytes() == before


def test_meshes_are_named_from_the_file(tmp_path):
    m = lw.Mechanism("meshes")
    paths = [str(tmp_path / "robot" / "meshes" / "a.stl"), str(tmp_path / "elsewhere" / "b.stl"), "package://robot/c.stl", "http://x/y.stl"]
    m.add_body("a", visuals=[lw.MeshFile(path, 0.001) for path in paths])
    (tmp_path / "robot").mkdir()
    lw.write(m, tmp_path / "robot" / "r.toml")
    text = (tmp_path / "robot" / "r.toml").read_text()
    assert 'path = "meshes/a.stl"' in text
    assert f'path = "{(tmp_path / "elsewhere" / "b.stl").as_posix()}"' in text
    assert lw.read(tmp_path / "robot" / "r.toml") == m
    (tmp_path / "robot").rename(tmp_path / "moved")
    assert lw.read(tmp_path / "moved" / "r.toml").body("a").visuals[0].path == str(tmp_path / "moved" / "meshes" / "a.stl")


def test_ways_to_say_a_rotation():
    def turned(how):
        return lw.from_toml(f'linkwork = 1\n[frame.f]\non = "ground"\nxyz = [1, 2, 3]\n{how}\n').frame("f").pose

    expected = lw.Pose.from_rpy(0, 0, 0.5, translation=(1, 2, 3))
    half = np.array([np.cos(0.25), 0, 0, np.sin(0.25)])
    for how in (
        "rpy = [0, 0, 0.5]",
        f"quaternion = {half.tolist()}",
        "axis = [0, 0, 3]\nangle = 0.5",
        f"matrix = {expected.rotation.tolist()}",
    ):
        assert turned(how).isclose(expected, 1e-15)
    assert turned("matrix = [[0, -1, 0], [1.000001, 0, 0], [0, 0, 1]]").isclose(
        lw.Pose((1, 2, 3)) @ lw.Pose.from_rpy(0, 0, np.pi / 2), 2e-6
    )


def test_ways_to_say_a_law():
    def target(how):
        joint = 'linkwork = 1\n[body.a]\n[joint.j]\nkind = "prismatic"\naxis = [1, 0, 0]\nparent = "ground"\nchild = "a"\n'
        text = f'{joint}[constraint.c]\nkind = "drive"\njoints = "j"\ntarget = {how}\n'
        return lw.from_toml(text).constraint("c").kind

    from scipy.interpolate import CubicSpline

    assert target("2") == lw.Drive(2.0)
    assert target("{ times = [0, 1, 3, 4], values = [0, 1, 2, 0] }") == lw.Drive(CubicSpline([0, 1, 3, 4], [0, 1, 2, 0]))
    assert target("{ breaks = [0, 2], pieces = [[1, 0, 3]] }").target.samples() == (3.0, 7.0)


def chain(links):
    m = lw.Mechanism("chain")
    last = m.ground
    for k in range(links):
        body = m.add_body(f"link {k}", shape=lw.Box(0.1, 0.01, 0.01, at=(0.05, 0, 0)), density=1000.0)
        turned = last.at(0.1, 0, 0, rotation=lw.Pose.from_rpy(0.001 * k, 0, 0))
        m.add_joint(f"joint {k}", lw.Revolute((0, 0, 1), damping=0.1), turned, body)
        last = body
    return m


@pytest.mark.slow
def test_a_thousand_bodies_are_read_in_a_second():
    m = chain(1000)
    text = lw.to_toml(m)
    start = time.perf_counter()
    again = lw.from_toml(text)
    seconds = time.perf_counter() - start
    assert again == m
    assert seconds < 8.0  # measured 0.5 s; the margin is for a busy machine


def test_an_edit_takes_time_in_proportion_to_the_file():
    doc = lw.Document.from_text(text := lw.to_toml(chain(250)))
    doc.mechanism.change("link 100", density=900.0)
    start = time.perf_counter()
    changed = doc.text
    assert time.perf_counter() - start < 8.0  # measured 0.4 s
    assert sum(a != b for a, b in zip(text.splitlines(), changed.splitlines(), strict=True)) == 1
