"""The box of J. M. Wendlandt, "Control and Simulation of Multibody Systems" (Berkeley 1997), section 5.3: thrown on a floor, it turns over and comes to rest.

    python papers/wendlandt_box.py            the run, theirs and ours
    python papers/wendlandt_box.py --json     the numbers
    python papers/wendlandt_box.py --write    to docs/papers

A point of soft contact that sticks and slips (lw.StickSlip) at each vertex, steps of 1 ms; beside it the exact contact of lw.ContactStepping.
"""

import time

import numpy as np
from paper import machine, publish, table

import linkwork as lw

DURATION, STEP = 1.5, 1e-3
MASS, SIZE = 70.0, (0.3, 0.4, 0.2)
STIFFNESS, DAMPING, SLOW = 75000.0, 2000.0, 1e-3
FRICTION, STATIC = 0.4, 0.5
START = (0.0, 0.0, 0.3), (5.0, 0.0, -0.04), (0.9239, 0.2706, 0.2706, 0.0)
LOWER = ((0.15, -0.2), (0.15, 0.2), (-0.15, 0.2), (-0.15, -0.2))
VERTICES = (*((x, y, -0.1) for x, y in LOWER), *((x, y, 0.1) for x, y in LOWER))
CLOSED = 1e-4  # m: with exact contact a vertex that turns while it lands ends its step as near to the floor as this
SINK = MASS * 9.81 / (4 * STIFFNESS)  # static penetration of four vertices

# Theirs: what section 5.3 says of the run. Vertices are numbered from 1.
TOUCH, SETTLED, ITERATIONS = 0.102, 1.3, 5
RESTING, NEVER = (5, 6, 7, 8), (3, 4)

METHODS = {
    "variational": lw.Variational(step=STEP),
    "Runge-Kutta": lw.RungeKutta4(step=STEP),
    "implicit (Radau IIA)": lw.Implicit(step=STEP),
    "adaptive, 1e-8": lw.Adaptive(rtol=1e-8, atol=1e-10),
}
SCANNED = (0.2, 0.3, 0.35, 0.38, 0.4, 0.42, 0.45, 0.5, 0.6)


def box(friction=FRICTION, static=STATIC, soft=True):
    m = lw.Mechanism("box")
    m.add_body("box", shape=lw.Box(*SIZE, surface=lw.Surface(friction)), density=MASS / float(np.prod(SIZE)))
    if soft:
        for k, vertex in enumerate(VERTICES, 1):
            m.add_force(f"vertex {k}", lw.StickSlip(STIFFNESS, DAMPING, friction, static, SLOW), m.body("box").at(*vertex))
    else:
        m.add_floor(surface=lw.Surface(friction))
    return m.build()


def start(model):
    """(q, v): velocities of the model are those of the body's own axes."""
    p, velocity, turn = START
    turn = np.array(turn) / np.linalg.norm(turn)
    return [*p, *turn], [0.0, 0.0, 0.0, *(lw.Pose(p, tuple(turn)).rotation.T @ velocity)]


def heights(q):
    return (lw.Pose(tuple(q[:3]), tuple(q[3:])).act(np.array(VERTICES)))[:, 2]


def run(model, integrator, duration=DURATION):
    """What happens, looked at every millisecond."""
    q, v = start(model)
    sim = lw.Simulation(model, integrator, q=q, v=v, record_interval=STEP)
    soft = bool(sim.system.memory)
    begun, states, below, iterations = time.process_time(), [], [], []
    for _ in range(round(duration / STEP)):
        before = sim.method.iterations
        sim.advance(STEP)
        iterations.append(sim.method.iterations - before)
        states.append([kept[0] for kept in sim.system.memory.values()] if soft else [])
        below.append(heights(sim.state.q))
    seconds, recording = time.process_time() - begun, sim.recording
    states, below, times = np.array(states), np.array(below), STEP * np.arange(1, len(below) + 1)
    fast = np.abs(recording.v[1:]).max(axis=1) > 0.01
    closed = below <= (0.0 if soft else CLOSED)
    touch = int(np.argmax(closed.any(axis=1)))
    found = {
        "status": sim.status.word,
        "touch": float(times[touch]),
        "first": int(1 + np.argmin(below[touch])),
        "settled": float(times[np.flatnonzero(fast)[-1]]) if not fast[-1] else None,
        "touched": [k + 1 for k in range(8) if closed[:, k].any()],
        "resting": [k + 1 for k in range(8) if closed[-1, k]],
        "q": recording.q[-1].tolist(),
        "speed": float(np.abs(recording.v[-1]).max()),
        "seconds": seconds,
        "most_iterations": int(max(iterations)),
        "iterations_at_rest": int(iterations[-1]),
        "numerical": float(recording.audit.numerical / recording.audit.scale),
        "sideways": float(np.abs(recording.q[:101, 1]).max()),
    }
    if soft:
        held = (states[:, 4:] == 2.0).all(axis=1)
        found["sticking"] = [k + 1 for k in range(8) if states[-1][k] == 2.0]
        found["stuck"] = float(times[np.flatnonzero(~held)[-1] + 1]) if held[-1] else None
    return found


def scan():
    """What the friction, which is not given, does to the run."""
    rows = []
    for friction in SCANNED:
        found = run(box(friction, friction + 0.1), lw.RungeKutta4(step=STEP))
        rows.append({"friction": friction, **found, "turned": bool(lw.Pose((0, 0, 0), tuple(found["q"][3:])).rotation[2, 2] < -0.9)})
    return rows


def results():
    soft, hard = box(), box(soft=False)
    return {
        "machine": machine(),
        "soft": {name: run(soft, method) for name, method in METHODS.items()},
        "finer": run(soft, lw.RungeKutta4(step=1e-5)),
        "hard": run(hard, lw.ContactStepping(step=STEP)),
        "hard, finer": run(hard, lw.ContactStepping(step=1e-4)),
        "scan": scan(),
    }


def place(q):
    return ", ".join(f"{x:.3f}" for x in q)


def vertices(numbers):
    return " ".join(map(str, numbers)) or "none"


def document(found):
    runs = {
        **found["soft"],
        "Runge-Kutta, 10 us": found["finer"],
        "exact contact": found["hard"],
        "exact contact, 0.1 ms": found["hard, finer"],
    }
    rows = [["published", TOUCH, "1 first", SETTLED, "5 6 7 8", "top down, a slight turn about x", "5 at most, 1 at rest"]]
    for name, r in runs.items():
        newton = f"{r['most_iterations']} at most, {r['iterations_at_rest']} at rest" if r["most_iterations"] else "-"
        rows.append(
            [
                name,
                r["touch"],
                f"{r['first']} first",
                r["settled"],
                vertices(r["resting"]),
                f"{place(r['q'][:3])}; {place(r['q'][3:])}",
                newton,
            ]
        )
    head = ["", "first touch s", "vertex", "at rest from s", "resting on", "position m; quaternion", "iterations of Newton's method"]
    of_friction = [
        [
            r["friction"],
            r["touch"],
            r["settled"],
            vertices(r["touched"]),
            vertices(r["resting"]),
            place(r["q"][:3]),
            "yes" if r["turned"] else "no",
        ]
        for r in found["scan"]
    ]
    soft = found["soft"]["variational"]
    return f"""
# A box on the floor: Wendlandt 1997, section 5.3

J. M. Wendlandt, *Control and Simulation of Multibody Systems*, Berkeley 1997: a box of {MASS:g} kg, {SIZE[0]} x {SIZE[1]} x {SIZE[2]} m, is thrown
on the floor at 5 m/s. Contact is soft: at each vertex a spring of 75 kN/m and a damper of 2 kN s/m along the normal, and along the floor a machine
of six states that slides, sticks by the same spring, and slips (`lw.StickSlip`); steps of 1 ms for 1.5 s. Written by `papers/wendlandt_box.py`. Not
given there, and ours: the inertia, of a homogeneous box, and the coefficients of friction, {FRICTION} sliding and {STATIC} sticking: those with
which the box does what is told of it.

## The run

Told there: vertex 1 touches first, at 0.102 s, and slides; y stays until the impact and then grows; vertices 1 and 2 touch and end free, 3 and 4 never touch,
5 to 8 end sticking: the top becomes the bottom, by a turn mostly about y. All of it is so in each of our runs with the soft contact.

{table(head, rows)}

"At rest" is the last time at which a velocity is above 1 cm/s or 0.01 rad/s; in the variational run all of 5 to 8 stick from {soft["stuck"]} s on.
Touched: {vertices(soft["touched"])}; |y| before 0.101 s at most {soft["sideways"]:.1g} m. The static penetration is m g / (4 k) =
{1e3 * SINK:.3f} mm, so z at rest is {0.1 - SINK:.5f} m with the soft contact, and 0.1 m with the exact one.

The thesis' integrator evaluates forces at the middles of steps; ours (`lw.Variational`) at their ends with the mean velocity, which differs at the order
of the method, and iterates until a correction is below the rounding of the motion: 2 corrections at rest where the thesis, with a tolerance that it
does not tell, needs 1.

With the exact contact nothing sinks in and nothing rebounds (restitution 0), so it lands otherwise: the soft floor gives the edge some milliseconds
to turn the box. The two end at different places.

## Friction

Runge-Kutta, steps of 1 ms, sticking friction 0.1 above that of sliding.

{table(["sliding friction", "first touch s", "at rest from s", "touched", "resting on", "position m", "turned over"], of_friction)}

Measured on {found["machine"]}, processor time for 1.5 s, looked at 1500 times: {", ".join(f"{name} {r['seconds']:.2g} s" for name, r in runs.items())}.
Matlab took 411 s on a Sun Ultra 2 of 200 MHz.
"""


if __name__ == "__main__":
    publish("wendlandt_box", results, document)
