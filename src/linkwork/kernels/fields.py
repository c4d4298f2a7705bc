"""The fields of records that lie inside the record: how Python reads and writes them, and the space they take."""

import operator
from typing import Any

import numpy as np


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
        return type(self).__name__.removesuffix("Field").lower()

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
    return not isinstance(value, (tuple, list))


class ScalarField(Field):
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
        if record.lanes == 1:
            return record._cells.item(part.start) if record._memory.plain_numbers else record._cells[part.start]
        return record._cells[part].copy()

    def write(self, record, value):
        if not _is_number(value, record.lanes):
            raise self.refused(value, "a number")
        part = record._parts[self.name]
        record._cells[part.start if record.lanes == 1 else part] = value


class NumbersField(Field):
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
        if record.lanes == 1:
            values = cells.tolist() if record._memory.plain_numbers else list(cells)
        else:
            values = list(cells.reshape(-1, record.lanes).copy())
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


class IntegerField(Field):
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


class Integer32Field(IntegerField):
    bits = 32


class FlagField(IntegerField):
    def read(self, record):
        return record._words[self.bits].item(record._places[self.name]) != 0

    def write(self, record, value):
        if not isinstance(value, (bool, np.bool_, int, np.integer)):
            raise self.refused(value, "True or False")
        record._words[self.bits][record._places[self.name]] = bool(value)


class Flag32Field(FlagField):
    bits = 32


class RealField(Field):
    count = 1

    def format(self, lanes):
        return "f8"

    def read(self, record):
        return record._doubles.item(record._places[self.name])

    def write(self, record, value):
        record._doubles[record._places[self.name]] = value


class RealsFixedField(Field):
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


class KeptField(Field):
    """A field that holds an address in memory. Python keeps the thing it leads to, which also keeps that alive."""

    def read(self, record):
        return record._kept[self.name]

    def is_set(self, record):
        """Is there something that it leads to?"""
        return self.name in record._kept

    def keep(self, record, thing, address):
        record._kept[self.name] = thing
        record._words[64][record._places[self.name]] = address


class AddressField(KeptField):
    """In plain Python an address may be any object: the thing itself."""

    def read(self, record):
        return record._kept[self.name] if self.name in record._kept else record._words[64].item(record._places[self.name])

    def write(self, record, value):
        self.keep(record, value, value if isinstance(value, (int, np.integer)) else 0)
        if isinstance(value, (int, np.integer)):
            del record._kept[self.name]  # a kernel may change it in memory


class PointerField(KeptField):
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


class PartField(Field):
    """A record that lies inside the record, at a constant offset."""

    def __init__(self, target, meaning="", by=""):
        super().__init__(meaning, by)
        self.target = target

    @property
    def shape(self):
        return self.target.__name__

    def bytes(self, lanes):
        return self.target.layout(lanes).size

    def format(self, lanes):
        return self.target.dtype(lanes)

    def read(self, record):
        found = record._kept.get(self.name)
        if found is None:
            at = record._start + record.layout(record.lanes).offsets[self.name]
            found = record._kept[self.name] = self.target(record._memory, at, record.lanes)
        return found

    def write(self, record, value):
        raise self.refused(value, f"nothing: it is a {self.target.__name__}, whose fields are set one by one")
