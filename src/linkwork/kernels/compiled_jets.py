"""Jets (linkwork.jets) as a Numba type: three doubles, with the arithmetic and the functions of math and numpy for which there are rules."""

import math
import operator

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    make_attribute_wrapper,
    models,
    overload,
    register_model,
    type_callable,
)


class JetType(types.Type):
    """A number with its first and second derivative."""

    def __init__(self):
        super().__init__(name="Jet")

    def can_convert_from(self, typingctx, other):
        """A plain number is a jet that does not move."""
        return Conversion.promote if isinstance(other, (types.Integer, types.Float)) else None


JET = JetType()
_OPTIONS = {"error_model": "numpy"}


@register_model(JetType)
class _JetModel(models.StructModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, [(name, types.float64) for name in ("value", "first", "second")])


for _name in ("value", "first", "second"):
    make_attribute_wrapper(JetType, _name, _name)


@lower_cast(types.Integer, JetType)
@lower_cast(types.Float, JetType)
def _number_to_jet(context, builder, fromty, toty, value):
    nothing = ir.Constant(ir.DoubleType(), 0.0)
    return _struct(context, builder, [context.cast(builder, value, fromty, types.float64), nothing, nothing])


def _struct(context, builder, numbers):
    jet = cgutils.create_struct_proxy(JET)(context, builder)
    jet.value, jet.first, jet.second = numbers
    return jet._getvalue()


def _is_number(t):
    return isinstance(t, (JetType, types.Float, types.Integer))


def _fits(*given):
    """Is one of the arguments a jet, and the others numbers?"""
    return any(isinstance(t, JetType) for t in given) and all(_is_number(t) for t in given)


@intrinsic
def _as_jet(typingctx, x):
    def codegen(context, builder, sig, args):
        return context.cast(builder, args[0], sig.args[0], JET)

    return JET(x), codegen


def _compiled(rule):
    return numba.njit(error_model="numpy")(rule)


def declare_jets(Jet, as_jet, jets_of, rules):
    """Tell Numba of jets: their class, the two functions that make jets of numbers, and the module of the rules."""
    _declare_making(Jet)
    _declare_conversions(as_jet, jets_of)
    _declare_signs(Jet)

    @numba.njit(error_model="numpy")
    def triple(x):
        jet = as_jet(x)
        return jet.value, jet.first, jet.second

    for function, rule in _in_libraries(rules.UNARY):
        _declare_unary(function, rule, Jet)
    _declare_unary(abs, rules.fabs, Jet)
    for function, rule in (*_in_libraries(rules.BINARY), *_operators(rules)):
        _declare_binary(function, rule, Jet, triple)
    for function in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        _declare_comparison(function, as_jet)


def _in_libraries(table):
    """(function of math or numpy, rule) for all of a table."""
    for rule, (in_math, in_numpy) in table.items():
        for function in (*(getattr(math, name) for name in in_math), *(getattr(np, name) for name in in_numpy)):
            yield function, rule


def _operators(rules):
    return (
        *((function, rules.add) for function in (operator.add, operator.iadd)),
        *((function, rules.sub) for function in (operator.sub, operator.isub)),
        *((function, rules.mul) for function in (operator.mul, operator.imul)),
        *((function, rules.div) for function in (operator.truediv, operator.itruediv)),
        *((function, rules.mod) for function in (operator.mod, operator.imod)),
        *((function, rules.power) for function in (operator.pow, operator.ipow)),
        (min, rules.smaller),
        (max, rules.larger),
    )


def _declare_making(Jet):
    @type_callable(Jet)
    def _type_jet(context):
        def typer(value, first, second):
            if all(isinstance(t, (types.Float, types.Integer)) for t in (value, first, second)):
                return JET

        return typer

    @lower_builtin(Jet, types.Number, types.Number, types.Number)
    def _make_jet(context, builder, sig, args):
        return _struct(context, builder, [context.cast(builder, x, t, types.float64) for x, t in zip(args, sig.args, strict=True)])


def _declare_conversions(as_jet, jets_of):
    @overload(as_jet)
    def _overload_as_jet(x):
        if isinstance(x, JetType):
            return lambda x: x
        if _is_number(x):
            return lambda x: _as_jet(x)

    @overload(jets_of)
    def _overload_jets_of(result):
        if _is_number(result):
            return lambda result: (as_jet(result),)
        if isinstance(result, (types.UniTuple, types.List)) and isinstance(result.dtype, JetType):
            return lambda result: result
        if isinstance(result, types.BaseTuple) and len(result) == 1:
            return lambda result: (as_jet(result[0]),)
        if isinstance(result, types.BaseTuple) and len(result) > 1:
            return lambda result: (as_jet(result[0]), *jets_of(result[1:]))


def _declare_signs(Jet):
    @overload(operator.neg)
    def _negative(x):
        if isinstance(x, JetType):
            return lambda x: Jet(-x.value, -x.first, -x.second)

    @overload(operator.pos)
    def _positive(x):
        if isinstance(x, JetType):
            return lambda x: x


def _declare_unary(function, rule, Jet):
    compiled = _compiled(rule)

    @overload(function, jit_options=_OPTIONS)
    def _overload(x):
        if isinstance(x, JetType):

            def chained(x):
                f, slope, curve = compiled(x.value)
                return Jet(f, slope * x.first, curve * x.first * x.first + slope * x.second)

            return chained


def _declare_binary(function, rule, Jet, triple):
    compiled = _compiled(rule)

    @overload(function, jit_options=_OPTIONS)
    def _overload(a, b):
        if _fits(a, b):

            def combined(a, b):
                value, first, second = compiled(triple(a), triple(b))
                return Jet(value, first, second)

            return combined


def _declare_comparison(function, as_jet):
    @overload(function)
    def _overload(a, b):
        if _fits(a, b):
            return lambda a, b: function(as_jet(a).value, as_jet(b).value)
