"""Telling users' functions apart by what they say, not where they are; the line of a compiler's message that helps."""

import os
import subprocess
import sys

import numpy as np

from linkwork.jets.meaning import function_said
from linkwork.native_function import reason

SCRIPT = """
from linkwork.jets.meaning import function_said
import hashlib
scale = 2.0
def helper(x): return x * scale
def law(q, v, t, k=1.0): return sum((lambda y: y * helper(q))(c) for c in (1.0, 2.0)) * k
print(hashlib.sha256(function_said(law).encode()).hexdigest())
"""


def test_a_function_says_the_same_in_every_process():
    """Also with functions inside it, whose addresses differ from run to run."""
    quick = os.environ | {"LINKWORK_JIT": "0"}
    runs = [subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=quick) for _ in range(2)]
    said = {run.stdout for run in runs}
    assert len(said) == 1 and len(said.pop().strip()) == 64


def _law(factor, array=None, default=1.0, inner=1.0):
    table = np.zeros(2) if array is None else array

    def law(q, k=default):
        return q * factor * table[0] + (lambda x: x + factor)(k) * inner

    return law


def test_what_a_function_uses_is_part_of_what_it_says():
    one = function_said(_law(2.0))
    assert one == function_said(_law(2.0))
    others = [_law(3.0), _law(2.0, np.ones(2)), _law(2.0, default=2.0), _law(2.0, inner=2.0)]
    assert len({one, *map(function_said, others)}) == 5


def _calls_itself(n):
    return 1.0 if n < 1 else n * _calls_itself(n - 1)


def test_recursion_comes_to_an_end():
    assert "_calls_itself" in function_said(_calls_itself)
    assert function_said(len) == "('len',)"


def test_the_reason_is_the_line_that_says_something():
    message = "Failed in nopython mode pipeline (step: nopython frontend)\n\n - During: typing\nUntyped global name 'json':\nmore"
    assert reason(ValueError(message)) == "Untyped global name 'json'"
    assert reason(ValueError("")) == "ValueError"
    assert reason(ValueError("The 'with' construct is not supported.. Raised from None")) == "The 'with' construct is not supported"
