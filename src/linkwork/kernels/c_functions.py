"""C functions by their address as built-in functions of Python, and what must stay as long as the process.

CPython keeps a pointer to the definition of a built-in function, and reads it once more when the function is deleted (meth_dealloc). When the interpreter
ends, modules are cleared in an order that nobody chooses, so a definition that belongs to a module may be gone by then: a read of freed memory, and now and
then a segmentation fault of a program that has done all its work. So definitions, and objects that generated code knows by their address, are never freed.
"""

import ctypes

FASTCALL, KEYWORDS = 0x0080, 0x0002

_make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)(("PyCFunction_NewEx", ctypes.pythonapi))
_increase = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))


class _Definition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [("name", ctypes.c_char_p), ("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


def kept_for_ever(thing):
    """The same object, which is never freed from now on: one reference more than anybody gives back."""
    _increase(thing)
    return thing


def built_in(name, address, owner, module=None, flags=FASTCALL, doc=None):
    """A built-in function that calls the C function at an address, with `owner` as its self. `module`: the name of the module it says it is of."""
    definition = kept_for_ever(_Definition(name.encode(), address, flags, None if doc is None else doc.encode()))
    return _make(ctypes.addressof(definition), owner, module)
