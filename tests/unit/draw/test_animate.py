"""`animate`: frames at the right times, and pages that hold what they say and nothing else."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import linkwork as lw
from linkwork.draw import html as page
from linkwork.draw.animate import interpolated, sampled

from .swings import HOSTILE, pendulum

TIMES = np.linspace(0.0, 1.0, 11)
SWING = np.sin(3.0 * TIMES)[:, None]


class Run:
    """What a recording looks like from here."""

    def __init__(self, model):
        self.time, self.q, self.model = TIMES, SWING, model


def data_of(path):
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(re.search(r'<script id="motion" type="application/json">(.*?)</script>', text, re.S)[1])


def floats(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_a_gif_has_its_frames_and_its_pace(tmp_path):
    path = lw.animate(pendulum(), TIMES, SWING, tmp_path / "a.gif", size=(160, 120), fps=10, speed=2.0)
    with Image.open(path) as image:
        assert (image.n_frames, image.size) == (6, (160, 120))  # 1 s at twice the speed, 10 frames a second, both ends
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
        first = np.asarray(image.convert("RGB"), dtype=int)
        image.seek(3)
        assert (np.abs(np.asarray(image.convert("RGB"), dtype=int) - first) > 30).any()


def test_a_recording_is_enough(tmp_path):
    model = pendulum().build()
    for arguments in ((Run(model), tmp_path / "a.html"), (Run(model), None, None, tmp_path / "b.html")):
        lw.animate(*arguments)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    with pytest.raises(lw.FormatError, match="knows its times"):
        lw.animate(Run(model), TIMES, SWING, tmp_path / "c.html")


def test_a_page_holds_the_motion(tmp_path):
    m = pendulum()
    m.add_frame("tip", m.body("bob").at(0, 0, -1))
    lw.animate(m, TIMES, SWING, tmp_path / "a.html", fps=10, trails="tip")
    data = data_of(tmp_path / "a.html")
    assert floats(data["times"]) == pytest.approx(TIMES, abs=1e-6)
    poses = floats(data["poses"]).reshape(11, 1, 7)
    found = lw.forward_kinematics(m.build(), SWING)
    assert poses[:, 0, 3:] == pytest.approx(np.column_stack([np.cos(SWING / 2), 0 * SWING, np.sin(SWING / 2), 0 * SWING]), abs=1e-6)
    assert floats(data["trails"][0]).reshape(-1, 3) == pytest.approx(found.position("tip"), abs=1e-6)


def test_a_page_loads_nothing_and_runs_one_script(tmp_path):
    text = Path(lw.animate(pendulum(), TIMES, SWING, tmp_path / "a.html")).read_text(encoding="utf-8")
    assert not re.search(r"(?i)https?:|src\s*=|@import|url\(", text)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    assert policy.startswith("default-src 'none'")
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)[1]
        assert base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() in policy


def test_hostile_names_cannot_leave_their_place(tmp_path):
    m = pendulum(HOSTILE, HOSTILE)
    text = Path(lw.animate(m, TIMES, SWING, tmp_path / "a.html", labels=True)).read_text(encoding="utf-8")
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert "alert(1)</script" not in text
    data = data_of(tmp_path / "a.html")
    assert data["bodies"] == [HOSTILE]
    assert data["labels"][0][0] == HOSTILE


def test_json_in_a_page_cannot_end_it():
    made = page.safe_json({"a": "</script><!--&\u2028"})
    assert not set(made) & set("<>&\u2028")
    assert json.loads(made) == {"a": "</script><!--&\u2028"}


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs node, to run the page's script")
@pytest.mark.parametrize("moment", [0.0, 0.37])
def test_the_page_paints_what_draw_paints(tmp_path, moment):
    """The script's depth buffer and the painter's order: the same picture, but for a pixel at borders."""
    m = pendulum()
    arm = m.add_body("arm", density=400.0, shape=lw.Box(0.5, 0.3, 0.2, at=(0.2, 0, 0)))
    m.add_joint("elbow", lw.Revolute((0, 1, 0)), m.body("bob").at(0, 0.05, -0.9), arm)
    qs = np.column_stack([SWING, 2 * SWING])
    size = (240, 180)
    camera = lw.Camera((0.9, -2.1, 0.1), (0.2, 0, -0.6))
    lw.animate(m, TIMES, qs, tmp_path / "a.html", camera, size, fps=100, floor=-1.6)
    script = Path(page.__file__).with_name("replay.js")
    (tmp_path / "run.js").write_text(
        f"""const r = require({json.dumps(str(script))}), fs = require("fs");
        const text = fs.readFileSync({json.dumps(str(tmp_path / "a.html"))}, "utf8");
        const scene = r.unpack(JSON.parse(text.match(/application.json">([^]*?)<.script>/)[1]));
        const sheet = r.newSheet(2 * scene.size[0], 2 * scene.size[1]);
        r.paint(sheet, scene, scene.camera, {moment});
        fs.writeFileSync({json.dumps(str(tmp_path / "raw"))}, Buffer.from(sheet.ink.buffer));"""
    )
    subprocess.run([NODE, str(tmp_path / "run.js")], check=True, timeout=60)
    big = Image.frombytes("RGBA", (480, 360), (tmp_path / "raw").read_bytes()).convert("RGB")
    theirs = np.asarray(big.reduce(2), dtype=float)
    model = m.build()
    q = interpolated(model, TIMES, qs, np.array([moment]))[0]
    ours = np.asarray(lw.draw(m, q, camera=camera, size=size, floor=-1.6).image(), dtype=float)
    apart = np.abs(ours - theirs).max(axis=2)
    assert (ours.min(axis=2) < 200).mean() > 0.03  # there is something to see
    assert (apart > 40).mean() < 0.02
    assert np.median(apart[ours.min(axis=2) < 200]) < 6


def test_poses_between_frames_lie_on_the_way():
    """A ball joint: half way in time is half of the turn, and the quaternion stays one."""
    m = lw.Mechanism("top")
    m.add_joint("ball", lw.Spherical(), m.ground, m.add_body("top", mass=1.0, inertia=(1, 1, 1)))
    model = m.build()
    ends = np.array([(1, 0, 0, 0), (np.cos(0.6), 0, np.sin(0.6), 0)])
    between = interpolated(model, np.array((2.0, 4.0)), ends, np.array((2.0, 3.0, 4.0)))
    assert between[1] == pytest.approx((np.cos(0.3), 0, np.sin(0.3), 0))
    assert between[2] == pytest.approx(ends[1])


def test_sampling_keeps_both_ends():
    assert sampled(np.array((1.0, 1.7, 2.0)), 10.0, 100) == pytest.approx(np.linspace(1, 2, 11))
    assert sampled(np.array((3.0,)), 10.0, 100).tolist() == [3.0]


def test_the_camera_may_move_in_a_gif_only(tmp_path):
    def around(t):
        return lw.Camera((4 * np.cos(t), -4 * np.sin(t), 0), (0, 0, -0.5))

    with Image.open(lw.animate(pendulum(), TIMES[:3], 0 * SWING[:3], tmp_path / "a.gif", around, (160, 120), fps=10)) as image:
        assert image.n_frames == 3
    with pytest.raises(lw.ModelError, match="Camera"):
        lw.animate(pendulum(), TIMES, SWING, tmp_path / "a.html", around)


def test_progress_is_shown_for_long_ones_unless_quiet(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys.modules["linkwork.draw.animate"], "LONG", 3)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes anything for a terminal
    for quiet, shown in ((False, True), (True, False)):
        lw.animate(pendulum(), TIMES, SWING, tmp_path / "a.gif", size=(64, 48), fps=4, quiet=quiet)
        assert ("drawing a.gif" in capsys.readouterr().err) == shown


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"path": "a.mp4"}, lw.FormatError, ".gif, .html"),
        ({"path": "a.png"}, lw.FormatError, "draw"),
        ({"path": None}, lw.FormatError, "no path"),
        ({"times": TIMES[::-1]}, lw.StateError, "increasing"),
        ({"times": TIMES[:5]}, lw.StateError, "one time for each row"),
        ({"times": None}, lw.StateError, "needed"),
        ({"qs": np.where(np.arange(11)[:, None] == 4, np.nan, SWING)}, lw.StateError, "pose 4, coordinate 0 .*'pivot'"),
        ({"qs": np.zeros((11, 3))}, lw.StateError, "shape"),
        ({"fps": 0}, lw.ModelError, "above 0"),
        ({"fps": 1e6}, lw.FormatError, "frames"),
        ({"speed": np.nan}, lw.ModelError, "above 0"),
        ({"trails": ["tip"]}, lw.UnknownNameError, "tip"),
    ],
)
def test_arguments_that_cannot_be(tmp_path, change, error, words):
    given = {"times": TIMES, "qs": SWING, "path": "a.gif"} | change
    given["path"] = given["path"] and tmp_path / given["path"]
    with pytest.raises(error, match=words):
        lw.animate(pendulum(), **given)
    assert not list(tmp_path.iterdir())


def test_motions_in_turn_each_with_its_own_bodies(tmp_path):
    """One page for a mechanism that gains a body: its own shapes from its own time on, one camera and one floor for all."""
    m = lw.Mechanism("one")
    m.add_joint("a", lw.Revolute((0, 1, 0)), m.ground, m.add_body("rod", shape=lw.Box(0.5, 0.05, 0.05), density=1000.0))
    two = m.clone()
    two.add_joint("b", lw.Prismatic((0, 0, 1)), two.ground, two.add_body("ball", shape=lw.Sphere(0.1), density=1000.0))
    t = np.linspace(0.0, 1.0, 11)
    motions = [(m, t, t[:, None]), (two, 1.0 + t, np.column_stack([1.0 + t, -3.0 * t]))]
    data = data_of(lw.animate(motions, tmp_path / "run.html"))
    later = data["then"][0]
    assert data["bodies"] == ["rod"] and later["bodies"] == ["rod", "ball"] and data["camera"] == later["camera"]
    assert data["grid"] == later["grid"] and data["floor"] == later["floor"] and later["floor"][2] < -3.0
    with pytest.raises(lw.StateError, match="before the one before it ends"):
        lw.animate(motions[::-1], tmp_path / "run.html")
    for wrong in ([], [m], [(m, t)]):
        with pytest.raises(lw.FormatError, match="animate: "):
            lw.animate(wrong, tmp_path / "run.html")
    with pytest.raises(lw.FormatError, match=r"run\.html"):
        lw.animate(motions, tmp_path / "run.gif")
