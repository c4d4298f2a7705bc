"""Arithmetic of users' compiled functions as plain Python has it: where Python raises, or has an integer that 64 bits do not hold, compiled code raises.

    integers      a + b, a - b, a * b, -a, abs(a), a // b   beyond 64 bits
                  a ** n, pow(a, n), a << n, a >> n         beyond 64 bits; n < 0
                  sum(...)                                  beyond 64 bits
                  int(x), round(x), math.floor(x), ...      x beyond 64 bits, infinite or NaN
    floats        x ** y, pow(x, y), functions of math      NaN of arguments that are not; infinite of finite arguments
                  x / y, x // y, x % y                      y = 0 (Numba's error model "python"; here for jets)
                  round(x, n)                               computed as Python does, to the last bit; more digits than float64 has

Each check stands behind what Numba lowers anyway. What cannot be as in plain Python is refused when it is compiled (`_refuse_to_compile`): an integer to
a negative power that is written down, since it is a float there; powers and functions of complex numbers; the text of what is no integer (f"{x}"), for
which Numba has the name of its type, unless it goes into an exception, which plain Python raises again. NumPy's functions and whole arrays are left
alone: they give inf and NaN in plain Python too.
"""

import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core import ir as numba_ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.errors import UnsupportedError
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic

from .compiled_jets import JetType

_BEYOND = OverflowError, "a whole number beyond 64 bits"
_DOMAIN = ValueError, "outside of the domain or range of the function"
_ZERO = ZeroDivisionError, "division by zero"
_EXACT = {operator.add: "add", operator.sub: "sub", operator.mul: "mul"}  # by LLVM's instructions that tell of overflow
_DIVISIONS = (operator.truediv, operator.floordiv, operator.mod, operator.itruediv, operator.ifloordiv, operator.imod)
_POWERS = (operator.pow, operator.ipow)
_TO_WHOLE = (int, round, math.floor, math.ceil, math.trunc)
RAISES = (numba_ir.Raise, numba_ir.StaticRaise, numba_ir.DynamicRaise, numba_ir.TryRaise, numba_ir.StaticTryRaise, numba_ir.DynamicTryRaise)
TEXTS = {str: (types.Integer, types.Boolean, types.UnicodeType), repr: (types.Integer, types.Boolean)}  # which Numba writes as Python does
_TENS = tuple([10.0**n for n in range(23)])  # those that float64 has exactly


def _raise_if(context, builder, wrong, error):
    with builder.if_then(wrong, likely=False):
        context.call_conv.return_user_exc(builder, error[0], (error[1],))


def _exact(context, builder, name, kind, a, b):
    """a (+, -, *) b of two integers of one kind."""
    intrinsic_name = f"llvm.{'s' if kind.signed else 'u'}{name}.with.overflow"
    function = builder.module.declare_intrinsic(
        intrinsic_name, (a.type,), ir.FunctionType(ir.LiteralStructType([a.type, ir.IntType(1)]), (a.type, a.type))
    )
    found = builder.call(function, (a, b))
    _raise_if(context, builder, builder.extract_value(found, 1), _BEYOND)
    return builder.extract_value(found, 0)


@intrinsic
def _product(typingctx, a, b):
    def lower(context, builder, signature, arguments):
        return _exact(context, builder, "mul", a, *arguments)

    return a(a, a), lower


@intrinsic
def _total(typingctx, a, b):
    def lower(context, builder, signature, arguments):
        return _exact(context, builder, "add", a, arguments[0], context.cast(builder, arguments[1], b, a))

    return a(a, b), lower


@intrinsic
def _rest_of_product(typingctx, x, y, product):
    """x y - product, rounded once: what the rounded product leaves out."""

    def lower(context, builder, signature, arguments):
        return builder.fma(arguments[0], arguments[1], builder.fneg(arguments[2]))

    return types.float64(types.float64, types.float64, types.float64), lower


def _power(a, n):
    """a ** n by squaring."""
    if n < 0:
        raise ValueError("a whole number to a negative power is a float in plain Python: write float(a) ** n")
    found = a * 0 + 1
    while True:
        if n & 1:
            found = _product(found, a)
        n >>= 1
        if n == 0:
            return found
        a = _product(a, a)


def _shifted(a, n):
    """a << n."""
    if n < 0:
        raise ValueError("negative shift count")
    if a == 0:
        return a
    if n > 62 or ((a << n) >> n) != a:
        raise OverflowError("a whole number beyond 64 bits")
    return a << n


def _shifted_right(a, n):
    """a >> n."""
    if n < 0:
        raise ValueError("negative shift count")
    return (a >> 32) >> 32 if n > 63 else a >> n


def _sum(values, start):
    for value in values:
        start = _total(start, value)
    return start


def _rounded(x, n):
    """round(x, n) as Python has it: the float64 nearest to the decimal number nearest to x, of two that are equally near the even one.

    y = x 10^n is rounded once, and what that leaves out (exactly) decides where y stands half way between two integers. An integer below 2^53 divided
    by an exact power of ten is the float64 nearest to their quotient.
    """
    if x - x != 0.0:  # infinite, or not a number
        return x
    if n < 0:
        if abs(x) >= 2.0**53:
            raise ValueError("round to tens of a number beyond 2**53")
        if n < -22:
            return 0.0 * x
        ten, rest = _TENS[-n], abs(x) % _TENS[-n]  # exact
        whole = (abs(x) - rest) / ten
        if 2.0 * rest > ten or (2.0 * rest == ten and whole % 2.0 != 0.0):
            whole += 1.0
        return math.copysign(whole * ten, x)
    if n > 22:
        if x != 0.0 and abs(x) < 1e-6:
            raise ValueError("round to more than 22 digits")
        return x  # float64 has fewer digits
    ten = _TENS[n]
    y = x * ten
    if abs(y) >= 2.0**53:
        return x
    whole, left = np.rint(y), _rest_of_product(x, ten, y)
    off = y - whole
    if (off == 0.5 and left > 0.0) or (off == 0.0 and left == 0.5 and whole % 2.0 != 0.0):
        whole += 1.0
    elif (off == -0.5 and left < 0.0) or (off == 0.0 and left == -0.5 and whole % 2.0 != 0.0):
        whole -= 1.0
    return math.copysign(whole / ten, x)


_BY_FUNCTION = {operator.pow: _power, operator.lshift: _shifted, operator.rshift: _shifted_right}


def _refuse_to_compile(what):
    raise UnsupportedError(f"{what}; compiled, it would not be as in plain Python")


class _CheckedLower(Lower):
    """Numba's lowering, with the checks above."""

    def lower_block(self, block):
        self._raises = isinstance(block.terminator, RAISES)
        super().lower_block(block)

    def lower_expr(self, resty, expr):
        if expr.op == "unary" and expr.fn is operator.neg and _are_whole((self.typeof(expr.value.name), resty)) and resty.signed:
            a = self.context.cast(self.builder, self.loadvar(expr.value.name), self.typeof(expr.value.name), resty)
            return _exact(self.context, self.builder, "sub", resty, a.type(0), a)
        return super().lower_expr(resty, expr)

    def lower_binop(self, resty, expr, op):
        signature = self.fndesc.calltypes[expr]
        if op in _POWERS:
            self._refuse_powers(signature, expr.rhs)
        if op in (operator.floordiv, operator.ifloordiv):
            self._check_quotient(signature, [expr.lhs, expr.rhs])
        if _are_whole((*signature.args, signature.return_type)) and (op in _EXACT or op in _BY_FUNCTION):
            return self._whole(resty, op, signature.return_type, [expr.lhs, expr.rhs])
        if op in _DIVISIONS and any(isinstance(t, JetType) for t in signature.args):
            divisor = self._number(expr.rhs)
            self._refuse(self.builder.fcmp_ordered("==", divisor, divisor.type(0.0)), _ZERO)
        found = super().lower_binop(resty, expr, op)
        if op in _POWERS:
            self._judge(resty, found, [expr.lhs, expr.rhs])
        return found

    def lower_call(self, resty, expr):
        called = getattr(self.typeof(expr.func.name), "typing_key", None)
        signature = self.fndesc.calltypes[expr]
        if called is pow:
            self._refuse_powers(signature, expr.args[1])
            if _are_whole((*signature.args, signature.return_type)):
                return self._whole(resty, operator.pow, signature.return_type, expr.args)
        elif called is round and len(expr.args) == 2:
            if not isinstance(self.typeof(expr.args[0].name), types.Float):
                _refuse_to_compile("round(a, n) of what is no float")
            x, n = self._number(expr.args[0]), self._cast(expr.args[1], types.int64)
            found = self.context.compile_internal(self.builder, _rounded, types.float64(types.float64, types.int64), (x, n))
            return self.context.cast(self.builder, found, types.float64, resty)
        elif called is sum and isinstance(resty, types.Integer):
            if (found := self._sum(resty, expr)) is not None:
                return found
        elif called is abs and isinstance(resty, types.Integer) and resty.signed:
            a = self._cast(expr.args[0], resty)
            self._refuse(self.builder.icmp_signed("==", a, _least(a)), _BEYOND)
        elif called is divmod:
            self._check_quotient(signature, expr.args)
        elif getattr(called, "__module__", None) == "cmath":
            _refuse_to_compile(f"{called.__name__} of cmath")
        elif called in (str, repr) and not self._raises:
            kind = types.unliteral(self.typeof(expr.args[0].name))
            if not isinstance(kind, TEXTS[called]):
                _refuse_to_compile(f"the text of a {kind}")
        found = super().lower_call(resty, expr)
        if called in _TO_WHOLE and isinstance(resty, types.Integer) and isinstance(self.typeof(expr.args[0].name), types.Float):
            x = self._number(expr.args[0])
            inside = self.builder.and_(
                self.builder.fcmp_ordered(">=", x, x.type(-(2.0**63))), self.builder.fcmp_ordered("<", x, x.type(2.0**63))
            )
            self._refuse(self.builder.not_(inside), _BEYOND)
        elif called is pow or getattr(called, "__module__", None) == "math":
            self._judge(resty, found, expr.args)
        return found

    def _refuse_powers(self, signature, exponent):
        if isinstance(signature.return_type, types.Complex):
            _refuse_to_compile("a power of complex numbers")
        exponent = getattr(self.typeof(exponent.name), "literal_value", None)
        if isinstance(signature.return_type, types.Integer) and isinstance(exponent, int) and exponent < 0:
            _refuse_to_compile(f"a whole number to the power {exponent} is a float: write float(a) ** {exponent}")

    def _check_quotient(self, signature, operands):
        """-2^63 // -1, the one quotient of integers that leaves 64 bits."""
        kind = signature.args[0]
        if _are_whole(signature.args[:2]) and kind.signed:
            a, b = (self._cast(x, kind) for x in operands)
            both = self.builder.and_(self.builder.icmp_signed("==", a, _least(a)), self.builder.icmp_signed("==", b, b.type(-1)))
            self._refuse(both, _BEYOND)

    def _sum(self, resty, expr):
        """The sum of integers; None for an array, whose sum wraps in plain Python too."""
        container = self.typeof(expr.args[0].name)
        if isinstance(container, types.Array):
            return None
        kinds = tuple(container) if isinstance(container, types.BaseTuple) else (getattr(container, "dtype", None),)
        if expr.kws or not _are_whole(kinds):
            _refuse_to_compile("a sum of integers and other things, or with start= by name")
        values = self.loadvar(expr.args[0].name)
        start = self._cast(expr.args[1], resty) if len(expr.args) > 1 else self.context.get_constant(resty, 0)
        if not isinstance(container, types.BaseTuple):
            return self.context.compile_internal(self.builder, _sum, resty(container, resty), (values, start))
        for k, kind in enumerate(kinds):
            value = self.context.cast(self.builder, self.builder.extract_value(values, k), kind, resty)
            start = _exact(self.context, self.builder, "add", resty, start, value)
        return start

    def _cast(self, variable, kind):
        return self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), kind)

    def _whole(self, resty, op, kind, operands):
        a, b = (self.context.cast(self.builder, self.loadvar(x.name), self.typeof(x.name), kind) for x in operands)
        if op in _EXACT:
            found = _exact(self.context, self.builder, _EXACT[op], kind, a, b)
        else:
            found = self.context.compile_internal(self.builder, _BY_FUNCTION[op], kind(kind, kind), (a, b))
        return self.context.cast(self.builder, found, kind, resty)

    def _judge(self, kind, found, arguments):
        """A float, or the value of a jet: NaN is right if an argument is NaN, infinity if one is not finite."""
        if not isinstance(kind, (types.Float, JetType)) or not all(map(self._is_number, arguments)):
            return
        builder, found = self.builder, self._value(kind, found)
        given = [self._number(x) for x in arguments]
        ordered = cgutils.true_bit
        finite = ordered
        for x in given:
            ordered = builder.and_(ordered, builder.fcmp_ordered("ord", x, x))
            finite = builder.and_(finite, self._is_finite(x))
        bad = builder.and_(builder.fcmp_unordered("uno", found, found), ordered)
        self._refuse(builder.or_(bad, builder.and_(builder.not_(self._is_finite(found)), finite)), _DOMAIN)

    def _refuse(self, wrong, error):
        _raise_if(self.context, self.builder, wrong, error)

    def _is_finite(self, x):
        return self.builder.fcmp_ordered("==", self.builder.fsub(x, x), x.type(0.0))

    def _is_number(self, variable):
        return isinstance(self.typeof(variable.name), (types.Float, types.Integer, types.Boolean, JetType))

    def _number(self, variable):
        """The value of a variable as a double."""
        return self._value(self.typeof(variable.name), self.loadvar(variable.name))

    def _value(self, kind, value):
        if isinstance(kind, JetType):
            return self.builder.extract_value(value, 0)
        return self.context.cast(self.builder, value, kind, types.float64)


def _least(a):
    return a.type(-(1 << (a.type.width - 1)))


def _are_whole(kinds):
    return all(isinstance(kind, types.Integer) for kind in kinds)


@register_pass(mutates_CFG=True, analysis_only=False)
class _CheckedLowering(NativeLowering):
    _name = "native_lowering_with_checked_arithmetic"

    @property
    def lowering_class(self):
        return _CheckedLower


class CheckedArithmetic(CompilerBase):
    """The pipeline of `numba.jit(pipeline_class=...)`."""

    def define_pipelines(self):
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(_CheckedLowering if step is NativeLowering else step, said) for step, said in manager.passes]
        manager.finalize()
        return [manager]
