"""The animator's story (Schröder 1990, section 1.5.2): a car bound to a drawn path trails cans on wires.

Cans and wires lie about; pointed at, they fly together and become a chain; the car goes along its path, steered by the path's own curves; the
cans swing out, roll and bounce on the ground.
"""

import numpy as np

import linkwork as lw

from .story import Step, Story

CANS = 3
WIRE, CAN_RADIUS, CAN_LENGTH = 0.5, 0.05, 0.12  # m
# A path as an animator draws it: points on the ground, m, and when the car is there, s.
DRAWN = np.array([(0, 0), (3, 0), (6, 1.0), (8, 4), (6, 7), (3, 6), (2, 3), (4, 0), (8, -1), (12, 0)], dtype=float)
TIMES = 0.8 * np.array([0.0, 1.6, 2.8, 4.2, 5.6, 6.8, 8.0, 9.3, 10.9, 12.6])
HITCH = (-1.0, 0.0, 0.0)  # at the back of the car


def start():
    return lw.Mechanism("wedding car")


def path():
    """x(t), y(t) of the car's front axle, from rest and to rest."""
    from scipy.interpolate import CubicSpline  # here, so that the studio need not wait for it

    return CubicSpline(TIMES, np.column_stack([DRAWN, np.zeros(len(DRAWN))]), bc_type="clamped")


def make_pieces(live, told):
    live.change_gravity((0.0, 0.0, 0.0))  # while things are laid out
    with live.edit("a car, cans and wires") as m:
        wheels = [
            lw.Cylinder(0.25, 0.15, at=lw.Pose((x, y, -0.05), (np.sqrt(0.5), np.sqrt(0.5), 0, 0))) for x in (-0.6, 0.6) for y in (-0.4, 0.4)
        ]
        cabin = lw.Box(0.8, 0.7, 0.3, at=lw.Pose((-0.1, 0, 0.35)))
        m.add_body("car", shape=lw.Box(1.9, 0.8, 0.4), mass=800.0, visuals=[*wheels, cabin], pose=(0, 0, 0.3))
        for k in range(CANS):
            side = 0.4 * (k - 1)
            m.add_body(f"wire {k}", shape=lw.Cylinder(0.006, WIRE, at=_along_x()), mass=0.05, pose=(-1.6 - 0.7 * k, side, 0.3))
            m.add_body(
                f"can {k}", shape=lw.Cylinder(CAN_RADIUS, CAN_LENGTH, at=_along_x()), mass=0.15, pose=(-1.9 - 0.8 * k, side + 0.2, 0.2)
            )


def _along_x():
    return lw.Pose(rotation=(np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))


def connect(k):
    """A wire behind the car or the can before, and a can behind the wire: two balls, and the pieces fly together."""

    def act(live, told):
        before = lw.Place("car", lw.Pose(HITCH)) if k == 0 else lw.Place(f"can {k - 1}", lw.Pose((-0.5 * CAN_LENGTH, 0, 0)))
        with live.edit(f"can {k} on its wire") as m:
            m.add_joint(f"knot {k}", lw.Spherical(damping=1e-4), before, lw.Place(f"wire {k}", lw.Pose((0.5 * WIRE, 0, 0))))
            tied = lw.Place(f"wire {k}", lw.Pose((-0.5 * WIRE, 0, 0)))
            m.add_joint(f"hook {k}", lw.Spherical(damping=1e-4), tied, lw.Place(f"can {k}", lw.Pose((0.5 * CAN_LENGTH, 0, 0))))
        told.setdefault("flown", []).append(live.last_edit.moved)

    return act


def bind(live, told):
    """The car's front axle follows the path; its rear wheels do not slip sideways, so its heading follows of itself."""
    with live.edit("the car is bound to the path") as m:
        m.add_constraint("path", lw.FollowPath(path()), lw.Place("car", lw.Pose((0.6, 0, -0.3))), lw.Place("ground", lw.Pose((0.6, 0, 0))))
        m.add_constraint("level", lw.Lock(x=None, y=None, z=None, rx=0.0, ry=0.0, rz=None), "car", "ground")
        m.add_constraint("rear wheels", lw.KnifeEdge((0, 1, 0)), lw.Place("car", lw.Pose((-0.6, 0, -0.3))), "ground")


def ground(live, told):
    """A floor and gravity: cans touch, roll and bounce with their own shapes, and the car's box is above the ground."""
    with live.edit("the ground carries") as m:
        m.add_floor()
        m.change_surface(lw.Surface(friction=0.5, restitution=0.5))  # tin on a road
        for k in range(CANS):
            m.add_force(f"air on can {k}", lw.ViscousDamping(0.02, 1e-4), f"can {k}")
            m.add_force(f"air on wire {k}", lw.ViscousDamping(0.02, 1e-4), f"wire {k}")
        m.change_gravity((0.0, 0.0, -9.81))


def note(live, told):
    """How far the last can is off the car's own track, and how high each can is."""
    positions, _ = live.pose_arrays()
    last = positions[live.model.body(f"can {CANS - 1}").index]
    times = np.linspace(max(live.time - 4.0, 0.0), live.time, 400)
    track = path()(times)[:, :2] + (0.6, 0.0)
    told.setdefault("off track", []).append(float(np.linalg.norm(track - last[:2], axis=1).min()))
    told.setdefault("heights", []).append([float(positions[live.model.body(f"can {k}").index][2]) for k in range(CANS)])


ANIMATOR = Story(
    "animator",
    "A wedding car trails cans on wires",
    start,
    (
        Step("A car, three cans and three rigid wires are put on the stage.", make_pieces),
        *(Step(f"Can {k + 1}: its places are pointed at, and the pieces fly together.", connect(k)) for k in range(CANS)),
        Step("The car is bound to a path that was drawn on the ground; its wheels hold it on its way.", bind),
        Step("The ground carries what touches it, and gravity is switched on.", ground, 0.5),
        Step("The car goes: the cans swing out in the curves, and bounce.", None, float(TIMES[-1]) - 0.5, note),
    ),
)
