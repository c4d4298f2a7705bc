"""Works over random mechanisms: of what stores energy, work and energy add up to a constant; dampers only take; all methods agree with a quadrature."""

import functools
import types

import numpy as np
import pytest
from scipy.integrate import simpson

import linkwork as lw
from linkwork.kernels import JIT

from .mechanisms import FAMILIES, add_random_body, connect, direction, random_mechanism, random_pose

pytestmark = pytest.mark.skipif(not JIT, reason="thousands of steps take minutes in plain Python")
UNTIL = 0.4  # s
# What each method leaves open of the energies in play, from its tolerance (some hundred steps) or its order at this step.
METHODS = {
    lw.RungeKutta4(1e-3): 1e-5,
    lw.Adaptive(): 1e-5,
    lw.Adaptive(order=8): 1e-5,
    lw.Adams(): 1e-5,
    lw.Implicit(rtol=1e-7, atol=1e-9): 1e-5,
    lw.Implicit(2e-3): 1e-4,
    lw.Variational(2e-4): 2e-3,
}
STORING = {
    "spring": lw.SpringDamper(60.0, length=0.4),
    "band": lw.RubberString(40.0, 0.3),
    "bushing": lw.Bushing((0.0, 0.0, 0.0, 40.0, 50.0, 60.0)),  # moments of a bushing jump where it has turned by pi
    "attraction": lw.Attraction(2.0, softening=0.2),
    "support": lw.Support(300.0),
    "load": lw.Load((2.0, 0.5, -1.0)),
}
TAKING = {"damper": lw.SpringDamper(0.0, 2.0, 0.4), "viscous": lw.ViscousDamping(0.5, 0.05), "brake": lw.Brake(2.0, 0.5, 0.1, 0.2)}


@functools.cache
def case(seed):
    """(model, model of each force alone, q, v): a random tree with a force of each kind between places drawn from it."""
    rng = np.random.default_rng(seed)
    family = [name for name in FAMILIES if name != "light"][seed % (len(FAMILIES) - 1)]
    made = {}
    places = {}
    for alone in (None, *STORING, *TAKING):
        m = random_mechanism(seed, family, gravity=(0.3, 0.2, -1.0))
        for name, kind in (STORING | TAKING).items():
            if name not in places:
                places[name] = [(str(rng.choice([b.name for b in m.bodies])), random_pose(rng)) for _ in range(2)]
            (a, pose), (b, other) = places[name]
            ends = [m.body(a).at(pose), (m.ground if a == b or kind.most == 1 else m.body(b)).at(other)][: kind.most]
            if alone in (None, name):
                m.add_force(name, kind, *ends)
        made[alone] = m.build()
    model = made.pop(None)
    return model, made, lw.random_configuration(model, rng), rng.normal(size=model.nv)


def powers(model, rec):
    """The power of all forces of a model along a recording, by generalised forces: (tau + J^T w) . v, J^T w by inverse dynamics with and without w."""
    tau, wrenches = lw.applied_forces(model, rec.q, rec.v, rec.time)
    still = np.zeros_like(rec.v)
    without, pushed = (lw.inverse_dynamics(model, rec.q, still, still, f_ext, forces=False) for f_ext in (None, wrenches))
    return ((tau + without - pushed) * rec.v).sum(axis=1)


@functools.cache
def fine(seed):
    """Works by a quadrature of powers along a fine run, by names, and the energies in play."""
    model, alone, q, v = case(seed)
    rec = lw.simulate(model, UNTIL, lw.RungeKutta4(5e-5), q=q, v=v, record_interval=2e-4)
    assert rec.status == "finished"
    return {name: simpson(powers(one, rec), x=rec.time) for name, one in alone.items()}, rec.audit.scale


@pytest.mark.parametrize("integrator", METHODS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_works_are_those_of_the_powers_and_of_the_energies(seed, integrator):
    model, _, q, v = case(seed)
    works, scale = fine(seed)
    rec = lw.simulate(model, UNTIL, integrator, q=q, v=v)
    assert rec.status == "finished"
    assert all("past half a turn" in told for told in rec.audit.warnings)  # a bushing may be; what it stores is the same on both sides
    allowed = METHODS[integrator] * scale
    assert max(abs(work) for work in works.values()) > 0.01 * scale
    for name, work in works.items():
        assert rec[name, "work"][-1] == pytest.approx(work, abs=allowed), name
    for name in STORING:
        assert np.ptp(rec[name, "work"] + rec[name, "stored"]) < allowed, name
    for name in TAKING:
        assert np.diff(rec[name, "work"].ravel()).max() <= 1e-9 * scale, name


@functools.cache
def driven(seed):
    """(model, model with one force alone each, speeds): a random chain of hinges, each driven at constant speed, with springs and dampers."""
    rng = np.random.default_rng(seed)
    speeds, made, drawn = rng.uniform(2.0, 8.0, 3) * rng.choice([-1.0, 1.0], 3), {}, rng.integers(1 << 30)
    for alone in (None, "spring", "damper", "viscous"):
        again = np.random.default_rng(drawn)
        m = lw.Mechanism("driven", gravity=(0.0, 0.0, -9.81))
        body = m.ground
        for k, speed in enumerate(speeds):
            body, before = add_random_body(m, f"b{k}", again), body
            connect(m, f"j{k}", lw.Revolute(direction(again)), before, body, again, False)
            if alone is None:
                m.add_constraint(f"d{k}", lw.SpeedDrive(float(speed)), f"j{k}")
        for name in ("spring", "damper", "viscous"):
            ends = [body.at(random_pose(again)), m.ground.at(random_pose(again))]
            kind = (STORING | TAKING)[name]
            if alone in (None, name):
                m.add_force(name, kind, *ends[: kind.most])
        made[alone] = m.build()
    return made.pop(None), made, speeds


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [i for i in METHODS if getattr(i, "step", None) is None], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_works_in_prescribed_motion_are_those_of_the_powers(seed, integrator):
    """The motion is exact in any step, and asks for none: works alone decide the steps. 1e-5: some hundred steps."""
    model, alone, speeds = driven(seed)
    rec = lw.simulate(model, 6.0, integrator, q=np.zeros(3), v=speeds)
    fine = types.SimpleNamespace(time=np.linspace(0.0, 6.0, 12001))
    fine.q, fine.v = np.outer(fine.time, speeds), np.tile(speeds, (12001, 1))
    assert rec.q[-1] == pytest.approx(fine.q[-1], rel=1e-6) and rec.status == "finished"
    scale = max(np.abs(powers(one, fine)).max() for one in alone.values())
    for name, one in alone.items():
        assert rec[name, "work"][-1] == pytest.approx(simpson(powers(one, fine), x=fine.time), abs=1e-5 * 6.0 * scale), name
    assert np.ptp(rec["spring", "work"] + rec["spring", "stored"]) < 1e-5 * 6.0 * scale
    assert abs(rec["damper", "work"][-1]) > 0.1 and rec.audit.relative < 1e-6
