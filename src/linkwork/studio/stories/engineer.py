"""The engineer's story (Schröder 1990, section 1.5.1): where to put a manipulator, and how strong its elbow must be.

A saved arm is brought into a work cell, its shoulder is nailed, it settles; its tip is pulled about to see how far it reaches; the shoulder is moved by
a slider; then a controller holds the arm while a tool is picked up, and the torque in the elbow is plotted.
"""

import numpy as np

import linkwork as lw

from .story import Step, Story

TOOL = 1.5  # kg
DAMPING = {"shoulder turn": 6.0, "shoulder lift": 6.0, "elbow": 2.0, "wrist": 0.2}  # N m s/rad
READY = {"shoulder lift": -0.5, "elbow": 1.2, "wrist": 0.4}


def start():
    return lw.shipped("work-cell").mechanism


def load_arm(live, told):
    """The saved arm floats, gravity is off."""
    live.change_gravity((0.0, 0.0, 0.0))
    arm = lw.shipped("arm")
    with live.edit("a saved arm") as m:
        m.merge(arm.mechanism, "", poses={"base": lw.Pose((0.2, 0.5, 1.1))})
    for joint, q in READY.items():
        live.set_joint(joint, q=q)


def nail_shoulder(live, told):
    live.add_joint("nail", lw.Weld(), lw.Place("ground", lw.Pose((0.0, 0.0, 0.8))), "base")
    told["flown"] = live.last_edit.moved


def settle(live, told):
    with live.edit("damping in the joints, gravity on") as m:
        for joint, damping in DAMPING.items():
            m.change(joint, damping=damping)
        m.change_gravity((0.0, 0.0, -9.81))


def settled(live, told):
    told["settled speed"] = float(np.abs(live.v).max())


def pull_about(live, told):
    """The hand takes the tip around."""
    told["reached"] = []
    told["pulled since"] = live.time


def follow_hand(live, told):
    angle = 2.0 * np.pi * (live.time - told["pulled since"]) / 4.0
    target = np.array([0.75 * np.cos(angle), 0.75 * np.sin(angle), 0.95 + 0.25 * np.sin(2 * angle)])
    live.pull("hand", (0.0, 0.0, 0.1), target)
    told["reached"].append(live.pulling.at.tolist())
    told["largest pull"] = max(told.get("largest pull", 0.0), float(np.linalg.norm(live.pulling.force)))


def let_go(live, told):
    live.release()


def move_nail(live, told):
    told["nail from"] = live.time


def slide_nail(live, told):
    """A slider: the nail moves a little at every frame, the arm with it; one edit for undo."""
    shift = min(0.25 * (live.time - told["nail from"]), 0.25)
    live.change("nail", parent=lw.Place("ground", lw.Pose((shift, 0.0, 0.8))), together=("slider", "nail"))
    told["nail"] = shift


@lw.controller(rate=500)
def hold(t, q, v):
    """Proportional and derivative, joint by joint: shoulder turn, shoulder lift, elbow, wrist."""
    tau = np.zeros(4)
    tau[0] = 300.0 * (0.0 - q[0]) - 30.0 * v[0]
    tau[1] = 600.0 * (-0.5 - q[1]) - 60.0 * v[1]
    tau[2] = 300.0 * (1.2 - q[2]) - 25.0 * v[2]
    tau[3] = 20.0 * (0.4 - q[3]) - 0.3 * v[3]
    return tau


def control(live, told):
    live.controllers = [hold()]
    live.watch("torque elbow")


def note_torque(live, told):
    told.setdefault("torque", []).append(float(np.mean(live.history("torque elbow")[1][-20:])))
    told["at tool"] = live.time


def pick_up(live, told):
    """The tool floats where the hand is, and is gripped: joining moving parts is a blow, however small."""
    grip = live.poses()["hand"] @ lw.Pose((0.0, 0.0, 0.16))
    with live.edit("the tool is picked up") as m:
        m.add_body("tool", shape=lw.Box(0.06, 0.06, 0.12), mass=TOOL, pose=grip)
        m.add_joint("grip", lw.Weld(), lw.Place("hand", lw.Pose((0.0, 0.0, 0.16))), "tool")
    told["blow"] = live.last_edit.energy_lost


def note_lever(live, told):
    """What the tool's weight asks of the elbow, by statics: the lever of its weight about the elbow's axis, N m."""
    told.setdefault("torque", []).append(float(np.mean(live.history("torque elbow")[1][-20:])))
    k = lw.forward_kinematics(live.model, live.q)
    J = lw.jacobian(live.model, live.q, "tool")[3:, live.model.joint("elbow").v_index][:, 0]
    told["statics"] = float(TOOL * 9.81 * J[2])
    told["tool at"] = k.position("tool").tolist()


ENGINEER = Story(
    "engineer",
    "A manipulator in a work cell",
    start,
    (
        Step("A work cell is loaded: a pedestal, a bench, a machine."),
        Step("A saved arm is loaded into it; gravity is off, so it floats.", load_arm, 0.3),
        Step("Its base is nailed to the pedestal: it flies there.", nail_shoulder, 0.3),
        Step("Damping and gravity on: it sinks and settles.", settle, 6.0),
        Step("It is at rest.", settled),
        Step("The tip is pulled about, to see how far it reaches.", pull_about, 4.0, follow_hand),
        Step("Let go.", let_go, 0.5),
        Step("The nail is moved by a slider; the arm goes along.", move_nail, 1.2, slide_nail),
        Step("The controller takes over and lifts the arm to its working pose.", control, 3.0),
        Step("The torque of the elbow is read.", note_torque),
        Step(f"A tool of {TOOL:g} kg is picked up.", pick_up, 3.0),
        Step("The torque is read again.", note_lever),
    ),
)
