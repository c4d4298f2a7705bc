"""Mechanisms told once and built twice: as a Mechanism of ours and as MJCF for MuJoCo, with the way between their coordinates.

A `Part` is a body with the joint that carries it. `at` and `turn` place it in its parent (MuJoCo's body pos and quat), `anchor` is the
place of the joint in the body. Coordinates differ for the free joint only (ball joints: quaternion wxyz, rate in child axes, in both):

    ours     q (x y z, qw qx qy qz)    v (omega, u)  in body axes          vdot = d/dt of these components
    MuJoCo   the same q                V (R u, omega): velocity in world axes first, then the turning rate in body axes
             (so MuJoCo's one number for the armature of a free joint is a mass at the origin and a rotor alike about all axes, as with us)
    so       V = T v,   dV/dt = T vdot + Tdot v,   with  T = [[0, R], [1, 0]]   and   Tdot v = (R (omega x u), 0)
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import linkwork as lw

X, Y, Z = np.eye(3)


@dataclass
class Part:
    name: str
    parent: str
    kind: str
    axis: tuple = (0.0, 0.0, 1.0)
    axis2: tuple = (1.0, 0.0, 0.0)
    at: tuple = (0.0, 0.0, 0.0)
    turn: tuple = (1.0, 0.0, 0.0, 0.0)
    anchor: tuple = (0.0, 0.0, 0.0)
    mass: float = 1.0
    com: tuple = (0.0, 0.0, 0.0)
    moments: tuple = (0.01, 0.012, 0.015)
    axes: tuple = (1.0, 0.0, 0.0, 0.0)  # of the moments, in the body
    armature: float = 0.0

    def __post_init__(self):
        self.turn, self.axes = (tuple(np.array(x) / np.linalg.norm(x)) for x in (self.turn, self.axes))


def _rotation(quaternion):
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


# How a joint kind is said on both sides. MuJoCo gives one body several joints and applies them in their order.
KINDS = {
    "revolute": (lambda p: lw.Revolute(axis=p.axis, armature=p.armature), lambda p: [("hinge", p.axis)]),
    "prismatic": (lambda p: lw.Prismatic(axis=p.axis, armature=p.armature), lambda p: [("slide", p.axis)]),
    "cylindrical": (lambda p: lw.Cylindrical(axis=p.axis, armature=p.armature), lambda p: [("hinge", p.axis), ("slide", p.axis)]),
    "universal": (lambda p: lw.Universal(p.axis, p.axis2, armature=p.armature), lambda p: [("hinge", p.axis), ("hinge", p.axis2)]),
    "planar": (lambda p: lw.Planar(armature=p.armature), lambda p: [("slide", X), ("slide", Y), ("hinge", Z)]),
    "translational": (lambda p: lw.Translational(armature=p.armature), lambda p: [("slide", X), ("slide", Y), ("slide", Z)]),
    "spherical": (lambda p: lw.Spherical(armature=p.armature), lambda p: [("ball", None)]),
    "free": (lambda p: lw.Free(armature=p.armature), lambda p: [("free", None)]),
    "weld": (lambda p: lw.Weld(), lambda p: []),
}


def mechanism_of(name, parts, gravity):
    m = lw.Mechanism(name, gravity=gravity)
    for p in parts:
        R = _rotation(p.axes)
        body = m.add_body(p.name, mass=p.mass, com=p.com, inertia=(R * np.array(p.moments)) @ R.T)
        parent = m.ground if p.parent == "ground" else m.body(p.parent)
        if p.kind == "free":  # its coordinates are the body's pose in the world, for MuJoCo
            m.add_joint(f"{p.name}_joint", KINDS["free"][0](p), m.ground, body)
            continue
        # The joint frame has the axes of the body at q = 0: MuJoCo gives joint axes in the body.
        place = np.array(p.at) + _rotation(p.turn) @ np.array(p.anchor)
        m.add_joint(f"{p.name}_joint", KINDS[p.kind][0](p), parent.at(*place, rotation=p.turn), body.at(*p.anchor))
    return m


def mjcf_of(name, parts, gravity):
    def numbers(values):
        return " ".join(repr(float(x)) for x in values)

    def body(p):
        lines = [f'<body name="{p.name}" pos="{numbers(p.at)}" quat="{numbers(p.turn)}">']
        lines.append(f'<inertial pos="{numbers(p.com)}" quat="{numbers(p.axes)}" mass="{p.mass!r}" diaginertia="{numbers(p.moments)}"/>')
        for k, (kind, axis) in enumerate(KINDS[p.kind][1](p)):
            if kind == "free":
                lines.append(f'<joint name="{p.name}_0" type="free" armature="{p.armature!r}"/>')
                continue
            along = "" if axis is None else f'axis="{numbers(axis)}" '
            lines.append(
                f'<joint name="{p.name}_{k}" type="{kind}" {along}pos="{numbers(p.anchor)}" armature="{p.armature!r}" damping="0"/>'
            )
        lines += [body(child) for child in parts if child.parent == p.name]
        return "\n".join([*lines, "</body>"])

    roots = "\n".join(body(p) for p in parts if p.parent == "ground")
    return f"""<mujoco model="{name}">
<compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>
<option gravity="{numbers(gravity)}"><flag contact="disable" constraint="disable" energy="enable"/></option>
<worldbody>{roots}</worldbody>
</mujoco>"""


class Twin:
    """Our `model`, MuJoCo's `peer` and `data`, and the maps between their coordinates."""

    def __init__(self, name, parts, gravity=(0.0, 0.0, -9.81)):
        self.name = name
        self.model = mechanism_of(name, parts, gravity).build()
        self.peer = mujoco.MjModel.from_xml_string(mjcf_of(name, parts, gravity))
        self.data = mujoco.MjData(self.peer)
        assert (self.peer.nq, self.peer.nv) == (self.model.nq, self.model.nv)
        self.at_q, self.at_v = np.full(self.model.nq, -1), np.full(self.model.nv, -1)
        self.free = []  # our slices of q and v
        for p in parts:
            joint = self.model.joint(f"{p.name}_joint")
            if not joint.nv:
                continue
            first = self.peer.joint(f"{p.name}_0")
            self.at_q[joint.q_index] = first.qposadr[0] + np.arange(joint.nq)
            self.at_v[joint.v_index] = first.dofadr[0] + np.arange(joint.nv)
            if p.kind == "free":
                self.free.append((joint.q_index.start, joint.v_index))
        self.bodies = {b.name: self.peer.body(b.name).id for b in self.model.bodies}

    def change(self, q):
        """T(q) with V = T v, both in our order of joints."""
        T = np.eye(self.model.nv)
        for at_q, at_v in self.free:
            T[at_v, at_v] = np.block([[np.zeros((3, 3)), _rotation(q[at_q + 3 : at_q + 7])], [np.eye(3), np.zeros((3, 3))]])
        return T

    def drift(self, q, v):
        """Tdot v."""
        out = np.zeros(self.model.nv)
        for at_q, at_v in self.free:
            omega, u = v[at_v][:3], v[at_v][3:]
            out[at_v.start : at_v.start + 3] = _rotation(q[at_q + 3 : at_q + 7]) @ np.cross(omega, u)
        return out

    def set(self, q, v, tau=None, f_ext=None):
        """Put a state into MuJoCo, with forces, and let it compute all that follows."""
        T = self.change(q)
        self.data.qpos[self.at_q] = q
        self.data.qvel[self.at_v] = T @ v
        self.data.qfrc_applied[self.at_v] = 0.0 if tau is None else np.linalg.solve(T.T, tau)
        self.data.xfrc_applied[:] = 0.0
        mujoco.mj_forward(self.peer, self.data)
        if f_ext is not None:
            for (name, index), wrench in zip(self.bodies.items(), f_ext, strict=True):
                assert self.model.body(name).index == list(self.bodies).index(name)
                R = self.data.xmat[index].reshape(3, 3)
                moment, force = R @ wrench[:3], R @ wrench[3:]
                arm = self.data.xpos[index] - self.data.xipos[index]  # MuJoCo takes the moment about the centre of mass
                self.data.xfrc_applied[index] = [*force, *(moment + np.cross(arm, force))]
            mujoco.mj_forward(self.peer, self.data)
