"""The mechanisms that are measured, each as a Linkwork model and as the same Pinocchio model."""

import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

import linkwork as lw


def robots():
    """(name, Linkwork model, Pinocchio model)."""
    yield "Panda", *_urdf("panda_description/urdf/panda.urdf", floating=False)
    yield "ANYmal", *_urdf("anymal_b_simple_description/robots/anymal.urdf")
    yield "G1", *_urdf("g1_description/urdf/g1_29dof_rev_1_0.urdf")
    yield "Talos", *_urdf("talos_data/robots/talos_reduced.urdf")
    yield "chain 7", *_both(chain(7))
    yield "chain 60", *_both(chain(60))
    yield "ball tree", *_both(ball_tree())


def _urdf(path, floating=True):
    folder = next(Path(p) / "cmeel.prefix/share/example-robot-data/robots" for p in sys.path if (Path(p) / "cmeel.prefix").is_dir())
    file = str(folder / path)
    peer = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(file)
    return lw.read(file, root="floating" if floating else "fixed", mimics=False).build(), peer


def chain(n, seed=0):
    """A chain of n revolute joints about random axes."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism(f"chain {n}")
    before = m.ground
    for k in range(n):
        body = _random_body(m, f"link{k}", rng)
        m.add_joint(f"joint{k}", lw.Revolute(axis=_unit(rng)), before.at(*rng.normal(0, 0.3, 3)), body)
        before = body
    return m


def ball_tree(seed=1):
    """A binary tree of 31 bodies with spherical, universal and revolute joints."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism("ball tree")
    bodies = [m.ground]
    for k in range(31):
        body = _random_body(m, f"link{k}", rng)
        x = _unit(rng)
        kind = (lw.Spherical(), lw.Universal(x, np.linalg.svd(x[None])[2][1]), lw.Revolute(axis=x))[k % 3]
        m.add_joint(f"joint{k}", kind, bodies[(k + 1) // 2].at(*rng.normal(0, 0.3, 3)), body)
        bodies.append(body)
    return m


def four_bar():
    """Three bars and the ground, hinged to a loop."""
    m = lw.Mechanism("four-bar")
    crank, rocker = (m.add_body(name, shape=lw.Box(0.02, 0.02, 0.2), density=1000.0) for name in ("crank", "rocker"))
    rod = m.add_body("rod", shape=lw.Box(0.3, 0.02, 0.02), density=1000.0)
    hinge = lw.Revolute((0, 1, 0))
    m.add_joint("a", hinge, m.ground, crank.at(0, 0, -0.1))
    m.add_joint("b", hinge, crank.at(0, 0, 0.1), rod.at(-0.15, 0, 0))
    m.add_joint("c", hinge, m.ground.at(0.3, 0, 0), rocker.at(0, 0, -0.1))
    m.add_joint("d", hinge, rocker.at(0, 0, 0.1), rod.at(0.15, 0, 0))
    return m


def _random_body(m, name, rng):
    a = rng.normal(size=(3, 3))
    second = 0.01 * (a @ a.T + np.eye(3))  # the second moment of a mass distribution: tr(S) 1 - S is an inertia that a real body has
    return m.add_body(name, mass=rng.uniform(0.5, 2), com=rng.normal(0, 0.1, 3), inertia=np.trace(second) * np.eye(3) - second)


def _unit(rng):
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def _both(mechanism):
    model = mechanism.build()
    return model, as_pinocchio(mechanism, model)


def as_pinocchio(mechanism, model):
    """The same tree as a Pinocchio model (joint kinds used here only)."""
    peer = pin.Model()
    peer.gravity.linear = np.array(model.gravity)
    ids = {"ground": 0}
    for info in model.joints:
        joint = mechanism.joint(info.name)
        kind = joint.kind
        if isinstance(kind, lw.Revolute):
            kind = pin.JointModelRevoluteUnaligned(np.array(kind.axis, dtype=float) / np.linalg.norm(kind.axis))
        elif isinstance(kind, lw.Universal):
            kind = pin.JointModelUniversal(*(np.array(e.axis) for e in kind.elements))
        else:
            kind = pin.JointModelSpherical()
        place = pin.SE3(joint.parent_pose.rotation, joint.parent_pose.translation)
        ids[info.child] = peer.addJoint(ids[info.parent], kind, place, info.name)
        inertia = model.body(info.child).inertia
        peer.appendBodyToJoint(
            ids[info.child], pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.tensor)), pin.SE3.Identity()
        )
    return peer
