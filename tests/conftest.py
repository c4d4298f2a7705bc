"""Settings for all tests: Hypothesis draws the same examples on every machine and in every run.

`make test ARGS=--hypothesis-profile=search` draws many new ones instead, to look for faults.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: more threads only wait for each other

from hypothesis import HealthCheck, settings

# No deadline and no complaint about slow draws: the first example of a test may compile a kernel, which takes seconds.
COMPILING = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("linkwork", derandomize=True, max_examples=50, **COMPILING)
settings.register_profile("search", max_examples=2000, **COMPILING)
settings.load_profile("linkwork")
