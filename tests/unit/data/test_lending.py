"""`Data`: what computations keep, lent to one of them at a time; and what goes with a model without being part of it."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints import tolerance
from linkwork.data.lending import KNOWN, Data, cache_of, cached, lent
from linkwork.data.tree import ArticulatedLink, TreeData
from linkwork.kernels import JIT

from ...laws.mechanisms import random_case


@pytest.fixture
def case():
    return random_case(3, "every kind")


def test_a_model_is_data_only(case):
    """No memory of algorithms, no pool, no findings of solvers: what it is made of, tables, names, and the headers that kernels read."""
    model = case.model
    lw.forward_dynamics(model, case.q, case.v, case.tau)
    lw.mass_matrix(model, np.tile(case.q, (9, 1)))
    before = set(vars(model))
    assert before == {
        *("name", "tables", "constraint_tables", "contact_tables", "shapes", "looks", "_contacts_header"),
        *("nq", "nv", "nb", "nc", "bodies", "joints", "frames", "constraints", "forces", "handle"),
        *("_custom_kinds", "_alive", "_body", "_joint", "_frame", "_constraint", "_force", "_constraints_header", "_header", "_frozen"),
    }
    again = pickle.loads(pickle.dumps(model))
    assert again == model and hash(again) == hash(model) and id(again) not in KNOWN


def test_what_a_call_leaves_can_be_looked_at(case):
    """A caller's own Data holds what the recursion kept: velocities of links are those of forward kinematics, also after the function was bound."""
    model, q, v, tau = case.model, case.q, case.v, case.tau
    data = lw.Data(model)
    for _ in range(6):  # from the third call on no Python would run, were there no Data in use
        with data.in_use():
            expected = lw.forward_dynamics(model, q, v, tau)
        assert data.tree.vdot.tobytes() == expected.tobytes()
        data.tree.vdot[:] = 0.0
        lw.forward_dynamics(model, q, v, tau)
        assert not data.tree.vdot.any(), "outside of the block others are lent"
    body = model.bodies[-1]
    row = model.tables.bodies[body.index]
    V = data.tree.articulated.links[int(row["link"])].v
    R, p = row["R"].reshape(3, 3), row["p"]
    w, u = np.array(V[:3], dtype=float), np.array(V[3:], dtype=float)
    found = lw.forward_kinematics(model, q, v).velocities[body.index]
    np.testing.assert_allclose(np.concatenate([R.T @ w, R.T @ (u + np.cross(w, p))]), found, rtol=0, atol=1e-12)  # rounding of two sweeps


def test_records_print_their_fields_and_their_meaning(case):
    data = lw.Data(case.model)
    with data.in_use():
        lw.forward_dynamics(case.model, case.q, case.v, case.tau)
    text = repr(data.tree.articulated.links[0])
    assert text.startswith("ArticulatedLink") and "spatial velocity" in text
    assert "articulated" in repr(data.tree) and "TreeData" in repr(data)
    assert "outward" in ArticulatedLink.table()


@pytest.mark.skipif(not JIT, reason="plain Python has one lane")
def test_lanes_and_floats_agree_field_by_field(case):
    """All that articulated bodies keep of all links, for a block of states side by side and for each of them alone."""
    from linkwork.kernels.level import lanes

    model, count = case.model, lanes()
    rng = np.random.default_rng(5)
    q, v, tau = lw.random_configuration(model, rng, count), rng.normal(size=(count, model.nv)), rng.normal(size=(count, model.nv))
    wide, narrow = Data(model, count), Data(model)
    with wide.in_use():
        lw.forward_dynamics(model, q, v, tau)
    for k in range(count):
        with narrow.in_use():
            lw.forward_dynamics(model, q[k], v[k], tau[k])
        for i, link in enumerate(model.tables.links):
            if link["kind"] == 0:  # axial: others keep theirs in the joints' records
                for name in ArticulatedLink.fields:
                    one, other = narrow.tree.articulated.links[i].view(name), wide.tree.articulated.links[i].view(name)[:, k]
                    assert one.tobytes() == np.ascontiguousarray(other).tobytes(), (i, name, k)
        assert narrow.tree.vdot.tobytes() == np.ascontiguousarray(wide.tree.vdot[:, k]).tobytes()


def test_two_computations_never_have_the_same_data(case):
    with lent(case.model) as one, lent(case.model) as other:
        assert one is not other and one.tree is not other.tree
    with lent(case.model) as again:
        assert again in (one, other)


def test_threads_do_not_meet_in_memory(case):
    """Many threads, one model, states of their own, all ways to call: every result has the bits of a single thread."""
    model = case.model
    rng = np.random.default_rng(0)
    states = [(lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)) for _ in range(8)]
    batches = [tuple(np.array([a, a, a])[:, :] for a in state) for state in states]

    def results(k):
        q, v, x = states[k]
        many = batches[k]
        return b"".join(
            np.ascontiguousarray(array).tobytes()
            for array in (
                lw.forward_dynamics(model, q, v, x),
                lw.mass_matrix(model, q),
                lw.forward_dynamics(model, *many),
                lw.forward_kinematics(model, q, v).positions,
                lw.integrate(model, q, v),
                lw.jacobian(model, q, model.bodies[-1].name),
            )
        )

    expected, wrong = [results(k) for k in range(8)], []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def hammer(k):
        for _ in range(300 if JIT else 3):
            if results(k) != expected[k]:
                wrong.append(k)
                return

    try:
        threads = [threading.Thread(target=hammer, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


def test_a_data_in_use_in_one_thread_is_refused_to_another(case):
    data, found = Data(case.model), []

    def elsewhere():
        try:
            with data.in_use():
                found.append("lent twice")
        except lw.StateError as error:
            found.append(str(error))

    with data.in_use(), data.in_use():  # once more in the same thread does no harm
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert len(found) == 1 and "another thread has this Data in use" in found[0]
    with data.in_use():
        pass


def test_a_data_of_a_model_that_is_gone_says_so():
    data = Data(random_case(8, "tree").model)
    gc.collect()
    with pytest.raises(lw.StateError, match="is gone"), data.in_use():
        pass


def test_a_call_from_within_a_call_is_lent_another_data_than_the_one_in_use():
    """As where a user's function asks for the dynamics of its own model in the middle of them."""
    m = lw.Mechanism("two")
    a = m.add_body("a", mass=1.0, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
    b = m.add_body("b", mass=1.0, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.1))
    m.add_joint("j", lw.Revolute(axis=(0, 1, 0)), m.ground, a)
    m.add_joint("k", lw.Spherical(), a.at(0, 0, 1), b)
    model = m.build()
    q, v, tau = lw.neutral(model), np.arange(4.0), np.ones(4)
    other = lw.random_configuration(model, 3)
    expected, within = lw.forward_dynamics(model, q, v, tau), lw.forward_dynamics(model, other, v, tau)
    data = Data(model)
    with data.in_use(), lent(model) as outer:  # as in the middle of a call
        assert outer is data
        assert lw.forward_dynamics(model, other, v, tau).tobytes() == within.tobytes()
        with lent(model) as inner:
            assert inner is not data
    with data.in_use():
        assert lw.forward_dynamics(model, q, v, tau).tobytes() == expected.tobytes()
    assert data.tree.vdot.tobytes() == expected.tobytes()


def test_data_left_in_another_order_than_entered_is_given_back(case):
    model, one, other = case.model, Data(case.model), Data(case.model)
    first, second = one.in_use(), other.in_use()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    with lent(model) as now:
        assert now is other
    second.__exit__(None, None, None)
    assert not cache_of(model).owned


def test_memory_that_compiled_code_works_in_is_not_copied(case):
    """Addresses in a copy would lead to the memory of the original, or to none."""
    data = Data(case.model)
    sim = lw.Simulation(case.model, lw.RungeKutta4(step=1e-3), q=case.q, v=case.v)
    for thing in (data.tree, data, sim, lw.Live(lw.shipped("pendulum"))):
        with pytest.raises(TypeError):
            copy.deepcopy(thing)
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(data.tree)


def test_a_data_that_was_pickled_spoke_of_weak_references(case):
    data = Data(case.model)
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"cannot be copied or pickled; make a new one, lw\.Data\(model\)"):
            take(data)


@pytest.mark.slow
def test_batches_on_several_threads_work_in_a_forked_child():
    code = """
import multiprocessing, numpy as np, linkwork as lw
m = lw.Mechanism("p")
b = m.add_body("b", mass=1.0, com=(0.1, 0, 0), inertia=(1, 1, 1))
m.add_joint("j", lw.Revolute(axis=(0, 1, 0)), m.ground, b)
model, q = m.build(), np.linspace(0, 1, 600)[:, None]
def work(k): return float(lw.forward_dynamics(model, q, q * k, threads=2).sum())
expected = work(1)
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.apply_async(work, (1,)).get(timeout=60) == expected)
"""
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    environment = os.environ | {"PYTHONPATH": str(Path(lw.__file__).parents[1]), "LINKWORK_QUIET": "1"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert found.stdout.strip() == "True", found.stderr


@pytest.mark.skipif(not JIT, reason="plain Python binds nothing")
def test_a_finaliser_in_the_middle_of_binding_does_not_wait_for_it():
    from linkwork.dynamics import bound

    model = random_case(9, "tree").model
    q, v = lw.neutral(model), np.zeros(model.nv)
    assert bound._lock.acquire(blocking=False)  # as if code were being generated
    try:
        for _ in range(5):
            lw.energy(model, q, v)
    finally:
        bound._lock.release()


def test_records_of_other_sizes_are_refused(case):
    """A record with room for one force would be too short for fifty."""
    from linkwork.data.accelerations import AccelerationData

    data = Data(case.model)
    data.new(AccelerationData, forces=1, slots=0)
    with pytest.raises(ValueError, match="not for"):
        data.new(AccelerationData, forces=50, slots=0)


def test_nothing_of_a_model_can_be_deleted(case):
    with pytest.raises(AttributeError, match="frozen"):
        del case.model.name


def test_what_is_beside_a_model_goes_with_it():
    model = random_case(7, "tree").model
    cached(model, "found", lambda model: [model.nv])
    with lent(model) as data:
        tree = weakref.ref(data.record(TreeData)._memory.raw)
    key, watched = id(model), weakref.ref(model)
    assert cache_of(model).kept["found"] == [model.nv] and key in KNOWN
    del model, data
    gc.collect()
    assert watched() is None and key not in KNOWN and tree() is None


def test_a_finding_may_ask_for_other_findings_of_the_same_model(case):
    """What makes a finding has a proxy of the model, which leads to the model's own findings and keeps nothing alive."""
    model, made = case.model, []

    def inner(m):
        made.append("inner")
        return m.nv

    assert cached(model, "outer", lambda m: cached(m, "inner", inner) + 1) == model.nv + 1
    assert cached(model, "inner", inner) == model.nv and made == ["inner"]


def test_every_sample_of_a_run_measured_the_mechanism_anew(monkeypatch):
    """A run of 200 bodies spent three quarters of its time on the length of the mechanism, which depends on the model alone."""
    counted = []
    length = tolerance._length
    monkeypatch.setattr(tolerance, "_length", lambda model: counted.append(1) or length(model))
    lw.simulate(lw.shipped("four-bar"), 0.1, record_interval=0.01)
    assert len(counted) == 1


def test_equal_models_have_data_of_their_own(case):
    again = pickle.loads(pickle.dumps(case.model))
    assert again == case.model and cache_of(again) is not cache_of(case.model)
