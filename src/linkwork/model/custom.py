"""Custom joints: the user's plain Python functions, compiled to one native function that kernels call by its address.

The native function reads q and v and fills pose (x y z qw qx qy qz), S v-columns (6 nv) and the rate Sdot v (6), in this order.
"""

from ..data.markers import JOINT_COLUMN, JOINT_POSE
from ..errors import ModelError
from ..jets.meaning import cached_by_meaning
from ..jets.retarget import compilable, interpreted
from ..kernels import JIT, kernel
from ..kernels.calling import calls_address
from ..native_function import native_filler

# In plain Python (LINKWORK_JIT=0) an "address" is an index into this list.
_PLAIN: list = []


def compile_custom(name, kind):
    """(code, keep_alive) for a Custom joint kind: code is what the table `generals` stores."""
    if not JIT:
        return plain_code(_plain(kind.pose, kind.motion, kind.rate, kind.nv)), None
    from ..kernels.user_functions import CompileError

    try:
        native = _native(kind.pose, kind.motion, kind.rate, kind.nv)
    except CompileError as error:
        raise ModelError(
            f"joint {name!r}: its functions cannot be compiled: {str(error).strip().splitlines()[0]}. "
            "pose(q) must return 7 numbers, motion(q) a tuple of nv columns of 6 numbers, rate(q, v) 6 numbers, "
            "all floats, using math or NumPy only; write them so, or set LINKWORK_JIT=0 to run without compiling."
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


@cached_by_meaning
def _native(pose, motion, rate, nv):
    compiled_pose, compiled_motion, compiled_rate = (compilable(f) for f in (pose, motion, rate))

    def fill(q, v, out):
        place = compiled_pose(q)
        for i in range(JOINT_POSE):
            out[i] = place[i]
        columns = compiled_motion(q)
        for k in range(nv):
            column = columns[k]
            for i in range(JOINT_COLUMN):
                out[JOINT_POSE + JOINT_COLUMN * k + i] = column[i]
        drift = compiled_rate(q, v)
        for i in range(JOINT_COLUMN):
            out[JOINT_POSE + JOINT_COLUMN * nv + i] = drift[i]

    plain = _plain(interpreted(pose), interpreted(motion), interpreted(rate), nv)
    return native_filler(fill, plain, (nv, nv, _column(nv + 1)), checked=True)


@calls_address("p p p -")
def call_custom(code, q, v, out, nv):
    """Run the native function of a custom joint, or another of two given arrays and a result."""
    _PLAIN[code](q[:nv], v[:nv], out)


@calls_address("p p+ p")
def call_native(code, given, numbers, number_at, out):
    """Run a native function on what is given and on its parameters `numbers`. In plain Python the code is the function itself."""
    code(given, numbers[number_at:], out)


__all__ = ["call_custom", "call_native", "compile_custom", "kernel", "plain_code"]
