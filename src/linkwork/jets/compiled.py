"""Jets as a Numba type: three doubles, with the arithmetic and the functions of math and numpy that `rules` knows."""

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

from . import rules
from .number import Jet, as_jet, jets_of


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


@type_callable(Jet)
def _type_jet(context):
    def typer(value, first, second):
        if all(isinstance(t, (types.Float, types.Integer)) for t in (value, first, second)):
            return JET

    return typer


@lower_builtin(Jet, types.Number, types.Number, types.Number)
def _make_jet(context, builder, sig, args):
    return _struct(context, builder, [context.cast(builder, x, t, types.float64) for x, t in zip(args, sig.args, strict=True)])


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


def _compiled(rule):
    return numba.njit(error_model="numpy")(rule)


@numba.njit(error_model="numpy")
def _triple(x):
    jet = as_jet(x)
    return jet.value, jet.first, jet.second


def _register_unary(function, rule):
    compiled = _compiled(rule)

    @overload(function, jit_options=_OPTIONS)
    def _overload(x):
        if isinstance(x, JetType):

            def chained(x):
                f, slope, curve = compiled(x.value)
                return Jet(f, slope * x.first, curve * x.first * x.first + slope * x.second)

            return chained


def _register_binary(function, rule):
    compiled = _compiled(rule)

    @overload(function, jit_options=_OPTIONS)
    def _overload(a, b):
        if _fits(a, b):

            def combined(a, b):
                value, first, second = compiled(_triple(a), _triple(b))
                return Jet(value, first, second)

            return combined


def _register_comparison(function):
    @overload(function)
    def _overload(a, b):
        if _fits(a, b):
            return lambda a, b: function(as_jet(a).value, as_jet(b).value)


@overload(operator.neg)
def _negative(x):
    if isinstance(x, JetType):
        return lambda x: Jet(-x.value, -x.first, -x.second)


@overload(operator.pos)
def _positive(x):
    if isinstance(x, JetType):
        return lambda x: x


_register_unary(abs, rules.fabs)
for _table, _register in ((rules.UNARY, _register_unary), (rules.BINARY, _register_binary)):
    for _rule, (_in_math, _in_numpy) in _table.items():
        for _function in (*(getattr(math, name) for name in _in_math), *(getattr(np, name) for name in _in_numpy)):
            _register(_function, _rule)
for _functions, _operation in (
    ((operator.add, operator.iadd), rules.add),
    ((operator.sub, operator.isub), rules.sub),
    ((operator.mul, operator.imul), rules.mul),
    ((operator.truediv, operator.itruediv), rules.div),
    ((operator.mod, operator.imod), rules.mod),
    ((operator.pow, operator.ipow), rules.power),
    ((min,), rules.smaller),
    ((max,), rules.larger),
):
    for _function in _functions:
        _register_binary(_function, _operation)
for _function in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    _register_comparison(_function)
