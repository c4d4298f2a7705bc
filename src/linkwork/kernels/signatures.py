"""The types of a kernel's arguments as short texts, and the symbol that a kernel has for them.

letter   in Numba                       from Python
i        int64                          int
d        float64                        float
A1 A2..  C-contiguous float64 array     numpy.ndarray (exactly), with as many axes
J1       C-contiguous int64 array       numpy.ndarray
p        pointer to doubles             (only called by address)
"""

import hashlib


def types_of(letters):
    """Numba types of an entry's letters."""
    return tuple(_type_of(letter) for letter in letters.split())


def _type_of(letter):
    from numba import types

    from .arguments import Exact

    if letter[0] == "A":
        return Exact(int(letter[1:]))
    if letter[0] == "J":
        return types.Array(types.int64, int(letter[1:]), "C")
    return {"i": types.int64, "d": types.float64, "p": types.CPointer(types.float64)}[letter]


def symbol_of(kernel, argtypes):
    """The symbol of a kernel for these Numba types."""
    texts = [type_text(t) for t in argtypes]
    said = ",".join(texts)
    if len(said) > 60:
        said = said[:40] + "~" + hashlib.sha256(said.encode()).hexdigest()[:12]
    return f"linkwork.{kernel.name}({said})"


def entry_symbol(kernel, letters):
    """The same from an entry's letters, without Numba."""
    said = ",".join(letters.split())
    if len(said) > 60:
        said = said[:40] + "~" + hashlib.sha256(said.encode()).hexdigest()[:12]
    return f"linkwork.{kernel.name}({said})"


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
