"""The mass matrix: public function over composite rigid bodies."""

import numpy as np

from ..kernel import kernel
from ..model.tables import count_q, floats_at, open_tables
from ..scalar import beyond, scalar_for, width
from .call import HUGE, Driver, clear, run, take_q
from .crba import composite_bodies


@kernel
def _mass_matrix(handle, memory, start, stop, q, out):
    t = open_tables(handle)
    work = floats_at(memory, HUGE)
    like = scalar_for(q)
    if q.shape[-1] != count_q(t):
        return -1
    for k in range(start, stop, width(like)):
        if beyond(take_q(t, work, q, k, like), 0.0):
            return k + 1
        clear(out, k, like)
        composite_bodies(t, work, out, k, like)
    return 0


_driver = Driver(_mass_matrix, 1, 2)


def mass_matrix(model, q, *, out=None, threads=1):
    """The joint-space mass matrix M(q), symmetric positive definite, (..., nv, nv); kinetic energy is v^T M v / 2.

    By composite rigid bodies (Featherstone 1987, section 5.4). Reflected rotor inertias (armature) are on its diagonal.
    """
    if out is None:
        pool = model.pool
        memory = pool.pop() if pool else model.new_memory()
        try:
            result = np.empty((model.nv, model.nv))
            if _mass_matrix(model.handle, memory, 0, 1, q, result) == 0:
                return result
        except (TypeError, AttributeError):
            pass  # a batch, other types, a first call, or an error: the long way finds out
        finally:
            pool.append(memory)
    return run(_driver, model, [("q", q, (model.nq,))], [(model.nv, model.nv)], out, threads)
