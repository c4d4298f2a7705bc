r"""Constrained forward dynamics by propagation of constraints, from the tips to the root and back, in time linear in the number of links.

Lathrop 1986; Schröder 1990, chapter 5 ("The Virtual Erector Set"). Every link says of its acceleration and of the force that it needs from
its parent how they depend on a few unknowns,
    a_i = Ma x + ka,      f_i = Mf x + kf,
and hands that inward: through the joint, of which one equation each takes an unknown away and adds the joint's acceleration,

    inward     f_i = I_i a_i + bias_i - sum of wrenches times lambda + sum of children        a_i equal for all children
               S_i^T f_i + armature vdot_i = tau_i + coefficients times lambda                 takes unknowns away
               a_l = X^-1 (a_i - S_i vdot_i - c_i),    f_l += X^T f_i                          adds vdot_i
    ground     a = 0                                                                           determines the rest
    outward    each unknown from those that took its place

What holds a link at its end needs no cases: a row brings its multiplier as an unknown and its equation as soon as all its places are met.

end            unknowns at once left                       how it is given here
free           a (6)                                       nothing
force          a (6), the force in the bias                f_ext
nail           the six multipliers, a = 0                  Lock of all six coordinates to the ground
prescribed     the same, a = a*(t)                         Lock with laws of time
point          turns (3) and multipliers (3)               Lock of x, y, z
loop           a (6) and six multipliers shared            joints that close loops (twin and body held together by six rows)

Beyond the thesis: bias forces on both sides of a cut loop; right vectors kept where branches are merged, so that nothing must be guessed
on the way back; equations that a branch without enough freedom cannot fulfil are handed on; multipliers have labels, so that loops may
nest and share links; joints of several freedoms; relations between joints.
"""

from dataclasses import replace

import numpy as np

from ...constraints.independent_rows import chosen_rows
from ...dynamics.call import shaped
from ...dynamics.external import wrenches
from ...errors import SolverError
from ...model.model import need_model
from ..delassus.driver import Constrained, solve_doubtful
from ..delassus.semidefinite import FLOOR, LEAST, SURE
from .affine_fronts import Ledger, beside, close, eliminate, impose, left_over, look_back, refresh, substitute, tip
from .link_arrays import force_to_parent, pieces_of, to_parent

HOLDS = 1e-3  # of what rows left out may lack: rows that were taken hold better than that
# Of what adds up at a joint or in a row: an equation that lacks more has lost digits, and the solution is corrected. Rounding of some dozen terms is less.
EXACT = 1e-13
CORRECTIONS = 4  # at most, and no more where one does not halve what is lacking; the last is of the rows alone
# Of forces across a joint's axis, and of the greatest acceleration that a row could see: along the axis, or at a part that rests, there may be nothing
# but rounding of these.
ACROSS = 1e-3


class Plan:
    """Where the rows touch the tree, and their sizes: phi_ddot counts in units of `row_size`, a multiplier in units of `lambda_size`."""

    def __init__(self, pieces):
        self.children = [[] for _ in range(len(pieces.parent) + 1)]  # the last: of the ground
        for i, parent in enumerate(pieces.parent):
            self.children[parent].append(i)
        self.on_link, self.on_joint, self.complete = {}, {}, []
        self.row_size, self.lambda_size = np.ones(len(pieces.gamma)), np.ones(len(pieces.gamma))
        for g, group in enumerate(pieces.groups):
            places = [("link", link, side) for side, link in enumerate(group.links) if link >= 0]
            places += [("joint", term.link, term) for term in group.terms]
            self.complete.append(len(places))
            for what, link, detail in places:
                (self.on_link if what == "link" else self.on_joint).setdefault(link, []).append((g, detail))
            self._measure(pieces, group)

    def _measure(self, pieces, group):
        """A row counts as one where it is largest; its multiplier counts by the lightest link or rotor that it moves."""
        for r in range(group.rows.start, group.rows.stop):
            sizes = [np.abs(pieces.wrenches[r, side]).max() for side, link in enumerate(group.links) if link >= 0]
            sizes += [abs(term.coefficient) for term in group.terms]
            self.row_size[r] = max(sizes, default=1.0) or 1.0
            ease = [1e-6]
            for side, link in enumerate(group.links):
                if link >= 0:
                    F = pieces.wrenches[r, side] / self.row_size[r]
                    ease.append(F @ np.linalg.solve(pieces.I[link] + 1e-6 * np.eye(6), F))
            for term in group.terms:
                S = pieces.S[term.link][:, term.column]
                ease.append((term.coefficient / self.row_size[r]) ** 2 / (S @ pieces.I[term.link] @ S + pieces.armature[term.v] + 1e-6))
            self.lambda_size[r] = 1.0 / max(ease) / self.row_size[r]


class Propagation:
    """One solution: `vdot`, `multipliers`, the number of dependent rows (`redundant`), and the ledger with all fronts and the work done."""

    def __init__(self, pieces):
        masses = pieces.I[:, 5, 5]
        mass = masses[masses > 0].mean() if (masses > 0).any() else 1.0
        self.pieces = pieces.scaled(pieces.length, mass)
        self.plan = Plan(self.pieces)
        self.ledger, self.met = Ledger(), set()
        self.vdot, self.multipliers = np.zeros(len(pieces.tau)), np.zeros(len(pieces.gamma))
        self._inward()
        look_back(self.ledger, {"vdot": self.vdot, "multipliers": self.multipliers})
        self.multipliers *= self.plan.lambda_size * mass * pieces.length**2
        nowhere = sum(group.rows.stop - group.rows.start for group, n in zip(pieces.groups, self.plan.complete, strict=True) if n == 0)
        self.redundant = self.ledger.dropped + nowhere  # rows between two places of the ground say nothing either

    def _inward(self):
        waiting = {}
        for i in reversed(range(len(self.pieces.parent))):
            fronts = [waiting.pop(child) for child in self.plan.children[i]]
            front = self._gathered(fronts, self._equal) if fronts else tip(self.ledger)
            front = self._loaded(i, front)
            waiting[i] = self._crossed(i, front)
        self._merged([self._grounded(waiting[i]) for i in self.plan.children[-1]], self._beside)

    # ------------------------------------------------------------------ a link

    def _loaded(self, i, front):
        """The link's own force, and the wrenches of rows that act on it."""
        pieces, plan = self.pieces, self.plan
        front.stack[6:12] += pieces.I[i] @ front.a
        front.stack[6:12, 0] += pieces.bias[i]
        for g, side in plan.on_link.get(i, ()):
            rows = range(pieces.groups[g].rows.start, pieces.groups[g].rows.stop)
            self._meet(front, g, rows)
            for r in rows:
                F = pieces.wrenches[r, side]
                front.stack[6:12, front.column(r)] -= F * plan.lambda_size[r]
                front.sums[front.labels.index(r)] += F @ front.a / plan.row_size[r]
        return close(self.ledger, front, pieces.groups, plan.complete)

    def _meet(self, front, g, rows):
        """A group of rows has met one more of its places; gamma is counted at the first."""
        front.open(rows)
        if g not in self.met:
            self.met.add(g)
            for r in rows:
                front.sums[front.labels.index(r), 0] += self.pieces.gamma[r] / self.plan.row_size[r]
        front.met[g] = front.met.get(g, 0) + 1

    # ------------------------------------------------------------------ a joint

    def _crossed(self, i, front):
        """The front on the other side of joint i, in the coordinates of the parent."""
        pieces, plan = self.pieces, self.plan
        S, v = pieces.S[i], pieces.v_index[i]
        d = S.shape[1]
        coupled = plan.on_joint.get(i, ())
        for g, _ in coupled:
            self._meet(front, g, range(pieces.groups[g].rows.start, pieces.groups[g].rows.stop))
        wide = np.insert(front.stack, [1 + front.n] * d, 0.0, axis=1)
        joint = slice(1 + front.n, 1 + front.n + d)
        E = S.T @ wide[6:12]
        E[:, 0] -= pieces.tau[v]
        E[:, joint] += np.diag(pieces.armature[v])
        for g, term in coupled:
            for r in range(pieces.groups[g].rows.start, pieces.groups[g].rows.stop):
                E[term.column, d + front.column(r)] -= term.coefficient * plan.lambda_size[r]
                wide[12 + front.labels.index(r), 1 + front.n + term.column] += term.coefficient / plan.row_size[r]
        wide[:6, joint] -= S
        wide[:6, 0] -= pieces.c[i]
        wide[:6] = to_parent(pieces.R[i], pieces.p[i], wide[:6])
        wide[6:12] = force_to_parent(pieces.R[i], pieces.p[i], wide[6:12])
        force = np.abs(front.f[:, front.own]).max(initial=0.0)  # later, a free joint leaves nothing but rounding of it
        T, n, unsolved = eliminate(self.ledger, front, E, d)
        front = substitute(self.ledger, front, T, n, wide, [("vdot", v, T[front.n :])])
        front = left_over(self.ledger, front, unsolved)
        front = close(self.ledger, front, pieces.groups, plan.complete)
        return refresh(self.ledger, front, force)

    # ------------------------------------------------------------------ branches and the ground

    def _gathered(self, fronts, join):
        """All fronts as one; those that share open multipliers first."""
        first, *others = self._merged(fronts, join)
        for other in others:
            first = join(first, other)
        return first

    def _merged(self, fronts, join):
        """Merge fronts that share open multipliers, the group that leaves the fewest of them open first."""
        fronts = list(fronts)
        while True:
            holders = {}
            for front in fronts:
                for g in front.met:
                    holders.setdefault(g, []).append(front)
            shared = [held for held in holders.values() if len(held) > 1]
            if not shared:
                return fronts
            first, second, *_ = min(shared, key=lambda held: len({label for front in held for label in front.labels}))
            fronts = [front for front in fronts if front is not first and front is not second]
            fronts.append(join(first, second))

    def _equal(self, first, second):
        """Two branches of one link: both give it the same acceleration."""
        front, difference = beside(self.ledger, first, second)
        front = impose(self.ledger, "branch", front, difference)
        return close(self.ledger, front, self.pieces.groups, self.plan.complete)

    def _beside(self, first, second):
        """Two linkages on the ground that share open multipliers."""
        front, _ = beside(self.ledger, first, second)
        front = close(self.ledger, front, self.pieces.groups, self.plan.complete)
        return refresh(self.ledger, front)

    def _grounded(self, front):
        """The ground does not accelerate, and takes every force."""
        front = impose(self.ledger, "ground", front, front.a)
        front.stack[:12] = 0.0
        return refresh(self.ledger, front)


def solve_propagation(model, q, v, tau=None, f_ext=None, t=0.0, *, threads=1):
    """The accelerations of a constrained model by propagation of constraints, state by state; arguments as those of `solve_constrained`.

    It is given the rows that the rule of rank takes, and corrected where digits are lost; where rows do not hold as they should, or others contradict them,
    rows are chosen and corrected as in solvers/delassus/careful.py. The multipliers are one solution of those that give these accelerations.
    `threads` is not used.
    """
    need_model(model)
    return solve_doubtful(propagate_states(model, q, v, tau, f_ext, t), model, q, v, tau, f_ext, t)


def propagate_states(model, q, v, tau=None, f_ext=None, t=0.0):
    """What the recursion itself says. The residual is what the rows lack (`lacking`)."""
    nv = (model.nv,)
    time = np.asarray(t, dtype=float)[..., None]
    inputs = [("q", q, (model.nq,)), ("v", v, nv), ("tau", np.zeros(nv) if tau is None else tau, nv), ("t", time, (1,))]
    inputs.append(wrenches(model, np.zeros((model.nb, 6)) if f_ext is None else f_ext))
    arrays, leading = shaped(inputs)
    vdot, multipliers = np.zeros((*leading, model.nv)), np.zeros((*leading, model.nc))
    rank, residual = np.zeros(leading, dtype=int), np.zeros(leading)
    for k in np.ndindex(leading):
        q_, v_, tau_, t_, f_ = (array[k] for array in arrays)
        pieces = pieces_of(model, q_, v_, tau_, f_, float(t_[0]))
        choice = chosen_rows(model, q_, float(t_[0])).choice
        kept = choice.independent
        try:
            found = _corrected(pieces.with_rows(kept))
        except np.linalg.LinAlgError as error:  # numbers that are not finite
            raise SolverError(
                f"model {model.name!r}: the recursion met numbers that are not finite; is a part nearly massless, or a force beyond all measure?"
            ) from error
        vdot[k], multipliers[(*k, kept)] = found.vdot, found.multipliers
        rank[k], residual[k] = len(kept) - found.redundant, lacking(pieces, found.vdot, choice)
    return Constrained(vdot, multipliers, rank, residual)


def _corrected(pieces):
    """The solution of a state, corrected by what its equations lack where they have lost digits (as solvers/delassus/careful.py does, by another recursion)."""
    found = Propagation(pieces)
    still = replace(pieces, c=np.zeros_like(pieces.c), bias=np.zeros_like(pieces.bias))
    before = np.inf
    for k in range(CORRECTIONS):
        lack = Imbalance(pieces, found.vdot, found.multipliers)
        worst = max(lack.of_forces, lack.of_rows)
        if worst <= EXACT:
            break
        stuck = not worst < 0.5 * before
        rows_alone = k > 0 and (stuck or lack.of_forces <= EXACT or k + 1 == CORRECTIONS)
        correction = Propagation(replace(still, tau=np.zeros_like(pieces.tau) if rows_alone else lack.forces, gamma=lack.rows))
        found.vdot, found.multipliers = found.vdot + correction.vdot, found.multipliers + correction.multipliers
        if stuck:
            break
        before = worst
    return found


class Imbalance:
    """What accelerations and multipliers lack: `forces` tau - M vdot - h + J^T lambda, `rows` J vdot + gamma; `of_forces`, `of_rows`: the
    most of it, relative to what adds up at its joint or in its row (Oettli and Prager 1964: the change of the equations with which it would be exact)."""

    def __init__(self, pieces, vdot, multipliers):
        a = pieces.accelerations(vdot)
        f, size = (
            np.einsum("ijk,ik->ij", pieces.I, a) + pieces.bias,
            np.einsum("ijk,ik->ij", np.abs(pieces.I), np.abs(a)) + np.abs(pieces.bias),
        )
        fastest = np.abs(a).max(axis=0, initial=0.0)
        self.forces, forces = pieces.tau - pieces.armature * vdot, np.abs(pieces.tau) + np.abs(pieces.armature * vdot)
        self.rows, rows = pieces.along_rows(a, vdot) + pieces.gamma, np.abs(pieces.gamma)
        for group in pieces.groups:
            for side, link in enumerate(group.links):
                if link >= 0:
                    W, x = pieces.wrenches[group.rows, side], multipliers[group.rows]
                    f[link] -= x @ W
                    size[link] += np.abs(x) @ np.abs(W)
                    rows[group.rows] += _products(W, a[link], fastest)
            for term in group.terms:
                self.forces[term.v] += term.coefficient * multipliers[group.rows].sum()
                forces[term.v] += np.abs(term.coefficient * multipliers[group.rows]).sum()
                rows[group.rows] += abs(term.coefficient * vdot[term.v])
        for i in reversed(range(len(f))):
            S, v, parent = pieces.S[i], pieces.v_index[i], pieces.parent[i]
            self.forces[v] -= S.T @ f[i]
            forces[v] += _products(S.T, size[i], size[i])
            if parent >= 0:
                f[parent] += force_to_parent(pieces.R[i], pieces.p[i], f[i])
                size[parent] += _sizes_to_parent(pieces.R[i], pieces.p[i], size[i])
        with np.errstate(invalid="ignore", divide="ignore"):
            self.of_forces, self.of_rows = (
                float(np.nanmax(np.abs(lack) / of, initial=0.0)) for lack, of in ((self.forces, forces), (self.rows, rows))
            )


def _products(A, x, most):
    """What adds up in the products of rows of A (m, 6) with x (6,), and some of what they could be, were x as large as `most` (6,) and along them."""
    turns, shifts = (np.linalg.norm(A[:, part], axis=1) * np.linalg.norm(most[part]) for part in (slice(3), slice(3, 6)))
    return np.abs(A) @ np.abs(x) + ACROSS * (turns + shifts)


def _sizes_to_parent(R, p, F):
    """Bounds of the components of a force vector, from child to parent coordinates."""
    f, (x, y, z) = np.abs(R) @ F[3:], np.abs(p)
    return np.concatenate([np.abs(R) @ F[:3] + (y * f[2] + z * f[1], z * f[0] + x * f[2], x * f[1] + y * f[0]), f])


def lacking(pieces, vdot, choice):
    """The largest |J vdot + gamma|, relative to the largest part of a row. Infinite where it is too much for what the rows of its group add up."""
    if len(pieces.gamma) == 0:
        return 0.0
    a = pieces.accelerations(vdot)
    parts = np.abs(pieces.gamma)
    for group in pieces.groups:
        for side, link in enumerate(group.links):
            if link >= 0:
                parts[group.rows] += np.abs(pieces.wrenches[group.rows, side] * a[link]).sum(axis=1)
        for term in group.terms:
            parts[group.rows] += abs(term.coefficient * vdot[term.v])
    largest = np.zeros(len(parts))
    np.maximum.at(largest, choice.group, parts)
    allowed = LEAST + SURE * largest[choice.group]
    allowed[choice.independent] *= HOLDS
    lack = np.abs(pieces.along_rows(a, vdot) + pieces.gamma)
    return np.inf if np.any(lack > allowed) else float(lack.max() / max(FLOOR, parts.max()))
