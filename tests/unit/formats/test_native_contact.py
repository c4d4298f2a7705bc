"""What a file says about contact: surfaces, floors, contact, touch and ignore."""

import pytest

import linkwork as lw
from linkwork.errors import FormatError

TEXT = """linkwork = 1
name = "scene"
contact = true   # in any case
touch = [["box", "ball"], { a = "box", b = "ground", surface = { friction = 0.1 } }] # two of them
ignore = [["ball", "ground"]]

# all that says nothing itself
[surface]
friction = 0.9 # rough

[ground]
surface = { restitution = 0.25 }
collisions = [{ kind = "floor", height = -1, surface = { restitution = 0.5 } }] # the yard

[body.box]
shape = { kind = "box", x = 1, y = 1, z = 1, surface = { friction = 0.2 } }
density = 100
surface = { friction = 0.3 } # icy

[body.ball]
shape = { kind = "sphere", radius = 0.1 }
density = 100
"""


def test_all_that_a_file_says_of_contact():
    m = lw.from_toml(TEXT)
    assert m.contact is True and m.surface == lw.Surface(0.9)
    assert m.touch_rules == (
        lw.TouchRule("box", "ball", True),
        lw.TouchRule("box", "ground", True, lw.Surface(0.1)),
        lw.TouchRule("ball", "ground", False),
    )
    assert m.ground.surface == lw.Surface(0.5, 0.25) and m.ground.collisions == (lw.Floor(-1.0, surface=lw.Surface(0.5, 0.5)),)
    assert m.body("box").surface == lw.Surface(0.3) and m.body("box").shape.surface == lw.Surface(0.2)
    assert lw.from_toml(lw.to_toml(m)) == m


GROUND = """linkwork = 1
name = "yard"

[ground]
collisions = [
    { kind = "height-field", heights = [[0, 0.1, 0.2], [0, 0.1, 0.3]], dx = 0.5 }, # the slope
    { kind = "mesh", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], faces = [[0, 1, 2]], touching = "triangles" },
]

[body.stone]
mass = 1
inertia = [1, 1, 1]
collisions = [{ kind = "mesh-file", path = "meshes/stone.stl", touching = "pieces" }]
"""


def test_surfaces_in_files():
    m = lw.from_toml(GROUND)
    field, mesh = m.ground.collisions
    assert field == lw.HeightField([[0, 0.1, 0.2], [0, 0.1, 0.3]], 0.5) and mesh.touching == "triangles"
    assert m.body("stone").collisions[0].touching == "pieces"
    assert lw.from_toml(lw.to_toml(m)) == m
    assert lw.Document.from_text(GROUND).text == GROUND


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('touching = "triangles"', 'touching = "hulls"', "line 7, .*touching is 'hulls'"),
        ('touching = "triangles"', "touching = 3", "line 7, .*touching is 3"),
        ("[0, 0.1, 0.3]]", "[0, 0.1]]", "line 6, .*heights: .*give an array"),
        ("0.2]", "nan]", "line 6, .*found nan"),
        ("[[0, 0.1, 0.2], [0, 0.1, 0.3]]", '"flat"', "line 6, .*heights is 'flat'"),
        ("dx = 0.5", 'dx = "wide"', "line 6, .*dx is 'wide'"),
        (", dx = 0.5", "", "line 6, .*needs dx"),
    ],
)
def test_surfaces_that_are_wrong_in_files(old, new, said):
    assert old in GROUND
    with pytest.raises(FormatError, match=said):
        lw.from_toml(GROUND.replace(old, new, 1))


@pytest.mark.parametrize("contact", [None, True, False])
def test_contact_is_true_false_or_not_said(contact):
    m = lw.Mechanism("one")
    m.contact = contact
    assert ("contact" in lw.to_toml(m)) == (contact is not None)
    assert lw.from_toml(lw.to_toml(m)) == m


def test_a_document_keeps_its_text_if_nothing_changes():
    assert lw.Document.from_text(TEXT).text == TEXT


def test_changes_are_made_in_place_and_comments_stay():
    document = lw.Document.from_text(TEXT)
    m = document.mechanism
    m.rename("box", "crate")
    m.surface = lw.Surface(0.7)
    m.change("crate", surface=lw.Surface(0.2, 0.1))
    m.change("ground", collisions=[lw.Floor(-2.0, surface=lw.Surface(restitution=0.5))])
    m.forget_touch("ball", "ground")
    m.contact = None
    expected = (
        TEXT.replace("contact = true   # in any case\n", "")
        .replace('ignore = [["ball", "ground"]]\n', "")
        .replace('"box"', '"crate"')
        .replace("[body.box]", "[body.crate]")
        .replace('kind = "crate"', 'kind = "box"')
        .replace("0.9 # rough", "0.7 # rough")
        .replace("{ friction = 0.3 } # icy", "{ friction = 0.2, restitution = 0.1 } # icy")
        .replace("height = -1", "height = -2")
    )
    assert document.text == expected
    assert lw.from_toml(document.text) == m


def test_what_is_new_finds_its_place_in_a_text():
    document = lw.Document.from_text('linkwork = 1\n\n# a stone\n[body.stone]\nmass = 2 # kg\nshape = { kind = "sphere", radius = 0.1 }\n')
    m = document.mechanism
    m.surface, m.contact = lw.Surface(0.7), True
    m.ignore("stone", "ground")
    m.add_floor()
    assert lw.from_toml(document.text) == m
    assert "# a stone\n[body.stone]\nmass = 2 # kg\n" in document.text and document.text.index("[surface]") < document.text.index(
        "[ground]"
    )


def test_rules_may_stand_in_tables_of_their_own():
    text = TEXT.replace('ignore = [["ball", "ground"]]\n', "").replace("# all that", '[[ignore]]\na = "ball"\nb = "ground"\n\n# all that')
    document = lw.Document.from_text(text)
    assert document.mechanism == lw.from_toml(TEXT) and document.text == text
    document.mechanism.ignore("box", "ball")
    assert "[[ignore]]" not in document.text and "# all that says nothing itself\n[surface]" in document.text
    assert lw.from_toml(document.text) == document.mechanism


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("contact = true", "contact = 1", "line 3, column 1: contact: found 1 (a number); allowed are true and false"),
        (
            "friction = 0.9",
            "fricton = 0.9",
            "line 9, column 1: surface.fricton: no key of a surface is called 'fricton'; did you mean friction",
        ),
        ("friction = 0.9", 'friction = "ice"', 'line 9, column 1: surface.friction: found "ice" (text)'),
        (
            'ignore = [["ball", "ground"]]',
            'ignore = [["ball"]]',
            "line 5, column 11: ignore[0]: found ['ball'] (a list); allowed is a list of pairs",
        ),
        (
            'ignore = [["ball", "ground"]]',
            'ignore = "ball"',
            'line 5, column 1: ignore: found "ball" (text); allowed is a list of pairs of bodies',
        ),
        (
            'ignore = [["ball", "ground"]]',
            'ignore = [["ball", "box"]]',
            "ignore[0]: touch[0] says something about 'ball' and 'box' already",
        ),
        ('ignore = [["ball", "ground"]]', 'ignore = [{ a = "ball", b = "ground", surface = {} }]', "ignore[0].surface: bodies that ignore"),
        ("{ friction = 0.3 } # icy", "0.3", "line 18, column 1: body.box.surface: found 0.3 (a number); allowed is a table such as"),
        (
            "surface = { restitution = 0.25 }",
            "surfaces = {}",
            "ground.surfaces: no key of ground is called 'surfaces'; did you mean surface",
        ),
        ("surface = { friction = 0.1 }", "surfac = 1", "touch[1].surfac: no key of touch is called 'surfac'; did you mean surface"),
        ("height = -1", 'height = "low"', "ground.collisions[0].height"),
    ],
)
def test_faults_are_told_with_their_line_and_key(was, becomes, said):
    assert was in TEXT
    with pytest.raises(FormatError) as caught:
        lw.from_toml(TEXT.replace(was, becomes, 1))
    assert said in str(caught.value)


def test_a_rule_about_a_body_that_is_not_there_is_noted():
    text = TEXT.replace('["ball", "ground"]', '["bull", "ground"]')
    m = lw.from_toml(text)
    assert [str(note) for note in m.notes] == ["line 5: ignore[0]: no body is called 'bull'; did you mean ball?"]
    with pytest.raises(FormatError, match="no body is called 'bull'"):
        lw.from_toml(text, strict=True)
