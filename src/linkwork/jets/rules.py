"""Rules of differentiation to second order, on triples (value, first, second); the same source for plain and compiled jets.

chain      f(x)' = f'(x) x',     f(x)'' = f''(x) x'^2 + f'(x) x''          UNARY gives (f, f', f'') of a number
product    (x y)'' = x'' y + 2 x' y' + x y''                               BINARY works on two triples
"""

import math


def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def mul(a, b):
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + 2.0 * a[1] * b[1] + a[2] * b[0]


def div(a, b):
    q = a[0] / b[0]
    r = (a[1] - q * b[1]) / b[0]
    return q, r, (a[2] - 2.0 * r * b[1] - q * b[2]) / b[0]


def mod(a, b):
    turns = math.floor(a[0] / b[0])
    return a[0] - turns * b[0], a[1] - turns * b[1], a[2] - turns * b[2]


def power(a, b):
    """x^y: by powers where the exponent is constant (any base), by exp(y log x) where it moves (positive base)."""
    x, p = a[0], b[0]
    if b[1] == 0.0 and b[2] == 0.0:
        first = p * math.pow(x, p - 1.0) if p != 0.0 else 0.0
        second = p * (p - 1.0) * math.pow(x, p - 2.0) if p != 0.0 and p != 1.0 else 0.0
        return math.pow(x, p), first * a[1], second * a[1] * a[1] + first * a[2]
    log = (math.log(x), a[1] / x, a[2] / x - (a[1] / x) * (a[1] / x))
    # e = y log x, by the product rule
    value, first = math.exp(p * log[0]), p * log[1] + b[1] * log[0]
    second = p * log[2] + 2.0 * b[1] * log[1] + b[2] * log[0]
    return value, value * first, value * (first * first + second)


def atan2(y, x):
    square = x[0] * x[0] + y[0] * y[0]
    rate = (x[0] * y[1] - y[0] * x[1]) / square
    turn = (x[0] * y[2] - y[0] * x[2] - 2.0 * rate * (x[0] * x[1] + y[0] * y[1])) / square
    return math.atan2(y[0], x[0]), rate, turn


def hypot(x, y):
    h = math.hypot(x[0], y[0])
    rate = (x[0] * x[1] + y[0] * y[1]) / h
    return h, rate, (x[1] * x[1] + y[1] * y[1] + x[0] * x[2] + y[0] * y[2] - rate * rate) / h


def smaller(a, b):
    return a if a[0] <= b[0] else b


def larger(a, b):
    return a if a[0] >= b[0] else b


def copysign(a, b):
    flip = 1.0 if math.copysign(1.0, a[0]) == math.copysign(1.0, b[0]) else -1.0
    return flip * a[0], flip * a[1], flip * a[2]


def chain(f, x):
    """f(x) from f = (f, f', f'') at the value of x."""
    return f[0], f[1] * x[1], f[2] * x[1] * x[1] + f[1] * x[2]


def sin(x):
    s = math.sin(x)
    return s, math.cos(x), -s


def cos(x):
    c = math.cos(x)
    return c, -math.sin(x), -c


def tan(x):
    t = math.tan(x)
    return t, 1.0 + t * t, 2.0 * t * (1.0 + t * t)


def asin(x):
    k = 1.0 / math.sqrt(1.0 - x * x)
    return math.asin(x), k, x * k * k * k


def acos(x):
    k = 1.0 / math.sqrt(1.0 - x * x)
    return math.acos(x), -k, -x * k * k * k


def atan(x):
    k = 1.0 / (1.0 + x * x)
    return math.atan(x), k, -2.0 * x * k * k


def sinh(x):
    s = math.sinh(x)
    return s, math.cosh(x), s


def cosh(x):
    c = math.cosh(x)
    return c, math.sinh(x), c


def tanh(x):
    t = math.tanh(x)
    return t, 1.0 - t * t, -2.0 * t * (1.0 - t * t)


def asinh(x):
    k = 1.0 / math.sqrt(1.0 + x * x)
    return math.asinh(x), k, -x * k * k * k


def acosh(x):
    k = 1.0 / math.sqrt(x * x - 1.0)
    return math.acosh(x), k, -x * k * k * k


def atanh(x):
    k = 1.0 / (1.0 - x * x)
    return math.atanh(x), k, 2.0 * x * k * k


def exp(x):
    e = math.exp(x)
    return e, e, e


def expm1(x):
    e = math.exp(x)
    return math.expm1(x), e, e


def log(x):
    return math.log(x), 1.0 / x, -1.0 / (x * x)


def log1p(x):
    k = 1.0 / (1.0 + x)
    return math.log1p(x), k, -k * k


def log10(x):
    k = 0.4342944819032518 / x
    return math.log10(x), k, -k / x


def log2(x):
    k = 1.4426950408889634 / x
    return math.log(x) * 1.4426950408889634, k, -k / x


def sqrt(x):
    r = math.sqrt(x)
    return r, 0.5 / r, -0.25 / (r * x)


def square(x):
    return x * x, 2.0 * x, 2.0


def reciprocal(x):
    return 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x)


def fabs(x):
    return math.fabs(x), math.copysign(1.0, x), 0.0


def sign(x):
    return (math.copysign(1.0, x) if x != 0.0 else 0.0), 0.0, 0.0


def floor(x):
    return float(math.floor(x)), 0.0, 0.0


def ceil(x):
    return float(math.ceil(x)), 0.0, 0.0


def radians(x):
    return 0.017453292519943295 * x, 0.017453292519943295, 0.0


def degrees(x):
    return 57.29577951308232 * x, 57.29577951308232, 0.0


def erf(x):
    slope = 1.1283791670955126 * math.exp(-x * x)
    return math.erf(x), slope, -2.0 * x * slope


# rule: (names in math, names in numpy)
UNARY = {
    sin: (("sin",), ("sin",)),
    cos: (("cos",), ("cos",)),
    tan: (("tan",), ("tan",)),
    asin: (("asin",), ("arcsin",)),
    acos: (("acos",), ("arccos",)),
    atan: (("atan",), ("arctan",)),
    sinh: (("sinh",), ("sinh",)),
    cosh: (("cosh",), ("cosh",)),
    tanh: (("tanh",), ("tanh",)),
    asinh: (("asinh",), ("arcsinh",)),
    acosh: (("acosh",), ("arccosh",)),
    atanh: (("atanh",), ("arctanh",)),
    exp: (("exp",), ("exp",)),
    expm1: (("expm1",), ("expm1",)),
    log: (("log",), ("log",)),
    log1p: (("log1p",), ("log1p",)),
    log10: (("log10",), ("log10",)),
    log2: (("log2",), ("log2",)),
    sqrt: (("sqrt",), ("sqrt",)),
    square: ((), ("square",)),
    reciprocal: ((), ("reciprocal",)),
    fabs: (("fabs",), ("fabs", "absolute")),
    sign: ((), ("sign",)),
    floor: (("floor",), ("floor",)),
    ceil: (("ceil",), ("ceil",)),
    radians: (("radians",), ("radians", "deg2rad")),
    degrees: (("degrees",), ("degrees", "rad2deg")),
    erf: (("erf",), ()),
}
BINARY = {
    atan2: (("atan2",), ("arctan2",)),
    hypot: (("hypot",), ("hypot",)),
    power: (("pow",), ("power",)),
    smaller: ((), ("minimum",)),
    larger: ((), ("maximum",)),
    copysign: (("copysign",), ("copysign",)),
    add: ((), ("add",)),
    sub: ((), ("subtract",)),
    mul: ((), ("multiply",)),
    div: ((), ("divide",)),
}
