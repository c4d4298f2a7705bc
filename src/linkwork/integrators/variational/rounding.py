r"""How far rounding alone keeps the equations of a step from holding: the size below which no correction can bring them.

The residual of joint i is its right side less S_0 . p, p being the momenta of all links that hang on it, added up from the tips inward:

    p = p_own + sum over children of X^T p_child,       fl(p) = p + delta,       |delta| <= eps (|n| + |r| |f|, |f|)

with r the way to the parent. Own momenta m e / h round by their ways e, which are sums along the path from the root, (m / h) eps sqrt(sum |d_j|^2), and
angular ones by their turns alike; impulses x of rows by eps |x w| on each of their links; gaps of rows by eps times lengths along their paths. In a
chain of n links delta grows as n^2 (n momenta that grow outward) while the action grows as n^3, so no fixed part of the action will do for all n.

The residual is linear in these numbers, so errors of their sizes, with signs that do not follow any pattern, are sent through the same
factor as the residual itself, rows and all. What comes out is a measure of what rounding makes of sum u^2 / D: in chains of 100 to 1000 hinges, of equal and
of mixed masses, 30 to 250 times what was left where corrections stopped shrinking.
"""

from ...constraints.rows import wrench_a, wrench_b
from ...dynamics.joints.joint import force_in, pose_out
from ...kernels import kernel
from ...kernels.scalar import sqrt, zero
from ...model.constraint_tables import has_constraints, open_constraints
from ...spatial.matrices import identity9
from ...spatial.vectors import add6, dot3, scale6
from .sweeps import clear_momenta

UNIT = 2.2e-16  # eps of floats
MARGIN = 10.0  # corrections of up to so many times the size that comes out may be rounding


@kernel
def rounding_errors(model, run) -> None:
    """Errors of the size of rounding in place of momenta, right sides and gaps: the residual must be found again."""
    _measure_paths(model, run)
    _round_right_sides(model, run)
    _round_momenta(model, run)
    if has_constraints(model):
        _round_rows(model, run)


@kernel(inline=True)
def _sign(k):
    """1 or -1: whether a multiplicative hash of k is odd. Sums of such numbers grow as those of chance do."""
    return 1.0 - 2.0 * ((((k + 1) * 40503) >> 9) & 1)


@kernel
def _measure_paths(model, run) -> None:
    """Of each link the sums of squares of ways and of turns along its path, to `path` and `turns`."""
    for i in range(model.n):
        joint, link = model.links[i], run.links[i]
        link.path, link.turns = dot3(link.d, link.d), link.r[1] * link.r[1] + link.r[2] * link.r[2] + link.r[3] * link.r[3]
        if joint.parent >= 0:
            above = run.links[joint.parent]
            link.path, link.turns = link.path + above.path, link.turns + above.turns


@kernel
def _round_right_sides(model, run) -> None:
    """Right sides round by themselves and by all that was added to them: momenta, and half the impulse of forces."""
    half = 0.5 * run.h
    for k in range(model.nv):
        size = abs(run.right[k]) + abs(run.momentum[k])
        if run.forced:
            size = size + half * abs(run.force[k])
        run.right[k] = _sign(k) * UNIT * size


@kernel
def _round_momenta(model, run) -> None:
    """From the tips inward: p of each link, and in its place what rounding makes of it on its way to the parent."""
    o = zero(run)
    zero6, n, branches = (o, o, o, o, o, o), model.n, run.branches
    clear_momenta(model, run)
    p = zero6
    for j in range(n):
        i = n - 1 - j
        joint, link = model.links[i], run.links[i]
        p = add6(p, link.p)
        if joint.branch >= 0:
            p = add6(p, branches[joint.branch].p)
        way, turn = (joint.m / run.h) * sqrt(link.path), sqrt(link.turns) / run.h
        _, place = pose_out(model, run.start, i, run.start.q, (identity9(o), (o, o, o)))
        arm, reach, T = sqrt(dot3(place, place)), sqrt(dot3(link.com, link.com)), link.T
        f = sqrt(p[3] * p[3] + p[4] * p[4] + p[5] * p[5]) + way
        moment = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + arm * f + reach * way + (T[0] + T[3] + T[5]) * turn
        a, b = UNIT * moment, UNIT * f
        link.p = (
            _sign(6 * i) * a,
            _sign(6 * i + 1) * a,
            _sign(6 * i + 2) * a,
            _sign(6 * i + 3) * b,
            _sign(6 * i + 4) * b,
            _sign(6 * i + 5) * b,
        )
        if joint.parent >= 0:
            p = force_in(model, run.start, i, run.start.q, p)
        if not joint.follows:
            if joint.parent >= 0:
                branch = branches[model.links[joint.parent].branch]
                branch.p = add6(branch.p, p)
            p = zero6


@kernel
def _round_rows(model, run) -> None:
    """Impulses on links and joints round by themselves; gaps by lengths on their paths, since places are sums and each turn is off by eps."""
    c, rows, links = open_constraints(model), run.rows, run.links
    for k in range(c.nblocks):
        block, lengths = c.blocks[k], c.length[0]
        for j in range(block.paths):
            r = model.links[c.paths[block.path + j]].r
            lengths = lengths + sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
        step = UNIT * sqrt(1.0 + block.paths)
        for i in range(block.row, block.row + block.rows):
            x, first, now = _sign(i) * UNIT * rows.impulses[i], rows.first[i], rows.now.rows[i]
            if block.a >= 0:
                links[block.a].p = add6(links[block.a].p, scale6(x, wrench_a(first)))
            if block.b >= 0:
                links[block.b].p = add6(links[block.b].p, scale6(x, wrench_b(first)))
            turns, shifts, terms = dot3(now.n_a, now.n_a) + dot3(now.n_b, now.n_b), dot3(now.f_a, now.f_a) + dot3(now.f_b, now.f_b), 0.0
            for j in range(block.terms):
                term = c.terms[block.term + j]
                run.right[term.v] = run.right[term.v] + x * term.coefficient
                terms = terms + abs(term.coefficient * run.end.q[term.q])
            rows.gaps[i] = _sign(i + 1) * step * (sqrt(turns) + lengths * sqrt(shifts) + terms)
