"""Custom joints: the user's plain Python functions, compiled to one native function that kernels call by its address.

The native function reads q and v and fills pose (x y z qw qx qy qz), S v-columns (6 nv) and the rate Sdot v (6), in this order.
"""

from ..data.markers import JOINT_COLUMN, JOINT_POSE
from ..errors import ModelError
from ..jets.meaning import cached_by_meaning
from ..jets.retarget import compilable, interpreted
from ..kernels import JIT, kernel
from ..kernels.calling import calls_address
from ..native_function import native_filler, reason

# In plain Python (LINKWORK_JIT=0) an "address" is an index into this list.
_PLAIN: list = []


def compile_custom(name, kind):
    """(code, keep_alive) for a Custom joint kind: code is what the table `generals` stores."""
    if not JIT:
        return plain_code(_plain(kind.pose, kind.motion, kind.rate, kind.nv)), None
    try:
        native = _native(kind.pose, kind.motion, kind.rate, kind.nv)
    except Exception as error:  # Numba raises whatever it meets in a user's code
        raise ModelError(
            f"joint {name!r}: its functions cannot be compiled: {reason(error)}. "
            "pose(q) must return 7 numbers, motion(q) a tuple of nv columns of 6 numbers, rate(q, v) 6 numbers, "
            "using math or NumPy only; write them so, or set LINKWORK_JIT=0 to run without compiling."
        ) from error
    return native.address, native


def plain_code(function):
    """The code of a function (given, given, out) in plain Python."""
    _PLAIN.append(function)
    return len(_PLAIN) - 1


def _column(k):
    """Where column k of S begins in the result; the rate follows the last."""
    return JOINT_POSE + JOINT_COLUMN * k


def _plain(pose, motion, rate, nv):
    def fill(q, v, out):
        out[:JOINT_POSE] = pose(q)
        for k, column in enumerate(motion(q)):
            out[_column(k) : _column(k + 1)] = column
        out[_column(nv) : _column(nv + 1)] = rate(q, v)

    return fill


# Numbers are taken by constant places, one by one: a tuple may hold whole numbers beside floats, and has no other places in compiled code.


def _put_pose(given, out):
    out[0], out[1], out[2] = given[0], given[1], given[2]
    out[3], out[4], out[5], out[6] = given[3], given[4], given[5], given[6]


def _put_column(given, out, at):
    out[at], out[at + 1], out[at + 2] = given[0], given[1], given[2]
    out[at + 3], out[at + 4], out[at + 5] = given[3], given[4], given[5]


def _put_nothing(columns, out):
    pass


def _put_columns(nv):
    """The compiled function that puts nv columns into the result."""
    from ..kernels.user_functions import helper

    put_column = helper(_put_column, True)

    def then(put_others, k):
        at = _column(k)

        def put(columns, out):
            put_others(columns, out)
            put_column(columns[k], out, at)

        return helper(put, True)

    put = helper(_put_nothing)
    for k in range(nv):
        put = then(put, k)
    return put


@cached_by_meaning
def _native(pose, motion, rate, nv):
    from ..kernels.user_functions import helper

    compiled_pose, compiled_motion, compiled_rate = (compilable(f) for f in (pose, motion, rate))
    put_pose, put_column, put_columns, last = helper(_put_pose, True), helper(_put_column, True), _put_columns(nv), _column(nv)

    def fill(q, v, out):
        put_pose(compiled_pose(q), out)
        put_columns(compiled_motion(q), out)
        put_column(compiled_rate(q, v), out, last)

    plain = _plain(interpreted(pose), interpreted(motion), interpreted(rate), nv)
    return native_filler(fill, plain, (nv, nv, _column(nv + 1)), checked=True)


@calls_address("p p p -")
def call_custom(code, q, v, out, nv):
    """Run the native function of a custom joint, or another of two given arrays and a result."""
    _PLAIN[code](q[:nv], v[:nv], out)


@calls_address("p i p")
def call_law(code, given, parameters, out):
    """Run a force law on what is given and on its parameters, by their address; in plain Python they are the thing itself (data/forces.py)."""
    code(given, parameters, out)


@calls_address("p p+ p")
def call_native(code, given, numbers, number_at, out):
    """Run a native function on what is given and on its parameters `numbers`. In plain Python the code is the function itself."""
    code(given, numbers[number_at:], out)


__all__ = ["call_custom", "call_law", "call_native", "compile_custom", "kernel", "plain_code"]
