"""Large mechanisms: nothing recurses, nothing takes time that grows with the square of their size."""

import copy
import gc
import pickle
import time

import pytest

from linkwork.parts import Mechanism, Revolute, Weld, spanning_forest
from linkwork.parts.graph import forest

N = 10_000
YARDSTICK = 0.08  # s, for a million squares on a core of about 3 GHz that has nothing else to do


@pytest.fixture(scope="module")
def chain():
    return long_chain()


def long_chain(n=N):
    m = Mechanism("chain")
    parent = m.ground
    for i in range(n):
        body = m.add_body(f"b{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
        m.add_joint(f"j{i}", Revolute(axis=(0, 1, 0)), parent.at(1, 0, 0), body.at(0, 0, 0))
        parent = body
    return m


def seconds(operation):
    """Processor time in units of a quiet core, on which a fixed loop takes YARDSTICK: other programs slow down even that clock."""
    gc.collect()
    gc.freeze()  # what other tests left behind is not to be searched for garbage while the clock runs
    start = time.process_time()
    sum(i * i for i in range(1_000_000))
    middle = time.process_time()
    operation()
    end = time.process_time()
    gc.unfreeze()
    return (end - middle) / max(1.0, (middle - start) / YARDSTICK)


@pytest.mark.slow
def test_the_time_to_add_ten_thousand_bodies_and_find_their_faults_does_not_grow_with_the_square():
    assert min(seconds(lambda: long_chain().faults()) for _ in range(3)) < 10.0  # about 0.6 s; the square would take minutes


@pytest.mark.slow
def test_a_long_chain_is_spanned_quickly(chain):
    assert min(seconds(lambda: spanning_forest(chain)) for _ in range(3)) < 5.0
    edges = spanning_forest(chain)
    assert len(edges) == N and edges[-1].child_body_name == f"b{N - 1}"


@pytest.mark.slow
def test_a_long_chain_can_be_printed_copied_pickled_compared_and_edited():
    chain = long_chain(3000)  # three times as deep as Python recurses
    m = pickle.loads(pickle.dumps(chain))
    assert m == chain == chain.clone() == copy.deepcopy(chain)
    assert len(str(m)) < 1_000_000
    m.rename("b1000", "middle")
    assert m.joint("j1001").parent_body == "middle"
    assert len(m.copy("middle", "x_")) == 2 * 2000 - 1
    assert len(m.remove("middle", dependents=True)) == 3


def test_a_loop_of_ten_thousand_joints_is_cut_half_way_round(chain):
    m = chain.clone()
    m.add_joint("close", Weld(), "ground", f"b{N - 1}")
    ((loop, joints),) = forest(m).cycles()
    assert len(joints) == N + 1
    assert abs(int(loop.joint.name.removeprefix("j")) - N // 2) <= 1


@pytest.mark.slow
def test_a_chain_walked_backwards_and_a_star():
    chain, star = Mechanism(), Mechanism()
    for i in range(N):
        chain.add_body(f"b{i}")
        star.add_body(f"b{i}")
        star.add_joint(f"j{i}", Weld(), "ground", f"b{i}")
    for i in range(N):
        chain.add_joint(f"j{i}", Weld(), f"b{i}", f"b{i + 1}" if i < N - 1 else "ground")
    edges = spanning_forest(chain)
    assert [edge.child_body_name for edge in edges] == [f"b{i}" for i in reversed(range(N))] and all(edge.reversed for edge in edges)
    assert len(spanning_forest(star)) == N
