"""Wrong files: the error says where (file, line, key), what was found, what is allowed, and all of it at once."""

import pickle
import time

import pytest

import linkwork as lw
from linkwork.errors import FormatError

START = "linkwork = 1\n[body.rod]\n"  # so that the tried line is line 3
HINGE = 'linkwork = 1\n[body.rod]\nmass = 1\n[joint.hinge]\nkind = "revolute"\naxis = [0, 1, 0]\nparent = "ground"\nchild = "rod"\n'


@pytest.mark.parametrize(
    ("line", "key", "message"),
    [
        ('mass = "1.0"', "body.rod.mass", 'found "1.0" (text); allowed is a number; take the quotes away'),
        ('mass = "heavy"', "body.rod.mass", 'found "heavy" (text); allowed is a number'),
        ("mass = true", "body.rod.mass", "found True (a truth value); allowed is a number"),
        ("mass = nan", "body.rod.mass", "found nan; allowed is a finite number"),
        ("mass = -inf", "body.rod.mass", "found -inf; allowed is a finite number"),
        ("mass = 1e400", "body.rod.mass", "found inf; allowed is a finite number"),
        (f"mass = {'9' * 400}", "body.rod.mass", "found a whole number of 400 digits; allowed are numbers up to 1.8e308"),
        ("mass = 2024-01-01", "body.rod.mass", "found datetime.date(2024, 1, 1) (a date or time); allowed is a number"),
        ("mas = 1", "body.rod.mas", "no key of a body is called 'mas'; did you mean mass?"),
        ("com = [1, 2]", "body.rod.com", "found [1, 2] (a list), 2 of them; allowed is a list of 3 numbers"),
        ('com = [1, 2, "x"]', "body.rod.com[2]", 'found "x" (text); allowed is a number'),
        ("inertia = [1, 2]", "body.rod.inertia", "allowed are [xx, yy, zz], [xx, xy, xz, yy, yz, zz] or three rows of three"),
        ("inertia = [[1, 2, 3], [1, 2], 0]", "body.rod.inertia[1]", "2 of them; allowed is a list of 3 numbers"),
        ('shape = "box"', "body.rod.shape", 'found "box" (text); allowed is a table such as { kind = "sphere", radius = 0.1 }'),
        ("shape = { radius = 1 }", "body.rod.shape", "it has no kind; allowed are box, sphere, cylinder"),
        ('shape = { kind = "Spheer" }', "body.rod.shape.kind", "no kind of shape is called 'spheer'; did you mean sphere?"),
        ("shape = { kind = 1 }", "body.rod.shape.kind", "found 1 (a number); allowed are box,"),
        ('shape = { kind = "box", x = 1 }', "body.rod.shape", "the shape 'box' needs y and z; found kind, x"),
        ('shape = { kind = "box", x = 1, y = 1, z = "1" }', "body.rod.shape.z", "Box: z is '1' (str); give a real number"),
        ('shape = { kind = "sphere", radius = 1, at = { xyz = [0, 0] } }', "body.rod.shape.at.xyz", "allowed is a list of 3 numbers"),
        ('shape = { kind = "sphere", radius = 1, at = { rpyy = [0, 0, 0] } }', "body.rod.shape.at.rpyy", "did you mean rpy?"),
        (
            'shape = { kind = "sphere", radius = 1, at = { rpy = [0, 0, 0], quaternion = [1, 0, 0, 0] } }',
            "body.rod.shape.at.rpy",
            "found rpy and quaternion; allowed is one of rpy, quaternion, axis with angle, matrix",
        ),
        ('shape = { kind = "sphere", radius = 1, at = { quaternion = [1, 1, 0, 0] } }', "body.rod.shape.at.quaternion", "it must be 1"),
        ('shape = { kind = "sphere", radius = 1, at = { axis = [0, 0, 0], angle = 1 } }', "body.rod.shape.at.axis", "no direction"),
        ('shape = { kind = "mesh", vertices = [[0, 0]], faces = [[0, 1, 2]] }', "body.rod.shape.vertices", "give an array of shape (n, 3)"),
        ('shape = { kind = "mesh", vertices = [[0, 0], [1]], faces = [[0, 1, 2]] }', "body.rod.shape", "inhomogeneous"),
        ("visuals = 3", "body.rod.visuals", "found 3 (a number); allowed is a list of shapes"),
        ("visuals = [1]", "body.rod.visuals[0]", "found 1 (a number); allowed is a table"),
        ("unphysical = 1", "body.rod.unphysical", "found 1 (a number); allowed are true and false"),
        ("[bodi.x]", "bodi", "no key at the top of a mechanism is called 'bodi'; did you mean body?"),
        ('[body." "]', 'body." "', "the name of a body is empty"),
        ("[joint.rod]", "joint.rod", "there is already body.rod (line 2); a name is used once in a mechanism; rename one of them"),
        ("[body.ground]", "body.ground", "there is already ground, which is always there"),
        ("[body]\nx = 1", "body.x", "found 1 (a number); allowed is a table: [body.name] with its keys below"),
        ("[frame.f]\nxyz = [0, 0, 1]", "frame.f", 'it says not what it is on; give on = "name of a body or frame"'),
        ("[ground]\nmass = 1", "ground.mass", "no key of ground is called 'mass'"),
        ("[initial]\ntim = 1", "initial.tim", "no key of [initial] is called 'tim'; did you mean time?"),
        ("[initial]\nq = [1, 2]", "initial.q", "allowed is a table by joint: q.name = number"),
        ("[initial]\nq.hing = 1", "initial.q.hing", "no joint is called 'hing'"),
        ('[initial]\nq."rod.free" = [1, 2]', 'initial.q."rod.free"', "2 of them; allowed is a list of 7 numbers"),
        ("[simulation]\nduration = -1", "simulation.duration", "found -1 (a number); allowed is a number above 0"),
        ("[simulation]\nintegrator = 3", "simulation.integrator", "allowed is a name, or a table such as"),
        ("[simulation]\nintegrator = { step = 1 }", "simulation.integrator", "allowed is a name, or a table such as"),
        ("[simulation]\nrecord = [1]", "simulation.record[0]", "allowed is a name, in quotes"),
        ("[controller.c]\nrate = 0", "controller.c.rate", "allowed is a number above 0"),
        ("[controller.c]\nparameters = { x = nan }", "controller.c.parameters.x", "found nan; allowed is a finite number"),
    ],
)
def test_one_fault(line, key, message):
    text = START.replace("[body.rod]\n", "[body.rod]\n" if not line.startswith("[body]") else "\n") + line + "\n"
    with pytest.raises(FormatError) as caught:
        lw.from_toml(text)
    error = caught.value
    own = [fault for fault in error.faults if fault[1] == key and message in fault[2]]
    assert own, str(error)
    assert own[0][0] in (3, 4)
    assert f"{key}: " in str(error)


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "message"),
    [
        ("axis = [0, 1, 0]\n", "", 4, "joint.hinge", "the joint 'revolute' needs axis; found kind, parent, child"),
        ("[0, 1, 0]", "[0, 1]", 6, "joint.hinge.axis", "Revolute: axis is [0, 1] (list); it has 2 entries, give 3 numbers"),
        ("[0, 1, 0]", "[0, 1, nan]", 6, "joint.hinge.axis[2]", "found nan; allowed is a finite number"),
        ("axis", "axes", 6, "joint.hinge.axes", "no key of the joint 'revolute' is called 'axes'; did you mean axis?"),
        ('"revolute"', '"Revolut"', 5, "joint.hinge.kind", "no kind of joint is called 'revolut'; did you mean revolute?"),
        ('parent = "ground"\n', "", 4, "joint.hinge", "it has no parent"),
        ('"ground"', "[0, 0, 1]", 7, "joint.hinge.parent", "allowed is the name of a body or frame, or { on ="),
        ('"ground"', "{ xyz = [0, 0, 1] }", 7, "joint.hinge.parent", 'it says not what it is on; give on = "name'),
        ('"ground"', '{ on = "ground", xzy = [0, 0, 1] }', 7, "joint.hinge.parent.xzy", "did you mean xyz"),
        ("axis =", "lower = nan\naxis =", 6, "joint.hinge.lower", "found nan; allowed are numbers, inf and -inf"),
        ("axis =", "lower = [1, 2]\naxis =", 6, "joint.hinge.lower", "it has 2 values, but the joint has 1 degree of freedom"),
        ("axis =", 'prefer_cut = "yes"\naxis =', 6, "joint.hinge.prefer_cut", "allowed are true and false"),
        ('"revolute"', '"custom"', 4, "joint.hinge", "the joint 'custom' needs nv and pose and motion and rate"),
    ],
)
def test_one_fault_of_a_joint(old, new, line, key, message):
    assert old in HINGE
    with pytest.raises(FormatError) as caught:
        lw.from_toml(HINGE.replace(old, new, 1))
    assert (line, key) in [fault[:2] for fault in caught.value.faults], str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "key", "message"),
    [
        ('kind = "drive"\njoints = "hinge"', "constraint.c", "the constraint 'drive' needs target"),
        ('kind = "drive"\ntarget = 1', "constraint.c", "it has no joints; the constraint 'drive' takes joints"),
        ('kind = "drive"\ntarget = 1\na = "rod"', "constraint.c.a", "the constraint 'drive' takes joints, not a; remove it"),
        ('kind = "drive"\ntarget = 1\njoints = 7', "constraint.c.joints", "allowed is a list of joints"),
        ('kind = "drive"\ntarget = 1\njoints = ["hinge", ["hinge", "x"]]', "constraint.c.joints[1]", "allowed is a list of joints"),
        ('kind = "drive"\ntarget = 1\njoints = ["hinge", "hinge"]', "constraint.c", "Drive is given 2 joints; it takes 1"),
        ('kind = "drive"\njoints = "hinge"\ntarget = "1"', "constraint.c.target", "Drive: target is '1' (str); give a real number"),
        ('kind = "drive"\njoints = "hinge"\ntarget = {}', "constraint.c.target", "found the keys none; a function of time has"),
        (
            'kind = "drive"\njoints = "hinge"\ntarget = { breaks = [0, 1], pieces = [[1], [2]] }',
            "constraint.c.target.pieces",
            "one piece less",
        ),
        (
            'kind = "drive"\njoints = "hinge"\ntarget = { breaks = [0, 1, 2], pieces = [[1], [2, 3]] }',
            "constraint.c.target.pieces",
            "different",
        ),
        ('kind = "drive"\njoints = "hinge"\ntarget = { times = [0, 0], values = [1, 2] }', "constraint.c.target", "times increasing"),
        ('kind = "drive"\njoints = "hinge"\ntarget = { function = "sin" }', "constraint.c.target.function", "did you mean sine?"),
        ('kind = "drive"\njoints = "hinge"\ntarget = { function = "__import__" }', "constraint.c.target.function", "a file holds no code"),
        ('kind = "relation"\na = "rod"\nfunction = 3', "constraint.c.function", "Relation: function is 3 (int)"),
        ('kind = "lock"\na = "rod"\nx = "fre"', "constraint.c.x", "Lock: x is 'fre' (str); give a real number"),
        ('kind = "lock"\nb = "rod"', "constraint.c", "it has no a; the constraint 'lock' takes a and b; give them"),
    ],
)
def test_one_fault_of_a_constraint(lines, key, message):
    with pytest.raises(FormatError) as caught:
        lw.from_toml(f"{HINGE}[constraint.c]\n{lines}\n", functions={"sine": lambda t: t})
    (line, found, said) = caught.value.faults[0]
    assert found == key
    assert message in said
    assert line >= 9


def test_all_faults_in_one_error_with_lines():
    text = HINGE.replace("mass = 1", 'mass = "1"').replace("axis", "axs") + "[simulation]\nduratio = 3\n"
    with pytest.raises(FormatError) as caught:
        lw.from_toml(text)
    error = caught.value
    assert str(error).splitlines()[0] == "<text>: 4 faults"
    assert [fault[0] for fault in error.faults] == [3, 4, 6, 10]
    assert error.line == 3 and error.column == 1
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.faults, again.column) == (str(error), error.faults, 1)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("linkwork = 1\n[body.a\nmass = 1\n", 2, "not TOML: expected ']' at the end of a table declaration; the line is: [body.a"),
        ("linkwork = 1\nname = four-bar\n", 2, "not TOML: invalid value; the line is: name = four-bar"),
        ("linkwork = 1\n[body.a]\nmass 1\n", 3, "expected '=' after a key"),
        ("linkwork = 1\n[body.a]\nmass = 1\nmass = 2\n", 4, "this key is given twice"),
        ("linkwork = 1\n[body.a]\n[joint.b]\n[body.a]\n", 4, "[body.a] is given twice; a name stands once in a mechanism"),
        ('linkwork = 1\nname = "x\n', 2, "not TOML"),
        ("linkwork = 1\nx = [1,\n", 3, "not TOML"),
        ("linkwork = 1\nx = " + "[" * 40 + "]" * 40, 2, "brackets are nested deeper than 16"),
        ("linkwork = 1\nx = " + "[" * 100_000, 2, "brackets are nested deeper than 16"),
        ("linkwork = 1\n" + "a." * 50_000 + "b = 1", 2, "a key of more than 16 names"),
        ("linkwork = 1\n[" + '"a".' * 50_000 + "b]", 2, "a key of more than 16 names"),
    ],
)
def test_wrong_toml(text, line, message):
    start = time.perf_counter()
    with pytest.raises(FormatError) as caught:
        lw.from_toml(text)
    assert time.perf_counter() - start < 2.0
    assert caught.value.line == line
    assert message in str(caught.value)


def test_brackets_and_dots_in_text_are_no_nesting():
    text = HINGE + '# [[[[[[[[[[[[[[[[[[[[[[[[[\n[frame."' + "[.{" * 40 + "\"]\non = '" + "a." * 40 + "'\n"
    assert [frame.name for frame in lw.from_toml(text).frames] == ["[.{" * 40]


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("", "it does not say that it is a mechanism; its first line is: linkwork = 1"),
        ("linkwork = 2", "the file is of version 2 of the format; versions up to 1 are read; update Linkwork"),
        ('linkwork = "1"', 'found "1" (text); allowed is the version of the format, 1'),
        ("linkwork = 0", "found 0 (a number); allowed is the version"),
        ("linkwork = true", "allowed is the version"),
    ],
)
def test_versions(first, message):
    with pytest.raises(FormatError) as caught:
        lw.from_toml(f"{first}\n[simulation]\nfuture = 1\n[body.a]\n")
    assert message in str(caught.value)
    if "= 2" in first:
        assert len(caught.value.faults) == 1  # what else a newer file says is no fault


def test_places_on_nothing_are_noted_and_strict_reading_refuses_them():
    text = HINGE.replace('"ground"', '"grund"') + '[constraint.c]\nkind = "drive"\njoints = ["hing"]\ntarget = 0\n'
    m = lw.from_toml(text)
    assert [(note.line, note.element) for note in m.notes] == [(7, "joint.hinge.parent"), (11, "constraint.c.joints")]
    assert "did you mean ground?" in m.notes[0].message and m.notes[0].matters
    assert "did you mean hinge?" in m.notes[1].message
    with pytest.raises(lw.ModelError, match="grund"):
        m.build()
    with pytest.raises(FormatError, match=r"(?s)2 faults.*line 7: joint.hinge.parent: no body or frame is called 'grund'"):
        lw.from_toml(text, strict=True)


def test_hostile_sizes_take_bounded_time(monkeypatch):
    start = time.perf_counter()
    many = "linkwork = 1\n" + "".join(f'[frame.f{k}]\non = "nothing{k}"\n' for k in range(3000))
    assert len(lw.from_toml(many).notes) == 3000
    wrong = "linkwork = 1\n" + "".join(f"[body.b{k}]\nmas = 1\n" for k in range(3000))
    with pytest.raises(FormatError, match="3000 faults") as caught:
        lw.from_toml(wrong)
    assert len(str(caught.value)) < 10_000
    for text in ('"""' * 50_000, '"""\\"' * 50_000, "a" * 10**6, "'" * 10**5, "[" + "a" * 10**6, 'x = "' + "\\" * 10**5):
        with pytest.raises(FormatError):
            lw.from_toml(f"linkwork = 1\n{text}")
    assert time.perf_counter() - start < 20.0  # measured 2 s
    monkeypatch.setattr("linkwork.formats.xml_safely.MAX_BYTES", 1000)
    with pytest.raises(FormatError, match="larger than"):
        lw.from_toml(many)
