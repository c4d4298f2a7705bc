"""Robots of example-robot-data, and what is wrong with some of them.

Pinocchio takes anything. `read` takes links with an impossible inertia as they are, with a note (UNPHYSICAL); `build()` refuses joints with
no mass outboard (REFUSED), and both libraries read a mended text of such a robot instead.
"""

import functools
from importlib.metadata import distribution
from pathlib import Path

from lxml import etree

ROBOTS = {
    "a1": "a1_description/urdf/a1.urdf",
    "alex_psyonic": "alex_description/urdf/alex_psyonic_hands.urdf",
    "alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "asr_twodof": "asr_twodof_description/urdf/TwoDofs.urdf",
    "b1_z1": "b1_description/urdf/b1-z1.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum.urdf",
    "double_pendulum_continuous": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "finger_edu": "finger_edu_description/robots/finger_edu.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_with_hand": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "human": "human_description/robots/human.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub": "icub_description/robots/icub.urdf",
    "iris": "iris_description/robots/iris.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "quadruped": "quadruped_description/urdf/quadruped.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "romeo_laas": "romeo_description/urdf/romeo_laas_small.urdf",
    "romeo_small": "romeo_description/urdf/romeo_small.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos_full": "talos_data/robots/talos_full_v2.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
}

# What is wrong, in the words of the notes and of build().
TRIANGLE = "the largest must not exceed the sum of the other two (triangle inequality)"
NEGATIVE = "all must be positive"
NO_MASS = "the mass is 0 but the inertia tensor is not"
NOTHING_OUTBOARD = "have no mass; a joint with freedom needs inertia outboard"


def _each(parts, fault):
    return dict.fromkeys(parts.split(), fault)


_TIAGO_ANTENNAS = _each("base_antenna_left_link base_antenna_right_link", NEGATIVE)
_ROMEO_FINGERS = "Hand Finger12 Finger13 Finger21 Finger22 Finger23 Finger31 Finger32 Finger33 Thumb1 Thumb2 Thumb3".split()

# Links with mass properties that no body can have: all of them. They are taken as they are.
UNPHYSICAL = {
    "alex_psyonic": _each("LeftPsyonicAbilityBaseLink RightPsyonicAbilityBaseLink Left_thumb_base Right_thumb_base", TRIANGLE),
    "allegro": _each("link_3.0 link_7.0 link_11.0 link_15.0", TRIANGLE),
    # A tensor with all six numbers alike, to fill a form: rank one, so that two moments are zero and the third is not.
    "anymal_b": _each("base", TRIANGLE),
    "anymal_c": _each("hatch", TRIANGLE)
    | _each(" ".join(f"depth_camera_{side}_camera" for side in ("front", "rear", "left", "right")), TRIANGLE),
    "b1_z1": _each("base", TRIANGLE),
    "go1": _each("base", TRIANGLE),
    "hyq": _each("base_link lf_foot rf_foot lh_foot rh_foot", TRIANGLE),
    "bolt": _each("FL_FOOT FR_FOOT", NO_MASS),
    "pr2": _each("sensor_mount_link double_stereo_link", TRIANGLE),
    "romeo_laas": _each("LShoulderYaw_link LElbowYaw_link", TRIANGLE) | _each("body LHipPitch_link RHipPitch_link", NEGATIVE),
    "romeo_small": _each("RShoulderYawLink RElbowYawLink", TRIANGLE),
    "tiago": _TIAGO_ANTENNAS,
    "tiago_dual": _TIAGO_ANTENNAS,
}

# Joints that nothing resists, so that build() refuses the robot: all of them.
REFUSED = {
    "romeo": _each(" ".join(side + part for side in "LR" for part in _ROMEO_FINGERS), NOTHING_OUTBOARD),
    "romeo_laas": _each("l_gripper_joint r_gripper_joint", NOTHING_OUTBOARD),
}


@functools.cache
def folder():
    """Where the robots of example-robot-data lie."""
    files = distribution("example-robot-data").files or []
    marker = next(f for f in files if f.as_posix().endswith(ROBOTS["panda"]))
    return Path(marker.locate()).parents[2]


def path_of(robot):
    return folder() / ROBOTS[robot]


def mended(robot):
    """The text of a refused robot in which every joint that nothing resists has a child of 10 g, off its axis."""
    document = etree.parse(str(path_of(robot)))
    child = {joint.get("name"): joint.find("child").get("link") for joint in document.findall("joint")}
    link = {element.get("name"): element for element in document.findall("link")}
    for joint in REFUSED[robot]:
        tip = link[child[joint]]
        for empty in tip.findall("inertial"):
            tip.remove(empty)
        inertial = etree.SubElement(tip, "inertial")
        etree.SubElement(inertial, "origin", xyz="0.01 0.02 -0.015", rpy="0.1 0.2 0.3")
        etree.SubElement(inertial, "mass", value="0.01")
        etree.SubElement(inertial, "inertia", ixx="2e-6", ixy="1e-7", ixz="-2e-7", iyy="3e-6", iyz="3e-7", izz="4e-6")
    return etree.tostring(document, encoding="unicode")
