"""The memory of a record as an array of numbers: for checkpoints, and for going back to where a step began.

Addresses are left out (zero): they mean something in one process only, and those of the record are kept when numbers are put back.
"""

import numpy as np

from ..kernels.array_fields import RecordsField
from ..kernels.fields import KeptField, PartField


class Snapshots:
    """Takes the memory of one record, with all that lies inside it, as 64-bit words, and puts it back."""

    def __init__(self, record):
        self._words = record._memory.words[64]
        self._addresses = np.array(sorted(set(_addresses(record))), dtype=np.int64)

    def take(self):
        """All words of the record now."""
        words = self._words.copy()
        words[self._addresses] = 0
        return words

    def put_back(self, words):
        """Let the record be as it was when these words were taken, in this process or in another."""
        if words.shape != self._words.shape or words.dtype != np.int64:
            raise ValueError(f"found {words.shape} words of {words.dtype}; these are not of this record, which has {self._words.shape}")
        own = self._words[self._addresses]
        self._words[:] = words
        self._words[self._addresses] = own


def _addresses(record):
    """The words of a record's memory that hold addresses."""
    offsets = record.layout(record.lanes).offsets
    for name, field in record.fields.items():
        if isinstance(field, PartField):
            yield from _addresses(field.read(record))
        elif isinstance(field, KeptField):
            yield (record._start + offsets[name]) // 8
            if isinstance(field, RecordsField) and _leads(field.target):
                for element in field.read(record):
                    yield from _addresses(element)


def _leads(kind):
    """Are there addresses in a record of this class?"""
    fields = kind.fields.values()
    return any(_leads(field.target) if isinstance(field, PartField) else isinstance(field, KeptField) for field in fields)
