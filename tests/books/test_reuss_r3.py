"""A free chain of three hinges ("R3") in the formulation of Reuss 2002 (Some practical uses of the Lie group SE(3) in computers visualization).

The paper has no numbers. Those below were computed with its dense operators (equations 33-37, 44-58, with their misprints corrected)
by a program that shares nothing with this one; all digits given must agree. Velocities are w = (omega, v of the base in its own frame, joint rates).
"""

import itertools

import numpy as np
import pytest

import linkwork as lw

Q = (0.3, -0.5, 0.7)
W = np.array([0.1, 0.2, -0.3, 0.4, 0.0, -0.1, 0.5, -0.4, 0.2])
TAU = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2, -0.1, 0.05])
KHALIL_KLEINFINGER = ((0.0, 0.25), (np.pi / 2, 0.4), (0.0, 0.4))  # (alpha, d) of each hinge; r = 0

SIX_DECIMALS = 0.51e-6  # half a unit of the last digit given


def add_link(mechanism, name):
    return mechanism.add_body(name, mass=1.0, com=(0.2, 0, 0), inertia=(0.002, 0.014, 0.014))


@pytest.fixture(scope="module")
def chain():
    m = lw.Mechanism("R3", gravity=(0, 0, -9.81))
    body = m.add_body("base", mass=4.0, inertia=(0.10, 0.12, 0.08))
    for k, (alpha, d) in enumerate(KHALIL_KLEINFINGER, 1):
        link = add_link(m, f"link {k}")
        m.add_joint(f"hinge {k}", lw.Revolute((0, 0, 1)), body.at(lw.Pose.from_rpy(alpha, 0, 0, (d, 0, 0))), link)
        body = link
    m.add_frame("tip", body.at(0.4, 0, 0))
    return m.build()


@pytest.fixture(scope="module")
def q(chain):
    q = lw.neutral(chain)
    q[7:] = Q
    return q


def agree(found, expected, tolerance=SIX_DECIMALS):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def test_mass_matrix(chain, q):
    """Equation 50: D = S^T G^T J G S."""
    D = lw.mass_matrix(chain, q)
    agree(np.diag(D), (0.255150, 2.359130, 2.397198, 7, 7, 7, 1.306884, 0.390375, 0.054000))
    agree(D[7, 8], 0.115187)
    agree(D[6, 7:], (0.0, 0.0), 1e-15)


def test_square_factorisation(chain, q):
    """Equations 51-54: D = Z Om Z^T with unit upper triangular Z; the determinant is the product of the pivots Om."""
    factor = lw.factor_mass_matrix(chain, q)
    agree(np.diag(factor.L)[6:] ** 2, (1.306884, 0.144669, 0.054))
    agree(factor.L[8, 7] / factor.L[8, 8], 2.1331, 0.51e-4)
    agree(np.exp(factor.log_determinant), 0.0103924990, 0.51e-10)


def test_inverse_by_square_factors(chain, q):
    """Equations 55-58: D^-1 = W^T Om^-1 W."""
    # Entries up to 30, condition number 600: 1e-13 in the worst case.
    agree(lw.inverse_mass_matrix(chain, q, method="square") @ lw.mass_matrix(chain, q), np.eye(9), 1e-12)


def test_kinetic_energy(chain, q):
    """Half w^T D w."""
    agree(lw.energy(chain, q, W).kinetic, 0.693356659, 0.51e-9)


def test_velocity_and_gravity_forces(chain, q):
    """Equations 33-37 with wdot = 0: H = -RNE."""
    H = (-4.990415, 23.517765, 0.149455, 0.526774, 0.750847, -68.365394, 0.072143, -7.077518, -1.949123)
    agree(-lw.bias_force(chain, q, W), H)


WDOT = (-0.155309, -0.383190, -1.728195, 0.199259, 0.172144, -9.762025, 2.381731, -2.120248, 3.376654)


def test_forward_dynamics(chain, q):
    """Equations 38-43."""
    agree(lw.forward_dynamics(chain, q, W, TAU), WDOT)


def test_tip(chain, q):
    """Place and velocity of the point (0.4, 0, 0) of the last link."""
    kinematics = lw.forward_kinematics(chain, q, W)
    agree(kinematics.position("tip"), (1.342007, 0.337797, -0.112302))
    agree(kinematics.velocity("tip", axes="world")[3:], (0.251882, 0.136660, -0.553440))


def test_tip_held_by_multipliers(chain, q):
    """Equation 32 (with its lost dot): Psi wdot + Psidot w = 0 by D wdot = tau + H + Psi^T lambda."""
    Psi, drift = lw.jacobian(chain, q, "tip")[3:], lw.jacobian_rate_times_v(chain, q, W, "tip")[3:]
    agree(drift, (-0.278712, -0.094019, 0.088997))
    free = lw.forward_dynamics(chain, q, W, TAU)
    A = lw.inverse_inertia(chain, q, "tip")[3:, 3:]
    multipliers = np.linalg.solve(A, -(Psi @ free + drift))
    agree(multipliers, (4.851482, 1.243007, 4.352516))
    wdot = lw.forward_dynamics(chain, q, W, TAU + Psi.T @ multipliers)
    agree(wdot, (-0.686386, 1.902650, -0.434880, 0.603527, 0.275610, -9.799259, 0.467134, 9.234568, 14.370597))
    agree(Psi @ wdot + drift, np.zeros(3), 1e-12)


# -------------------------------------------------------------------------------- reorientation without angular momentum


@pytest.fixture(scope="module")
def links():
    """Three equal links in a row, all axes z, floating without gravity."""
    m = lw.Mechanism("three links", gravity=(0, 0, 0))
    a, b, c = (add_link(m, name) for name in "abc")
    m.add_joint("ab", lw.Revolute((0, 0, 1)), a.at(0.4, 0, 0), b)
    m.add_joint("bc", lw.Revolute((0, 0, 1)), b.at(0.4, 0, 0), c)
    return m.build()


def go_round(model, corners, steps):
    """Follow the corners with the joints, the base turning so that momentum stays zero; fourth-order Runge-Kutta on the group."""

    def velocity(q, rates):
        D = lw.mass_matrix(model, q)
        return np.concatenate([-np.linalg.solve(D[:6, :6], D[:6, 6:] @ rates), rates])

    q = lw.neutral(model)
    for start, end in itertools.pairwise(corners):
        rates = np.subtract(end, start) / steps
        for _ in range(steps):
            # Munthe-Kaas: stages are displacements from the step's start; their commutators appear with the fourth order only.
            k1 = velocity(q, rates)
            k2 = _pulled(k1 / 2, velocity(lw.integrate(model, q, k1 / 2), rates))
            k3 = _pulled(k2 / 2, velocity(lw.integrate(model, q, k2 / 2), rates))
            k4 = _pulled(k3, velocity(lw.integrate(model, q, k3), rates))
            q = lw.integrate(model, q, (k1 + 2 * k2 + 2 * k3 + k4) / 6)
    return q


def _pulled(u, w):
    """dexp^-1 of -u on the base's part of w, to second order: w + [u, w] / 2 + [u, [u, w]] / 12."""

    def bracket(a, b):
        return np.concatenate([np.cross(a[:3], b[:3]), np.cross(a[:3], b[3:6]) + np.cross(a[3:6], b[:3])])

    once = bracket(u[:6], w[:6])
    return np.concatenate([w[:6] + once / 2 + bracket(u[:6], once) / 12, w[6:]])


SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))


def test_reorientation_without_angular_momentum(links):
    """Joint angles that go round a square of 1 rad turn the base by -1.4979059 degrees, though the momentum is zero throughout."""
    q = go_round(links, SQUARE, 200)
    kinematics = lw.forward_kinematics(links, q)
    R = kinematics.rotation("a")
    agree(np.degrees(np.arctan2(R[1, 0], R[0, 0])), -1.4979059, 0.51e-7)
    agree(kinematics.position("a"), (0.000205, 0.015684, 0.0))
    agree(lw.center_of_mass(links, q), (0.6, 0.0, 0.0), 1e-9)  # what 800 steps of order 4 leave


def test_the_reverse_loop_turns_back(links):
    """The same square the other way round turns by the same angle, back; timing does not matter."""
    q = go_round(links, SQUARE[::-1], 100)
    R = lw.forward_kinematics(links, q).rotation("a")
    agree(np.degrees(np.arctan2(R[1, 0], R[0, 0])), 1.4979059, 0.51e-7)
