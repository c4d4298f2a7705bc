"""J. M. Wendlandt, Control and Simulation of Multibody Systems, Berkeley 1997, chapter 3: recursions on trees in Lie-group notation."""

import numpy as np

import linkwork as lw

from ..laws.measures import assert_close
from .test_featherstone_1987 import in_book_order, tree

PARENTS = (0, 1, 2, 3, 4, 4, 2, 7)  # of bodies 1..8 in figure 3.1


def operators(model, q):
    """phi = (1 - A)^-1, H and M^b of section 3.3: A holds Ad of the parent's frame in the child's at (child, parent)."""
    n = len(PARENTS)
    kinematics = lw.forward_kinematics(model, q)
    A, H, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, n)), np.zeros((6 * n, 6 * n))
    for k, parent in enumerate(PARENTS, 1):
        rows, name = slice(6 * k - 6, 6 * k), f"link {k}"
        own = model.joint(f"joint {k}").v_index
        H[rows, k - 1 : k] = lw.jacobian(model, q, name, axes="body")[:, own]
        M[rows, rows] = model.body(name).inertia.matrix
        if parent:
            to_child = kinematics.pose(name).inverse() @ kinematics.pose(f"link {parent}")
            A[rows, 6 * parent - 6 : 6 * parent] = to_child.adjoint
    return A, H, M


def test_tree_of_figure_3_1():
    """M = H^T phi^T M^b phi H and V = phi H beta; phi = 1 + A + ... + A^7 has a block at (k, l) just where body l carries body k."""
    model = tree(PARENTS)
    rng = np.random.default_rng(31)
    q, v = rng.normal(size=(2, 8))
    A, H, M = operators(model, q)
    phi = np.linalg.inv(np.eye(48) - A)
    assert_close(phi, sum(np.linalg.matrix_power(A, k) for k in range(8)))
    assert_close(in_book_order(model, lw.mass_matrix(model, q)), H.T @ phi.T @ M @ phi @ H)

    beta = np.array([v[model.joint(f"joint {k}").v_index.start] for k in range(1, 9)])
    V = (phi @ H @ beta).reshape(8, 6)
    kinematics = lw.forward_kinematics(model, q, v)
    assert_close(np.array([kinematics.velocity(f"link {k}") for k in range(1, 9)]), V)

    carried = np.eye(8, dtype=bool)
    for k, parent in enumerate(PARENTS):
        carried[k] |= carried[parent - 1] if parent else False
    blocks = np.abs(phi).reshape(8, 6, 8, 6).max(axis=(1, 3)) > 0.0
    assert (blocks == carried).all()
    assert (in_book_order(model, lw.mass_matrix(model, q)) != 0.0).tolist() == (carried | carried.T).tolist()


def test_the_tree_is_numbered_depth_first():
    """Section 3.1: a parent has a smaller number than its children, and a branch is finished before the next begins."""
    model = tree(PARENTS)
    numbers = {body.name: body.index for body in model.bodies} | {"ground": -1}
    assert [body.name for body in model.bodies] == [f"link {k}" for k in range(1, 9)]
    assert all(numbers[joint.parent] < numbers[joint.child] for joint in model.joints)
