"""What nobody wants to wait for: kernels compiled from nothing, after an edit, in a first run; the first answer; the command.

    python benchmarks/start.py            all of it, some minutes; writes benchmarks/results/start.md and start.json

Everything runs in a copy of the package, so that the kernels of the checkout stay as they are. Times are wall seconds; compiling uses all cores.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "linkwork"
REPEATS = 7

FIRST = """
import time; start = time.perf_counter()
import numpy as np
import linkwork as lw
m = lw.Mechanism()
b = m.add_body("b", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
m.add_joint("j", lw.Revolute(axis=(0, 1, 0)), m.ground, b)
lw.forward_dynamics(m.build(), np.array([0.1]), np.array([0.0]), np.array([0.0]))
print(time.perf_counter() - start)
"""


class Copy:
    """A copy of the package without compiled kernels."""

    def __init__(self, folder):
        self.root = Path(folder)
        ignored = shutil.ignore_patterns("__pycache__", "__compiled__", "library")
        shutil.copytree(PACKAGE, self.root / "linkwork", ignore=ignored)
        self.environment = {**os.environ, "PYTHONPATH": folder, "LINKWORK_QUIET": "1"}
        self.environment.pop("LINKWORK_CACHE", None)
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode

    def run(self, *arguments):
        """(seconds, what it printed) of a Python process."""
        start = time.perf_counter()
        done = subprocess.run([sys.executable, *arguments], env=self.environment, capture_output=True, text=True, check=True, cwd=self.root)
        return time.perf_counter() - start, done.stdout

    def clear(self):
        for name in ("__compiled__", "library"):
            shutil.rmtree(self.root / "linkwork" / "kernels" / name, ignore_errors=True)


def rows():
    """{what, value, goal}, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(folder)
        walk = ("-m", "linkwork", "run", "walking-linkage", "--duration", "4", "--quiet")
        cold = copy.run(*walk)[0]
        warm = min(copy.run(*walk)[0] for _ in range(2))
        yield {"what": "compiling in `make run` from nothing, s", "value": cold - warm, "goal": 25.0}
        copy.clear()
        yield {"what": "all kernels from nothing, s", "value": copy.run("-m", "linkwork", "kernels", "build")[0], "goal": 90.0}
        edited = copy.root / "linkwork" / "dynamics" / "rnea.py"
        edited.write_text(edited.read_text() + "\n# edited\n")
        yield {
            "what": "one kernel edited, all that depends on it compiled, s",
            "value": copy.run("-m", "linkwork", "kernels", "build")[0],
            "goal": 10.0,
        }
        first = min(float(copy.run("-c", FIRST)[1]) for _ in range(REPEATS))
        yield {"what": "import and first forward_dynamics, s", "value": first, "goal": 0.35}
        run = min(copy.run("-m", "linkwork", "run", "four-bar", "--duration", "1", "--quiet")[0] for _ in range(REPEATS))
        yield {"what": "`linkwork run four-bar --duration 1`, s", "value": run, "goal": 0.8}
        help_ = min(copy.run("-m", "linkwork", "--help")[0] for _ in range(REPEATS))
        yield {"what": "`linkwork --help`, s", "value": help_}


def main():
    found = []
    for row in rows():
        found.append(row)
        print(f"{row['what']:60} {row['value']:8.3f}   goal {row.get('goal', '')}", flush=True)
    load = os.getloadavg()[0]
    about = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; load average at the end {load:.1f}"
    lines = ["# Start", "", about, "", "| what | value | goal |", "|---|---|---|"]
    lines += [f"| {row['what']} | {row['value']:.3g} | {row.get('goal', '')} |" for row in found]
    (HERE / "results" / "start.md").write_text("\n".join(lines) + "\n")
    (HERE / "results" / "start.json").write_text(json.dumps({"about": about, "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
