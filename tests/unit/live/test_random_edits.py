"""Random edits of a mechanism in motion: never a crash, never NaN, undo restores the identical mechanism, joining keeps momentum."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import linkwork as lw

from .mechanisms import kinetic, total_momentum

KINDS = (
    lw.Weld(),
    lw.Revolute((0, 1, 0)),
    lw.Prismatic((1, 0, 0)),
    lw.Spherical(),
    lw.Universal((1, 0, 0), (0, 1, 0)),
    lw.Cylindrical((0, 0, 1)),
    lw.Planar((0, 0, 1)),
)
number = st.floats(-1.0, 1.0)
point = st.tuples(number, number, number)
which = st.integers(0, 20)
BODY = st.tuples(st.just("body"), point, st.tuples(*[number] * 6), st.floats(0.1, 5.0))
JOIN = st.tuples(st.just("join"), which, which, st.sampled_from(KINDS), point)
RUN = st.tuples(st.just("run"), st.floats(0.001, 0.1))
EDITS = st.one_of(
    *(BODY, BODY, BODY, JOIN, JOIN, JOIN, JOIN, RUN, RUN, RUN),
    st.tuples(st.just("nail"), which, st.sampled_from(KINDS)),
    st.tuples(st.just("spring"), which, which, st.floats(0.0, 200.0)),
    st.tuples(st.just("string"), which, which, st.floats(0.0, 200.0)),
    st.tuples(st.just("distance"), which, which),
    st.tuples(st.just("remove"), which),
    st.tuples(st.just("rename"), which, st.text(max_size=8)),
    st.tuples(st.just("mass"), which, st.floats(-1.0, 1e4)),
    st.tuples(st.just("copy"), which),
    st.tuples(st.just("undo")),
    st.tuples(st.just("redo")),
    st.tuples(st.just("pull"), which, point, st.booleans()),
    st.tuples(st.just("draw"), which, point),
    st.tuples(st.just("rewind"), st.floats(0.0, 1.0)),
    st.tuples(st.just("reset")),
)


def pick(parts, k):
    return parts[k % len(parts)].name if parts else None


def apply(live, edit, count):
    """One edit; returns False where there is nothing to do it to."""
    verb, *rest = edit
    bodies = live.mechanism.bodies
    everything = [*bodies, *live.mechanism.joints, *live.mechanism.forces, *live.mechanism.constraints]
    if verb == "body":
        p, twist, mass = rest
        live.add_body(f"b{count}", mass=mass, inertia=(0.1 * mass,) * 3, pose=lw.Pose(p), twist=twist)
    elif verb == "run":
        live.advance(rest[0])
    elif verb in ("undo", "redo"):
        getattr(live, verb)()
    elif verb == "reset":
        live.reset()
    elif verb == "rewind":
        live.rewind(rest[0])
    elif not bodies:
        return False
    elif verb == "join":
        a, b, kind, p = rest
        a, b = pick(bodies, a), pick(bodies, b)
        poses = live.poses()
        there = poses[a] @ lw.Pose(p)
        live.add_joint(f"j{count}", kind, lw.Place(a, lw.Pose(p)), lw.Place(b, poses[b].inverse() @ there))
    elif verb == "nail":
        body = pick(bodies, rest[0])
        live.add_joint(f"n{count}", rest[1], lw.Place("ground", live.poses()[body]), body)
    elif verb == "spring":
        live.add_force(f"s{count}", lw.SpringDamper(rest[2], 0.1, 0.5), pick(bodies, rest[0]), pick(bodies, rest[1]))
    elif verb == "string":
        live.add_force(f"r{count}", lw.RubberString(rest[2], 0.5), pick(bodies, rest[0]), pick(bodies, rest[1]))
    elif verb == "distance":
        a, b = pick(bodies, rest[0]), pick(bodies, rest[1])
        poses = live.poses()
        live.add_constraint(f"d{count}", lw.Distance(float(np.linalg.norm(poses[a].translation - poses[b].translation)) or 0.1), a, b)
    elif verb == "remove":
        live.remove(pick(everything, rest[0]))
    elif verb == "rename":
        live.rename(pick(everything, rest[0]), rest[1])
    elif verb == "mass":
        live.change(pick(bodies, rest[0]), mass=rest[1])
    elif verb == "copy":
        live.copy(pick(bodies, rest[0]), f"c{count} ", offset=(0.0, 2.0, 0.0))
    elif verb == "pull":
        live.pull(pick(bodies, rest[0]), (0, 0, 0), rest[1], hard=rest[2])
    elif verb == "draw":
        live.pose_to(pick(bodies, rest[0]), (0, 0, 0), rest[1])
    return True


def sound(live):
    for array in (live.q, live.v, *live.pose_arrays()):
        assert np.isfinite(array).all()


@pytest.mark.slow
@settings(max_examples=25, phases=[Phase.explicit, Phase.generate])
@given(st.lists(BODY, min_size=2, max_size=4), st.lists(EDITS, min_size=5, max_size=25))
def test_no_script_of_edits_does_harm(bodies, edits):
    """Every edit takes effect or raises a LinkworkError and leaves mechanism and state as they were; time goes on after it."""
    live = lw.Live(lw.Mechanism("game", gravity=(0, 0, -1.0)))
    for count, edit in enumerate([*bodies, *edits]):
        before, moment, momentum = live.mechanism.clone(), live.moment, total_momentum(live)
        pulled, energy = live.pulling is not None, kinetic(live)
        try:
            done = apply(live, edit, count)
        except lw.LinkworkError as refusal:
            assert str(refusal)
            assert live.mechanism == before
            assert live.moment.same_state(moment) or edit[0] in ("pull", "draw") or pulled
            continue
        sound(live)
        if done and edit[0] == "join" and not pulled and live.last_edit.moved < 1e-9 and not grounded(live, f"j{count}"):
            scale = np.abs(momentum).max() + 1e-3
            assert np.allclose(total_momentum(live), momentum, rtol=0, atol=1e-8 * scale)
            assert kinetic(live) <= energy * (1 + 1e-9) + 1e-12
    live.release()
    final, moment = live.mechanism.clone(), live.moment
    count = len(live.edits)
    for _ in range(count):
        live.undo()
    assert live.mechanism == lw.Mechanism("game", gravity=(0, 0, -1.0))
    for _ in range(count):
        live.redo()
    assert live.mechanism == final and live.moment.same_state(moment)
    live.advance(0.02)
    sound(live)


def grounded(live, joint):
    """Does ground take up part of the impulse?"""
    from linkwork.parts.graph import assembly_of

    return "ground" in assembly_of(live.mechanism, live.mechanism.joint(joint).child_body) or bool(live.mechanism.constraints)


def test_the_grammar_reaches_joined_bodies():
    """The test above would prove little if all its edits were refused."""
    live = lw.Live(lw.Mechanism("game", gravity=(0, 0, -1.0)))
    script = [
        ("body", (0.0, 0.0, 0.0), (0.1,) * 6, 1.0),
        ("body", (1.0, 0.0, 0.0), (0.2,) * 6, 2.0),
        ("join", 0, 1, KINDS[1], (0.5, 0.0, 0.0)),
    ]
    for count, edit in enumerate([*script, ("run", 0.1), ("nail", 0, KINDS[3]), ("spring", 0, 1, 10.0), ("copy", 0)]):
        assert apply(live, edit, count)
    assert len(live.mechanism.bodies) == 4 and len(live.mechanism.joints) == 3
    assert live.last_edit.energy_lost == pytest.approx(0.0, abs=1e-9)
