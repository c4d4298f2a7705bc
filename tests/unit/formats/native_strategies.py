"""Mechanisms of all sorts for Hypothesis: every joint, shape and constraint kind, odd names, extreme numbers. Most cannot be built."""

import math

import numpy as np
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, PPoly

import linkwork as lw

anything = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.one_of(st.integers(-3, 3), st.sampled_from((0.1, -0.0, 1e-300, 5e-324, 1.7e308, 1 / 3, 123456.75, 1e6, -1e16)))
number = st.one_of(ordinary, anything)
name = st.one_of(
    st.sampled_from(
        ("a", "a b", "a.b", "", '"', "'", "[x]", "x = 1", "ü", "\n", "\u200b", "#", "\\", "1", "true", "\x00", "\x7f", "Ω\u2028", "free")
    ),
    st.text(max_size=6),
).filter(lambda text: text.strip() and text != "ground" and not any("\ud800" <= c <= "\udfff" for c in text))
vector = st.tuples(number, number, number)
angle = st.one_of(st.sampled_from((0.0, math.pi / 2, -math.pi, 0.1, 1.2345)), st.floats(-7, 7))


@st.composite
def poses(draw):
    shift = draw(st.one_of(st.just((0.0, 0.0, 0.0)), vector))
    kind = draw(st.integers(0, 4))
    if kind <= 1:
        return lw.Pose(shift)
    turn = lw.Pose.from_rpy(draw(angle), draw(angle), draw(angle))
    if kind == 3:  # of a quaternion, which need not be that of any roll, pitch, yaw to the last bit
        turn = lw.Pose(rotation=turn.quaternion)
    if kind == 4:  # of a product, which is a rotation up to rounding only
        turn = turn @ lw.Pose.from_rpy(draw(angle), 0.3, draw(angle))
    return lw.Pose(shift) @ turn


surface = st.one_of(st.none(), st.builds(lw.Surface, number, number))
shape = st.one_of(
    st.builds(lw.Floor, number, at=poses(), surface=surface),
    st.builds(lw.Box, number, number, number, at=poses(), surface=surface),
    st.builds(lw.Sphere, number, at=poses()),
    st.builds(lw.Cylinder, number, number),
    st.builds(lw.Capsule, number, number, at=poses()),
    st.builds(lw.Ellipsoid, number, number, number),
    st.builds(lw.Cone, number, number),
    st.builds(lw.Mesh, st.lists(vector, min_size=1, max_size=40).map(np.array), st.just([[0, 0, 0]]), at=poses()),
    st.builds(lw.MeshFile, name, vector, at=poses(), touching=st.sampled_from(("hull", "pieces", "triangles"))),
    st.builds(lw.HeightField, st.lists(st.tuples(number, number), min_size=2, max_size=5).map(np.array), number, number, at=poses()),
)


def swing(t):
    return 0.1 * t


def around(t):
    return t, 2.0 * t, 0.5


def relation(poses, t):
    return poses[0].p[0]


def slide_pose(q):
    return q[0], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0


def slide_motion(q):
    return ((0.0, 0.0, 0.0, 1.0, 0.0, 0.0),)


def slide_rate(q, v):
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


FUNCTIONS = {f.__name__: f for f in (swing, around, relation, slide_pose, slide_motion)} | {"the rate": slide_rate}


@st.composite
def splines(draw):
    times = sorted(draw(st.sets(st.floats(-1e3, 1e3), min_size=2, max_size=5)))
    return PPoly(
        np.array(draw(st.lists(st.lists(anything, min_size=len(times) - 1, max_size=len(times) - 1), min_size=1, max_size=4))), times
    )


law = st.one_of(number, splines(), st.just(swing))
path = st.one_of(st.tuples(law, law, law), st.just(around), st.just(CubicSpline([0, 1, 2], np.arange(9).reshape(3, 3) ** 2)))


@st.composite
def joint_kinds(draw):
    kind = draw(st.integers(0, 10))
    made, nv = (
        (lambda **o: lw.Weld(**o), 0),
        (lambda **o: lw.Revolute(draw(vector), **o), 1),
        (lambda **o: lw.Prismatic(draw(vector), **o), 1),
        (lambda **o: lw.Screw(draw(vector), draw(number), **o), 1),
        (lambda **o: lw.Cylindrical(draw(vector), **o), 2),
        (lambda **o: lw.Universal(draw(vector), draw(vector), **o), 2),
        (lambda **o: lw.Planar(draw(vector), draw(st.none() | vector), **o), 3),
        (lambda **o: lw.Translational(**o), 3),
        (lambda **o: lw.Spherical(**o), 3),
        (lambda **o: lw.Free(**o), 6),
        (lambda **o: lw.Custom(1, slide_pose, slide_motion, slide_rate, **o), 1),
    )[kind]
    names = ("lower", "upper", "velocity_limit", "effort_limit", "armature", "rotor_inertia", "gear_ratio", "damping", "friction")
    limits = st.one_of(number, st.sampled_from((math.inf, -math.inf)))
    options = {}
    for option in draw(st.sets(st.sampled_from(names), max_size=3)):
        value = (limits if option in names[:4] else number).map(lambda x: x + 0.0)  # an option that is zero has no sign
        options[option] = draw(st.one_of(value, st.lists(value, min_size=nv, max_size=nv)))
    return made(**options)


on_places = st.one_of(
    st.builds(lw.Lock, *[st.none() | law] * 6),
    st.builds(lw.Nail, *[law] * 6),
    st.builds(lw.Distance, law),
    st.builds(lw.Angle, vector, vector, law),
    st.builds(lw.Coincident),
    st.builds(lw.PointOnLine, vector),
    st.builds(lw.PointOnPlane, vector, law),
    st.builds(lw.FollowPath, path),
    st.builds(lw.ParallelAxes, vector, vector),
    st.builds(lw.SameOrientation),
    st.builds(lw.RollingDisc, number, vector, vector),
    st.builds(lw.RollingBall, number, vector),
    st.builds(lw.KnifeEdge, vector),
    st.builds(lw.Relation, st.just(relation), st.integers(1, 6)),
)
on_joints = st.one_of(
    st.builds(lw.Drive, law),
    st.builds(lw.SpeedDrive, law),
    st.builds(lw.Gear, number, number),
    st.builds(lw.Rack, number),
    st.builds(lw.ScrewCoupling, number),
    st.builds(lw.Coupling, st.lists(number, min_size=1, max_size=3), law),
)


_vector6 = st.tuples(*[number] * 6)
_axes, _flags = st.sampled_from(("a", "b", "world")), st.booleans()
force_kinds = st.one_of(
    st.builds(lw.SpringDamper, number, number, number),
    st.builds(lw.TorsionSpring, number, number, st.one_of(st.none(), vector), number),
    st.builds(lw.Bushing, _vector6, _vector6),
    st.builds(lw.RubberString, number, number, number, number),
    st.builds(lw.Support, number, number, number, number, number),
    st.builds(lw.StickSlip, number, number, number, st.one_of(st.none(), number), number, st.one_of(st.none(), number)),
    st.builds(lw.Brake, number, number, number, number, st.one_of(st.none(), vector)),
    st.builds(lw.ViscousDamping, number, vector),
    st.builds(lw.Gravity, number, vector),
    st.builds(lw.Attraction, number, number),
    st.builds(lw.Motor, vector, vector, _axes, _flags),
    st.builds(lw.WrenchTable, st.just((0.0, 1.0)), st.tuples(_vector6, _vector6), _axes, _flags),
    st.builds(lw.JointSpring, number, number, number),
    st.builds(lw.JointDamper, number),
    st.builds(lw.JointFriction, number, number, st.one_of(st.none(), number), number),
    st.builds(lw.LimitStop, number, number, st.just(math.inf), number),
    st.builds(lw.JointTable, st.just((0.0, 0.5, 1.0)), vector),
)


@st.composite
def mechanisms(draw, most=4):
    """A mechanism with up to `most` parts of each sort; parts may stand on what is not there."""
    m = lw.Mechanism(draw(name), draw(vector))
    names = draw(st.lists(name, min_size=5 * most, max_size=5 * most, unique=True))
    take = iter(names).__next__
    shapes = st.lists(shape, max_size=2)
    m.ground._put(visuals=tuple(draw(shapes)), collisions=tuple(draw(shapes)))
    for _ in range(draw(st.integers(0, most))):
        given = draw(
            st.fixed_dictionaries(
                {}, optional={"mass": number, "com": vector, "shape": shape, "visuals": shapes, "collisions": shapes, "surface": surface}
            )
        )
        inertia = draw(st.one_of(st.none(), vector, st.tuples(*[number] * 6), st.tuples(vector, vector, vector)))
        if draw(st.booleans()) and "mass" not in given and inertia is None:
            given["density"] = draw(number)
        m.add_body(take(), inertia=inertia, unphysical=draw(st.booleans()), **given)
    bodies = st.sampled_from(["ground", *(body.name for body in m.bodies), names[-1]])
    place = st.builds(lw.Place, bodies, poses())
    for _ in range(draw(st.integers(0, most))):
        m.add_frame(take(), draw(place))
    for _ in range(draw(st.integers(0, most))):
        m.add_joint(take(), draw(joint_kinds()), draw(place), draw(place), prefer_cut=draw(st.booleans()))
    joints = st.sampled_from([*(joint.name for joint in m.joints), names[-1]])
    for _ in range(draw(st.integers(0, most))):
        kind = draw(st.one_of(on_places, on_joints))
        if kind.takes == "places":
            m.add_constraint(take(), kind, draw(place), draw(place))
        else:
            count = draw(st.integers(kind.least, kind.most or 3))
            m.add_constraint(take(), kind, *[draw(st.one_of(joints, st.tuples(joints, st.integers(0, 5)))) for _ in range(count)])
    for _ in range(draw(st.integers(0, most))):
        kind = draw(force_kinds)
        if kind.takes == "places":
            m.add_force(take(), kind, draw(place), draw(place), on=draw(st.booleans()))
        else:
            m.add_force(take(), kind, draw(st.one_of(joints, st.tuples(joints, st.integers(-1, 5)))), on=draw(st.booleans()))
    if m.bodies and draw(st.booleans()):
        m._roots = [m.bodies[0].name]
    m.contact, m.surface = draw(st.sampled_from((None, True, False))), draw(surface)
    m.change("ground", surface=draw(surface))
    for _ in range(draw(st.integers(0, most))):
        rule = m.touch(draw(bodies), draw(bodies), draw(surface)) if draw(st.booleans()) else m.ignore(draw(bodies), draw(bodies))
        assert rule in m.touch_rules
    return m


@st.composite
def linkages(draw):
    """A mechanism that can be built: a random tree of boxes with every joint kind, some loops, constraints, gears and drives."""
    m = lw.Mechanism(draw(name))
    names = draw(st.lists(name, min_size=40, max_size=40, unique=True))
    take = iter(names).__next__
    small, unit = st.floats(-1, 1), st.sampled_from(((1, 0, 0), (0, 1, 0), (0.3, -0.2, 2.0), (0, 0, -1)))
    at = st.builds(lambda p, r: lw.Pose.from_rpy(*r, translation=p), st.tuples(small, small, small), st.tuples(angle, angle, angle))
    kinds = st.one_of(
        st.builds(lw.Revolute, unit, damping=st.floats(0, 1), lower=st.just(-2.0)),
        st.builds(lw.Prismatic, unit, armature=st.floats(0, 1)),
        st.builds(lw.Screw, unit, small),
        st.builds(lw.Cylindrical, unit),
        st.builds(lw.Universal, st.just((1, 0, 0)), st.just((0, 1, 0)), rotor_inertia=st.just((0.1, 0.2)), gear_ratio=st.just(7)),
        st.builds(lw.Planar, unit),
        st.builds(lw.Translational),
        st.builds(lw.Spherical),
        st.builds(lw.Free),
        st.builds(lw.Weld),
        st.just(lw.Custom(1, slide_pose, slide_motion, slide_rate)),
    )
    for k in range(draw(st.integers(1, 5))):
        body = m.add_body(take(), shape=lw.Box(0.1, 0.2, 0.3, at=draw(at)), density=draw(st.floats(100, 9000)))
        if k or draw(st.booleans()):
            parent = draw(st.sampled_from([m.ground, *m.bodies[:-1]]))
            m.add_joint(take(), draw(kinds), lw.Place(parent, draw(at)), lw.Place(body, draw(at)))
    if len(m.bodies) > 1:
        m.add_joint(take(), lw.Spherical(), m.bodies[0].at(draw(at)), m.bodies[-1].at(draw(at)), prefer_cut=True)
    m.add_frame(take(), m.bodies[-1].at(draw(at)))
    m.add_constraint(take(), lw.Distance(draw(st.floats(0.5, 2))), m.bodies[-1].at(draw(at)))
    turning = [joint for joint in m.joints if isinstance(joint.kind, lw.Revolute)]
    if turning:
        m.add_constraint(take(), lw.Drive(draw(st.sampled_from((swing, CubicSpline([0, 1, 2, 3], [0, 1, 0, 2]))))), turning[0])
    return m
