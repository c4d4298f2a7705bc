"""Fair timing: contestants take turns in one process, each keeps its best of many; a ratio is peer time over our time."""

import time


def best_of(contestants, repeats=30, seconds=1.5):
    """Best time of each function in {name: function}, interleaved, until the repeats or the seconds (at least 5 rounds) are used up."""
    best = dict.fromkeys(contestants, float("inf"))
    for function in contestants.values():
        function()  # compilation and cold caches are measured elsewhere
    start = time.perf_counter()
    for round_ in range(repeats):
        for name, function in contestants.items():
            before = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - before)
        if round_ >= 5 and time.perf_counter() - start > seconds:
            break
    return best


def best_call(contestants, calls=50, repeats=4000, seconds=3.0):
    """Best time of one call, measured over runs of `calls` calls."""

    def loop(function):
        def run():
            for _ in range(calls):
                function()

        return run

    loops = {name: loop(function) for name, function in contestants.items()}
    return {name: t / calls for name, t in best_of(loops, repeats, seconds).items()}
