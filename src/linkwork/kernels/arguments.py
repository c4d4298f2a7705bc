"""The array type of kernels that Python calls: C-contiguous, aligned, float64, with a known number of axes."""

from numba import types
from numba.core.datamodel import models
from numba.extending import register_model


class Exact(types.Array):
    """A C-contiguous float64 array with `ndim` axes."""

    def __init__(self, ndim):
        super().__init__(types.float64, ndim, "C", name=f"Exact{ndim}")

    @property
    def key(self):
        return ("Exact", self.ndim)

    def __reduce__(self):
        return Exact, (self.ndim,)


@register_model(Exact)
class _ExactModel(models.ArrayModel):
    pass
