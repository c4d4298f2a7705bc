"""The forces of a mechanism at a state: wrenches on links, joint forces, the power of each force and the energy stored in it.

A law between places gives wrenches (n, f) about its markers' points in world axes; on a link with pose (R, p) that is, in link axes about its origin,

    f_link = R^T f,      n_link = R^T (n + (p_marker - p) x f),        power = w . n + u . f        at each marker,

and along a joint coordinate power = force times velocity. Laws are called lane by lane through their addresses.
"""

from ..kernels import Scalar, kernel
from ..kernels.scalar import load, store, width, zero
from ..model.custom import call_native
from ..model.tables import at_links, at_v, at_x, count_links, count_v, open_tables
from ..parts.forces.kind import GIVEN, MARKER, WRENCHES
from ..spatial.matrices import apply9_transposed, load9
from ..spatial.vectors import add3, cross3, dot3, load3, store3, sub3
from .force_tables import ALONG, L_BETWEEN, L_ENTRIES, L_FORCES, L_HELD, L_POWERS, L_SCRATCH, L_STORED, L_WRENCHES, open_loads
from .markers import marker, put_marker
from .slots import fill
from .sweep import S_P, S_R, STRIDE, sweep_links


@kernel
def apply_forces(handle, loads, work, time, like) -> None:
    """Evaluate all forces at q and v in `work`: joint forces to tau's slots, all else to the slots that the header of the loads names."""
    t, f = open_tables(handle), open_loads(loads)
    taus, held, nv = at_x(t), f.size[L_HELD], count_v(t)
    given = zero(like)
    for k in range(nv):
        tau = load(work, held + k, like)
        store(work, taus + k, tau)
        given = given + tau * load(work, at_v(t) + k, like)
    count = f.size[L_FORCES]
    fill(work, f.size[L_POWERS], count, 0.0, like)
    fill(work, f.size[L_STORED], count, 0.0, like)
    store(work, f.size[L_POWERS] + count, given)
    store(work, f.size[L_POWERS] + count + 1, zero(like))
    if f.size[L_BETWEEN] > 0:
        sweep_links(handle, work, 1, like)
        fill(work, f.size[L_WRENCHES], 6 * count_links(t), 0.0, like)
    for e in range(f.size[L_ENTRIES]):
        entry = f.entries[e]
        if f.on[entry.force] != 0.0:
            if entry.kind == ALONG:
                _along(t, f, entry, work, time, like)
            else:
                _between(t, f, entry, work, time, like)


@kernel
def _along(t, f, entry, work, time, like) -> None:
    """A law of one joint coordinate."""
    lanes = width(like)
    slot = f.size[L_SCRATCH]
    raw = (slot + GIVEN + WRENCHES) * lanes
    at = at_v(t) + entry.v
    for lane in range(lanes):
        work[raw] = 0.0
        if entry.q >= 0:
            work[raw] = work[entry.q * lanes + lane]
        work[raw + 1] = work[at * lanes + lane]
        work[raw + 2] = time
        call_native(entry.code, work, raw, f.numbers, entry.number, raw + 3)
        work[slot * lanes + lane] = work[raw + 3]
        work[(slot + 1) * lanes + lane] = work[raw + 4]
    force = load(work, slot, like)
    to = at_x(t) + entry.v
    store(work, to, load(work, to, like) + force)
    _book(f, entry.force, work, force * load(work, at, like), load(work, slot + 1, like), like)


@kernel
def _between(t, f, entry, work, time, like) -> None:
    """A law between two places."""
    lanes = width(like)
    links = at_links(t)
    A, B = marker(work, links, entry.a, entry.Ra, entry.pa, like), marker(work, links, entry.b, entry.Rb, entry.pb, like)
    slot = f.size[L_SCRATCH]
    result = slot + GIVEN
    raw = (result + WRENCHES) * lanes
    put_marker(work, slot, A)
    put_marker(work, slot + MARKER, B)
    for lane in range(lanes):
        for k in range(2 * MARKER):
            work[raw + k] = work[(slot + k) * lanes + lane]
        work[raw + 2 * MARKER] = time
        call_native(entry.code, work, raw, f.numbers, entry.number, raw + GIVEN)
        for k in range(WRENCHES):
            work[(result + k) * lanes + lane] = work[raw + GIVEN + k]
    power = _press(t, f, entry.a, A, work, result, like) + _press(t, f, entry.b, B, work, result + 6, like)
    _book(f, entry.force, work, power, load(work, result + 12, like), like)


@kernel
def _press(t, f, link, frame, work, at, like) -> Scalar:
    """Add the wrench at slot `at`, about a marker's point, to what acts on the marker's link; returns its power."""
    power = zero(like)
    if link >= 0:
        _, p, w, u = frame
        n, force = load3(work, at, like), load3(work, at + 3, like)
        power = dot3(w, n) + dot3(u, force)
        place = at_links(t) + STRIDE * link
        R = load9(work, place + S_R, like)
        n = add3(n, cross3(sub3(p, load3(work, place + S_P, like)), force))
        to = f.size[L_WRENCHES] + 6 * link
        store3(work, to, add3(load3(work, to, like), apply9_transposed(R, n)))
        store3(work, to + 3, add3(load3(work, to + 3, like), apply9_transposed(R, force)))
    return power


@kernel(inline=True)
def _book(f, force, work, power, stored, like):
    at = f.size[L_POWERS] + force
    store(work, at, load(work, at, like) + power)
    at = f.size[L_STORED] + force
    store(work, at, load(work, at, like) + stored)
