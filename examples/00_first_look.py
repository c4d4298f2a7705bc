"""A first look: build a robot arm and a humanoid from parts, see their structure, solve their dynamics both ways, time it.

Run it with `make run`. The first run compiles the kernels, once per machine; a line says so.
"""

import time

import numpy as np
from rich.console import Console
from rich.table import Table

import linkwork as lw

Y, Z = (0, 1, 0), (0, 0, 1)


def robot_arm():
    """Six revolute joints; aluminium tubes of 60 mm and 40 mm diameter."""
    m = lw.Mechanism("robot arm")
    link, place = m.ground, (0.0, 0.0, 0.1)  # the joint's place on the link before, m
    sizes = [(0.03, 0.25, Z), (0.03, 0.45, Y), (0.03, 0.40, Y), (0.02, 0.10, Z), (0.02, 0.10, Y), (0.02, 0.08, Z)]
    for k, (radius, length, axis) in enumerate(sizes, start=1):
        tube = m.add_body(f"link{k}", shape=lw.Cylinder(radius, length, at=lw.Pose((0, 0, length / 2))), density=2700.0)
        kind = lw.Revolute(axis, lower=-2.9, upper=2.9, effort_limit=150.0, rotor_inertia=2e-5, gear_ratio=100.0)
        m.add_joint(f"joint{k}", kind, link.at(*place), tube)
        link, place = tube, (0.0, 0.0, length)
    m.add_frame("tool", link.at(*place))
    return m


def humanoid():
    """A floating torso with a head, two arms and two legs; ball joints at shoulders and hips. Density of water."""
    m = lw.Mechanism("humanoid")
    torso = m.add_body("torso", shape=lw.Box(0.20, 0.34, 0.50), density=1000.0)  # m, kg/m^3
    head = m.add_body("head", shape=lw.Sphere(0.11), density=1000.0)
    m.add_joint("neck", lw.Universal(Y, Z), torso.at(0, 0, 0.25), head.at(0, 0, -0.13))
    for side, y in (("left", 0.2), ("right", -0.2)):
        for limb, at, upper, lower in (("arm", (0, y, 0.22), 0.28, 0.26), ("leg", (0, y / 2, -0.25), 0.42, 0.40)):
            thick = 0.04 if limb == "arm" else 0.065
            above = m.add_body(f"{side}_upper_{limb}", shape=lw.Capsule(thick, upper), density=1000.0)
            below = m.add_body(f"{side}_lower_{limb}", shape=lw.Capsule(0.8 * thick, lower), density=1000.0)
            m.add_joint(f"{side}_{'shoulder' if limb == 'arm' else 'hip'}", lw.Spherical(), torso.at(*at), above.at(0, 0, upper / 2))
            m.add_joint(
                f"{side}_{'elbow' if limb == 'arm' else 'knee'}", lw.Revolute(Y), above.at(0, 0, -upper / 2), below.at(0, 0, lower / 2)
            )
    for side in ("left", "right"):
        foot = m.add_body(f"{side}_foot", shape=lw.Box(0.24, 0.09, 0.05), density=1000.0)
        m.add_joint(f"{side}_ankle", lw.Universal(Y, (1, 0, 0)), m.body(f"{side}_lower_leg").at(0, 0, -0.2), foot.at(-0.05, 0, 0.03))
    return m


def time_per_call(function, *arguments, calls=200):
    """Best time of a call in microseconds."""
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(calls):
            function(*arguments)
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def main():
    console = Console()
    table = Table(
        "mechanism", "freedoms", "forward", "inverse", "forward, batch", "error", title="Dynamics on one core, microseconds a state"
    )
    for mechanism in (robot_arm(), humanoid()):
        console.print(str(mechanism), highlight=False)
        model = mechanism.build()
        rng = np.random.default_rng(0)
        q, v, tau = lw.random_configuration(model, rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
        vdot = lw.forward_dynamics(model, q, v, tau)  # what the forces do
        back = lw.inverse_dynamics(model, q, v, vdot)  # what forces that takes
        batch = [np.tile(x, (4096, 1)) for x in (q, v, tau)]
        table.add_row(
            mechanism.name,
            str(model.nv),
            f"{time_per_call(lw.forward_dynamics, model, q, v, tau):.2f}",
            f"{time_per_call(lw.inverse_dynamics, model, q, v, vdot):.2f}",
            f"{time_per_call(lw.forward_dynamics, model, *batch, calls=1) / 4096:.2f}",
            f"{np.abs(back - tau).max():.0e}",
        )
        energy = lw.energy(model, q, v)
        console.print(f"mass {model.mass:.2f} kg, kinetic energy {energy.kinetic:.2f} J, potential energy {energy.potential:.2f} J\n")
    console.print(table)
    console.print("error: the largest difference between tau and inverse_dynamics(forward_dynamics(tau)), in N m")


if __name__ == "__main__":
    main()
