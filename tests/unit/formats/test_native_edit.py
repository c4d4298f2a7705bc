"""Load, edit, save: what was changed is changed in the text, all else stays to the letter."""

import difflib

import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw
from linkwork.errors import FormatError

FILE = """\
# A mechanism by hand.
linkwork = 1          # version
name = "by hand"   # a name
gravity = [0, 0, -9.81]

# ---------- parts ----------

# the crank
# (steel)
[body.crank]
shape = { kind = "box", x = 0.2, y = 0.02, z = 0.02, at = [0.1, 0, 0] }  # a bar
density = 7850

# its joint
[joint.pivot]   # hinge
kind = "revolute"
axis = [
  0,   # x
  1,   # y
  0,
]
parent = "ground"
child = "crank"
damping = 0.1   # guessed

# the rod
[body.rod]
mass = 1.0
com = [0.5, 0, 0] # middle
inertia = [1e-4, 0.1, 0.1]

[[body.rod.visuals]]
kind = "sphere" # a ball
radius = 0.1
at = {xyz = [0, 0, 1], rpy=[0,0,0.5]}

[joint.pin]
kind = "revolute"
axis = [0,1,0]
[joint.pin.parent]
on = "crank"
xyz = [0.2, 0, 0] # tip
rpy = [0, 0, 0.1] # turned
[joint.pin.child]
on = "rod"

# ---- constraints ----

[constraint.drive]
kind = "drive"
joints = ["pivot"]   # the motor
target = { times = [0, 1, 2], values = [0, 1, 0] }   # up and down

# start
[initial]
q.pivot = 0.3   # rad
v.pivot = 1

[simulation]
duration = 10 # s
"""


def m_change(part, **values):
    return lambda doc: doc.mechanism.change(part, **values)


def add_parts(doc):
    m = doc.mechanism
    rocker = m.add_body("rocker", mass=1, inertia=(1, 1, 1))
    m.add_joint("toggle", lw.Weld(), "rod", rocker)
    m.add_frame("tool", rocker.at(0, 0, 1))
    m.add_constraint("stay", lw.Distance(2), rocker)


def swap_names(doc):
    doc.mechanism.rename("crank", "x")
    doc.mechanism.rename("rod", "crank")
    doc.mechanism.rename("x", "rod")


def say_again(doc):
    doc.mechanism.remove("crank")
    doc.mechanism.add_body("crank", shape=lw.Box(0.2, 0.02, 0.02, at=(0.1, 0, 0)), density=7850)


def run_longer(doc):
    doc.setup.duration, doc.setup.q["pivot"], doc.setup.v = 20, (0.5,), {}
    doc.setup.integrator = {"kind": "runge-kutta-4", "step": 1e-3}


def tip(doc, *rpy):
    doc.mechanism.change("pin", parent=doc.mechanism.body("crank").at(0.3, 0, 0, rotation=lw.Pose.from_rpy(*rpy)))


def ball(doc, *more, radius=0.2):
    doc.mechanism.change("rod", visuals=[lw.Sphere(radius, at=doc.mechanism.body("rod").visuals[0].at), *more])


def name_all(doc):
    doc.mechanism.name, doc.mechanism.gravity = "other", (0, 0, 0)


CASES = {
    "a number": (m_change("crank", density=2700), ["-density = 7850", "+density = 2700"]),
    "mass for density": (m_change("crank", mass=2.5), ["-density = 7850", "+mass = 2.5"]),
    "inside a list with comments": (m_change("pivot", axis=(0, 2, 0)), ["-  1,   # y", "+  2,   # y"]),
    "back to a default": (m_change("pivot", damping=0.0), ["-damping = 0.1   # guessed"]),
    "a new option": (m_change("pin", lower=-1), ["+lower = -1"]),
    "inside a line": (
        m_change("crank", shape=lw.Box(0.2, 0.02, 0.5, at=(0.1, 0, 0))),
        [
            '-shape = { kind = "box", x = 0.2, y = 0.02, z = 0.02, at = [0.1, 0, 0] }  # a bar',
            '+shape = { kind = "box", x = 0.2, y = 0.02, z = 0.5, at = [0.1, 0, 0] }  # a bar',
        ],
    ),
    "another shape": (
        m_change("crank", shape=lw.Sphere(0.5)),
        [
            '-shape = { kind = "box", x = 0.2, y = 0.02, z = 0.02, at = [0.1, 0, 0] }  # a bar',
            '+shape = { kind = "sphere", radius = 0.5 }  # a bar',
        ],
    ),
    "a place moved": (lambda doc: tip(doc, 0, 0, 0.1), ["-xyz = [0.2, 0, 0] # tip", "+xyz = [0.3, 0, 0] # tip"]),
    "a place turned": (
        lambda doc: tip(doc, 0, 0, 0.2),
        ["-xyz = [0.2, 0, 0] # tip", "-rpy = [0, 0, 0.1] # turned", "+xyz = [0.3, 0, 0] # tip", "+rpy = [0, 0, 0.2] # turned"],
    ),
    "a shape in a list of tables": (ball, ["-radius = 0.1", "+radius = 0.2"]),
    "a law": (
        m_change("drive", kind=lw.Drive(CubicSpline([0, 1], [3, 5], bc_type="natural"))),
        [
            "-target = { times = [0, 1, 2], values = [0, 1, 0] }   # up and down",
            "+target = { breaks = [0, 1], pieces = [[0, 0, 2, 3]] }   # up and down",
        ],
    ),
    "a body renamed": (
        lambda doc: doc.mechanism.rename("crank", "the crank"),
        ["-[body.crank]", '+[body."the crank"]', '-child = "crank"', '+child = "the crank"', '-on = "crank"', '+on = "the crank"'],
    ),
    "a joint renamed": (
        lambda doc: doc.mechanism.rename("pivot", "A0"),
        [
            *("-[joint.pivot]   # hinge", "+[joint.A0]   # hinge", '-joints = ["pivot"]   # the motor', '+joints = ["A0"]   # the motor'),
            *("-q.pivot = 0.3   # rad", "-v.pivot = 1", "+q.A0 = 0.3   # rad", "+v.A0 = 1"),
        ],
    ),
    "two names exchanged": (
        swap_names,
        [
            *("-[body.crank]", "+[body.rod]", '-child = "crank"', '+child = "rod"', "-[body.rod]", "+[body.crank]"),
            *("-[[body.rod.visuals]]", "+[[body.crank.visuals]]", '-on = "crank"', '+on = "rod"', '-on = "rod"', '+on = "crank"'),
        ],
    ),
    "a part removed": (
        lambda doc: doc.mechanism.remove("drive"),
        [
            *("-[constraint.drive]", '-kind = "drive"', '-joints = ["pivot"]   # the motor'),
            "-target = { times = [0, 1, 2], values = [0, 1, 0] }   # up and down",
        ],
    ),
    "parts added": (
        add_parts,
        [
            *("+[body.rocker]", "+mass = 1", "+inertia = [1, 1, 1]", "+[frame.tool]", '+on = "rocker"', "+xyz = [0, 0, 1]"),
            *("+[joint.toggle]", '+kind = "weld"', '+parent = "rod"', '+child = "rocker"'),
            *("+[constraint.stay]", '+kind = "distance"', '+a = "rocker"', '+b = "ground"', "+length = 2"),
        ],
    ),
    "the settings": (
        run_longer,
        [
            *("-q.pivot = 0.3   # rad", "-v.pivot = 1", "+q.pivot = 0.5   # rad", "-duration = 10 # s", "+duration = 20 # s"),
            '+integrator = { kind = "runge-kutta-4", step = 0.001 }',
        ],
    ),
    "the top": (
        name_all,
        ['-name = "by hand"   # a name', "-gravity = [0, 0, -9.81]", '+name = "other"   # a name', "+gravity = [0, 0, 0]"],
    ),
}


def changed_lines(before, after):
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@")) and line not in ("+", "-")]  # blank lines may come and go


def test_nothing_changed_nothing_changes():
    assert lw.Document.from_text(FILE).text == FILE


@pytest.mark.parametrize("case", CASES)
def test_only_what_changed_changes(case):
    change, expected = CASES[case]
    doc = lw.Document.from_text(FILE)
    change(doc)
    assert changed_lines(FILE, doc.text) == expected
    again = lw.Document.from_text(doc.text)
    assert again.mechanism == doc.mechanism


def test_removed_bodies_take_along_what_stands_on_them():
    doc = lw.Document.from_text(FILE)
    doc.mechanism.remove("crank", dependents=True)
    left = [line for line in doc.text.splitlines() if line.startswith(("[", "#"))]
    assert left == [
        *("# A mechanism by hand.", "# ---------- parts ----------", "# the rod", "[body.rod]", "[[body.rod.visuals]]"),
        *("# ---- constraints ----", "[simulation]"),
    ]
    assert lw.from_toml(doc.text) == doc.mechanism


def test_parts_stand_in_the_order_of_the_mechanism():
    doc = lw.Document.from_text(FILE)
    say_again(doc)
    assert [body.name for body in lw.from_toml(doc.text).bodies] == ["rod", "crank"]
    assert sorted(doc.text) == sorted(FILE)  # nothing lost, nothing added


LOOSE = """\
linkwork = 1
frame.f.on = "b"  # above all headers
frame.f.xyz = [0, 0, 1]
[body]
a.mass = 1  # dotted
a.com = [0, 0, 1]
b = { mass = 2, inertia = [1, 1, 1] }  # below [body]
c.mass = 3
[body.c.shape]
kind = "sphere"
radius = 1
[joint]
j = { kind = "revolute", axis = [0, 0, 1], parent = "a", child = "b" }
"""


@pytest.mark.parametrize(
    "change",
    [
        *(m_change(part, mass=7) for part in "abc"),
        *(lambda doc, part=part: doc.mechanism.rename(part, "new") for part in "abcfj"),
        *(lambda doc, part=part: doc.mechanism.remove(part, dependents=True) for part in "abcfj"),
        add_parts,
        lambda doc: doc.mechanism.change("j", damping=0.1, parent=lw.Place("c", (0, 0, 1))),
        lambda doc: doc.mechanism.merge(doc.mechanism.clone(), prefix="x"),
    ],
)
def test_tables_written_in_other_ways_are_edited_too(change):
    doc = lw.Document.from_text(LOOSE)
    change(doc)
    assert lw.from_toml(doc.text) == doc.mechanism
    assert doc.text != LOOSE


def test_values_where_they_stand_in_other_ways():
    doc = lw.Document.from_text(LOOSE)
    doc.mechanism.change("a", mass=5)
    doc.mechanism.change("b", mass=6)
    assert doc.text == LOOSE.replace("a.mass = 1", "a.mass = 5").replace("mass = 2", "mass = 6")


def test_what_cannot_be_edited_is_written_anew(monkeypatch):
    """The text is read before it is given out: an edit that went wrong is found, and the table written again."""
    monkeypatch.setattr("linkwork.formats.native_edit._sync", lambda table, old, new: table.pop("kind", None))
    doc = lw.Document.from_text(FILE)
    doc.mechanism.change("rod", mass=3)
    doc.mechanism.change("pin", damping=0.5)
    assert lw.from_toml(doc.text) == doc.mechanism
    assert "# (steel)" in doc.text and "# middle" not in doc.text
    name_all(doc)
    with pytest.raises(FormatError, match="cannot be changed in place; write it anew"):
        doc.text  # noqa: B018


def test_save_and_open(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_bytes(FILE.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    doc = lw.Document.open(path)
    doc.mechanism.change("crank", density=1000)
    doc.mechanism.rename("rod", "bar")
    doc.save()
    saved = path.read_bytes().decode()
    assert saved.count("\r\n") == saved.count("\n") == FILE.count("\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert lw.read(path) == doc.mechanism
    doc.mechanism.rename("bar", "rod")  # after a save the new names are the old ones
    doc.mechanism.change("crank", density=7850)
    doc.save(tmp_path / "two.toml")
    assert (tmp_path / "two.toml").read_bytes() == FILE.replace("\n", "\r\n").encode()
    assert doc.path == str(tmp_path / "two.toml")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["robot.toml", "two.toml"]


def test_changes_of_others_are_not_overwritten(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text(FILE)
    doc = lw.Document.open(path)
    path.write_text(FILE.replace("7850", "7900"))
    doc.mechanism.change("rod", mass=3)
    with pytest.raises(FormatError, match="changed since it was opened; open it again, or save to another path"):
        doc.save()
    assert "7900" in path.read_text()
    doc.save(tmp_path / "mine.toml")
    path.unlink()
    doc.save(path)  # nothing to lose there


def test_a_new_document_is_written_like_any_mechanism(tmp_path):
    m = lw.Mechanism("new")
    m.add_body("a", mass=1.0)
    doc = lw.Document(m, lw.Setup(duration=3.0))
    with pytest.raises(FormatError, match=r"no file yet; give a path that ends in \.toml"):
        doc.save()
    with pytest.raises(FormatError, match=r"ends in \.toml"):
        doc.save(tmp_path / "a.txt")
    doc.save(tmp_path / "a.toml")
    assert (tmp_path / "a.toml").read_text() == lw.to_toml(m, lw.Setup(duration=3.0))
    assert lw.Document.open(str(tmp_path / "a.toml")).setup == doc.setup


def test_meshes_stay_where_they_are(tmp_path):
    (tmp_path / "sub").mkdir()
    text = """linkwork = 1
[body.a]
visuals = [{ kind = "mesh-file", path = "../m/a.stl" }]  # outside
collisions = [{ kind = "mesh-file", path = "m/b.stl" }]
"""
    (tmp_path / "sub" / "r.toml").write_text(text)
    doc = lw.Document.open(tmp_path / "sub" / "r.toml")
    assert doc.text == text
    found = doc.mechanism.body("a").collisions[0].path
    assert found == str(tmp_path / "sub" / "m" / "b.stl")
    doc.save(tmp_path / "r.toml")
    again = lw.read(tmp_path / "r.toml").body("a")
    assert again.collisions[0].path == found
    assert (tmp_path / "sub" / again.visuals[0].path).resolve() == (tmp_path / "m" / "a.stl").resolve()
    assert 'path = "sub/m/b.stl"' in doc.text and "# outside" in doc.text


def test_names_of_joints_in_the_setup():
    doc = lw.Document.from_text(FILE)
    doc.setup.q["pivt"] = (1.0,)
    with pytest.raises(FormatError, match="setup: no joint is called 'pivt'"):
        doc.text  # noqa: B018


def test_the_setup_goes_by_the_names_that_joints_have_now():
    """After a joint was renamed, `doc.setup.state(doc.build())` did not know it; lw.simulate(doc) and the text did."""
    doc = lw.shipped("pendulum")
    setup = doc.setup
    for name in ("hinge", "pivot"):  # twice: each time from the name that it had
        doc.mechanism.rename(doc.mechanism.joints[0].name, name)
        model = doc.build()
        assert doc.setup is setup and list(doc.setup.q) == [name]
        assert doc.setup.state(model).q == pytest.approx([0.5]) and doc.setup.options(model)["q"] == pytest.approx([0.5])
    assert lw.Document.from_text(doc.text).setup.q == {"pivot": (0.5,)}
    doc.mechanism.add_body("a", mass=1.0, inertia=(1, 1, 1))  # a joint that the text does not have, and one that floats
    doc.mechanism.add_body("ball", mass=1.0, inertia=(1, 1, 1))
    doc.mechanism.add_joint("slide", lw.Prismatic((1, 0, 0)), "ground", "a")
    doc.setup.q["slide"], doc.setup.v["ball.free"] = (0.25,), (0, 0, 0, 1, 0, 0)
    doc.mechanism.rename("slide", "rail")
    doc.mechanism.rename("ball", "stone")
    assert doc.setup.q == {"pivot": (0.5,), "rail": (0.25,)} and list(doc.setup.v) == ["stone.free"]
    doc.setup.state(doc.build())
    doc.mechanism.rename("rail", "between")  # names that change places
    doc.mechanism.rename("pivot", "rail")
    doc.mechanism.rename("between", "pivot")
    assert doc.setup.q == {"rail": (0.5,), "pivot": (0.25,)} == lw.Document.from_text(doc.text).setup.q


@pytest.mark.parametrize("how", ["text", "save", "to_toml", "Document"])
def test_a_joint_of_another_kind_than_its_initial_coordinates_says_so(how, tmp_path):
    """It said that the file is written in a way that cannot be changed in place, and advised to write it anew."""
    doc = lw.shipped("pendulum")
    joint = doc.mechanism.joints[0].name
    doc.mechanism.change(joint, kind=lw.Spherical())
    calls = {
        "text": lambda: doc.text,
        "save": lambda: doc.save(tmp_path / "pendulum.toml"),
        "to_toml": lambda: lw.to_toml(doc.mechanism, doc.setup),
        "Document": lambda: lw.Document(doc.mechanism, doc.setup),
    }
    with pytest.raises(lw.FormatError, match=rf"q of joint '{joint}' has 1 number; its kind has 4; give setup.q\['{joint}'\] 4"):
        calls[how]()
    doc.setup.q[joint] = (0.6, 0.0, 0.8, 0.0)
    assert lw.Document.from_text(doc.text).setup.q == doc.setup.q
