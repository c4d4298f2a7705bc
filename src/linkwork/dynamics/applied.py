"""The forces of a mechanism at a state: wrenches on links, joint forces, the power of each force and the energy stored in it.

A law between places gives wrenches (n, f) about its markers' points in world axes; on a link with pose (R, p) that is, in link axes about its origin,

    f_link = R^T f,      n_link = R^T (n + (p_marker - p) x f),        power = w . n + u . f        at each marker,

and along a joint coordinate power = force times velocity. Laws are called lane by lane through their addresses.
"""

from ..data.forces import ALONG
from ..data.markers import GIVEN, MARKER, RESULT, TIME
from ..data.tree import WRENCHES
from ..kernels import Scalar, kernel
from ..kernels.scalar import width, zero
from ..kernels.views import floats_of
from ..model.custom import call_law
from ..spatial.matrices import apply9_transposed
from ..spatial.vectors import add3, cross3, dot3, get3, sub3
from .exchange import fill
from .external import clear_wrenches
from .markers import marker, put_marker
from .sweep import VELOCITY_ORDER, sweep_links

ALONG_GIVEN, ALONG_RESULT = 3, 2  # numbers that a law of a joint is given, and gives, before what it remembers


@kernel
def apply_forces(model, table, tree, data, time) -> None:
    """Evaluate all forces of a ForceTable at q and v of the tree: joint forces to tau, forces on links to wrenches, all else to `data` (ForceData)."""
    given = zero(tree)
    for k in range(model.nv):
        tau = data.held[k]
        tree.tau[k] = tau
        given = given + tau * tree.v[k]
    fill(data.powers, table.forces, 0.0)
    fill(data.stored, table.forces, 0.0)
    data.powers[table.forces] = given
    data.powers[table.forces + 1] = zero(tree)
    if table.between > 0:
        sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
        clear_wrenches(model, tree.wrenches)
    for e in range(table.count):
        entry = table.entries[e]
        if table.on[entry.force] != 0:
            if entry.kind == ALONG:
                _along(table, entry, tree, data, time)
            else:
                _between(table, entry, tree, data, time)


@kernel(inline=True)
def give_memory(entry, data, lane, lanes, at) -> None:
    """What a law remembers, to what it is given."""
    for k in range(entry.slots):
        data.call.given[at + k] = floats_of(data.memory)[(entry.memory + k) * lanes + lane]


@kernel(inline=True)
def take_memory(entry, data, lane, lanes, at) -> None:
    """What it would remember, from what it gives."""
    for k in range(entry.slots):
        floats_of(data.coming)[(entry.memory + k) * lanes + lane] = data.call.result[at + k]


@kernel(inline=True)
def acting(table):
    """The option of a recursion: do forces act on links?"""
    return WRENCHES if table.between > 0 else 0


@kernel
def advance_memory(model, table, tree, data, time) -> bool:
    """Laws remember what they say at q and v of the tree, where a step has been accepted. Returns whether any of it is new."""
    sweep_links(model, tree.motion, tree.q, tree.v, tree.vdot, VELOCITY_ORDER)
    lanes, new = width(tree), False
    for e in range(table.count):
        entry = table.entries[e]
        if entry.slots > 0 and table.on[entry.force] != 0:
            if entry.kind == ALONG:
                _call_along(entry, tree, data, time)
            else:
                A, B = marker(tree.motion, entry.a, entry.Ra, entry.pa), marker(tree.motion, entry.b, entry.Rb, entry.pb)
                put_marker(data.call.markers, 0, A)
                put_marker(data.call.markers, MARKER, B)
                _call_between(entry, tree, data, time)
            old, coming = floats_of(data.memory), floats_of(data.coming)
            for k in range(entry.memory * lanes, (entry.memory + entry.slots) * lanes):
                new = new or old[k] != coming[k]
                old[k] = coming[k]
    return new


@kernel
def _along(table, entry, tree, data, time) -> None:
    """A law of one joint coordinate."""
    _call_along(entry, tree, data, time)
    force = data.call.results[0]
    tree.tau[entry.v] = tree.tau[entry.v] + force
    _store(data, entry.force, force * tree.v[entry.v], data.call.results[1])


@kernel
def _call_along(entry, tree, data, time) -> None:
    """What it gives, in all lanes, to `results`."""
    call, lanes = data.call, width(tree)
    q, v, results = floats_of(tree.q), floats_of(tree.v), floats_of(call.results)
    for lane in range(lanes):
        call.given[0] = q[entry.q * lanes + lane] if entry.q >= 0 else 0.0
        call.given[1] = v[entry.v * lanes + lane]
        call.given[2] = time
        give_memory(entry, data, lane, lanes, ALONG_GIVEN)
        call_law(entry.code, floats_of(call.given), entry.parameters, floats_of(call.result))
        take_memory(entry, data, lane, lanes, ALONG_RESULT)
        results[lane] = call.result[0]
        results[lanes + lane] = call.result[1]


@kernel
def _between(table, entry, tree, data, time) -> None:
    """A law between two places."""
    call = data.call
    A, B = marker(tree.motion, entry.a, entry.Ra, entry.pa), marker(tree.motion, entry.b, entry.Rb, entry.pb)
    put_marker(call.markers, 0, A)
    put_marker(call.markers, MARKER, B)
    _call_between(entry, tree, data, time)
    power = _press(tree, entry.a, A, call.results, 0) + _press(tree, entry.b, B, call.results, 6)
    _store(data, entry.force, power, call.results[RESULT - 1])


@kernel
def _call_between(entry, tree, data, time) -> None:
    """What it gives at the two markers in `markers`, in all lanes, to `results`."""
    call, lanes = data.call, width(tree)
    markers, results = floats_of(call.markers), floats_of(call.results)
    for lane in range(lanes):
        for k in range(2 * MARKER):
            call.given[k] = markers[k * lanes + lane]
        call.given[TIME] = time
        give_memory(entry, data, lane, lanes, GIVEN)
        call_law(entry.code, floats_of(call.given), entry.parameters, floats_of(call.result))
        take_memory(entry, data, lane, lanes, RESULT)
        for k in range(RESULT):
            results[k * lanes + lane] = call.result[k]


@kernel
def _press(tree, i, frame, results, at) -> Scalar:
    """Add the wrench results[at..], about a marker's point, to what acts on the marker's link i; returns its power."""
    power = zero(tree)
    if i >= 0:
        _, p, w, u = frame
        n, force = get3(results, at), get3(results, at + 3)
        power = dot3(w, n) + dot3(u, force)
        link, wrench = tree.motion.links[i], tree.wrenches[i]
        n = add3(n, cross3(sub3(p, link.p), force))
        n, force, f = apply9_transposed(link.R, n), apply9_transposed(link.R, force), wrench.f
        wrench.f = f[0] + n[0], f[1] + n[1], f[2] + n[2], f[3] + force[0], f[4] + force[1], f[5] + force[2]
    return power


@kernel(inline=True)
def _store(data, force, power, stored):
    data.powers[force] = data.powers[force] + power
    data.stored[force] = data.stored[force] + stored
