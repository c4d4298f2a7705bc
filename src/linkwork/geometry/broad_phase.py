"""Which shapes of a list may touch: sweep and prune over boxes along the world's axes.

Shapes are sorted by the lower end of their boxes along one axis, the one along which their middles spread most; insertion sort, since the order changes
little from step to step. Whoever begins before another ends is compared with it. The result is sorted by shapes: it depends on the boxes alone and not
on what was sorted before. Baraff 1992 (sweep and prune with insertion sort).
"""

from ..kernels import kernel
from ..kernels.records import Record, integer, integers, reals
from .bounds import FAR


class BroadPhase(Record):
    """Boxes about shapes, and the pairs that overlap. Make one with ``BroadPhase.allocate({"shapes": n, "pairs": m})`` and set `count` and `capacity`."""

    count = integer("number of shapes", by="caller")
    capacity = integer("number of pairs there is room for", by="caller")
    found = integer("number of pairs; if it is greater than the capacity, pairs are missing: allocate a larger one", by="find_pairs")
    ordered = integer("number of shapes in `order`", by="_sort")
    box = reals("6 * shapes", "of each shape least x, y, z, greatest x, y, z, m", by="set_box")
    order = integers("shapes", "shapes by the lower ends of their boxes", by="_sort")
    pairs = integers("pairs", "the pairs: count times the lower number, plus the higher", by="find_pairs")


@kernel(inline=True)
def set_box(phase, shape, box, margin):
    """The box about a shape (geometry/bounds.py), widened to all sides: by half the reach."""
    at = 6 * shape
    phase.box[at], phase.box[at + 1], phase.box[at + 2] = box[0] - margin, box[1] - margin, box[2] - margin
    phase.box[at + 3], phase.box[at + 4], phase.box[at + 5] = box[3] + margin, box[4] + margin, box[5] + margin


@kernel(entry="i -> i")
def find_pairs(phase: BroadPhase) -> int:
    """All pairs of shapes whose boxes overlap, to `pairs`, in ascending order; returns their number, which may be greater than the capacity."""
    n, found, axis = phase.count, 0, _widest_axis(phase)
    _sort(phase, axis)
    for i in range(n):
        a = phase.order[i]
        end = phase.box[6 * a + 3 + axis]
        for j in range(i + 1, n):
            b = phase.order[j]
            if phase.box[6 * b + axis] > end:
                break
            if _overlap(phase, a, b):
                if found < phase.capacity:
                    phase.pairs[found] = n * min(a, b) + max(a, b)
                found += 1
    phase.found = found
    _heap_sort(phase.pairs, min(found, phase.capacity))
    return found


@kernel(inline=True)
def _overlap(phase, a, b):
    box, i, j = phase.box, 6 * a, 6 * b
    x = box[i] <= box[j + 3] and box[j] <= box[i + 3]
    y = box[i + 1] <= box[j + 4] and box[j + 1] <= box[i + 4]
    return x and y and box[i + 2] <= box[j + 5] and box[j + 2] <= box[i + 5]


@kernel
def _widest_axis(phase) -> int:
    """The axis along which the middles of finite boxes spread most."""
    best, chosen = -1.0, 0
    for axis in range(3):
        n, total, squares = 0, 0.0, 0.0
        for k in range(phase.count):
            low, high = phase.box[6 * k + axis], phase.box[6 * k + 3 + axis]
            if low > -0.5 * FAR and high < 0.5 * FAR:
                middle = 0.5 * (low + high)
                n, total, squares = n + 1, total + middle, squares + middle * middle
        spread = squares - total * total / n if n > 0 else 0.0
        if spread > best:
            best, chosen = spread, axis
    return chosen


@kernel
def _sort(phase, axis) -> None:
    """Insertion sort by lower ends; equal ones by number."""
    n, order, box = phase.count, phase.order, phase.box
    if phase.ordered != n:
        phase.ordered = n
        for k in range(n):
            order[k] = k
    for k in range(1, n):
        shape = order[k]
        low = box[6 * shape + axis]
        at = k
        while at > 0:
            other = order[at - 1]
            before = box[6 * other + axis]
            if before < low or (before == low and other < shape):
                break
            order[at] = other
            at -= 1
        order[at] = shape


@kernel
def _heap_sort(values, n) -> None:
    """Sort integers in place."""
    for k in range(n // 2):
        _sift(values, n // 2 - 1 - k, n)
    for k in range(n - 1):
        last = n - 1 - k
        top = values[0]
        values[0] = values[last]
        values[last] = top
        _sift(values, 0, last)


@kernel(inline=True)
def _sift(values, start, n):
    """Let the value at `start` sink in a heap of n."""
    value, at = values[start], start
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[at] = values[child]
        at = child
    values[at] = value
