"""Steps a second against MuJoCo's own loop in C, the variational integrator, and long runs: benchmarks/results/motion.md.

python benchmarks/motion.py [--seconds 2] [--long]        --long: also the runs of minutes (1e7 variational steps, 1000 s of a four-bar)
"""

import argparse
import functools
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import mujoco
from motion_mujoco import Peer
from robots import _urdf, chain
from timing import best_of

import linkwork as lw
from linkwork.integrators.system import System

RESULTS = Path(__file__).parent / "results"
OURS = {"semi-implicit Euler": lw.SemiImplicitEuler, "Runge-Kutta 4": lw.RungeKutta4}
STEP = 1e-3
COPIES = 4096


def double_pendulum():
    m = lw.Mechanism("double pendulum")
    before, at = m.ground, (0, 0, 0)
    for k in range(2):
        body = m.add_body(f"rod {k}", mass=1.0, com=(0, 0, -0.5), inertia=(0.09, 0.09, 0.01))
        m.add_joint(f"hinge {k}", lw.Revolute((0, 1, 0)), before.at(*at), body)
        before, at = body, (0, 0, -1)
    return m.build()


def four_bar():
    m = lw.Mechanism("four-bar")
    for name, length in (("crank", 0.2), ("coupler", 0.5), ("rocker", 0.4)):
        m.add_body(name, shape=lw.Box(length, 0.02, 0.02), density=2700.0)
    y = (0, 1, 0)
    m.add_joint("A", lw.Revolute(y), m.ground, m.body("crank").at(-0.1, 0, 0))
    m.add_joint("B", lw.Revolute(y), m.body("crank").at(0.1, 0, 0), m.body("coupler").at(-0.25, 0, 0))
    m.add_joint("C", lw.Revolute(y), m.body("coupler").at(0.25, 0, 0), m.body("rocker").at(0.2, 0, 0))
    m.add_joint("D", lw.Revolute(y), m.ground.at(0.45, 0, 0), m.body("rocker").at(-0.2, 0, 0))
    return m.build()


def mechanisms():
    yield "double pendulum", double_pendulum()
    yield "Panda", _urdf("panda_description/urdf/panda.urdf", floating=False)[0]
    yield "chain 60", chain(60).build()
    yield "four-bar", four_bar()
    yield "Talos floating", _urdf("talos_data/robots/talos_reduced.urdf")[0]


def states(model, count, seed=0):
    rng = np.random.default_rng(seed)
    q = lw.random_configuration(model, rng, count, span=0.6, reach=0.3)
    v = 0.3 * rng.normal(size=(count, model.nv))
    if model.nc:
        q = np.array([lw.assemble(model, np.r_[x[:1], np.zeros(model.nq - 1)]) for x in q])
        v = np.array([lw.project_velocity(model, a, b) for a, b in zip(q, v, strict=True)])
    return q, v


def steps_table(seconds):
    """One state, one thread: microseconds a step."""
    for name, model in mechanisms():
        q, v = states(model, 1)
        for method, kind in OURS.items():
            integrator, peer, count = kind(step=STEP), Peer(model, STEP, method), 200
            system = System(model, (), stages=integrator.stages)
            walk = peer.walker(q, v, count)

            def ours(system=system, integrator=integrator, count=count, q=q, v=v, model=model):
                system.q[:], system.v[:] = q[0], v[0]
                method = integrator.start(system, 0.0)
                method.tolerance = 1e-11 if model.nc else 0.0
                method.take(count)

            times = best_of({"Linkwork": ours, "MuJoCo": walk}, repeats=400, seconds=seconds)
            ours()
            apart = float(np.abs(peer.states(system.q[None], system.v[None])[0, 1:] - walk()[0, -1, 1:]).max())
            yield {
                "mechanism": name,
                "method": method,
                "Linkwork, us": times["Linkwork"] / count * 1e6,
                "MuJoCo, us": times["MuJoCo"] / count * 1e6,
                "ratio": times["MuJoCo"] / times["Linkwork"],
                "goal": 2,
                f"apart after {count} steps": apart,
            }


def batch_table(seconds):
    """Many copies, one thread: nanoseconds a step and copy. Both keep all states."""
    for name, model in mechanisms():
        q, v = states(model, 256 if model.nc else COPIES)
        q, v = (np.tile(x, (COPIES // len(x), 1)) for x in (q, v))
        for method, kind in OURS.items():
            steps = 20 if model.nv > 20 else 100
            integrator, peer = kind(step=STEP), Peer(model, STEP, method)
            walk = peer.walker(q, v, steps)
            ours = functools.partial(lw.rollout, model, q, v, steps, integrator, joint_forces=False)
            times = best_of({"Linkwork": ours, "MuJoCo": walk}, repeats=4, seconds=seconds)
            yield {
                "mechanism": name,
                "method": method,
                "Linkwork, ns": times["Linkwork"] / steps / COPIES * 1e9,
                "MuJoCo, ns": times["MuJoCo"] / steps / COPIES * 1e9,
                "ratio": times["MuJoCo"] / times["Linkwork"],
                "goal": 8,
            }


def variational_table():
    """A chain of n revolute joints: microseconds a variational step, and the exponent of growth."""
    sizes, found = (8, 16, 32, 64, 128, 256), []
    for n in sizes:
        model = chain(n).build()
        rng = np.random.default_rng(2)
        q, v = rng.uniform(-0.5, 0.5, n), 0.3 * rng.normal(size=n)
        method = lw.Variational(step=STEP).start(_system(model, q, v), 0.0)
        method.take(20)
        best, count = np.inf, max(20, 2000 // n)
        for _ in range(12):
            before = time.perf_counter()
            method.take(count)
            best = min(best, (time.perf_counter() - before) / count)
        found.append(
            {
                "degrees of freedom": n,
                "us a step": best * 1e6,
                "us a degree": best * 1e6 / n,
                "Newton steps": method.iterations / method.steps,
            }
        )
    exponent = float(np.polyfit(np.log(sizes[2:]), np.log([row["us a step"] for row in found[2:]]), 1)[0])
    return [*found, {"degrees of freedom": "exponent from 32 on", "us a step": exponent}]


def _system(model, q, v):
    system = System(model, ())
    system.q[:], system.v[:] = q, v
    return system


def long_pendulum(steps=10_000_000):
    """Energy of the double spherical pendulum by the variational integrator: extremes, and the slope of a fit."""
    model = lw.shipped("double-spherical-pendulum").mechanism.build()
    state = lw.shipped("double-spherical-pendulum").setup.state(model)
    h, every = 1e-2, 1000
    method = lw.Variational(step=h).start(_system(model, state.q, state.v), 0.0)
    energies, scale = [], None
    before = time.perf_counter()
    for _ in range(steps // every):
        method.take(every)
        e = lw.energy(model, method.system.q.copy(), method.system.v.copy())
        energies.append(float(e.kinetic + e.potential))
        scale = max(scale or 0.0, float(e.kinetic))
    energies = np.array(energies)
    t = h * every * np.arange(1, len(energies) + 1)
    slope = float(np.polyfit(t, energies, 1)[0])
    error = float(np.std(energies) / np.sqrt(len(t)) / (t[-1] / np.sqrt(12)))
    return [
        {
            "steps": steps,
            "step, s": h,
            "energy, J": float(energies.mean()),
            "extremes, J": f"{energies.min():.9g} .. {energies.max():.9g}",
            "slope / kinetic energy, 1/s": slope / scale,
            "its standard error, 1/s": error / scale,
            "goal": 1e-12,
            "us a step": (time.perf_counter() - before) / steps * 1e6,
        }
    ]


def long_four_bar(duration=1000.0):
    """A closed four-bar for a long time: gap and energy throughout."""
    model = four_bar()
    q = lw.assemble(model, np.r_[0.4, np.zeros(model.nq - 1)])
    rows = []
    for integrator in (lw.RungeKutta4(step=1e-3), lw.Variational(step=1e-3)):
        before = time.perf_counter()
        rec = lw.Simulation(model, integrator, q=q, record_interval=0.1, progress=False).run(duration)
        audit = rec.audit
        rows.append(
            {
                "integrator": repr(integrator),
                "status": str(rec.status.word),
                "largest gap, m": audit.gap.value,
                "goal": 1e-10,
                "largest unexplained energy / scale": audit.largest_numerical / audit.scale,
                "s": time.perf_counter() - before,
            }
        )
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="measuring time for each pair of contestants")
    parser.add_argument("--long", action="store_true", help="also the long runs")
    given = parser.parse_args()
    tables = {
        f"One state, one thread, steps of {STEP:g} s (ratio = MuJoCo / Linkwork)": lambda: list(steps_table(given.seconds)),
        f"{COPIES} copies, one thread": lambda: list(batch_table(given.seconds)),
        "Variational step on a chain (goal: below 40 us at 32 degrees of freedom, linear growth)": variational_table,
    }
    if given.long:
        tables["Double spherical pendulum, variational"] = long_pendulum
        tables["Four-bar for 1000 s"] = long_four_bar
    lines = [
        "# Motion over time",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, MuJoCo {mujoco.__version__}",
        "",
    ]
    kept = {}
    for title, make in tables.items():
        found = kept[title] = make()
        keys = list(dict.fromkeys(key for row in found for key in row))
        block = [f"## {title}", "", f"| {' | '.join(keys)} |", "|" + "---|" * len(keys)]
        block += [
            "| " + " | ".join(f"{row[k]:.4g}" if isinstance(row.get(k), float) else str(row.get(k, "")) for k in keys) + " |"
            for row in found
        ]
        print("\n".join(block), flush=True)
        lines += [*block, ""]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "motion.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (RESULTS / "motion.json").write_text(json.dumps(kept, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
