"""From a public function to its kernel: check and shape the arguments, borrow scratch memory, split a batch over threads.

A *driver* is a kernel ``driver(handle, memory, start, stop, *constants, *inputs, *outputs) -> status`` that walks states start..stop. It is
compiled twice: for one state (1-D inputs, floats) and for a batch (2-D inputs, packs of lanes). It returns 0, or something else if an
argument has a wrong size or holds a value that is not finite; Python then finds out what is wrong and says so.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from ..errors import StateError
from ..kernel import JIT, kernel
from ..model.tables import at_v
from ..scalar import beyond, store, zero
from ..spatial.vectors import load4

HUGE = 1 << 60  # length of a view on scratch memory, which is sized by the model: kernels do not check it
QUATERNION_TOLERANCE = 1e-6  # how far |q| of a quaternion may be off 1; within it, algorithms normalise


# ----------------------------------------------------------------------------------------------- inside kernels


def row(array, k):
    """State k of a batch, or the only state."""
    return array if array.ndim == 1 else array[k]


@kernel
def take(work, at, array, k, count, like):
    """Copy input row(s) k.. into slots; returns 0, or NaN if a value is not finite. A last, short block repeats its last state."""
    return _take(work, at, array, k, count, like)


def _take(work, at, array, k, count, like):
    values = row(array, k)
    bad = like * 0
    for i in range(count):
        work[at + i] = values[i]
        bad = bad + values[i] * 0.0
    return bad


@kernel
def give(work, at, array, k, count, like):
    """Copy result slots to output row(s) k.. ; lanes beyond the end of the batch are dropped."""
    _give(work, at, array, k, count, like)


def _give(work, at, array, k, count, like):
    values = row(array, k)
    for i in range(count):
        values[i] = work[at + i]


def put(array, k, i, j, value, like):
    """Store a scalar in row i, column j of the matrix of state(s) k."""
    if array.ndim == 2:
        array[i, j] = value
    else:
        array[k, i, j] = value


@kernel
def clear(array, k, like):
    """Set the matrix of state(s) k to zero."""
    _clear(array, k, like)


def _clear(array, k, like):
    if array.ndim == 2:
        array[:] = 0.0
    else:
        array[k] = 0.0


@kernel
def fill(work, at, count, value, like):
    """Set slots to a constant."""
    for i in range(count):
        store(work, at + i, zero(like) + value)


@kernel
def quaternions_off(t, work, like):
    """The largest sum of | |q|^2 - 1 | excesses: 0 if every quaternion is of unit length within the tolerance, NaN otherwise."""
    bad = zero(like)
    for j in range(t.quats.shape[0]):
        at = t.quats[j]
        w, x, y, z = load4(work, at, like)
        if beyond(w * w + x * x + y * y + z * z - 1.0, 2.0 * QUATERNION_TOLERANCE):
            bad = bad + float("nan")
    return bad


@kernel
def take_q(t, work, q, k, like):
    """q into its slots, checked."""
    bad = take(work, 0, q, k, t.size[1], like)
    if t.quats.shape[0] > 0:
        bad = bad + quaternions_off(t, work, like)
    return bad


@kernel
def take_qv(t, work, q, v, k, like):
    """q and v into their slots, checked."""
    return take_q(t, work, q, k, like) + take(work, at_v(t), v, k, t.size[2], like)


if JIT:
    from numba.extending import overload

    from .. import lanes

    @overload(row)
    def _row(array, k):
        if array.ndim == 1:
            return lambda array, k: array
        return lambda array, k: array[k]

    @overload(_take)
    def _take_overload(work, at, array, k, count, like):
        if array.ndim == 1:
            return _take

        LANES = lanes.LANES

        def take_lanes(work, at, array, k, count, like):
            bad = lanes.spread(0.0)
            last = array.shape[0] - 1
            for i in range(count):
                for lane in range(LANES):
                    work[(at + i) * LANES + lane] = array[min(k + lane, last), i]
                bad = bad + lanes.load_pack(work, at + i) * 0.0
            return bad

        return take_lanes

    @overload(_give)
    def _give_overload(work, at, array, k, count, like):
        if array.ndim == 1:
            return _give

        LANES = lanes.LANES

        def give_lanes(work, at, array, k, count, like):
            for lane in range(min(LANES, array.shape[0] - k)):
                for i in range(count):
                    array[k + lane, i] = work[(at + i) * LANES + lane]

        return give_lanes


    @overload(put)
    def _put(array, k, i, j, value, like):
        if array.ndim == 2:

            def one(array, k, i, j, value, like):
                array[i, j] = value

            return one

        LANES = lanes.LANES

        def many(array, k, i, j, value, like):
            for lane in range(min(LANES, array.shape[0] - k)):
                array[k + lane, i, j] = lanes.lane(value, lane)

        return many

    @overload(_clear)
    def _clear_overload(array, k, like):
        if array.ndim == 2:

            def one(array, k, like):
                for i in range(array.shape[0]):
                    for j in range(array.shape[1]):
                        array[i, j] = 0.0

            return one

        LANES = lanes.LANES

        def many(array, k, like):
            for lane in range(min(LANES, array.shape[0] - k)):
                for i in range(array.shape[1]):
                    for j in range(array.shape[2]):
                        array[k + lane, i, j] = 0.0

        return many


# ----------------------------------------------------------------------------------------------- around kernels


class Driver:
    """A driver kernel with its two compiled forms.

    `ndims` are the dimensions of its inputs and outputs for one state, `constants` the number of 1-D arrays before them that all states share.
    """

    def __init__(self, function, *ndims, constants=0):
        self.function, self.ndims, self.constants = function, ndims, constants
        if JIT:
            function._can_compile = False  # other types than ours are a TypeError, not a reason to compile

    def compile(self, batch):
        """Make sure that the form for one state (or for a batch) is compiled; quick if it is."""
        if not JIT:
            return
        from numba import types

        arrays = [types.Array(types.float64, ndim + batch, "C") for ndim in self.ndims]
        signature = (types.int64,) * 4 + (types.float64[::1],) * self.constants + tuple(arrays)
        if signature not in self.function.overloads:
            self.function._can_compile = True
            try:
                self.function.compile(signature)
            finally:
                self.function._can_compile = False


def run(driver, model, inputs, outputs, out=None, threads=1, constants=()):
    """Check the arguments, run the driver on one state or a batch, return the output array(s).

    `inputs`: (name, value, shape of one state). `outputs`: shapes of one state. `out`: None, an array, or a tuple of arrays.
    """
    arrays, leading = shaped(inputs)
    batch = len(leading) > 0
    count = int(np.prod(leading, dtype=np.int64)) if batch else 1
    results, targets = _outputs(outputs, leading, out, arrays)
    flat_in = [*constants] + [a.reshape((count, -1) if batch else (-1,)) for a in arrays]
    flat_out = [r.reshape((count, *s) if batch else s) for r, s in zip(targets, outputs, strict=True)]
    if count:
        driver.compile(batch)
        status = _walk(driver, model, flat_in, flat_out, count, threads if batch else 1)
        if status != 0:
            diagnose(model, inputs, arrays)
    for result, target in zip(results, targets, strict=True):
        if result is not target:
            result[...] = target
    return results[0] if len(results) == 1 else tuple(results)


def _walk(driver, model, inputs, outputs, count, threads):
    workers = _workers(threads)
    if workers == 1:
        with model.memory() as memory:
            return driver.function(model.handle, memory, 0, count, *inputs, *outputs)
    # Whole blocks of 64 states (a multiple of LANES), so that a state's lane, and its bits, do not depend on the number of threads.
    step = -(-count // (64 * workers)) * 64

    def part(start):
        with model.memory() as memory:
            return driver.function(model.handle, memory, start, min(start + step, count), *inputs, *outputs)

    return next((s for s in _pool(workers).map(part, range(0, count, step)) if s != 0), 0)


def _workers(threads):
    if threads is None:
        return os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise StateError(f"threads: found {threads!r}; allowed is a whole number from 1 on, or None for all cores", "threads")
    return int(threads)


@cache
def _pool(workers):
    return ThreadPoolExecutor(workers, thread_name_prefix="linkwork")


def shaped(inputs):
    """Inputs as C-contiguous float64 arrays with equal leading axes, and these axes."""
    arrays = []
    for name, value, shape in inputs:
        array = as_floats(name, value)
        if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
            raise StateError(
                f"{name}: found shape {array.shape}; allowed is {_text(shape)} for one state, or {_text(('...', *shape))} for a batch", name
            )
        arrays.append(array)
    leading = [a.shape[: a.ndim - len(s)] for a, (_, _, s) in zip(arrays, inputs, strict=True)]
    try:
        common = np.broadcast_shapes(*leading)
    except ValueError:
        found = ", ".join(f"{name} {lead}" for (name, _, _), lead in zip(inputs, leading, strict=True))
        raise StateError(f"{inputs[0][0]}: the batch axes do not fit together: {found}; give each argument the same number of states, or one", inputs[0][0]) from None
    shapes = [common + s for _, _, s in inputs]
    return [a if a.shape == s else np.ascontiguousarray(np.broadcast_to(a, s)) for a, s in zip(arrays, shapes, strict=True)], common


def as_floats(name, value):
    """A C-contiguous float64 array, or a StateError that names the argument."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise StateError(f"{name}: cannot be read as an array of numbers ({error}); give numbers of one shape", name) from None
    if array.dtype.kind not in "fiu":
        raise StateError(f"{name}: found dtype {array.dtype}; allowed are real numbers (float64); convert it first", name)
    return np.ascontiguousarray(array, dtype=np.float64)


def _text(shape):
    return "(" + ", ".join(str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"


def _outputs(shapes, leading, out, inputs):
    given = (None,) * len(shapes) if out is None else out if isinstance(out, tuple) else (out,)
    if len(given) != len(shapes):
        raise StateError(f"out: found {len(given)} arrays; allowed is a tuple of {len(shapes)}", "out")
    results, targets = [], []
    for array, shape in zip(given, shapes, strict=True):
        full = leading + shape
        if array is None:
            array = np.empty(full)
        elif not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.shape != full or not array.flags.writeable:
            found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise StateError(f"out: found {found}; allowed is a writeable float64 array of shape {full}", "out")
        direct = array.flags.c_contiguous and not any(np.may_share_memory(array, a) for a in inputs)
        results.append(array)
        targets.append(array if direct else np.empty(full))
    return results, targets


def diagnose(model, inputs, arrays):
    """Find the value that made a kernel refuse, and raise an error that names it."""
    for (name, _, shape), array in zip(inputs, arrays, strict=True):
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0]
            found = array[tuple(where)]
            raise StateError(f"{name}: element {tuple(int(i) for i in where)} is {found}; allowed are finite numbers; check how it was computed", name)
        if name == "q":
            _diagnose_quaternions(model, array)
    raise StateError("the kernel refused its input, though every argument looks right; please report this")


def _diagnose_quaternions(model, q):
    for at in model.tables.quats:
        norms = np.linalg.norm(q[..., at : at + 4], axis=-1)
        wrong = ~(np.abs(norms - 1.0) <= QUATERNION_TOLERANCE)
        if wrong.any():
            which = tuple(int(i) for i in np.argwhere(wrong)[0]) if norms.ndim else ()
            norm = float(norms[which])
            place = f" of state {which}" if which else ""
            raise StateError(
                f"q: the quaternion at {at}:{at + 4} (joint {model.joint_at_q(at)!r}){place} has length {norm:.9g}; "
                f"allowed is 1 within {QUATERNION_TOLERANCE:g}; normalise it, or start from lw.neutral(model)",
                "q",
            )

