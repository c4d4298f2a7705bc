"""Records: layout from the declaration, plain Python and compiled kernels on the same memory."""

import itertools
import pickle
import subprocess
import sys

import numpy as np
import pytest

from linkwork.kernels import JIT, kernel
from linkwork.kernels.records import (
    Record,
    address,
    count,
    flag,
    flag32,
    following,
    force,
    inertia,
    integer,
    integer32,
    integers,
    motion,
    numbers,
    packs,
    pointer,
    pointer_to,
    quaternion,
    real,
    reals,
    reals_fixed,
    records,
    rotation,
    scalar,
    scalars,
    vector3,
)
from linkwork.kernels.records import part as part_of
from linkwork.kernels.scalar import width, zero
from linkwork.kernels.views import floats_of
from linkwork.model.tables import BODY, GENERAL, LINK

if JIT:
    from numba import types
    from numba.core.errors import NumbaError

    from linkwork.kernels.compiled_records import ArrayType, PointerType, is_wide, scalar_of
    from linkwork.kernels.lanes import LANES, PACK
else:
    LANES = 4

WIDTHS = (1, LANES)
compiled = pytest.mark.skipif(not JIT, reason="needs compiled kernels")


class Part(Record):
    """One of each kind of number, with narrow fields between them."""

    c = scalar("cosine", by="outward")
    k = integer32("a number")
    on = flag32("is it on?")
    p = vector3("place")
    Q = quaternion("attitude")
    R = rotation("rotation matrix")
    v = motion("spatial velocity", by="outward")
    f = force("force", by="inward")
    IA = inertia("articulated inertia", by="inward")
    five = numbers(5, "five numbers")
    pair = numbers((2, 1), "two and one")


class Whole(Record):
    """Arrays of each kind, and fields that are the same for all lanes."""

    n = integer("number of parts", by="caller")
    ready = flag("is it ready?")
    g = real("gravity")
    m = reals_fixed(3, "first moment")
    where = address("an address")
    first = pointer(Part, "the first part")
    q = scalars("n", "positions")
    x = scalars("2 * n + 1", "more positions")
    parts = records(Part, "n", "parts")
    order = integers("n", "order")
    places = integers(3, "places")
    grid = reals("n * n", "a matrix")


class Rows(Record):
    """Numbers of one state that are treated side by side: packs in a record that is not wide."""

    k = scalar("a factor")
    p = packs("n", "packs")


class General(Record, constant=True):
    """The table GENERAL of model/tables.py."""

    R = reals_fixed(9)
    armature = reals_fixed(6)
    backwards = integer()
    code = address()


class BodyRow(Record, constant=True):
    """The table BODY of model/tables.py."""

    link = integer()
    R = reals_fixed(9)
    p = reals_fixed(3)
    m = real()
    h = reals_fixed(3)
    I = reals_fixed(6)


class Tables(Record, constant=True):
    """What kernels only read."""

    n = integer("number of rows")
    bodies = records(BodyRow, "n", "bodies")
    gravity = reals(3, "gravity")


SIZES = {"n": 3}


def filled(lanes, seed=0, dtype=float):
    """A whole with random contents."""
    rng = np.random.default_rng(seed)
    whole = Whole.allocate(SIZES, lanes, dtype)
    whole.n, whole.ready, whole.g, whole.m, whole.where = 3, True, 9.81, (1.0, 2.0, 3.0), 77
    whole.first = whole.parts[0]
    for array in (whole.q, whole.x, whole.grid):
        array[...] = rng.normal(size=array.shape)
    whole.order[:], whole.places[:] = (2, 0, 1), (-5, 6, 7)
    for i, part in enumerate(whole.parts):
        part.k, part.on = 10 - i, i == 1
        for name, field in Part.fields.items():
            if field.lane:
                part.view(name)[...] = rng.normal(size=part.view(name).shape)
    return whole


def contents(record):
    """All numbers of a record by name, arrays and records in them included."""
    found = {}
    for name, field in record.fields.items():
        value = getattr(record, name)
        if field.target is Part and name == "parts":
            found |= {f"parts[{i}].{key}": x for i, part in enumerate(value) for key, x in contents(part).items()}
        elif field.target is None:
            found[name] = np.concatenate([np.ravel(x) for x in value]) if isinstance(value, tuple) else np.array(value)
    return found


def assert_same(a, b):
    a, b = contents(a), contents(b)
    assert a.keys() == b.keys()
    for key in a:
        np.testing.assert_allclose(a[key], b[key], rtol=1e-15, atol=1e-15, err_msg=key)


# ------------------------------------------------------------------------------------------------------------------ layout


def test_offsets_follow_the_declaration():
    offsets, size = Part.layout(1)
    assert offsets == {"c": 0, "k": 8, "on": 12, "p": 16, "Q": 40, "R": 72, "v": 144, "f": 192, "IA": 240, "five": 408, "pair": 448}
    assert size == 472


def test_only_numbers_grow_with_the_lanes():
    offsets, size = Part.layout(4)
    assert (offsets["k"], offsets["on"]) == (32, 36)
    assert (offsets["p"], offsets["Q"]) == (64, 64 + 3 * 32), "packs begin where packs may begin, behind integers too"
    assert size == 64 + (472 - 16) * 4
    assert Whole.layout(4).offsets == Whole.layout(1).offsets


@pytest.mark.parametrize("record, dtype", [(General, GENERAL), (BodyRow, BODY)])
def test_records_have_the_layout_of_numpy(record, dtype):
    assert record.dtype() == dtype


def test_odd_32_bit_fields_are_padded_to_eight_bytes():
    class Odd(Record):
        a = integer32()
        x = real()
        b = flag32()

    assert Odd.layout() == ({"a": 0, "x": 8, "b": 16}, 24)
    assert LINK.fields["c0"][1] == 48  # twelve of them in the table of links need no padding


def test_a_record_continues_its_base():
    class Longer(Part):
        last = scalar("the last")

    assert list(Longer.fields) == [*Part.fields, "last"]
    assert Longer.layout().offsets["last"] == Part.layout().size


def test_arrays_begin_on_cache_lines_and_do_not_overlap():
    whole = Whole.allocate(SIZES, 4)
    lengths = {"q": 3 * 32, "x": 7 * 32, "parts": 3 * Part.layout(4).size, "order": 24, "places": 24, "grid": 72}
    spans = sorted(
        [(whole.address, whole.address + Whole.layout().size)] + [(_at(whole, n), _at(whole, n) + b) for n, b in lengths.items()]
    )
    assert all(start % 64 == 0 for start, _ in spans)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    assert spans[-1][1] <= whole.address + len(whole._memory.raw)


def _at(whole, name):
    return int(np.frombuffer(whole._memory.raw, Whole.dtype(whole.lanes), 1)[name][0])


def test_arrays_in_records_of_arrays():
    class Row(Record):
        w = scalars("m", "weights")

    class Rows(Record):
        rows = records(Row, "n", "rows")

    rows = Rows.allocate({"n": 2, "m": 3}).rows
    rows[0].w[:], rows[1].w[:] = 1.0, 2.0
    assert rows[0].w.tolist() == [1.0] * 3 and rows[1].w.tolist() == [2.0] * 3


def test_packs_are_as_wide_in_any_record():
    width_of_packs = LANES if JIT else 1
    for lanes in (1, 4):
        p = Rows.allocate(SIZES, lanes).p
        assert p.shape == ((3, LANES) if JIT else (3,))
        assert p.nbytes == 3 * 8 * width_of_packs
    rows = Rows.allocate(SIZES)
    rows.p = np.ones_like(rows.p)
    with pytest.raises(TypeError, match="C-contiguous"):
        rows.p = np.ones((3, width_of_packs + 1))


def test_lengths():
    assert count(4, {}) == 4
    assert count("6 * (n + 1) - nv // 2", {"n": 2, "nv": 5}) == 16
    with pytest.raises(KeyError, match="no size 'nv'"):
        count("nv", {"n": 2})
    for text in ("n.real", "f(n)", "[1][0]", "n **"):
        with pytest.raises(ValueError, match="length"):
            scalars(text)
    with pytest.raises(ValueError, match="is -1"):
        count("n - 3", {"n": 2})


def test_names_that_records_use_are_refused():
    with pytest.raises(TypeError, match="cannot have this name"):
        type(Record)("Bad", (Record,), {"allocate": scalar()})


def test_numba_is_not_needed():
    code = "import sys; sys.modules['numba'] = None; import linkwork.kernels.records"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path), "LINKWORK_JIT": "0"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------------------------------------------------- printing


def test_the_table_names_shape_meaning_and_producer():
    lines = Part.table().splitlines()
    assert lines[0].split() == ["field", "shape", "meaning", "by"]
    assert "inertia (6 + 9 + 6)" in lines[9] and lines[9].endswith("inward")
    assert len(lines) == 1 + len(Part.fields)
    assert "Part [n]" in Whole.table() and "scalars [2 * n + 1]" in Whole.table()


def test_an_instance_prints_its_fields_with_their_meaning():
    whole = filled(1)
    whole.parts[1].v = (1.0, 2.0, 3.0, 4.0, 5.0, 6.5)
    assert "(1, 2, 3, 4, 5, 6.5)" in str(whole.parts[1]) and "spatial velocity" in str(whole.parts[1])
    assert "3 Part" in str(whole) and "9.81" in str(whole)
    assert "(lane 0)" in str(filled(4).parts[0])
    assert "not set" in str(Whole.allocate(SIZES))


# ------------------------------------------------------------------------------------------------------------ plain Python


@pytest.mark.parametrize("dtype", [float, complex, object])
def test_what_is_written_is_read(dtype):
    part = Part.allocate(dtype=dtype)
    number = {float: 0.5, complex: 0.5 + 2j, object: "any object"}[dtype]
    blocks = (number,) * 6, (number,) * 9, (number,) * 6
    part.c, part.v, part.IA, part.pair = number, (number,) * 6, blocks, ((number, number), (number,))
    assert (part.c, part.v, part.IA, part.pair) == (number, (number,) * 6, blocks, ((number, number), (number,)))
    assert type(part.v) is tuple and type(part.IA[1]) is tuple
    part.k, part.on = -3, 5
    assert part.k == -3 and part.on is True


def test_what_is_read_is_no_view():
    for lanes in WIDTHS:
        part = filled(lanes).parts[0]
        c, v = part.c, part.v
        before = np.array([c, *v])
        part.c, part.v = 0.0, (0.0,) * 6
        np.testing.assert_array_equal(np.array([c, *v]), before)


def test_a_float_is_spread_over_the_lanes():
    part = Part.allocate(lanes=4)
    part.c, part.p = 2.0, (1.0, np.arange(4.0), 3)
    assert part.view("c").tolist() == [[2.0] * 4]
    assert part.view("p").tolist() == [[1.0] * 4, [0.0, 1.0, 2.0, 3.0], [3.0] * 4]


def test_columns_are_views():
    whole = filled(4)
    assert whole.parts.column("v").shape == (3, 6, 4)
    whole.parts.column("v")[2, 5, 3] = 42.0
    assert whole.parts[2].v[5][3] == 42.0


@pytest.mark.parametrize(
    "name, value",
    [
        ("v", (1.0, 2.0, 3.0)),
        ("v", 1.0),
        ("v", ((1.0,) * 6, (1.0,) * 9, (1.0,) * 6)),
        ("p", ((1.0,), 2.0, 3.0)),
        ("IA", (1.0,) * 21),
        ("IA", ((1.0,) * 6, (1.0,) * 6, (1.0,) * 9)),
        ("c", (1.0,)),
        ("c", np.ones(2)),
        ("k", 1.5),
        ("k", True),
        ("on", 0.5),
    ],
)
@pytest.mark.parametrize("dtype", [float, object])
def test_wrong_shapes_are_refused(name, value, dtype):
    part = Part.allocate(dtype=dtype)
    with pytest.raises(TypeError, match=f"Part.{name}: found .* it takes"):
        setattr(part, name, value)


def test_unknown_fields_are_refused():
    with pytest.raises(AttributeError):
        Part.allocate().w = 1.0


def test_numbers_that_are_no_floats_have_no_address():
    with pytest.raises(TypeError, match="floats only"):
        _ = Part.allocate(dtype=complex).address


def test_existing_tables_are_the_same_memory():
    table = np.zeros(4, BODY)
    bodies = BodyRow.over(table)
    table["h"][2] = (1, 2, 3)
    assert bodies[2].h == (1.0, 2.0, 3.0)
    bodies[3].m = 7.0
    assert table["m"][3] == 7.0
    with pytest.raises(TypeError, match="bytes an element"):
        BodyRow.over(np.zeros(4, GENERAL))
    with pytest.raises(TypeError, match="array of BodyRow"):
        Tables.allocate({"n": 0}).bodies = General.over(np.zeros(1, GENERAL))


def test_arrays_that_exist_are_taken_as_they_are():
    tables = Tables.allocate({"n": 0})
    gravity = np.array([0.0, 0.0, -9.81])
    tables.gravity = gravity
    assert tables.gravity is gravity
    with pytest.raises(TypeError, match="C-contiguous"):
        tables.gravity = gravity[::-1]
    with pytest.raises(TypeError, match="float64"):
        tables.gravity = [1.0, 2.0, 3.0]


def test_zero_and_width_of_a_record():
    assert zero(Part.allocate()) == 0.0 and isinstance(zero(Part.allocate(dtype=complex)), complex)
    assert width(Part.allocate(lanes=4)) == 4 and width(Part.allocate()) == 1


# --------------------------------------------------------------------------------------------------------------- compiled


@kernel
def shuffle(whole):
    """Reads and writes every kind of field."""
    total = zero(whole)
    for i in range(whole.n):
        part = whole.parts[whole.order[i]]
        first = whole.first
        c, v, f = part.c, part.v, part.f
        part.c = c * whole.q[i] + whole.g
        part.v = (f[0], 1.0, f[2] * v[0], 2, f[4], whole.m[1])
        part.f = v
        I, H, M = part.IA
        part.IA = M, (H[8], H[1], 3.0, H[3], H[4], H[5], H[6], H[7], H[0]), I
        part.R = H
        part.Q = (part.Q[3], part.p[0], part.p[1], part.p[2])
        part.p = (1, 2.0, first.c)
        part.five = (part.five[4], part.five[0], part.pair[0][1], part.pair[1][0], 0.0)
        part.pair = ((part.c, 1.0), (part.five[1],))
        part.on = not part.on
        part.k = part.k + whole.places[i]
        whole.q[i] += whole.grid[3 * i + 1]
        whole.x[2 * i] = whole.order[i]
        whole.grid[i] = whole.places[i]
        whole.places[i] = 2 * i
        total = total + part.c
        if part.on and whole.ready:
            whole.order[i] = i
    whole.x[2 * whole.n] = total
    whole.g = 2
    whole.ready = whole.n > 100
    whole.where = whole.where + 1
    whole.m = (whole.g, 1, whole.m[0])


def in_plain_python(function):
    return getattr(function, "py_func", function)


@compiled
@pytest.mark.parametrize("lanes", WIDTHS)
def test_compiled_and_plain_kernels_agree(lanes):
    for seed in range(3):
        one, other = filled(lanes, seed), filled(lanes, seed)
        untouched = contents(filled(lanes, seed))
        shuffle(one)
        in_plain_python(shuffle)(other)
        assert_same(one, other)
        changed = {key for key, value in contents(one).items() if not np.array_equal(value, untouched[key])}
        assert changed >= set(untouched) - {"n", "order"}


@compiled
def test_packs_in_a_record_of_one_state():
    @kernel
    def work(rows):
        floats = floats_of(rows.p)
        for i in range(width(rows.p)):
            floats[2 * width(rows.p) + i] = i
        rows.p[1] = rows.p[0] * rows.k + rows.p[2]
        return width(rows), width(rows.p)

    rows = Rows.allocate(SIZES)
    rows.k, rows.p[0] = 2.0, 10.0 + np.arange(LANES)
    assert work(rows) == (1, LANES)
    np.testing.assert_array_equal(rows.p[1], 20.0 + 3.0 * np.arange(LANES))


@compiled
def test_a_lane_is_what_a_single_state_is():
    wide = filled(LANES)
    singles = []
    for k in range(LANES):
        single = filled(1)
        single.q[:], single.x[:] = wide.q[:, k], wide.x[:, k]
        for part, source in zip(single.parts, wide.parts):
            for name, field in Part.fields.items():
                if field.lane:
                    part.view(name)[:] = source.view(name)[:, k]
        single.grid[:] = wide.grid
        singles.append(single)
        shuffle(single)
    shuffle(wide)
    for k, single in enumerate(singles):
        np.testing.assert_allclose(wide.q[:, k], single.q, rtol=1e-14)
        for part, source in zip(single.parts, wide.parts):
            for name, field in Part.fields.items():
                if field.lane:
                    np.testing.assert_allclose(source.view(name)[:, k], part.view(name), rtol=1e-14, err_msg=name)


@compiled
def test_only_the_named_bytes_are_written():
    @kernel
    def write(part):
        part.k = 1 << 40
        part.on = 7

    part = Part.allocate()
    part._memory.raw[:] = 255
    write(part)
    expected = np.full(len(part._memory.raw), 255, np.uint8)
    expected[8:16] = (0, 0, 0, 0, 1, 0, 0, 0)
    np.testing.assert_array_equal(part._memory.raw, expected)


@compiled
@pytest.mark.parametrize("stored, truth", [(0, False), (1, True), (2, True), (-1, True)])
def test_flags_are_flags(stored, truth):
    @kernel
    def read(part):
        return part.on

    part = Part.allocate()
    part._words[32][3] = stored
    assert read(part) is truth and part.on is truth


@compiled
def test_a_pointer_from_an_address():
    @kernel
    def take(where, like):
        return pointer_to(Part, where, like).five[1] + zero(like)

    @kernel
    def take_wide(whole):
        whole.x[0] = pointer_to(Part, whole.where, whole).five[1]

    part, wide, whole = filled(1).parts[1], filled(LANES), Whole.allocate(SIZES, LANES)
    assert take(part.address, 1.0) == part.five[1]
    whole.where = wide.parts[2].address
    take_wide(whole)
    np.testing.assert_array_equal(whole.x[0], wide.parts[2].five[1])


@compiled
def test_pointers_are_set_by_kernels():
    @kernel
    def point(whole, i):
        whole.first = whole.parts[i]
        return whole.first.k

    whole = filled(1)
    assert point(whole, 2) == whole.parts[2].k
    assert _at(whole, "first") == whole.parts[2].address
    with pytest.raises(ValueError, match="a kernel has set this pointer"):
        _ = whole.first


@compiled
def test_records_pass_through_calls_and_branches():
    @kernel
    def add(part, x):
        part.c = part.c + x

    @kernel(inline=True)
    def choose(whole, last):
        return whole.parts[whole.n - 1] if last else whole.parts[0]

    @kernel
    def run(whole, last):
        part = whole.parts[1]
        if last:
            part = choose(whole, last)
        add(part, 1.0)

    whole = filled(1)
    before = [part.c for part in whole.parts]
    run(whole, True)
    run(whole, False)
    assert [part.c for part in whole.parts] == [before[0], before[1] + 1.0, before[2] + 1.0]


@compiled
def test_constant_records_are_read():
    @kernel
    def read(tables, i):
        body = tables.bodies[i]
        return body.h, body.I[5], tables.gravity[2], body.link

    table = np.zeros(2, BODY)
    table["h"][1], table["I"][1], table["link"][1] = (1, 2, 3), np.arange(6), 9
    tables = Tables.allocate({"n": 0})
    tables.bodies, tables.gravity = BodyRow.over(table), np.array([0.0, 0.0, -9.81])
    assert read(tables, 1) == ((1.0, 2.0, 3.0), 5.0, -9.81, 9)
    table["h"][1] = 4.0
    assert read(tables, 1)[0] == (4.0, 4.0, 4.0)


def _assign(field, value):
    """A kernel that assigns an expression to an expression."""
    scope = {}
    exec(f"def write(whole):\n    part = whole.parts[0]\n    {field} = {value}\n", scope)
    from numba import njit

    return njit(scope["write"])


@compiled
@pytest.mark.parametrize(
    "field, value, lanes, reason",
    [
        ("part.v", "(1.0, 2.0, 3.0)", 1, "Part.v: found .* it takes UniTuple.float64 x 6"),
        ("part.v", "part.IA", LANES, "Part.v: found"),
        ("part.IA", "part.R", 1, "Part.IA: found"),
        ("part.c", "part.v", 1, "Part.c: found"),
        ("part.c", "1j", 1, "Part.c: found"),
        ("part.k", "1.5", 1, "Part.k: found"),
        ("part.k", "part.c", LANES, "Part.k: found"),
        ("part.on", "1.5", 1, "Part.on: found"),
        ("whole.g", "part.c", LANES, "Whole.g: found Pack"),
        ("whole.q", "whole.x", 1, "Whole.q is an array"),
        ("whole.first", "whole", 1, "Whole.first: found"),
        ("part.nonsense", "1.0", 1, "no such field; fields are c, k, on"),
        ("whole.q[0]", "part.v", 1, "an element takes float64"),
        ("whole.order[0]", "1.5", 1, "an element takes int64"),
        ("whole.parts[0]", "part", 1, "of records"),
    ],
)
def test_compiled_kernels_refuse_wrong_shapes(field, value, lanes, reason):
    with pytest.raises(NumbaError, match=reason):
        _assign(field, value)(filled(lanes))


@compiled
@pytest.mark.parametrize("code", ["tables.n = 1", "tables.gravity[0] = 1.0", "tables.bodies[0].m = 1.0"])
def test_compiled_kernels_do_not_write_constant_records(code):
    from numba import njit

    scope = {}
    exec(f"def write(tables):\n    {code}\n", scope)
    with pytest.raises(NumbaError, match="constant"):
        njit(scope["write"])(Tables.allocate({"n": 1}))


@compiled
def test_compiled_kernels_refuse_other_numbers_and_widths():
    with pytest.raises(TypeError, match="floats only"):
        shuffle(filled(1, dtype=complex))
    with pytest.raises(TypeError, match="3 lanes"):
        shuffle(filled(3))


@compiled
def test_a_kernel_is_a_function_of_addresses():
    """A native kernel is called as C would call it: with integers."""
    import ctypes

    from linkwork.kernels import address_of

    native = kernel(_doubled, address="i d")
    function = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_double)(address_of(native))
    part = Part.allocate()
    part.v = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    function(part.address, 10.0)
    assert part.v == (12.0, 14.0, 16.0, 4.0, 5.0, 6.0)


def _doubled(part: Part, x) -> None:
    v = part.v
    part.v = (2.0 * v[0] + x, 2.0 * v[1] + x, 2.0 * v[2] + x, v[3], v[4], v[5])


@compiled
def test_types_are_equal_by_record_and_width():
    assert PointerType(Part, True) == PointerType(Part, True) != PointerType(Part)
    assert hash(PointerType(Part)) == hash(PointerType(Part))
    assert PointerType(Part) != PointerType(Whole)
    assert PointerType(BodyRow, True) == PointerType(BodyRow)  # no numbers, so never wide
    assert ArrayType(Part) != ArrayType("scalar") != ArrayType("real")
    for ty in (PointerType(Part, True), ArrayType(Part), ArrayType("scalar", True), ArrayType("real", constant=True)):
        copy = pickle.loads(pickle.dumps(ty))
        assert copy == ty and hash(copy) == hash(ty)


@compiled
def test_a_class_declared_anew_is_another_type():
    def declare(kind):
        class Again(Record):
            a = kind()
            b = scalar()

        return Again

    assert PointerType(declare(scalar)) != PointerType(declare(motion))


@compiled
def test_the_scalar_that_goes_with_a_type():
    assert scalar_of(PointerType(Part, True)) == PACK and scalar_of(ArrayType("scalar")) == types.float64
    assert scalar_of(PACK) == PACK and scalar_of(types.complex128) == types.complex128
    assert is_wide(PACK) and not is_wide(PointerType(BodyRow, True)) and not is_wide(ArrayType("real", True))


@compiled
def test_a_field_added_to_a_record_in_an_array_changes_the_type_of_the_record_that_holds_the_array():
    """Units that reached `whole.parts[i].x` through the address of the array were taken as fresh, and read at the old places without a word."""

    def declared(*fields):
        inner = type(Record)("Inner", (Record,), {name: scalar(name) for name in fields})
        return type(Record)("Outer", (Record,), {"parts": records(inner, 3, "parts")})

    before, after, same = declared("x"), declared("x", "y"), declared("x")
    assert PointerType(before).text != PointerType(after).text
    assert PointerType(before).text == PointerType(same).text


class Row(Record, constant=True):
    count = integer("how many numbers follow")
    numbers = following("these numbers")


class Headed(Record, constant=True):
    scale = real("their unit")
    row = part_of(Row, "the numbers")


@kernel
def sum_of(headed: Headed) -> float:
    total, row = 0.0, headed.row
    for k in range(row.count):
        total += headed.scale * row.numbers[k]
    return total


def test_numbers_that_follow_a_record_are_read_behind_it():
    words = np.zeros(Headed.layout().size // 8 + 3, np.int64)
    headed = Headed.in_words(words)
    headed.scale, headed.row.count = 2.0, 3
    words[-3:].view(float)[:] = 1.0, 2.0, 4.0
    assert headed.row.numbers.tolist() == [1.0, 2.0, 4.0] and words[1] == 3
    assert sum_of(headed) == 14.0
    with pytest.raises(TypeError, match="elements are set one by one"):
        headed.row.numbers = np.zeros(3)
    with pytest.raises(TypeError, match="at least 2 words"):
        Headed.in_words(words[:1])


def test_what_follows_a_record_comes_last():
    with pytest.raises(TypeError, match=r"Wrong\.row: what follows a record in memory can only be its last field"):
        type(Record)("Wrong", (Record,), {"row": part_of(Row), "count": integer()})
