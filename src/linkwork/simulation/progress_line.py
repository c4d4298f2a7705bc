"""A progress line for runs that take long, with the time still to go."""

import contextlib
import sys
import time as clock

PATIENCE = 1.0  # s before a line appears


@contextlib.contextmanager
def showing(wanted, name, start, goal):
    """A function of the simulated time to call at every sample. `wanted`: True, False, or None to show it on a terminal only."""
    visible = sys.stderr is not None and sys.stderr.isatty() if wanted is None else bool(wanted)
    if not visible or goal <= start:
        yield lambda t: None
        return
    began, bar, task = clock.monotonic(), None, None

    def show(t):
        nonlocal bar, task
        if bar is None and clock.monotonic() - began > PATIENCE:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed:.2f}/{task.total:.2f} s"),
                TimeRemainingColumn(),
            )
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            bar.start()
            task = bar.add_task(f"simulating {name}", total=goal - start)
        if bar is not None:
            bar.update(task, completed=t - start)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
