"""General links (ball, free, custom) in the variational integrator: displacements of joints, and the armature's part of momenta.

A joint that is walked backwards has its child's frame displaced by X_J Delta^-1 X_J^-1, Delta being its own displacement.
The armature of a ball or of the turns of a free joint is a rotor without mass that turns as the joint does, L_d = w . J w h / 2 with w = 2 s / h;
that of the slides of a free joint has L_d = e . J e / 2 h, e being the way of M's origin in axes halfway.
"""

from ..dynamics.general import place_general, pose_general
from ..kernels import kernel
from ..kernels.scalar import load, sqrt, store, zero
from ..model.tables import BALL, CUSTOM, FREE
from ..spatial.matrices import apply9, apply9_transposed, times9, transposed9
from ..spatial.se3 import pose_exp
from ..spatial.so3 import quaternion_exp, quaternion_from_matrix, quaternion_normalised, quaternion_product, quaternion_to_matrix
from ..spatial.vectors import add3, cross3, load3, load4, scale3, store3, store4, sub3
from .variational_body import carried_to, turned, turned_away, turned_back
from .variational_memory import L_D, L_G, L_R, P_DELTA, at_mean, at_vector


@kernel(inline=True)
def joint_turn(work, at, like):
    """The quaternion (c, s) of a displacement 2 s in the slots `at`.."""
    a = load3(work, at, like)
    x, y, z = 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]
    return sqrt(1.0 - (x * x + y * y + z * z)), x, y, z


# More than eight arguments: links are still slots of `start` and `end`; with records for links, e, e1, w and t go.
@kernel
def displace_general(link, general, t, start, end, e, e1, w, r, d, g, like) -> None:
    """The link's displacement from its parent's (r, d), and gravity g in its axes, to its slots `w`..; also evaluates the joint at q_1."""
    R, p = pose_general(start, e, like)
    r, d = carried_to(R, p, r, d)
    place_general(link, general, end, e1, at_mean(t), 1, like)
    if link.kind == CUSTOM:
        R1, p1 = pose_general(end, e1, like)
        turn = quaternion_from_matrix(times9(transposed9(R), R1))
        way = apply9_transposed(R, sub3(p1, p))
    else:
        at = at_vector(t, P_DELTA) + link.v
        o = zero(like)
        turn, way = joint_turn(start, at, like), (o, o, o)
        if link.kind == FREE:
            way = load3(start, at + 3, like)
        if general.backwards:
            first = link.q + 3 if link.kind == FREE else link.q
            Q = quaternion_to_matrix(load4(start, first, like))
            s = apply9(Q, (turn[1], turn[2], turn[3]))
            if link.kind == FREE:
                way = scale3(-1.0, apply9(Q, turned_back(turn, way)))
            turn = (turn[0], -s[0], -s[1], -s[2])
            if link.kind == FREE:
                way = sub3(way, turned_away(turn, load3(start, link.q, like)))
    d = add3(d, turned(r, way))
    store4(start, w + L_R, quaternion_product(r, turn))
    store3(start, w + L_D, d)
    store3(start, w + L_G, apply9_transposed(R, g))


@kernel
def move_joint(link, start, base, new, at_eps, scale, like) -> None:
    """Displacement `new` = `base` and then scale * eps in the axes at the end of the step; all are slots of one link's velocities."""
    if link.kind == BALL or link.kind == FREE:
        r = joint_turn(start, base, like)
        a = scale3(scale, load3(start, at_eps, like))
        x = quaternion_product(r, quaternion_exp(a))
        if link.kind == FREE:
            u = scale3(scale, load3(start, at_eps + 3, like))
            _, step = pose_exp((a[0], a[1], a[2], u[0], u[1], u[2]))
            store3(start, new + 3, add3(load3(start, base + 3, like), turned(r, step)))
        store3(start, new, (2.0 * x[1], 2.0 * x[2], 2.0 * x[3]))
    else:
        for k in range(link.nv):
            store(start, new + k, load(start, base + k, like) + scale * load(start, at_eps + k, like))


@kernel
def arrive_general(link, t, start, end, h, like) -> None:
    """q_1 of a general link from q_0 and its displacement, and its mean velocity: 2 s / h, and the way / h in axes halfway."""
    at, mean = at_vector(t, P_DELTA) + link.v, at_mean(t) + link.v
    if link.kind == CUSTOM:
        for k in range(link.nv):
            x = load(start, at + k, like)
            store(end, link.q + k, load(start, link.q + k, like) + x)
            store(end, mean + k, x / h)
        return
    r = joint_turn(start, at, like)
    k = 2.0 / h
    store3(end, mean, (k * r[1], k * r[2], k * r[3]))
    first = link.q
    if link.kind == FREE:
        first += 3
        way = load3(start, at + 3, like)
        Q = quaternion_to_matrix(load4(start, first, like))
        store3(end, link.q, add3(load3(start, link.q, like), apply9(Q, way)))
        half = quaternion_normalised((1.0 + r[0], r[1], r[2], r[3]))
        store3(end, mean + 3, scale3(1.0 / h, turned_back(half, way)))
    store4(end, first, quaternion_normalised(quaternion_product(load4(start, first, like), r)))


# More than eight arguments, for the same reason.
@kernel
def armature_momentum(link, general, t, start, last, h, target, sign, like) -> None:
    """Add sign times the momentum of the joint's armature, at the start of the step or (`last`) at its end, to the slots `target`.."""
    J = general.armature
    at = at_vector(t, P_DELTA) + link.v
    if link.kind == CUSTOM:
        for k in range(link.nv):
            store(start, target + k, load(start, target + k, like) + sign * (J[k] / h) * load(start, at + k, like))
        return
    r = joint_turn(start, at, like)
    k, s = 2.0 * sign / h, (r[1], r[2], r[3])
    L = (k * J[0] * s[0], k * J[1] * s[1], k * J[2] * s[2])
    turn = cross3(s, L)
    L = scale3(r[0], L)
    store3(start, target, add3(load3(start, target, like), sub3(L, turn) if last else add3(L, turn)))
    if link.kind == FREE:
        # The way in axes halfway, e = R(half)^T d, has the Lagrangian e . J e / 2 h; t = tan of a quarter of the turn.
        half = quaternion_normalised((1.0 + r[0], r[1], r[2], r[3]))
        way = turned_back(half, load3(start, at + 3, like))
        k = sign / h
        p = (k * J[3] * way[0], k * J[4] * way[1], k * J[5] * way[2])
        x = scale3(0.5, cross3(p, way))
        y = scale3(1.0 / half[0], cross3((half[1], half[2], half[3]), x))
        store3(start, target, sub3(load3(start, target, like), add3(y, scale3(-1.0, x) if last else x)))
        store3(start, target + 3, add3(load3(start, target + 3, like), turned_back(half, p) if last else turned(half, p)))


@kernel(inline=True)
def has_armature(general):
    J = general.armature
    return J[0] != 0.0 or J[1] != 0.0 or J[2] != 0.0 or J[3] != 0.0 or J[4] != 0.0 or J[5] != 0.0
