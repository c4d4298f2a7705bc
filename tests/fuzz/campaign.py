"""Processes that work through seeds until the time is over. Each says which seed it begins, so that a crash or a hang is known by its seed.

    python -m tests.fuzz.campaign --minutes 10 --first 0 --jobs 2 --out build/fuzz

Findings are printed as they come, and scripts of the smallest case of each kind are written to the folder. `--seed N` tries one seed here and now.
"""

import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import sys
import time
import warnings

import linkwork as lw

from .agreement import Finding
from .checks import findings
from .draw import draw
from .hostile import hostile_findings
from .shrink import script, smallest

PATIENCE = 300.0  # s of processor time for one seed: a hundred times what most take. Runs through time are bounded besides (through_time.py, same_steps.py)
WRONG = ("silent", "raw")


def tried(seed):
    """(trait, findings, tally) of a seed. One that cannot be drawn, because no state satisfies its constraints, has none."""
    warnings.simplefilter("ignore")
    try:
        case = draw(seed)
    except lw.LinkworkError as error:
        return f"not drawn: {type(error).__name__}", [], {}
    tally = collections.Counter()
    return case.trait, [*findings(case), *hostile_findings(case, tally)], tally


def processor_time(pid):
    """s that a process has computed so far, where the system tells; else the time of the clock, which on a busy machine is several times that."""
    try:
        user, system = (pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[k] for k in (11, 12))
    except OSError:
        return time.monotonic()
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def work(seeds, told):
    """What a process does: for each seed, say that it begins, and what was found."""
    for seed in iter(seeds.get, None):
        told.put(("begins", os.getpid(), seed, None))
        try:
            told.put(("ends", os.getpid(), seed, tried(seed)))
        except Exception as error:
            told.put(("ends", os.getpid(), seed, ("", [Finding("raw", "draw", f"{type(error).__name__}: {error}")], {})))


class Campaign:
    """The parent: hands out seeds, hears what is found, and replaces processes that crashed or hang."""

    def __init__(self, options):
        self.context = multiprocessing.get_context("spawn")
        self.told = self.context.Queue()
        self.options = options
        self.deadline = time.monotonic() + 60.0 * options.minutes
        self.next, self.counts, self.found = options.first, collections.Counter(), []
        self.tally, self.workers = collections.Counter(), {}

    def run(self):
        for _ in range(self.options.jobs):
            self._start()
        while self.workers:
            self._hear()
            self._watch()
        return self._report()

    def _start(self):
        seeds = self.context.Queue()
        process = self.context.Process(target=work, args=(seeds, self.told), daemon=True)
        process.start()
        self.workers[process.pid] = [process, seeds, None, processor_time(process.pid)]
        self._hand_out(process.pid)

    def _hand_out(self, pid):
        if time.monotonic() < self.deadline:
            self.workers[pid][1].put(self.next)
            self.workers[pid][2:] = [self.next, processor_time(pid)]
            self.next += 1
        else:
            process, seeds, *_ = self.workers.pop(pid)
            seeds.put(None)
            process.join(5.0)

    def _hear(self):
        try:
            word, pid, seed, result = self.told.get(timeout=1.0)
        except Exception:
            return
        if word == "ends" and pid in self.workers:
            trait, found, tally = result
            self.counts[trait] += 1
            self.tally.update(tally)
            for finding in found:
                self._add(seed, trait, finding)
            self._show()
            self._hand_out(pid)

    def _watch(self):
        for pid, (process, _, seed, since) in list(self.workers.items()):
            crashed, hangs = process.exitcode is not None, processor_time(pid) - since > PATIENCE
            if not (crashed or hangs):
                continue
            text = f"the process ended with {process.exitcode}" if crashed else f"no answer after {PATIENCE:g} s"
            self._add(seed, "", Finding("raw", "process", text))
            process.kill()
            del self.workers[pid]
            if time.monotonic() < self.deadline:
                self._start()

    def _add(self, seed, trait, finding):
        self.found.append((seed, trait, *finding))
        if finding.kind in WRONG:
            print(f"\r{finding.kind}: seed {seed} ({trait}), {finding.check}: {finding.text}", flush=True)

    def _show(self):
        if sys.stdout.isatty():
            left = max(0.0, self.deadline - time.monotonic())
            print(f"\r{sum(self.counts.values())} mechanisms, {len(self.found)} findings, {left:.0f} s left   ", end="", flush=True)

    def _report(self):
        folder = pathlib.Path(self.options.out)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "findings.json").write_text(json.dumps(self.found, indent=1))
        print(f"\n{sum(self.counts.values())} mechanisms (seeds {self.options.first} to {self.next - 1}):", dict(self.counts))
        print("files and scripts:", ", ".join(f"{count} {name}" for name, count in sorted(self.tally.items())))
        groups = collections.defaultdict(list)
        for seed, trait, kind, check, text in self.found:
            groups[kind, check].append((seed, trait, text))
        for (kind, check), all_of in sorted(groups.items()):
            print(f"{kind:7s} {check}: {len(all_of)}; e.g. seed {all_of[0][0]} ({all_of[0][1]}): {all_of[0][2]}")
            if kind == "silent":
                self._script(folder, Finding(kind, check, all_of[0][2]), all_of[0][0])
        return 1 if any(kind in WRONG for kind, _ in groups) else 0

    def _script(self, folder, finding, seed):
        try:
            small = smallest(draw(seed), finding)
            text = script(small, finding)
        except Exception as error:  # a script is a comfort: the seed says it all
            text = f"# no script: {error}\nfrom tests.fuzz.campaign import tried\nprint(tried({seed}))\n"
        path = folder / f"{finding.check.replace(', ', '_').replace(' ', '_')}_{seed}.py"
        path.write_text(text)
        print(f"        the smallest case: {path}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--first", type=int, default=0, help="the first seed; another one for other mechanisms")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", default="build/fuzz", help="folder for findings.json and scripts")
    parser.add_argument("--seed", type=int, help="try this one alone, here")
    options = parser.parse_args(arguments)
    if options.seed is not None:
        trait, found, tally = tried(options.seed)
        print(trait, dict(tally), *found, sep="\n")
        return int(any(f.kind in WRONG for f in found))
    return Campaign(options).run()


if __name__ == "__main__":
    sys.exit(main())
