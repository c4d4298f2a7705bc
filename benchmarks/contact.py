"""Steps with contact against MuJoCo's own loop in C (elliptic cones, Newton), quality beside time: benchmarks/results/contact.md.

python benchmarks/contact.py [--seconds 2] [--scenes ant humanoid]

Two spans of every scene are timed, in one process, taking turns: the first second, in which bodies fall and meet, and a second after they have come to rest.
Both engines begin each span at the same state. Contacts of both are counted at its end.
"""

import argparse
import json
import os
import platform
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import mujoco
from contact_mujoco import ContactPeer
from contact_scenes import FRICTION, SCENES
from timing import best_of

import linkwork as lw
from linkwork.integrators.system import System

RESULTS = Path(__file__).parent / "results"
STEP = 1e-3
FALL, SETTLE = 1.0, 4.0  # s
GOALS = {
    "box on plane": 2,
    "ant": 2,
    "humanoid": 1.5,
    "22 humanoids": 1.5,
    "stack of 5": 2,
    "stack of 10": 2,
    "wall 8x8": 2,
}  # at rest; falling: 1


def stepped(system, method_of, state, steps):
    """A function that takes so many steps from a state, contacts known from none before."""

    def run():
        system.q[:], system.v[:] = state
        method = method_of()
        method.take(steps)
        return system.q.copy(), system.v.copy()

    return run


def measure(name, scene, seconds):
    mechanism, poses = scene()
    model = mechanism.build()
    integrator = lw.ContactStepping(step=STEP)
    system = System(model, (), stages=integrator.stages, takes_contact=True)
    peer = ContactPeer(mechanism, STEP, FRICTION)
    q, v = start_of(model, poses)

    def method():
        started = integrator.start(system, 0.0)
        started.tolerance = 1e-11 if model.nc else 0.0
        return started

    count = int(FALL / STEP)
    falling = stepped(system, method, (q, v), count)
    settled = stepped(system, method, (q, v), int(SETTLE / STEP))()
    resting = stepped(system, method, settled, count)
    for span, ours, state, goal in (("falling", falling, (q, v), 1), ("resting", resting, settled, GOALS[name])):
        theirs = peer.runner(peer.states(state[0][None], state[1][None]), count)
        times = best_of({"Linkwork": ours, "MuJoCo": theirs}, repeats=40, seconds=seconds)
        end = ours()
        books, contact = system.contact.books, system.contact
        last = theirs()[0, -1]
        yield {
            "scene": name,
            "span": span,
            "Linkwork, us": times["Linkwork"] / count * 1e6,
            "MuJoCo, us": times["MuJoCo"] / count * 1e6,
            "ratio": times["MuJoCo"] / times["Linkwork"],
            "goal": goal,
            "contacts": f"{contact.count} / {peer.contacts(last)}",
            "worst residual, m/s": float(books.worst_residual),
            "approximate steps": int(books.approximate),
            "deepest, m": float(-books.worst_gap),
            "fastest, m/s": f"{np.abs(end[1]).max():.1e} / {np.abs(last[1 + model.nq :]).max():.1e}",
        }


def start_of(model, poses):
    """q and v with floating bodies at their poses, all joints at 0."""
    q = lw.neutral(model)
    for info in model.joints:
        if isinstance(info.kind, lw.Free) and info.child in poses:
            q[info.q_index] = [*poses[info.child].translation, *poses[info.child].quaternion]
    return q, np.zeros(model.nv)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="measuring time for each span of a scene")
    parser.add_argument("--scenes", nargs="*", default=list(SCENES), help="some of them only")
    given = parser.parse_args()
    rows = []
    for name in given.scenes:
        for row in measure(name, SCENES[name], given.seconds):
            rows.append(row)
            print(" | ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row.values()), flush=True)
    if given.scenes != list(SCENES):
        return
    lines = [
        "# Contact",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, MuJoCo {mujoco.__version__}: elliptic cones, Newton's method,"
        f" friction {FRICTION}, steps of {STEP:g} s, one thread. Ratio = MuJoCo / Linkwork. Contacts and speeds at the end: Linkwork / MuJoCo.",
        "",
        "| " + " | ".join(rows[0]) + " |",
        "|" + "---|" * len(rows[0]),
        *("| " + " | ".join(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row.values()) + " |" for row in rows),
    ]
    (RESULTS / "contact.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (RESULTS / "contact.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
