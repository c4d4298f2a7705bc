"""From a public function to its kernel: check and shape the arguments, borrow a Data, split a batch over threads.

A *driver* is a kernel ``driver(handle, data, start, stop, *constants, *inputs, *outputs) -> status`` that walks states start..stop. It is
compiled twice: for one state (1-D inputs, floats) and for a batch (2-D inputs, packs of lanes). It returns 0, or something else if an
argument has a wrong size or holds a value that is not finite; Python then finds out what is wrong and says so.
"""

import math
import os
import threading
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.lending import lent
from ..data.need_memory import need_memory
from ..data.tree import TreeData
from ..errors import SolverError, StateError
from ..kernels import ENTRIES, JIT, kernel
from ..kernels.array_fields import pack_width
from ..kernels.scalar import beyond
from ..model.compiled import raised_by
from ..model.tables import open_tables
from ..validation import is_real, is_whole
from .exchange import QUATERNION_TOLERANCE, SINGULAR, times_zero

LARGE = 200_000  # numbers that take longer to look at (0.1 ms) than a thread takes to wake up
PIECE, MANY = 256, 2048  # a thread gets a multiple of PIECE states of a batch of MANY or more, else of 64
CONFIGURATIONS = ("q", "q0", "q1")  # arguments that hold quaternions


class Driver:
    """A driver kernel and its two compiled forms: `one(...)` for one state, `many(...)` for a batch.

    `ndims` are the dimensions of its inputs and outputs for one state, `constants` the arrays before them that all states share, as letters: "J1 A1"
    for one of integers and flags (int64) and one of numbers.
    `one` takes arrays of exactly the right type and raises a TypeError for anything else (also as long as it is not compiled).
    It holds the GIL, as calls of microseconds should. `record`: the class of the record that it works on, `make`: how a Data makes one, if that is
    more than memory; `lanes`: how wide it is in a batch, if not as wide as the machine. Threads get
    whole blocks of `block` states, a multiple of LANES, so that a state's lane, and its bits, do not depend on the number of threads.
    """

    def __init__(self, function, *ndims, constants="", block=64, batches_only=False, record=TreeData, make=None, lanes=None):
        self.function, self.ndims, self.constants, self.block = function, ndims, constants, block
        self.record, self.make, self.lanes = record, make, lanes
        self.one, self.many = _not_loaded, None
        self.bound = ()  # (Bound, index) of the public functions that call it without Python
        self.lock = threading.Lock()
        if JIT:
            ENTRIES.extend((function, self.letters(batch)) for batch in (False, True)[batches_only:])

    def prepare(self, batch):
        """Make sure that the form for one state (or for a batch) is loaded; quick if it is."""
        with self.lock:
            if batch and self.many is None:
                self.many = self._loaded(batch=True)
            elif not batch and self.one is _not_loaded:
                self.one = self._loaded(batch=False)

    def letters(self, batch):
        """The types of its arguments for one state or for a batch."""
        ndims = [ndim + batch for ndim in self.ndims]
        return " ".join(["i i i i", *self.constants.split(), *[f"A{ndim}" for ndim in ndims]])

    def data_in(self, data):
        """What the driver takes of a Data: its record, compiled by its address."""
        record = data.record(self.record, self.make)
        return record.address if JIT else record

    def address(self):
        """The address of the form for one state."""
        from ..kernels.loader import address_of_kernel

        return address_of_kernel(self.function, self.letters(False))

    def _loaded(self, batch):
        if not JIT:
            return self.function
        from ..kernels.shims import python_entry

        return python_entry(self.function, self.letters(batch) + " -> i", holds_gil=not batch)


def _not_loaded(*arguments):
    raise TypeError


def run(driver, model, inputs, outputs, out=None, threads=1, constants=()) -> Any:
    """Check the arguments, run the driver on one state or a batch, return the output array(s).

    `inputs`: (name, value, shape of one state). `outputs`: shapes of one state. `out`: None, an array, or a tuple of arrays.
    What the driver takes with one axis reaches it so: several axes are laid flat, a number is an array of one.
    """
    arrays, leading = shaped(inputs)
    batch = len(leading) > 0
    count = int(np.prod(leading, dtype=np.int64)) if batch else 1
    workers = workers_for(threads)
    if out is None:
        need_memory(model.name, model.sizes, 8 * count * sum(map(math.prod, outputs)), "the result")
    results, targets = outputs_for(outputs, leading, out, arrays)
    widths = [math.prod(shape) for _, _, shape in inputs]
    rows = [a.reshape((count, n) if batch else (n,)) for a, n in zip(arrays, widths, strict=True)]
    flat = [s if ndim > 1 else (math.prod(s),) for s, ndim in zip(outputs, driver.ndims[len(inputs) :], strict=True)]
    flat_out = [t.reshape((count, *s) if batch else s) for t, s in zip(targets, flat, strict=True)]
    if count and batch and out is not None:
        _check_before_writing(model, inputs, arrays, rows, workers)
    flat_in = [*constants, *rows]
    if count:
        driver.prepare(batch)
        if batch:
            status = _run_driver(driver, model, [*flat_in, *flat_out], count, workers)
        else:
            with lent(model) as data:
                status = driver.one(model.handle, driver.data_in(data), 0, 1, *flat_in, *flat_out)
        if status <= SINGULAR:
            _diagnose_singular(model, inputs, arrays, SINGULAR - status)
        if status != 0:
            diagnose(model, inputs, arrays)
        if not batch:
            for bound, index in driver.bound:
                bound.bind(model, index)
    for result, target in zip(results, targets, strict=True):
        if result is not target and not np.may_share_memory(result, target):
            result[...] = target
    return results[0] if len(results) == 1 else tuple(results)


@kernel
def _unfit(handle, memory, start, stop, is_q, values) -> int:
    """Is there a number that is not finite or, if these are configurations, a quaternion that is not of unit length?"""
    if beyond(times_zero(values), 0.0):
        return 1
    if is_q[0]:
        quats = open_tables(handle).quats
        for k in range(values.shape[0]):
            for j in range(quats.shape[0]):
                square = 0.0
                for i in range(4):
                    square += values[k, quats[j] + i] * values[k, quats[j] + i]
                if beyond(square - 1.0, 2.0 * QUATERNION_TOLERANCE):
                    return 1
    return 0


_fitness = Driver(_unfit, 1, constants="J1", batches_only=True)


def _check_before_writing(model, inputs, arrays, rows, workers):
    """Look at all states before the first result is written over what the caller has in `out`."""
    _fitness.prepare(batch=True)
    for (name, _, _), array in zip(inputs, arrays, strict=True):
        if name == "t":
            _diagnose_times(model, array)
    if sum(values.size for values in rows) < LARGE:
        workers = 1  # done before another thread has woken up
    step = -(-len(rows[0]) // workers)
    pieces = [
        (np.array([name in CONFIGURATIONS], dtype=np.int64), values[start : start + step])
        for (name, _, _), values in zip(inputs, rows, strict=True)
        for start in range(0, len(values), step)
    ]

    def unfit(piece):
        return _fitness.many(model.handle, 0 if JIT else None, 0, 0, *piece)

    if any(on_all(workers, unfit, pieces)):
        diagnose(model, inputs, arrays)


def _run_driver(driver, model, arrays, count, workers):
    # Whole pieces (a multiple of LANES), so that a state's lane, and its bits, do not depend on the number of threads.
    block, lanes = driver.block, pack_width() if driver.lanes is None else driver.lanes
    piece = max(PIECE, block) if block > 1 and count >= MANY else block
    step = -(-count // (piece * workers)) * piece

    def part(start):
        with lent(model, lanes) as data:
            return driver.many(model.handle, driver.data_in(data), start, min(start + step, count), *arrays)

    return next((status for status in on_all(workers, part, range(0, count, step)) if status != 0), 0)


def on_all(workers, function, items):
    """The function of every item: the first in this thread, the others meanwhile in threads of the pool."""
    first, *others = items
    waiting = [_pool(workers).submit(function, item) for item in others] if workers > 1 else []
    results = [function(first)]
    return results + ([task.result() for task in waiting] if workers > 1 else [function(item) for item in others])


def workers_for(threads):
    """The number of threads that the argument `threads` asks for."""
    if threads is None:
        return os.cpu_count() or 1
    if not is_whole(threads, 1):
        raise StateError(f"threads: found {threads!r}; allowed is a whole number from 1 on, or None for all cores", "threads")
    return int(threads)


@cache
def _pool(workers):
    from concurrent.futures import ThreadPoolExecutor  # here, so that one thread need not wait for it

    return ThreadPoolExecutor(workers, thread_name_prefix="linkwork")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has the pool, but not its threads


def shaped(inputs):
    """Inputs as C-contiguous float64 arrays with equal leading axes, and these axes."""
    arrays = []
    for name, value, shape in inputs:
        array = as_floats(name, value)
        if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
            raise StateError(
                f"{name}: found shape {array.shape}; allowed is {_text(shape)} for one state, or {_text(('...', *shape))} for a batch{_whose(name)}",
                name,
            )
        arrays.append(array)
    leading = [a.shape[: a.ndim - len(s)] for a, (_, _, s) in zip(arrays, inputs, strict=True)]
    try:
        common = np.broadcast_shapes(*leading)
    except ValueError:
        batches = [(name, lead) for (name, _, _), lead in zip(inputs, leading, strict=True) if lead]
        found = ", ".join(f"{name} {lead}" for name, lead in batches)
        names = " and ".join(name for name, _ in batches)
        raise StateError(
            f"{names}: the batch axes do not fit together: {found}; give each of them the same number of states, or one", batches[-1][0]
        ) from None
    shapes = [common + s for _, _, s in inputs]
    return [a if a.shape == s else np.broadcast_to(a, s).copy() for a, s in zip(arrays, shapes, strict=True)], common


def _whose(name):
    """How the place of a joint in q or v is found."""
    return f"; model.joint(NAME).{name}_index is a joint's place in it" if name in ("q", "v") else ""


def finite(model, inputs):
    """Inputs as `shaped` gives them, for functions that run no kernel which would refuse them: finite, and quaternions of unit length."""
    arrays, _ = shaped(inputs)
    for given, array in zip(inputs, arrays, strict=True):
        if not np.isfinite(array).all():
            diagnose(model, [given], [array])
        if given[0] in CONFIGURATIONS:
            _diagnose_quaternions(model, given[0], array)
    return arrays


def finite_times(t, leading=None):
    """Times as an array, for the states of a batch with these axes, (leading), if they are given; StateError for what is none, or does not fit."""
    times = as_floats("t", t)
    if not np.isfinite(times).all():
        raise StateError(f"t: found {t!r}; allowed are finite numbers, s; correct it", "t")
    if leading is None:
        return times
    try:
        return np.broadcast_to(times, leading)
    except ValueError:
        raise StateError(
            f"t: found shape {times.shape} beside states of shape {leading}; allowed is one number, or one for each state", "t"
        ) from None


def at_times(q, t):
    """Positions with the axes of times, where nothing depends on the time: results have these axes all the same."""
    if not np.ndim(t):
        finite_times(t)
        return q
    q = as_floats("q", q)
    try:
        leading = np.broadcast_shapes(q.shape[:-1], np.shape(t))
    except ValueError:
        leading = q.shape[:-1]
    finite_times(t, leading)
    return np.broadcast_to(q, (*leading, *q.shape[-1:])).copy()


def as_floats(name: str, value: Any) -> NDArray[np.float64]:
    """A C-contiguous float64 array as kernels take it (aligned and writeable too), or a StateError that names the argument."""
    if value is None or isinstance(value, (dict, set)):
        found = "None" if value is None else f"a {type(value).__name__}"
        raise StateError(f"{name}: found {found}; allowed is an array of numbers; give one (np.zeros for none of it){_whose(name)}", name)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise StateError(f"{name}: cannot be read as an array of numbers ({error}); give numbers of one shape", name) from None
    if not is_real(array):
        raise StateError(f"{name}: found dtype {array.dtype}; allowed are real numbers (float64); convert it first", name)
    array = np.asarray(array, dtype=np.float64, order="C")  # not ascontiguousarray, which makes a vector of a number
    return array if array.flags.carray else array.copy()


def _text(shape):
    return "(" + ", ".join(str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"


def outputs_for(shapes, leading, out, inputs):
    """(results, targets): the arrays to return, and those for the driver to fill, which are the same memory where that is safe."""
    full = [leading + shape for shape in shapes]
    if out is None:
        results = [np.empty(s) for s in full]
        return results, results
    results = checked_out(out, full)
    # What overlaps an input, or is laid out as no kernel takes it, is filled at the end.
    plain = [np.asarray(r) for r in results]
    targets = [p if p.flags.carray and not any(np.may_share_memory(p, a) for a in inputs) else np.empty(p.shape) for p in plain]
    return results, targets


def checked_out(out, shapes, dtype=np.float64):
    """The arrays of an argument `out`, an array or a tuple of arrays of these shapes."""
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(shapes):
        raise StateError(f"out: found {_counted(len(given))}; allowed is {_counted(len(shapes))}", "out")
    for array, shape in zip(given, shapes, strict=True):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape or not array.flags.writeable:
            found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            frozen = " that is read-only" if isinstance(array, np.ndarray) and not array.flags.writeable else ""
            raise StateError(
                f"out: found {found}{frozen}; allowed is a writeable {np.dtype(dtype)} array of shape {shape}, or None for a new one", "out"
            )
        if overlaps_itself(array):
            raise StateError(
                f"out: found an array with strides {array.strides}, whose numbers share memory; allowed is one with room for each; give a copy",
                "out",
            )
    return list(given)


def overlaps_itself(array):
    """Do numbers of an array share memory, as those of np.broadcast_to do? A stride must reach beyond all that smaller strides span."""
    if array.flags.c_contiguous or not array.size:
        return False
    reach = array.itemsize
    for stride, count in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (count - 1)
    return False


def _counted(arrays):
    return "an array" if arrays == 1 else f"a tuple of {arrays} arrays"


def deliver(results: Any, out: Any) -> Any:
    """Finished results as they are, or copied into the arrays of `out`, which is then returned. For functions made of others."""
    if out is None:
        return results
    several = isinstance(results, tuple)
    finished = results if several else (results,)
    for array, result in zip(checked_out(out, [np.shape(r) for r in finished], finished[0].dtype), finished, strict=True):
        array[...] = result
    return out if several or not isinstance(out, tuple) else out[0]


def need_kind(out, kind):
    """Refuse anything but an earlier result (or None) as `out` of a function that returns more than arrays."""
    if out is not None and not isinstance(out, kind):
        raise StateError(
            f"out: found a {type(out).__name__}; allowed is what this function returned for as many states, "
            f"a {kind.__name__} of writeable float64 arrays, or None for a new one",
            "out",
        )


def diagnose(model, inputs, arrays):
    """Find the value that made a kernel refuse, and raise an error that names it."""
    for (name, _, _), array in zip(inputs, arrays, strict=True):
        if not np.isfinite(array).all():
            where = np.argwhere(~np.isfinite(array))[0]
            found = array[tuple(where)]
            raise StateError(
                f"{name}: element {tuple(int(i) for i in where)} is {found}; allowed are finite numbers; check how it was computed", name
            )
        if name in CONFIGURATIONS:
            _diagnose_quaternions(model, name, array)
        if name == "t":
            _diagnose_times(model, array)
    raise StateError("the kernel refused its input, though every argument looks right; please report this")


def _diagnose_times(model, times):
    """Name the constraint whose spline does not go on to one of the times."""
    for info in model.constraints:
        for time_function in (
            () if info.is_loop else (time_function for block in info.kind.blocks() for time_function in block.time_functions)
        ):
            first, last = time_function.domain
            outside = (times < first) | (times > last)
            if outside.any():
                raise StateError(
                    f"t: found {times[outside][0]:.9g} s; allowed by constraint {info.name!r}, whose spline says that it does not extrapolate, is "
                    f"{time_function.breaks[0]:g} to {time_function.breaks[-1]:g} s; give such a time, a spline that "
                    "goes on, or let it extrapolate (extrapolate=True)",
                    "t",
                )


def _diagnose_singular(model, inputs, arrays, first):
    """Name the joint at which the mass matrix of a state in the block from `first` on is singular."""
    from .factor import factor_mass_matrix

    raised = raised_by(model)
    if raised is not None:
        owner, error = raised
        raise SolverError(
            f"{owner}: its function raised {type(error).__name__}: {error}; it must give finite numbers here; correct it"
        ) from error
    q = arrays[[name for name, _, _ in inputs].index("q")].reshape(-1, model.nq)[first : first + 8]
    for k, state in enumerate(q):
        factor_mass_matrix(model, state, where=f" in state {first + k}" if arrays[0].ndim > 1 else "")
    raise SolverError(
        "the results are not finite; is a velocity or a force beyond all measure, a part of the mechanism nearly massless, "
        "or a function of time or a relation outside of its domain?"
    )


def _diagnose_quaternions(model, name, q):
    for at in model.tables.quats:
        norms = np.linalg.norm(q[..., at : at + 4], axis=-1)
        wrong = ~(np.abs(norms - 1.0) <= QUATERNION_TOLERANCE)
        if wrong.any():
            which = tuple(int(i) for i in np.argwhere(wrong)[0]) if norms.ndim else ()
            norm = float(norms[which])
            place = f" of state {which}" if which else ""
            raise StateError(
                f"{name}: the quaternion at {at}:{at + 4} (joint {model.joint_at_q(at)!r}){place} has length {norm:.9g}; "
                f"allowed is 1 within {QUATERNION_TOLERANCE:g}; normalise it, or start from lw.neutral(model)",
                name,
            )
