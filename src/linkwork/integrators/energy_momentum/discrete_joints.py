"""Laws along joint coordinates as discrete gradients (discrete_gradient.py), and all forces of a system in maximal coordinates."""

import numpy as np

from ...parts.forces.kind import JOINTS
from .discrete_gradient import Force, ForceLaw, PlacesForce, follows, ground, numbers_of, press
from .maximal import BODY
from .maximal_rows import across, cross, level

FLAT = 1e-9  # rad, lengths of the mechanism: changes of a coordinate below: the slope of V in the middle takes the place of a quotient


def forces_of(system, maximal, t, z, u):
    """All forces of a system, with their energies judged at its first state."""
    active_forces, found = system.active_forces, []
    codes = iter(active_forces.codes)
    for k, info in enumerate(active_forces.infos):
        if info.kind.takes == JOINTS:
            for name, dof in info.joints:
                joint = next(j for j in maximal.joints if j.joint.name == name)
                for d in range(joint.joint.nv) if dof < 0 else (dof,):
                    found.append(JointForce(ForceLaw(info, active_forces, k, next(codes)), k, joint, d))
        else:
            found.append(PlacesForce(ForceLaw(info, active_forces, k, next(codes)), k, *(maximal.mark(*place) for place in info.places)))
    judge(found, maximal, t, z, u)
    return found


def judge(forces, maximal, t, z, u):
    """Refuse forces that are on and do not follow from their energies."""
    for force in forces:
        if force.law.acts:
            force.judge(maximal, t, z, u)


class JointForce(Force):
    """A law along one coordinate of a joint."""

    def __init__(self, law, index, joint, dof):
        super().__init__(law, index, (joint.F, joint.M))
        self.joint, self.dof = joint, dof
        kind = joint.joint.kind
        self.scalar = not (kind.ball or kind.free)
        if not self.scalar:
            return
        self.turns = joint.order[dof]
        rank = sum(1 for turns in joint.order[:dof] if turns == self.turns)
        F, M, sign = joint.F, joint.M, 1.0
        if not self.turns:
            self._rails = F.along(joint.slides[rank]), F.point(), M.point()
            return
        if len(joint.turns) == 1:
            e, f = across(joint.turns[0])
            seen = e
        elif rank == 0:
            (e, f), seen = level(joint.turns[1], joint.turns[0]), joint.turns[1]
        else:
            (e, f), seen = level(joint.turns[0], joint.turns[1]), joint.turns[0]
            F, M, sign = joint.M, joint.F, -1.0
        self.fixed, self.seen, self.sign = F, M, sign
        self._dials = F.along(e), F.along(f), M.along(seen)

    def _value(self, z, guess):
        """The coordinate."""
        if not self.turns:
            a, D = self._slide(z)
            return float(a @ D)
        c, s = self._circle(z)
        angle = self.sign * np.arctan2(s, c)
        return float(angle + 2 * np.pi * np.round((guess - angle) / (2 * np.pi)))

    def _slide(self, z):
        along, base, tip = self._rails
        Z, Y = (numbers_of(z, mark).ravel() for mark in (self.joint.F, self.joint.M))
        return along @ Z, tip @ Y - base @ Z

    def _circle(self, z):
        e, f, seen = self._dials
        Z, x = numbers_of(z, self.fixed).ravel(), seen @ numbers_of(z, self.seen).ravel()
        return float((e @ Z) @ x), float((f @ Z) @ x)

    def _gradient(self, maximal, step, s0, s1):
        """The discrete gradient of the coordinate: times z_1 - z_0 it is s_1 - s_0."""
        found = np.zeros(maximal.size + BODY)
        if not self.turns:
            along, base, tip = self._rails
            a, D = self._slide(step.middle)
            numbers_of(found, self.joint.F).ravel()[:] += along.T @ D - base.T @ a
            numbers_of(found, self.joint.M).ravel()[:] += tip.T @ a
            return found
        e, f, seen = self._dials
        c, s = 0.5 * (np.array(self._circle(step.z[0])) + np.array(self._circle(step.z[1])))
        half = 0.5 * (s1 - s0)
        scale = (half / np.tan(half) if abs(half) > 1e-6 else 1.0) / (c * c + s * s) * self.sign
        Z, Y = (numbers_of(step.middle, mark).ravel() for mark in (self.fixed, self.seen))
        mixed = c * f - s * e
        numbers_of(found, self.fixed).ravel()[:] += scale * (mixed.T @ (seen @ Y))
        numbers_of(found, self.seen).ravel()[:] += scale * (seen.T @ (mixed @ Z))
        return found

    def _unit(self, maximal):
        """What the coordinate is measured by: 1 rad, or the mechanism's length."""
        return 1.0 if self.turns else maximal.length

    def _call(self, q, v, t):
        out = self.law(np.array([q, v, t]), 2)
        return float(out[0]), float(out[1])

    def judge(self, maximal, t, z, u):
        if not self.scalar:
            return
        q = self._value(np.concatenate([z, ground()]), 0.0)
        force, V = self._call(q, 0.0, t)
        if V == 0.0:
            return
        if not follows(lambda s: self._call(q + s, 0.0, t), self._unit(maximal), abs(force)):
            self.refuse()

    def pull(self, maximal, step):
        h = step.times[2] - step.times[0]
        if not self.scalar:
            return self._along_axis(maximal, step)
        i = self.joint.joint.q_index.start + self.dof
        s0 = self._value(step.z[0], step.q[i])
        s1 = self._value(step.z[1], s0 + h * step.v[self.joint.joint.v_index.start + self.dof])
        grad = self._gradient(maximal, step, s0, s1)
        middle, rate = 0.5 * (s0 + s1), (s1 - s0) / h
        force, change, loose = 0.0, 0.0, self._call(middle, rate, step.times[1])[0]
        V0, V1 = (self._call(s, 0.0, step.times[1])[1] for s in (s0, s1))
        if V0 != 0.0 or V1 != 0.0:
            still = self._call(middle, 0.0, step.times[1])[0]
            change = V1 - V0
            force = -change / (s1 - s0) if abs(s1 - s0) > FLAT * self._unit(maximal) else still
            loose -= still
        return ((force + loose) * grad)[: maximal.size], change, loose * (s1 - s0)

    def _along_axis(self, maximal, step):
        """A law of velocities along one axis of a ball or a free joint: a torque or a force along an axis of M."""
        F, M = self.joint.F, self.joint.M
        (_, c_P, u_P, w_P), (R_C, c_C, u_C, w_C) = step.frames[2][F.body], step.frames[2][M.body]
        axes, r_F, r_M = R_C @ M.R, F.r @ numbers_of(step.middle, F)[1:], M.r @ numbers_of(step.middle, M)[1:]
        D = c_C + r_M - c_P - r_F
        axis = axes[:, self.dof % 3]
        linear = self.joint.joint.kind.free and self.dof >= 3
        speed = u_C + cross(w_C, r_M) - u_P - cross(w_P, r_F + D) if linear else w_C - w_P
        value = self._call(0.0, float(axis @ speed), step.times[1])[0]
        whole = np.zeros(maximal.size + BODY)
        f, n = (value * axis, np.zeros(3)) if linear else (np.zeros(3), value * axis)
        press(whole, step.middle, M, n, f)
        press(whole, step.middle, F, -n - cross(D, f), -f)
        return whole[: maximal.size], 0.0, float(whole @ (step.z[1] - step.z[0]))
