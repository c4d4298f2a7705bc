"""Built-in functions made of C functions: their definitions outlive the interpreter."""

import ctypes
import os
import subprocess
import sys

from linkwork.kernels.c_functions import built_in, kept_for_ever

SCRIPT = """
import linkwork as lw
model = lw.shipped("four-bar").mechanism.build()
print(lw.simulate(model, 0.01).status, lw.mass_matrix(model, lw.neutral(model)).shape)
"""


def test_a_program_does_not_crash_when_the_interpreter_ends():
    """Freed memory is overwritten with ones, so that a definition that is read once it has been freed claims a class that it does not have."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "255"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("finished")


def test_what_is_kept_is_the_same_object_with_one_reference_more():
    thing = []
    before = sys.getrefcount(thing)
    same = kept_for_ever(thing) is thing
    after = sys.getrefcount(thing)
    assert same and after == before + 1


def test_a_built_in_function_calls_its_c_function_and_tells_its_name():
    called = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object, ctypes.c_void_p, ctypes.c_ssize_t)(
        lambda owner, arguments, count: (owner, count)
    )
    function = built_in(
        "look", ctypes.cast(called, ctypes.c_void_p).value, "owner", "some.module", doc="look(*things)\n--\n\nWhat it says."
    )
    assert function(1, 2, 3) == ("owner", 3)
    assert (function.__name__, function.__module__, function.__doc__) == ("look", "some.module", "What it says.")
