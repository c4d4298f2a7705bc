"""Reports as plain text: columns that line up, numbers that are short, words that agree with their number."""

import numpy as np


def table(head, rows):
    """Lines of a table: the first column to the left, all others to the right."""
    cells = [[str(c) for c in row] for row in (head, *rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]).rstrip() for row in cells
    ]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def short(value, floor=0.0):
    """A number in four digits; below the floor it is 0."""
    return "0" if not abs(value) > floor else f"{value:.4g}"


def counted(number, one, many=None):
    """'1 joint', '2 joints'."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(names, most=8):
    """'a', 'b' and 'c'; long lists are cut."""
    names = [repr(name) for name in names]
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else "nothing"


def coordinates(model):
    """A name for every velocity: the joint's, with a number behind where it has several."""
    return [j.name if j.nv == 1 else f"{j.name}[{k}]" for j in model.joints for k in range(j.nv)]


def motion_text(names, rates, most=8):
    """'a 1, b -0.5, ...' of the coordinates that move, the fastest first if there are many."""
    moving = [k for k in range(len(rates)) if abs(rates[k]) > 1e-9 * np.max(np.abs(rates), initial=0.0)]
    shown = moving if len(moving) <= most else sorted(sorted(moving, key=lambda k: -abs(rates[k]))[:most])
    more = f" and {len(moving) - most} more" if len(moving) > most else ""
    return ", ".join(f"{names[k]} {short(rates[k])}" for k in shown) + more
