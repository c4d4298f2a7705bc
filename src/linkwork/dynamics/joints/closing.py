"""Joints that move along axes of their link: turns, slides, balls. What the sparse solver asks of one that closes a loop (solvers/sparse/loop_joints.py)."""

import numpy as np

from ...kernels import Vector, kernel
from ...model.tables import AXIAL, BALL
from ...spatial.vectors import get3, set3


def free_directions(link, generals):
    """The directions in which a joint moves, as a mask (turns, then shifts); 0 if they are not axes of the link, or the joint has armature.

    link, generals: a row of a model's table of links, and its table of general links.
    """
    if link["kind"] == AXIAL:
        single = (link["turn"] == 0.0) != (link["slide"] == 0.0) and link["armature"] == 0.0
        return (4 if link["turn"] else 32) if single else 0
    general = generals[link["general"]]
    return 7 if link["kind"] == BALL and not general["backwards"] and not np.any(general["armature"]) else 0


def turning_joints(links):
    """Of each row of a table of links: True for a hinge, False for a slide, None for what is neither."""
    turns, slides = links["turn"] != 0.0, links["slide"] != 0.0
    single = (links["kind"] == AXIAL) & (turns != slides)
    return [turn if one else None for turn, one in zip(turns.tolist(), single.tolist(), strict=True)]


@kernel
def wrench_of_joint(model, i, tau) -> Vector[6]:
    """The wrench f on the link, along the joint's directions, with S^T f = tau."""
    joint = model.links[i]
    if joint.kind == BALL:
        n = get3(tau, joint.v)
        return n[0], n[1], n[2], 0.0, 0.0, 0.0
    if joint.turn != 0.0:
        return 0.0, 0.0, tau[joint.v] / joint.turn, 0.0, 0.0, 0.0
    return 0.0, 0.0, 0.0, 0.0, 0.0, tau[joint.v] / joint.slide


@kernel
def set_rates(model, i, V, rates) -> None:
    """The rates x of the joint with S x = V along its directions."""
    joint = model.links[i]
    if joint.kind == BALL:
        set3(rates, joint.v, (V[0], V[1], V[2]))
    elif joint.turn != 0.0:
        rates[joint.v] = V[2] / joint.turn
    else:
        rates[joint.v] = V[5] / joint.slide
