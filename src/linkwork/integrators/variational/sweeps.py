"""Sweeps over the tree: displacements of all links during a step outward, momenta at its end inward.

Link i stands at X_i = X_l T_i(q), so it is displaced by   X_i(q_0)^-1 X_i(q_1) = [T_0^-1 (r_l, d_l) T_0] [T_0^-1 T_1]:
its parent's displacement in its own axes, then that of its joint, for a screw about z a turn by the half-angle and a slide.
"""

from ...dynamics.exchange import copy
from ...dynamics.joints.joint import force_in, place_joint
from ...dynamics.joints.variational import (
    arrive_joint,
    correct_displacement,
    displace_joint,
    give_momentum,
    take_armature,
    turn_page_of_joint,
)
from ...kernels import Scalar, kernel
from ...kernels.scalar import zero
from ...model.tables import rigid_of
from ...spatial.inertia import inertia_to_com
from ...spatial.vectors import add6
from .body import end_momentum, start_momentum


@kernel
def settle(model, run) -> None:
    """Once for a run: the links' inertias about their centres of mass; joints at q_0."""
    for i in range(model.n):
        link = run.links[i]
        _, link.com, link.T = inertia_to_com(rigid_of(model.links[i]))
        place_joint(model, run.start, i, run.start.q, run.mean, 1)


@kernel
def displace_links(model, run, last) -> Scalar:
    """Displacements of all links; their momenta at the start of the step, or (`last`) at its end. Returns twice the action of the motion."""
    o, h, gravity = zero(run), run.h, model.gravity
    e, z = o + 1.0, (o, o, o)
    world = (o + gravity[0], o + gravity[1], o + gravity[2])
    weight = h * h * h * (gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    r, d, g = (e, o, o, o), z, world
    action = o
    for i in range(model.n):
        joint, link = model.links[i], run.links[i]
        if not joint.follows:
            r, d, g = (e, o, o, o), z, world
            if joint.parent >= 0:
                above = run.links[joint.parent]
                r, d, g = above.r, above.d, above.g
        r, d, g = displace_joint(model, run, i, r, d, g, last)
        link.r, link.d, link.g = r, d, g
        p = (o, o, o, o, o, o)
        if joint.massive:
            if last:
                p = end_momentum(joint.m, link.com, link.T, r, d, g, h)
            else:
                p, size = start_momentum(joint.m, link.com, link.T, r, d, g, h)
                action = action + size + joint.m * weight
        link.p = p
    return action


@kernel
def end_momenta(model, run) -> None:
    """Momentum of every joint at the end of the step, from momenta of links: p = sum J(q_1)^T mu_1, plus armatures."""
    o = zero(run)
    zero6, n, branches = (o, o, o, o, o, o), model.n, run.branches
    clear_momenta(model, run)
    f = zero6
    for j in range(n):
        i = n - 1 - j
        joint = model.links[i]
        f = add6(f, run.links[i].p)
        if joint.branch >= 0:
            f = add6(f, branches[joint.branch].p)
        give_momentum(model, run, i, f)
        if joint.parent >= 0:
            f = force_in(model, run.end, i, run.end.q, f)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.p = add6(branch.p, f)
            f = zero6


@kernel
def clear_momenta(model, run) -> None:
    """No momenta where branches meet."""
    o = zero(run)
    for i in range(model.n):
        if model.links[i].branch >= 0:
            run.branches[model.links[i].branch].p = o, o, o, o, o, o


@kernel
def take_armatures(model, run) -> None:
    """Take the momenta that armatures have at the start of the step from the right sides of all joints."""
    for i in range(model.n):
        take_armature(model, run, i, run.right)


@kernel
def arrive(model, run) -> None:
    """q_1 and mean velocities from q_0 and displacements."""
    for i in range(model.n):
        arrive_joint(model, run, i)


@kernel
def apply_correction(model, run, scale) -> None:
    """Displacements = those before, and then scale times the correction."""
    for i in range(model.n):
        correct_displacement(model, run, i, scale)


@kernel
def turn_page(model, run) -> None:
    """The end of a step becomes the start of the next."""
    copy(run.end.q, run.start.q, model.nq)
    for i in range(model.n):
        turn_page_of_joint(model, run, i)
