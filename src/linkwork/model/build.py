"""Mechanism to Model: check every part, choose the tree, lay the tables."""

import warnings
from collections import Counter

import numpy as np

from ..errors import LimitWarning, outside_level
from ..parts.constraints.relation import Relation
from ..parts.faults import check
from ..parts.graph import forest
from .custom import compile_custom
from .home import home_poses
from .lay_constraint_tables import NOWHERE, WELDED, Marker, PlacedBlock, lay_constraints
from .lay_contact_tables import lay_contacts
from .link_inertia import link_inertias
from .links import UNTURNED, Draft, drafts_of_joint, finish
from .model import MATRIX_LIMIT, BodyInfo, BodyLook, ConstraintInfo, ForceInfo, FrameInfo, JointInfo, Model, ModelParts
from .tables import BALL, BODY, FREE, SIZES, Tables

TWO_TURNS = 4.0 * np.pi


def build_model(mechanism, prefer_cut=()):
    """The frozen Model of a mechanism, or one ModelError that lists all faults by part name."""
    with mechanism._registry.unchanged():
        return _build_model(mechanism, prefer_cut)


def _build_model(mechanism, prefer_cut):
    edges, weak = check(mechanism)
    if prefer_cut:
        edges = forest(mechanism, prefer_cut).with_cut_bodies(weak)
    shares = Counter(edge.child_body_name for edge in edges if not (edge.closes_loop and edge.joint.kind.nv == 0))
    inertias = {body.name: body.mass_properties() for body in mechanism.bodies}
    tens = {name: inertia.ten for name, inertia in inertias.items()}

    drafts: list[Draft] = []
    places = {"ground": (-1, UNTURNED, np.zeros(3))}  # body name: link, pose of the body in the link's provisional frame
    joints, order, carried, alive, cut_bodies = [], [], [], [], []
    nq = nv = 0
    for edge in edges:
        joint, kind, name = edge.joint, edge.joint.kind, edge.child_body_name
        poses = joint.parent_pose, joint.child_pose
        near, far = poses[::-1] if edge.reversed else poses
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
        back = far.rotation.T.copy(), 0.0 - far.translation @ far.rotation
        if new:
            link, place, at = len(drafts) - 1, (UNTURNED, np.zeros(3)), back
        else:
            at = (place[0] @ back[0], place[1] + place[0] @ back[1])
        if link >= 0 and not (edge.closes_loop and not new):
            carried.append((link, np.array(tens[name]) / shares[name], *at))
        joints.append(_joint_info(joint, poses, edge, nq, nv, [link - len(new) + 1 + k for k in range(len(new))]))
        nq, nv = nq + kind.nq, nv + kind.nv
        if edge.closes_loop:
            cut_bodies.append((joint, (link, *place), (name, far)))
            continue
        places[name] = (link, *at)
        order.append(name)

    _warn_of_degrees(mechanism)
    armature = np.zeros(nv)
    for info in joints:
        armature[info.v_index] = info.armature
    links, generals, turns, branches = finish(drafts, link_inertias(len(drafts), carried), armature)
    bodies = _body_table(order, tens, places, turns)
    matrix = nv * (nv + 1) + 2 if nv <= MATRIX_LIMIT else 0
    turning = (links["kind"] == BALL) | (links["kind"] == FREE)
    quats = (links["q"] + 3 * (links["kind"] == FREE))[turning].astype(np.int64)
    sizes = {"n": len(links), "nq": nq, "nv": nv, "nb": len(order), "matrix": matrix, "branches": branches}
    sizes |= {"nquats": len(quats), "ngenerals": len(generals)}
    size = np.array([sizes[name] for name in SIZES], dtype=np.int64)
    ancestor, order_of_links = _ancestors(links, nv)
    entries, gravity = _places(ancestor, order_of_links), np.array(mechanism.gravity, dtype=float)
    tables = Tables(size, links, generals, bodies, quats, armature, ancestor, order_of_links, entries, gravity)
    index = {name: k for k, name in enumerate(order)}
    frames = [FrameInfo(f.name, index.get(f.body, -1), f.pose) for f in mechanism.frames]
    holders = {info.child: info for info in joints if not info.closes_loop}
    infos = [BodyInfo(name, k, holders[name].parent, inertias[name]) for k, name in enumerate(order)]
    placed_blocks = [*_welds(cut_bodies, places, turns), *_placed_blocks(mechanism, joints, places, turns, links, edges)]
    constraints = _constraint_infos(mechanism, placed_blocks)
    laid, kept = lay_constraints(placed_blocks, links)
    contact_tables, shapes = lay_contacts(mechanism, (order, bodies))
    parts = ModelParts(infos, joints, frames, constraints, _forces(mechanism), shapes, _looks(mechanism))
    return Model(mechanism.name, parts, tables, laid, _functions(joints), alive + kept, contact_tables)


def _warn_of_degrees(mechanism):
    """Warn of the first limit of a rotation that is a round number of degrees, and more than two turns if it is rad."""
    for joint in mechanism.joints:
        slides = [element.slide for element in joint.kind.elements or ()]
        for side in ("lower", "upper"):
            for value, slide in zip(getattr(joint.kind, side), slides, strict=False):
                if not slide and TWO_TURNS < abs(value) <= 3600.0 and value % 5.0 == 0.0:
                    text = f"joint {joint.name!r}: {side} is {value:g} rad, {abs(value) / (2 * np.pi):.3g} turns; {value:g} degrees are "
                    warnings.warn(f"{text}np.radians({value:g}) = {np.radians(value):.4g} rad", LimitWarning, stacklevel=outside_level())
                    return


def _welds(cut_bodies, places, turns):
    """What holds cut bodies and their bodies together: a weld at the joint that closes the loop."""
    for joint, (link, R, p), (body, far) in cut_bodies:
        own, R_body, p_body = places[body]
        yield PlacedBlock(
            joint.name,
            WELDED,
            _marker(turns, link, R, p),
            _marker(turns, own, R_body @ far.rotation, p_body + R_body @ far.translation),
        )


def _placed_blocks(mechanism, joints, places, turns, links, edges):
    known = {info.name: info for info in joints}
    owners = {v + k: i for i, (v, nv) in enumerate(links[["v", "nv"]].tolist()) for k in range(nv)}
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
        firsts = [(known[name].q_index.start + dof, known[name].v_index.start + dof) for name, dof in part.joints]
        coordinates = tuple((q, v, owners[v]) for q, v in firsts)
        for block in part.kind.blocks():
            yield PlacedBlock(part.name, block, *markers, coordinates)


def _marker(turns, link, R, p):
    T = turns[link] if link >= 0 else UNTURNED
    return Marker(link, T.T @ R, T.T @ p)


def _constraint_infos(mechanism, placed_blocks):
    """One entry for every name: its rows, in words and as a slice."""
    kinds = {part.name: part.kind for part in (*mechanism.joints, *mechanism.constraints)}
    acts_on = {part.name: _acts_on(mechanism, part) for part in mechanism.constraints}
    loops, infos, row = {joint.name for joint in mechanism.joints}, {}, 0
    for placed in placed_blocks:
        count = len(placed.block.rows)
        before = infos.get(placed.name)
        start, words, holonomic = (row, (), True) if before is None else (before.rows.start, before.words, before.holonomic)
        holonomic = holonomic and placed.block.holonomic
        infos[placed.name] = ConstraintInfo(
            placed.name,
            kinds[placed.name],
            placed.name in loops,
            slice(start, row + count),
            (*words, *placed.block.rows),
            holonomic,
            *acts_on.get(placed.name, ()),
        )
        row += count
    return list(infos.values())


def _acts_on(mechanism, part):
    """The places (body, pose) and the joint coordinates (joint, degree of freedom) of a constraint or force."""
    traced = (mechanism._registry.trace(place) for place in (part.a, part.b) if place is not None)
    return tuple((body, pose) for body, pose, _ in traced), tuple(part.joints)


def _forces(mechanism):
    return [ForceInfo(part.name, part.kind, *_acts_on(mechanism, part), part.on) for part in mechanism.forces]


def _looks(mechanism):
    """The shapes of bodies and of the ground that have any: for pictures of the model."""
    looks = [BodyLook(body.name, body.shape, tuple(body.visuals), tuple(body.collisions)) for body in (mechanism.ground, *mechanism.bodies)]
    return [look for look in looks if look.shape is not None or look.visuals or look.collisions]


def _functions(joints):
    """What a restored model compiles anew: custom kinds of joints; the kinds of constraints it has anyway."""
    return [j.kind for j in joints if j.kind.custom]


def _joint_info(joint, poses, edge, q, v, links):
    kind = joint.kind
    return JointInfo(
        name=joint.name,
        kind=kind,
        parent=edge.parent_body_name,
        child=edge.child_body_name,
        backwards=edge.reversed,
        closes_loop=edge.closes_loop,
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
        parent_pose=poses[0],
        child_pose=poses[1],
    )


def _body_table(order, tens, places, turns):
    table = np.zeros(len(order), BODY)
    if order:
        link, R, p = (np.array(column) for column in zip(*(places[name] for name in order), strict=True))
        to_link = np.array([turns[i].T if i >= 0 else UNTURNED for i in link.tolist()])
        ten = np.array([tens[name] for name in order])
        table["link"], table["R"], table["p"] = link, (to_link @ R).reshape(-1, 9), (to_link @ p[:, :, None])[:, :, 0]
        table["m"], table["h"], table["I"] = ten[:, 0], ten[:, 1:4], ten[:, 4:]
    return table


def _ancestors(links, nv):
    """For each velocity coordinate the one it hangs on (expanded parent array), and all of them in the order of links."""
    ancestor = np.full(nv, -1, dtype=np.int64)
    last, order = [], []
    for parent, v, count in links[["parent", "v", "nv"]].tolist():
        above = last[parent] if parent >= 0 else -1
        for k in range(count):
            ancestor[v + k] = above
            above = v + k
            order.append(above)
        last.append(above)
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
