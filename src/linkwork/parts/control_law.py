"""What stands between the three arrays of a native controller and the arguments and results of a user's function (see controller.py)."""

from typing import NamedTuple

import numpy as np

from ..errors import ModelError


class ControlLaw(NamedTuple):
    """How a controller's function is called: with all nq coordinates and nv velocities, or with those at `q_at` and `v_at`."""

    nq: int
    nv: int
    q_at: tuple[int, ...] | None
    v_at: tuple[int, ...] | None
    parameters: int
    states: int
    fills: bool
    remembers: bool

    @property
    def sizes(self):
        return 1 + self.nq + self.nv, self.parameters + self.states, self.nv

    @property
    def wanted(self):
        """How many joint forces the function gives."""
        return self.nv if self.v_at is None else len(self.v_at)

    def argument_types(self):
        from ..kernels.user_functions import NUMBER, NUMBERS

        arrays = 2 + self.fills + self.remembers
        return (NUMBER, *(NUMBERS,) * arrays, *(NUMBER,) * self.parameters)

    def compiled_filler(self, function, returns):
        from ..kernels.user_functions import helper, to_fixed_tuple

        nq, nv, count = self.nq, self.nv, self.parameters
        call = helper(_callers(function)[self.fills, self.remembers])
        put = _compiled_put(function, returns, self.wanted, self.fills)

        def fill_all(given, numbers, out):
            out[:] = 0.0
            q, v = given[1 : 1 + nq], given[1 + nq : 1 + nq + nv]
            put(out, call(given[0], q, v, out, numbers[count:], to_fixed_tuple(numbers, count)))

        if self.v_at is None:
            return fill_all
        q_at, v_at = 1 + np.array(self.q_at, dtype=np.int64), np.array(self.v_at, dtype=np.int64)

        def fill_some(given, numbers, out):
            q, v, tau = np.empty(len(q_at)), np.empty(len(v_at)), np.empty(len(v_at))
            for k in range(len(q_at)):
                q[k] = given[q_at[k]]
            for k in range(len(v_at)):
                v[k], tau[k] = given[1 + nq + v_at[k]], 0.0
            put(tau, call(given[0], q, v, tau, numbers[count:], to_fixed_tuple(numbers, count)))
            for k in range(nv):
                out[k] = 0.0
            for k in range(len(v_at)):
                out[v_at[k]] = tau[k]

        return fill_some

    def plain_filler(self, function):
        call = _callers(function)[self.fills, self.remembers]
        some_q, some_v = (slice(None) if at is None else list(at) for at in (self.q_at, self.v_at))

        def fill(given, numbers, out):
            q, v = given[1 : 1 + self.nq].copy()[some_q], given[1 + self.nq : 1 + self.nq + self.nv].copy()[some_v]
            given_parameters = tuple([float(x) for x in numbers[: self.parameters]])
            tau = np.zeros(self.wanted)
            found = call(float(given[0]), q, v, tau, numbers[self.parameters : self.parameters + self.states], given_parameters)
            if not self.fills:
                tau = np.array(found, dtype=float) if found is not None else np.zeros((0, 0))
                if (tau.ndim, tau.size) != (1, self.wanted) and (tau.ndim, self.wanted) != (0, 1):
                    raise ValueError(f"it returned {found!r}; allowed are {self.wanted} numbers")
            out[: self.nv] = 0.0
            out[: self.nv][some_v] = tau

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
    from ..kernels.user_functions import helper, is_number, is_sequence_of_numbers, is_tuple_of_numbers, literal_unroll

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
    if is_tuple_of_numbers(returns, nv):
        return helper(put_tuple)
    if is_sequence_of_numbers(returns):
        return helper(put_array)
    raise ModelError(
        f"its function {function.__name__} returns {returns}; allowed are {nv} numbers, one for each velocity, as an array or a tuple; correct it"
    )
