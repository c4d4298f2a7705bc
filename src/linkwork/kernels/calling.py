"""Calls of C functions by their address, from kernels.

A function that is marked with `calls_address` takes the address as its first argument. What the C function is given is said in letters:

letter   C function is given   from the arguments
i        int64                 an integer
d        double                a number
p        double*               an array of floats
p+       double*               an array of floats and where to begin in it: two arguments
-        nothing               an argument that only plain Python looks at

as in "i i d -> i". A C function without a result returns void. The body of the marked function is what plain Python does.
"""

import functools

from .decorator import when_compiling


def calls_address(letters):
    """Let compiled code that calls the function call the address in its first argument instead."""

    def mark(function):
        when_compiling(functools.partial(_declare, function, letters))
        return function

    return mark


def c_signature(letters):
    """The C function that is called so, as numba.cfunc takes it."""
    from numba import types

    given, result = _split(letters)
    kinds = {"i": types.int64, "d": types.float64, "p": types.CPointer(types.float64)}
    return (kinds[result] if result else types.void)(*(kinds[letter[0]] for letter in given if letter != "-"))


def _split(letters):
    given, _, result = letters.partition("->")
    return given.split(), result.strip()


def _declare(function, letters):
    from llvmlite import ir
    from numba import types
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    given, result = _split(letters)
    numbers = {"i": types.int64, "d": types.float64}
    word, real = ir.IntType(64), ir.DoubleType()
    kinds = {"i": word, "d": real, "p": real.as_pointer()}
    c_function = ir.FunctionType(kinds[result] if result else ir.VoidType(), [kinds[letter[0]] for letter in given if letter != "-"])
    # One letter for each argument: "+" stands for where to begin in the array before.
    wanted = [part for letter in given for part in letter]

    class _Call(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            if kws or len(args) != 1 + len(wanted) or not isinstance(args[0], types.Integer):
                return None
            found = [types.int64]
            for letter, kind in zip(wanted, args[1:], strict=True):
                if letter == "p" and not (isinstance(kind, types.Array) and kind.dtype == types.float64):
                    return None
                found.append(types.int64 if letter == "+" else numbers.get(letter, kind))
            return signature(numbers.get(result, types.void), *found)

    infer_global(function, types.Function(_Call))

    @lower_builtin(function, types.VarArg(types.Any))
    def _call(context, builder, sig, args):
        passed = []
        for letter, kind, value in zip(wanted, sig.args[1:], args[1:], strict=True):
            if letter == "p":
                passed.append(context.make_array(kind)(context, builder, value).data)
            elif letter == "+":
                passed[-1] = builder.gep(passed[-1], [value])
            elif letter != "-":
                passed.append(value)
        called = builder.call(builder.inttoptr(args[0], c_function.as_pointer()), passed)
        return called if result else context.get_dummy_value()
