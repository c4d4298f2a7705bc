"""Tables 2.1 and 2.2 of J. M. Wendlandt, "Control and Simulation of Multibody Systems" (Berkeley 1997): variational integrators.

    python papers/wendlandt_integrators.py            the tables, theirs and ours (a minute or two)
    python papers/wendlandt_integrators.py --json     the numbers in them
    python papers/wendlandt_integrators.py --write    to docs/papers

Table 2.1: a free rigid body, by the discrete variational principle (DVP). Table 2.2: a double spherical pendulum, by DVP and by the energy-momentum
method (EM) of Gonzalez, which is also the reference. DVP is Linkwork's variational integrator: its discrete Lagrangian of a body is that of the
thesis. The pendulum is built twice, as particles with distances held by multipliers (as in the thesis) and as a tree of universal joints, and
moves the same way (theorem 2.1). EM is written out and compiled in wendlandt_energy_momentum.py, for this one system; lw.EnergyMomentum, in NumPy,
steps alike.

An error is the mean over all N times of |x_i - x_ref| / m for vectors of length m (equation 2.53).
"""

import time

import numpy as np
from paper import cell, machine, publish, table
from wendlandt_energy_momentum import energy_momentum

import linkwork as lw
from linkwork.integrators.variational.run import Run

STEPS = (1e-4, 1e-3, 1e-2, 1e-1)
DURATION = 30.0  # s; the thesis does not say it for the pendulum, where 30 s reproduces its numbers
FINE = 1e-5  # s, of the steps to the second starting point of the body

# Theirs: CPU s (MIPS R4600, 100 MHz), errors of position, energy (J) and angular momentum.
TABLE_2_1 = {
    1e-4: (97.620, 0.0, 6.256e-7, 1.671e-7),
    1e-3: (9.905, 3.960e-6, 6.274e-5, 1.687e-5),
    1e-2: (1.397, 3.997e-4, 6.274e-3, 1.687e-3),
    1e-1: (0.301, 3.648e-2, 6.217e-1, 1.665e-1),
}
ENERGIES_2_1 = {1e-4: (32.999999349, 32.999999359), 1e-3: (32.999937235, 32.999937236)}
TABLE_2_2 = {
    (1e-4, "DVP"): (73.648, 2.329e-7, 6.475e-6, 2.547e-6),
    (1e-4, "EM"): (103.871, 0.0, 0.0, 0.0),
    (1e-3, "DVP"): (9.065, 1.146e-5, 3.269e-4, 1.707e-4),
    (1e-3, "EM"): (13.250, 1.214e-5, 0.0, 0.0),
    (1e-2, "DVP"): (1.152, 1.135e-3, 3.224e-2, 1.696e-2),
    (1e-2, "EM"): (1.549, 1.225e-3, 0.0, 0.0),
    (1e-1, "DVP"): (0.211, 9.576e-2, 2.665, 1.560),
    (1e-1, "EM"): (0.263, 1.184e-1, 0.0, 0.0),
}
ENERGIES_2_2 = {1e-4: (24.944495109, 24.944499828), 1e-1: (20.910805793, 25.583335766)}


def nodes(model, q, v, h, steps):
    """q at the nodes 0, 1, ... steps of a variational run, (steps + 1, nq)."""
    run, found = Run(model, q, v), np.empty((steps + 1, model.nq))
    found[0] = q
    for k in range(1, steps + 1):
        run.step(h)
        found[k] = run.configuration()
    return found


def cpu(model, q, v, h, steps):
    """s of processor time, of a run that nobody looks at."""
    run = Run(model, q, v)
    run.step(h)
    begun = time.process_time()
    run.step(h, steps)
    return time.process_time() - begun


def mean_error(found, reference):
    """Equation 2.53."""
    found = np.asarray(found).reshape(len(found), -1)
    return float(np.linalg.norm(found - reference, axis=1).mean() / found.shape[1])


def slope(errors, first, last):
    """Of log(error) over log(h) between two steps."""
    return float(np.log(errors[last] / errors[first]) / np.log(last / first))


# ----------------------------------------------------------------------------------------------- table 2.1

INERTIA = np.array((1.0, 2.0, 3.0))
RATE = np.array((0.0, 3.0, 4.0))


def free_body():
    m = lw.Mechanism("free body", gravity=(0, 0, 0))
    m.add_body("body", mass=1.0, inertia=INERTIA)
    return m.build()


def displacement(a, b):
    """conj(a) b of quaternions (n, 4): the turns from a to b."""
    s = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])
    return np.column_stack((np.sum(a * b, axis=1), s))


def body_momentum(turn, h):
    """-D1 L_d: the momentum, in body axes, at the beginning of a step that turns by `turn`."""
    c, s = turn[:, :1], turn[:, 1:]
    return 2.0 / h * (c * INERTIA * s + np.cross(s, INERTIA * s))


def body_start(model, pair, h):
    """(q, v) for which the first step of h goes from the first quaternion of a pair to the second."""
    q, v = lw.neutral(model), np.zeros(6)
    q[3:] = pair[0]
    v[:3] = body_momentum(displacement(pair[:1], pair[1:]), h)[0] / INERTIA
    return q, v


def body_quantities(x, h):
    """(energy, momentum in the world) of each step of quaternions x."""
    turn = displacement(x[:-1], x[1:])
    energy = 2.0 / h**2 * np.sum(INERTIA * turn[:, 1:] ** 2, axis=1)
    mu, r, s = body_momentum(turn, h), x[:-1, :1], x[:-1, 1:]
    return energy, mu + 2.0 * (r * np.cross(s, mu) + np.cross(s, np.cross(s, mu)))


def table_2_1(steps=STEPS, duration=DURATION):
    """{h: numbers}. The start is that of the thesis: a step of Euler's method of 1e-5 s, then DVP with 1e-5 s up to the second node."""
    model = free_body()
    euler = np.array(((1.0, 0.0, 0.0, 0.0), (1.0, *(0.5 * FINE * RATE))))
    euler[1] /= np.linalg.norm(euler[1])
    energy, momentum = (x[0] for x in body_quantities(euler, FINE))
    fine = nodes(model, *body_start(model, euler, FINE), FINE, round(max(steps) / FINE))[:, 3:]
    finest, found = min(steps), {}
    for h in sorted(steps):
        begin = body_start(model, fine[[0, round(h / FINE)]], h)
        x = nodes(model, *begin, h, round(duration / h))[:, 3:]
        if h == finest:
            reference = x
        E, J = body_quantities(x, h)
        found[h] = {
            "cpu": cpu(model, *begin, h, round(duration / h)),
            "position": mean_error(x, reference[:: round(h / finest)]),
            "energy": mean_error(E, energy),
            "momentum": mean_error(J, momentum),
            "energies": (E.min(), E.max()),
            "momentum_spread": np.ptp(J, axis=0).max(),
        }
    return found


# ----------------------------------------------------------------------------------------------- table 2.2

MASSES, LENGTHS, G = np.array((2.0, 3.5)), np.array((4.0, 3.0)), 9.81


def pendulum_start():
    """(x, x_dot), each (2, 3): x and y are given to three decimals, z and its rate follow from the rods, both below."""
    x, u = np.array(((2.820, 0.025, 0.0), (5.085, 0.105, 0.0))), np.array(((3.381, 2.506, 0.0), (2.497, 10.495, 0.0)))
    base, rate = np.zeros(3), np.zeros(3)
    for k in range(2):
        d, w = x[k] - base, u[k] - rate
        d[2] = -np.sqrt(LENGTHS[k] ** 2 - d[0] ** 2 - d[1] ** 2)
        w[2] = -(d[0] * w[0] + d[1] * w[1]) / d[2]
        base = x[k] = base + d
        rate = u[k] = rate + w
    return x, u


def particles():
    """Two particles; rods are distances."""
    m = lw.Mechanism("double spherical pendulum", gravity=(0, 0, -G))
    before = m.ground
    for k in range(2):
        body = m.add_body(f"bob {k + 1}", mass=MASSES[k])
        m.add_joint(f"place {k + 1}", lw.Translational(), m.ground, body)
        m.add_constraint(f"rod {k + 1}", lw.Distance(LENGTHS[k]), before, body)
        before = body
    return m.build()


def rods():
    """The same as a tree: massless rods on universal joints, a particle at the end of each. At q = 0 they hang."""
    m = lw.Mechanism("double spherical pendulum, tree", gravity=(0, 0, -G))
    place = m.ground
    for k in range(2):
        body = m.add_body(f"rod {k + 1}", mass=MASSES[k], com=(0, 0, -LENGTHS[k]))
        m.add_joint(f"joint {k + 1}", lw.Universal((1, 0, 0), (0, 1, 0)), place, body)
        place = body.at(0, 0, -LENGTHS[k])
    m.add_frame("end 1", m.body("rod 1").at(0, 0, -LENGTHS[0]))
    m.add_frame("end 2", place)
    return m.build()


def step_velocity(x0, x1, h):
    """The velocities with which DVP steps from x0 to x1: p = M (x1 - x0) / h - h/2 M g, whatever the rods take from it."""
    v = (x1 - x0) / h
    v[:, 2] += 0.5 * h * G
    return v


def pendulum_quantities(x, h):
    """(energy, angular momentum about z) of each step of positions x (n, 2, 3), at its middle and its beginning."""
    u, middle = (x[1:] - x[:-1]) / h, 0.5 * (x[1:] + x[:-1])
    energy = np.einsum("k,nk->n", MASSES, 0.5 * np.sum(u**2, axis=2) + G * middle[:, :, 2])
    return energy, np.einsum("k,nk->n", MASSES, x[:-1, :, 0] * u[:, :, 1] - x[:-1, :, 1] * u[:, :, 0])


def table_2_2(steps=STEPS, duration=DURATION, reference=None):
    """{(h, method): numbers}. The reference, and the second node of DVP, are those of EM with the finest step."""
    model, (x0, u0) = particles(), pendulum_start()
    finest = min(steps) if reference is None else reference
    exact, begun = energy_momentum(MASSES, LENGTHS, G, x0, u0, finest, 2)[0], time.process_time()
    exact, p = energy_momentum(MASSES, LENGTHS, G, x0, u0, finest, round(duration / finest))
    clock = time.process_time() - begun
    E0 = 0.5 * MASSES @ np.sum(u0**2, axis=1) + G * MASSES @ x0[:, 2]
    J0 = MASSES @ (x0[:, 0] * u0[:, 1] - x0[:, 1] * u0[:, 0])
    found = {}
    for h in sorted(steps):
        every, count = round(h / finest), round(duration / h)
        q, v = x0.ravel(), step_velocity(x0, exact[every], h).ravel()
        x = nodes(model, q, v, h, count).reshape(-1, 2, 3)
        E, J = pendulum_quantities(x, h)
        found[h, "DVP"] = {
            "cpu": cpu(model, q, v, h, count),
            "position": mean_error(x, exact[::every].reshape(count + 1, -1)),
            "energy": mean_error(E, E0),
            "momentum": mean_error(J, J0),
            "energies": (E.min(), E.max()),
            "momentum_spread": np.ptp(J),
        }
        if h > finest:
            begun = time.process_time()
            x, p = energy_momentum(MASSES, LENGTHS, G, x0, u0, h, count)
            clock = time.process_time() - begun
        else:
            x = exact
        u = p / MASSES[:, None]
        E = np.einsum("k,nk->n", MASSES, 0.5 * np.sum(u**2, axis=2) + G * x[:, :, 2])
        J = np.einsum("k,nk->n", MASSES, x[:, :, 0] * u[:, :, 1] - x[:, :, 1] * u[:, :, 0])
        found[h, "EM"] = {
            "cpu": clock,
            "position": mean_error(x, exact[::every].reshape(count + 1, -1)),
            "energy": mean_error(E, E0),
            "momentum": mean_error(J, J0),
            "energies": (E.min(), E.max()),
            "momentum_spread": np.ptp(J),
        }
    return found


def theorem_2_1(h=1e-2, duration=DURATION):
    """The largest distance between the bobs of the two models, run by DVP from the same two nodes."""
    (x0, u0), count = pendulum_start(), round(duration / h)
    x1 = energy_momentum(MASSES, LENGTHS, G, x0, u0, h / 100, 100)[0][-1]
    v = step_velocity(x0, x1, h)
    x = nodes(particles(), x0.ravel(), v.ravel(), h, count).reshape(-1, 2, 3)
    tree = rods()
    # Angles of the rods: R_x(a) R_y(b) (0, 0, -l) = -l (sin b, -sin a cos b, cos a cos b), the second seen from the first.
    q, R = np.zeros(4), np.eye(3)
    for k in range(2):
        d = R.T @ (x0[k] - (x0[k - 1] if k else 0.0)) / -LENGTHS[k]
        a, b = np.arctan2(-d[1], d[2]), np.arcsin(d[0])
        q[2 * k : 2 * k + 2] = a, b
        R = lw.forward_kinematics(tree, q).rotation(f"rod {k + 1}")
    J = np.vstack([lw.jacobian(tree, q, f"end {k + 1}")[3:] for k in range(2)])
    p = J.T @ (np.repeat(MASSES, 3) * v.ravel())
    angles = nodes(tree, q, np.linalg.solve(lw.mass_matrix(tree, q), p), h, count)
    kinematics = lw.forward_kinematics(tree, angles)
    ends = np.stack([kinematics.position(f"end {k + 1}") for k in range(2)], axis=1)
    return float(np.abs(ends - x).max())


def library_method(h, steps=300):
    """The largest distance between the bobs of lw.EnergyMomentum and of the method as it is written out here."""
    x0, u0 = pendulum_start()
    own = energy_momentum(MASSES, LENGTHS, G, x0, u0, h, steps)[0]
    rec = lw.simulate(particles(), h * steps, lw.EnergyMomentum(step=h, hold_rates=False), q=x0.ravel(), v=u0.ravel(), record_interval=h)
    return float(np.abs(rec.q.reshape(-1, 2, 3) - own).max())


# ----------------------------------------------------------------------------------------------- showing


def results():
    body, pendulum = table_2_1(), table_2_2()
    dvp = {h: row for (h, method), row in pendulum.items() if method == "DVP"}
    em = {h: row for (h, method), row in pendulum.items() if method == "EM"}

    def slopes(rows, *columns):
        spans = ((1e-3, 1e-2), (1e-2, 1e-1))
        return {c: [slope({h: row[c] for h, row in rows.items()}, *span) for span in spans] for c in columns}

    return {
        "machine": machine(),
        "table_2_1": [{"h": h, "theirs": TABLE_2_1[h], **row} for h, row in body.items()],
        "table_2_2": [{"h": h, "method": m, "theirs": TABLE_2_2[h, m], **row} for (h, m), row in pendulum.items()],
        "slopes": {
            "body": slopes(body, "position", "energy", "momentum"),
            "pendulum": slopes(dvp, "position", "energy", "momentum"),
            "pendulum_em": slopes(em, "position"),
        },
        "library_method": {f"{h:g}": library_method(h) for h in (1e-2, 1e-1)},
        "theorem_2_1": {f"{h:g}": theorem_2_1(h) for h in (1e-2, 1e-1)},
    }


def document(found):
    columns = ("position", "energy", "momentum")

    def compared(rows, *names):
        for row in rows:
            theirs = row["theirs"]
            pairs = [x for k, c in enumerate(columns) for x in (theirs[1 + k], row[c])]
            yield [*(row[n] if n == "method" else f"{row[n]:g}" for n in names), theirs[0], row["cpu"], *pairs]

    head = ["CPU s theirs", "ours", "position theirs", "ours", "energy theirs", "ours", "momentum theirs", "ours"]
    spreads = [
        [
            what,
            f"{h:g}",
            f"{theirs[h][0]:.9f} to {theirs[h][1]:.9f}",
            f"{row['energies'][0]:.9f} to {row['energies'][1]:.9f}",
            row["momentum_spread"],
        ]
        for what, theirs, rows in (
            ("body", ENERGIES_2_1, found["table_2_1"]),
            ("pendulum", ENERGIES_2_2, [r for r in found["table_2_2"] if r["method"] == "DVP"]),
        )
        for h, row in ((row["h"], row) for row in rows)
        if h in theirs
    ]
    titles = {"body": "free body", "pendulum": "pendulum, DVP", "pendulum_em": "pendulum, EM"}
    slopes = [[titles[k], what, *(f"{x:.3f}" for x in both)] for k, row in found["slopes"].items() for what, both in row.items()]
    equal = ", ".join(f"{cell(x)} m at h = {h} s" for h, x in found["theorem_2_1"].items())
    same = ", ".join(f"{cell(x)} m at h = {h} s" for h, x in found["library_method"].items())
    return f"""# Variational integrators: Wendlandt 1997, tables 2.1 and 2.2

J. M. Wendlandt, *Control and Simulation of Multibody Systems*, Berkeley 1997 (UCB/ERL M97/48), chapter 2. Written by `papers/wendlandt_integrators.py`.
Theirs: SGI Indy, MIPS R4600 at 100 MHz, C. Ours: {found["machine"]}. Errors are means over all steps of |x - x_ref| / m, equation 2.53.

## Table 2.1: free rigid body

Inertia diag(1, 2, 3) kg m^2, rate (0, 3, 4) rad/s in the body, 30 s. Positions (quaternions) against those of h = 1e-4 s, energies (J) and
momenta (N m s) against those of the start.

{table(["h s", *head], compared(found["table_2_1"], "h"))}

## Table 2.2: double spherical pendulum

2.0 and 3.5 kg, rods of 4 and 3 m, 30 s (the thesis does not give the duration; this one fits its numbers). DVP: the discrete variational principle, Linkwork's
variational integrator. EM: the energy-momentum method of Gonzalez, which is the reference with h = 1e-4 s. The initial data are printed with three decimals, so
errors can be compared, energies themselves only to 5e-3 J.

{table(["h s", "method", *head], compared(found["table_2_2"], "h", "method"))}

Where theirs are 0, ours are what rounding and Newton's tolerance leave. `lw.EnergyMomentum(hold_rates=False)`, in maximal coordinates, is the same method as
this EM: over 300 steps bobs differ by at most {same}.

## Ranges

{table(["system", "h s", "energy theirs, J", "ours, J", "spread of momentum, ours"], spreads)}

## Convergence: slopes of log(error) over log(h)

The thesis shows lines of slope 2 (figures 2.2 to 2.12).

{table(["system", "error of", "1e-3 to 1e-2 s", "1e-2 to 1e-1 s"], slopes)}

## Theorem 2.1

The pendulum as particles with multipliers and as a tree of universal joints, both by DVP from the same two nodes, for 30 s: bobs differ by at most {equal}.
"""


if __name__ == "__main__":
    publish("wendlandt_integrators", results, document)
