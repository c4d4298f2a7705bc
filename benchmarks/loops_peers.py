"""Constrained forward dynamics against the peers: time of a solve, what is left of the constraints, and how far off the accelerations are.

    python benchmarks/loops_peers.py [--seconds 1] [--only ring] [--verbose]

Every contestant gets the same bodies and joints (loops_mechanisms.py), the same state, and is judged by the same dense reference
(loops_reference.py): `residual` is max |J a + gamma| over all joints, `error` the largest error of a body's acceleration (m/s^2, rad/s^2).
A peer has several settings; the fastest that is accurate enough stands for it. Peers that are not installed are left out and named.
"""

import argparse
import importlib

import numpy as np
from loops_mechanisms import designs, four_bar, four_bar_states, spanning_tree
from loops_reference import Reference, turned
from timing import best_call, best_of

ACCURATE = {"residual": 1e-8, "error": 1e-5}
SOFT = {"residual": 1e-3, "error": 1e-2}  # what MuJoCo's softness leaves
# peer: (module, class, [settings], what is accurate enough)
PEERS = {
    "Linkwork": ("loops_linkwork", "Linkwork", [{}], ACCURATE),
    "Pinocchio": (
        "loops_pinocchio",
        "Pinocchio",
        [
            {"method": "constraintDynamics", "mu": 0.0, "iterations": 1},
            {"method": "constraintDynamics", "mu": 1e-12, "iterations": 1},
            {"method": "constraintDynamics", "mu": 1e-10, "iterations": 2},
            *(
                {"method": "lcaba", "mu": mu, "iterations": n}
                for mu, n in ((1e-6, 2), (1e-5, 2), (1e-5, 3), (1e-4, 3), (1e-1, 8), (1.0, 20))
            ),
        ],
        ACCURATE,
    ),
    "MuJoCo": (
        "loops_mujoco",
        "MuJoCo",
        [{"jacobian": jacobian, "solver": solver} for jacobian, solver in (("dense", "NEWTON"), ("sparse", "NEWTON"), ("dense", "PGS"))],
        SOFT,
    ),
    "MuJoCo, hard": (
        "loops_mujoco",
        "MuJoCo",
        [
            {"jacobian": jacobian, "solver": solver, "softness": softness, "tolerance": 1e-15 if solver == "PGS" else 1e-12}
            for jacobian, solver in (("dense", "NEWTON"), ("sparse", "NEWTON"), ("dense", "PGS"))
            for softness in (1e-5, 1e-6)
        ],
        {"residual": 1e-6, "error": 1e-4},
    ),
    "Simbody": ("loops_simbody", "Simbody", [{}], ACCURATE),
    "Exudyn": (
        "loops_exudyn",
        "Exudyn",
        [
            {"linear": linear, "step": h, "tolerance": tol}
            for linear in ("EXUdense", "EigenSparse")
            for h, tol in ((1e-3, 1e-8), (1e-4, 1e-6))
        ],
        {"residual": 1e-5, "error": 1e-4},
    ),
}


def rows(seconds=1.0, only="", verbose=False, missing=None):
    """One row for every design and peer; with verbose, one for every setting. `missing` collects peers that cannot be had: {name: why}."""
    for design in designs():
        if only in design.name:
            reference = Reference(design)
            yield from design_rows(design, reference, seconds, verbose, {} if missing is None else missing)


def design_rows(design, reference, seconds, verbose, missing):
    truth = reference.accelerations()
    entries = {}
    for peer, contestant, setting, enough in built(design, reference, missing):
        found = contestant.accelerations()
        row = {"mechanism": design.name, "peer": peer, "setting": described(setting), "residual": reference.residual(found)}
        row["error"] = float(np.abs(found - truth).max())
        row["enough"] = row["residual"] <= enough["residual"] and row["error"] <= enough["error"]  # false for what is not a number
        entries[peer, row["setting"]] = row, contestant
    timed = {key: contestant.solver() for key, (row, contestant) in entries.items() if row["enough"] and row["peer"] != "Exudyn"}
    for key, time in best_call(timed, calls=20, repeats=1000, seconds=seconds * len(timed)).items():
        entries[key][0]["us"] = time * 1e6
    for row, contestant in entries.values():
        if row["peer"] == "Exudyn" and row["enough"]:
            time = contestant.seconds_a_step(steps=100, repeats=3)
            start = best_call({"": contestant.solver()}, calls=2, repeats=50, seconds=0.2)[""] * 1e6
            about = f"a step of {contestant.iterations:.1f} Newton iterations; {start:.3g} us for the accelerations of the first instant"
            row.update({"us": time * 1e6, "what": about} if time else {"enough": False})
    found = [row for row, _ in entries.values()]
    for row in found:
        row["us_a_body"] = row.get("us", np.nan) / len(design.bodies)
    yield from found if verbose else best_of_each(found)


def built(design, reference, missing):
    """Each contestant with each of its settings; what cannot be imported or built is noted once."""
    for peer, (module, name, settings, enough) in PEERS.items():
        for setting in settings:
            try:
                contestant = getattr(importlib.import_module(module), name)(design, reference, **setting)
            except Exception as error:  # a peer that is absent or refuses must not stop the others
                missing.setdefault(f"{peer}: {type(error).__name__}", f"{design.name}: {str(error)[:120]}")
                break
            yield peer, contestant, setting, enough


def best_of_each(found):
    for peer in dict.fromkeys(row["peer"] for row in found):
        fit = [row for row in found if row["peer"] == peer and row["enough"]]
        yield min(fit, key=lambda row: row["us"]) if fit else next(row for row in found if row["peer"] == peer)


def described(setting):
    return " ".join(str(value) if isinstance(value, str) else f"{key} {value:g}" for key, value in setting.items()) or "as it comes"


def batch_rows(count=1024, seconds=3.0, missing=None):
    """A batch of states of the four-bar all round its crank: microseconds a state, on one thread."""
    design = four_bar()
    reference = Reference(design)
    turns, rates = four_bar_states(count)
    sample = sorted({int(k) for k in np.linspace(0, count - 1, 16)})
    truths = [crank_acceleration(design, turns[k], rates[k]) for k in sample]
    runs, firsts = {}, {}
    for peer, solver, setting in (
        ("Linkwork", "batch_solver", {}),
        ("Pinocchio", "batch_solver", {"method": "constraintDynamics", "mu": 1e-12, "iterations": 1}),
        ("MuJoCo", "batch_solver", {}),
        ("MuJoCo", "rollout_solver", {}),
    ):
        module, name, _, _ = PEERS[peer]
        try:
            contestant = getattr(importlib.import_module(module), name)(design, reference, **setting)
            key = f"{peer} {solver.split('_')[0]}"
            runs[key], firsts[key] = getattr(contestant, solver)(turns, rates), contestant.first
        except Exception as error:
            (missing if missing is not None else {})[f"{peer}: {type(error).__name__}"] = f"batch: {str(error)[:120]}"
    best = best_of(runs, repeats=200, seconds=seconds)
    for name, run in runs.items():
        found = firsts[name](run(), rates)[sample]
        yield {"contestant": name, "us_a_state": best[name] / count * 1e6, "error": float(np.abs(found - truths).max())}


def crank_acceleration(design, turns, rates):
    """Angular acceleration of the crank's hinge, by the reference."""
    names = [joint.name for joint in design.joints]
    poses, twists = turned(design, spanning_tree(design)[0], dict(zip(names, turns, strict=True)), dict(zip(names, rates, strict=True)))
    accelerations = Reference(design, twists=twists, poses=poses).accelerations()
    return float(accelerations[0, :3] @ design.joints[0].rotation[:, 2])


def show(title, found):
    keys = [key for key in dict.fromkeys(key for row in found for key in row) if key != "enough"]
    print(f"\n{title}\n\n| {' | '.join(keys)} |\n|{'---|' * len(keys)}")
    for row in found:
        print("| " + " | ".join(f"{row[k]:.3g}" if isinstance(row.get(k), float) else str(row.get(k, "")) for k in keys) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="measuring time for each contestant")
    parser.add_argument("--only", default="", help="part of a mechanism's name")
    parser.add_argument("--verbose", action="store_true", help="every setting of every peer")
    arguments = parser.parse_args()
    missing = {}
    show("Constrained forward dynamics, one state", list(rows(arguments.seconds, arguments.only, arguments.verbose, missing)))
    show("Four-bar, batch of 1024 states, one thread", list(batch_rows(missing=missing)))
    for name, why in missing.items():
        print(f"left out: {name}: {why}")


if __name__ == "__main__":
    main()
