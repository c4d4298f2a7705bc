"""Records: the memory that kernels work on, declared field by field.

A record is a class whose fields say what they are, what they mean and which part of an algorithm writes them:

    class ArticulatedLink(Record):
        '''What the articulated-body recursion keeps of a link.'''
        c = scalar("cosine of the joint's angle", by="outward")
        v = motion("spatial velocity, link coordinates", by="outward")
        IA = inertia("articulated inertia, blocks I, H, M", by="inward")

A kernel reads and writes fields by name: ``v = link.v``, ``link.IA = I, H, M``, ``data.tau[k] = x``. Offsets follow from the declaration.

kind of field                                     in a kernel                              in memory
scalar                                            a scalar                                 1 number
vector3, quaternion, rotation, motion, force      a tuple of 3, 4, 9, 6, 6 scalars         as many numbers
inertia                                           three tuples of 6, 9, 6 scalars          21 numbers
numbers(n), numbers((n1, n2))                     a tuple, a tuple of tuples               n, n1 + n2 numbers
integer, integer32                                an integer                               8, 4 bytes
flag, flag32                                      True or False                            8, 4 bytes
real, reals_fixed(n)                              a float, a tuple of floats               8, 8 n bytes
address                                           an integer                               8 bytes
pointer(R)                                        a record R                               its address
part(R)                                           a record R                               the record itself
scalars(n)                                        an array of scalars                      its address
records(R, n)                                     an array of records R                    its address
packs(n)                                          an array of packs                        its address
integers(n), reals(n)                             an array of integers, of floats          its address
following                                         an array of floats                       what follows the record

A number of the upper half is one double, or in a *wide* record LANES doubles, one for each of the states that a kernel treats side by side.
The other fields are the same for all lanes and take the same space in a wide record. The length of an array is an integer or an
expression over the sizes of a model, such as "6 * n + 1".

A record declared with ``constant=True`` (the tables of a model) is only read by kernels.

The instances of this file are those of Python: views on memory that compiled kernels work on, or what a kernel that runs as plain Python
works on, with numbers of any kind. Nothing here needs Numba; see compiled_records.py.
"""

import functools
from typing import NamedTuple

import numpy as np

from .array_fields import (
    ArrayField,
    FollowingField,
    IntegersField,
    PacksField,
    RealsField,
    RecordArray,
    RecordsField,
    ScalarsField,
    count,
    names_in,
)
from .fields import (
    AddressField,
    Field,
    Flag32Field,
    FlagField,
    Integer32Field,
    IntegerField,
    NumbersField,
    PartField,
    PointerField,
    RealField,
    RealsFixedField,
    ScalarField,
)

LINE = 64  # arrays begin on cache lines
UNWRITTEN = 0x7FF8_6E6F_7420_7965  # as bits a NaN that no arithmetic makes by itself: a number that nothing has written


class Layout(NamedTuple):
    """Byte offsets of the fields, by name, and the bytes of the whole record."""

    offsets: dict[str, int]
    size: int


def scalar(meaning="", by=""):
    """One number."""
    return ScalarField(meaning, by)


def vector3(meaning="", by=""):
    """Three numbers."""
    return NumbersField(3, meaning, by, "vector3")


def quaternion(meaning="", by=""):
    """Four numbers w, x, y, z."""
    return NumbersField(4, meaning, by, "quaternion")


def rotation(meaning="", by=""):
    """Nine numbers of a matrix, row-major."""
    return NumbersField(9, meaning, by, "rotation")


def motion(meaning="", by=""):
    """Six numbers (omega, v)."""
    return NumbersField(6, meaning, by, "motion")


def force(meaning="", by=""):
    """Six numbers (moment, force)."""
    return NumbersField(6, meaning, by, "force")


def inertia(meaning="", by=""):
    """An articulated inertia: tuples of 6, 9 and 6 numbers, the blocks I, H, M of spatial/articulated.py."""
    return NumbersField((6, 9, 6), meaning, by, "inertia")


def numbers(n, meaning="", by=""):
    """A tuple of n numbers, or with n = (n1, n2, ..) a tuple of tuples of them."""
    return NumbersField(n, meaning, by)


def integer(meaning="", by=""):
    """An integer of 64 bits."""
    return IntegerField(meaning, by)


def integer32(meaning="", by=""):
    """An integer stored in 32 bits; kernels see 64."""
    return Integer32Field(meaning, by)


def flag(meaning="", by=""):
    """True or False, stored in 64 bits."""
    return FlagField(meaning, by)


def flag32(meaning="", by=""):
    """True or False, stored in 32 bits."""
    return Flag32Field(meaning, by)


def real(meaning="", by=""):
    """A float that is the same for all lanes."""
    return RealField(meaning, by)


def reals_fixed(n, meaning="", by=""):
    """A tuple of n floats that are the same for all lanes."""
    return RealsFixedField(n, meaning, by)


def address(meaning="", by=""):
    """An address, of a compiled function say."""
    return AddressField(meaning, by)


def pointer(record, meaning="", by=""):
    """A record that lies elsewhere."""
    return PointerField(record, meaning, by)


def part(record, meaning="", by=""):
    """A record that lies inside this one."""
    return PartField(record, meaning, by)


def scalars(length, meaning="", by=""):
    """An array of numbers."""
    return ScalarsField(length, meaning, by)


def packs(length, meaning="", by=""):
    """An array of packs, in a wide record or not: numbers of one state that are treated side by side."""
    return PacksField(length, meaning, by)


def records(record, length, meaning="", by=""):
    """An array of records."""
    return RecordsField(record, length, meaning, by)


def integers(length, meaning="", by=""):
    """An array of 64-bit integers, the same for all lanes."""
    return IntegersField(length, meaning, by)


def reals(length, meaning="", by=""):
    """An array of floats, the same for all lanes."""
    return RealsField(length, meaning, by)


def following(meaning="", by=""):
    """The floats that follow the record in memory, as many as there are: its last field."""
    return FollowingField(meaning, by)


class Memory:
    """A block of bytes on a cache line, and `cells`: where its numbers are, in the same bytes or, if they are no floats, beside them."""

    plain_numbers = True  # are numbers read as Python's own?

    def __reduce_ex__(self, protocol):
        raise _no_copy("Memory")

    def __init__(self, raw, dtype=float):
        self.raw, self.address = raw, raw.ctypes.data
        self.doubles = raw.view(np.float64)
        self.words = {64: raw.view(np.int64), 32: raw.view(np.int32)}
        self.is_float = np.dtype(dtype) == np.float64
        self.cells = self.doubles if self.is_float else np.zeros(len(self.doubles), dtype)
        self.arrays, self.unwritten = {}, ()  # of a Plan: where arrays of records in it lie, seen by Python when they are looked at
        self.zero_number = 0.0 if self.is_float or self.cells.dtype == object else self.cells.dtype.type(0).item()  # of their kind


def _no_copy(name):
    """Addresses in a copy would lead to the memory of the original."""
    return TypeError(
        f"{name}: this is memory that compiled code works in, which cannot be copied or pickled; copy the numbers (NumPy arrays) that you need, "
        "or make what it belongs to anew (a Simulation, a Live, a Data of the same model)"
    )


def _aligned_bytes(size):
    raw = np.zeros(size + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size]


def _on_line(at):
    return -(-at // LINE) * LINE


class Plan(NamedTuple):
    """Where the arrays of a record, and of the records in them, lie in its block of memory."""

    size: int  # bytes in all
    arrays: dict[tuple[int, str], tuple[int, int]]  # (first byte of a record, field): first byte of its array, number of elements
    fields: np.ndarray  # words that hold the addresses of arrays
    places: np.ndarray  # first bytes of these arrays
    unwritten: tuple[slice, ...]  # words that `mark_unwritten` marks


@functools.lru_cache(maxsize=256)
def _plan(kind, sizes, lanes):
    """Lay all arrays of a record out, each on its own cache lines."""
    known, arrays, fields, places = dict(sizes), {}, [], []

    def lay(kind, start, at):
        width = lanes if kind.widens else 1
        for name, offset in kind.layout(lanes).offsets.items():
            field = kind.fields[name]
            if isinstance(field, PartField):
                at = lay(field.target, start + offset, at)
            elif isinstance(field, ArrayField):
                length, size = count(field.length, known), field.element_bytes(width)
                arrays[start, name] = at, length
                fields.append((start + offset) // 8)
                places.append(at)
                first, at = at, _on_line(at + length * size)
                if isinstance(field, RecordsField) and field.target.leads:
                    for i in range(length):
                        at = lay(field.target, first + i * size, at)
        return at

    size = lay(kind, 0, _on_line(kind.layout(lanes).size))
    unwritten = tuple(_written_by_kernels(kind, 0, arrays, lanes))
    return Plan(size, arrays, np.array(fields, dtype=np.int64), np.array(places, dtype=np.int64), unwritten)


def _written_by_kernels(kind, start, arrays, lanes):
    """The words of the records within a record, also in arrays, of which all fields say what writes them (`by`), as slices."""
    for name, offset in kind.layout(lanes).offsets.items():
        field = kind.fields[name]
        if isinstance(field, (PartField, RecordsField)):
            place, length = (start + offset, 1) if isinstance(field, PartField) else arrays[start, name]
            target = field.target
            size = target.layout(lanes).size
            if all(inner.lane and inner.by for inner in target.fields.values()):
                yield slice(place // 8, (place + length * size) // 8)
            elif isinstance(field, PartField) or target.leads:
                for i in range(length):
                    yield from _written_by_kernels(target, place + i * size, arrays, lanes)


class RecordClass(type):
    """Collects the fields of a record, those of its bases first."""

    def __new__(mcs, name, bases, namespace, constant=None):
        namespace.setdefault("__slots__", ())
        cls = super().__new__(mcs, name, bases, namespace)
        inherited = {} if not bases else {n: f for base in bases if isinstance(base, RecordClass) for n, f in base.fields.items()}
        own = {n: f for n, f in namespace.items() if isinstance(f, Field)}
        for field in own:
            if bases and (hasattr(bases[0], field) or field.startswith("_")):
                raise TypeError(f"{name}.{field}: a field cannot have this name, records use it already")
        cls.fields = inherited | own
        for field in list(cls.fields.values())[:-1]:
            if _has_followers(field):
                raise TypeError(f"{name}.{field.name}: what follows a record in memory can only be its last field")
        cls.constant = any(getattr(base, "constant", False) for base in bases) if constant is None else constant
        cls.leads = any(isinstance(f, ArrayField) or (isinstance(f, PartField) and f.target.leads) for f in cls.fields.values())
        cls.widens = any(f.lane or isinstance(f, ScalarsField) or (f.target is not None and f.target.widens) for f in cls.fields.values())
        return cls

    def __init__(cls, name, bases, namespace, constant=None):
        super().__init__(name, bases, namespace)


def _has_followers(field):
    """Does it speak of what follows its record in memory?"""
    return isinstance(field, FollowingField) or (isinstance(field, PartField) and any(map(_has_followers, field.target.fields.values())))


class Record(metaclass=RecordClass):
    """The base of all records. `lanes`: how many doubles a number has; 1 in a record without numbers."""

    __slots__ = ("_cells", "_doubles", "_kept", "_memory", "_parts", "_places", "_start", "_words", "lanes")

    fields: dict[str, Field]
    widens: bool
    leads: bool  # are there arrays beside it?
    constant: bool

    @classmethod
    @functools.cache
    def layout(cls, lanes=1):
        """Where the fields are, in a record of so many lanes."""
        lanes = lanes if cls.widens else 1
        offsets, at, widest = {}, 0, 8
        for name, field in cls.fields.items():
            # Packs must not cross cache lines, also where they follow integers and addresses.
            wide = field.lane or (isinstance(field, PartField) and field.target.widens)
            align = 8 * lanes if wide else field.align
            at = -(-at // align) * align
            offsets[name] = at
            at += field.bytes(lanes)
            widest = max(widest, align)
        return Layout(offsets, -(-at // widest) * widest)

    @classmethod
    def dtype(cls, lanes=1):
        """The same memory as a structured NumPy dtype; an inertia is 21 numbers, an array its address."""
        offsets, size = cls.layout(lanes)
        lanes = lanes if cls.widens else 1
        formats = [field.format(lanes) for field in cls.fields.values()]
        return np.dtype({"names": list(offsets), "formats": formats, "offsets": list(offsets.values()), "itemsize": size}, align=True)

    @classmethod
    def table(cls):
        """The declaration as a table to print: field, shape, meaning, producer."""
        rows = [("field", "shape", "meaning", "by")] + [(f.name, f.shape, f.meaning, f.by) for f in cls.fields.values()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip() for row in rows)

    @classmethod
    def bytes_for(cls, sizes=None, lanes=1):
        """How many bytes `allocate` takes."""
        return cls._planned(sizes, lanes).size

    @classmethod
    def _planned(cls, sizes, lanes):
        names = cls.size_names()
        return _plan(cls, tuple((name, size) for name, size in (sizes or {}).items() if name in names), lanes)

    @classmethod
    def allocate(cls, sizes=None, lanes=1, dtype=float):
        """A new record and all its arrays, zero, in one block of memory.

        `sizes` gives the names in the lengths of arrays their values. `dtype`: the kind of numbers; compiled kernels know floats only.
        """
        plan = cls._planned(sizes, lanes)
        memory = Memory(_aligned_bytes(plan.size), dtype)
        memory.arrays, memory.unwritten = plan.arrays, plan.unwritten
        memory.words[64][plan.fields] = memory.address + plan.places
        return cls(memory, 0, lanes)

    @classmethod
    def over(cls, array):
        """The rows of a C-contiguous NumPy array (of the same layout, one lane) as an array of records: the same memory."""
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or array.dtype.itemsize != cls.layout().size:
            raise TypeError(f"{cls.__name__}.over takes a C-contiguous array with {cls.layout().size} bytes an element")
        if array.dtype.fields is not None and {n: f[1] for n, f in array.dtype.fields.items()} != cls.layout().offsets:
            raise TypeError(f"{cls.__name__}.over: the fields of this array lie elsewhere: {array.dtype}")
        return RecordArray(cls, 1, Memory(array.reshape(-1).view(np.uint8)), 0, array.size)

    @classmethod
    def in_words(cls, words):
        """The record (of one lane) at the beginning of a C-contiguous array of 64-bit words, which may be longer: the same memory."""
        if not words.flags.c_contiguous or words.dtype.itemsize != 8 or words.ndim != 1 or words.nbytes < cls.layout().size:
            raise TypeError(f"{cls.__name__}.in_words takes a C-contiguous row of at least {cls.layout().size // 8} words of 64 bits")
        return cls(Memory(words.view(np.uint8)), 0, 1)

    def __init__(self, memory, start, lanes):
        self.lanes = lanes if self.widens else 1
        self._memory, self._start, self._kept = memory, start, {}
        size = self.layout(lanes).size
        self._cells, self._doubles = (cells[start // 8 : (start + size) // 8] for cells in (memory.cells, memory.doubles))
        self._words = {bits: words[start * 8 // bits : (start + size) * 8 // bits] for bits, words in memory.words.items()}
        self._places, self._parts = _python_places(type(self), self.lanes)

    @property
    def address(self):
        """Where the record is, for compiled kernels."""
        if not self._memory.is_float:
            raise TypeError(
                f"{type(self).__name__}: numbers of {self._memory.cells.dtype} have no address, compiled kernels know floats only"
            )
        return self._memory.address + self._start

    @property
    def zero(self):
        """The number 0 of the record's kind."""
        return self._memory.zero_number

    @classmethod
    @functools.cache
    def size_names(cls):
        """The names in the lengths of its arrays, and of those of the records in it and that it leads to."""
        found = set()
        for field in cls.fields.values():
            if isinstance(field, ArrayField):
                found |= names_in(field.length)
            if field.target is not None:
                found |= field.target.size_names()
        return frozenset(found)

    @classmethod
    def pointers(cls):
        """(name, record class) of the fields that lead to a record elsewhere."""
        return [(field.name, field.target) for field in cls.fields.values() if isinstance(field, PointerField)]

    def __reduce_ex__(self, protocol):
        raise _no_copy(type(self).__name__)

    def view(self, name):
        """A field of numbers as a writable NumPy array: (n,), or (n, lanes) in a wide record."""
        field = self.fields[name]
        if not field.lane:
            raise TypeError(f"{type(self).__name__}.{name} is not a field of numbers")
        cells = self._cells[self._parts[name]]
        return cells if self.lanes == 1 else cells.reshape(-1, self.lanes)

    def mark_unwritten(self):
        """Let numbers of records within a record that was allocated be NaN that prints as "not written", where all fields say what writes them (`by`)."""
        for part in self._memory.unwritten:
            self._memory.words[64][part] = UNWRITTEN

    def _is_written(self, name):
        """Has anything written a field of numbers (in the first lane)?"""
        bits = self._doubles[self._parts[name]].view(np.int64)[:: self.lanes]
        return not self._memory.is_float or bool((bits != UNWRITTEN).any())

    def __repr__(self):
        rows = [(name, self._text(name), field.meaning) for name, field in self.fields.items()]
        widths = [max(map(len, column)) for column in zip(*rows)] if rows else []
        title = type(self).__name__ + (f", {self.lanes} lanes" if self.lanes > 1 else "")
        return "\n".join([title] + ["  " + "  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip() for row in rows])

    def _text(self, name):
        field = self.fields[name]
        if isinstance(field, PartField):
            return field.target.__name__
        if isinstance(field, RecordsField):
            return f"{len(getattr(self, name))} {field.target.__name__}" if field.is_set(self) else "not set"
        if isinstance(field, (ArrayField, PointerField)):
            value = getattr(self, name) if field.is_set(self) else None
            return "not set" if value is None else type(value).__name__ if isinstance(value, Record) else _numbers_text(value)
        if field.lane and not self._is_written(name):
            return "not written"
        if field.lane and self.lanes > 1:
            return f"{_numbers_text(self.view(name)[:, 0])} (lane 0)"
        return _numbers_text(getattr(self, name))


def _numbers_text(value):
    if isinstance(value, (tuple, list, np.ndarray)):
        shown = ", ".join(map(_numbers_text, value[:9]))
        return f"({shown}{', ..' if len(value) > 9 else ''})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@functools.cache
def _python_places(cls, lanes):
    """The element of each field in the views of its kind, and the slices of fields of numbers."""
    offsets = cls.layout(lanes).offsets
    places = {name: at // field.align for (name, at), field in zip(offsets.items(), cls.fields.values())}
    parts = {name: slice(at // 8, at // 8 + cls.fields[name].count * lanes) for name, at in offsets.items() if cls.fields[name].lane}
    return places, parts


def new_record(record, lanes=1):
    """A new record of a class, zero, whose arrays are set afterwards: those that exist already."""
    return record(Memory(_aligned_bytes(record.layout(lanes).size)), 0, lanes)


def pointer_to(record, address, like):
    """The record at an address, wide if `like` is a pack or wide. In plain Python the 'address' is the record itself."""
    return address
