"""Contact between events: methods of any order carry a mechanism whose bodies touch from one event of contact to the next (decision 0028).

Between events the points that are closed, and whether each sticks or slides, do not change: the mode. Accelerations keep closed points closed
(solvers/contact/mode.py), so a step has the order of its method. After each step the numbers that end a mode are looked at on the method's own polynomial:

    a gap of another point comes to zero            an impact
    a force along a normal comes to zero            the point parts
    |l_t| comes to mu l_n where a point sticks      it slips
    the slip comes to zero where it slides          it sticks, or slips another way

If one does, the step is taken again to end there, and once more, by Newton's method, until it ends where the event is to rounding. What follows is
decided by the laws of contact themselves: an impact (located.py), then Signorini's and Coulomb's laws for accelerations, as in lw.contact_forces
(analysis/contact_choice.py).
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np

from ...analysis.contact_choice import Problem, find_forces, free_combinations, least_norm
from ...constraints.singular_poses import accelerations
from ...data.contact_problem import SLIDE, STICK
from ...data.stepper import for_kernels
from ...dynamics.joints.reach import turns_of
from ...solvers.contact.points import SLIPS, TOUCHES
from ..integrator import StepError
from ..saved_values import refuse_saved
from .located import NO_ROOM, NOT_FOUND, close_contacts, move_apart, open_gaps, strike, take_memory, touching_points
from .memory import CONTACT_LOSSES, load_contact, save_contact
from .steps import FRICTION

GAP, NORMAL, CONE, SLIP = "gap", "normal", "cone", "slip"  # what comes to zero at an event
BEHIND = 1e-9  # of the largest force: an event of forces is located so far behind the place where they vanish
REVERSED = 1e-12  # of the speed of the scene: so far beyond zero slip an event of slip is located
SLOW = 1e-8  # of the speed of the scene: slower slip at an event is none
CLOSED_GAP = 1e-15  # of the length of the scene: an impact is located so well
INWARD = 1e-4  # of a step: the first look into it
RADIANS = 0.5  # that bodies turn between two looks
MOST_LOOKS = 64
RETAKES = 8  # of a step, until it ends at the event
DRIFT = 4.0  # times what closed points were off: as far as that a point may be from where its event was located
MOST_CUTS = 12  # events at one time, behind which a step is taken without a look at cones and slips: some hyperstatic contacts tremble at their limit
AT_ONCE = 200  # events at one time that are too many
SHORT = 1e-9  # of the time that gravity needs through the scene: events nearer to each other are at one time
TRIFLE, ROUNDED = 1e-6, 1e-14  # of the speed of rest, of that of the scene: points that close more slowly are not struck
UNSURE = 10.0  # times what the laws are satisfied to: an acceleration that counts as none
FAINT = 1e-6  # of the largest force: friction of a point that is pressed less makes no event
PARTED = 1e-12  # of the largest acceleration: a closed point without force that accelerates away faster than this is open
GAUSS = np.polynomial.legendre.leggauss(6)


class Event(NamedTuple):
    """What ends a mode: what comes to zero, at a time, of which pair (GAP) or point of the mode."""

    t: float
    what: str
    which: int


class ContactEvents:
    """Contact of a method that goes from event to event. The method provides `attempt`, `keep`, `take_back`, `look_inside`, `begin_again` and `lay`."""

    def __init__(self, method: Any) -> None:
        self.method: Any = weakref.proxy(method)  # which owns this
        self.system = method.system
        model = self.system.model
        self.length = float(model.contact_tables.length[0])
        self.gravity = float(np.linalg.norm(model.gravity))
        self.speed = float(np.sqrt(max(self.gravity, 1e-9) * self.length))
        self.begun = self.under_way = False
        self.system.contact_events = weakref.ref(self)
        self._losses = self.system.works[
            -CONTACT_LOSSES:
        ].copy()  # what impacts, friction and separations had taken where the last step began, J
        self._impact: Any = None  # points of the impact with which the last step ended
        self._scale = 0.0  # the largest force at a contact in the step, N
        self.last_mode: Any = None  # that of the last step, for looks back
        self.changed = False  # did a pair begin to touch, part, stick or slip in the last step?
        self._at: tuple[float, int] = (-np.inf, 0)  # the time of the last events, and how many there were

    @property
    def contact(self) -> Any:
        return self.system.mode.contact

    @property
    def mode(self) -> Any:
        return self.system.mode

    # ---- a step

    def step(self, limit: float) -> None:
        """One step of the method, up to a time at most, or to the first event."""
        if not self.begun:
            self.begin()
        m, kept, self.under_way = self.method, self.method.keep(), True
        self._losses = self.system.works[-CONTACT_LOSSES:].copy()
        try:
            self._attempt(limit)
            end = m.time
            event = self._first_event()
            if event is not None:
                event = self._end_at(event, kept, end)
            m.lay()
            self.last_mode = self._save_mode()
            self._book_friction()
        finally:
            self.under_way = False
        if event is not None:
            self._count(event)
        self._follow(event)

    def _attempt(self, limit: float) -> None:
        """One step, again with more room where there was too little."""
        while True:
            kept = self.method.keep()
            self.contact.overflow = False
            self.method.attempt(limit)
            if not self.contact.overflow:
                return
            self.method.take_back(kept)
            self.system.give_room()

    def _end_at(self, event: Event, kept: Any, end: float) -> Event | None:
        """Take the step again so that it ends at the event, to rounding."""
        m, t, best = self.method, event.t, None
        x = self._values([t, t - INWARD * (t - m.before)], event)
        slope = (x[0] - x[1]) / (INWARD * (t - m.before)) if t > m.before else 0.0
        aim = self._accuracy(event)
        for _ in range(RETAKES):
            m.take_back(kept)
            if t - m.time <= 4.0 * np.spacing(abs(t)):
                m.before = m.time
                break
            while m.time < t:
                self._attempt(t)
            value = self._values([m.time], event)[0]
            if best is not None and abs(value) >= 0.5 * abs(best):
                break
            best = value
            if abs(value) <= aim or not slope:
                break
            new = t - value / slope
            if not kept_time(kept) < new <= end:
                break
            t = new
        return Event(m.time, event.what, event.which)

    def _accuracy(self, event: Event) -> float:
        if event.what == GAP:
            return CLOSED_GAP * self.length
        return (0.5 * REVERSED * self.speed) if event.what == SLIP else 0.5 * BEHIND * self._scale

    def _count(self, event: Event) -> None:
        """Refuse events without end."""
        near = SHORT * self.length / self.speed
        at, count = self._at
        self._at = (event.t, count + 1) if event.t - at <= near else (event.t, 1)
        if self._at[1] > AT_ONCE:
            raise StepError(
                f"{AT_ONCE} events of contact within {near:.1g} s of t = {event.t:.9g} s, the last of them {self._named(event)}: contact changes without "
                "end there; ContactStepping(step=1e-3) goes on over such times"
            )

    def _named(self, event: Event) -> str:
        number = event.which if event.what == GAP else int(self.mode.points.rows["pair"][event.which])
        pair = self.system.model.pairs[number]
        return f"between {pair.a!r} and {pair.b!r}"

    # ---- looks into a step

    def _first_event(self) -> Event | None:
        """The first event within the last step."""
        m = self.method
        start, end = m.before, m.time
        h = end - start
        if h <= 0.0 or (self.mode.count == 0 and self._nothing_near(h)):
            return None
        v = np.abs(self.system.v).max(initial=0.0)
        turning = max(float(np.abs(self._turning * x).max(initial=0.0)) for x in (self.system.start[1], self.system.v)) if v else 0.0
        looks = int(np.clip(np.ceil(turning * h / RADIANS), m.looks, MOST_LOOKS))
        parts = np.concatenate([[0.0, INWARD], np.arange(1, looks) / looks, [1.0]])
        times = start + h * parts
        times[-1] = end
        self._scale = 0.0
        numbers = [self._look(t, h) for t in times]
        pressing = (abs(x) for look in numbers for (what, _), x in look.items() if what == NORMAL and np.isfinite(x))
        self._scale = max(pressing, default=0.0)
        for look in numbers:
            look.update({key: x + BEHIND * self._scale for key, x in look.items() if key[0] in (NORMAL, CONE)})
        first: Event | None = None
        for what, which in sorted(set().union(*(n.keys() for n in numbers)), key=str):
            values = np.array([n.get((what, which), np.inf) for n in numbers])
            found = self._crossing(what, which, times, values)
            if found is not None and (first is None or found.t < first.t):
                first = found
        return first

    @property
    def _turning(self) -> Any:
        """1 for velocities that turn."""
        if not hasattr(self, "_turns"):
            self._turns = np.asarray(turns_of(self.system.model), dtype=float)
        return self._turns

    def _nothing_near(self, h: float) -> bool:
        s = self.system
        return not any(self._gaps(q, v, 2.0 * h) for q, v in (s.start, (s.q, s.v)))

    def _gaps(self, q: Any, v: Any, h: float) -> int:
        workspace = self.system.workspace_at(q, v)
        return int(open_gaps(for_kernels(workspace.stepper), for_kernels(self.mode), h))

    def _look(self, t: float, h: float) -> dict[tuple[str, int], float]:
        """What comes to zero at events, at a time within the last step."""
        (q,), (v,) = self.method.look_inside([t])
        found: dict[tuple[str, int], float] = {}
        if self._gaps(q, v, h):
            gaps = np.array(self.mode.pair_gap)
            found |= {(GAP, int(k)): float(gaps[k]) for k in np.flatnonzero(np.isfinite(gaps))}
        return found | self._forces(t, q, v)

    def _forces(self, t: float, q: Any, v: Any) -> dict[tuple[str, int], float]:
        """Numbers of the points of the mode, each greater than zero as long as the mode lasts."""
        mode, found = self.mode, dict[tuple[str, int], float]()
        if not mode.count:
            return found
        points, of = self._evaluate(t, q, v)
        behind, forces = BEHIND * self._scale, np.linalg.norm(mode.points.rows["force"][: mode.count], axis=1)
        faint = forces <= FAINT * forces.max()  # friction that changes nothing: it may slip to and fro
        for row, k in zip(points, of, strict=True):
            (ln, *lt), mu, known = row["l"], row["friction"], mode.points.rows[k]
            found[NORMAL, int(k)] = float(ln) + behind
            if faint[k] or self._at[1] > MOST_CUTS:
                continue
            if mu > 0.0 and known["status"] == STICK:
                found[CONE, int(k)] = float(mu * ln - np.hypot(*lt)) + behind
            elif mu > 0.0:
                u = row["before"][1] * row["t1"] + row["before"][2] * row["t2"]
                found[SLIP, int(k)] = float(u @ known["slip"]) + REVERSED * self.speed
        return found

    def _evaluate(self, t: float, q: Any, v: Any) -> tuple[Any, Any]:
        """(points, which points of the mode they are) with their forces at a state."""
        workspace = self.system.workspace_at(q, v)
        workspace.forces.held[:] = self.system.held
        accelerations(for_kernels(workspace.stepper), float(t))
        count = self.contact.count
        return self.contact.points.rows[:count].copy(), np.array(self.mode.of[:count])

    def _values(self, times: Any, event: Event) -> Any:
        """The number of an event at times within the last step, or at its end."""
        m, found = self.method, []
        for t in times:
            numbers = self._look(t, max(m.time - m.before, 1e-300))
            found.append(numbers.get((event.what, event.which), np.inf))
        return np.array(found)

    def _crossing(self, what: str, which: int, times: Any, values: Any) -> Event | None:
        """The first time at which a number that was above zero falls below it; of gaps that begin closed, by more than the tolerance."""
        level, values = 0.0, np.array(values)
        if what == GAP and values[0] <= self.contact.tolerance:
            self._book_gap(which, values[0])
            level = min(values[0], 0.0) - 0.5 * self.contact.tolerance  # what overlaps and parts is left to part
            if not (values[1:] > 0.0).any():
                values, level = values - level, 0.0
            values[0] = max(values[0], 0.0)
        for k in range(1, len(times)):
            if values[k] < level:
                return self._locate(what, which, times[k - 1], times[k], values[k - 1])
            if 1 < k < len(times) - 1 and np.isfinite(values[k]) and values[k] < min(values[k - 1], values[k + 1]):
                changes = [x for x in (values[k - 1] - values[k], values[k + 1] - values[k]) if np.isfinite(x)]
                if values[k] <= max(changes, default=np.inf):
                    t, value = self._least(what, which, times[k - 1], times[k + 1])
                    if value < level:
                        return self._locate(what, which, times[k - 1], t, values[k - 1])
        return None

    def _book_gap(self, pair: int, gap: float) -> None:
        """An overlap, for the audit."""
        books = self.contact.books
        if gap < books.worst_gap:
            books.worst_gap, books.worst_gap_pair = float(gap), 1 + pair

    def _least(self, what: str, which: int, a: float, c: float) -> tuple[float, float]:
        """(t, value) where a number is least between two times, or any time at which it is below zero: by golden sections."""
        golden = 0.3819660112501051
        at = lambda t: float(self._values([t], Event(t, what, which))[0])  # noqa: E731
        x, y = a + golden * (c - a), c - golden * (c - a)
        fx, fy = at(x), at(y)
        for _ in range(40):
            if fx < 0.0 or fy < 0.0:
                break
            if fx < fy:
                c, y, fy = y, x, fx
                x = a + golden * (c - a)
                fx = at(x)
            else:
                a, x, fx = x, y, fy
                y = c - golden * (c - a)
                fy = at(y)
        return (x, fx) if fx < fy else (y, fy)

    # parameters: what is looked for, and where
    def _locate(self, what: str, which: int, a: float, b: float, fa: float) -> Event:
        """Where a number falls below zero between a and b: bisection from where it is above zero, and regula falsi (Illinois)."""
        at = lambda t: float(self._values([t], Event(t, what, which))[0])  # noqa: E731
        fb = at(b)
        if not fa > 0.0 or not np.isfinite(fa):  # it begins at zero: a place behind it at which it is above
            low, high, fh = a, b, fb
            for _ in range(60):
                middle = 0.5 * (low + high)
                value = at(middle)
                if value > 0.0 and np.isfinite(value):
                    a, fa, b, fb = middle, value, high, fh
                    break
                if value < 0.0:
                    high, fh = middle, value
                else:
                    low = middle
                if high - low <= 1e-13 * max(b - a, 1e-300):
                    break
            else:
                return Event(high, what, which)
            if not (fa > 0.0 and np.isfinite(fa)):
                return Event(high, what, which)
        kept = 0
        for _ in range(60):
            if b - a <= 4.0 * np.spacing(abs(b)) or fb == 0.0:
                break
            x = b - fb * (b - a) / (fb - fa)
            if not a < x < b:
                x = 0.5 * (a + b)
            fx = at(x)
            if fx == 0.0:
                return Event(x, what, which)
            if fx < 0.0:
                if b - x <= 1e-12 * (b - a):
                    b = x
                    break
                b, fb = x, fx
                fa = 0.5 * fa if kept == 1 else fa
                kept = 1
            else:
                a, fa = x, fx
                fb = 0.5 * fb if kept == 2 else fb
                kept = 2
        return Event(b, what, which)

    # ---- what follows

    def begin(self) -> None:
        """The mode in which a motion begins."""
        self.begun = True
        self.mode.count = 0
        t = self.method.time
        if self.contact_now(t) and float(min(self.contact.points.rows["gap"][: self.contact.count])) < -self.contact.tolerance:
            while not move_apart(for_kernels(self.system.stepper), t):
                self.system.give_room()
            self.contact_now(t)
        self._decide(t)
        self._remember(t)
        self.method.begin_again(True)

    def beginning(self, statuses: Any) -> Any:
        """What a function of the system says where the motion begins, which stays as it is; None where it has begun."""
        if self.begun:
            return None
        try:
            with self.system.kept():
                self.begin()
                return statuses(self.system)
        finally:
            self.forget()

    def contact_now(self, t: float, drift: float = 0.0) -> int:
        """How many points are closed at the state; they stand in the contact data, with velocities and accelerations. drift: how far closed points were off."""
        return self._at_contacts(touching_points, t, drift)

    def _at_contacts(self, kernel: Any, t: float, drift: float) -> int:
        """Call a kernel of closed points, with room for them; returns their number, -1 where it found no impulses."""
        while True:
            contact = self.contact
            tolerance, contact.overflow = contact.tolerance, False
            contact.tolerance = max(tolerance, DRIFT * drift)
            found = kernel(for_kernels(self.system.stepper), for_kernels(self.mode), t, 2.0 * tolerance, self.gravity)
            contact.tolerance = tolerance
            if found != NO_ROOM:
                return int(contact.count) if found != NOT_FOUND else -1
            self.system.give_room()

    def _follow(self, event: Event | None) -> None:
        """The mode behind the last step."""
        t, held = self.method.time, self.mode.count > 0
        drift = self._close(t)
        new = event is not None or (held and self._has_new_points(t))
        if new:
            self._decide(t, drift)
        self._remember(t)
        if new or held:
            self.method.begin_again(new)

    def _has_new_points(self, t: float) -> bool:
        """Do points touch that the mode does not know, or are some gone?"""
        self._evaluate(t, self.system.q, self.system.v)
        if self.mode.lost:
            return True
        self._gaps(self.system.q, self.system.v, 0.0)
        return bool((np.array(self.mode.pair_gap) <= self.contact.tolerance).any())

    def _decide(self, t: float, drift: float = 0.0) -> None:
        """An impact, if points close; then the mode that the laws of contact for accelerations ask for."""
        self.contact_now(t, drift)
        rows = self.contact.points.rows[: self.contact.count]
        rest = rows["approach"].copy()
        self._struck = False
        struck = bool((rows["before"][:, 0] < -np.maximum(TRIFLE * rest, ROUNDED * self.speed)).any())
        if struck:
            memory = self.contact.memory
            memory.points.rows["jump"][: int(memory.count[0])] = 0.0  # the impact of a step before is another one
            if self._at_contacts(strike, t, drift) < 0:
                raise StepError(f"the impulses of an impact at t = {t:.9g} s were not found")
            rows = self.contact.points.rows[: self.contact.count]
        points, u = rows.copy(), rows["after" if struck else "before"].copy()
        self._impact = self.contact.coming.points.rows[: len(points)].copy() if struck else None
        closed = u[:, 0] <= np.maximum(rest, ROUNDED * self.speed)
        self._lay_mode(t, points[closed], u[closed])

    def _lay_mode(self, t: float, points: Any, u: Any) -> None:
        """The mode of points that are closed and at rest along their normals, by the laws of contact for accelerations."""
        mode = self.mode
        count = len(points)
        mode.count = count
        if not count:
            return
        known = mode.points.rows
        for k in range(count):
            known[k]["pair"], known[k]["feature"], known[k]["p"] = points[k]["pair"], points[k]["feature"], points[k]["p"]
            slip = u[k, 1] * points[k]["t1"] + u[k, 2] * points[k]["t2"]
            size = float(np.linalg.norm(slip))
            slides = size > SLOW * self.speed and points[k]["friction"] > 0.0
            known[k]["slip"] = slip / size if slides else 0.0
            known[k]["force"], known[k]["status"] = 0.0, SLIDE
        self._close(t)  # along normals alone: what sticks is not known yet
        known["status"][:count] = np.where(known["slip"][:count].any(axis=1), SLIDE, STICK)
        problem, rows, of = self._problem(t)
        found = find_forces(problem)
        if found is None:
            a, b = self.system.model.pairs[int(rows["pair"][0])][:2]
            raise StepError(
                f"no forces satisfy the laws of contact at t = {t:.9g} s, where {a!r} and {b!r} touch: friction jams what slides (Painleve), and an impulse "
                "without impact would follow; ContactStepping(step=1e-3) takes it"
            )
        l = least_norm(problem, found.l, free_combinations(problem, found, problem.G / max(float(np.abs(problem.G).max()), 1e-300)))
        none = PARTED * float(np.abs(problem.g).max(initial=0.0)) + UNSURE * found.residual
        keep, begin = [], []  # points of the mode; those of them that begin to slide
        scale = max(float(np.abs(l).max(initial=0.0)), 1e-300)
        for k, row in enumerate(rows):
            at = slice(3 * k, 3 * k + 3)
            f, w, point = l[at], found.w[at], known[of[k]]
            if f[0] <= BEHIND * scale and w[0] > none:
                continue
            keep.append(int(of[k]))
            mu, moves = float(row["friction"]), float(np.hypot(w[1], w[2]))
            if point["status"] == STICK and mu > 0.0 and moves > none and np.hypot(f[1], f[2]) >= mu * f[0] * (1.0 - 1e-6):
                point["slip"] = (w[1] * row["t1"] + w[2] * row["t2"]) / moves
                begin.append(len(keep) - 1)
                if f[0] <= FAINT * scale:
                    point["status"] = SLIDE
            point["force"] = f[0] * row["n"] + f[1] * row["t1"] + f[2] * row["t2"]
        mode.count = len(keep)
        known[: len(keep)] = known[keep].copy()
        self._close(t)  # what begins to slide begins at rest
        known["status"][begin] = SLIDE

    def _problem(self, t: float) -> tuple[Problem, Any, Any]:
        """The laws of contact for accelerations at the points of the mode, whatever their statuses."""
        mode, contact, s = self.mode, self.contact, self.system
        workspace = s.workspace_at(s.q, s.v)
        workspace.forces.held[:] = s.held
        mode.only_lays = True
        accelerations(for_kernels(workspace.stepper), float(t))
        mode.only_lays = False
        count, n = contact.count, contact.nrows
        rows, of = contact.points.rows[:count].copy(), np.array(mode.of[:count])
        bias = np.array(mode.bias[: 3 * count]).reshape(-1, 3)
        at = []
        for k in range(count):
            block = contact.blocks[int(rows["block"][k])]
            at += [3 * k + i for i in range(block.rows)]
        G = np.zeros((3 * count, 3 * count))
        G[np.ix_(at, at)] = np.array(contact.problem.G[: n * n]).reshape(n, n)
        g = (rows["free"] + bias).reshape(-1)
        slip = np.zeros((count, 2))
        for k in range(count):
            known = mode.points.rows[of[k]]
            if known["status"] == SLIDE:
                along = np.array([known["slip"] @ rows["t1"][k], known["slip"] @ rows["t2"][k]])
                slip[k] = along / np.linalg.norm(along)
        return Problem(G, g, rows["friction"].copy(), slip), rows, of

    def _close(self, t: float) -> float:
        """Closed points back onto their surfaces, and velocities along them; returns how far they were off, m."""
        if not self.mode.count:
            return 0.0
        gap = float(close_contacts(for_kernels(self.system.stepper), for_kernels(self.mode), t))
        if gap > self.contact.tolerance:
            self.contact.books.separations += 1
        return gap

    def _remember(self, t: float) -> None:
        """Forces at the end of the step, where the next begins: for the mode, for recordings, and for events."""
        mode, contact = self.mode, self.contact
        coming = contact.coming.points.rows
        if mode.count:
            rows, of = self._evaluate(t, self.system.q, self.system.v)
        else:
            rows, of = contact.points.rows[:0], np.zeros(0, dtype=int)
        known, largest = mode.points.rows, float(np.linalg.norm(rows["l"], axis=1).max(initial=0.0))
        told = []
        for row, k in zip(rows, of, strict=True):
            point = known[k]
            force = row["l"] @ np.array([row["n"], row["t1"], row["t2"]])
            point["p"], point["feature"], point["force"] = row["p"], row["feature"], force
            if point["status"] == SLIDE:
                slip = row["before"][1] * row["t1"] + row["before"][2] * row["t2"]
                size = float(np.linalg.norm(slip))
                forwards = slip @ point["slip"] > 0.0 or np.linalg.norm(force) <= FAINT * largest
                if size > mode.still and forwards:
                    point["slip"] = slip / size
            slides = point["status"] == SLIDE
            told.append(
                (int(point["pair"]), int(row["feature"]), TOUCHES | (SLIPS if slides else 0), int(point["status"]), row["p"], force, 0.0)
            )
        if self._impact is not None:  # what rebounds has touched, for one step
            for row in self._impact:
                there = [i for i, x in enumerate(told) if x[0] == row["pair"] and x[1] == row["feature"]]
                if there:
                    told[there[0]] = (*told[there[0]][:6], float(row["jump"]))
                elif row["impulse"] > 0.0:
                    told.append((int(row["pair"]), int(row["feature"]), TOUCHES, STICK, row["p"], np.zeros(3), float(row["jump"])))
            self._impact = None
        told.sort(key=lambda x: x[0])
        for count, (pair, feature, flags, status, p, force, jump) in enumerate(told, 1):
            row = coming[count - 1]
            for name in ("approach", "budget", "impact", "friction", "impulse"):
                row[name] = 0.0
            row["pair"], row["feature"], row["flags"], row["status"] = pair, feature, flags, status
            row["p"], row["force"], row["jump"] = p, force, jump
        contact.coming.count[0] = len(told)
        take_memory(for_kernels(self.system.stepper))
        self.changed = bool(contact.changed)
        self._book(rows)

    def _book(self, rows: Any) -> None:
        """Extremes of the step for the audit."""
        if not len(rows):
            return
        books = self.contact.books
        books.steps += 1
        books.rungs[1] += 1
        books.approximate += self._at[1] > MOST_CUTS
        books.most_points = max(books.most_points, len(rows))
        statuses = self.mode.points.rows["status"][np.array(self.mode.of[: len(rows)])]
        largest = max(float(rows["l"][:, 0].max()), 1e-300)
        for row, status in zip(rows, statuses, strict=True):
            self._book_gap(int(row["pair"]), float(row["gap"]))
            mu, slip = float(row["friction"]), float(np.hypot(*row["before"][1:]))
            if status == STICK and mu > 0.0:
                if slip > books.worst_slip:
                    books.worst_slip, books.worst_slip_pair = slip, 1 + int(row["pair"])
                books.worst_cone = max(books.worst_cone, float(np.hypot(*row["l"][1:]) - mu * row["l"][0]) / largest)

    def _book_friction(self) -> None:
        """What sliding has taken in the last step: the integral of its power, by Gauss's formula."""
        for pair, work in self._friction_until(self.method.time):
            self.contact.books.pair_friction[pair] += work
            self.system.works[FRICTION - CONTACT_LOSSES] += work

    def _friction_until(self, end: float) -> list[tuple[int, float]]:
        """(pair, J) of all sliding from the start of the last step to a time within it."""
        m, found = self.method, []
        if not (self.mode.points.rows["status"][: self.mode.count] == SLIDE).any() or end <= m.before:
            return []
        h = end - m.before
        for x, weight in zip(*GAUSS, strict=True):
            t = m.before + 0.5 * h * (1.0 + x)
            (q,), (v,) = m.look_inside([t])
            points, _ = self._evaluate(t, q, v)
            found += [(int(row["pair"]), -0.5 * h * weight * float(row["l"][1:] @ row["before"][1:])) for row in points]
        return found

    def losses_at(self, t: float) -> Any:
        """What impacts and friction have taken until a time within the last step, J."""
        with self.in_last_mode():
            return self._losses + [0.0, sum(work for _, work in self._friction_until(t)), 0.0]

    def points_at(self, t: float, q: Any, v: Any) -> Any:
        """The points of contact, as they are remembered, at a time within the last step, or at its end."""
        memory = self.contact.memory
        remembered = memory.points.rows[: int(memory.count[0])].copy()
        if t >= self.method.time or self.last_mode is None:
            return remembered
        with self.in_last_mode():
            rows, of = self._evaluate(t, q, v) if self.mode.count else (self.contact.points.rows[:0], [])
            found = np.zeros(len(rows), dtype=remembered.dtype)
            for told, row, k in zip(found, rows, of, strict=True):
                known = self.mode.points.rows[k]
                told["pair"], told["feature"], told["status"], told["p"] = known["pair"], row["feature"], known["status"], row["p"]
                told["flags"] = TOUCHES | (SLIPS if known["status"] == SLIDE else 0)
                told["force"] = row["l"] @ np.array([row["n"], row["t1"], row["t2"]])
        return found

    # ---- looking back, and beginning again

    def _save_mode(self) -> Any:
        return self.mode.points.rows[: self.mode.count].copy()

    def _load_mode(self, saved: Any) -> None:
        while len(saved) > self.contact.room:
            self.system.give_room()
        self.mode.count = len(saved)
        self.mode.points.rows[: len(saved)] = saved

    def in_last_mode(self) -> _LastMode:
        """For looks back: the mode of the last step holds in here."""
        return _LastMode(self)

    def cut(self) -> None:
        """The state is now one within the last step: its mode goes on."""
        if self.last_mode is not None:
            self._load_mode(self.last_mode)
            self._close(self.method.time)
            self._remember(self.method.time)

    def forget(self) -> None:
        """The motion begins afresh elsewhere."""
        self.begun, self.mode.count, self.last_mode = False, 0, None
        self.contact.memory.count[:] = 0

    # ---- for checkpoints

    def keep(self) -> Any:
        return self._save_mode(), save_contact(self.contact), self._at

    def take_back(self, kept: Any) -> None:
        points, memory, self._at = kept
        self._load_mode(points)
        load_contact(self.contact, memory)

    def arrays(self) -> dict[str, Any]:
        """What a restart needs."""
        last = self.last_mode if self.last_mode is not None else self.mode.points.rows[:0]
        state = np.array([float(self.begun), float(self.last_mode is not None), *self._at])
        words = {name: np.ascontiguousarray(x).view(np.int64).reshape(-1) for name, x in (("mode", self._save_mode()), ("last mode", last))}
        return {"contact": save_contact(self.contact), "contact events": state, **words}

    def restore(self, arrays: dict[str, Any]) -> None:
        saved = np.asarray(arrays["contact"], dtype=np.int64).reshape(-1)
        while len(saved) and saved[0] > self.contact.room:
            self.system.give_room()
        load_contact(self.contact, saved)
        begun, has_last, at, count = np.asarray(arrays["contact events"], dtype=float).reshape(-1)
        kind = self.mode.points.rows.dtype
        found = {}
        for name in ("mode", "last mode"):
            words = np.asarray(arrays[name], dtype=np.int64).reshape(-1)
            if len(words) * 8 % kind.itemsize:
                raise refuse_saved(f"array {name!r}", len(words), f"whole points of {kind.itemsize // 8} numbers")
            found[name] = words.copy().view(kind)
            pairs = found[name]["pair"]
            if ((pairs < 0) | (pairs >= self.system.model.contact_tables.npairs)).any() or (np.diff(pairs) < 0).any():
                raise refuse_saved(f"array {name!r}", pairs.tolist(), "pairs of the model, in order")
        self._load_mode(found["mode"])
        self.last_mode = found["last mode"] if has_last else None
        self.begun, self._at = bool(begun), (float(at), int(count))


class _LastMode:
    def __init__(self, events: ContactEvents) -> None:
        self.events = events

    def __enter__(self) -> None:
        self.now = self.events._save_mode()
        if self.events.last_mode is not None:
            self.events._load_mode(self.events.last_mode)

    def __exit__(self, *error: Any) -> None:
        self.events._load_mode(self.now)


def kept_time(kept: Any) -> float:
    """The time of what a method kept."""
    return float(kept[0])
