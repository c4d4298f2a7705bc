r"""Local coordinates about a configuration: how fast they change when the joints move with v.

A step starts at q_0 and is described by theta: q = q_0 (+) theta (dynamics/configuration.py). With velocities in body axes the differential
of the exponential gives (Munthe-Kaas 1998; Bullo & Murray 1995 for the closed form)

    theta' = v + 1/2 ad v + A ad^2 v + B ad^4 v,        ad v = theta x v   (SO(3)),  the cross product of motions (SE(3))
    x = |angular part of theta|,   a = (x/2) cot(x/2),   b = (x/2)^2 / sin(x/2)^2
    A = (2 (1 - a) + (a - b) / 2) / x^2,    B = (1 - a + (a - b) / 2) / x^4

so that a quaternion stays on its sphere whatever the method, without being pulled back. For all other joints theta' = v.
"""

from ..dynamics.slots import HUGE
from ..kernels import Vector, kernel
from ..kernels.scalar import load, sincos, sqrt, store, where
from ..model.tables import BALL, FREE, count_links, count_v, floats_at, open_tables
from ..spatial.motion import cross_motion
from ..spatial.vectors import cross3, load3, load6, store3, store6

SMALL = 0.25  # x^2 below which the series are exact to rounding


@kernel
def _coefficients(square) -> Vector[2]:
    """A and B; series near zero: 1/12 - x^4/30240 - x^6/604800 - ..., -1/720 - x^2/15120 - x^4/403200 - ..."""
    x2 = square
    A = 1.0 / 12.0 - x2 * x2 * (1.0 / 30240.0 + x2 * (1.0 / 604800.0 + x2 * (1.0 / 15966720.0 + x2 * (691.0 / 326918592000.0))))
    B = -1.0 / 720.0 - x2 * (1.0 / 15120.0 + x2 * (1.0 / 403200.0 + x2 * (1.0 / 11975040.0 + x2 * (691.0 / 261534873600.0))))
    safe = where(x2 < SMALL, x2 * 0.0 + 1.0, x2)
    x = sqrt(safe)
    s, c = sincos(0.5 * x)
    half = 0.5 * x / s
    a, b = half * c, half * half
    far = 0.5 * (a - b)
    return where(x2 < SMALL, A, (2.0 * (1.0 - a) + far) / safe), where(x2 < SMALL, B, (1.0 - a + far) / (safe * safe))


@kernel
def local_rate(handle, work, at_theta, at_v, at_rate, like) -> None:
    """theta' from theta and v, all places in `work`."""
    t = open_tables(handle)
    for k in range(count_v(t)):
        store(work, at_rate + k, load(work, at_v + k, like))
    if t.quats.shape[0] == 0:
        return
    for i in range(count_links(t)):
        link = t.links[i]
        if link.kind == BALL:
            theta, v = load3(work, at_theta + link.v, like), load3(work, at_v + link.v, like)
            A, B = _coefficients(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
            once = cross3(theta, v)
            twice = cross3(theta, once)
            fourth = cross3(theta, cross3(theta, twice))
            store3(
                work,
                at_rate + link.v,
                (
                    v[0] + 0.5 * once[0] + A * twice[0] + B * fourth[0],
                    v[1] + 0.5 * once[1] + A * twice[1] + B * fourth[1],
                    v[2] + 0.5 * once[2] + A * twice[2] + B * fourth[2],
                ),
            )
        elif link.kind == FREE:
            theta, v = load6(work, at_theta + link.v, like), load6(work, at_v + link.v, like)
            A, B = _coefficients(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2])
            once = cross_motion(theta, v)
            twice = cross_motion(theta, once)
            fourth = cross_motion(theta, cross_motion(theta, twice))
            store6(
                work,
                at_rate + link.v,
                (
                    v[0] + 0.5 * once[0] + A * twice[0] + B * fourth[0],
                    v[1] + 0.5 * once[1] + A * twice[1] + B * fourth[1],
                    v[2] + 0.5 * once[2] + A * twice[2] + B * fourth[2],
                    v[3] + 0.5 * once[3] + A * twice[3] + B * fourth[3],
                    v[4] + 0.5 * once[4] + A * twice[4] + B * fourth[4],
                    v[5] + 0.5 * once[5] + A * twice[5] + B * fourth[5],
                ),
            )


@kernel(entry="i i i i i -> n")
def rate_in_memory(handle, memory, at_theta, at_v, at_rate) -> None:
    """local_rate of one state, for a call from Python."""
    local_rate(handle, floats_at(memory, HUGE), at_theta, at_v, at_rate, 0.0)
