"""Steps with contact against MuJoCo's own loop in C (elliptic cones, Newton), quality beside time: benchmarks/results/contact.md.

python benchmarks/contact.py [--seconds 3] [--scenes ant humanoid]

Two spans of every scene are timed, in one process, taking turns: the first second, in which bodies fall and meet, and a second that begins four seconds
later. Both engines begin each span at the same state; the second one with what Linkwork remembers of its contacts (MuJoCo's first step of a thousand finds
them again). Contacts of both are counted at its end. A scene that fails, or takes too long, says so in its row.
"""

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import mujoco
from contact_mujoco import ContactPeer
from contact_scenes import FRICTION, SCENES, STANDS, anymal
from timing import best_of

import linkwork as lw
from linkwork.integrators.nonsmooth.memory import grow, load_contact, save_contact
from linkwork.integrators.system import System

RESULTS = Path(__file__).parent / "results"
STEP = 1e-3
FALL, SETTLE = 1.0, 4.0  # s
CHUNK = 50  # steps between looks at the clock
PATIENCE = 15.0  # s, for reaching a span
GOALS = {  # of the second span; of the first: 1
    "box on plane": 2,
    "stack of 5": 2,
    "stack of 10": 2,
    "ant": 2,
    "humanoid": 1.5,
    "22 humanoids": 1.5,
    "wall 8x8": 2,
}
ANYMAL_GOAL = 10.0  # us
COLUMNS = ("scene", "span", "Linkwork, us", "MuJoCo, us", "ratio", "goal", "contacts", "worst residual, m/s", "approximate steps")
COLUMNS += ("deepest, m", "fastest, m/s")


class Run:
    """A scene in Linkwork, and states from which it is run."""

    def __init__(self, model, q):
        self.model, self.integrator = model, lw.ContactStepping(step=STEP)
        self.system = System(model, (), stages=self.integrator.stages, takes_contact=True)
        self.begin = (q, np.zeros(model.nv), None)

    def method(self, state):
        q, v, contacts = state
        self.system.q[:], self.system.v[:] = q, v
        method = self.integrator.start(self.system, 0.0)
        method.tolerance = 1e-11 if self.model.nc else 0.0
        if contacts is not None:
            while contacts[0] > self.system.contact.room:
                grow(self.system)
            load_contact(self.system.contact, contacts)
        return method

    def after(self, seconds):
        """The state after so many seconds. Raises TimeoutError if that takes too long."""
        method, start = self.method(self.begin), time.perf_counter()
        for _ in range(0, round(seconds / STEP), CHUNK):
            method.take(CHUNK)
            if time.perf_counter() - start > PATIENCE:
                raise TimeoutError(f"{method.time:.2f} s of motion took more than {PATIENCE:g} s")
        return self.system.q.copy(), self.system.v.copy(), save_contact(self.system.contact)

    def stepped(self, state, steps):
        """A function that takes so many steps from a state."""

        def run():
            self.method(state).take(steps)
            return self.system.q.copy(), self.system.v.copy()

        return run


def measure(name, scene, seconds):
    """Rows of one scene, each of which may be a failure."""
    mechanism, poses = scene()
    model, count = mechanism.build(), round(FALL / STEP)
    run, peer = Run(model, start_of(mechanism.build(), poses)), ContactPeer(mechanism, STEP, FRICTION)
    spans = [] if name in STANDS else [("first second", 0.0, 1)]
    for span, wait, goal in (*spans, ("after 4 s", SETTLE, GOALS[name])):
        try:
            run.after(wait + FALL)  # or it takes too long
            yield measure_span(name, span, goal, run, peer, run.after(wait) if wait else run.begin, count, seconds)
        except Exception as error:
            yield dict.fromkeys(COLUMNS, "") | {"scene": name, "span": span, "goal": goal, "contacts": f"{type(error).__name__}: {error}"}


def measure_span(name, span, goal, run, peer, state, count, seconds):
    model, ours = run.model, run.stepped(state, count)
    theirs = peer.runner(peer.states(state[0][None], state[1][None]), count)
    times = best_of({"Linkwork": ours, "MuJoCo": theirs}, repeats=40, seconds=seconds)
    end = ours()
    books, contact = run.system.contact.books, run.system.contact
    last = theirs()[0, -1]
    values = (
        *(name, span, times["Linkwork"] / count * 1e6, times["MuJoCo"] / count * 1e6, times["MuJoCo"] / times["Linkwork"], goal),
        f"{contact.memory.count[0]} / {peer.contacts(last)}",
        float(books.worst_residual),
        int(books.approximate),
        float(-books.worst_gap),
        f"{np.abs(end[1]).max():.1e} / {np.abs(last[1 + model.nq :]).max():.1e}",
    )
    return dict(zip(COLUMNS, values, strict=True))


def start_of(model, poses):
    """q with floating bodies at their poses, all joints at 0."""
    q = lw.neutral(model)
    for info in model.joints:
        if isinstance(info.kind, lw.Free) and info.child in poses:
            q[info.q_index] = [*poses[info.child].translation, *poses[info.child].quaternion]
    return q


def standing():
    """A row for ANYmal on its four feet, its joints held by springs: time of a step of ours."""
    row = dict.fromkeys(COLUMNS, "") | {"scene": "ANYmal standing", "span": "after 4 s", "goal": f"{ANYMAL_GOAL:g} us"}
    try:
        model, q = anymal()
        sim = lw.Simulation(model, lw.ContactStepping(step=STEP), q=q)
        sim.run(SETTLE)
        method, books = sim.method, sim.system.contact.books
        best = best_of({"": lambda: method.take(500)}, repeats=40, seconds=1.0)[""]
        row |= {"Linkwork, us": best / 500 * 1e6, "contacts": str(sim.system.contact.memory.count[0])}
        row |= {"worst residual, m/s": float(books.worst_residual), "approximate steps": int(books.approximate)}
        row |= {"deepest, m": float(-books.worst_gap), "fastest, m/s": f"{np.abs(sim.system.v).max():.1e}"}
    except Exception as error:
        row["contacts"] = f"{type(error).__name__}: {error}"
    return row


def shown(row):
    return " | ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="measuring time for each span of a scene")
    parser.add_argument("--scenes", nargs="*", default=list(SCENES), help="some of them only")
    given = parser.parse_args()
    rows = []
    for name in given.scenes:
        for row in measure(name, SCENES[name], given.seconds):
            rows.append(row)
            print(shown(row), flush=True)
    if given.scenes != list(SCENES):
        return
    rows.append(standing())
    print(shown(rows[-1]), flush=True)
    lines = [
        "# Contact",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, MuJoCo {mujoco.__version__}: elliptic cones, Newton's method,"
        f" friction {FRICTION}, steps of {STEP:g} s, one thread. Ratio = MuJoCo / Linkwork. Contacts and speeds at the end: Linkwork / MuJoCo.",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|" + "---|" * len(COLUMNS),
        *(f"| {shown(row)} |" for row in rows),
    ]
    (RESULTS / "contact.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (RESULTS / "contact.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
