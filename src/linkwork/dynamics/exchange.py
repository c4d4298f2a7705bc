"""Between arrays of a caller and the data of a computation: how a driver brings states in and results out.

One state, alone or of a batch, is copied as it is. A block of LANES states is transposed in registers on its way, so that each number of a wide
record is one of all of them.
Values that are not finite are noticed here, where every input passes anyway.
"""

from ..kernels import Scalar, compiled_form, kernel, when_compiling
from ..kernels.scalar import beyond, zero
from ..spatial.vectors import get4

SINGULAR = -2  # status of a driver that found no finite result for the block of states k: SINGULAR - k
QUATERNION_TOLERANCE = 1e-6  # how far |q| of a quaternion may be off 1; within it, algorithms normalise


def row(array, k):
    """State k of a batch, or the only state; a matrix row after row."""
    return array if array.ndim == 1 else array[k].reshape(-1)


@kernel
def take(values, array, k, count, apart=1) -> Scalar:
    """Copy `count` numbers of the input row(s) k.. to `values`; returns 0, or NaN if one is not finite. A last, short block repeats its last state.

    `apart`: the states of a block are k, k + apart, k + 2 apart, ...
    """
    return _take(values, array, k, count, apart)


def _take(values, array, k, count, apart):
    given = row(array, k)
    bad = zero(values)
    for i in range(count):
        values[i] = given[i]
        bad = bad + given[i] * 0.0
    return bad


@kernel
def give(values, array, k, count) -> Scalar:
    """Copy `count` results to the output row(s) k.. ; returns 0, or NaN if one is not finite. Lanes beyond the end of the batch are dropped."""
    return _give(values, array, k, count)


def _give(values, array, k, count):
    result = row(array, k)
    bad = zero(values)
    for i in range(count):
        result[i] = values[i]
        bad = bad + values[i] * 0.0
    return bad


def give_tuple(numbers, array, k):
    """The same for the numbers of a tuple: all that the row holds."""
    result, bad = row(array, k), numbers[0] * 0.0
    for i in range(len(numbers)):
        result[i] = numbers[i]
        bad = bad + numbers[i] * 0.0
    return bad


def times_zero(array):
    """The sum of an array times zero: 0, or NaN if a number is not finite."""
    return (array * 0.0).sum()


def put(array, k, i, j, value):
    """Store a scalar in row i, column j of the matrix of state(s) k."""
    if array.ndim == 2:
        array[i, j] = value
    else:
        array[k, i, j] = value


@kernel
def clear(array, k) -> None:
    """Set the matrix of state(s) k to zero."""
    _clear(array, k)


def _clear(array, k):
    if array.ndim == 2:
        array[:] = 0.0
    else:
        array[k] = 0.0


@kernel
def fill(values, count, value) -> None:
    """Set numbers to a constant."""
    for i in range(count):
        values[i] = zero(values) + value


@kernel
def copy(source, target, count) -> None:
    """target = source."""
    for i in range(count):
        target[i] = source[i]


@kernel
def quaternions_off(quats, q) -> Scalar:
    """The largest sum of | |q|^2 - 1 | excesses: 0 if every quaternion is of unit length within the tolerance, NaN otherwise."""
    bad = zero(q)
    for j in range(quats.shape[0]):
        w, x, y, z = get4(q, quats[j])
        if beyond(w * w + x * x + y * y + z * z - 1.0, 2.0 * QUATERNION_TOLERANCE):
            bad = bad + float("nan")
    return bad


@kernel(inline=True)
def take_q(model, values, q, k, apart=1):
    """A configuration, checked."""
    bad = take(values, q, k, model.nq, apart)
    if model.quats.shape[0] > 0:
        bad = bad + quaternions_off(model.quats, values)
    return bad


@when_compiling
def _verbs():
    from ..kernels import lanes
    from ..kernels.compiled_types import is_wide
    from ..kernels.views import floats_of

    @compiled_form(row)
    def _row(array, k):
        if array.ndim == 1:
            return lambda array, k: array
        return lambda array, k: array[k]

    @compiled_form(_take)
    def _take_overload(values, array, k, count, apart):
        if array.ndim == 1:
            return _take
        if not is_wide(values):

            def take_one(values, array, k, count, apart):
                given, bad = lanes.flat(array), 0.0
                for i in range(count):
                    values[i] = given[k * count + i]
                    bad += given[k * count + i] * 0.0
                return bad

            return take_one

        LANES = lanes.LANES

        def take_lanes(values, array, k, count, apart):
            bad = lanes.spread(0.0)
            given, work = lanes.flat(array), floats_of(values)
            i = 0
            if k + (LANES - 1) * apart < array.shape[0] and count >= LANES:
                while i < count:
                    i = min(i, count - LANES)  # the last block may overlap the one before
                    bad = bad + lanes.rows_to_packs(array, k * count + i, apart * count, work, i)
                    i += LANES
            last = array.shape[0] - 1
            while i < count:
                for lane in range(LANES):
                    work[i * LANES + lane] = given[min(k + lane * apart, last) * count + i]
                bad = bad + lanes.load_pack(work, i) * 0.0
                i += 1
            return bad

        return take_lanes

    @compiled_form(_give)
    def _give_overload(values, array, k, count):
        if array.ndim == 1:
            return _give
        if not is_wide(values):

            def give_one(values, array, k, count):
                result, bad = lanes.flat(array), 0.0
                for i in range(count):
                    result[k * count + i] = values[i]
                    bad += values[i] * 0.0
                return bad

            return give_one

        LANES = lanes.LANES

        def give_lanes(values, array, k, count):
            bad = lanes.spread(0.0)
            result, work = lanes.flat(array), floats_of(values)
            i = 0
            if k + LANES <= array.shape[0] and count >= LANES:
                while i < count:
                    i = min(i, count - LANES)
                    bad = bad + lanes.packs_to_rows(work, i, array, count, k, i)
                    i += LANES
            for j in range(i, count):
                bad = bad + lanes.load_pack(work, j) * 0.0
                for lane in range(min(LANES, array.shape[0] - k)):
                    result[(k + lane) * count + j] = work[j * LANES + lane]
            return bad

        return give_lanes

    @compiled_form(give_tuple)
    def _give_tuple(numbers, array, k):
        if array.ndim == 1:
            return give_tuple
        if not is_wide(numbers[0]):

            def give_one(numbers, array, k):
                result, bad = lanes.flat(array), 0.0
                for i in range(len(numbers)):
                    result[k * len(numbers) + i] = numbers[i]
                    bad += numbers[i] * 0.0
                return bad

            return give_one

        LANES = lanes.LANES

        def give_lanes(numbers, array, k):
            result, bad = lanes.flat(array), lanes.spread(0.0)
            for i in range(len(numbers)):
                bad = bad + numbers[i] * 0.0
                for lane in range(min(LANES, array.shape[0] - k)):
                    result[(k + lane) * len(numbers) + i] = lanes.lane(numbers[i], lane)
            return bad

        return give_lanes

    @compiled_form(times_zero)
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

    @compiled_form(put)
    def _put(array, k, i, j, value):
        if array.ndim == 2:

            def one(array, k, i, j, value):
                array[i, j] = value

            return one

        LANES = lanes.LANES

        def many(array, k, i, j, value):
            for lane in range(min(LANES, array.shape[0] - k)):
                array[k + lane, i, j] = lanes.lane(value, lane)

        return many

    @compiled_form(_clear)
    def _clear_overload(array, k):
        if array.ndim == 2:

            def one(array, k):
                values = lanes.flat(array)
                for i in range(array.shape[0] * array.shape[1]):
                    values[i] = 0.0

            return one

        LANES = lanes.LANES

        def many(array, k):
            for lane in range(min(LANES, array.shape[0] - k)):
                for i in range(array.shape[1]):
                    for j in range(array.shape[2]):
                        array[k + lane, i, j] = 0.0

        return many
