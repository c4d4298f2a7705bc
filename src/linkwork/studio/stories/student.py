"""The student's story (Schröder 1990, section 1.5.3): a tensegrity of rods and strings, two of them wired wrongly, mended, loaded and measured.

Rods and strings are those of the thesis (section 7.2) at a tenth of the size: five rods of 1 m, fifteen strings, in rings at the bottom and the
top and across. One rod is cut in two halves and welded again: the weld is the gauge that tells the compression.
"""

import numpy as np

import linkwork as lw

from .story import Step, Story

RODS = 5
STIFFNESS, REST = 200.0, 0.4  # N/m, m
BOTTOM, TOP = (-0.4, 0.05, 0.0), (0.4, -0.05, 0.0)  # where strings are tied, in a rod's frame; x is along the rod, up
CROSS_LOW, CROSS_HIGH = (-0.4, -0.05, 0.0), (0.4, 0.05, 0.0)
GAUGED = 0  # the rod that is cut
UPRIGHT = (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)  # x of a rod to z of the world
LEANING = 0.9  # rad, each towards the foot of the next
GROUND_STIFFNESS, GROUND_DAMPING = 4000.0, 12.0
MASS = 0.1  # kg, of a rod
WRONG = {"top 1": "bottom", "top 3": "bottom"}  # strings that are tied to the wrong end, as one does


def wiring():
    """{string: ((rod, point), (rod, point))}, as it should be."""
    strings = {}
    for k in range(RODS):
        n = (k + 1) % RODS
        strings[f"bottom {k}"] = (k, BOTTOM), (n, BOTTOM)
        strings[f"top {k}"] = (k, TOP), (n, TOP)
        strings[f"cross {k}"] = (n, CROSS_LOW), (k, CROSS_HIGH)
    return strings


def half(rod, point):
    """The body that a point of a rod is on: the rod itself, or one of its halves."""
    if rod != GAUGED:
        return f"rod {rod}"
    return f"rod {rod} upper" if point[0] > 0 else f"rod {rod} lower"


def place(rod, point):
    return lw.Place(half(rod, point), lw.Pose(point))


def start():
    return lw.Mechanism("tensegrity", gravity=(0.0, 0.0, 0.0))


def make_rods(live, told):
    with live.edit("five rods, each leaning towards the next") as m:
        for k in range(RODS):
            angle = 2 * np.pi * k / RODS
            turned = lw.Pose.from_rpy(0, 0, angle) @ lw.Pose.from_rpy(-LEANING, 0, 0) @ lw.Pose(rotation=UPRIGHT)
            where = lw.Pose((0.25 * np.cos(angle), 0.25 * np.sin(angle), 0.5 * np.cos(LEANING) + 0.01)) @ turned
            if k == GAUGED:
                for name, x in (("lower", -0.25), ("upper", 0.25)):
                    shape = lw.Box(0.5, 0.1, 0.05, at=lw.Pose((x, 0, 0)))
                    m.add_body(f"rod {k} {name}", shape=shape, mass=0.5 * MASS, pose=where)
                m.add_joint("gauge", lw.Weld(), f"rod {k} lower", f"rod {k} upper")
            else:
                m.add_body(f"rod {k}", shape=lw.Box(1.0, 0.1, 0.05), mass=MASS, pose=where)


def wire_wrongly(live, told):
    with live.edit("fifteen strings") as m:
        for name, (a, b) in wiring().items():
            b = (b[0], BOTTOM) if name in WRONG else b
            m.add_force(name, lw.RubberString(STIFFNESS, REST, restitution=0.1), place(*a), place(*b))
        for k in range(RODS):
            for end in (-0.5, 0.5):
                name = f"foot {k}" if end < 0 else f"head {k}"
                m.add_force(name, lw.Support(GROUND_STIFFNESS, GROUND_DAMPING, 0.002, friction=0.6), place(k, (end, 0.0, 0.0)))
    with live.edit("air") as m:
        for body in live.mechanism.bodies:
            m.add_force(f"air on {body.name}", lw.ViscousDamping(0.3, 0.02), body.name)


def gravity_on(live, told):
    live.change_gravity((0.0, 0.0, -9.81))


def height(live):
    """m: the mean height of the rods' upper ends."""
    k = lw.forward_kinematics(live.model, live.q)
    tops = []
    for rod in range(RODS):
        body = live.model.body(half(rod, TOP)).index
        tops.append(k.positions[body, 2] + (k.rotations[body] @ (0.5, 0.0, 0.0))[2])
    return float(np.mean(tops))


def collapsed(live, told):
    told["collapsed height"] = height(live)


def ask_connectivity(live, told):
    """Who is tied to whom; strings whose two ends are not alike in a ring are suspicious."""
    suspicious = []
    for force in live.mechanism.forces:
        if isinstance(force.kind, lw.RubberString):
            ends = ["top" if place.pose.translation[0] > 0 else "bottom" for place in (force.a, force.b)]
            ring = force.name.split()[0]
            if ring in ("top", "bottom") and ends != [ring, ring]:
                suspicious.append(force.name)
    told["suspicious"] = suspicious


def mend(live, told):
    live.reset()
    right = wiring()
    with live.edit("tie two strings where they belong") as m:
        for name in told["suspicious"]:
            m.change(name, b=place(*right[name][1]))


def stands(live, told):
    told["standing height"] = height(live)


def lay_plate(live, told):
    top = height(live) + 0.06
    with live.edit("a plate on top") as m:
        m.add_body("plate", shape=lw.Box(0.9, 0.9, 0.02), mass=0.4, pose=(0, 0, top))
        m.add_joint("guide", lw.Cylindrical((0, 0, 1)), "ground", "plate")  # it may sink and turn, but not slide off
        underside = lw.Pose((0, 0, -0.01), (0.0, 1.0, 0.0, 0.0))  # its z points down: rods stay below
        for k in range(RODS):
            kind = lw.Support(GROUND_STIFFNESS, GROUND_DAMPING, 0.002, friction=0.6)
            m.add_force(f"plate on {k}", kind, place(k, (0.5, 0.0, 0.0)), lw.Place("plate", underside))
        m.add_force("air on plate", lw.ViscousDamping(1.0, 0.1), "plate")
    live.watch("reaction gauge")
    live.watch("z plate")


def stiffen(stiffness):
    def act(live, told):
        with live.edit(f"all strings {stiffness:g} N/m", together="strings") as m:
            for name in wiring():
                m.change(name, stiffness=stiffness)

    return act


def note_height(live, told):
    strings = live.mechanism.force("top 0").kind.stiffness
    told.setdefault("plate heights", {})[strings] = float(live.history("z plate")[1][-1])


def load(mass):
    def act(live, told):
        live.change("plate", mass=mass)

    return act


def note_compression(live, told):
    mass = live.mechanism.body("plate").mass
    told.setdefault("compression", {})[mass] = float(np.mean(live.history("reaction gauge")[1][-30:]))


LOADS = (0.4, 0.8, 1.2, 1.6)
STUDENT = Story(
    "student",
    "A tensegrity that collapses, is mended, and carries a plate",
    start,
    (
        Step("Time stands still. Five rods are put up.", make_rods),
        Step("Fifteen strings tie them together. Two are tied to the wrong ends, and nobody has noticed.", wire_wrongly),
        Step("Gravity is switched on, and time runs: it collapses.", gravity_on, 4.0),
        Step("How low?", collapsed),
        Step("Connectivity is asked for: two strings of the upper ring end at the bottom.", ask_connectivity),
        Step("Back to the beginning; the two strings are tied where they belong. It stands.", mend, 5.0),
        Step("How high?", stands),
        Step("A plate is laid on top, on a guide that lets it sink and turn.", lay_plate, 3.0),
        Step("The strings are made softer by a slider: it deflates.", stiffen(160.0), 3.0),
        Step("How high is the plate now?", note_height),
        Step("And stiffer: it inflates.", stiffen(500.0), 3.0),
        Step("How high is the plate now?", note_height),
        *(
            step
            for mass in LOADS
            for step in (Step(f"The plate weighs {mass:g} kg.", load(mass), 3.0), Step("The gauge in rod 0 is read.", note_compression))
        ),
    ),
)
