"""What happens between pairs of shapes in a step that has been taken: changes of status, which events watch for, and impacts, for the audit.

A point is struck in a step if it closes faster than accelerations could make it in two steps: `jump` of a RememberedPoint, 0 if it is not. The points of a
pair that are struck in one step are one impact, and so is what goes on striking in the next: a point that closes within a step without rebound is stopped in
two of them.
"""

from ...data.contact_problem import OPEN, SLIDE, STICK
from ...kernels import kernel
from ...solvers.contact.points import SLIPS


@kernel(inline=True)
def _status_of(point):
    """OPEN, STICK, or SLIDE if it moves along the surface: a point may have all the friction there is, and rest."""
    return OPEN if point.status == OPEN else SLIDE if point.flags & SLIPS else STICK


@kernel
def note_change(contact) -> None:
    """Has the status of a pair changed in the step (contact.coming, against contact.memory): apart, all points stick, a point slides?"""
    old, new = contact.memory.points, contact.coming.points
    olds, news = contact.memory.count[0], contact.coming.count[0]
    contact.changed = False
    i, j = 0, 0
    while i < olds or j < news:
        pair = old[i].pair if i < olds else new[j].pair
        if j < news and new[j].pair < pair:
            pair = new[j].pair
        before, after = OPEN, OPEN
        while i < olds and old[i].pair == pair:
            before = max(before, _status_of(old[i]))
            i += 1
        while j < news and new[j].pair == pair:
            after = max(after, _status_of(new[j]))
            j += 1
        if before != after:
            contact.changed = True
            return


@kernel
def book_impacts(contact) -> None:
    """Impacts of the step, pair by pair: their number, impulses along normals, the largest jump of a normal velocity, and what energy they took."""
    books, old, new = contact.books, contact.memory.points, contact.coming.points
    olds, i, last = contact.memory.count[0], 0, -1
    for k in range(contact.coming.count[0]):
        point = new[k]
        if point.jump > 0.0:
            pair = point.pair
            books.pair_impulse[pair] = books.pair_impulse[pair] + point.impulse
            books.pair_impact[pair] = books.pair_impact[pair] + point.impact + point.friction
            books.pair_jump[pair] = max(books.pair_jump[pair], point.jump)
            if pair != last:
                last = pair
                while i < olds and old[i].pair < pair:
                    i += 1
                struck, j = False, i
                while j < olds and old[j].pair == pair:
                    struck = struck or old[j].jump > 0.0
                    j += 1
                if not struck:
                    books.pair_impacts[pair] = books.pair_impacts[pair] + 1
