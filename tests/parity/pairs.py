"""One robot as two models, ours and Pinocchio's, and the way from the coordinates of one to those of the other.

Everything is matched by name, never by order: links by name, joints by name. What differs between the two (Pinocchio on the right):

    free joint   q (x y z, qw qx qy qz)                    (x y z, qx qy qz, qw)
                 v (angular, linear), child axes           (linear, angular), child axes
    continuous   q angle                                   (cos, sin); v is the same
    spatial      angular part first                        linear part first
"""

import functools

import numpy as np
import pinocchio as pin

import linkwork as lw
from linkwork.formats.read import read

from .robots import REFUSED, mended, path_of


class Pair:
    """One robot as our `model` and as Pinocchio's `peer` (with its `data`)."""

    def __init__(self, robot, root, armature=None, gravity=None, frames=None):
        self.robot, self.root = robot, root
        free = [pin.JointModelFreeFlyer()] if root == "floating" else []
        if robot in REFUSED:
            text = mended(robot)
            mechanism, self.peer = read(text, root=root, mimics=False), pin.buildModelFromXML(text, *free)
        else:
            path = str(path_of(robot))
            mechanism, self.peer = read(path, root=root, mimics=False), pin.buildModelFromUrdf(path, *free)
        if armature is not None:
            self._add_armature(mechanism, armature)
        if gravity is not None:
            mechanism.gravity = gravity
            self.peer.gravity.linear = np.array(gravity)
        for name, (body, pose) in (frames or {}).items():
            mechanism.add_frame(name, mechanism.body(body).at(pose))
            on = self.peer.frames[self.peer.getFrameId(body, pin.FrameType.BODY)]
            place = on.placement * pin.SE3(pose.rotation, pose.translation)
            self.peer.addFrame(pin.Frame(name, on.parentJoint, place, pin.FrameType.OP_FRAME))
        self.model = mechanism.build()
        self.data = self.peer.createData()
        self._match()

    def _add_armature(self, mechanism, draw):
        """Rotor inertias drawn for each moving joint but the root, the same on both sides."""
        peer_armature = np.zeros(self.peer.nv)
        for joint in mechanism.joints:
            if joint.kind.nv == 1:
                value = float(draw())
                kind = type(joint.kind)(axis=joint.kind.axis, armature=value, lower=joint.kind.lower, upper=joint.kind.upper)
                mechanism.change(joint.name, kind=kind)
                peer_armature[self.peer.idx_vs[self._peer_joint(joint.name)]] = value
        self.peer.armature = peer_armature

    def _peer_joint(self, name):
        """Pinocchio's index of our joint. A joint with the name of a link has "_joint" appended by us; the root has a name of its own."""
        if self.root == "floating" and name == "root":
            return 1
        for candidate in (name, name.removesuffix("_joint")):
            if self.peer.existJointName(candidate):
                return self.peer.getJointId(candidate)
        raise LookupError(f"{self.robot}: Pinocchio has no joint {name!r}")

    def _match(self):
        """`at`: Pinocchio's velocity index of each of ours. `frames`: its frame of each of our bodies."""
        self.at = np.full(self.model.nv, -1)
        self._places = []
        for joint in self.model.joints:
            if joint.nv:
                k = self._peer_joint(joint.name)
                first, size = self.peer.idx_vs[k], self.peer.nvs[k]
                assert size == joint.nv, (joint.name, size)
                self.at[joint.v_index] = first + (np.array([3, 4, 5, 0, 1, 2]) if joint.kind.free else np.arange(size))
                self._places.append((joint, self.peer.idx_qs[k], self.peer.nqs[k]))
        assert sorted(self.at) == list(range(self.peer.nv)), "a joint of Pinocchio's has no counterpart"
        links = [frame.name for frame in self.peer.frames if frame.type == pin.FrameType.BODY]
        # A link called "ground" is "ground_link" with us.
        named = {"ground_link" if name == "ground" else name: self.peer.getFrameId(name, pin.FrameType.BODY) for name in links}
        assert named.keys() == {body.name for body in self.model.bodies}, "the links differ"
        self.frames = {body.name: named[body.name] for body in self.model.bodies}
        # Does q of this velocity come back to itself after a turn, for Pinocchio?
        self.periodic = np.zeros(self.model.nv, dtype=bool)
        for joint, _, nq in self._places:
            self.periodic[joint.v_index] = nq == 2

    def to_peer_q(self, q):
        out = np.zeros(self.peer.nq)
        for joint, at, nq in self._places:
            x = q[joint.q_index]
            if joint.kind.free:
                out[at : at + 7] = [*x[:3], *x[4:], x[3]]
            elif nq == 2:
                out[at : at + 2] = np.cos(x[0]), np.sin(x[0])
            else:
                out[at : at + nq] = x
        return out

    def to_peer_v(self, v):
        out = np.zeros(self.peer.nv)
        out[self.at] = v
        return out

    def peer_forces(self, f_ext):
        """Wrenches on links (nb, 6), each in its link's frame, as Pinocchio takes them: one for each joint, in the joint's frame."""
        total = [pin.Force.Zero() for _ in range(self.peer.njoints)]
        for wrench, index in zip(f_ext, self.frames.values(), strict=True):
            frame = self.peer.frames[index]
            total[frame.parentJoint] += frame.placement.act(pin.Force(wrench[3:], wrench[:3]))
        forces = pin.StdVec_Force()
        forces.extend(total)
        return forces


@functools.cache
def pair_of(robot, root):
    return Pair(robot, root)


class States:
    """Random states: q within limits, all else normal. Leading axis: the states; `states[k]` is one of them."""

    FIELDS = ("q", "v", "vdot", "tau", "f_ext", "dv")

    def __init__(self, **arrays):
        self.__dict__.update(arrays)

    @classmethod
    def random(cls, model, size, seed):
        rng = np.random.default_rng(seed)
        nv = model.nv
        q = lw.random_configuration(model, rng, size)
        for joint in model.joints:
            # Limits of 1e16 rad (iris) stand for none; at such angles neighbouring floats are a radian apart and say nothing.
            if joint.nv == 1 and joint.upper[0] - joint.lower[0] > 1e3:
                q[:, joint.q_index] = rng.uniform(-np.pi, np.pi, (size, 1))
        return cls(
            q=q,
            v=rng.normal(size=(size, nv)),
            vdot=rng.normal(size=(size, nv)),
            tau=rng.normal(size=(size, nv)),
            f_ext=rng.normal(size=(size, model.nb, 6)),
            dv=rng.normal(size=(size, nv)),
        )

    def __getitem__(self, k):
        return States(**{name: getattr(self, name)[k] for name in self.FIELDS})

    def __len__(self):
        return len(self.q)
