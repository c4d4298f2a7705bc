"""Arithmetic of users' compiled functions as plain Python has it: where Python raises, or has an integer that 64 bits do not hold, compiled code raises.

    integers      a + b, a - b, a * b, a ** n, a << n       beyond 64 bits; n < 0
                  int(x), round(x), math.floor(x), ...      x beyond 64 bits, infinite or NaN
    floats        x ** y, functions of math                 NaN of arguments that are not; infinite of finite arguments
                  x / y, x // y, x % y                      y = 0 (Numba's error model "python"; here for jets)

Each check stands behind what Numba lowers anyway. NumPy's functions and whole arrays are left alone: they give inf and NaN in plain Python too.
"""

import math
import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
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


def _power(a, n):
    """a ** n by squaring."""
    if n < 0:
        raise ValueError("a whole number to a negative power")
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


_BY_FUNCTION = {operator.pow: _power, operator.lshift: _shifted}


class _CheckedLower(Lower):
    """Numba's lowering, with the checks above."""

    def lower_binop(self, resty, expr, op):
        signature = self.fndesc.calltypes[expr]
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
        found = super().lower_call(resty, expr)
        called = getattr(self.typeof(expr.func.name), "typing_key", None)
        if called in _TO_WHOLE and isinstance(resty, types.Integer) and isinstance(self.typeof(expr.args[0].name), types.Float):
            x = self._number(expr.args[0])
            inside = self.builder.and_(
                self.builder.fcmp_ordered(">=", x, x.type(-(2.0**63))), self.builder.fcmp_ordered("<", x, x.type(2.0**63))
            )
            self._refuse(self.builder.not_(inside), _BEYOND)
        elif getattr(called, "__module__", None) == "math":
            self._judge(resty, found, expr.args)
        return found

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
