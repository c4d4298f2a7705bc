"""All benchmarks: `make bench`. Prints tables and writes benchmarks/results/latest.md and latest.json.

Every row is a ratio to Pinocchio's wheel, measured in this process, interleaved, best of many; or a property of our own (threads, scaling, memory, start).
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
import picture
import pinocchio as pin
from operation_counts import flops_per_state, peak_gflops
from rich.console import Console
from rich.table import Table
from robots import chain, four_bar, robots
from timing import best_call, best_of

import linkwork as lw

BATCH = 4096
RESULTS = Path(__file__).parent / "results"


def peer_state(peer):
    """Random batches for Pinocchio, column-major as it wants them."""
    rng = np.random.default_rng(0)
    q = np.asfortranarray(np.stack([pin.integrate(peer, pin.neutral(peer), rng.normal(size=peer.nv)) for _ in range(BATCH)], axis=1))
    return q, *(np.asfortranarray(rng.normal(size=(peer.nv, BATCH))) for _ in range(2))


def our_state(model):
    rng = np.random.default_rng(0)
    return lw.random_configuration(model, rng, BATCH), *(rng.normal(size=(BATCH, model.nv)) for _ in range(2))


def batch_rows():
    for name, model, peer in robots():
        q, v, x = our_state(model)
        pq, pv, px = peer_state(peer)
        out, matrices, data, pool = (
            np.empty((BATCH, model.nv)),
            np.empty((BATCH, model.nv, model.nv)),
            peer.createData(),
            pin.ModelPool(peer, 1),
        )
        pout = np.asfortranarray(np.empty((peer.nv, BATCH)))
        columns = [np.ascontiguousarray(pq[:, k]) for k in range(BATCH)]

        def peer_masses(peer=peer, data=data, columns=columns):
            for column in columns:
                pin.crba(peer, data, column)

        pairs = {
            "forward dynamics": (
                lambda: lw.forward_dynamics(model, q, v, x, out=out),
                lambda: pin.abaInParallel(1, pool, pq, pv, px, pout),
                10,
            ),
            "inverse dynamics": (
                lambda: lw.inverse_dynamics(model, q, v, x, out=out),
                lambda: pin.rneaInParallel(1, pool, pq, pv, px, pout),
                8,
            ),
            "mass matrix": (lambda: lw.mass_matrix(model, q, out=matrices), peer_masses, 6),
        }
        for what, (ours, theirs, goal) in pairs.items():
            best = best_of({"ours": ours, "pinocchio": theirs}, repeats=200, seconds=4)
            work = flops_per_state(model, what)
            yield {
                "what": what,
                "robot": f"{name} ({model.nv})",
                "ours_us": best["ours"] / BATCH * 1e6,
                "peer_us": best["pinocchio"] / BATCH * 1e6,
                "ratio": best["pinocchio"] / best["ours"],
                "goal": goal,
                "share_of_peak": work / (best["ours"] / BATCH) / 1e9 / peak_gflops(),
            }


def single_rows():
    for name, model, peer in robots():
        q, v, x = (np.ascontiguousarray(a[0]) for a in our_state(model))
        pq, pv, px = (np.ascontiguousarray(a[:, 0]) for a in peer_state(peer))
        data = peer.createData()
        pairs = {
            "forward dynamics": (lambda: lw.forward_dynamics(model, q, v, x), lambda: pin.aba(peer, data, pq, pv, px), 3),
            "inverse dynamics": (lambda: lw.inverse_dynamics(model, q, v, x), lambda: pin.rnea(peer, data, pq, pv, px), 2.5),
            "mass matrix": (lambda: lw.mass_matrix(model, q), lambda: pin.crba(peer, data, pq), 2),
        }
        for what, (ours, theirs, goal) in pairs.items():
            ours()
            best = best_call({"ours": ours, "pinocchio": theirs})
            yield {
                "what": what,
                "robot": f"{name} ({model.nv})",
                "ours_us": best["ours"] * 1e6,
                "peer_us": best["pinocchio"] * 1e6,
                "ratio": best["pinocchio"] / best["ours"],
                "goal": goal,
            }


def overhead_rows():
    """What a call of a four-bar's forward dynamics takes beyond the kernel, whose time is that of a state among many of the same solver."""
    model = four_bar().build()
    q, v, x = lw.neutral(model), np.zeros(model.nv), np.ones(model.nv)
    many = [np.tile(a, (BATCH, 1)) for a in (q, v, x)]
    out = np.empty((BATCH, model.nv))

    def calls():
        for _ in range(BATCH):
            lw.forward_dynamics(model, q, v, x)

    best = best_of({"calls": calls, "kernel": lambda: lw.forward_dynamics(model, *many, solver="sparse", out=out)}, repeats=400, seconds=6)
    one, kernel = best["calls"] / BATCH * 1e6, best["kernel"] / BATCH * 1e6
    yield {"what": "forward dynamics", "robot": "four-bar", "call_us": one, "kernel_us": kernel, "overhead_us": one - kernel, "goal": 0.3}


def thread_rows():
    for name, model, _ in robots():
        q, v, x = our_state(model)
        out = np.empty((BATCH, model.nv))
        best = best_of({n: (lambda n=n: lw.forward_dynamics(model, q, v, x, out=out, threads=n)) for n in (1, 2)}, repeats=60, seconds=3)
        yield {"what": "two threads, forward dynamics", "robot": name, "ratio": best[1] / best[2], "goal": 1.8}


def scaling_rows():
    base = None
    for n in (10, 30, 100, 300, 1000, 3000, 10000):
        model = chain(n).build()
        rng = np.random.default_rng(0)
        q, v, x = (rng.normal(size=n) for _ in range(3))
        lw.forward_dynamics(model, q, v, x)
        best = best_call({"one": lambda: lw.forward_dynamics(model, q, v, x)}, calls=max(1, 3000 // n), repeats=40)["one"] / n
        count = max(4, 40000 // n // 4 * 4)
        Q, V, X = (np.tile(a, (count, 1)) for a in (q, v, x))
        out = np.empty_like(V)
        lanes = best_of({"batch": lambda: lw.forward_dynamics(model, Q, V, X, out=out)}, repeats=30)["batch"] / n / count
        base = base or {}
        if n == 30:
            base = {"one": best, "batch": lanes}
        yield {
            "what": "time per body",
            "robot": f"chain {n}",
            "one_ns": best * 1e9,
            "batch_ns": lanes * 1e9,
            "one_vs_30": best / base["one"] if base else None,
            "batch_vs_30": lanes / base["batch"] if base else None,
        }


def memory_row():
    _, model, _ = next(robots())
    q, v, x = our_state(model)
    out = np.empty((BATCH, model.nv))
    lw.forward_dynamics(model, q, v, x, out=out)
    tracemalloc.start()
    for count in (64, BATCH):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        lw.forward_dynamics(model, q[:count], v[:count], x[:count], out=out[:count])
        yield {"what": f"bytes allocated, batch of {count}", "value": tracemalloc.get_traced_memory()[1] - before}
    tracemalloc.stop()


START = """
import time; start = time.perf_counter()
import linkwork as lw
imported = time.perf_counter() - start
m = lw.Mechanism()
b = m.add_body("b", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
m.add_joint("j", lw.Revolute(axis=(0, 1, 0)), m.ground, b)
lw.forward_dynamics(m.build(), [0.1], [0.0], [0.0])
print(imported, time.perf_counter() - start)
"""


def start_rows():
    """`import linkwork`, first result with a warm and with an empty cache, each in its own process."""
    with tempfile.TemporaryDirectory() as cold:
        cases = {"empty": [{"NUMBA_CACHE_DIR": cold}], "warm": [{"NUMBA_CACHE_DIR": cold}] * 5}
        times = {}
        for case, runs in cases.items():
            outputs = [
                subprocess.run([sys.executable, "-c", START], env=os.environ | env, capture_output=True, text=True, check=True)
                for env in runs
            ]
            times[case] = [tuple(float(x) for x in o.stdout.split()) for o in outputs]
    yield {"what": "import linkwork, s", "value": min(t[0] for t in times["warm"]), "goal": 1.0}
    yield {"what": "first result, warm cache, s", "value": min(t[1] for t in times["warm"]), "goal": 2.0}
    yield {"what": "first result, empty cache, s", "value": times["empty"][0][1], "goal": 25.0}


def show(console, title, rows):
    """Print rows as they come; returns them."""
    rows = list(rows)
    keys = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(title=title)
    for key in keys:
        table.add_column(key, justify="left" if key in ("what", "robot") else "right")
    for row in rows:
        table.add_row(*(f"{row[k]:.3g}" if isinstance(row.get(k), float) else str(row.get(k, "")) for k in keys))
    console.print(table)
    return rows


def markdown(title, rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    lines = [f"## {title}", "", "| " + " | ".join(keys) + " |", "|" + "---|" * len(keys)]
    for row in rows:
        lines.append("| " + " | ".join(f"{row[k]:.3g}" if isinstance(row.get(k), float) else str(row.get(k, "")) for k in keys) + " |")
    return "\n".join([*lines, ""])


def main():
    console = Console()
    sections = {
        f"Batch of {BATCH}, one thread (ratio = Pinocchio / Linkwork)": batch_rows,
        "One state per Python call (ratio = Pinocchio / Linkwork)": single_rows,
        "Overhead of a constrained call": overhead_rows,
        "Threads": thread_rows,
        "Scaling": scaling_rows,
        "Memory": memory_row,
        "Start": start_rows,
    }
    machine = (
        f"{cpu()}, Python {platform.python_version()}, NumPy {np.__version__}, Pinocchio {pin.__version__}, {time.strftime('%Y-%m-%d')}"
    )
    results = {"machine": machine, "sections": {}}
    for title, rows in sections.items():
        results["sections"][title] = show(console, title, rows())
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "latest.json").write_text(json.dumps(results, indent=1) + "\n")
    text = "\n".join(markdown(title, rows) for title, rows in results["sections"].items())
    (RESULTS / "latest.md").write_text(f"# Benchmark\n\n{machine}\n\n{text}")
    picture.main()


def cpu():
    try:
        return next(line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
