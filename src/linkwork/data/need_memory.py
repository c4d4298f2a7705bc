"""Memory that grows as the square of a mechanism, or with the length of a run: asked for by name before it is taken, so that what is too large is
refused and not killed.

The solver `articulated` keeps a matrix of rows by rows for each group of rows (model/constraint_tables.py), questions like `mobility` one of all rows by all
velocities: 3000 loops, a file of some hundred kilobytes, would need gigabytes. Allowed is half of what the machine has, or of what the process may have.
"""

import functools
import math
import os

from ..errors import ModelError, StateError

SHARE = 0.5


@functools.cache
def most_bytes():
    """Bytes that one computation may take."""
    found = [math.inf]
    try:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        import resource  # not on Windows

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found.append(math.inf if limit == resource.RLIM_INFINITY else limit)
    except (AttributeError, ImportError, OSError, ValueError):
        pass
    return SHARE * min(found)


def need_memory(name, sizes, size, what):
    """Refuse a computation on a model that would take more bytes than there are. `sizes`: nv and nc of the model."""
    if size <= most_bytes():
        return
    raise ModelError(
        f"model {name!r}: {what} needs {size / 2**30:.1f} GiB for {sizes['nv']} velocities and {sizes['nc']} rows of constraints; allowed is "
        f"{most_bytes() / 2**30:.1f} GiB, half of what there is; take fewer loops or constraints at once, or simulate, "
        "which needs little for loops beside each other"
    )


def need_result_memory(argument, found, size, remedy):
    """Refuse results of a run that would take more bytes than there are. `found`: what was asked for; `remedy`: what to do instead."""
    if size <= most_bytes():
        return
    raise StateError(
        f"{argument}: found {found}, which needs {_bytes(size)} of memory; allowed is {_bytes(most_bytes())}, half of what there is; {remedy}",
        argument,
    )


def _bytes(size):
    return f"{size / 2**30:.3g} GiB"
