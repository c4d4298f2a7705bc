"""Table 2 of A. Tasora, "An optimized Lagrangian-multiplier approach for interactive multibody simulation": time of a step against the size of a mechanism.

    python papers/tasora_chains.py            the table, theirs and ours
    python papers/tasora_chains.py --json     the numbers
    python papers/tasora_chains.py --write    to docs/papers

The paper claims times proportional to the number of variables, and its closed chains of 20 and 40 pieces show an exponent of 1.5. Ours are rings of
rods joined by balls, 10 to 640 of them: a solve of the constrained dynamics by the sparse solver, and a step of simulation with it.
"""

import sys
import time
from pathlib import Path

import numpy as np
from paper import machine, publish, table

import linkwork as lw
from linkwork.solvers.sparse.driver import solve_sparse

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from loops_mechanisms import GRAVITY, ring

# Theirs (700 MHz AMD): variables, coordinates and rows; s a step. The composition of the mechanisms is not printed.
TABLE_2 = {
    "shoulder mechanism": (82, 42, 40, 0.006),
    "complete arm": (104, 54, 50, 0.008),
    "closed chain 20": (180, 120, 60, 0.015),
    "closed chain 40": (360, 240, 120, 0.042),
    "man and bike": (200, 108, 92, 0.018),
}
SIZES = (10, 20, 40, 80, 160, 320, 640)
LARGE = 80  # pieces from which on the share of what does not grow (a call from Python, some 10 us) is small
SAMPLE, ROUNDS = 2e-3, 40  # s that one timing of solves lasts at least; how often every size is measured
STIFFNESS = 500.0  # N/m of the spring that holds the first rod's middle at the origin

# The same chain by an independent program (RK4 of 0.25 ms in maximal coordinates): E0, and places of rods at times.
GOLDEN = {
    20: (-6.193790, {0.25: {0: (None, -0.069928), 5: (0.119551, -0.512852), 10: (None, -0.869907)}}),
    40: (-24.929574, {0.5: {0: (None, -0.166921), 10: (-0.100290, -1.104557), 20: (None, -1.958280)}}),
}
GOLDEN[20][1][0.5] = {0: (None, -0.003571), 5: (-0.084508, -0.429956), 10: (None, -0.520120)}


def necklace(count):
    """A closed chain of rods (0.1 m, 0.1 kg), a regular polygon that hangs on a spring at the middle of its top rod."""
    design, m = ring(count), lw.Mechanism(f"closed chain {count}", gravity=GRAVITY)
    frames = {}
    for body in design.bodies:
        m.add_body(body.name, mass=body.mass, com=body.com, inertia=body.inertia)
        frames[body.name] = lw.Pose(body.origin, body.rotation)
    for joint in design.joints:
        place = lw.Pose(joint.origin, joint.rotation)
        m.add_joint(joint.name, lw.Spherical(), *(m.body(name).at(frames[name].inverse() @ place) for name in (joint.parent, joint.child)))
    m.reroot(design.bodies[0].name)
    m.add_force("spring", lw.SpringDamper(STIFFNESS), m.body("rod0"))
    return m.build()


def moved(count, times):
    """(energy at the start, largest error of energy, {time: places of all rods}) of the necklace from rest."""
    model = necklace(count)
    sim = lw.Simulation(model, lw.RungeKutta4(step=5e-4), record_interval=min(times), solver="sparse")
    rec = sim.run(max(times))
    places = {t: np.array([lw.forward_kinematics(model, rec.at(t).q).position(f"rod{k}") for k in range(count)]) for t in times}
    return rec.audit.potential_start, rec.audit.largest_numerical, places


class Chain:
    """A necklace that moves, ready to be timed: a solve by the sparse solver, and steps of simulation (semi-implicit Euler with projection)."""

    def __init__(self, count):
        self.count, self.model = count, necklace(count)
        end = self._simulation().run(0.1).sample(-1)
        self.q = lw.assemble(self.model, end.q)
        self.v, self.tau = lw.project_velocity(self.model, self.q, end.v), np.zeros(self.model.nv)
        self.solves = 1
        while self.solve() * self.solves < SAMPLE and self.solves < 10_000:
            self.solves *= 2

    def _simulation(self, **start):
        return lw.Simulation(self.model, lw.SemiImplicitEuler(step=1e-3), record_interval=1.0, solver="sparse", **start)

    def solve(self):
        """s of processor time for a solve; the mean of as many as fill a sample."""
        begun = time.thread_time()
        for _ in range(self.solves):
            solve_sparse(self.model, self.q, self.v, self.tau)
        return (time.thread_time() - begun) / self.solves

    def step(self, steps):
        """s of processor time for a step; always the same steps, from the same state."""
        sim = self._simulation(q=self.q, v=self.v)
        begun = time.thread_time()
        sim.method.advance(steps * 1e-3)
        return (time.thread_time() - begun) / sim.method.steps


def timed(counts, rounds=ROUNDS, steps=100):
    """A row for each size: the least processor time of a solve and of a step over all rounds, and how much more the median took.

    Each round measures every size once, so that what slows the machine for a while falls on all of them; nothing but noise is added to a time, so the
    least is nearest to the work itself.
    """
    chains = [Chain(count) for count in counts]
    found = [(chain.solve(), chain.step(steps)) for _ in range(rounds + 1) for chain in chains][len(chains) :]  # the first round warms up
    times = np.reshape(found, (rounds, len(chains), 2))
    best, median = times.min(axis=0), np.median(times, axis=0)
    return [
        {"pieces": chain.count, "variables": 9 * chain.count}
        | {name: float(best[k, j]) for j, name in enumerate(("solve", "step"))}
        | {f"{name}_median": float(median[k, j]) for j, name in enumerate(("solve", "step"))}
        for k, chain in enumerate(chains)
    ]


def exponent(rows, column, least=0):
    """(exponent of time over size, its standard error), by least squares in logarithms over chains of at least so many pieces."""
    rows = [row for row in rows if row["pieces"] >= least]
    x, y = np.log([row["pieces"] for row in rows]), np.log([row[column] for row in rows])
    slope, offset = np.polyfit(x, y, 1)
    rest = y - slope * x - offset
    error = np.sqrt(rest @ rest / max(len(rows) - 2, 1) / ((x - x.mean()) @ (x - x.mean())))
    return float(slope), float(error)


def their_exponents():
    """Of s a step over variables: least squares over the whole table; and the two chains alone."""
    size, seconds = np.log([row[0] for row in TABLE_2.values()]), np.log([row[3] for row in TABLE_2.values()])
    chains = [np.log(TABLE_2[f"closed chain {n}"][3]) for n in (20, 40)]
    return float(np.polyfit(size, seconds, 1)[0]), float((chains[1] - chains[0]) / np.log(2.0))


def results():
    golden = []
    for count, (energy, times) in GOLDEN.items():
        start, error, places = moved(count, tuple(times))
        for t, rods in times.items():
            for k, (x, z) in rods.items():
                golden.append({"pieces": count, "t": t, "rod": k, "expected": (x, z), "found": places[t][k][[0, 2]]})
        golden.append({"pieces": count, "energy": energy, "start": start, "energy_error": error})
    whole, chains = their_exponents()
    rows = timed(SIZES)
    return {
        "machine": machine(),
        "their_exponents": {"table": whole, "chains": chains},
        "rows": rows,
        "exponents": {column: {"all": exponent(rows, column), "large": exponent(rows, column, LARGE)} for column in ("solve", "step")},
        "golden": golden,
    }


def document(found):
    theirs = {int(name.split()[-1]): row[3] for name, row in TABLE_2.items() if name.startswith("closed chain")}
    rows = []
    for r in found["rows"]:
        n = r["pieces"]
        rows.append(
            [n, r["variables"], f"{theirs[n] * 1e3:g}" if n in theirs else "-", f"{theirs[n] / n * 1e6:.0f}" if n in theirs else "-"]
        )
        for what in ("step", "solve"):
            rows[-1] += [f"{r[what] * 1e6:.1f}", f"{r[what] / n * 1e6:.2f}", f"{100 * (r[f'{what}_median'] / r[what] - 1):.0f} %"]
    head = [word for what in ("ours us a step", "us a solve") for word in (what, "us a piece", "median more by")]
    exponents = [
        [said, *(f"{slope:.2f} ({error:.2f})" for slope, error in (found["exponents"][what][which] for what in ("step", "solve")))]
        for said, which in ((f"{SIZES[0]} to {SIZES[-1]} pieces", "all"), (f"{LARGE} to {SIZES[-1]} pieces", "large"))
    ]
    printed = [[name, *row[:3], f"{row[3] * 1e3:g}", f"{row[3] / row[0] * 1e6:.0f}"] for name, row in TABLE_2.items()]
    checks = [
        [r["pieces"], f"{r['t']:g}", r["rod"], ", ".join(f"{e:.6f}" for e in r["expected"] if e is not None)]
        + [", ".join(f"{x:.6f}" for x, e in zip(r["found"], r["expected"], strict=True) if e is not None)]
        for r in found["golden"]
        if "t" in r
    ]
    energies = [
        [r["pieces"], f"{r['energy']:.6f}", f"{r['start']:.6f}", f"{r['energy_error']:.1e}"] for r in found["golden"] if "energy" in r
    ]
    return f"""# Closed chains: Tasora, table 2

A. Tasora, *An optimized Lagrangian-multiplier approach for interactive multibody simulation* (undated, after 1999).
Written by `papers/tasora_chains.py`. Theirs: AMD at 700 MHz, C++. Ours: {found["machine"]}, one thread.

Table 2 of the paper; the mechanisms are not printed, but counts of variables fit rings of pieces joined by balls.

{table(["mechanism", "variables", "coordinates", "rows", "ms a step", "us a variable"], printed)}

The paper says that times grow about as the number of variables. Its own table has an exponent of {found["their_exponents"]["table"]:.2f} (least
squares), its two chains {found["their_exponents"]["chains"]:.2f}. Ours, rings of rods hung on a spring: a step of semi-implicit Euler with projection,
and one solve by the sparse solver.

{table(["pieces", "variables", "theirs ms a step", "us a piece", *head], rows)}

Processor time of one thread, the least of {ROUNDS} rounds in which every size is measured once, from the same state each time; "median more by" tells how
quiet the machine was.

{table(["exponent of time over size (standard error)", "a step", "a solve"], exponents)}

What does not grow with the chain (a call from Python) makes the first line smaller than the growth of the work; the second is that of the work.

## The motion

Rods 0.1 m long, 0.1 kg, a regular polygon in the plane xz that hangs on a spring of 500 N/m; x and z of rods, m, against an independent program in maximal
coordinates (RK4 of 0.25 ms). Ours: joint coordinates, RK4 of 0.5 ms.

{table(["pieces", "t s", "rod", "independent", "ours"], checks)}

{table(["pieces", "energy at the start J, independent", "ours", "largest energy error J"], energies)}
"""


if __name__ == "__main__":
    publish("tasora_chains", results, document)
