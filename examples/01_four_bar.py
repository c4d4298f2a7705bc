"""A loop: build a four-bar linkage, close it, ask what it can do and what its joints carry."""

import numpy as np

import linkwork as lw

m = lw.Mechanism("four-bar", gravity=(0, 0, -9.81))
crank = m.add_body("crank", mass=1.0, com=(0.25, 0, 0), inertia=(0.001, 0.02, 0.02))  # kg, m, kg m^2
coupler = m.add_body("coupler", mass=2.0, com=(0.5, 0, 0), inertia=(0.002, 0.17, 0.17))
rocker = m.add_body("rocker", mass=1.5, com=(0.4, 0, 0), inertia=(0.002, 0.08, 0.08))
hinge = lw.Revolute(axis=(0, -1, 0))
m.add_joint("a", hinge, m.ground, crank)
m.add_joint("b", hinge, crank.at(0.5, 0, 0), coupler)
m.add_joint("c", hinge, coupler.at(1.0, 0, 0), rocker.at(0.8, 0, 0))  # closes the loop; nothing special about it
m.add_joint("d", hinge, m.ground.at(1.1, 0, 0), rocker)
model = m.build()
print(m)

# Close it near a guess, with the crank held at 60 degrees.
guess = np.zeros(model.nq)
for joint, angle in {"a": np.pi / 3, "b": -0.6, "d": 1.7}.items():
    guess[model.joint(joint).q_index] = angle
q = lw.assemble(model, guess, hold="a")
v = lw.project_velocity(model, q, np.where(np.arange(model.nv) == model.joint("a").v_index.start, 3.0, 0.0), hold="a")  # 3 rad/s

print("\n" + str(lw.mobility(model, q)))
print("\n" + str(lw.reactions(model, q, v)))
print("\n" + str(lw.cross_check(model, q, v)))

# Drive the crank: the torque it takes is a result.
m.add_constraint("motor", lw.Drive(lambda t: np.pi / 3 + 3.0 * t), "a")
driven = m.build()
print(f"\nholding 3 rad/s takes {lw.reactions(driven, q, v).drive('motor')[0]:.3f} N m")
