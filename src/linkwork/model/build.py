"""Mechanism to Model: check every part, choose the tree, lay the tables."""

import numpy as np

from ..parts.graph import spanning_forest
from .custom import compile_custom
from .links import Draft, add_inertia, drafts_of_joint, finish
from .model import MATRIX_LIMIT, BodyInfo, FrameInfo, JointInfo, Model
from .tables import BALL, BODY, FREE, Tables


def build_model(mechanism):
    """The frozen Model of a mechanism, or one ModelError that lists all faults by part name."""
    mechanism.check()

    drafts: list[Draft] = []
    places = {"ground": (-1, np.eye(3), np.zeros(3))}  # body name: link, pose of the body in the link's provisional frame
    joints, order, inertias, alive = [], [], [], []
    nq = nv = 0
    for edge in spanning_forest(mechanism):
        joint, kind = edge.joint, edge.joint.kind
        near, far = (joint.child_pose, joint.parent_pose) if edge.reversed else (joint.parent_pose, joint.child_pose)
        link, R, p = places[edge.parent_body_name]
        place = (R @ near.rotation, p + R @ near.translation)
        code = 0
        if kind.custom:
            code, keep = compile_custom(joint.name, kind)
            alive.append(keep)
        new = drafts_of_joint(link, place, joint, edge.reversed, nq, nv, code)
        for draft in new:
            if draft.parent == -2:
                draft.parent = len(drafts) - 1
            drafts.append(draft)
        back = far.inverse()
        if new:
            link, place = len(drafts) - 1, (np.eye(3), np.zeros(3))
        at = (place[0] @ back.rotation, place[1] + place[0] @ back.translation)
        places[edge.child_body_name] = (link, *at)
        body = mechanism.body(edge.child_body_name)
        inertia = body.mass_properties()
        if link >= 0:
            add_inertia(drafts[link], inertia.ten, *at)
        order.append(body)
        inertias.append(inertia)
        joints.append(_joint_info(joint, edge, nq, nv, len(order) - 1))
        nq, nv = nq + kind.nq, nv + kind.nv

    armature = np.zeros(nv)
    for info in joints:
        armature[info.v_index] = info.armature
    links, generals, turns, gathers, extras = finish(drafts, armature)
    bodies = _body_table(order, inertias, places, turns)
    size = np.array([len(links), nq, nv, len(order), extras, gathers, 0, len(generals)], dtype=np.int64)
    quats = np.array([link["q"] + (3 if link["kind"] == FREE else 0) for link in links if link["kind"] in (BALL, FREE)], dtype=np.int64)
    size[6] = len(quats)
    ancestor, order_of_links = _ancestors(links, nv)
    entries, gravity = _places(ancestor, order_of_links), np.array(mechanism.gravity, dtype=float)
    tables = Tables(size, links, generals, bodies, quats, armature, ancestor, order_of_links, entries, gravity)
    index = {b.name: k for k, b in enumerate(order)}
    frames = [FrameInfo(f.name, index.get(f.body, -1), f.pose) for f in mechanism.frames]
    infos = [BodyInfo(b.name, k, joints[k].parent, inertias[k]) for k, b in enumerate(order)]
    return Model(mechanism.name, tables, infos, joints, frames, [j.kind for j in joints if j.kind.custom], alive)


def _joint_info(joint, edge, q, v, child):
    kind = joint.kind
    return JointInfo(
        name=joint.name,
        kind=kind,
        parent=edge.parent_body_name,
        child=edge.child_body_name,
        backwards=edge.reversed,
        q_index=slice(q, q + kind.nq),
        v_index=slice(v, v + kind.nv),
        lower=np.array(kind.lower),
        upper=np.array(kind.upper),
        velocity_limit=np.array(kind.velocity_limit),
        effort_limit=np.array(kind.effort_limit),
        armature=np.array(kind.effective_armature),
        damping=np.array(kind.damping),
        friction=np.array(kind.friction),
    )


def _body_table(order, inertias, places, turns):
    table = np.zeros(len(order), BODY)
    for k, body in enumerate(order):
        link, R, p = places[body.name]
        T = turns[link] if link >= 0 else np.eye(3)
        ten = inertias[k].ten
        table[k] = (link, (T.T @ R).ravel(), T.T @ p, ten[0], ten[1:4], ten[4:10])
    return table


def _ancestors(links, nv):
    """For each velocity coordinate the one it hangs on (expanded parent array), and all of them in the order of links."""
    ancestor = np.full(nv, -1, dtype=np.int64)
    last = np.full(len(links), -1, dtype=np.int64)
    order = []
    for i, link in enumerate(links):
        above = last[link["parent"]] if link["parent"] >= 0 else -1
        for k in range(link["nv"]):
            ancestor[link["v"] + k] = above
            above = link["v"] + k
            order.append(above)
        last[i] = above
    return ancestor, np.array(order, dtype=np.int64)


def _places(ancestor, order):
    """CRBA finds the mass matrix from the tips inwards, each velocity's entries with itself and with all it hangs on: their numbers, from 1 on."""
    nv = len(order)
    if nv > MATRIX_LIMIT:
        return np.zeros(0, dtype=np.int32)
    places, count, ancestor = np.zeros((nv, nv), dtype=np.int32), 0, ancestor.tolist()
    for i in order[::-1].tolist():
        j = i
        while j >= 0:
            count += 1
            places[i, j] = places[j, i] = count
            j = ancestor[j]
    return places.ravel()
