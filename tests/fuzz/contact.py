"""Random scenes of bodies that touch, stepped by ContactStepping, and the laws of each step by arithmetic of its own.

    python -m tests.fuzz.contact --minutes 10 --first 0 --jobs 2 --out build/fuzz        --seed N tries one seed

A scene of free bodies is judged step by step from its recording alone: positions, velocities, and the points with their impulses.

    balance        m dv = h m g + sum of impulses; dL = sum (p - c) x impulse        of each body
    signs, cone    l_n >= 0, |l_t| <= mu l_n
    laws           velocities of points that touch: none closes, one that presses does not part, one that sticks does not slip, friction opposes sliding
    dissipation    sum of impulse . (u before + u after) / 2 <= 0, which is what the audit says of impacts and friction
    overlap        none grows, and the audit tells the deepest

Scenes of linkages and loops are judged by what is recorded of energy, gaps and contacts. All are run again, rolled out, saved and resumed, and must have
the same bits; and all are edited while they run.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time
import traceback
import warnings
from typing import Any, NamedTuple

import numpy as np

import linkwork as lw

from .agreement import Finding

STEPS = 60
BALANCE = 1e-9  # of the momentum that changes hands: sums of a dozen impulses, of one solve
LAW = 1e-7  # of the fastest free motion of a step: solutions up to 1e-6 count as found, and are counted as approximate
CONE = 1e-9
PATIENCE = 30.0  # s of processor time for the steps of a scene
WRONG = ("silent", "raw")


class Scene(NamedTuple):
    seed: int
    kind: str
    mechanism: lw.Mechanism
    q: Any
    v: Any
    step: float
    overlaps: bool


def rotation(rng):
    x = rng.normal(size=4)
    return x / np.linalg.norm(x)


def shape(rng, size, thin):
    """A convex shape; `thin`: one of its sizes may be a hundredth of the others."""
    a, b, c = size * rng.uniform(0.5, 1.0, 3) * (10.0 ** rng.uniform(-2.0, 0.0, 3) if thin else 1.0)
    kinds = {
        "sphere": lambda: lw.Sphere(a),
        "box": lambda: lw.Box(2 * a, 2 * b, 2 * c),
        "cylinder": lambda: lw.Cylinder(a, 2 * b),
        "capsule": lambda: lw.Capsule(a, 2 * b),
        "cone": lambda: lw.Cone(a, 2 * b),
        "ellipsoid": lambda: lw.Ellipsoid(a, b, c),
        "mesh": lambda: mesh(rng, size),
    }
    return kinds[list(kinds)[rng.integers(len(kinds))]]()


def mesh(rng, size):
    """The hull of random points, as a mesh."""
    from scipy.spatial import ConvexHull

    points = size * rng.uniform(-1.0, 1.0, (rng.integers(5, 12), 3))
    hull = ConvexHull(points)
    faces = [
        f if np.cross(points[f[1]] - points[f[0]], points[f[2]] - points[f[0]]) @ n > 0 else f[::-1]
        for f, n in zip(hull.simplices, hull.equations[:, :3])
    ]
    used = np.unique(faces)
    return lw.Mesh(points[used], np.searchsorted(used, faces))


def ground(rng, m, size):
    """One of the grounds, and the height above which there is nothing of it."""
    kind = ("floor", "slope", "heights", "triangles", "boxes", "none")[rng.integers(6)]
    if kind == "floor":
        m.add_floor()
    elif kind == "slope":
        m.change("ground", collisions=[lw.Floor(at=lw.Pose.from_rpy(rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6), 0))])
    elif kind == "heights":
        heights = 0.3 * size * rng.uniform(-1.0, 1.0, (12, 12))
        m.change("ground", collisions=[lw.HeightField(heights, dx=size)])
    elif kind == "triangles":
        x = size * np.linspace(-8, 8, 6)
        z = 0.5 * size * rng.uniform(-1.0, 1.0, (6, 6))
        points = [(x[i], x[j], z[i, j]) for i in range(6) for j in range(6)]
        faces = [
            t
            for i in range(5)
            for j in range(5)
            for t in ((6 * i + j, 6 * (i + 1) + j, 6 * i + j + 1), (6 * (i + 1) + j, 6 * (i + 1) + j + 1, 6 * i + j + 1))
        ]
        m.change("ground", collisions=[lw.Mesh(points, faces, touching="triangles")])
    elif kind == "boxes":
        m.change(
            "ground",
            collisions=[
                lw.Box(20 * size, 20 * size, size, at=(0, 0, -0.5 * size)),
                lw.Box(size, 20 * size, 6 * size, at=(4 * size, 0, 3 * size)),
            ],
        )
    else:
        m.contact = True
    return kind


def draw(seed):
    """The scene of a seed."""
    rng = np.random.default_rng([seed, 77])
    size = 10.0 ** rng.uniform(-3, 3) if rng.uniform() < 0.4 else 0.1
    g = 9.81 * (0.0 if rng.uniform() < 0.1 else 1.0)
    m = lw.Mechanism(f"scene {seed}", gravity=(0, 0, -g))
    e = 0.0 if rng.uniform() < 0.5 else rng.choice([rng.uniform(0, 1), 1.0])
    m.surface = lw.Surface(friction=float(rng.choice([0.0, rng.uniform(0, 1), rng.uniform(0, 2)])), restitution=float(e))
    kind = "free" if rng.uniform() < 0.65 else ("chain", "loop", "mixed")[rng.integers(3)]
    on = ground(rng, m, size)
    spread = 10.0 ** rng.uniform(0, 3) if rng.uniform() < 0.3 else 1.0
    fast, thin, overlaps = rng.uniform() < 0.15, rng.uniform() < 0.2, rng.uniform() < 0.25
    count = int(rng.integers(1, 6))
    if kind in ("free", "mixed"):
        for k in range(count):
            body_size = size * spread ** rng.uniform(-0.5, 0.5)
            m.add_body(f"body {k}", shape=shape(rng, body_size, thin), density=1000.0 * (10.0 ** rng.uniform(-2, 2) if spread > 1 else 1.0))
    if kind in ("chain", "mixed"):
        chain(rng, m, size, free=rng.uniform() < 0.5)
    if kind == "loop":
        loop(m, size)
    model = m.build()
    q, v = lw.neutral(model), np.zeros(model.nv)
    pace = np.sqrt(9.81 * size)
    at = np.zeros(3)
    for joint in model.joints:
        if joint.kind.free:
            high = size * (1.2 if overlaps else 2.5)
            at = np.array([*(2.5 * size * rng.uniform(-1, 1, 2) * count ** (1 / 3)), high * (1.0 + rng.uniform(0, count))])
            turn = rotation(rng) if rng.uniform() < 0.8 else np.array([1.0, 0, 0, 0])
            q[joint.q_index] = [*at, *turn]
            v[joint.v_index] = [*(pace / size * rng.normal(size=3)), *(pace * (30.0 if fast else 1.0) * rng.normal(size=3))]
        elif joint.nv == 1 and not model.nc:
            q[joint.q_index], v[joint.v_index] = rng.uniform(-0.4, 0.4), rng.normal()
    if kind == "loop":
        for joint in model.joints:
            if not joint.kind.free:
                q[joint.q_index] = 2 * np.pi / 3
        q = lw.assemble(model, q)
        v = lw.project_velocity(model, q, v)
    if rng.uniform() < 0.3:
        v[:] = 0.0
    step = np.sqrt(size / 9.81) * 10.0 ** rng.uniform(-2.5, -1.0)
    return Scene(seed, f"{kind} on {on}", m, q, v, float(f"{step:.3g}"), overlaps)


def chain(rng, m, size, free):
    """Links with limits and dry friction, on the ground or free."""
    last = None if free else m.ground.at(0, 0, 3 * size)
    for k in range(int(rng.integers(2, 5))):
        link = m.add_body(f"link {k}", shape=lw.Capsule(0.2 * size, size), density=1000)
        if last is not None:
            limits = {"lower": -0.6, "upper": 0.6} if rng.uniform() < 0.4 else {}
            unit = 1000 * 9.81 * size**4
            friction = {"friction": 0.1 * unit} if rng.uniform() < 0.4 else {}
            m.add_joint(f"joint {k}", lw.Revolute(axis=tuple(rng.normal(size=3)), **limits, **friction), last, link.at(0, 0, 0.5 * size))
        last = link.at(0, 0, -0.5 * size)


def loop(m, size):
    bars = [m.add_body(f"bar {k}", shape=lw.Capsule(0.1 * size, 2 * size), density=1000) for k in range(3)]
    for k in range(3):
        m.add_joint(f"pin {k}", lw.Revolute(axis=(0, 1, 0)), bars[k].at(0, 0, size), bars[(k + 1) % 3].at(0, 0, -size))


# ------------------------------------------------------------------------------------------------------------------ a run


class Step(NamedTuple):
    """A step that was taken: states at both ends, and its points (records of data/contact.py: pair, p, n, impulse in the world, status)."""

    q0: Any
    v0: Any
    q1: Any
    v1: Any
    points: list


class Told(NamedTuple):
    """What became of a run: the steps that were taken, the Simulation, and the error that ended it, if one did."""

    steps: list
    sim: Any
    said: str


def stepped(scene, model=None, steps=STEPS):
    """The scene step by step."""
    model = model or scene.mechanism.build()
    sim = lw.Simulation(model, lw.ContactStepping(step=scene.step), q=scene.q, v=scene.v, record_interval=scene.step, record=CHANNELS)
    taken, began = [], time.process_time()
    last = [np.array(scene.q, dtype=float), np.array(scene.v, dtype=float)]

    def look(sim):
        q, v = np.array(sim.system.q), np.array(sim.system.v)
        if sim.time > 0:
            taken.append(Step(*last, q, v, points_of(sim.system.contact)))
        last[:] = q, v
        if time.process_time() - began > PATIENCE:
            sim.pause()

    recording = sim.run(steps * scene.step, each_sample=look)
    return Told(taken, sim, "" if recording.status == "finished" else str(recording.status))


CHANNELS = ("q", "v", "energy", "kinetic", "potential", "numerical", "contact_forces", "contact_status")


def points_of(contact):
    """Points of the step that was taken last, as it has solved for them: those of the records that still stand there."""
    found = []
    memory = contact.memory
    for k in range(int(memory.count[0])):
        row = memory.points.rows[k]
        found.append({name: np.array(row[name]) for name in row.dtype.names})
    return found


def steps_of(told):
    return told.steps


# -------------------------------------------------------------------------------------------------------------------- laws


class Bodies:
    """Masses, centres and inertias of free bodies, and their motion in the world by plain NumPy."""

    def __init__(self, model):
        self.model = model
        self.free = {joint.child: joint for joint in model.joints if joint.kind.free}
        self.inertia = {body.name: body.inertia for body in model.bodies}

    def state(self, name, q, v):
        """(R, c, world velocity of c, world angular velocity)."""
        joint = self.free[name]
        p, (w, x, y, z) = q[joint.q_index][:3], q[joint.q_index][3:]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        com = np.asarray(self.inertia[name].com)
        omega, u = v[joint.v_index][:3], v[joint.v_index][3:]
        return R, p + R @ com, R @ (u + np.cross(omega, com)), R @ omega

    def central(self, name):
        return np.asarray(self.inertia[name].tensor)


def judge_free(scene, told):
    """Findings of a scene of free bodies."""
    found = []
    model = told.sim.model
    bodies, h, g = Bodies(model), scene.step, np.asarray(model.gravity)
    worst = collections.defaultdict(lambda: (0.0, ""))

    def note(what, value, text):
        if not value <= worst[what][0]:
            worst[what] = (value if value == value else np.inf, text)

    impact = friction = 0.0
    matched = unmatched = 0
    for number, step in enumerate(told.steps):
        before = {n: bodies.state(n, step.q0, step.v0) for n in bodies.free}
        after = {n: bodies.state(n, step.q1, step.v1) for n in bodies.free}
        linear = {n: np.zeros(3) for n in bodies.free}
        angular = {n: np.zeros(3) for n in bodies.free}
        handed = {n: 0.0 for n in bodies.free}
        for point in step.points:
            pair = model.pairs[int(point["pair"])]
            J = h * point["force"]
            for name, sign in ((owner(model, pair.a), -1.0), (owner(model, pair.b), 1.0)):
                if name in bodies.free:
                    linear[name] += sign * J
                    angular[name] += np.cross(point["p"] - before[name][1], sign * J)
                    handed[name] += np.linalg.norm(J)
        moving = {}
        for name in bodies.free:
            m, I = bodies.inertia[name].mass, bodies.central(name)
            R0, c0, u0, w0 = before[name]
            R1, c1, u1, w1 = after[name]
            dp = m * (u1 - u0) - h * m * g - linear[name]
            L0, L1 = R0 @ I @ R0.T @ w0, R1 @ I @ R1.T @ w1
            size = bound(model, name)
            scale = handed[name] + m * (np.linalg.norm(u1) + np.linalg.norm(u0)) + h * m * np.linalg.norm(g)
            note("linear momentum", np.linalg.norm(dp) / max(scale, 1e-300), f"step {number}, {name}")
            scale_L = size * scale + np.linalg.norm(L0) + np.linalg.norm(L1)
            note("angular momentum", np.linalg.norm(L1 - L0 - angular[name]) / max(scale_L, 1e-300), f"step {number}, {name}")
            moving[name] = (u1, R0 @ np.linalg.solve(I, R0.T @ L1))
        # laws at the points
        start = {n: (before[n][2], before[n][3]) for n in bodies.free}
        free = {n: (before[n][2] + h * g, before[n][3]) for n in bodies.free}
        pace = 1e-9 * min(bound(model, n) for n in bodies.free) / h  # nothing that counts is slower
        for states in (free, moving):
            pace = max(pace, *(np.linalg.norm(u) + bound(model, n) * np.linalg.norm(w) for n, (u, w) in states.items()))
        heaviest = max(bodies.inertia[n].mass for n in bodies.free)
        known = lw.contacts(model, step.q0, reach=4 * h * pace) if step.points else ()
        supplied, size_of_work = 0.0, 0.0
        for point in step.points:
            pair = model.pairs[int(point["pair"])]
            J = h * point["force"]

            def velocity(name, states, point=point, before=before):
                if name not in bodies.free:
                    return np.zeros(3)
                u, w = states[name]
                return u + np.cross(w, point["p"] - before[name][1])

            a, b = owner(model, pair.a), owner(model, pair.b)
            u0, u_free, u1 = (velocity(b, states) - velocity(a, states) for states in (start, free, moving))
            where = f"step {number}, {pair.a} - {pair.b}"
            work = J @ (u0 + u1) / 2
            rebounding = scene.mechanism.surface.restitution > 0.0  # its impulses have times of their own within the step
            booked = -(float(point["impact"]) + float(point["friction"]))
            scale = np.linalg.norm(J) * (np.linalg.norm(u0) + np.linalg.norm(u1) + h * np.linalg.norm(g))
            note(
                "work of a point",
                0.0 if rebounding else abs(work - booked) / max(scale, 1e-300),
                f"{where}: {work:.3g} J booked as {booked:.3g}",
            )
            impact, friction = impact + float(point["impact"]), friction + float(point["friction"])
            supplied += J @ (u_free + u1) / 2
            size_of_work += np.linalg.norm(J) * (np.linalg.norm(u_free) + np.linalg.norm(u1))
            same = [
                c
                for c in known
                if {c.a, c.b} == {pair.a, pair.b} and np.linalg.norm(c.p - point["p"]) < 1e-9 * bound(model, b if b in bodies.free else a)
            ]
            if scene.kind.endswith(("heights", "triangles")):
                continue  # which facets are near decides on the normal
            if len(same) != 1:
                unmatched += 1
                continue
            n = same[0].n if same[0].a == pair.a else -same[0].n
            matched += 1
            ln, closed = J @ n, same[0].gap < 1e-10 * bound(model, b if b in bodies.free else a)
            lt, ut = J - ln * n, u1 - (u1 @ n) * n
            press = max(np.linalg.norm(h * x["force"]) for x in step.points)
            mu = scene.mechanism.surface.friction
            note("pulls", max(0.0, -ln) / max(press, 1e-300), where)
            note("cone", max(0.0, np.linalg.norm(lt) - mu * ln) / max(press, 1e-300), where)
            if closed:
                note("closes", max(0.0, -(u1 @ n)) / pace, where)
            if ln > 1e-6 * press and scene.mechanism.surface.restitution == 0.0:
                if closed:
                    note("parts while it presses", max(0.0, u1 @ n) / pace, where)
                if np.linalg.norm(lt) < (1 - 1e-4) * mu * ln:
                    note("slips inside the cone", np.linalg.norm(ut) / pace, where)
                elif np.linalg.norm(ut) > 1e-5 * pace:
                    note("friction is not against sliding", np.linalg.norm(lt / ln + mu * ut / np.linalg.norm(ut)), where)
        if scene.mechanism.surface.restitution == 0.0:
            note("dissipation", max(0.0, supplied) / (size_of_work + 1e-6 * heaviest * pace * pace + 1e-300), f"step {number}")
    audit = told.sim.audit.contact
    if audit is not None:
        total = abs(impact) + abs(friction) + sum(abs(float(p["impact"])) + abs(float(p["friction"])) for s in told.steps for p in s.points)
        note(
            "audit",
            (abs(audit.impact - impact) + abs(audit.friction - friction)) / max(total, 1e-300),
            f"{audit.impact:.9g} {impact:.9g}; {audit.friction:.9g} {friction:.9g}",
        )
        approximate = audit.approximate > 0
    else:
        approximate = False
    if unmatched > matched:
        found.append(Finding("told", "contact, unmatched", f"{unmatched} points of {unmatched + matched} are not those of lw.contacts"))
    limits = {"linear momentum": BALANCE, "angular momentum": BALANCE, "work of a point": 1e-6, "audit": 1e-9, "cone": CONE, "pulls": CONE}
    limits |= {"friction is not against sliding": 1e-3, "dissipation": 1e-7}
    for what, (value, text) in worst.items():
        if value > limits.get(what, LAW):
            found.append(Finding("told" if approximate else "silent", f"contact, {what}", f"{value:.2g}, {text}"))
    return found


def owner(model, name):
    """The body of a shape."""
    return name.rsplit("/", 1)[0] if "/" in name else name


def bound(model, name):
    return max(
        (
            float(row["bound"])
            for row, info in zip(model.contact_tables.shapes, model.shapes)
            if owner(model, info.name) == name and np.isfinite(row["bound"])
        ),
        default=1.0,
    )


def judge_any(scene, told):
    """Findings of any scene, from what is recorded and the audit."""
    found, model = [], told.sim.model
    for step in told.steps:
        if not (np.isfinite(step.q1).all() and np.isfinite(step.v1).all() and np.abs(step.v1).max(initial=0.0) < 1e100):
            return [Finding("silent", "contact, finite", "a state is not finite")]
        for p in step.points:
            if not np.isfinite(p["force"]).all():
                return [Finding("silent", "contact, finite", "an impulse is not finite")]
    audit = told.sim.audit
    contact = audit.contact
    kinetic = told.sim.recording["kinetic"]
    potential = told.sim.recording["potential"]
    if contact is not None:
        if contact.cone > CONE and not contact.approximate:
            found.append(Finding("silent", "contact, cone", f"{contact.cone:.2g} beyond"))
        scale = abs(contact.impact) + abs(contact.friction) + kinetic.max() + np.ptp(potential)
        if contact.impact + contact.friction < -1e-3 * scale - 1e-12 and not told.said:  # a run that failed has told
            found.append(
                Finding(
                    "silent",
                    "contact, dissipation",
                    f"impacts took {contact.impact:.3g} J, friction {contact.friction:.3g} J of {scale:.3g}",
                )
            )
        looked_at = told.steps[::5] if model.touches else []
        deepest = max((0.0 - min((c.gap for c in lw.contacts(model, s.q1, reach=0.0)), default=0.0) for s in looked_at), default=0.0)
        if deepest > contact.gap.value * (1 + 1e-6) + 1e-9 * float(model.contact_tables.length[0]):
            found.append(Finding("silent", "contact, overlap", f"{deepest:.3g} m found, the audit says {contact.gap.value:.3g}"))
        length = min((float(row["bound"]) for row in model.contact_tables.shapes if np.isfinite(row["bound"])), default=1.0)
        if told.steps:
            end = told.steps[-1]
            left = 0.0 if not model.touches else 0.0 - min((c.gap for c in lw.contacts(model, end.q1, reach=0.0)), default=0.0)
            if left > 0.05 * length and not scene.overlaps and "overlap" not in "".join(audit.warnings):
                found.append(Finding("told", "contact, overlap at the end", f"{left:.3g} m of {length:.3g}"))
    energy = kinetic + potential
    gained = np.max(energy - energy[0], initial=0.0) + (
        min(0.0, contact.separation) if contact is not None else 0.0
    )  # which the audit names
    scale = kinetic.max() + np.ptp(potential)
    unexplained = np.abs(told.sim.recording["numerical"]).max()
    if gained > 0.05 * (kinetic[0] + np.ptp(potential)) + 1e-12 * scale and not audit.warnings:
        found.append(Finding("silent", "contact, energy", f"grew by {gained:.3g} J of {scale:.3g}; unexplained {unexplained:.3g}"))
    return found


def judge_ways(scene, told):
    """The same bits by another run, by a rollout, and by one that was saved and resumed."""
    model, found = told.sim.model, []
    if told.said or not told.steps:
        return []
    end = told.steps[-1]
    again = stepped(scene, model)
    if not same(again.steps[-1], end):
        found.append(Finding("silent", "contact, again", "another run of the same model has other bits"))
    rolled = lw.rollout(
        model,
        np.tile(scene.q, (2, 1)),
        np.tile(scene.v, (2, 1)),
        len(told.steps),
        lw.ContactStepping(step=scene.step),
        every=len(told.steps),
    )
    for k in (0, 1):
        if rolled.failed[k]:
            found.append(Finding("loud", "contact, rollout", f"copy {k} failed, which ran as a simulation"))
        elif not (np.array_equal(rolled.q[k, -1], end.q1) and np.array_equal(rolled.v[k, -1], end.v1)):
            found.append(Finding("silent", "contact, rollout", f"copy {k}: other bits, {np.abs(rolled.q[k, -1] - end.q1).max():.2g} apart"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run"
        first = lw.Simulation(model, lw.ContactStepping(step=scene.step), q=scene.q, v=scene.v, record_interval=scene.step, checkpoint=path)
        first.run(STEPS * scene.step, each_sample=lambda sim: sim.pause() if sim.time > 0.4 * STEPS * scene.step else None)
        second = lw.Simulation.resumed(path, model, lw.ContactStepping(step=scene.step), record_interval=scene.step)
        second.resume()
        if not (np.array_equal(second.system.q, end.q1) and np.array_equal(second.system.v, end.v1)):
            found.append(Finding("silent", "contact, resumed", "other bits"))
        a, b = second.audit.contact, told.sim.audit.contact
        if a != b:
            found.append(Finding("silent", "contact, resumed", f"another audit: {a} {b}"))
    return found


def same(a, b):
    return np.array_equal(a.q1, b.q1) and np.array_equal(a.v1, b.v1)


def judge_edits(scene):
    """A scene that is edited while it runs: typed errors only, states stay finite."""
    rng = np.random.default_rng([scene.seed, 5])
    model = scene.mechanism.build()
    live = lw.Live(scene.mechanism.clone(), lw.ContactStepping(step=scene.step), setup=lw.Setup().starting_at(model, scene.q, scene.v))
    for k in range(6):
        live.advance(5 * scene.step)
        names = [b.name for b in live.mechanism.bodies]
        if not names:
            break
        name = names[rng.integers(len(names))]
        edits = {
            "surface": lambda live, name, k: live.change_surface(
                lw.Surface(friction=float(rng.uniform(0, 2)), restitution=float(rng.uniform(0, 1)))
            ),
            "remove": lambda live, name, k: live.remove(name),
            "add": lambda live, name, k: live.add_body(f"new {k}", shape=lw.Box(0.1, 0.1, 0.1), density=500.0),
            "weld": lambda live, name, k: live.add_joint(f"glue {k}", lw.Weld(), live.mechanism.ground, name),
            "ignore": lambda live, name, k: live.ignore("ground", name),
            "touch": lambda live, name, k: live.touch("ground", name),
            "floor": lambda live, name, k: live.add_floor(-0.1),
            "undo": lambda live, name, k: live.undo(),
        }
        try:
            edits[list(edits)[rng.integers(len(edits))]](live, name, k)
        except lw.LinkworkError:
            pass
        if not (np.isfinite(live.q).all() and np.isfinite(live.v).all()):
            return [Finding("silent", "contact, edits", "a state is not finite")]
    return []


def tried(seed, edits=True):
    """(kind, findings) of a seed."""
    warnings.simplefilter("ignore")
    try:
        scene = draw(seed)
    except lw.LinkworkError as error:
        return f"not drawn: {type(error).__name__}", [Finding("loud", "contact, draw", str(error)[:200])]
    found = []
    try:
        told = stepped(scene)
        if told.said:
            found.append(Finding("slow" if told.said.startswith("stopped") else "loud", "contact, run", told.said[:400]))
        found += judge_any(scene, told)
        if scene.kind.startswith("free"):
            found += judge_free(scene, told)
        found += judge_ways(scene, told)
        if edits:
            found += judge_edits(scene)
    except lw.LinkworkError as error:
        found.append(Finding("loud", "contact, run", f"{type(error).__name__}: {str(error)[:300]}"))
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        found.append(Finding("raw", "contact", f"{type(error).__name__}: {error} ({at.filename.rsplit('/', 1)[-1]}:{at.lineno})"))
    return scene.kind, found


def script(seed):
    scene = draw(seed)
    return f'''import numpy as np
import linkwork as lw

m = lw.from_toml("""{lw.to_toml(scene.mechanism)}""")
q, v, h = {np.asarray(scene.q).tolist()}, {np.asarray(scene.v).tolist()}, {scene.step!r}
sim = lw.Simulation(m, lw.ContactStepping(step=h), q=q, v=v, record_interval=h)
rec = sim.run({STEPS * scene.step!r})
print(rec.status, sim.audit)
# all checks: python -m tests.fuzz.contact --seed {seed}
'''


def work(first, jobs, minutes, told):
    end, seed = time.monotonic() + 60 * minutes, first
    while time.monotonic() < end:
        told.put(("begins", os.getpid(), seed, None))
        began = time.process_time()
        told.put(("ends", os.getpid(), seed, (*tried(seed), time.process_time() - began)))
        seed += jobs
    told.put(("done", os.getpid(), None, None))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", default="build/fuzz", help="folder for findings and scripts")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args(arguments)
    if options.seed is not None:
        kind, found = tried(options.seed)
        print(kind, *found, sep="\n")
        return int(any(f.kind in WRONG for f in found))
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    workers = [
        context.Process(target=work, args=(options.first + k, options.jobs, options.minutes, told), daemon=True)
        for k in range(options.jobs)
    ]
    for worker in workers:
        worker.start()
    counts, groups, begun, slowest = collections.Counter(), collections.defaultdict(list), {}, (0.0, None)
    while any(worker.is_alive() for worker in workers):
        try:
            word, pid, seed, result = told.get(timeout=1.0)
        except Exception:
            continue
        if word == "begins":
            begun[pid] = seed
        elif word == "ends":
            kind, found, took = result
            counts[kind] += 1
            slowest = max(slowest, (took, seed))
            for finding in found:
                groups[finding.kind, finding.check].append((seed, kind, finding.text))
                if finding.kind in WRONG:
                    print(f"{finding.kind}: seed {seed} ({kind}), {finding.check}: {finding.text}", flush=True)
    for worker in workers:
        if worker.exitcode:
            groups["raw", "process"].append((begun.get(worker.pid), "", f"ended with {worker.exitcode}"))
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{sum(counts.values())} scenes, slowest {slowest[0]:.1f} s (seed {slowest[1]}):", dict(counts))
    for (kind, check), all_of in sorted(groups.items()):
        print(f"{kind:7s} {check}: {len(all_of)}; e.g. seed {all_of[0][0]} ({all_of[0][1]}): {all_of[0][2]}")
        if kind in WRONG and all_of[0][0] is not None:
            path = folder / f"{check.replace(', ', '_').replace(' ', '_')}_{all_of[0][0]}.py"
            path.write_text(f"# {kind}: {all_of[0][2]}\n{script(all_of[0][0])}")
    (folder / "contact.json").write_text(json.dumps([[*key, items] for key, items in groups.items()], indent=1, default=str))
    return int(any(kind in WRONG for kind, _ in groups))


if __name__ == "__main__":
    sys.exit(main())
