"""The basic problems of the IFToMM library of computational benchmarks for multibody dynamics, and what each is compared with.

M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, "A benchmarking system for MBS simulation software", Multibody System Dynamics 16 (2006);
IFToMM Technical Committee for Multibody Dynamics, www.iftomm-multibody.org/benchmark. Parameters as there and in the models for OpenSim that were
submitted to it (RehabEngGroup, MBSbenchmarksInOpenSim, 2015). Its reference solutions are files of time histories, which are not printed; so

    A01 simple pendulum         an elliptic function
    A02 N four-bars             the same: all cranks turn alike, as one physical pendulum
    A03 Andrews' mechanism      the printed end values of the Test Set for IVP Solvers (Bari, release 2.4; PSIDE at 1e-14)
    A04 Bricard's mechanism     energy; and another program's printed state after 1 s
    A05 flyball governor        Lagrange's equations of its three coordinates, by Radau at 1e-10

stand for them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import linkwork as lw

G = 9.81


@dataclass(frozen=True)
class Problem:
    """model and state at the start; `measured(recording)` at its end against `reference`, both arrays; duration in s."""

    name: str
    model: Any
    q: np.ndarray
    v: np.ndarray
    duration: float
    measured: Any
    reference: np.ndarray | None


def pendulum_angle(t, w0, amplitude=None, rate=None):
    """theta(t) of theta'' = -w0^2 sin(theta): released at an amplitude, or passing the bottom at a rate that carries it over the top."""
    if amplitude is not None:
        k = np.sin(amplitude / 2)
        sn = ellipj(w0 * t + ellipk(k * k), k * k)[0]
        return 2 * np.arcsin(k * sn)
    k = 2 * w0 / rate  # below 1
    turns = ellipj(w0 * t / k, k * k)
    return 2 * turns[3]


def simple_pendulum(duration=10.0):
    """A01: 1 kg on a massless bar of 1 m, released level at x = -1 m. Measured: x and z of the mass."""
    m = lw.Mechanism("A01 simple pendulum", gravity=(0, 0, -G))
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1))
    m.add_joint("pivot", lw.Revolute((0, -1, 0)), m.ground, bob)
    model = m.build()
    angle = pendulum_angle(duration, np.sqrt(G), amplitude=-np.pi / 2)

    def measured(rec):
        theta = rec.q[-1, 0]
        return np.array((np.sin(theta), -np.cos(theta)))

    reference = np.array((np.sin(angle), -np.cos(angle)))
    return Problem("A01 simple pendulum", model, np.array([-np.pi / 2]), np.zeros(1), duration, measured, reference)


def four_bars(count=2, duration=10.0):
    """A02: 2 N + 1 bars of 1 m and 1 kg, cranks upright at the start, their ends moving at 1 m/s along x. Measured: x and z of the first crank's end.

    Whenever the cranks are level there are N + 1 degrees of freedom instead of one.
    """
    m = lw.Mechanism(f"A02 {count} four-bars", gravity=(0, 0, -G))
    thin = (1 / 12, 1 / 12, 0.0)
    cranks = [m.add_body(f"crank {k}", mass=1.0, com=(0, 0, 0.5), inertia=thin) for k in range(count + 1)]
    for k, crank in enumerate(cranks):
        m.add_joint(f"foot {k}", lw.Revolute((0, 1, 0)), m.ground.at(k, 0, 0), crank)
    for k in range(count):
        bar = m.add_body(f"bar {k}", mass=1.0, com=(0.5, 0, 0), inertia=(0.0, 1 / 12, 1 / 12))
        m.add_joint(f"near {k}", lw.Revolute((0, 1, 0)), cranks[k].at(0, 0, 1), bar)
        m.add_joint(f"far {k}", lw.Revolute((0, 1, 0)), bar.at(1, 0, 0), cranks[k + 1].at(0, 0, 1))
    model = m.build()
    v = np.zeros(model.nv)
    for k in range(count + 1):
        v[model.joint(f"foot {k}").v_index] = 1.0
    for k in range(count):
        v[model.joint(f"near {k}").v_index] = -1.0
        v[model.joint(f"far {k}").v_index] = 1.0
    # One pendulum: I theta'' = W sin(theta) with theta from the top. It passes the bottom faster than it left the top.
    inertia, weight = (count + 1) / 3 + count, G * ((count + 1) / 2 + count)
    w0, rate = np.sqrt(weight / inertia), np.sqrt(1.0 + 4.0 * weight / inertia)
    k = 2 * w0 / rate
    half = 2 * ellipk(k * k) * k / w0 / 2  # s from the top to the bottom
    theta = np.pi + pendulum_angle(duration - half, w0, rate=rate)
    place = model.joint("foot 0").q_index

    def measured(rec):
        angle = rec.q[-1, place][0]
        return np.array((np.sin(angle), np.cos(angle)))

    reference = np.array((np.sin(theta), np.cos(theta)))
    return Problem(f"A02 {count} four-bars", model, lw.neutral(model), v, duration, measured, reference)


ANDREWS_START = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)
ANDREWS_END = np.array(
    (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948)
)
ANDREWS_END = np.append(ANDREWS_END, 1.048080741042263)
ANDREWS_RATES = np.array(
    (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808, -19.29337464421385)
)
ANDREWS_RATES = np.append(ANDREWS_RATES, 0.3231791658026955)
ANDREWS_ANGLES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")


def andrews(duration=0.03):
    """A03: seven bodies in the plane, driven by a motor of 0.033 N m. Measured: the seven angles, rad, in the order of the Test Set."""
    m = lw.Mechanism("A03 Andrews' mechanism", gravity=(0, 0, 0))
    z = lw.Revolute((0, 0, 1))

    def add(name, mass, inertia, com):
        return m.add_body(name, mass=mass, com=(*com, 0), inertia=(inertia / 2, inertia / 2, inertia))

    k1 = add("K1", 0.04325, 2.194e-6, (92e-5, 0))
    k2 = add("K2", 0.00365, 4.410e-7, (-115e-4, 0))
    k3 = add("K3", 0.02373, 5.255e-6, (1043e-5, -1874e-5))
    k4 = add("K4", 0.00706, 5.667e-7, (0, -(2e-2 - 1421e-5)))
    k5 = add("K5", 0.07050, 1.169e-5, (2308e-5, 916e-5))
    k6 = add("K6", 0.00706, 5.667e-7, (2e-2 - 1421e-5, 0))
    k7 = add("K7", 0.05498, 1.912e-5, (-449e-5, -1228e-5))
    A, B, C = m.ground.at(-0.06934, -0.00227, 0), m.ground.at(-0.03635, 0.03273, 0), m.ground.at(0.014, 0.072, 0)
    m.add_joint("beta", z, m.ground, k1)
    m.add_joint("theta", z, k1.at(7e-3, 0, 0), k2)
    m.add_joint("gamma", z, B, k3)
    m.add_joint("delta", z, A, k5)
    m.add_joint("phi", z, k5.at(4e-2, 0, 0), k4)
    m.add_joint("epsilon", z, A, k7)
    m.add_joint("omega", z, k7.at(0, -4e-2, 0), k6)
    E = k2.at(-28e-3, 0, 0)
    for body, place in ((k3, (0, -35e-3, 0)), (k4, (0, -2e-2, 0)), (k6, (2e-2, 0, 0))):
        m.add_constraint(f"E of {body.name}", lw.PointOnLine(), body.at(*place), E)
    m.add_force("spring", lw.SpringDamper(4530.0, 0.0, 0.07785), k3.at(2e-2, -18e-3, 0), C)
    m.add_force("motor", lw.Motor(torque=(0, 0, 0.033), reaction=False), k1)
    model = m.build()
    places = np.concatenate([np.arange(model.nq)[model.joint(name).q_index] for name in ANDREWS_ANGLES])
    q = np.zeros(model.nq)
    q[places] = ANDREWS_START
    return Problem("A03 Andrews' mechanism", model, q, np.zeros(model.nv), duration, lambda rec: rec.q[-1, places], ANDREWS_END)


BRICARD_POINTS = np.array(((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)), dtype=float)
BRICARD_AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
# Exudyn's test model bricardMechanism.py: |coordinates| after 1 s + mobility + redundant rows + the least eigenvalue at the start.
BRICARD_EXUDYN = 4.172189649307425


def bricard(duration=12.0):
    """A04: five rods of 1 m and 1 kg, 0.1 m square, and ground in a ring of six hinges, which moves although counting says it cannot. Gravity along -y.

    At q = 0 rod k goes from its hinge k to the next, along its own x axis.
    """
    m = lw.Mechanism("A04 Bricard's mechanism", gravity=(0, -G, 0))
    across, along = (1.0 + 0.01) / 12, 0.02 / 12
    frames, rods = [lw.Pose()], [m.ground]
    for k in range(5):
        way = BRICARD_POINTS[k + 1] - BRICARD_POINTS[k]
        frames.append(lw.Pose(BRICARD_POINTS[k], _x_along(way)))
        rods.append(m.add_body(f"rod {k + 1}", mass=1.0, com=(0.5, 0, 0), inertia=(along, across, across)))
    for k in range(6):
        near, far = (k, k + 1) if k < 5 else (5, 0)
        place = lw.Pose(BRICARD_POINTS[k], _z_along(BRICARD_AXES[k]))
        ends = (rods[i].at(frames[i].inverse() @ place) for i in (near, far))
        m.add_joint(f"hinge {k + 1}", lw.Revolute((0, 0, 1)), *ends)
    m.add_frame("P3", rods[2].at(1, 0, 0))
    model = m.build()
    return Problem("A04 Bricard's mechanism", model, lw.neutral(model), np.zeros(model.nv), duration, lambda rec: _point(rec, "P3"), None)


def _x_along(way):
    """A rotation whose x axis has this direction, one of the axes."""
    other = np.roll(np.abs(way), 1)
    return np.column_stack((way, other, np.cross(way, other)))


def _z_along(way):
    return np.roll(_x_along(np.asarray(way, dtype=float)), -1, axis=1)


def _point(rec, name):
    return lw.forward_kinematics(rec.model, rec.q[-1]).position(name)


GOVERNOR = {
    "stiffness": 8e5,
    "damping": 4e4,
    "length": 0.5,
    "ball": 5.0,
    "density": 3000.0,
    "rate": 2 * np.pi,
    "angle": np.pi / 6,
    "slider": 0.5,
}


def governor(duration=10.0):
    """A05: a shaft with two rods of 1 m, balls of 5 kg at their ends, and a slider that stiff spring-dampers tie to the rods' middles. It turns at 2 pi rad/s.

    Measured: the slider's height, m, and the shaft's rate, rad/s.
    """
    o, m = GOVERNOR, lw.Mechanism("A05 flyball governor", gravity=(0, 0, -G))
    rho, w = o["density"], 0.01
    shaft = m.add_body("shaft", mass=rho * w * w, com=(0, 0, 0.5), inertia=rho * w * w / 12 * np.array((1 + w * w, 1 + w * w, 2 * w * w)))
    slider = m.add_body("slider", mass=rho * 1e-3, inertia=rho * 1e-3 / 12 * 0.02 * np.ones(3))
    m.add_joint("turn", lw.Revolute((0, 0, 1)), m.ground, shaft)
    m.add_joint("slide", lw.Prismatic((0, 0, 1)), shaft, slider)
    for side, sign in (("right", 1.0), ("left", -1.0)):
        rod = m.add_body(
            f"rod {side}", mass=rho * w * w, com=(0, 0, -0.5), inertia=rho * w * w / 12 * np.array((1 + w * w, 1 + w * w, 2 * w * w))
        )
        ball = m.add_body(f"ball {side}", mass=o["ball"])
        m.add_joint(f"swing {side}", lw.Revolute((0, -sign, 0)), shaft.at(sign * 0.05, 0, 1), rod)  # q: from hanging outwards
        m.add_joint(f"held {side}", lw.Weld(), rod.at(0, 0, -1), ball)
        m.add_force(
            f"coupler {side}", lw.SpringDamper(o["stiffness"], o["damping"], o["length"]), slider.at(sign * 0.05, 0, 0), rod.at(0, 0, -0.5)
        )
    model = m.build()
    q, v = lw.neutral(model), np.zeros(model.nv)
    q[model.joint("slide").q_index] = o["slider"]
    for side in ("right", "left"):
        q[model.joint(f"swing {side}").q_index] = np.pi / 2 - o["angle"]
    turn, slide = model.joint("turn").v_index, model.joint("slide").q_index
    v[turn] = o["rate"]

    def measured(rec):
        return np.array((rec.q[-1, slide][0], rec.v[-1, turn][0]))

    return Problem("A05 flyball governor", model, q, v, duration, measured, governor_reference(duration))


def governor_reference(duration):
    """(slider's height, shaft's rate) by Lagrange's equations of the slider's height s, the rods' angle a from hanging, and the constant momentum."""
    o, w = GOVERNOR, 0.01
    rod, ball, block = o["density"] * w * w, o["ball"], o["density"] * 1e-3
    across, along = rod * (1 + w * w) / 12, rod * 2 * w * w / 12
    swing = rod / 4 + across + ball

    def about_axis(a):
        """Moment of inertia about the shaft, and its slope by a."""
        s, c = np.sin(a), np.cos(a)
        middle, end = 0.05 + 0.5 * s, 0.05 + s
        value = along + block * 0.02 / 12 + 2 * (rod * middle**2 + across * s * s + along * c * c + ball * end**2)
        return value, 2 * c * (rod * middle + 2 * (across - along) * s + 2 * ball * end)

    start = (o["slider"], np.pi / 2 - o["angle"], 0.0, 0.0)
    momentum = about_axis(start[1])[0] * o["rate"]

    def rate(_, y):
        s, a, ds, da = y
        x, z = 0.5 * np.sin(a), 1.0 - 0.5 * np.cos(a) - s  # from the slider's point to the rod's middle
        dx, dz = 0.5 * np.cos(a) * da, 0.5 * np.sin(a) * da - ds
        length = np.hypot(x, z)
        pull = o["stiffness"] * (length - o["length"]) + o["damping"] * (x * dx + z * dz) / length
        inertia, slope = about_axis(a)
        moment = 0.5 * (momentum / inertia) ** 2 * slope / 2 - G * np.sin(a) * (rod / 2 + ball)
        moment -= pull * (x * 0.5 * np.cos(a) + z * 0.5 * np.sin(a)) / length
        return ds, da, 2 * pull * z / length / block - G, moment / swing

    y = solve_ivp(rate, (0.0, duration), start, method="Radau", rtol=1e-10, atol=1e-12).y[:, -1]
    return np.array((y[0], momentum / about_axis(y[1])[0]))


def problems():
    """All of them, as they are run."""
    return [simple_pendulum(), four_bars(), andrews(), bricard(), governor()]
