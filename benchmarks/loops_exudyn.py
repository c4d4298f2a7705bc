"""Exudyn on the loops benchmark: six coordinates and more a body, a row for every joint condition, implicit steps (Newton's method).

It has no call for accelerations alone. Two things are measured: a step of its integrator, and the start of its solver, which finds the
accelerations of the first instant (and the multipliers) from the full system: the nearest it has to a forward-dynamics solve.
A planar design is built from its planar bodies and joints, as its own four-bar example is: fewer coordinates and no redundant rows.
"""

import sys
import time

sys.exudynFast = True  # its build without range checks and with AVX2; must be said before the import
import exudyn as exu  # noqa: E402
import numpy as np  # noqa: E402
from exudyn import itemInterface  # noqa: E402
from loops_mechanisms import GRAVITY, GROUND  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

FREE_Z = {"hinge": [1, 1, 1, 1, 1, 0], "slide": [1, 1, 0, 1, 1, 1], "universal": [1, 1, 1, 0, 0, 1]}  # rows of a generic joint
UP = np.array(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))  # our plane xz is its plane xy: rows are its axes


class Exudyn:
    """One design at its assembled pose and the velocity of a reference. linear: EXUdense, EigenDense, EigenSparse, EigenSparseSymmetric."""

    def __init__(self, design, reference, linear="EigenSparse", integrator="GeneralizedAlpha", planar=None, step=1e-3, tolerance=1e-8):
        self.design, self.reference = design, reference
        self.planar = design.planar if planar is None else planar
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.ground = self.system.AddObject(itemInterface.ObjectGround())
        self.node, self.body = {}, {GROUND: self.ground}
        for body in design.bodies:
            (self._add_planar if self.planar else self._add_spatial)(body)
        for joint in design.joints:
            (self._join_planar if self.planar else self._join_spatial)(joint)
        self.system.Assemble()
        self.settings = settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.solution.sensors.active = False
        settings.linearSolver.solverType = getattr(exu.LinearSolverType, linear)
        settings.linearSolver.reuseAnalyzedPattern = True
        integration = settings.timeIntegration
        integration.solverType = getattr(exu.DynamicSolverType, integrator)
        integration.verboseMode, integration.stepInformation = 0, 0
        integration.newton.useModifiedNewton, integration.newton.relativeTolerance = True, tolerance
        integration.adaptiveStep = False
        integration.generalizedAlpha.computeInitialAccelerations = True
        if not self.planar and design.planar:
            settings.linearSolver.ignoreSingularJacobian = True  # redundant rows: its dense solver with full pivoting
            settings.linearSolver.solverType = exu.LinearSolverType.EigenDense
        self.step = step

    def start(self, steps=1):
        """A solver with the accelerations of the first instant found."""
        self.settings.timeIntegration.numberOfSteps = steps
        self.settings.timeIntegration.endTime = steps * self.step
        solver = exu.MainSolverImplicitSecondOrder()
        solver.InitializeSolver(self.system, self.settings)
        return solver

    def accelerations(self):
        """Of all bodies at the first instant, as the reference has them."""
        solver = self.start()
        rows = []
        for body in self.design.bodies:
            alpha, a = (self._output(body, kind) for kind in ("AngularAcceleration", "Acceleration"))
            rows.append(np.r_[UP.T @ alpha, UP.T @ a] if self.planar else np.r_[alpha, a])
        solver.FinalizeSolver(self.system, self.settings)
        return np.array(rows)

    def seconds_a_step(self, steps=400, repeats=5):
        """Best mean time of a step over runs of `steps`, starting and ending not counted; None if a run fails."""
        best = np.inf
        for _ in range(repeats):
            solver = self.start(steps)
            before = time.perf_counter()
            if not solver.SolveSteps(self.system, self.settings):
                return None
            best = min(best, (time.perf_counter() - before) / steps)
            self.iterations = solver.it.newtonStepsCount / steps
            self.jacobians = solver.it.newtonJacobiCount / steps
            solver.FinalizeSolver(self.system, self.settings)
        return best

    def solver(self):
        """The accelerations (and multipliers) of the first instant, in a solver that is set up already."""
        solver, system, settings = self.start(), self.system, self.settings
        return lambda: solver.InitializeSolverInitialConditions(system, settings)

    # ---- inside

    def _output(self, body, kind):
        return np.array(
            self.system.GetNodeOutput(
                self.node[body.name], variableType=getattr(exu.OutputVariableType, kind), configuration=exu.ConfigurationType.Current
            )
        )

    def _add_spatial(self, body):
        """Euler parameters, the node at the mass centre. (Its rotation vectors with Lie-group updates are no faster here.)"""
        omega, v = np.split(self.reference.twist(body.name), 2)
        centre, R = body.origin + body.rotation @ body.com, body.rotation
        e = np.roll(Rotation.from_matrix(R).as_quat(), 1)
        rate = 0.5 * _quaternion_product(np.r_[0.0, omega], e)
        node = itemInterface.NodeRigidBodyEP(referenceCoordinates=np.r_[centre, e], initialVelocities=np.r_[v, rate])
        self.node[body.name] = self.system.AddNode(node)
        I = body.inertia
        inertia = [I[0, 0], I[1, 1], I[2, 2], I[1, 2], I[0, 2], I[0, 1]]
        self._place(body, itemInterface.ObjectRigidBody(mass=body.mass, inertia=inertia, nodeNumber=self.node[body.name]), GRAVITY)

    def _place(self, body, thing, gravity):
        self.body[body.name] = self.system.AddObject(thing)
        marker = self.system.AddMarker(itemInterface.MarkerBodyMass(bodyNumber=self.body[body.name]))
        self.system.AddLoad(itemInterface.LoadMassProportional(markerNumber=marker, loadVector=gravity))

    def _join_spatial(self, joint):
        markers = []
        for name in (joint.parent, joint.child):
            R, p = (np.eye(3), np.zeros(3)) if name == GROUND else self._frame(name)
            point, turn = R.T @ (joint.origin - p), R.T @ joint.rotation
            if joint.kind == "ball":
                marker = itemInterface.MarkerBodyPosition(bodyNumber=self.body[name], localPosition=point)
            else:
                marker = itemInterface.MarkerBodyRigid(bodyNumber=self.body[name], localHT=exu.HT(rotation=turn, translation=point))
            markers.append(self.system.AddMarker(marker))
        if joint.kind == "ball":
            self.system.AddObject(itemInterface.ObjectJointSpherical(markerNumbers=markers))
        else:
            self.system.AddObject(itemInterface.ObjectJointGeneric(markerNumbers=markers, constrainedAxes=FREE_Z[joint.kind]))

    def _frame(self, name):
        body = self.design.body(name)
        return body.rotation, body.origin + body.rotation @ body.com

    def _add_planar(self, body):
        omega, v = np.split(self.reference.twist(body.name), 2)
        R, centre = self._frame(body.name)
        inertia = (R @ body.inertia @ R.T)[1, 1]
        node = itemInterface.NodeRigidBody2D(
            referenceCoordinates=np.r_[(UP @ centre)[:2], 0.0], initialVelocities=np.r_[(UP @ v)[:2], (UP @ omega)[2]]
        )
        self.node[body.name] = self.system.AddNode(node)
        thing = itemInterface.ObjectRigidBody2D(mass=body.mass, inertia=inertia, nodeNumber=self.node[body.name])
        self._place(body, thing, UP @ GRAVITY)

    def _join_planar(self, joint):
        markers = []
        for name in (joint.parent, joint.child):
            p = np.zeros(3) if name == GROUND else self._frame(name)[1]
            marker = itemInterface.MarkerBodyPosition(bodyNumber=self.body[name], localPosition=np.r_[(UP @ (joint.origin - p))[:2], 0.0])
            markers.append(self.system.AddMarker(marker))
        self.system.AddObject(itemInterface.ObjectJointRevolute2D(markerNumbers=markers))


def _quaternion_product(a, b):
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]
