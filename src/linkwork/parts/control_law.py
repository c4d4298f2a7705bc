"""What stands between the three arrays of a native controller and the arguments and results of a user's function (see controller.py)."""

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..native_function import helper


class ControlLaw(NamedTuple):
    """How a controller's function is called."""

    nq: int
    nv: int
    count: int
    states: int
    fills: bool
    remembers: bool

    @property
    def sizes(self):
        return 1 + self.nq + self.nv, self.count + self.states, self.nv

    def argument_types(self):
        from numba import types

        arrays = 2 + self.fills + self.remembers
        return (types.float64, *(types.float64[::1],) * arrays, *(types.float64,) * self.count)

    def compiled_filler(self, function, returns):
        from numba.np.unsafe.ndarray import to_fixed_tuple

        nq, nv, count = self.nq, self.nv, self.count
        call = helper(_callers(function)[self.fills, self.remembers])
        put = _compiled_put(function, returns, self.nv, self.fills)

        def fill(given, numbers, out):
            out[:] = 0.0
            q, v, kept = given[1 : 1 + nq], given[1 + nq : 1 + nq + nv], numbers[count:]
            put(out, call(given[0], q, v, out, kept, to_fixed_tuple(numbers, count)))

        return fill

    def plain_filler(self, function):
        call = _callers(function)[self.fills, self.remembers]

        def fill(given, numbers, out):
            out[:] = 0.0
            q, v = given[1 : 1 + self.nq].copy(), given[1 + self.nq : 1 + self.nq + self.nv].copy()
            parameters = tuple([float(x) for x in numbers[: self.count]])
            found = call(float(given[0]), q, v, out, numbers[self.count :], parameters)
            if self.fills:
                return
            tau = np.array(found, dtype=float) if found is not None else None
            if tau is None or ((tau.ndim, tau.size) != (1, self.nv) and (tau.ndim, self.nv) != (0, 1)):
                raise ValueError(f"it returned {found!r}; allowed are {self.nv} numbers")
            out[:] = tau

        return fill


def _callers(function):
    """The function with always the same arguments, by (does it fill tau, does it remember)."""
    return {
        (False, False): lambda t, q, v, tau, memory, p: function(t, q, v, *p),
        (False, True): lambda t, q, v, tau, memory, p: function(t, q, v, memory, *p),
        (True, False): lambda t, q, v, tau, memory, p: function(t, q, v, tau, *p),
        (True, True): lambda t, q, v, tau, memory, p: function(t, q, v, tau, memory, *p),
    }


def _compiled_put(function, returns, nv, fills):
    """What moves a result of this type into tau."""
    from numba import literal_unroll, types

    def is_number(t):
        return isinstance(t, (types.Integer, types.Float))

    def put_number(out, found):
        out[0] = found

    def put_tuple(out, found):
        k = 0
        for x in literal_unroll(found):
            out[k] = x
            k += 1

    def put_array(out, found):
        if len(found) != nv:
            raise ValueError
        for k in range(nv):
            out[k] = found[k]

    def put_nothing(out, found):
        pass

    if fills:
        return helper(put_nothing)
    if is_number(returns) and nv == 1:
        return helper(put_number)
    if isinstance(returns, types.BaseTuple) and len(returns) == nv and all(map(is_number, returns.types)):
        return helper(put_tuple)
    if isinstance(returns, (types.Array, types.List)) and getattr(returns, "ndim", 1) == 1 and is_number(returns.dtype):
        return helper(put_array)
    raise ModelError(
        f"its function {function.__name__} returns {returns}; allowed are {nv} numbers, one for each velocity, as an array or a tuple; correct it"
    )
