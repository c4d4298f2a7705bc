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
scalars(n)                                        an array of scalars                      its address
records(R, n)                                     an array of records R                    its address
integers(n), integers32(n), reals(n)              an array of integers, of floats          its address

A number of the upper half is one double, or in a *wide* record LANES doubles, one for each of the states that a kernel treats side by side.
The other fields are the same for all lanes and take the same space in a wide record. The length of an array is an integer or an
expression over the sizes of a model, such as "6 * n + 1".

A record declared with ``constant=True`` (the tables of a model) is only read by kernels.

The instances of this file are those of Python: views on memory that compiled kernels work on, or what a kernel that runs as plain Python
works on, with numbers of any kind. Nothing here needs Numba; see compiled_records.py.
"""

import ast
import functools
import operator
from typing import Any, NamedTuple

import numpy as np

LINE = 64  # arrays begin on cache lines


class Layout(NamedTuple):
    """Byte offsets of the fields, by name, and the bytes of the whole record."""

    offsets: dict[str, int]
    size: int


class Field:
    """One field of a record: `meaning` in words, `by` names the part of the algorithm that writes it."""

    lane = False  # is it made of scalars, which are as wide as the record?
    align = 8
    target = None  # the record it leads to

    def __init__(self, meaning="", by=""):
        self.name, self.meaning, self.by = "", meaning, by
        self.owner = ""

    def __set_name__(self, owner, name):
        self.name, self.owner = name, owner.__name__

    def __get__(self, record, owner=None):
        return self if record is None else self.read(record)

    def __set__(self, record, value):
        self.write(record, value)

    def read(self, record) -> Any:
        raise NotImplementedError

    def write(self, record, value):
        raise NotImplementedError

    def bytes(self, lanes):
        """The space it takes in the record."""
        return 8

    def format(self, lanes):
        """Its NumPy dtype inside the record."""
        return "i8"

    @property
    def shape(self):
        """In words, for tables."""
        return type(self).__name__.strip("_").lower()

    def refused(self, value, wanted):
        return TypeError(f"{self.owner}.{self.name}: found {_brief(value)}; it takes {wanted}")


def _brief(value):
    several = isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim)
    text = f"a {type(value).__name__} of {len(value)}" if several else repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def _is_number(value, lanes):
    """Is it a number of any kind, or in a wide record an array of one for each lane?"""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 or (lanes > 1 and value.shape == (lanes,))
    return not isinstance(value, (tuple, list, Record))


class _Scalar(Field):
    """One number."""

    lane = True
    blocks: Any = None
    count = 1

    def bytes(self, lanes):
        return 8 * lanes

    def format(self, lanes):
        return "f8" if lanes == 1 else ("f8", (lanes,))

    def read(self, record):
        part = record._parts[self.name]
        return record._cells.item(part.start) if record.lanes == 1 else record._cells[part].copy()

    def write(self, record, value):
        if not _is_number(value, record.lanes):
            raise self.refused(value, "a number")
        part = record._parts[self.name]
        record._cells[part.start if record.lanes == 1 else part] = value


class _Numbers(Field):
    """A tuple of `count` numbers, or nested ones: `blocks` are then their lengths."""

    lane = True

    def __init__(self, count, meaning="", by="", word="numbers"):
        super().__init__(meaning, by)
        self.blocks = tuple(map(operator.index, count)) if isinstance(count, (tuple, list)) else None
        self.count = sum(self.blocks) if self.blocks else operator.index(count)
        if self.count < 1 or (self.blocks and min(self.blocks) < 1):
            raise ValueError(f"numbers({count}): a field holds at least one number")
        self.word = word

    def bytes(self, lanes):
        return 8 * lanes * self.count

    def format(self, lanes):
        return ("f8", (self.count,) if lanes == 1 else (self.count, lanes))

    @property
    def shape(self):
        return f"{self.word} ({' + '.join(map(str, self.blocks)) if self.blocks else self.count})"

    def read(self, record):
        cells = record._cells[record._parts[self.name]]
        values = cells.tolist() if record.lanes == 1 else list(cells.reshape(-1, record.lanes).copy())
        if self.blocks is None:
            return tuple(values)
        ends = np.cumsum(self.blocks).tolist()
        return tuple(tuple(values[end - n : end]) for n, end in zip(self.blocks, ends))

    def write(self, record, value):
        flat, cells = self._flat(value), record._cells[record._parts[self.name]]
        if record.lanes == 1 and cells.dtype == np.float64:  # the quick way
            try:
                cells[:] = flat
            except (TypeError, ValueError):
                raise self.refused(value, self._wanted()) from None
            return
        if not all(_is_number(number, record.lanes) for number in flat):
            raise self.refused(value, self._wanted())
        rows = cells if record.lanes == 1 else cells.reshape(-1, record.lanes)
        for k, number in enumerate(flat):
            rows[k] = number

    def _flat(self, value):
        blocks = self.blocks
        if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != (len(blocks) if blocks else self.count):
            raise self.refused(value, self._wanted())
        if blocks is None:
            return value
        if any(not isinstance(block, (tuple, list, np.ndarray)) or len(block) != n for block, n in zip(value, blocks)):
            raise self.refused(value, self._wanted())
        return [number for block in value for number in block]

    def _wanted(self):
        return f"tuples of {', '.join(map(str, self.blocks))} numbers" if self.blocks else f"a tuple of {self.count} numbers"


class _Integer(Field):
    bits = 64

    @property
    def align(self):
        return self.bits // 8

    def bytes(self, lanes):
        return self.bits // 8

    def format(self, lanes):
        return f"i{self.bits // 8}"

    def read(self, record):
        return record._words[self.bits].item(record._places[self.name])

    def write(self, record, value):
        if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
            raise self.refused(value, "an integer")
        record._words[self.bits][record._places[self.name]] = value


class _Integer32(_Integer):
    bits = 32


class _Flag(_Integer):
    def read(self, record):
        return record._words[self.bits].item(record._places[self.name]) != 0

    def write(self, record, value):
        if not isinstance(value, (bool, np.bool_, int, np.integer)):
            raise self.refused(value, "True or False")
        record._words[self.bits][record._places[self.name]] = bool(value)


class _Flag32(_Flag):
    bits = 32


class _Real(Field):
    count = 1

    def format(self, lanes):
        return "f8"

    def read(self, record):
        return record._doubles.item(record._places[self.name])

    def write(self, record, value):
        record._doubles[record._places[self.name]] = value


class _RealsFixed(Field):
    def __init__(self, count, meaning="", by=""):
        super().__init__(meaning, by)
        self.count = operator.index(count)

    def bytes(self, lanes):
        return 8 * self.count

    def format(self, lanes):
        return ("f8", (self.count,))

    @property
    def shape(self):
        return f"reals ({self.count})"

    def read(self, record):
        at = record._places[self.name]
        return tuple(record._doubles[at : at + self.count].tolist())

    def write(self, record, value):
        if np.shape(value) != (self.count,):
            raise self.refused(value, f"a tuple of {self.count} floats")
        at = record._places[self.name]
        record._doubles[at : at + self.count] = value


class _Kept(Field):
    """A field that holds an address in memory. Python keeps the thing it leads to, which also keeps that alive."""

    def read(self, record):
        return record._kept[self.name]

    def keep(self, record, thing, address):
        record._kept[self.name] = thing
        record._words[64][record._places[self.name]] = address


class _Address(_Kept):
    """In plain Python an address may be any object: the thing itself."""

    def read(self, record):
        return record._kept[self.name] if self.name in record._kept else record._words[64].item(record._places[self.name])

    def write(self, record, value):
        self.keep(record, value, value if isinstance(value, (int, np.integer)) else 0)
        if isinstance(value, (int, np.integer)):
            del record._kept[self.name]  # a kernel may change it in memory


class _Pointer(_Kept):
    def __init__(self, target, meaning="", by=""):
        super().__init__(meaning, by)
        self.target = target

    @property
    def shape(self):
        return f"pointer to {self.target.__name__}"

    def read(self, record):
        found = record._kept.get(self.name)
        if (0 if found is None else found.address) != record._words[64].item(record._places[self.name]):
            raise ValueError(f"{self.owner}.{self.name}: a kernel has set this pointer; Python does not know what it leads to")
        return found

    def write(self, record, value):
        if not isinstance(value, self.target) or value.lanes != (record.lanes if value.widens else 1):
            raise self.refused(value, f"a {self.target.__name__} of as many lanes")
        self.keep(record, value, value.address)


class _Array(_Kept):
    """An array beside the record. `length`: an integer, or an expression over the sizes of a model."""

    lane_elements = False
    element = "f8"

    def __init__(self, length, meaning="", by=""):
        super().__init__(meaning, by)
        self.length = length
        count(length, None)

    @property
    def shape(self):
        return f"{super().shape} [{self.length}]"

    def element_bytes(self, lanes):
        return np.dtype(self.element).itemsize * (lanes if self.lane_elements else 1)

    def write(self, record, value):
        """Let the field lead to an array that exists."""
        shape = f"({self.length}, {record.lanes})" if self.lane_elements and record.lanes > 1 else f"({self.length},)"
        exact = isinstance(value, np.ndarray) and value.flags.c_contiguous and value.dtype == self._dtype(record)
        if not exact or value.ndim != 1 + shape.count(", ") or (value.ndim == 2 and value.shape[1] != record.lanes):
            raise self.refused(value, f"a C-contiguous array of {self._dtype(record)}, shape {shape}")
        self.keep(record, value, value.ctypes.data)

    def _dtype(self, record):
        return record._cells.dtype if self.lane_elements else np.dtype(self.element)

    def place(self, record, memory, at, length):
        """Find the array in memory, from byte `at` on."""
        lanes = record.lanes if self.lane_elements else 1
        size = self.element_bytes(lanes)
        if self.lane_elements:
            values = memory.cells[at // 8 : at // 8 + length * lanes]
        else:
            values = memory.raw[at : at + length * size].view(self.element)
        self.keep(record, values.reshape(length, lanes) if lanes > 1 else values, memory.address + at)
        return at + length * size


class _Scalars(_Array):
    lane_elements = True


class _Integers(_Array):
    element = "i8"


class _Integers32(_Array):
    element = "i4"


class _Reals(_Array):
    pass


class _Records(_Array):
    def __init__(self, target, length, meaning="", by=""):
        super().__init__(length, meaning, by)
        self.target = target

    @property
    def shape(self):
        return f"{self.target.__name__} [{self.length}]"

    def element_bytes(self, lanes):
        return self.target.layout(lanes).size

    def write(self, record, value):
        fits = isinstance(value, RecordArray) and issubclass(value.record, self.target)
        if not fits or value.lanes != (record.lanes if value.record.widens else 1):
            raise self.refused(value, f"an array of {self.target.__name__} of as many lanes")
        self.keep(record, value, value.address)

    def place(self, record, memory, at, length):
        lanes, size = record.lanes, self.element_bytes(record.lanes)
        found = RecordArray(self.target(memory, at + i * size, lanes) for i in range(length))
        found.record, found.lanes, found.address, found.memory, found.at = self.target, lanes, memory.address + at, memory, at
        self.keep(record, found, found.address)
        return at + length * size


def scalar(meaning="", by=""):
    """One number."""
    return _Scalar(meaning, by)


def vector3(meaning="", by=""):
    """Three numbers."""
    return _Numbers(3, meaning, by, "vector3")


def quaternion(meaning="", by=""):
    """Four numbers w, x, y, z."""
    return _Numbers(4, meaning, by, "quaternion")


def rotation(meaning="", by=""):
    """Nine numbers of a matrix, row-major."""
    return _Numbers(9, meaning, by, "rotation")


def motion(meaning="", by=""):
    """Six numbers (omega, v)."""
    return _Numbers(6, meaning, by, "motion")


def force(meaning="", by=""):
    """Six numbers (moment, force)."""
    return _Numbers(6, meaning, by, "force")


def inertia(meaning="", by=""):
    """An articulated inertia: tuples of 6, 9 and 6 numbers, the blocks I, H, M of spatial/articulated.py."""
    return _Numbers((6, 9, 6), meaning, by, "inertia")


def numbers(n, meaning="", by=""):
    """A tuple of n numbers, or with n = (n1, n2, ..) a tuple of tuples of them."""
    return _Numbers(n, meaning, by)


def integer(meaning="", by=""):
    """An integer of 64 bits."""
    return _Integer(meaning, by)


def integer32(meaning="", by=""):
    """An integer stored in 32 bits; kernels see 64."""
    return _Integer32(meaning, by)


def flag(meaning="", by=""):
    """True or False, stored in 64 bits."""
    return _Flag(meaning, by)


def flag32(meaning="", by=""):
    """True or False, stored in 32 bits."""
    return _Flag32(meaning, by)


def real(meaning="", by=""):
    """A float that is the same for all lanes."""
    return _Real(meaning, by)


def reals_fixed(n, meaning="", by=""):
    """A tuple of n floats that are the same for all lanes."""
    return _RealsFixed(n, meaning, by)


def address(meaning="", by=""):
    """An address, of a compiled function say."""
    return _Address(meaning, by)


def pointer(record, meaning="", by=""):
    """A record that lies elsewhere."""
    return _Pointer(record, meaning, by)


def scalars(length, meaning="", by=""):
    """An array of numbers."""
    return _Scalars(length, meaning, by)


def records(record, length, meaning="", by=""):
    """An array of records."""
    return _Records(record, length, meaning, by)


def integers(length, meaning="", by=""):
    """An array of 64-bit integers, the same for all lanes."""
    return _Integers(length, meaning, by)


def integers32(length, meaning="", by=""):
    """An array of 32-bit integers, the same for all lanes; kernels see 64 bits."""
    return _Integers32(length, meaning, by)


def reals(length, meaning="", by=""):
    """An array of floats, the same for all lanes."""
    return _Reals(length, meaning, by)


_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg,
}


def count(expression, sizes):
    """The value of a length: an integer, or sums and products over the names in `sizes`. With sizes = None only its form is checked."""
    if not isinstance(expression, str):
        return operator.index(expression)

    def value(node):
        match node:
            case ast.Constant(value=int() as number):
                return number
            case ast.Name(id=name):
                if sizes is None:
                    return 1
                if name not in sizes:
                    raise KeyError(f"length {expression!r}: there is no size {name!r} among {', '.join(sizes) or 'none'}")
                return operator.index(sizes[name])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                a, b = value(left), value(right)
                return 1 if sizes is None else _OPERATORS[type(op)](a, b)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(operand))
        raise ValueError(f"length {expression!r}: allowed are integers, names of sizes, + - * // and brackets")

    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        raise ValueError(f"length {expression!r} is no expression") from None
    found = value(tree.body)
    if found < 0 and sizes is not None:
        raise ValueError(f"length {expression!r} is {found}")
    return found


class _Memory:
    """A block of bytes on a cache line, and `cells`: where its numbers are, in the same bytes or, if they are no floats, beside them."""

    def __init__(self, raw, dtype=float):
        self.raw, self.address = raw, raw.ctypes.data
        self.doubles = raw.view(np.float64)
        self.words = {64: raw.view(np.int64), 32: raw.view(np.int32)}
        self.is_float = np.dtype(dtype) == np.float64
        self.cells = self.doubles if self.is_float else np.zeros(len(self.doubles), dtype)


def _aligned_bytes(size):
    raw = np.zeros(size + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size]


def _on_line(at):
    return -(-at // LINE) * LINE


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
        cls.constant = any(getattr(base, "constant", False) for base in bases) if constant is None else constant
        cls.widens = any(f.lane or isinstance(f, _Scalars) or (f.target is not None and f.target.widens) for f in cls.fields.values())
        return cls

    def __init__(cls, name, bases, namespace, constant=None):
        super().__init__(name, bases, namespace)


class Record(metaclass=RecordClass):
    """The base of all records. `lanes`: how many doubles a number has; 1 in a record without numbers."""

    __slots__ = ("_cells", "_doubles", "_kept", "_memory", "_parts", "_places", "_start", "_words", "lanes")

    fields: dict[str, Field]
    widens: bool
    constant: bool

    @classmethod
    @functools.cache
    def layout(cls, lanes=1):
        """Where the fields are, in a record of so many lanes."""
        lanes = lanes if cls.widens else 1
        offsets, at = {}, 0
        for name, field in cls.fields.items():
            at = -(-at // field.align) * field.align
            offsets[name] = at
            at += field.bytes(lanes)
        return Layout(offsets, -(-at // 8) * 8)

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
    def allocate(cls, sizes=None, lanes=1, dtype=float):
        """A new record and all its arrays, zero, in one block of memory.

        `sizes` gives the names in the lengths of arrays their values. `dtype`: the kind of numbers; compiled kernels know floats only.
        """
        sizes = sizes or {}
        memory = _Memory(_aligned_bytes(cls._needed(sizes, lanes)), dtype)
        record = cls(memory, 0, lanes)
        record._place_arrays(sizes, _on_line(cls.layout(lanes).size))
        return record

    @classmethod
    def over(cls, array):
        """The rows of a C-contiguous NumPy array (of the same layout, one lane) as an array of records: the same memory."""
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or array.dtype.itemsize != cls.layout().size:
            raise TypeError(f"{cls.__name__}.over takes a C-contiguous array with {cls.layout().size} bytes an element")
        if array.dtype.fields is not None and {n: f[1] for n, f in array.dtype.fields.items()} != cls.layout().offsets:
            raise TypeError(f"{cls.__name__}.over: the fields of this array lie elsewhere: {array.dtype}")
        memory, size = _Memory(array.reshape(-1).view(np.uint8)), cls.layout().size
        found = RecordArray(cls(memory, i * size, 1) for i in range(array.size))
        found.record, found.lanes, found.address, found.memory, found.at = cls, 1, memory.address, memory, 0
        return found

    @classmethod
    def _needed(cls, sizes, lanes):
        """The bytes of a record and its arrays, each on its own cache lines."""
        return _on_line(cls.layout(lanes).size) + cls._needed_by_arrays(sizes, lanes)

    @classmethod
    def _needed_by_arrays(cls, sizes, lanes):
        total = 0
        for field in cls.fields.values():
            if isinstance(field, _Array):
                length = count(field.length, sizes)
                total += _on_line(length * field.element_bytes(lanes))
                if isinstance(field, _Records):
                    total += length * field.target._needed_by_arrays(sizes, lanes)
        return total

    def _place_arrays(self, sizes, at):
        """Find places for the arrays of this record and of the records in them, from byte `at` on."""
        for field in self.fields.values():
            if isinstance(field, _Array):
                at = _on_line(field.place(self, self._memory, at, count(field.length, sizes)))
                if isinstance(field, _Records):
                    for record in self._kept[field.name]:
                        at = record._place_arrays(sizes, at)
        return at

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
        return self._memory.cells.dtype.type(0).item() if self._memory.cells.dtype != object else 0.0

    def view(self, name):
        """A field of numbers as a writable NumPy array: (n,), or (n, lanes) in a wide record."""
        field = self.fields[name]
        if not field.lane:
            raise TypeError(f"{type(self).__name__}.{name} is not a field of numbers")
        cells = self._cells[self._parts[name]]
        return cells if self.lanes == 1 else cells.reshape(-1, self.lanes)

    def __repr__(self):
        rows = [(name, self._text(name), field.meaning) for name, field in self.fields.items()]
        widths = [max(map(len, column)) for column in zip(*rows)] if rows else []
        title = type(self).__name__ + (f", {self.lanes} lanes" if self.lanes > 1 else "")
        return "\n".join([title] + ["  " + "  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip() for row in rows])

    def _text(self, name):
        field = self.fields[name]
        if isinstance(field, _Records):
            return f"{len(self._kept[name])} {field.target.__name__}" if name in self._kept else "not set"
        if isinstance(field, (_Array, _Pointer)):
            value = self._kept.get(name)
            return "not set" if value is None else type(value).__name__ if isinstance(value, Record) else _numbers_text(value)
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


class RecordArray(tuple):
    """The records of an array."""

    record: type[Record]
    lanes: int
    address: int

    def column(self, name):
        """One field of all records as a writable NumPy array."""
        if not self.memory.is_float:
            raise TypeError("columns are of floats only")
        return np.ndarray(len(self), self.record.dtype(self.lanes), self.memory.raw, self.at)[name]

    def __repr__(self):
        return "\n".join(f"[{i}] {record!r}" for i, record in enumerate(self))


def pointer_to(record, address, like):
    """The record at an address, wide if `like` is a pack or wide. In plain Python the 'address' is the record itself."""
    return address
