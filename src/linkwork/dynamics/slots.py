"""Between arrays and slots: how a driver brings states into scratch memory and results out of it.

One state is copied as it is. A block of LANES states is transposed in registers on its way, so that each slot holds one number of all of them.
Values that are not finite are noticed here, where every input passes anyway.
"""

from ..kernels import Scalar, kernel, when_compiling
from ..kernels.scalar import beyond, load, store, zero
from ..model.tables import at_v
from ..spatial.vectors import load4

HUGE = 1 << 60  # length of a view on scratch memory, which is sized by the model: kernels do not check it
SINGULAR = -2  # status of a driver that found no finite result for the block of states k: SINGULAR - k
QUATERNION_TOLERANCE = 1e-6  # how far |q| of a quaternion may be off 1; within it, algorithms normalise


def row(array, k):
    """State k of a batch, or the only state; a matrix row after row."""
    return array if array.ndim == 1 else array[k].reshape(-1)


@kernel
def take(work, at, array, k, count, like, apart=1) -> Scalar:
    """Copy input row(s) k.. into slots; returns 0, or NaN if a value is not finite. A last, short block repeats its last state.

    `apart`: the states of a block are k, k + apart, k + 2 apart, ...
    """
    return _take(work, at, array, k, count, like, apart)


def _take(work, at, array, k, count, like, apart):
    values = row(array, k)
    bad = like * 0
    for i in range(count):
        work[at + i] = values[i]
        bad = bad + values[i] * 0.0
    return bad


@kernel
def give(work, at, array, k, count, like) -> Scalar:
    """Copy result slots to output row(s) k.. ; returns 0, or NaN if a value is not finite. Lanes beyond the end of the batch are dropped."""
    return _give(work, at, array, k, count, like)


def _give(work, at, array, k, count, like):
    values = row(array, k)
    bad = like * 0
    for i in range(count):
        values[i] = work[at + i]
        bad = bad + work[at + i] * 0.0
    return bad


def times_zero(array):
    """The sum of an array times zero: 0, or NaN if a number is not finite."""
    return (array * 0.0).sum()


def put(array, k, i, j, value, like):
    """Store a scalar in row i, column j of the matrix of state(s) k."""
    if array.ndim == 2:
        array[i, j] = value
    else:
        array[k, i, j] = value


@kernel
def clear(array, k, like) -> None:
    """Set the matrix of state(s) k to zero."""
    _clear(array, k, like)


def _clear(array, k, like):
    if array.ndim == 2:
        array[:] = 0.0
    else:
        array[k] = 0.0


@kernel
def add_slots(work, source, target, count, like) -> None:
    """target += source, slot by slot."""
    for i in range(count):
        store(work, target + i, load(work, target + i, like) + load(work, source + i, like))


@kernel
def fill(work, at, count, value, like) -> None:
    """Set slots to a constant."""
    for i in range(count):
        store(work, at + i, zero(like) + value)


@kernel
def quaternions_off(quats, work, like) -> Scalar:
    """The largest sum of | |q|^2 - 1 | excesses: 0 if every quaternion is of unit length within the tolerance, NaN otherwise."""
    bad = zero(like)
    for j in range(quats.shape[0]):
        at = quats[j]
        w, x, y, z = load4(work, at, like)
        if beyond(w * w + x * x + y * y + z * z - 1.0, 2.0 * QUATERNION_TOLERANCE):
            bad = bad + float("nan")
    return bad


@kernel(inline=True)
def take_q(t, work, q, k, like, apart=1):
    """q into its slots, checked."""
    bad = take(work, 0, q, k, t.size[1], like, apart)
    if t.quats.shape[0] > 0:
        bad = bad + quaternions_off(t.quats, work, like)
    return bad


@kernel(inline=True)
def take_qv(t, work, q, v, k, like):
    """q and v into their slots, checked."""
    return take_q(t, work, q, k, like) + take(work, at_v(t), v, k, t.size[2], like)


@when_compiling
def _verbs():
    from numba.extending import overload

    from ..kernels import lanes

    @overload(row)
    def _row(array, k):
        if array.ndim == 1:
            return lambda array, k: array
        return lambda array, k: array[k]

    @overload(_take)
    def _take_overload(work, at, array, k, count, like, apart):
        if array.ndim == 1:
            return _take

        LANES = lanes.LANES

        def take_lanes(work, at, array, k, count, like, apart):
            bad = lanes.spread(0.0)
            values = lanes.flat(array)
            i = 0
            if k + (LANES - 1) * apart < array.shape[0] and count >= LANES:
                while i < count:
                    i = min(i, count - LANES)  # the last block may overlap the one before
                    bad = bad + lanes.rows_to_packs(array, k * count + i, apart * count, work, at + i)
                    i += LANES
            last = array.shape[0] - 1
            while i < count:
                for lane in range(LANES):
                    work[(at + i) * LANES + lane] = values[min(k + lane * apart, last) * count + i]
                bad = bad + lanes.load_pack(work, at + i) * 0.0
                i += 1
            return bad

        return take_lanes

    @overload(_give)
    def _give_overload(work, at, array, k, count, like):
        if array.ndim == 1:
            return _give

        LANES = lanes.LANES

        def give_lanes(work, at, array, k, count, like):
            bad = lanes.spread(0.0)
            values = lanes.flat(array)
            i = 0
            if k + LANES <= array.shape[0] and count >= LANES:
                while i < count:
                    i = min(i, count - LANES)
                    bad = bad + lanes.packs_to_rows(work, at + i, array, count, k, i)
                    i += LANES
            for j in range(i, count):
                bad = bad + lanes.load_pack(work, at + j) * 0.0
                for lane in range(min(LANES, array.shape[0] - k)):
                    values[(k + lane) * count + j] = work[(at + j) * LANES + lane]
            return bad

        return give_lanes

    @overload(times_zero)
    def _times_zero(array):
        LANES = lanes.LANES

        def in_lanes(array):
            values = lanes.flat(array)
            # Four sums at a time: one would wait for itself.
            a = b = c = d = lanes.spread(0.0)
            blocks = values.shape[0] // (4 * LANES)
            for i in range(0, 4 * blocks, 4):
                a = a + lanes.load_pack(values, i) * 0.0
                b = b + lanes.load_pack(values, i + 1) * 0.0
                c = c + lanes.load_pack(values, i + 2) * 0.0
                d = d + lanes.load_pack(values, i + 3) * 0.0
            total = (a + b) + (c + d)
            bad = 0.0
            for lane in range(LANES):
                bad = bad + lanes.lane(total, lane)
            for i in range(4 * LANES * blocks, values.shape[0]):
                bad = bad + values[i] * 0.0
            return bad

        return in_lanes

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
                values = lanes.flat(array)
                for i in range(array.shape[0] * array.shape[1]):
                    values[i] = 0.0

            return one

        LANES = lanes.LANES

        def many(array, k, like):
            for lane in range(min(LANES, array.shape[0] - k)):
                for i in range(array.shape[1]):
                    for j in range(array.shape[2]):
                        array[k + lane, i, j] = 0.0

        return many
