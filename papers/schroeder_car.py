"""The police car of P. Schröder, "The Virtual Erector Set" (MIT 1990), section 7.3: braked into a slide that ends across the road.

    python papers/schroeder_car.py            what is printed there, and ours
    python papers/schroeder_car.py --json     the numbers
    python papers/schroeder_car.py --write    to docs/papers

A box on four springs with dampers, pulled by motors at its front wheels and slowed by brakes, which are viscous, at all wheels. Practice runs with
menus (motor, brakes, turn, straighten) were refined to a script. Size and inertia of the box, motor forces and times are not printed; ours are below.
"""

import numpy as np
from paper import cell, publish, table
from scipy.optimize import brentq

import linkwork as lw

MASS, FRONT, REAR, TRACK = 2000.0, 1.95, 1.521, 1.794  # kg, m ahead of the centre of mass, m behind it, m
STIFFNESS, DAMPING = 50000.0, {"front": 2500.0, "rear": 3500.0}  # of the support at each wheel
BRAKES = {"front": 1000.0, "rear": 500.0}  # N s/m at each wheel
G = 9.81
# What follows from these by statics of the level car: load of a wheel (N) and its deflection (m), and the pitch (deg), nose up.
STATIC = {"front": (4299.0, 0.0860), "rear": (5511.0, 0.1102), "pitch": 0.40}
TURNED = 100.0  # deg: the aim of the film

BOX = (4.8, 1.8, 1.4)  # m, ours
HEIGHT = 0.6  # m of the centre of mass above the wheels' points, ours
PULL = 6000.0  # N of the motor at each front wheel, ours
WHEELS = {
    f"{end} {side}": (x, y) for end, x in (("front", FRONT), ("rear", -REAR)) for side, y in (("left", TRACK / 2), ("right", -TRACK / 2))
}


def car():
    """(model, q at rest on its wheels)."""
    m = lw.Mechanism("police car", gravity=(0, 0, -G))
    x, y, z = BOX
    body = m.add_body("car", mass=MASS, inertia=MASS / 12 * np.array((y * y + z * z, x * x + z * z, x * x + y * y)))
    for wheel, (x, y) in WHEELS.items():
        end, place = wheel.split()[0], body.at(x, y, -HEIGHT)
        m.add_force(f"support {wheel}", lw.Support(STIFFNESS, DAMPING[end]), place)
        m.add_force(f"brake {wheel}", lw.ViscousDamping(BRAKES[end]), place)
        if end == "front":
            m.add_force(f"motor {wheel}", lw.Motor(reaction=False), place)
    model = m.build()
    # Statics: two unknowns, height and pitch, as all four springs are alike.
    k, a = 4 * STIFFNESS, 2 * STIFFNESS * (FRONT - REAR)
    b = 2 * STIFFNESS * (FRONT**2 + REAR**2)
    sinking, slope = np.linalg.solve([[k, a], [a, b]], [MASS * G, 0.0])
    q = lw.neutral(model)
    q[2], q[5] = HEIGHT - sinking, np.sin(slope / 2)
    q[3] = np.sqrt(1.0 - q[5] ** 2)
    return model, q


class Drive:
    """The car under the hands of its driver: each command holds until the next."""

    def __init__(self, frame=1 / 30):
        self.model, q = car()
        self.sim = lw.Simulation(self.model, lw.Adaptive(rtol=1e-8, atol=1e-8), q=q, record_interval=frame)
        self.brake(False)

    def motor(self, pull, steer=0.0):
        """Both front wheels pull with this force, turned to the left by `steer` rad."""
        for side in ("left", "right"):
            self.sim.change(f"motor front {side}", force=(pull * np.cos(steer), pull * np.sin(steer), 0.0))

    def brake(self, on):
        for wheel in WHEELS:
            self.sim.switch(f"brake {wheel}", on)

    def run(self, seconds):
        return self.sim.run(seconds)


def attitude(q):
    """(heading, roll) in rad of states (n, 7): the heading unwound."""
    w, x, y, z = q[:, 3:].T
    return np.unwrap(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))), np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))


def slide(turning, accelerating=3.0, settle=6.0, steer=0.5, frame=1 / 30):
    """Accelerate, turn for a while under power, then brake until the car stands. Times in s, `steer` in rad. Returns the recording."""
    drive = Drive(frame)
    drive.motor(PULL)
    drive.run(accelerating)
    drive.motor(PULL, steer)
    drive.run(turning)
    drive.motor(0.0)
    drive.brake(True)
    return drive.run(settle)


def judged(recording):
    """What became of it."""
    heading, roll = attitude(recording.q)
    return {
        "heading": np.degrees(heading[-1]),
        "largest_roll": np.degrees(np.abs(roll)).max(),
        "overturned": bool(np.abs(roll).max() > np.pi / 2),
        "speed": np.linalg.norm(recording.v[:, 3:5], axis=1).max(),
        "speed_at_end": np.linalg.norm(recording.v[-1, 3:6]),
        "place": recording.q[-1, :2],
        "numerical": recording.audit.numerical,
        "scale": recording.audit.scale,
    }


def statics():
    """Load (N) and deflection (m) of a front and a rear wheel, and the pitch (deg), nose up, where all forces balance."""
    model, q = car()
    q = lw.equilibrium(model, q).q
    pose = lw.forward_kinematics(model, q).pose("car")
    found = {}
    for wheel, (x, y) in WHEELS.items():
        deflection = -float(pose.act(np.array((x, y, -HEIGHT)))[2])
        found[wheel.split()[0]] = (STIFFNESS * deflection, deflection)
    return found | {"pitch": float(np.degrees(-2 * np.arcsin(q[5])))}


def turning_time(aim=TURNED):
    """s under power with turned wheels after which the slide ends at this heading (deg), by root finding over whole runs."""
    return brentq(lambda t: judged(slide(t))["heading"] - aim, 0.2, 0.5, xtol=1e-4)


def results():
    turning = turning_time()
    speed = {}
    for name, frame in (("1/30", 1 / 30), ("1/4", 1 / 4)):
        recording = slide(turning, frame=frame)
        speed[name] = recording.audit.simulated_time / recording.audit.wall_time
    return {
        "statics": statics(),
        "turning": turning,
        "good": judged(slide(turning)),
        "bad": judged(slide(1.0, accelerating=4.0)),
        "real_time": speed,
    }


def document(found):
    rows = [
        [f"{end} wheel: {what}", cell(STATIC[end][k]), f"{found['statics'][end][k]:.{digits}f}"]
        for end in ("front", "rear")
        for k, what, digits in ((0, "load N", 0), (1, "deflection m", 4))
    ]
    rows.append(["pitch deg, nose up", cell(STATIC["pitch"]), f"{found['statics']['pitch']:.2f}"])
    good, bad = found["good"], found["bad"]
    end = [
        ["speed before braking, m/s", f"{good['speed']:.1f}", f"{bad['speed']:.1f}"],
        ["heading at the end, deg", f"{good['heading']:.1f}", f"{bad['heading']:.1f}"],
        ["largest roll, deg", f"{good['largest_roll']:.1f}", f"{bad['largest_roll']:.1f}"],
        ["overturned", "yes" if good["overturned"] else "no", "yes" if bad["overturned"] else "no"],
        ["numerical energy, J of J", *(f"{abs(x['numerical']):.1e} of {x['scale']:.0f}" for x in (good, bad))],
    ]
    x, y, z = BOX
    shift = 1e3 * HEIGHT * np.sin(np.radians(found["statics"]["pitch"]))
    return f"""# Police car: Schröder 1990, section 7.3

P. Schröder, *The Virtual Erector Set*, MIT 1990: the car of the film "Grinning Evil Death", braked into a slide that ends at about 100 degrees without
overturning. Written by `papers/schroeder_car.py`. Given there: 2000 kg; wheels 1.95 m ahead and 1.521 m behind, track 1.794 m; supports of 50 kN/m,
dampers of 2500 N s/m in front, 3500 behind; viscous brakes of 1000 and 500 N s/m a wheel; motors along the front wheels. Not given, and ours: a box of
{x} x {y} x {z} m, its centre {HEIGHT} m above the wheels' points, {PULL:g} N a motor, and the driver's times.

## At rest on its wheels

Expected from the numbers given, by statics of the level car. Ours is in equilibrium as it stands, nose up: the wheels' points, below the centre of
mass, are then {shift:.1f} mm further ahead.

{table(["", "expected", "ours"], rows)}

## The slide

3 s of acceleration, wheels turned by 0.5 rad to the left for {found["turning"]:.4f} s under power, then motors off and brakes on until the car stands:
the time was found so that the heading ends at 100 degrees. A bad setting, 4 s and 1 s, overturns it, as bad settings did in the thesis.

{table(["", "good", "bad"], end)}

Theirs ran 1.5 times as fast as real time with frames of 1/4 s, drawn over a network. Ours, without drawing:
{found["real_time"]["1/30"]:.0f} times with frames of 1/30 s, {found["real_time"]["1/4"]:.0f} times with 1/4 s.
"""


if __name__ == "__main__":
    publish("schroeder_car", results, document)
