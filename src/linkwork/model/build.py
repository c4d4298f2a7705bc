"""Mechanism to Model: check every part, choose the tree, lay the tables."""

from collections import Counter

import numpy as np

from ..parts.constraints.relation import Relation
from ..parts.graph import forest
from ..parts.mass_faults import mass_faults
from .custom import compile_custom
from .home import home_poses
from .lay_rules import NOWHERE, WELDED, Marker, Rule, lay_rules
from .links import Draft, add_inertia, drafts_of_joint, finish
from .model import MATRIX_LIMIT, BodyInfo, ConstraintInfo, ForceInfo, FrameInfo, JointInfo, Model
from .tables import BALL, BODY, FREE, Tables


def build_model(mechanism, prefer_cut=()):
    """The frozen Model of a mechanism, or one ModelError that lists all faults by part name."""
    mechanism.check()
    graph = forest(mechanism, prefer_cut)
    weak = {mechanism.bodies[i].name for i in mass_faults(mechanism.bodies)[1]} if graph.loops else ()
    edges = graph.with_twins(weak)
    shares = Counter(edge.child_body_name for edge in edges if not (edge.twin and edge.joint.kind.nv == 0))

    drafts: list[Draft] = []
    places = {"ground": (-1, np.eye(3), np.zeros(3))}  # body name: link, pose of the body in the link's provisional frame
    joints, order, inertias, alive, twins = [], [], [], [], []
    nq = nv = 0
    for edge in edges:
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
        body = mechanism.body(edge.child_body_name)
        inertia = body.mass_properties()
        if link >= 0 and not (edge.twin and not new):
            add_inertia(drafts[link], np.array(inertia.ten) / shares[body.name], *at)
        joints.append(_joint_info(joint, edge, nq, nv, [link - len(new) + 1 + k for k in range(len(new))]))
        nq, nv = nq + kind.nq, nv + kind.nv
        if edge.twin:
            twins.append((joint, (link, *place), (body.name, far)))
            continue
        places[edge.child_body_name] = (link, *at)
        order.append(body)
        inertias.append(inertia)

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
    holders = {info.child: info for info in joints if not info.closes_loop}
    infos = [BodyInfo(b.name, k, holders[b.name].parent, inertias[k]) for k, b in enumerate(order)]
    rules = [*_welds(twins, places, turns), *_rules(mechanism, joints, places, turns, links, edges)]
    constraints = _constraint_infos(mechanism, rules)
    laid, kept = lay_rules(rules, links)
    return Model(mechanism.name, tables, infos, joints, frames, constraints, laid, _functions(joints), alive + kept, _forces(mechanism))


def _welds(twins, places, turns):
    """What holds twins and their bodies together: a weld at the joint that closes the loop."""
    for joint, (link, R, p), (body, far) in twins:
        own, R_body, p_body = places[body]
        yield Rule(
            joint.name,
            WELDED,
            _marker(turns, link, R, p),
            _marker(turns, own, R_body @ far.rotation, p_body + R_body @ far.translation),
        )


def _rules(mechanism, joints, places, turns, links, edges):
    known = {info.name: info for info in joints}
    home = home_poses(edges) if any(isinstance(part.kind, Relation) for part in mechanism.constraints) else None
    for part in mechanism.constraints:
        markers = [NOWHERE, NOWHERE]
        for k, place in enumerate((part.a, part.b)):
            if place is not None:
                body, pose, _ = mechanism._registry.trace(place)
                link, R, p = places[body]
                markers[k] = _marker(turns, link, R @ pose.rotation, p + R @ pose.translation)
                if home is not None:
                    stands = home[body] @ pose
                    markers[k] = markers[k]._replace(home=(stands.rotation, stands.translation))
        coordinates = tuple(_coordinate(known[name], dof, links) for name, dof in part.joints)
        for block in part.kind.blocks():
            yield Rule(part.name, block, *markers, coordinates)


def _coordinate(info, dof, links):
    v = info.v_index.start + dof
    owner = next(i for i, link in enumerate(links) if link["v"] <= v < link["v"] + link["nv"])
    return info.q_index.start + dof, v, owner


def _marker(turns, link, R, p):
    T = turns[link] if link >= 0 else np.eye(3)
    return Marker(link, T.T @ R, T.T @ p)


def _constraint_infos(mechanism, rules):
    """One entry for every name: its rows, in words and as a slice."""
    kinds = {part.name: part.kind for part in (*mechanism.joints, *mechanism.constraints)}
    acts_on = {part.name: _acts_on(mechanism, part) for part in mechanism.constraints}
    loops, infos, row = {joint.name for joint in mechanism.joints}, {}, 0
    for rule in rules:
        count = len(rule.block.rows)
        before = infos.get(rule.name)
        start, words, holonomic = (row, (), True) if before is None else (before.rows.start, before.words, before.holonomic)
        holonomic = holonomic and rule.block.holonomic
        infos[rule.name] = ConstraintInfo(
            rule.name,
            kinds[rule.name],
            rule.name in loops,
            slice(start, row + count),
            (*words, *rule.block.rows),
            holonomic,
            *acts_on.get(rule.name, ()),
        )
        row += count
    return list(infos.values())


def _acts_on(mechanism, part):
    """The places (body, pose) and the joint coordinates (joint, degree of freedom) of a constraint or force."""
    traced = (mechanism._registry.trace(place) for place in (part.a, part.b) if place is not None)
    return tuple((body, pose) for body, pose, _ in traced), tuple(part.joints)


def _forces(mechanism):
    return [ForceInfo(part.name, part.kind, *_acts_on(mechanism, part), part.on) for part in mechanism.forces]


def _functions(joints):
    """What a restored model compiles anew: custom kinds of joints; the kinds of constraints it has anyway."""
    return [j.kind for j in joints if j.kind.custom]


def _joint_info(joint, edge, q, v, links):
    kind = joint.kind
    return JointInfo(
        name=joint.name,
        kind=kind,
        parent=edge.parent_body_name,
        child=edge.child_body_name,
        backwards=edge.reversed,
        closes_loop=edge.twin,
        links=tuple(links),
        q_index=slice(q, q + kind.nq),
        v_index=slice(v, v + kind.nv),
        lower=np.array(kind.lower),
        upper=np.array(kind.upper),
        velocity_limit=np.array(kind.velocity_limit),
        effort_limit=np.array(kind.effort_limit),
        armature=np.array(kind.effective_armature),
        damping=np.array(kind.damping),
        friction=np.array(kind.friction),
        parent_pose=joint.parent_pose,
        child_pose=joint.child_pose,
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
