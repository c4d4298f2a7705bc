"""What a build costs: people edit mechanisms while they run, and every edit builds anew. Counted in calls, which no other program disturbs."""

import cProfile
import pstats

import linkwork as lw


def chains(groups, length=10):
    """Hanging chains of boxes, each closed by a loop."""
    m = lw.Mechanism("chains")
    for g in range(groups):
        before = m.ground.at(g, 0, 2)
        for k in range(length):
            box = m.add_body(f"{g}.{k}", shape=lw.Box(0.1, 0.02, 0.02), density=1000.0)
            m.add_joint(f"joint {g}.{k}", lw.Revolute((0, 1, 0)), before, box.at(-0.05, 0, 0))
            before = box.at(0.05, 0, 0)
        m.add_joint(f"closing {g}", lw.Revolute((0, 1, 0)), m.ground.at(g + 0.55, 0, 2), before)
    return m


def calls(function):
    profile = cProfile.Profile()
    profile.runcall(function)
    return pstats.Stats(profile).total_calls


def test_a_build_is_a_few_hundred_calls_a_body_and_linear():
    small, large = chains(5), chains(20)
    small.build()  # what is worked out once, such as plain kernels
    few, many = calls(small.build), calls(large.build)
    assert many < 200 * 350  # 56 thousand when written; a call takes about half a microsecond
    assert many < 4.2 * few
