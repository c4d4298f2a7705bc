"""The types of a kernel's arguments as short texts, and the symbol that a kernel has for them.

letter   in Numba                       from Python
i        int64, or address of a record  int
w        address of a wide record       int
d        float64                        float
A1 A2..  C-contiguous float64 array     numpy.ndarray (exactly), with as many axes
J1       C-contiguous int64 array       numpy.ndarray
p        pointer to doubles             (only called by address)
"""

import hashlib

from .records import RecordClass


def types_of(kernel, letters):
    """Numba types of an entry's letters. An argument that is annotated with a record is a pointer to it, wide where the letter is w."""
    return tuple(_type_of(letter, record) for letter, record in zip(letters.split(), _records(kernel), strict=True))


def _records(kernel):
    """The record that each argument is annotated with, None for other arguments."""
    code, said = kernel.py_func.__code__, kernel.py_func.__annotations__
    kinds = [said.get(name) for name in code.co_varnames[: code.co_argcount]]
    return [kind if isinstance(kind, RecordClass) else None for kind in kinds]


def _type_of(letter, record):
    from numba import types

    from .arguments import Exact

    if record is not None:
        from .compiled_types import PointerType

        return PointerType(record, letter == "w")
    if letter[0] == "A":
        return Exact(int(letter[1:]))
    if letter[0] == "J":
        return types.Array(types.int64, int(letter[1:]), "C")
    return {"i": types.int64, "d": types.float64, "p": types.CPointer(types.float64)}[letter]


def symbol_of(kernel, argtypes):
    """The symbol of a kernel for these Numba types."""
    return _symbol(kernel, [_argument_text(kind, record) for kind, record in zip(argtypes, _records(kernel), strict=True)])


def entry_symbol(kernel, letters):
    """The same from an entry's letters, without Numba."""
    records = _records(kernel)
    return _symbol(kernel, [_entry_text(letter, record) for letter, record in zip(letters.split(), records, strict=True)])


def _symbol(kernel, texts):
    said = ",".join(texts)
    if len(said) > 60:
        said = said[:40] + "~" + hashlib.sha256(said.encode()).hexdigest()[:12]
    return f"linkwork.{kernel.name}({said})"


def _argument_text(kind, record):
    if record is not None and getattr(kind, "record", None) is record:
        return "w" if kind.wide else "i"
    return type_text(kind)


def _entry_text(letter, record):
    return "i" if letter == "w" and not record.widens else letter


def type_text(t):
    """A Numba type in a few letters."""
    from numba import types

    from .arguments import Exact

    if isinstance(t, Exact):
        return f"A{t.ndim}"
    known = {types.int64: "i", types.float64: "d", types.boolean: "b", types.complex128: "c", types.CPointer(types.float64): "p"}
    if t in known:
        return known[t]
    if isinstance(t, types.Array) and t == types.Array(types.int64, t.ndim, "C"):
        return f"J{t.ndim}"
    if isinstance(t, types.UniTuple):
        return f"{type_text(t.dtype)}{t.count}"
    if hasattr(t, "text"):
        return t.text
    return hashlib.sha256(str(t).encode()).hexdigest()[:10]
