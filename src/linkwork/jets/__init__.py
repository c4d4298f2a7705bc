"""Jets: a number together with its first and second derivative along one parameter s, carried through a user's plain function.

    x(s) = value + first s + second s^2 / 2 + ...

Arithmetic and elementary functions follow the product and chain rules (Griewank and Walther 2008, chapter 13), so f(Jet(t, 1, 0)) is the
value, rate and acceleration of f at t. Compiled code has jets as a Numba type, plain Python (LINKWORK_JIT=0) as a class; both use the same
rules. A user's function knows nothing of this: `differentiable` gives its twin that takes jets.
"""

from ..kernels import when_compiling
from . import rules
from .number import Jet, as_jet, jets_of
from .retarget import FUNCTIONS, differentiable, is_function


@when_compiling
def _verbs():
    from ..kernels.compiled_jets import declare_jets

    declare_jets(Jet, as_jet, jets_of, rules)


__all__ = ["FUNCTIONS", "Jet", "as_jet", "differentiable", "is_function", "jets_of"]
