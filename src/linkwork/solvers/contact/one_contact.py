r"""The exact solution of one contact with friction, all others held:  w = B l + b.

    OPEN    b_n >= 0:  l = 0
    STICK   l = -B^-1 b, if it is in the cone
    SLIDE   l = l_n (1, mu d),  l_n = -b_n / D,  D = B_nn + mu B_nt.d,  w_t = -|w_t| d:
            e.(b_t D - b_n (B_tn + mu B_tt d)) = 0,  e normal to d; its root is found by Newton's method in the angle of d, or between changes of sign

Where D <= 0, pushing the contact adds to its approach (Painleve): such directions are no solutions, and are counted, not clamped.
"""

import math

from ...data.contact_problem import OPEN, SLIDE, STICK
from ...kernels import Vector, kernel

NEARLY = 1e-13  # of the block: a pivot below this is rounding
ROUNDS = 12  # of Newton's method
PARTS = 48  # of the circle, where Newton's method fails; a function with two periods has at most four roots
HALVINGS = 60


# parameters: the upper triangle of B, b, mu, and the direction that the search begins with
@kernel
def solve_one(nn, n1, n2, t11, t12, t22, bn, b1, b2, mu, d1, d2) -> Vector[6]:
    """(l_n, l_t1, l_t2, status, d1, d2); the status is -1 where there is no solution."""
    if bn >= 0.0:
        return 0.0, 0.0, 0.0, OPEN + 0.0, d1, d2
    ln, l1, l2, sticks = _stick(nn, n1, n2, t11, t12, t22, bn, b1, b2)
    most = mu * ln
    if sticks != 0.0 and ln >= 0.0 and l1 * l1 + l2 * l2 <= most * most:
        return ln, l1, l2, STICK + 0.0, d1, d2
    block = (nn, n1, n2, t11, t12, t22, bn, b1, b2, mu)
    if d1 == 0.0 and d2 == 0.0:  # opposite to the motion that there is when normals have stopped
        s1, s2 = b1 - n1 * bn / nn, b2 - n2 * bn / nn
        length = math.sqrt(s1 * s1 + s2 * s2)
        d1, d2 = (-s1 / length, -s2 / length) if length > 0.0 else (1.0, 0.0)
    for _ in range(ROUNDS):
        value, slope = _turning(block, d1, d2)
        if not slope * slope > 0.0:
            break
        step = -value / slope
        step = min(max(step, -0.5), 0.5)
        c, s = math.cos(step), math.sin(step)
        d1, d2 = c * d1 - s * d2, s * d1 + c * d2
        if abs(step) < 1e-15:
            break
        if abs(step) < 1e-9:  # the next step would be rounding
            break
    if not _slides(block, d1, d2):
        found, d1, d2 = _search(block, d1, d2)
        if found == 0.0:
            return 0.0, 0.0, 0.0, -1.0, d1, d2
    ln = -bn / (nn + mu * (n1 * d1 + n2 * d2))
    return ln, mu * ln * d1, mu * ln * d2, SLIDE + 0.0, d1, d2


# parameters: the upper triangle of B, and b
@kernel(inline=True)
def _stick(nn, n1, n2, t11, t12, t22, bn, b1, b2):
    """l = -B^-1 b by elimination; directions that cannot move are left out. The last number: is it a solution?"""
    least = NEARLY * max(nn, max(t11, t22))
    ok = 1.0
    p = nn if nn > least else math.inf
    f1, f2 = n1 / p, n2 / p
    a11, a12, a22 = t11 - f1 * n1, t12 - f1 * n2, t22 - f2 * n2
    c1, c2 = b1 - f1 * bn, b2 - f2 * bn
    if a11 >= a22:
        q = a11 if a11 > least else math.inf
        f = a12 / q
        r = a22 - f * a12
        r = r if r > least else math.inf
        l2 = -(c2 - f * c1) / r
        l1 = -(c1 + a12 * l2) / q
    else:
        q = a22 if a22 > least else math.inf
        f = a12 / q
        r = a11 - f * a12
        r = r if r > least else math.inf
        l1 = -(c1 - f * c2) / r
        l2 = -(c2 + a12 * l1) / q
    ln = -(bn + n1 * l1 + n2 * l2) / p
    w1, w2 = t11 * l1 + t12 * l2 + n1 * ln + b1, t12 * l1 + t22 * l2 + n2 * ln + b2
    if abs(w1) + abs(w2) > 1e-9 * (abs(bn) + abs(b1) + abs(b2)):
        ok = 0.0
    return ln, l1, l2, ok


@kernel(inline=True)
def _turning(block, d1, d2):
    """e.(b_t D - b_n (B_tn + mu B_tt d)) and its derivative by the angle of d."""
    nn, n1, n2, t11, t12, t22, bn, b1, b2, mu = block
    D, along = nn + mu * (n1 * d1 + n2 * d2), mu * (n2 * d1 - n1 * d2)
    v1 = b1 * D - bn * (n1 + mu * (t11 * d1 + t12 * d2))
    v2 = b2 * D - bn * (n2 + mu * (t12 * d1 + t22 * d2))
    u1 = b1 * along - bn * mu * (t12 * d1 - t11 * d2)
    u2 = b2 * along - bn * mu * (t22 * d1 - t12 * d2)
    return v2 * d1 - v1 * d2, u2 * d1 - u1 * d2 - v1 * d1 - v2 * d2


@kernel(inline=True)
def _slides(block, d1, d2):
    """Is d the direction of a sliding contact?"""
    nn, n1, n2, t11, t12, t22, bn, b1, b2, mu = block
    D = nn + mu * (n1 * d1 + n2 * d2)
    if not D > 0.0:
        return False
    ln = -bn / D
    w1 = b1 + ln * (n1 + mu * (t11 * d1 + t12 * d2))
    w2 = b2 + ln * (n2 + mu * (t12 * d1 + t22 * d2))
    size = abs(b1) + abs(b2) + ln * (abs(n1) + abs(n2) + mu * (t11 + t22))
    return abs(w2 * d1 - w1 * d2) <= 1e-7 * size and w1 * d1 + w2 * d2 <= 1e-12 * size


@kernel
def _search(block, d1, d2) -> Vector[3]:
    """The direction nearest to d in which the contact may slide: (found?, d1, d2)."""
    found, best1, best2, most = 0.0, d1, d2, -2.0
    for k in range(PARTS):
        angle, width = 2.0 * math.pi * k / PARTS, 2.0 * math.pi / PARTS
        left = _turning(block, math.cos(angle), math.sin(angle))[0]
        right = _turning(block, math.cos(angle + width), math.sin(angle + width))[0]
        if left * right <= 0.0:
            for _ in range(HALVINGS):
                width *= 0.5
                middle = _turning(block, math.cos(angle + width), math.sin(angle + width))[0]
                if left * middle > 0.0:
                    angle, left = angle + width, middle
            c, s = math.cos(angle + width), math.sin(angle + width)
            if _slides(block, c, s) and c * d1 + s * d2 > most:
                found, best1, best2, most = 1.0, c, s, c * d1 + s * d2
    return found, best1, best2
