"""Impacts of a variational run, and the velocities that it shows.

Steps end with bodies apart or touching, whatever they hit: momenta that point into a body are stopped by the impulses of the next nodes, without a
rebound. A point with restitution that closes fast enough cuts the step where it touches,

    gap(q(t + s)) = 0, by steps of s;        an impact there, in the mass metric, with Newton's law and the guard of the energy (decision 0024);
    a step of h - s from the momenta behind it

(Fetecau, Marsden, Ortiz and West 2003). Where it ends nothing is left over: a ball that loses nothing keeps its energy.

Momenta that are carried have not lost what contacts take from them in the node where they stand; as for constraints (run.py) the velocities that are
shown have: they are those behind an impact without rebound.
"""

import numpy as np

from ...data.contact_problem import FAILED, OPEN, new_impact_energy
from ...data.stepper import for_kernels
from ...data.variational_contact import VariationalContact
from ...solvers.contact.points import TOUCHES
from ...solvers.contact.restitution import guard_energy
from ...solvers.contact.solve import solve_contacts
from ..integrator import StepError
from ..nonsmooth.memory import load_contact, new_contact, save_contact
from .contact_rows import SHARE
from .contact_step import HALVINGS, IMPULSES, NO_ROOM, adopt_coming, answer_node, book_node, contact_node, contact_steps

MOST_IMPACTS = 64  # within a step; then nothing rebounds any more until it ends
ACCURACY = 1e-14  # of the length of the scene, up to which a step is cut where bodies touch
TRIALS = 60  # steps that look for that
SUMS = ("force", "lasting", "impact", "friction", "impulse")  # of a RememberedPoint: what the parts of a step add up to
LAST = 1e-8  # of a step: less that is left is not taken, and what touches sooner touches at once


class TouchingRun:
    """Contact of a run: `touch` (VariationalContact) beside its record."""

    def __init__(self, system, run):
        self.system, self.run = system, run
        self._parts, self._before = {}, None  # points of the parts of a step
        self._take_memory()

    def _take_memory(self):
        contact = self.system.contact
        sizes = {"contacts": contact.room, "limits": 0, "rows": contact.row_room}
        self.touch = VariationalContact.allocate(self.system.model.sizes | sizes)
        self.touch.contact, self.touch.driven = contact, self.system.prescribes_velocities

    def grow(self):
        """Twice the room."""
        system = self.system
        old = system.stepper.contact
        system.stepper.contact = new_contact(system.model, False, 2 * old.room)
        load_contact(system.stepper.contact, save_contact(old))
        booked = self.touch.impact, self.touch.friction, self.touch.drive
        self._take_memory()
        self.touch.impact, self.touch.friction, self.touch.drive = booked

    def save(self):
        return save_contact(self.system.contact), self.touch.impact, self.touch.friction, self.touch.drive

    def load(self, saved):
        load_contact(self.system.contact, saved[0])
        self.touch.impact, self.touch.friction, self.touch.drive = saved[1:]

    # ---- where steps are cut

    def closing_time(self, t, h):
        """The part of a step of h from t at whose end the first of the points touches that rebound in it, 1 if none of them does; None where such a step could
        not be taken. Nothing is changed."""
        touch, run = self.touch, self.run
        accuracy = ACCURACY * float(self.system.model.contact_tables.length[0])
        if touch.nearest <= accuracy:
            return 0.0
        kept = run.save(), self.save(), run.record.mean.copy()
        slowest, nearest = touch.slowest, touch.nearest

        def least(part):
            while True:
                touch = self.touch
                touch.exempting, touch.slowest, touch.reach = True, slowest, 2.0 * h
                done = contact_steps(self.system.model.handle, for_kernels(run.record), for_kernels(touch), t, part * h, 1)
                touch.exempting = False
                found, ended = touch.least, run.report.ended
                run.load(kept[0])
                self.load(kept[1])
                run.record.mean[:] = kept[2]
                if done or ended != NO_ROOM:
                    break
                self.grow()
            if not done:
                raise StepError("")
            return found

        try:
            part = first_root(least, nearest, 1.0, accuracy)
            part = 1.0 if part is None else part
        except StepError:
            part = None
        self.touch.slowest, self.touch.nearest = slowest, nearest
        return part if part is None or part > LAST else 0.0

    # ---- a step in parts

    def begin_parts(self):
        """A step is taken in parts: its points are those of all of them."""
        self._parts, self._before = {}, save_contact(self.system.contact)

    def add_part(self, h):
        """A part of h has been taken."""
        memory = self.system.contact.memory
        points = memory.points.rows[: int(memory.count[0])].copy()
        points["force"] *= h
        points["lasting"] *= h
        self._add(points)

    def _add(self, points):
        for point in points:
            key = int(point["pair"]), int(point["feature"])
            known = self._parts.get(key)
            if known is not None:
                for name in SUMS:
                    point[name] += known[name]
                point["jump"], point["flags"] = max(point["jump"], known["jump"]), point["flags"] | known["flags"]
                if point["status"] == OPEN:
                    point["status"] = known["status"]
            self._parts[key] = point.copy()

    def end_parts(self, h):
        """The step of h has been taken: forces are means over it."""
        points = sorted(self._parts.values(), key=lambda point: int(point["pair"]))
        while len(points) > self.system.contact.room:
            self.grow()
        contact = self.system.contact
        coming = contact.coming
        for k, point in enumerate(points):
            coming.points.rows[k] = point
            coming.points.rows[k]["force"] /= h
            coming.points.rows[k]["lasting"] /= h
        coming.count[0] = len(points)
        count, words = int(self._before[0]), contact.memory.points.rows.dtype.itemsize // 8
        contact.memory.points.rows[:count] = self._before[1 : 1 + count * words].view(contact.memory.points.rows.dtype)
        contact.memory.count[0] = count
        adopt_coming(for_kernels(self.touch))

    # ---- impacts

    def node(self, v):
        """The problem of an impact at velocities v: how many rows. G, u and the rest stand in the records."""
        touch, record = self.touch, self.run.record
        touch.before[:] = v
        h = record.h if record.h > 0.0 else 1e-3
        while not contact_node(self.system.model.handle, for_kernels(record), for_kernels(touch), h, 1):
            self.grow()
            touch = self.touch
            touch.before[:] = v
        return self.system.contact.problem.n

    def answer(self):
        """What the impulses of the problem change velocities by, and the work of prescribed motion against them."""
        record, touch = self.run.record, self.touch
        damping = record.damping.copy()
        record.damping[:] = 0.0
        driven = float(answer_node(self.system.model.handle, for_kernels(record), for_kernels(touch)))
        record.damping[:] = damping
        return record.correction.copy(), driven

    def stopped(self, v):
        """The velocities behind an impact without rebound of all points that touch; what it has taken, by impact and by friction, and what prescribed motion
        has given."""
        n = self.node(v)
        contact, taken = self.system.contact, np.zeros(3)
        if n == 0:
            return v, taken
        problem = contact.problem
        problem.g[:n] = self.touch.u[:n]
        problem.l[:n] = self._guess(0.5)
        if solve_contacts(for_kernels(problem)) == FAILED:
            return v, taken
        l, u, w = (np.array(array[:n]) for array in (problem.l, self.touch.u, problem.w))
        works = -0.5 * l * (u + w)
        normals = [self.touch.points[k].row for k in range(contact.count)]
        taken[0] = works[normals].sum()
        taken[1] = works.sum() - works[normals].sum()
        change, taken[2] = self.answer()
        return v + change, taken

    def _guess(self, share):
        """A share of the impulses that are remembered."""
        contact = self.system.contact
        found = np.zeros(contact.problem.n)
        for k in range(contact.count):
            row, rows = self.touch.points[k].row, self.touch.points[k].rows
            found[row : row + rows] = np.array(contact.points[k].l)[:rows]
        return share * found

    def impact(self, v, t):
        """The velocities behind an impact of all points that touch, those that close as fast as points that rebound doing so by Newton's law; None if there are
        none of these."""
        n = self.node(v)
        contact, touch = self.system.contact, self.touch
        problem, u = contact.problem, touch.u[:n].copy()
        rows = np.array([touch.points[k].row for k in range(contact.count)], dtype=int)
        e = np.array([contact.points[k].restitution for k in range(contact.count)])
        fastest = -u[rows].min(initial=0.0)
        if not fastest > 0.0:
            return None
        struck = -u[rows] >= min(SHARE * touch.slowest, fastest)  # on its way it may have become slower
        e[~struck] = 0.0
        problem.l[:n] = 0.0
        problem.g[:n] = u
        self._solve(t)
        plain = problem.l[:n].copy()
        if e.any():
            problem.g[rows] += e * u[rows]
            found = solve_contacts(for_kernels(problem))
            energy = new_impact_energy(n)
            energy.n = n
            energy.G[:], energy.u[:], energy.l0[:] = problem.G[: n * n], u, plain
            energy.l1[:] = plain if found == FAILED else problem.l[:n]
            if guard_energy(for_kernels(energy)) < 1.0 or found == FAILED:
                contact.books.guarded += 1
            problem.l[:n] = energy.l[:]
        book_node(for_kernels(touch))
        self._book_impact(np.reshape(problem.G[: n * n], (n, n))[rows] @ np.array(problem.l[:n]), struck)
        change, driven = self.answer()
        touch.drive += driven
        return v + change

    def _solve(self, t):
        contact = self.system.contact
        if solve_contacts(for_kernels(contact.problem)) == FAILED:
            pair = self.system.model.pairs[contact.points[max(contact.problem.worst, 0)].pair]
            raise StepError(
                f"the impulses of an impact at t = {t:.9g} s, hardest between {pair.a!r} and {pair.b!r}, were not found (the best satisfy the laws of contact "
                f"to {contact.problem.residual:.2g} m/s)"
            )

    def _book_impact(self, jumps, strikes):
        """The points of an impact join those of the step; impacts of pairs. jumps: of normal velocities. strikes: which close fast."""
        contact, struck = self.system.contact, []
        l, rows, books, pairs = contact.problem.l, contact.memory.points.rows, contact.books, set()
        for k in range(contact.count):
            point, own = contact.points[k], self.touch.points[k]
            row, normal = own.row, float(l[own.row])
            if normal <= 0.0:
                continue
            kept = np.zeros(1, rows.dtype)[0]
            tangents = (float(l[row + 1]), float(l[row + 2])) if own.rows == 3 else (0.0, 0.0)
            kept["pair"], kept["feature"], kept["flags"], kept["p"] = point.pair, point.feature, TOUCHES, point.p
            kept["status"] = contact.problem.status[k]
            kept["force"] = normal * np.array(point.n) + tangents[0] * np.array(point.t1) + tangents[1] * np.array(point.t2)
            kept["impact"], kept["friction"] = own.impact, own.friction
            if strikes[k]:
                kept["impulse"], kept["jump"] = normal, jumps[k]
                books.pair_impulse[point.pair] += normal
                books.pair_impact[point.pair] += own.impact + own.friction
                books.pair_jump[point.pair] = max(books.pair_jump[point.pair], jumps[k])
                pairs.add(int(point.pair))
            struck.append(kept)
        for pair in pairs:
            books.pair_impacts[pair] += 1
        self._add(struck)

    def failure(self, t, h, iterations):
        """Why a step was not taken."""
        contact, report, model = self.system.contact, self.run.report, self.system.model
        pair = model.pairs[contact.failed - 1] if contact.failed > 0 else None
        where = "" if pair is None else f", hardest between {pair.a!r} and {pair.b!r},"
        if report.ended == IMPULSES:
            return (
                f"the impulses of a step of {h:g} s from t = {t:.9g} s{where} were not found (the best satisfy the laws of contact to "
                f"{contact.problem.residual:.2g} m/s)"
            )
        joint = next((j.name for j in model.joints if j.v_index.start <= report.worst < j.v_index.stop), "?")
        return (
            f"variational step of {h:g} s from t = {t:.9g} s in which bodies may touch: not solved within {iterations} corrections, nor in parts down to "
            f"{h / 2**HALVINGS:.2g} s; the largest residual is at joint {joint!r}"
        )


def first_root(f, f0, b, accuracy):
    """Where f, f0 > 0 at 0, first falls to zero up to b, by the Illinois method; None if f(b) > 0."""
    fb = f(b)
    if fb > accuracy:
        return None
    a, fa, kept = 0.0, f0, 0
    for _ in range(TRIALS):
        if abs(fb) <= accuracy:
            return b
        x = (a * fb - b * fa) / (fb - fa)
        if not a < x < b:
            x = 0.5 * (a + b)
        fx = f(x)
        if abs(fx) <= accuracy or b - a <= 1e-15 * b:
            return x
        if fx > 0.0:
            a, fa = x, fx
            fb, kept = (0.5 * fb, 1) if kept == 1 else (fb, 1)
        else:
            b, fb = x, fx
            fa, kept = (0.5 * fa, -1) if kept == -1 else (fa, -1)
    return b
