"""Mechanisms that somebody else wrote: large, circular or impossible ones are refused by name, in time that grows with their size."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import linkwork as lw


def framed(count, circle=False):
    """A body and frames, each on the one before; the first on the body, or on the last."""
    lines = ["linkwork = 1", 'name = "framed"', "[body.b]", "mass = 1", "inertia = [1, 1, 1]"]
    for k in range(count):
        on = f"f{k - 1}" if k else f"f{count - 1}" if circle else "b"
        lines += [f"[frame.f{k}]", f'on = "{on}"', "xyz = [0.001, 0, 0]", "rpy = [0, 0, 0.01]"]
    return lw.from_toml("\n".join(lines))


def test_a_thousand_chained_frames_are_built_at_once():
    """They took 27 s, each frame looking for its body through all before it."""
    m = framed(1000)
    started = time.process_time()
    model = m.build()
    taken = time.process_time() - started
    assert taken < 3.0, "0.1 s on a quiet machine"
    angle = 0.01 * np.arange(1000)  # each frame is 1 mm along the x axis of the one before, and turned by 0.01 rad against it
    where = 0.001 * np.array([np.cos(angle).sum(), np.sin(angle).sum(), 0.0])
    assert np.allclose(model.frame("f999").pose.translation, where, atol=1e-12)
    assert np.array_equal(m.frame("f999").pose.translation, model.frame("f999").pose.translation), "alone as in the build"
    assert "f999" in str(m) or "more" in str(m)


def test_a_circle_of_many_frames_makes_a_short_message():
    """A thousand of them made one of 10 MB."""
    with pytest.raises(lw.ModelError) as caught:
        framed(1000, circle=True).build()
    assert (
        len(str(caught.value)) < 50_000
        and "992 more on" in str(caught.value)
        and "and 900 more: see mechanism.faults()" in str(caught.value)
    )
    assert len(caught.value.faults) == 1000
    with pytest.raises(lw.ModelError, match="'f2' on 'f1' on 'f0' on 'f2'"):
        framed(3, circle=True).build()


LOOPS = """
import resource
import linkwork as lw
from linkwork.data.need_memory import most_bytes
text = ['linkwork = 1', 'name = "loops"']
for k in range(3000):
    text += [f"[body.b{k}]", "mass = 1", "inertia = [1, 1, 1]"]
    for name, z in (("j", 0), ("k", 1)):
        text += [f"[joint.{name}{k}]", 'kind = "revolute"', 'axis = [0, 0, 1]', f'parent = {{on = "ground", xyz = [0, 0, {z}]}}']
        text += [f'child = {{on = "b{k}", xyz = [0, 0, {z}]}}']
model = lw.from_toml("\\n".join(text)).build()
q = lw.neutral(model)
assert abs(lw.forward_dynamics(model, q, q, q)).max() == 0.0, "the sparse solver needs little"
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
most_bytes.cache_clear()
lw.Simulation(model, lw.RungeKutta4(0.01), q=q).run(0.01)
lw.forward_dynamics(model, q, q, q, solver="articulated")
print("ran")
for ask in (lw.mobility, lambda m, q: lw.reactions(m, q, q, q)):
    try:
        ask(model, q)
    except lw.ModelError as error:
        print("refused" if "GiB for 6000 velocities and 18000 rows" in str(error) else error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of memory")
def test_three_thousand_loops_run_and_questions_are_refused_by_name_before_memory_is_taken():
    """640 kB of text that asked for 8 GB, and got a MemoryError. Rows of loops beside each other know nothing of each other: runs need little."""
    run = subprocess.run([sys.executable, "-c", LOOPS], capture_output=True, text=True, env=os.environ | {"LINKWORK_QUIET": "1"})
    assert run.stdout.split() == ["ran", "refused", "refused"], (run.stdout, run.stderr[-2000:])


def cart():
    """A box that glides over a plane on two wheels with a common axis."""
    m = lw.Mechanism("cart")
    box = m.add_body("box", mass=1.0, inertia=(1, 1, 1))
    m.add_joint("plane", lw.Planar((0, 0, 1)), m.ground, box)
    for side, y in (("left", 0.5), ("right", -0.5)):
        wheel = m.add_body(side, mass=0.1, inertia=(0.01, 0.01, 0.01))
        m.add_joint(f"{side} axle", lw.Revolute((0, 1, 0)), box.at(0, y, 0), wheel)
        m.add_constraint(f"{side} rolls", lw.RollingDisc(0.3, axis=(0, 1, 0)), wheel, m.ground.at(0, 0, -0.3))
    return m


def test_the_mobility_of_a_cart_is_told():
    """All its constraints hold velocities too: there was nothing to concatenate."""
    model = cart().build()
    found = lw.mobility(model, lw.neutral(model))
    assert (found.dof, found.dof_generic, found.freedoms, found.redundant) == (2, 2, 5, 3)


def test_a_hinge_without_a_direction_is_refused_in_a_live_mechanism():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, bob)
    live = lw.Live(m)
    with pytest.raises(lw.ModelError, match="pivot"):
        live.change("pivot", kind=lw.Revolute((0, 0, 0)))
    assert live.mechanism.joint("pivot").kind.axis == (0, 1, 0)


@pytest.mark.parametrize(("t", "argument"), [(np.nan, "t"), (np.inf, "t"), ("soon", "t"), (1e17, "duration"), (1e15, "record_interval")])
def test_a_time_that_is_none_or_does_not_go_on_is_refused(t, argument):
    """At 1e15 s frames of 0.02 s are all at the same time, so the run never ended; at 1e17 s it "finished" where it began."""
    m = lw.Mechanism("stone")
    m.add_body("stone", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(lw.StateError) as caught:
        lw.simulate(m, 1.0, t=t)
    assert caught.value.argument == argument
