"""Operation counts of RNEA, CRBA and ABA beside Table 8-6 of Featherstone, "Robot Dynamics Algorithms" (Kluwer 1987), section 8.4.

    python papers/featherstone_costs.py            the tables
    python papers/featherstone_costs.py --json     the numbers in them

Our kernels run as plain Python on a counting scalar, for chains of n revolute joints with general geometry (n = 2..20 and 30). What is
counted is said in benchmarks/counting_scalar.py: `performed` operations of the source, and `needed` ones in straight-line code for the one
chain. The polynomials in n go through the first counts in exact fractions, and must then hold for all others to the unit. As in the book a
division counts as a multiplication, here a root too, and sines and cosines are not counted.

The chain stands upright: its first axis is vertical and passes through the origin, as a Denavit-Hartenberg base frame would have it. All
else is random: axes, shifts, masses, centres of mass, inertia tensors.

RNEA and ABA are those of the book, in other frames. CRBA computes the same matrix in another way, and so shows where that way pays.
"""

import argparse
import json
import os
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

if __name__ == "__main__" and os.environ.get("LINKWORK_JIT") != "0":
    # The kernels must be plain Python: start again, before anything of Linkwork is imported.
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LINKWORK_JIT": "0"})

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from counting_scalar import Trace
from operation_counts import counting_tables, counts, lane_sincos

import linkwork as lw

JOINTS = (*range(2, 21), 30)
FIRST = 4  # from here on all polynomials hold: with three joints CRBA needs no x component of the last axis, one multiplication less
DEGREE = {"rnea": 1, "crba": 2, "aba": 1, "forward_by_crba": 3}
TITLES = {"rnea": "RNEA", "crba": "CRBA (mass matrix only)", "forward_by_crba": "forward dynamics by CRBA", "aba": "ABA"}
WAYS = ("needed", "simplified", "performed")

# Table 8-6, coefficients from the constant upwards: multiplications, additions.
F = Fraction
BOOK = {
    "rnea": ((F(-68), F(130)), (F(-56), F(101))),
    "crba": ((F(-41), F(31), F(10)), (F(-46), F(40), F(6))),
    "forward_by_crba": ((F(-109), F(481, 3), F(23, 2), F(1, 6)), (F(-102), F(833, 6), F(7), F(1, 6))),
    "aba": ((F(-267), F(300)), (F(-259), F(279))),
}

# Cost of m multiplications, a additions and, among the m, d divisions and roots. The 16 of the last row is an assumption: the throughput
# of a vector division on present processors, in fused multiply-adds, to a factor of two.
COST_MODELS = {
    "multiplications only": lambda m, a, d: m,
    "additions only": lambda m, a, d: a,
    "all operations alike": lambda m, a, d: m + a,
    "fused multiply-adds: max(m, a)": lambda m, a, d: max(m, a),
    "1 multiplication = 4 additions": lambda m, a, d: 4 * m + a,
    "11 us and 3 us (book, section 8.4.2)": lambda m, a, d: 11 * m + 3 * a,
    "fused, a division or root = 16 of them": lambda m, a, d: max(m - d, a) + 16 * d,
}

# Costs of primitives: Tables 8-3 to 8-5, two axis screws a transform, and 3 m for products of sine and cosine where an inertia turns.
# The book has no pose relative to the root.
BOOK_PRIMITIVES = {
    "motion vector to child": (20, 12),
    "force vector to parent": (20, 12),
    "rigid inertia to parent": (41, 36),
    "articulated inertia to parent": (111, 100),
    "rigid inertia times motion": (24, 18),
    "v x* I v": (42, 30),
    "I^A - U U^T / D": (27, 21),
    "pose and axis in the root link": None,
    "momentum in the root link": None,
}


def chain(n, seed=7):
    """An upright chain of n revolute joints, else of random geometry."""
    rng = np.random.default_rng(seed)
    m = lw.Mechanism(f"chain of {n}", gravity=(0.0, 0.0, -9.81))
    before = m.ground
    for k in range(n):
        spread = rng.normal(0.0, 0.3, (3, 3))
        S = spread @ spread.T  # second moments of a random body; its inertia is tr(S) 1 - S
        body = m.add_body(f"link{k}", mass=rng.uniform(1.0, 2.0), com=rng.uniform(0.1, 0.3, 3), inertia=np.trace(S) * np.eye(3) - S)
        axis, place = rng.normal(size=3), rng.uniform(0.1, 0.5, 3)
        m.add_joint(f"joint{k}", lw.Revolute(axis=axis if k else (0, 0, 1)), before.at(place if k else (0, 0, 0)), body)
        before = body
    return m.build()


# ----------------------------------------------------------------------------------------------- counting


def all_counts():
    """{algorithm: {way: {n: (m, a, d, sincos)}}}; m includes the d divisions and roots."""
    table = {algorithm: {way: {} for way in WAYS} for algorithm in DEGREE}
    for n in JOINTS:
        model = chain(n)
        for algorithm in DEGREE:
            work = counts(model, algorithm)
            for way in WAYS:
                c = getattr(work, way)
                d = c.divisions + c.roots
                table[algorithm][way][n] = (c.multiplications + d, c.additions, d, c.sincos)
    return table


def interpolate(values, degree):
    """Exact coefficients of the polynomial through n = FIRST, FIRST + 1, ..., and how far it is off at the other n from FIRST on."""
    nodes = range(FIRST, FIRST + degree + 1)
    total = [F(0)] * (degree + 1)
    for i in nodes:  # Lagrange: sum of values[i] * product over j of (n - j) / (i - j)
        term = [F(values[i])]
        for j in nodes:
            if j != i:
                up, down = [F(0), *term], [*(j * c for c in term), F(0)]
                term = [(u - w) / (i - j) for u, w in zip(up, down, strict=True)]
        total = [s + c for s, c in zip(total, term, strict=True)]
    return total, max(abs(at(total, n) - values[n]) for n in values if n >= FIRST)


def at(coefficients, n):
    return sum(c * n**k for k, c in enumerate(coefficients))


def polynomials(table):
    """{algorithm: {way: ((m, a, d) as coefficients, largest misfit)}}, and the book's under the way "book"."""
    fitted = {}
    for algorithm, degree in DEGREE.items():
        fitted[algorithm] = {"book": ((*BOOK[algorithm], None), F(0))}
        for way in WAYS:
            parts = [interpolate({n: c[k] for n, c in table[algorithm][way].items()}, degree) for k in range(3)]
            fitted[algorithm][way] = (tuple(p for p, _ in parts), max(miss for _, miss in parts))
    return fitted


def crossover(table, fitted, way, cost):
    """The n beyond which ABA costs less than forward dynamics by CRBA; the first of JOINTS if it always does, None if the book does not tell."""

    def difference(n):
        if n < FIRST and way != "book":
            aba, crba = (table[algorithm][way][n][:3] for algorithm in ("aba", "forward_by_crba"))
        else:
            aba, crba = (tuple(0 if p is None else at(p, n) for p in fitted[algorithm][way][0]) for algorithm in ("aba", "forward_by_crba"))
        return float(cost(*aba) - cost(*crba))

    if way == "book" and cost(0, 0, 1) != 0:
        return None
    more = [n for n in JOINTS if difference(n) > 0]
    if not more:
        return JOINTS[0]
    low, high = float(max(more[-1], FIRST)), 200.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if difference(middle) > 0 else (low, middle)
    return low


def primitives():
    """{primitive: (multiplications, additions)} of ours: what a recursion computes is unknown, what a model fixes a general constant."""
    from linkwork.model.tables import rigid_of
    from linkwork.spatial.articulated import articulated_downdate
    from linkwork.spatial.axial import (
        articulated_shift,
        articulated_turn_axial,
        force_in_axial,
        motion_out_axial,
        place_axial,
        rigid_in_axial,
        rotation_axial,
    )
    from linkwork.spatial.inertia import bias_force, inertia_times
    from linkwork.spatial.matrices import apply9
    from linkwork.spatial.motion import force_to_parent
    from linkwork.spatial.vectors import add3, cross3

    def run(function):
        trace = Trace()
        link = counting_tables(chain(3).tables, trace).links[1]
        q, c, s, D = (trace.variable(x) for x in (0.5, 0.8, 0.6, 0.4))
        state = SimpleNamespace(link=link, r=place_axial(link, q), c=c, s=s, D=D)
        state.zero = trace.constant(0.0)
        state.some = lambda count: tuple(trace.variable(0.3) for _ in range(count))
        state.A = (state.some(6), state.some(9), state.some(6))
        needed = trace.work(np.array(_flat(function(state)))).needed
        return needed.multiplications + needed.divisions, needed.additions

    def downdate(x):
        U = x.some(6)  # with K = U / D, which the recursion needs anyway
        return articulated_downdate(x.A, U, x.D), [u * x.D for u in U]

    def pose_and_axis(x):
        R = x.some(9)
        p, R = add3(x.some(3), apply9(R, x.r)), rotation_axial(x.link, x.c, x.s, R)
        return R, p, cross3(p, (R[2], R[5], R[8]))

    def momentum(x):  # I^C S of a revolute joint has no force along its axis
        return force_to_parent((x.some(9), x.some(3)), (*x.some(5), x.zero))

    return {
        "motion vector to child": run(lambda x: motion_out_axial(x.link, x.r, x.c, x.s, x.some(6))),
        "force vector to parent": run(lambda x: force_in_axial(x.link, x.r, x.c, x.s, x.some(6))),
        "rigid inertia to parent": run(lambda x: rigid_in_axial(x.link, x.r, x.c, x.s, (x.link.m, *x.some(9)))),
        "articulated inertia to parent": run(lambda x: articulated_shift(x.r, *articulated_turn_axial(x.link, x.c, x.s, x.A))),
        "rigid inertia times motion": run(lambda x: inertia_times(rigid_of(x.link), x.some(6))),
        "v x* I v": run(lambda x: bias_force(rigid_of(x.link), x.some(6))),
        "I^A - U U^T / D": run(downdate),
        "pose and axis in the root link": run(pose_and_axis),
        "momentum in the root link": run(momentum),
    }


def _flat(value):
    return [x for part in value for x in _flat(part)] if isinstance(value, (tuple, list)) else [value]


# ----------------------------------------------------------------------------------------------- showing

WHY = """
Vectors cost more than in the book. Denavit-Hartenberg frames lie on the common normals of the axes: a step is a screw along x and one
along z, whose shifts cost 2 + 2 m. Our link frames have z on the joint's axis and x normal to the next axis, but keep the origin that the
user chose. So the rotation is the same two turns (a third one, z-x-z, only at the root of a branch), and the shift is a general vector
with 6 m: 22 m + 14 a instead of 20 m + 12 a. In return nearly parallel axes, whose common normal runs away, do no harm. RNEA moves three
vectors a joint, 6 m + 6 a more; 1 a is the offset of the joint angle; one more addition we cannot place, for the book does not itemise
its 101.

Inertias cost fewer multiplications and more additions. A turn leaves the trace of the turned block alone: 8 m for a symmetric matrix, 12
for a general one. One shift by a general vector replaces two along axes. Products of constants (mass times shift, squares of a
twist's sine and cosine) are known.

CRBA is another algorithm. The book carries each momentum I^C S from link to link, n (n - 1) / 2 steps of 20 m + 12 a: its 10 n^2. We
take each pose and axis (39 m + 24 a) and each momentum (21 m + 15 a) to the root link's frame once, where an entry of M is one product of
six, 6 m + 5 a: 3 n^2. Each joint saves 7 m + 6 a of this: the root's own axis is (0, 0, 1, 0, 0, 0) there, the next has no x component.
So small chains pay for poses that they hardly use. Multiplications are always fewer than in the book; additions are a few more for n = 4
to 8 (17 at most), and fewer from n = 9 on. Momenta from link to link between our frames would take 11 n^2 + 11 n - 45 multiplications,
which is less up to n = 7.

ABA needs 274 m a joint: 66 for three vectors, 97 inertia, 42 v x* I v, 4 c, 27 U U^T / D, 24 I^A c, 6 + 1 + 6 for u and qddot, 1 division.
The book's 300 we read as 60 + 111 + 42 + 4 + 27 + 36 + 7 + 6 + 6 + 1: it does not use that c of a revolute joint has four components only.

Base and tip explain the constant terms. At the base the velocity has few components, gravity is vertical, and of the root's force,
composite and articulated inertia only the row of its joint matters. At the tip the articulated inertia, U and D are constants of the
model, nobody asks for the axis, and the angle has no offset. The book drops fewer of these terms.

The factor M = L^T L takes n roots, and n divisions more than the book's LDL^T; both have n^3 / 6.

Performed but not needed: a kernel has one loop for all links and one case for all axial joints. It multiplies by `turn` (here 1) and
`slide` (0), places a sliding joint's origin anew at each step and adds zeros at the tip. RNEA carries the root's force on to the world,
CRBA the root's momentum to where nobody asks for it, and it multiplies by the zeros and ones of the first two axes."""


def show(table, fitted):
    from rich.console import Console
    from rich.table import Table

    console = Console(width=max(150, Console().width))
    costs = Table(title="Operations of one evaluation: multiplications (with divisions and roots) and additions; exact for n >= 4")
    for column in ("algorithm", "count", "multiplications", "additions", "n = 6: m", "a", "n = 30: m", "a"):
        costs.add_column(column, justify="left" if column in ("algorithm", "count") else "right")
    for algorithm, title in TITLES.items():
        for way, ((m, a, _), miss) in fitted[algorithm].items():
            if miss:
                raise ValueError(f"{title}, {way}: off its polynomial by {miss}; the chain's geometry must be special somewhere")
            sizes = [str(at(p, n)) for n in (6, 30) for p in (m, a)]
            heads = (title, "Table 8-6") if way == "book" else ("", way)
            costs.add_row(*heads, text(m), text(a), *sizes, end_section=way == WAYS[-1])
    console.print(costs)

    crossings = Table(title="ABA overtakes forward dynamics by CRBA beyond n =")
    for column in ("cost model", "Table 8-6", *WAYS):
        crossings.add_column(column, justify="left" if column == "cost model" else "right")
    for name, cost in COST_MODELS.items():
        found = [crossover(table, fitted, way, cost) for way in ("book", *WAYS)]
        crossings.add_row(name, *("-" if n is None else "always less" if n == JOINTS[0] else f"{n:.2f}" for n in found))
    console.print(crossings)

    parts = Table(title="Primitives: multiplications and additions needed a link")
    for column in ("primitive", "book", "ours"):
        parts.add_column(column, justify="left" if column == "primitive" else "right")
    for name, ours in primitives().items():
        parts.add_row(name, *("{} m + {} a".format(*pair) if pair else "-" for pair in (BOOK_PRIMITIVES[name], ours)))
    console.print(parts)

    trig, six = lane_sincos(), [table[algorithm]["needed"][6][3] for algorithm in TITLES]
    console.print(f"Pairs of sine and cosine needed at n = 6, in the order of the first table: {six}; the book has n - 1.")
    console.print(f"A pair costs {trig.multiplications} m + {trig.additions} a in lanes.", end="\n\n")
    console.print(WHY.strip(), highlight=False)


def text(coefficients):
    """A polynomial as one writes it."""
    parts = []
    for k, c in reversed(list(enumerate(coefficients))):
        if c:
            size = abs(c)
            factors = [str(size.numerator)] * (size.numerator != 1 or k == 0) + [("", "n", f"n^{k}")[min(k, 2)]] * (k > 0)
            below = f"/{size.denominator}" if size.denominator > 1 else ""
            parts.append(f"{'-' if c < 0 else '+'} {' '.join(factors)}{below}")
    return " ".join(parts).removeprefix("+ ")


def main():
    parser = argparse.ArgumentParser(description="Operation counts beside Featherstone 1987, Table 8-6.")
    parser.add_argument("--json", action="store_true", help="print numbers instead of tables")
    as_json = parser.parse_args().json
    table = all_counts()
    fitted = polynomials(table)
    if not as_json:
        return show(table, fitted)

    def exact(polynomials):
        return [None if p is None else [str(c) for c in p] for p in polynomials]

    numbers = {
        "counts": table,
        "polynomials": {k: {way: exact(found) for way, (found, _) in row.items()} for k, row in fitted.items()},
        "misfits": {k: {way: str(miss) for way, (_, miss) in row.items()} for k, row in fitted.items()},
        "crossovers": {name: {way: crossover(table, fitted, way, cost) for way in ("book", *WAYS)} for name, cost in COST_MODELS.items()},
        "primitives": primitives(),
    }
    print(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
