"""The joint-space mass matrix by composite rigid bodies (CRBA).

Featherstone 1987, section 5.4 (link coordinates), with branches (7.2) and joints of several freedoms (7.4):

inward    I^C_l += X_i^T I^C_i X_i                       composite inertia of everything outboard
          F = I^C_i S_i,   M_ii = S_i^T F + armature
          walking from i to the root:  F := X_j^T F,  j := l(j),  M_ji = M_ij = S_j^T F

Scratch of a link: cosine, sine | m, h, I of the composite. Links of which none is an ancestor of the other leave zeros in M.
"""

from ..kernel import kernel
from ..model.tables import AXIAL, at_extras, at_links, at_v, count_links
from ..scalar import load, sincos, store, zero
from ..spatial.axial import force_in_axial, place_axial, rigid_in_axial
from ..spatial.inertia import inertia_sum, inertia_times, inertia_transform, load_inertia, store_inertia, zero_inertia
from ..spatial.vectors import dot6, load6
from .call import put
from .general import COLUMN, E_COLUMN, force_in_general, place_general, pose_general
from .links import rigid_of

STRIDE = 12


@kernel
def place_links(t, work, stride, like):
    """Sines and cosines of the axial links (slots 0 and 1), poses and S of the general ones."""
    links, extras = at_links(t), at_extras(t, stride)
    for i in range(count_links(t)):
        link = t.links[i]
        if link.kind == AXIAL:
            s, c = sincos(link.turn * load(work, link.q, like) + link.offset)
            store(work, links + stride * i, c)
            store(work, links + stride * i + 1, s)
        else:
            place_general(t, i, work, extras + link.extra, at_v(t), like)


@kernel
def composite_inertias(t, work, stride, base, step, like):
    """I^C of every link, ten slots from `base` + `step` i on. Needs sines and cosines in the scratch of the links."""
    n, links, extras = count_links(t), at_links(t), at_extras(t, stride)
    for i in range(n):
        store_inertia(work, base + step * i, inertia_sum(zero_inertia(like), rigid_of(t.links[i])))
    for j in range(n):
        i = n - 1 - j
        link = t.links[i]
        if link.parent < 0:
            continue
        w = links + stride * i
        rigid = load_inertia(work, base + step * i, like)
        if link.kind == AXIAL:
            r = place_axial(link, load(work, link.q, like))
            rigid = rigid_in_axial(link, r, load(work, w, like), load(work, w + 1, like), rigid)
        else:
            rigid = inertia_transform(pose_general(work, extras + link.extra, like), rigid)
        up = base + step * link.parent
        store_inertia(work, up, inertia_sum(load_inertia(work, up, like), rigid))


@kernel(inline=True)
def put_both(out, k, i, j, value, like):
    """An entry of a symmetric matrix and its mirror."""
    put(out, k, i, j, value, like)
    put(out, k, j, i, value, like)


@kernel
def composite_bodies(t, work, out, k, like):
    """Fill the mass matrix of state(s) k in `out`, from q in `work`. Entries of unrelated joints are not touched."""
    n, links, extras = count_links(t), at_links(t), at_extras(t, STRIDE)
    place_links(t, work, STRIDE, like)
    composite_inertias(t, work, STRIDE, links + 2, STRIDE, like)
    o = zero(like)
    for i in range(n):
        link = t.links[i]
        w = links + STRIDE * i
        composite = load_inertia(work, w + 2, like)
        for column in range(link.nv):
            S = (o, o, o + link.turn, o, o, o + link.slide)
            if link.kind != AXIAL:
                S = load6(work, extras + link.extra + E_COLUMN + COLUMN * column, like)
            F = inertia_times(composite, S)
            index = link.v + column
            if link.kind != AXIAL:
                for other in range(column + 1):
                    T = load6(work, extras + link.extra + E_COLUMN + COLUMN * other, like)
                    extra = t.armature[index] if other == column else 0.0
                    put_both(out, k, link.v + other, index, dot6(T, F) + extra, like)
            else:
                put(out, k, index, index, link.turn * F[2] + link.slide * F[5] + t.armature[index], like)
            j = i
            while t.links[j].parent >= 0:
                near = t.links[j]
                if near.kind == AXIAL:
                    x = links + STRIDE * j
                    r = place_axial(near, load(work, near.q, like))
                    F = force_in_axial(near, r, load(work, x, like), load(work, x + 1, like), F)
                else:
                    F = force_in_general(work, extras + near.extra, F, like)
                j = near.parent
                above = t.links[j]
                if above.kind == AXIAL:
                    put_both(out, k, above.v, index, above.turn * F[2] + above.slide * F[5], like)
                else:
                    for other in range(above.nv):
                        T = load6(work, extras + above.extra + E_COLUMN + COLUMN * other, like)
                        put_both(out, k, above.v + other, index, dot6(T, F), like)
