"""A scalar that records every operation done with it, for kernels run as plain Python, and three ways to count what it recorded.

performed    every operation that the source executes, also on zeros and on numbers known from the model
simplified   without those whose result is known, or equal to an operand, because of numbers that the *model* fixes: both operands
             known from the model, a factor 0, 1 or -1, a term 0, a divisor 1 or -1. A number of the state is never taken for known.
needed       of the simplified ones only those that the result depends on, each once: straight-line code for this one model

A change of sign is not counted, nor are comparisons, loads and stores. A multiplication and an addition stay two operations, even
where the machine fuses them. A constant within 1e-14 of 0 (in proportion to the numbers that it was made from), of 1 or of -1 is that
number: the cosine of pi / 2 is a zero, whatever its last bits say.
"""

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-14


@dataclass(frozen=True)
class Counts:
    """Numbers of operations; `sincos` counts pairs of a sine and a cosine."""

    multiplications: int = 0
    additions: int = 0
    divisions: int = 0
    roots: int = 0
    sincos: int = 0

    @property
    def flops(self):
        """All but sines and cosines."""
        return self.multiplications + self.additions + self.divisions + self.roots

    def flops_with(self, sincos):
        """All, with a sine and cosine at the price of the operations `sincos` (a Counts)."""
        return self.flops + self.sincos * sincos.flops


@dataclass(frozen=True)
class Work:
    """The three counts of one run (see the top of this file), and the numbers that it computed."""

    performed: Counts
    simplified: Counts
    needed: Counts
    result: np.ndarray


class Trace:
    """Everything that happens to a set of scalars. A node is (what it is counted as, or None; the nodes that it was made from)."""

    def __init__(self):
        self.performed, self.simplified = Counter(), Counter()
        self.nodes, self._same = [], {}

    def variable(self, value):
        """A number of the state."""
        self.nodes.append((None, ()))
        return Scalar(self, float(value), len(self.nodes) - 1)

    def constant(self, value, scale=0.0):
        """A number that the model or the source text fixes, made from numbers as large as `scale`."""
        value = float(value)
        if abs(value) <= ROUNDING * scale:
            value = 0.0
        elif abs(abs(value) - 1.0) <= ROUNDING:
            value = math.copysign(1.0, value)
        return Scalar(self, value, None)

    def constants(self, values):
        """Numbers of one kind: a vector, or a cosine with its sine."""
        scale = max(abs(float(x)) for x in values)
        return [self.constant(x, scale) for x in values]

    def make(self, kind, operation, value, *operands):
        """A number that is not known from the model. The same operation on the same numbers is the same node."""
        if kind:
            self.simplified[kind] += 1
        names = [(x.node, x.value) if x.node is None else (x.node, None) for x in operands]
        key = (operation, frozenset(names) if operation in "+*" else tuple(names))
        if key not in self._same:
            self.nodes.append((kind, tuple(x.node for x in operands if x.node is not None)))
            self._same[key] = len(self.nodes) - 1
        return Scalar(self, value, self._same[key])

    def work(self, outputs):
        """The counts, when `outputs` (an array of scalars) is what the run was for."""
        waiting = [x.node for x in outputs.ravel() if x.node is not None]
        reached = set()
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting.extend(self.nodes[node][1])
        needed = Counter(kind for kind, _ in (self.nodes[node] for node in reached) if kind)
        result = np.array([x.value for x in outputs.ravel()]).reshape(outputs.shape)
        return Work(Counts(**self.performed), Counts(**self.simplified), Counts(**needed), result)


class Scalar:
    """A float that records what is done with it. `node` is None for a constant."""

    __slots__ = ("node", "trace", "value")
    __array_ufunc__ = None  # so that NumPy's own floats leave arithmetic with us to us

    def __init__(self, trace, value, node):
        self.trace, self.value, self.node = trace, value, node

    def _is(self, *values):
        return self.node is None and self.value in values

    def _performed(self, kind, other):
        self.trace.performed[kind] += 1
        return other if isinstance(other, Scalar) else self.trace.constant(other)

    def __add__(self, other):
        other = self._performed("additions", other)
        value = self.value + other.value
        if self.node is None and other.node is None:
            return self.trace.constant(value, max(abs(self.value), abs(other.value)))
        if self._is(0.0) or other._is(0.0):
            return other if self._is(0.0) else self
        return self.trace.make("additions", "+", value, self, other)

    def __sub__(self, other):
        other = self._performed("additions", other)
        value = self.value - other.value
        if self.node is None and other.node is None:
            return self.trace.constant(value, max(abs(self.value), abs(other.value)))
        if self._is(0.0) or other._is(0.0):
            return -other if self._is(0.0) else self
        return self.trace.make("additions", "-", value, self, other)

    def __mul__(self, other):
        if isinstance(other, int) and other == 0:
            return self.trace.constant(0.0)  # how `zero` makes a zero in plain Python: no operation in a compiled kernel
        other = self._performed("multiplications", other)
        value = self.value * other.value
        if (self.node is None and other.node is None) or self._is(0.0) or other._is(0.0):
            return self.trace.constant(value)
        if self._is(1.0, -1.0):
            return other if self.value > 0 else -other
        if other._is(1.0, -1.0):
            return self if other.value > 0 else -self
        return self.trace.make("multiplications", "*", value, self, other)

    def __truediv__(self, other):
        other = self._performed("divisions", other)
        value = self.value / other.value
        if (self.node is None and other.node is None) or self._is(0.0):
            return self.trace.constant(value)
        if other._is(1.0, -1.0):
            return self if other.value > 0 else -self
        return self.trace.make("divisions", "/", value, self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return self.trace.constant(other) - self

    def __rtruediv__(self, other):
        return self.trace.constant(other) / self

    def __neg__(self):
        return self.trace.constant(-self.value) if self.node is None else self.trace.make(None, "negative", -self.value, self)

    def sqrt(self):
        root = math.sqrt(self.value)
        self.trace.performed["roots"] += 1
        return self.trace.constant(root) if self.node is None else self.trace.make("roots", "root", root, self)

    def sincos(self):
        s, c = math.sin(self.value), math.cos(self.value)
        self.trace.performed["sincos"] += 1
        if self.node is None:
            return tuple(self.trace.constants((s, c)))
        both = self.trace.make("sincos", "sincos", 0.0, self)
        return self.trace.make(None, "sine", s, both), self.trace.make(None, "cosine", c, both)

    # Comparisons look at the value and are not counted.

    def __eq__(self, other):
        return self.value == getattr(other, "value", other)

    def __lt__(self, other):
        return self.value < getattr(other, "value", other)

    def __gt__(self, other):
        return self.value > getattr(other, "value", other)

    __hash__ = None
