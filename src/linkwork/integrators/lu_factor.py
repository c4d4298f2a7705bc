r"""L U factors of Newton's matrices as compiled steps use them: forward and backward substitution, real and complex.

Factors are kept column by column, row-scaled, with the order of their pivots. A complex number is a pair of floats in two arrays. Those of small mechanisms are
made here: threads of a BLAS library take longer to wake than such a factor takes. LAPACK makes the large ones.
"""

import math

import numpy as np

from ..data.stepper import for_kernels
from ..kernels import kernel
from ..kernels.records import Record, integer, integers, scalars

LARGE = 200  # equations: from here on LAPACK is faster


class NewtonFactor(Record):
    """The factor of a matrix of nv velocities and m rows of constraints, and a right side, which becomes the solution."""

    n = integer("size of the matrix, nv + m")
    m = integer("rows of constraints in it")
    rows = integers("nc", "which rows these are; the first m")
    order = integers("nv + nc", "which equation comes first, second, ...")
    scale = scalars("nv + nc", "of each equation")
    lu = scalars("(nv + nc) * (nv + nc)", "L and U in one, column by column")
    lu_im = scalars("(nv + nc) * (nv + nc) * complex + 1", "their imaginary parts")
    b = scalars("nv + nc", "right side, then solution", by="solve_real, solve_complex, step_newton")
    b_im = scalars("nv + nc", "their imaginary parts", by="solve_complex, step_newton")
    work = scalars("nv + nc", "the right side in the order of the pivots", by="solve_real, solve_complex")
    work_im = scalars("nv + nc", "its imaginary part", by="solve_complex")


@kernel(entry="i -> n")
def solve_real(f: NewtonFactor) -> None:
    """The solution in the place of the right side."""
    n, lu, x = f.n, f.lu, f.work
    for i in range(n):
        k = f.order[i]
        x[i] = f.b[k] * f.scale[k]
    for j in range(n):
        value = x[j]
        if value != 0.0:
            for i in range(j + 1, n):
                x[i] -= lu[n * j + i] * value
    for back in range(n):
        j = n - 1 - back
        value = x[j] / lu[n * j + j]
        x[j] = value
        for i in range(j):
            x[i] -= lu[n * j + i] * value
    for i in range(n):
        f.b[i] = x[i]


@kernel(entry="i -> n")
def solve_complex(f: NewtonFactor) -> None:
    """The solution in the place of the right side."""
    n, lu, lu_im, x, y = f.n, f.lu, f.lu_im, f.work, f.work_im
    for i in range(n):
        k = f.order[i]
        x[i] = f.b[k] * f.scale[k]
        y[i] = f.b_im[k] * f.scale[k]
    for j in range(n):
        re, im = x[j], y[j]
        for i in range(j + 1, n):
            a, b = lu[n * j + i], lu_im[n * j + i]
            x[i] -= a * re - b * im
            y[i] -= a * im + b * re
    for back in range(n):
        j = n - 1 - back
        a, b = lu[n * j + j], lu_im[n * j + j]
        size = a * a + b * b
        re, im = (x[j] * a + y[j] * b) / size, (y[j] * a - x[j] * b) / size
        x[j] = re
        y[j] = im
        for i in range(j):
            a, b = lu[n * j + i], lu_im[n * j + i]
            x[i] -= a * re - b * im
            y[i] -= a * im + b * re
    for i in range(n):
        f.b[i] = x[i]
        f.b_im[i] = y[i]


@kernel(entry="i -> i")
def factor_real(f: NewtonFactor) -> int:
    """L U with partial pivoting, in place; returns 0, or 1 if the matrix is singular."""
    n, lu = f.n, f.lu
    for i in range(n):
        f.order[i] = i
    for k in range(n):
        best, most = k, abs(lu[n * k + k])
        for i in range(k + 1, n):
            if abs(lu[n * k + i]) > most:
                best, most = i, abs(lu[n * k + i])
        if not 0.0 < most < math.inf:
            return 1
        if best != k:
            f.order[k], f.order[best] = f.order[best], f.order[k]
            for j in range(n):
                lu[n * j + k], lu[n * j + best] = lu[n * j + best], lu[n * j + k]
        inverse = 1.0 / lu[n * k + k]
        for i in range(k + 1, n):
            lu[n * k + i] = lu[n * k + i] * inverse
        for j in range(k + 1, n):
            share = lu[n * j + k]
            if share != 0.0:
                for i in range(k + 1, n):
                    lu[n * j + i] -= lu[n * k + i] * share
    return 0


@kernel(entry="i -> i")
def factor_complex(f: NewtonFactor) -> int:
    """The same for a complex matrix; pivots by |re| + |im|."""
    n, lu, im = f.n, f.lu, f.lu_im
    for i in range(n):
        f.order[i] = i
    for k in range(n):
        best, most = k, abs(lu[n * k + k]) + abs(im[n * k + k])
        for i in range(k + 1, n):
            size = abs(lu[n * k + i]) + abs(im[n * k + i])
            if size > most:
                best, most = i, size
        if not 0.0 < most < math.inf:
            return 1
        if best != k:
            f.order[k], f.order[best] = f.order[best], f.order[k]
            for j in range(n):
                lu[n * j + k], lu[n * j + best] = lu[n * j + best], lu[n * j + k]
                im[n * j + k], im[n * j + best] = im[n * j + best], im[n * j + k]
        size = lu[n * k + k] ** 2 + im[n * k + k] ** 2
        c, d = lu[n * k + k] / size, -im[n * k + k] / size
        for i in range(k + 1, n):
            a, b = lu[n * k + i], im[n * k + i]
            lu[n * k + i] = a * c - b * d
            im[n * k + i] = a * d + b * c
        for j in range(k + 1, n):
            c, d = lu[n * j + k], im[n * j + k]
            if c != 0.0 or d != 0.0:
                for i in range(k + 1, n):
                    a, b = lu[n * k + i], im[n * k + i]
                    lu[n * j + i] -= a * c - b * d
                    im[n * j + i] -= a * d + b * c
    return 0


@kernel(entry="A2 -> b")
def is_positive(S) -> bool:
    """Is a symmetric matrix positive definite? By Cholesky's factor, which takes its place."""
    n = S.shape[0]
    for j in range(n):
        for k in range(j):
            share = S[j, k]
            for i in range(j, n):
                S[i, j] -= S[i, k] * share
        if not S[j, j] > 0.0:
            return False
        root = 1.0 / math.sqrt(S[j, j])
        for i in range(j, n):
            S[i, j] *= root
    return True


def new_factor(nv, nc, is_complex):
    """Memory for factors with up to nc rows."""
    return NewtonFactor.allocate({"nv": nv, "nc": nc, "complex": int(is_complex)}, 1)


def fill_factor(factor, matrix, rows):
    """Factor a matrix; False if it is singular."""
    n, is_complex = len(matrix), np.iscomplexobj(matrix)
    factor.n, factor.m = n, len(rows)
    factor.rows[: len(rows)] = rows
    scale = 1.0 / np.maximum(np.abs(matrix).max(axis=1, initial=0.0), 1e-300)
    factor.scale[:n] = scale
    matrix = matrix * scale[:, None]
    failed = 0
    if n > LARGE:
        from scipy.linalg import lapack  # here, so that `import linkwork` need not wait for it

        matrix, pivots, failed = (lapack.zgetrf if is_complex else lapack.dgetrf)(matrix, overwrite_a=1)
        order = np.arange(n)
        for i, k in enumerate(pivots):
            order[i], order[k] = order[k], order[i]
        factor.order[:n] = order
    factor.lu[: n * n] = matrix.real.T.ravel()
    if is_complex:
        factor.lu_im[: n * n] = matrix.imag.T.ravel()
    if n > LARGE:
        return failed == 0 and bool(np.isfinite(matrix).all())
    return (factor_complex if is_complex else factor_real)(for_kernels(factor)) == 0
