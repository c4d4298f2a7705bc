"""The fields of records that lead to arrays, and the lengths of arrays."""

import ast
import functools
import operator
from collections.abc import Sequence

import numpy as np

from .decorator import JIT
from .fields import Field, KeptField


class ArrayField(KeptField):
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

    def width(self, lanes):
        """The numbers of an element, in a record of so many lanes."""
        return lanes if self.lane_elements else 1

    def element_bytes(self, lanes):
        return np.dtype(self.element).itemsize * self.width(lanes)

    def read(self, record):
        found = record._kept.get(self.name)
        if found is None:
            at, length = record._memory.arrays[record._start, self.name]
            self.place(record, record._memory, at, length)
            found = record._kept[self.name]
        return found

    def is_set(self, record):
        """Is there an array that it leads to?"""
        return self.name in record._kept or (record._start, self.name) in record._memory.arrays

    def write(self, record, value):
        """Let the field lead to an array that exists."""
        lanes = self.width(record.lanes)
        shape = f"({self.length}, {lanes})" if lanes > 1 else f"({self.length},)"
        exact = isinstance(value, np.ndarray) and value.flags.c_contiguous and value.dtype == self._dtype(record)
        if not exact or value.ndim != 1 + shape.count(", ") or (value.ndim == 2 and value.shape[1] != lanes):
            raise self.refused(value, f"a C-contiguous array of {self._dtype(record)}, shape {shape}")
        self.keep(record, value, value.ctypes.data)

    def _dtype(self, record):
        return record._cells.dtype if self.lane_elements else np.dtype(self.element)

    def place(self, record, memory, at, length):
        """Find the array in memory, from byte `at` on."""
        lanes = self.width(record.lanes)
        size = self.element_bytes(record.lanes)
        if self.lane_elements:
            values = memory.cells[at // 8 : at // 8 + length * lanes]
        else:
            values = memory.raw[at : at + length * size].view(self.element)
        self.keep(record, values.reshape(length, lanes) if lanes > 1 else values, memory.address + at)
        return at + length * size


class ScalarsField(ArrayField):
    lane_elements = True


class PacksField(ArrayField):
    """An array of packs, in a record of any width: LANES numbers each, one in plain Python."""

    lane_elements = True

    def width(self, lanes):
        return pack_width()


@functools.cache
def pack_width():
    """The numbers of a pack: LANES, 1 in plain Python."""
    if not JIT:
        return 1
    from .level import lanes

    return lanes()


class IntegersField(ArrayField):
    element = "i8"


class RealsField(ArrayField):
    pass


class FollowingField(Field):
    """The floats that follow a record in memory, as many as there are."""

    @property
    def shape(self):
        return "reals behind"

    def bytes(self, lanes):
        return 0

    def format(self, lanes):
        return ("f8", (0,))

    def read(self, record):
        return record._memory.doubles[(record._start + record.layout(record.lanes).offsets[self.name]) // 8 :]

    def write(self, record, value):
        raise self.refused(value, "nothing: it is an array, whose elements are set one by one")


class RecordsField(ArrayField):
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
        found = RecordArray(self.target, record.lanes, memory, at, length)
        self.keep(record, found, memory.address + at)
        return at + length * self.element_bytes(record.lanes)


class RecordArray(Sequence):
    """An array of records in memory, from byte `at` on. What Python has looked at is kept."""

    def __init__(self, record, lanes, memory, at, length):
        self.record, self.lanes, self.memory, self.at = record, lanes, memory, at
        self._items = [None] * length

    @property
    def address(self):
        return self.memory.address + self.at

    @property
    def zero(self):
        """The number 0 of the records' kind."""
        return 0.0 if self.memory.cells.dtype == object else self.memory.cells.dtype.type(0).item()

    def __len__(self):
        return len(self._items)

    def __getitem__(self, i):
        found = self._items[i]
        if found is None:
            i = operator.index(i) % len(self._items)
            found = self._items[i] = self.record(self.memory, self.at + i * self.record.layout(self.lanes).size, self.lanes)
        return found

    @property
    def rows(self):
        """All records as a writable structured NumPy array."""
        if not self.memory.is_float:
            raise TypeError("rows and columns are of floats only")
        return np.ndarray(len(self), self.record.dtype(self.lanes), self.memory.raw, self.at)

    def column(self, name):
        """One field of all records as a writable NumPy array."""
        return self.rows[name]

    def __repr__(self):
        return "\n".join(f"[{i}] {record!r}" for i, record in enumerate(self))


_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.USub: operator.neg,
}


@functools.cache
def _parsed(expression):
    return ast.parse(expression, mode="eval")


def names_in(expression):
    """The names of sizes in a length."""
    return {node.id for node in ast.walk(_parsed(expression)) if isinstance(node, ast.Name)} if isinstance(expression, str) else set()


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
        tree = _parsed(expression)
    except SyntaxError:
        raise ValueError(f"length {expression!r} is no expression") from None
    found = value(tree.body)
    if found < 0 and sizes is not None:
        raise ValueError(f"length {expression!r} is {found}")
    return found
