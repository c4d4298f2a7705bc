"""Robots as text: small pieces to put together, and one file with everything in it."""

from types import SimpleNamespace

import pytest

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'

EVERYTHING = """<?xml version="1.0" encoding="utf-8"?>
<!-- a robot with one of each -->
<robot name="everything" version="1.1">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <inertial>
      <origin xyz="0.1 0 -0.2" rpy="0.1 0.2 0.3"/>
      <mass value="4.5"/>
      <inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/>
    </inertial>
    <visual name="shell"><origin xyz="0 0 1"/><geometry><box size="0.4 0.3 0.2"/></geometry><material name="grey"/></visual>
    <collision><geometry><sphere radius="0.25"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><mesh filename="package://robot/meshes/arm.stl" scale="0.001 0.001 -0.001"/></geometry></visual>
    <collision><origin rpy="0 1.57 0"/><geometry><cylinder radius="0.05" length="0.6"/></geometry></collision>
    <collision><geometry><capsule radius="0.04" length="0.5"/></geometry></collision>
  </link>
  <link name="wheel"/> <link name="slider"/> <link name="puck"/> <link name="satellite"/> <link name="tool"/> <link name="finger"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0.3 0 0.1" rpy="0 0 1.5"/>
    <parent link="base"/> <child link="arm"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="2.5" effort="40" velocity="3"/>
    <dynamics damping="0.2" friction="0.1"/>
    <safety_controller k_velocity="10"/>
  </joint>
  <joint name="spin" type="continuous"><parent link="arm"/><child link="wheel"/><axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="slider"/><limit lower="0" upper="0.4" effort="100" velocity="0.5"/>
  </joint>
  <joint name="hover" type="planar"><parent link="base"/><child link="puck"/><axis xyz="0 0 1"/></joint>
  <joint name="orbit" type="floating"><origin quat_xyzw="0 0 1 0"/><parent link="base"/><child link="satellite"/></joint>
  <joint name="mount" type="fixed"><parent link="slider"/><child link="tool"/></joint>
  <joint name="grip" type="revolute">
    <parent link="tool"/><child link="finger"/><limit lower="0" upper="1" effort="1" velocity="1"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/>
  </joint>
  <transmission name="t"><joint name="shoulder"/><actuator name="motor"/></transmission>
  <gazebo reference="base"><mu1>0.9</mu1></gazebo>
</robot>
"""


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(name="j", type="continuous", parent="a", child="b", inside=""):
    return f'<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*parts, attributes='name="r"'):
    """One part a line, the first in line 2."""
    return "\n".join([f"<robot {attributes}>", *parts, "</robot>"])


def pair(inside="", type="continuous", **options):
    """Links a and b (lines 2 and 3) and a joint j from a to b (line 4)."""
    return robot(link("a"), link("b"), joint(type=type, inside=inside), **options)


@pytest.fixture
def text():
    return SimpleNamespace(link=link, joint=joint, robot=robot, pair=pair, inertial=INERTIAL, everything=EVERYTHING)
