"""Every fault of a mechanism is found at once and says which part, what was found, what is allowed and what to do."""

import math

import numpy as np
import pytest

from linkwork.parts import Box, Custom, Fault, Mechanism, Mesh, MeshFile, Planar, Revolute, Sphere, Universal, Weld
from linkwork.spatial.rigid_inertia import Inertia

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SOLID = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def chain():
    """Three good bodies in a chain on ground, and a frame."""
    m = Mechanism("chain")
    for name, parent in zip("abc", ["ground", "a", "b"], strict=True):
        m.add_body(name, **SOLID)
        m.add_joint(f"j{name}", Revolute(Y), parent, m.body(name).at(0, 0, 1))
    m.add_frame("tool", m.body("c").at(0, 0, -1))
    return m


def test_a_good_mechanism_has_no_faults():
    assert chain().faults() == []


def one_fault(m, part, kind, texts):
    (fault,) = m.faults()
    assert isinstance(fault, Fault)
    assert (fault.part, fault.kind) == (part, kind), fault
    assert fault.message.startswith(
        (f"body {part!r}: ", f"joint {part!r}: ", f"frame {part!r}: ", f"mechanism {part!r}: ", "part 'ground': ")
    )
    for text in texts:
        assert text in fault.message, fault.message
    assert ";" in fault.message, "a message says what was found; what is allowed; what to do"


# ---- names and references


def test_a_name_used_twice():
    m = chain()
    m.add_body("b", **SOLID)
    one_fault(m, "b", "name", ["2 parts are called 'b' (body, body)", "share one name space", "rename all but one"])


def test_a_name_used_by_different_kinds_of_parts():
    m = chain()
    m.add_frame("ja", "a")
    m.add_frame("ja", "b")
    one_fault(m, "ja", "name", ["3 parts are called 'ja' (joint, frame, frame)"])


def test_the_name_of_ground_is_taken():
    m = chain()
    m.add_frame("ground", "a")
    one_fault(m, "ground", "name", ["2 parts are called 'ground' (ground itself, frame)"])


def test_a_body_called_ground():
    m = chain()
    m.add_body("ground", **SOLID)
    one_fault(m, "ground", "name", ["(ground itself, body)"])


def test_the_name_of_an_automatic_joint_is_taken():
    m = chain()
    m.add_body("f", **SOLID)
    m.add_frame("f.free", "f")
    one_fault(m, "f.free", "name", ["automatic free joint of body 'f'", "floats", "rename it"])


@pytest.mark.parametrize(("side", "other"), [("parent", "b"), ("child", "c")])
def test_a_place_on_nothing(side, other):
    m = chain()
    m.rename("c", "carriage")
    m.change("jc", **{side: "cariage"})
    texts = [f"its {side}", "no body or frame is called 'cariage'", "did you mean 'carriage'", "? Add it, or give another name"]
    one_fault(m, "jc", "reference", texts)


def test_a_frame_on_nothing():
    m = chain()
    m.change("tool", place="zzz")
    known = "there are 5: 'ground', 'a', 'b', 'c', 'tool'. Add it, or give another name"
    one_fault(m, "tool", "reference", ["its place", "no body or frame is called 'zzz'", known])


def test_a_place_on_a_joint():
    m = chain()
    m.change("jc", child="ja")
    one_fault(
        m, "jc", "reference", ["its child is on 'ja', which is a joint", "allowed are bodies, frames and ground", "give one of these"]
    )


def test_frames_in_a_circle():
    m = chain()
    m.add_frame("f", "g")
    m.add_frame("g", "h")
    m.add_frame("h", "g")
    faults = m.faults()
    assert [(fault.part, fault.kind) for fault in faults] == [("f", "reference"), ("g", "reference"), ("h", "reference")]
    assert "frame 'f': its place is on a circle of frames: 'g' on 'h' on 'g'; a frame must stand on a body in the end" in faults[0].message


def test_a_joint_from_a_body_to_itself():
    m = chain()
    m.change("jc", parent=m.frame("tool"))
    one_fault(m, "jc", "self", ["same body, 'c'", "connects two different bodies", "change one of the two places"])


# ---- loops


def test_a_loop_is_no_fault():
    m = chain()
    m.add_joint("close", Revolute(Y), "ground", "c")
    m.add_joint("weld", Weld(), "b", "c")
    assert m.faults() == []


def test_a_loop_between_bodies_without_inertia_is_a_fault():
    m = chain()
    m.add_body("hook")
    m.add_joint("jh", Weld(), "c", "hook")
    m.add_joint("close", Revolute(Y), "ground", "hook", prefer_cut=True)
    one_fault(m, "close", "massless", ["closes a loop", "'hook'", "no mass", "prefer_cut"])


def test_a_body_with_two_parents_is_no_fault_without_a_loop():
    m = chain()
    m.add_body("d", **SOLID)
    m.add_joint("jd", Revolute(Y), "d", "c")
    assert m.faults() == []


# ---- values of parts


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_gravity_that_is_not_finite(bad):
    m = chain()
    m.gravity = (0, 0, bad)
    one_fault(m, "chain", "gravity", [f"gravity is (0.0, 0.0, {bad}) m/s^2", "three finite numbers", "correct it"])


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_places_that_are_not_finite(bad):
    m = chain()
    m.change("jb", child=m.body("b").at(0, bad, 0))
    one_fault(m, "jb", "pose", [f"its child has the translation (0, {bad}, 0) m", "finite", "correct it"])
    m = chain()
    m.change("tool", place=m.body("b").at(bad, 0, 0))
    one_fault(m, "tool", "pose", ["its place has the translation", str(bad)])


@pytest.mark.parametrize(
    ("kind", "about", "texts"),
    [
        (Revolute((0, 0, 0)), "axis", ["axis is (0, 0, 0)"]),
        (Universal(X, X), "axis", ["parallel"]),
        (Revolute(Y, lower=1, upper=0), "limits", ["lower is 1 and upper is 0"]),
        (Planar(Y, armature=(0, 0, -1)), "option", ["armature is -1 (degree of freedom 3 of 3)"]),
        (Custom(1, lambda q: 1 / 0, lambda q: 0, lambda q, v: 0), "custom", ["ZeroDivisionError"]),
    ],
)
def test_faults_of_a_joint_kind_carry_the_name_of_the_joint(kind, about, texts):
    m = chain()
    m.change("jb", kind=kind)
    one_fault(m, "jb", about, texts)


@pytest.mark.parametrize(
    ("given", "kind", "texts"),
    [
        ({"mass": -1, "inertia": (1, 1, 1)}, "inertia", ["the mass is -1 kg", "positive"]),
        ({"mass": math.nan, "inertia": (1, 1, 1)}, "inertia", ["the mass is nan", "finite"]),
        ({"mass": math.inf, "inertia": (1, 1, 1)}, "inertia", ["the mass is inf", "finite"]),
        ({"mass": 0, "inertia": (1, 1, 1)}, "inertia", ["the mass is 0 but the inertia tensor is not"]),
        ({"mass": -1}, "inertia", ["the mass is -1 kg"]),
        ({"mass": math.nan}, "inertia", ["the mass is nan"]),
        ({"mass": 1, "com": (0, math.nan, 0)}, "inertia", ["centre of mass is (0, nan, 0)"]),
        ({"mass": 1, "com": (0, math.inf, 0), "inertia": (1, 1, 1)}, "inertia", ["centre of mass is (0, inf, 0)"]),
        ({"mass": 1, "inertia": (1, math.nan, 1)}, "inertia", ["inertia tensor", "finite"]),
        ({"mass": 1, "inertia": (1, 1, -0.5)}, "inertia", ["principal moments (-0.5, 1, 1) kg m^2", "must be positive"]),
        ({"mass": 1, "inertia": (1, 1, 5)}, "inertia", ["principal moments (1, 1, 5) kg m^2", "triangle inequality"]),
        ({"mass": 1, "inertia": ((1, 0.5, 0), (0, 1, 0), (0, 0, 1))}, "inertia", ["not symmetric", "0.5"]),
        ({"inertia": Inertia(1, tensor=(1, 1, 3))}, "inertia", ["principal moments (1, 1, 3)"]),
        ({"inertia": (1, 1, 1)}, "inertia", ["inertia is given without a mass", "give both"]),
        ({"shape": Box(1, 1, 1), "mass": -1}, "inertia", ["the mass is -1 kg"]),
        ({"shape": Box(1, 1, 1), "mass": math.nan}, "inertia", ["the mass is nan kg"]),
        ({"shape": Box(1, 1, 1), "density": 0}, "density", ["density is 0 kg/m^3", "above 0"]),
        ({"shape": Box(1, 1, 1), "density": -5}, "density", ["density is -5 kg/m^3"]),
        ({"shape": Box(1, 1, 1), "density": math.nan}, "density", ["density is nan kg/m^3"]),
        ({"density": 5}, "density", ["density is 5 kg/m^3, but it has no shape", "give a shape"]),
        ({"shape": Box(1, 1, 1), "density": 5, "mass": 1}, "density", ["density and mass are both given", "leave one"]),
        ({"shape": Box(1, 1, 1), "mass": 1, "com": (0, 0, 1)}, "inertia", ["com is given", "at=Pose"]),
        ({"shape": Box(1, 0, 1), "density": 5}, "dimension", ["y of its Box is 0 m"]),
        ({"shape": Box(1, 0, 1), **SOLID}, "dimension", ["y of its Box is 0 m"]),
        ({"shape": Box(1e200, 1e200, 1), "density": 5}, "dimension", ["volume of inf m^3"]),
        ({"shape": Box(1, 1, 1), "mass": 1e308}, "inertia", ["mass is 1e+308 kg, which with its Box", "less than 1e+150"]),
        (
            {"shape": Box(0.1, 0.1, 0.1), "density": 1e308},
            "inertia",
            ["density is 1e+308 kg/m^3, which with its Box", "a mass of 1e+305 kg"],
        ),
        (
            {"shape": Box(1e90, 1, 1), "density": 1},
            "inertia",
            ["density is 1 kg/m^3", "up to 8.33333e+268 kg m^2", "the size of the shape"],
        ),
        ({"shape": Box(1, 1, 1, at=(1e90, 0, 0)), "mass": 1}, "inertia", ["mass is 1 kg", "up to 1e+180 kg m^2"]),
        ({"mass": 1e200, "inertia": (1, 1, 1)}, "inertia", ["a mass of 1e+200 kg", "less than 1e+150", "correct mass"]),
        ({"mass": 1, "com": (0, 1e90, 0), "inertia": (1, 1, 1), "unphysical": True}, "inertia", ["up to 1e+180 kg m^2"]),
        ({"mass": 1e100, "com": (0, 1e90, 0)}, "inertia", ["a mass of 1e+100 kg and moments of inertia up to 1e+280 kg m^2"]),
        ({**SOLID, "visuals": [Sphere(-1)]}, "dimension", ["radius of its Sphere is -1 m"]),
        ({**SOLID, "collisions": [Sphere(1, at=(0, 0, math.nan))]}, "pose", ["the pose of its Sphere"]),
        (
            {"shape": MeshFile("hull.stl"), "density": 5},
            "inertia",
            ["the file 'hull.stl'", "for contact and pictures", "give mass, com and inertia"],
        ),
        ({"shape": MeshFile("hull.stl"), "mass": 5}, "inertia", ["the file 'hull.stl'"]),
        ({"shape": Mesh(np.eye(3), [[0, 1, 2]]), "density": 5}, "inertia", ["its Mesh gives no inertia", "give mass, com and inertia"]),
    ],
)
def test_faults_of_a_body(given, kind, texts):
    m = chain()
    m.remove("b")
    m.add_body("b", **given)
    one_fault(m, "b", kind, texts)


@pytest.mark.parametrize("mass", [-1.0, math.nan, 1e200])
@pytest.mark.parametrize("unphysical", [False, True])
def test_unphysical_is_not_recommended_where_it_is_refused(mass, unphysical):
    """A negative mass was refused with the advice to say what had been said."""
    m = Mechanism("m")
    m.add_body("b", mass=mass, inertia=(1, 1, 1), unphysical=unphysical)
    (fault,) = m.faults()
    assert "correct mass, com or inertia" in fault.message and "unphysical=True" not in fault.message


def test_unphysical_is_recommended_where_it_is_accepted():
    m = Mechanism("m")
    m.add_body("b", mass=1, inertia=(1, 1, 3))
    assert str(m.faults()[0].message).endswith("or say unphysical=True to have it so")
    m.remove("b")
    m.add_body("b", mass=1, inertia=(1, 1, 3), unphysical=True)
    assert not m.faults()


def test_faults_of_ground():
    m = chain()
    m.change("ground", visuals=[Box(1, 1, -1)])
    one_fault(m, "ground", "dimension", ["part 'ground': z of its Box is -1 m"])


@pytest.mark.parametrize(
    "given",
    [
        {"mass": 1, "inertia": (1, 1, 2)},  # a disk: the sum of two moments is the third
        {"mass": 1, "inertia": (1, 1, 0), "com": (1, 1, 1)},  # a thin rod
        {"mass": 1, "com": (1, 0, 0)},  # a point mass
        {"mass": 1, "com": (1, 0, 0), "inertia": (1e-20, -1e-20, 3e-20)},  # a point mass, rounded
        {"shape": MeshFile("hull.stl"), **SOLID},
        {"shape": MeshFile("hull.stl", -1), **SOLID, "visuals": [MeshFile("x.obj")]},
        {"inertia": Inertia(1, tensor=np.eye(3))},
        {"mass": 1e-9, "inertia": (1e-15, 1e-15, 1e-15)},
        {"mass": 2e30, "shape": Sphere(7e8, at=(1.5e11, 0, 0))},  # the sun, seen from here
    ],
)
def test_bodies_without_fault(given):
    m = chain()
    m.remove("b")
    m.add_body("b", **given)
    assert m.faults() == []


# ---- everything at once


def test_all_faults_are_reported_at_once_each_by_its_part():
    m = chain()
    m.gravity = (0, 0, math.nan)
    m.change("a", mass=-1.0)
    m.change("b", shape=Sphere(-1))
    m.change("ja", lower=2, upper=1, damping=-1)
    m.change("jb", child="bb")
    m.change("tool", place="x")
    m.add_body("c")
    m.add_joint("self", Weld(), "c", "c")
    found = [(fault.part, fault.kind) for fault in m.faults()]
    assert found == [
        ("chain", "gravity"),
        ("c", "name"),
        ("a", "inertia"),
        ("b", "dimension"),
        ("tool", "reference"),
        ("ja", "limits"),
        ("ja", "option"),
        ("jb", "reference"),
        ("self", "self"),
    ]


def test_faults_do_not_change_the_mechanism():
    m = chain()
    m.change("a", mass=-1.0)
    before = m.clone()
    m.faults()
    assert m == before


def test_many_unknown_names_are_reported_without_a_long_search():
    m = Mechanism()
    for i in range(1000):
        m.add_body(f"body number {i}", **SOLID)
        m.add_joint(f"joint number {i}", Weld(), "ground", f"bodie number {i}")
    faults = [fault for fault in m.faults() if fault.kind == "reference"]
    assert len(faults) == 1000
    assert "did you mean 'body number 0'" in faults[0].message
    assert (
        faults[-1].message
        == "joint 'joint number 999': its child: no body or frame is called 'bodie number 999'. Add it, or give another name"
    )
