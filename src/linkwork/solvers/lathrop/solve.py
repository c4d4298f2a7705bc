r"""Constrained forward dynamics by propagation of constraints, from the tips to the root and back, in time linear in the number of links.

Lathrop 1986; Schröder 1990, chapter 5 ("The Virtual Erector Set"). Every link gives relations between its acceleration and the force that it needs from
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
prescribed     the same, a = a*(t)                         Lock with functions of time
point          turns (3) and multipliers (3)               Lock of x, y, z
loop           a (6) and six multipliers shared            joints that close loops (cut body and body held together by six rows)

Beyond the thesis: bias forces on both sides of a cut loop; right vectors kept where branches are merged, so that nothing must be guessed
on the way back; equations that a branch without enough freedom cannot fulfil are handed on; multipliers have labels, so that loops may
nest and share links; joints of several freedoms; relations between joints.
"""

import numpy as np

from .affine_fronts import Ledger, close, eliminate, impose, left_over, refresh, side_by_side, substitute, substitute_back, tip
from .link_arrays import force_to_parent, to_parent


def solve(state):
    """The solution of one state, given as link arrays: a Propagation."""
    return Propagation(state)


class Plan:
    """Where the rows touch the tree, and their sizes: phi_ddot counts in units of `row_size`, a multiplier in units of `lambda_size`."""

    def __init__(self, state):
        self.children = [[] for _ in range(len(state.parent) + 1)]  # the last: of the ground
        for i, parent in enumerate(state.parent):
            self.children[parent].append(i)
        self.on_link, self.on_joint, self.complete = {}, {}, []
        self.row_size, self.lambda_size = np.ones(len(state.gamma)), np.ones(len(state.gamma))
        for g, group in enumerate(state.groups):
            places = [("link", link, side) for side, link in enumerate(group.links) if link >= 0]
            places += [("joint", term.link, term) for term in group.terms]
            self.complete.append(len(places))
            for what, link, detail in places:
                (self.on_link if what == "link" else self.on_joint).setdefault(link, []).append((g, detail))
            self._measure(state, group)

    def _measure(self, state, group):
        """A row counts as one where it is largest; its multiplier counts by the lightest link or rotor that it moves."""
        for r in range(group.rows.start, group.rows.stop):
            sizes = [np.abs(state.wrenches[r, side]).max() for side, link in enumerate(group.links) if link >= 0]
            sizes += [abs(term.coefficient) for term in group.terms]
            self.row_size[r] = max(sizes, default=1.0) or 1.0
            ease = [1e-6]
            for side, link in enumerate(group.links):
                if link >= 0:
                    F = state.wrenches[r, side] / self.row_size[r]
                    ease.append(F @ np.linalg.solve(state.I[link] + 1e-6 * np.eye(6), F))
            for term in group.terms:
                S = state.S[term.link][:, term.column]
                ease.append((term.coefficient / self.row_size[r]) ** 2 / (S @ state.I[term.link] @ S + state.armature[term.v] + 1e-6))
            self.lambda_size[r] = 1.0 / max(ease) / self.row_size[r]


class Propagation:
    """One solution: `vdot`, `multipliers`, the number of dependent rows (`redundant`), and the ledger with all fronts and the work done."""

    def __init__(self, state):
        masses = state.I[:, 5, 5]
        mass = masses[masses > 0].mean() if (masses > 0).any() else 1.0
        self.state = state.scaled(state.length, mass)
        self.plan = Plan(self.state)
        self.ledger, self.met = Ledger(), set()
        self.vdot, self.multipliers = np.zeros(len(state.tau)), np.zeros(len(state.gamma))
        self._inward()
        substitute_back(self.ledger, {"vdot": self.vdot, "multipliers": self.multipliers})
        self.multipliers *= self.plan.lambda_size * mass * state.length**2
        nowhere = sum(group.rows.stop - group.rows.start for group, n in zip(state.groups, self.plan.complete, strict=True) if n == 0)
        self.redundant = self.ledger.dropped + nowhere  # rows between two places of the ground say nothing either

    def _inward(self):
        waiting = {}
        for i in reversed(range(len(self.state.parent))):
            fronts = [waiting.pop(child) for child in self.plan.children[i]]
            front = self._gathered(fronts, self._equal) if fronts else tip(self.ledger)
            front = self._loaded(i, front)
            waiting[i] = self._crossed(i, front)
        self._merged([self._grounded(waiting[i]) for i in self.plan.children[-1]], self._side_by_side)

    # ------------------------------------------------------------------ a link

    def _loaded(self, i, front):
        """The link's own force, and the wrenches of rows that act on it."""
        state, plan = self.state, self.plan
        front.stack[6:12] += state.I[i] @ front.a
        front.stack[6:12, 0] += state.bias[i]
        for g, side in plan.on_link.get(i, ()):
            rows = range(state.groups[g].rows.start, state.groups[g].rows.stop)
            self._meet(front, g, rows)
            for r in rows:
                F = state.wrenches[r, side]
                front.stack[6:12, front.column(r)] -= F * plan.lambda_size[r]
                front.sums[front.labels.index(r)] += F @ front.a / plan.row_size[r]
        return close(self.ledger, front, state.groups, plan.complete)

    def _meet(self, front, g, rows):
        """A group of rows has met one more of its places; gamma is counted at the first."""
        front.open(rows)
        if g not in self.met:
            self.met.add(g)
            for r in rows:
                front.sums[front.labels.index(r), 0] += self.state.gamma[r] / self.plan.row_size[r]
        front.met[g] = front.met.get(g, 0) + 1

    # ------------------------------------------------------------------ a joint

    def _crossed(self, i, front):
        """The front on the other side of joint i, in the coordinates of the parent."""
        state, plan = self.state, self.plan
        S, v = state.S[i], state.v_index[i]
        d = S.shape[1]
        coupled = plan.on_joint.get(i, ())
        for g, _ in coupled:
            self._meet(front, g, range(state.groups[g].rows.start, state.groups[g].rows.stop))
        wide = np.insert(front.stack, [1 + front.n] * d, 0.0, axis=1)
        joint = slice(1 + front.n, 1 + front.n + d)
        E = S.T @ wide[6:12]
        E[:, 0] -= state.tau[v]
        E[:, joint] += np.diag(state.armature[v])
        for g, term in coupled:
            for r in range(state.groups[g].rows.start, state.groups[g].rows.stop):
                E[term.column, d + front.column(r)] -= term.coefficient * plan.lambda_size[r]
                wide[12 + front.labels.index(r), 1 + front.n + term.column] += term.coefficient / plan.row_size[r]
        wide[:6, joint] -= S
        wide[:6, 0] -= state.c[i]
        wide[:6] = to_parent(state.R[i], state.p[i], wide[:6])
        wide[6:12] = force_to_parent(state.R[i], state.p[i], wide[6:12])
        force = np.abs(front.f[:, front.own]).max(initial=0.0)  # later, a free joint leaves nothing but rounding of it
        T, n, unsolved = eliminate(self.ledger, front, E, d)
        front = substitute(self.ledger, front, T, n, wide, [("vdot", v, T[front.n :])])
        front = left_over(self.ledger, front, unsolved)
        front = close(self.ledger, front, state.groups, plan.complete)
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
        front, difference = side_by_side(self.ledger, first, second)
        front = impose(self.ledger, "branch", front, difference)
        return close(self.ledger, front, self.state.groups, self.plan.complete)

    def _side_by_side(self, first, second):
        """Two linkages on the ground that share open multipliers."""
        front, _ = side_by_side(self.ledger, first, second)
        front = close(self.ledger, front, self.state.groups, self.plan.complete)
        return refresh(self.ledger, front)

    def _grounded(self, front):
        """The ground does not accelerate, and takes every force."""
        front = impose(self.ledger, "ground", front, front.a)
        front.stack[:12] = 0.0
        return refresh(self.ledger, front)
