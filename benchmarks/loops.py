"""Benchmarks of closed mechanisms: `make bench`. Prints tables and writes benchmarks/results/loops.md and loops.json.

Time of a constrained forward-dynamics solve against each peer (loops_peers.py says how they are judged), growth with the number of bodies, and the
sparse solver on a tree. Each peer stands with its fastest setting that is accurate enough; times are the best of many interleaved calls.
"""

import argparse
import json
import os
import platform
from pathlib import Path

import numpy as np
from loops_linkwork import Linkwork
from loops_mechanisms import ring
from loops_peers import batch_rows, rows, show
from loops_reference import rolling
from robots import chain
from timing import best_call

import linkwork as lw
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.solvers.sparse.driver import solve_sparse

RESULTS = Path(__file__).parent / "results"
SOLVE_GOAL, BATCH_GOAL, GROWTH_GOAL, TREE_GOAL = 3.0, 5.0, 1.1, 4.0
SIZES = (20, 40, 100, 1000, 5000)


def against_peers(seconds, missing):
    """All rows of loops_peers with the ratio to ours, which is the row before them."""
    ours = None
    for row in rows(seconds, missing=missing):
        row = {key: row[key] for key in ("mechanism", "peer", "setting", "us", "us_a_body", "residual", "error") if key in row}
        if row["peer"] == "Linkwork":
            ours = row
        elif "us" in row and ours and "us" in ours:
            row["ratio"], row["goal"] = row["us"] / ours["us"], SOLVE_GOAL
        yield row


def batch(missing):
    found = list(batch_rows(missing=missing))
    ours = next(row for row in found if row["contestant"].startswith("Linkwork"))
    for row in found:
        if row is not ours:
            row["ratio"], row["goal"] = row["us_a_state"] / ours["us_a_state"], BATCH_GOAL
    return found


def growth(seconds):
    """Closed chains of ball-jointed rods hung from ground: microseconds a solve by the sparse solver, and the exponent."""
    found = []
    for count in SIZES:
        design = ring(count, hung=True)
        ours = Linkwork(design, rolling(design))
        solve_sparse(ours.model, ours.q, ours.v, ours.tau)
        times = best_call({"": lambda o=ours: solve_sparse(o.model, o.q, o.v, o.tau)}, calls=5, repeats=400, seconds=seconds)
        found.append({"bodies": count, "us": times[""] * 1e6, "us_a_body": times[""] * 1e6 / count})
    exponent = float(np.polyfit(np.log(SIZES), np.log([row["us"] for row in found]), 1)[0])
    return [*found, {"bodies": "exponent", "us": exponent, "us_a_body": GROWTH_GOAL}]


def tree(seconds):
    """A chain of 1000 hinges, no loop: sparse against articulated bodies."""
    model = chain(1000).build()
    rng = np.random.default_rng(0)
    q, v, tau = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    solve_sparse(model, q, v, tau)
    solve_constrained(model, q, v, tau)
    times = best_call(
        {
            "sparse": lambda: solve_sparse(model, q, v, tau),
            "articulated bodies": lambda: lw.forward_dynamics(model, q, v, tau),
        },
        calls=3,
        repeats=400,
        seconds=seconds,
    )
    ratio = times["sparse"] / times["articulated bodies"]
    return [{"what": name, "us": time * 1e6} for name, time in times.items()] + [{"what": "ratio (goal: at most 4)", "us": ratio}]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="measuring time for each contestant")
    seconds = parser.parse_args().seconds
    missing = {}
    tables = {
        "One state: microseconds a solve (ratio = peer / Linkwork)": list(against_peers(seconds, missing)),
        "Four-bar, batch of 1024 states, one thread": batch(missing),
        "Closed chains, sparse solver (last row: growth exponent, and its goal)": growth(seconds),
        "Chain of 1000 hinges, a tree": tree(seconds),
    }
    lines = [
        "# Closed mechanisms",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}",
        "",
    ]
    for title, found in tables.items():
        show(title, found)
        keys = list(dict.fromkeys(key for row in found for key in row))
        lines += [f"## {title}", "", f"| {' | '.join(keys)} |", "|" + "---|" * len(keys)]
        lines += [
            "| " + " | ".join(f"{row[k]:.3g}" if isinstance(row.get(k), float) else str(row.get(k, "")) for k in keys) + " |"
            for row in found
        ]
        lines += [""]
    lines += [f"Left out: {name}: {why}" for name, why in missing.items()]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "loops.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (RESULTS / "loops.json").write_text(json.dumps(tables, indent=1, default=str), encoding="utf-8")


if __name__ == "__main__":
    main()
