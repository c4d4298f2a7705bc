"""Memory of contact: how much of it there is, how it grows, and what of it a restart needs.

Kernels never allocate. Where more points come than there is room for, the loop ends before the step, and the room is doubled here.
"""

import math

import numpy as np

from ...constraints.tolerance import comparable
from ...data.contact import ContactData
from ...data.contact_mode import ContactMode
from ...data.contact_problem import OPEN, UPPER, new_contact_problem
from ...data.need_memory import most_bytes
from ...errors import ModelError
from ..saved_values import refuse_saved

CONTACT_LOSSES = (
    3  # numbers behind the powers in the works of a stepper: lost to impacts, to friction, and where overlapping bodies were moved apart
)
CLOSED = 1e-9  # of the length of the scene, or rad: a gap that counts as closed, a limit that counts as reached
MOST_SHOWN = 8  # numbers in a message
LEAST_ROOM, USUAL_ROOM = 16, 256  # points, to begin with: matrices have as many entries as the square of three times this
MATRICES = 3  # of rows by rows
GUESSED = ("lasting", "friction_lasting", "response", "size", "kept", "steady")
KEPT = ("force", "friction_force", "friction_loss", *GUESSED)  # of a LimitRow
STILL = 1e-10  # of the speed that gravity gives within the length of the scene: slower slip has no direction of its own
BOOKED = (  # sums and extremes (ContactBooks)
    *("steps", "approximate", "most_points", "separations", "guarded", "worst_gap", "worst_gap_pair"),
    *("worst_slip", "worst_slip_pair", "worst_cone", "worst_residual", "worst_residual_pair"),
)
OF_PAIRS = ("pair_friction", "pair_impact", "pair_impulse", "pair_jump", "pair_impacts")  # numbers of every pair


def solver_with_contact(model, solver):
    """The solver of a motion with contact."""
    if solver == "sparse":
        raise ModelError(
            "solver: found 'sparse', which has no factor that rows of contacts could go through; allowed with contact are 'auto' and 'articulated'"
        )
    return "articulated" if model.nc and solver == "auto" else solver


def new_contact(model, joint_forces=True, room=0):
    """The ContactData of a model, with room for so many points at least. joint_forces: do limits and dry friction of joints act?"""
    limits = list(_limits(model)) if joint_forces else []
    links, width = _longest_path(model)
    t = model.contact_tables
    room = max(room, LEAST_ROOM, min(USUAL_ROOM, 4 * min(t.nshapes, t.npairs)))
    rows = 3 * room + 3 * len(limits)
    _need_room(model, room, rows)
    sizes = {
        "contacts": room,
        "limits": len(limits),
        "rows": rows,
        "path_links": (room + 3 * len(limits)) * links,
        "row_numbers": rows * width,
        "coupled": rows * model.nc,
    }
    contact = ContactData.allocate(model.sizes | sizes)
    contact.problem = new_contact_problem(rows, room + 3 * len(limits))
    contact.room, contact.row_room, contact.path_room, contact.number_room = room, rows, sizes["path_links"], sizes["row_numbers"]
    contact.tolerance = CLOSED * float(t.length[0])
    contact.nlimits = len(limits)
    contact.trees[:], contact.ntrees = _linkages(model)
    tolerance = CLOSED / comparable(model)
    for row, (link, q, v, lower, upper, friction) in zip(contact.limits, limits, strict=True):
        row.link, row.q, row.v, row.lower, row.upper, row.friction = link, q, v, lower, upper, friction
        row.tolerance = float(tolerance[v])
    return contact


def new_mode(model, contact):
    """The ContactMode of a model, without a closed point, with the room that its contact data has."""
    mode = ContactMode.allocate(model.sizes | {"contacts": contact.room, "rows": contact.row_room})
    mode.contact = contact
    mode.still = STILL * float(np.sqrt(max(np.linalg.norm(model.gravity), 1e-9) * model.contact_tables.length[0]))
    return mode


def _limits(model):
    """(link, q, v, lower, upper, friction) of each coordinate with limits or dry friction; q is -1 where it has no limits."""
    for joint in model.joints:
        for k in range(joint.nv):
            lower, upper, friction = float(joint.lower[k]), float(joint.upper[k]), float(joint.friction[k])
            limited = (math.isfinite(lower) or math.isfinite(upper)) and not (joint.kind.ball or joint.kind.free)
            if limited or friction > 0.0:
                v = joint.v_index.start + k
                link = next(i for i in range(model.tables.n) if 0 <= v - model.tables.links["v"][i] < model.tables.links["nv"][i])
                yield link, joint.q_index.start + k if limited else -1, v, lower, upper, friction


def _need_room(model, room, rows):
    """Refuse problems whose matrices would take more memory than there is."""
    size = 8.0 * MATRICES * rows * rows
    if size > most_bytes():
        raise ModelError(
            f"model {model.name!r}: {room} points of contact at once need {size / 2**30:.3g} GiB; allowed is {most_bytes() / 2**30:.3g} GiB, half of what "
            "there is; take fewer bodies, or coarser shapes, at once"
        )


def friction_of_joints(model, contact):
    """(name, J) of what dry friction has taken at each joint coordinate that has any: "hinge", or "ball 0", "ball 1" where there are several."""
    names = {}
    for joint in model.joints:
        names |= {joint.v_index.start + k: joint.name if joint.nv == 1 else f"{joint.name} {k}" for k in range(joint.nv)}
    return tuple((names[int(row.v)], float(row.friction_loss)) for row in contact.limits if row.friction > 0.0)


def _linkages(model):
    """(for each link the number of its linkage, how many there are): what joints and constraints connect. The world connects nothing."""
    n, c = model.tables.n, model.constraint_tables
    first = list(range(n))

    def root(i):
        while first[i] != i:
            i = first[i]
        return i

    def join(links):
        roots = [root(int(i)) for i in links if i >= 0]
        for i in roots:
            first[root(i)] = first[i] = min(root(i), root(roots[0]))
            first[root(roots[0])] = root(i)

    for i, parent in enumerate(model.tables.links["parent"]):
        join((i, parent))
    for block in c.blocks:
        join(c.paths[int(block["path"]) : int(block["path"]) + int(block["paths"])])
    roots = [root(i) for i in range(n)]
    names = sorted(set(roots))
    return [names.index(r) for r in roots], len(names)


def _longest_path(model):
    """(links, velocities) of the longest path of a row: from two links to their roots."""
    parents, nv = model.tables.links["parent"], model.tables.links["nv"]
    links, width = np.zeros(model.tables.n + 1, dtype=int), np.zeros(model.tables.n + 1, dtype=int)  # the last one: the world
    for i in range(model.tables.n):
        links[i], width[i] = links[parents[i]] + 1, width[parents[i]] + nv[i]
    pairs = model.contact_tables.pairs
    most = [(links[i], width[i]) for i in range(model.tables.n)] + [(1, 1)]
    most += [(links[a] + links[b], width[a] + width[b]) for a, b in {(int(p["link_a"]), int(p["link_b"])) for p in pairs}]
    return max(n for n, _ in most), max(n for _, n in most)


def grow(system):
    """Twice the room, with what was remembered."""
    old = system.contact
    new = new_contact(system.model, old.nlimits > 0, 2 * old.room)
    load_contact(new, save_contact(old))
    new.again = old.again
    system.stepper.contact = new


def save_contact(contact):
    """What a restart needs, as 64-bit words."""
    memory, books = contact.memory, contact.books
    count = int(memory.count[0])
    points = memory.points.rows[:count].view(np.int64).reshape(-1)
    numbers = np.array([float(getattr(books, name)) for name in BOOKED])
    forces = np.array([getattr(row, name) for row in contact.limits for name in KEPT], dtype=float)
    sums = [getattr(books, name) for name in OF_PAIRS]
    return np.concatenate([[count], points, *(x.view(np.int64) for x in (numbers, books.rungs, *sums, forces))])


def check_length(contact, saved):
    """Refuse numbers that are not as many as their points need; else the sizes of their parts."""
    count = int(saved[0]) if len(saved) else -1
    words = contact.memory.points.rows.dtype.itemsize // 8
    pairs = [len(getattr(contact.books, name)) for name in OF_PAIRS]
    sizes = [count * words, len(BOOKED), len(contact.books.rungs), *pairs, len(KEPT) * contact.nlimits]
    if count < 0 or len(saved) != 1 + sum(sizes):
        raise refuse_saved("contacts", len(saved), f"{1 + sum(sizes)} numbers for {count} points")
    return sizes


def refuse_wrong_points(contact, saved):
    """Refuse what a checkpoint says of contacts if no step can have left it: before room is made for it."""
    sizes = check_length(contact, saved)
    points = saved[1 : 1 + sizes[0]].copy().view(contact.memory.points.rows.dtype)
    pair, npairs = points["pair"], len(contact.books.pair_friction)
    if ((pair < 0) | (pair >= npairs)).any() or (np.diff(pair) < 0).any():
        raise refuse_saved("pairs of contacts", pair.tolist()[:MOST_SHOWN], f"0 to {npairs - 1}, ascending")
    if ((points["status"] < OPEN) | (points["status"] > UPPER)).any():
        raise refuse_saved("statuses of contacts", points["status"].tolist()[:MOST_SHOWN], f"{OPEN} to {UPPER}")
    numbers = [points[name] for name in points.dtype.names if points.dtype[name].base.kind == "f"]
    limits = saved[len(saved) - sizes[-1] :].view(np.float64)
    if not all(np.isfinite(x).all() for x in (*numbers, limits)):
        raise refuse_saved("contacts", "numbers that are not finite", "finite numbers")


def load_contact(contact, saved):
    """Take up what `save_contact` gave."""
    memory, books = contact.memory, contact.books
    sizes, count = check_length(contact, saved), int(saved[0])
    points, numbers, rungs, *sums, limits = np.split(saved[1:], np.cumsum(sizes)[:-1])
    memory.count[0] = count
    if count:
        memory.points.rows[:count] = points.copy().view(memory.points.rows.dtype)
    for name, value in zip(BOOKED, numbers.copy().view(np.float64), strict=True):
        setattr(books, name, int(value) if isinstance(getattr(books, name), int) else float(value))
    books.rungs[:] = rungs
    for name, values in zip(OF_PAIRS, sums, strict=True):
        kept = getattr(books, name)
        kept[:] = values.copy().view(kept.dtype)
    for row, values in zip(contact.limits, limits.copy().view(np.float64).reshape(-1, len(KEPT)), strict=True):
        for name, value in zip(KEPT, values, strict=True):
            setattr(row, name, float(value))


def forget_contact(contact):
    """The motion begins afresh elsewhere: what was remembered of points does not count any more."""
    contact.memory.count[:] = 0
    for row in contact.limits:
        row.force = row.friction_force = 0.0
        for name in GUESSED:
            setattr(row, name, 0.0)
