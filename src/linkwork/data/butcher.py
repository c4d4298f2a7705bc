"""Coefficients of Runge-Kutta methods as kernels read them."""

import numpy as np

from ..kernels.records import Record, integer, reals


class ButcherTable(Record, constant=True):
    """c_j, b_j, a_jl of a Runge-Kutta method, and the weights e_l of an embedded pair's errors.

    Of an embedded pair the stage `end` is the state at the end of the step (a_sl = b_l, c_s = 1), and stages behind it serve dense output.
    """

    stages = integer("number of stages")
    end = integer("the stage that is the end of the step; the number of stages if there is none")
    c = reals("stages", "times of the stages, in parts of the step")
    b = reals("stages", "weights of the stages at the end of the step")
    a = reals("stages * stages", "weights of the stages before, row by row")
    error = reals("stages", "weights of the error of a pair")
    second_error = reals("stages", "weights of a second estimate of the error; zero where there is one estimate only")


def butcher_table(c, b, a, end=None, errors=()):
    """A ButcherTable; `errors`: one or two rows of weights, which may be shorter than there are stages."""
    stages = len(c)
    table = ButcherTable.allocate({"stages": stages})
    table.stages, table.end = stages, stages if end is None else end
    table.c[:], table.b[:], table.a[:] = c, b, np.ravel(a)
    for row, weights in zip((table.error, table.second_error), errors, strict=False):
        row[: len(weights)] = weights
    return table
