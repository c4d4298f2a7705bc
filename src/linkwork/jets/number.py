"""The jet of plain Python, and what a result of a user's function is as jets."""

from . import rules


class Jet:
    """A number with its first and second derivative along one parameter. Comparisons look at the value."""

    __slots__ = ("first", "second", "value")
    __array_ufunc__ = None  # NumPy's own scalars leave the arithmetic to us
    __hash__ = None  # type: ignore[assignment]  # numbers that are equal may differ in their derivatives

    def __init__(self, value, first, second):
        self.value, self.first, self.second = float(value), float(first), float(second)

    def __repr__(self):
        return f"Jet({self.value!r}, {self.first!r}, {self.second!r})"

    def __neg__(self):
        return Jet(-self.value, -self.first, -self.second)

    def __pos__(self):
        return self

    def __abs__(self):
        return Jet(*rules.chain(rules.fabs(self.value), _triple(self)))

    def __lt__(self, other):
        return self.value < _value(other)

    def __le__(self, other):
        return self.value <= _value(other)

    def __gt__(self, other):
        return self.value > _value(other)

    def __ge__(self, other):
        return self.value >= _value(other)

    def __eq__(self, other):
        return self.value == _value(other)

    def __ne__(self, other):
        return self.value != _value(other)


def _triple(x):
    return (x.value, x.first, x.second) if isinstance(x, Jet) else (float(x), 0.0, 0.0)


def _value(x):
    return x.value if isinstance(x, Jet) else x


def _operators():
    for name, rule in (("add", rules.add), ("sub", rules.sub), ("mul", rules.mul), ("truediv", rules.div), ("pow", rules.power)):
        setattr(Jet, f"__{name}__", lambda a, b, rule=rule: Jet(*rule(_triple(a), _triple(b))))
        setattr(Jet, f"__r{name}__", lambda a, b, rule=rule: Jet(*rule(_triple(b), _triple(a))))
    Jet.__mod__ = lambda a, b: Jet(*rules.mod(_triple(a), _triple(b)))
    Jet.__rmod__ = lambda a, b: Jet(*rules.mod(_triple(b), _triple(a)))


_operators()


def unary(rule, original):
    """A function of one number that takes jets too."""
    return lambda x: Jet(*rules.chain(rule(x.value), _triple(x))) if isinstance(x, Jet) else original(x)


def binary(rule, original):
    """A function of two numbers that takes jets too."""
    return lambda a, b: Jet(*rule(_triple(a), _triple(b))) if isinstance(a, Jet) or isinstance(b, Jet) else original(a, b)


def as_jet(x):
    """A number as a jet; one that is no jet does not move."""
    return x if isinstance(x, Jet) else Jet(x, 0.0, 0.0)


def jets_of(result):
    """What a user's function returned, one number or several, as a sequence of jets."""
    try:
        return [as_jet(x) for x in result]
    except TypeError:
        return [as_jet(result)]
