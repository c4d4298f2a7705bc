"""What print(mechanism) shows."""

import math

from linkwork.parts import Box, Mechanism, Mesh, Revolute, Spherical, Weld, tree_text

Y = (0.0, 1.0, 0.0)


def test_the_structure_as_a_tree():
    m = Mechanism("crane", gravity=(0, 0, -9.81))
    tower = m.add_body("tower", mass=500.0, inertia=(9, 9, 9))
    m.add_body("boom", shape=Box(1, 1, 1), density=20.0)
    m.add_body("hook")
    m.add_body("bird", mass=0.25)
    m.add_frame("lamp", m.ground.at(1, 0, 0))
    m.add_frame("top", tower.at(0, 0, 5))
    m.add_joint("base", Weld(), m.ground, tower)
    m.add_joint("slew", Revolute((0, 0, 1)), "top", "boom")
    m.add_joint("rope", Spherical(), "hook", "boom")
    assert str(m) == "\n".join(
        [
            "mechanism 'crane': 4 bodies, 3 joints, 2 frames; gravity (0, 0, -9.81) m/s^2",
            "ground",
            "|-- frame lamp",
            "|-- base (Weld) -> tower, 500 kg",
            "|   |-- frame top",
            "|   `-- slew (Revolute) -> boom, 20 kg",
            "|       `-- rope (Spherical, walked backwards) -> hook, massless",
            "`-- bird.free (Free, automatic) -> bird, 0.25 kg",
        ]
    )


def test_an_empty_mechanism():
    assert str(Mechanism()) == "mechanism 'mechanism': 0 bodies, 0 joints, 0 frames; gravity (0, 0, -9.81) m/s^2\nground"


def test_a_mechanism_with_faults_is_shown_too():
    m = Mechanism("mess", gravity=(0, 0, math.nan))
    m.add_body("a", shape=Box(-1, 1, 1), density=1)
    m.add_body("b", shape=Mesh([[0, 0, 0]], [[0, 0, 0]]), density=1)
    m.add_body("b", mass=1)
    m.add_joint("j", Revolute((0, 0, 0)), "ground", "a")
    m.add_joint("loop", Weld(), "a", "ground")
    m.add_joint("self", Weld(), "a", "a")
    m.add_joint("lost", Weld(), "a", "nothing")
    m.add_frame("f", "nothing")
    m.add_frame("g", "h")
    m.add_frame("h", "g")
    assert str(m).splitlines()[1:] == [
        "ground",
        "|-- j (Revolute) -> a, mass unknown",
        "`-- b.free (Free, automatic) -> b, mass unknown",
        "outside the tree:",
        "  loop (Weld): a -> ground, closes a loop",
        "  self (Weld): a -> a, connects a body with itself",
        "  lost (Weld): a -> nothing, leads nowhere",
        "  frame f on nothing",
        "  frame g on h",
        "  frame h on g",
    ]


def test_a_long_mechanism_is_cut_short():
    m = Mechanism()
    for i in range(300):
        m.add_body(f"b{i}", mass=1)
        m.add_joint(f"j{i}", Revolute(Y), "ground" if i == 0 else f"b{i - 1}", f"b{i}")
    lines = str(m).splitlines()
    assert len(lines) == 2 + 200 + 1 and lines[-1] == "... and 100 more"
    assert len(tree_text(m, limit=None).splitlines()) == 2 + 300
    assert tree_text(m, limit=1).splitlines()[1:] == ["ground", "`-- j0 (Revolute) -> b0, 1 kg", "... and 299 more"]


def test_many_lost_joints_are_cut_short():
    m = Mechanism()
    for i in range(300):
        m.add_joint(f"j{i}", Weld(), "a", "b")
    assert str(m).splitlines()[-1] == "  ... and 101 more"
