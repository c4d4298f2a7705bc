"""The palette: what two places, one place, or joints can be connected by. A tool is a kind with sensible numbers."""

from typing import Any, NamedTuple

import linkwork as lw

from .fields import OPTIONS, Field, fields_of

AXES = ("axis", "axis1", "axis2", "axis_a", "axis_b", "normal", "x_axis", "direction")
MEASURED = ("length",)  # fields that are as long as things stand when they are connected, unless they are given
AS_IT_IS = "as it is"


class Tool(NamedTuple):
    """label: what people call it. role: what it becomes. kind: an example with sensible numbers. picks: "places" or "joints", and how many.

    axis: which way its axis is by default: "turn" across what it connects, "slide" along it, "" if it has none. asks: the fields that are
    asked for, if not all.
    """

    label: str
    role: str
    kind: Any
    picks: str = "places"
    count: int = 2  # type: ignore[assignment]
    axis: str = ""
    asks: tuple | None = None

    @property
    def name(self):
        """What a part made by it is called first."""
        return self.label.split(":")[-1].strip().split(" (")[0].lower()

    @property
    def fields(self) -> list[Field]:
        """The numbers that matter when it is made; axes are chosen otherwise, options later."""
        if self.picks == "joints" and isinstance(self.kind, lw.Motor):
            return [Field("torque", 1.0, "number")]
        found = []
        for field in fields_of(self.kind):
            if self.asks is not None and field.name not in self.asks:
                continue
            if field.name in AXES or field.form == "fixed" or (self.role == "joint" and field.name in OPTIONS):
                continue
            if field.name in MEASURED:
                field = Field(field.name, None, "number", optional=True)
            found.append(field)
        return found


_Z = (0.0, 0.0, 1.0)
_X = (1.0, 0.0, 0.0)
TOOLS = (
    Tool("Hinge", "joint", lw.Revolute(_Z), axis="turn"),
    Tool("Slider", "joint", lw.Prismatic(_Z), axis="slide"),
    Tool("Ball", "joint", lw.Spherical()),
    Tool("Weld", "joint", lw.Weld()),
    Tool("Universal", "joint", lw.Universal(_X, _Z), axis="turn"),
    Tool("Cylindrical", "joint", lw.Cylindrical(_Z), axis="slide"),
    Tool("Screw", "joint", lw.Screw(_Z, pitch=0.01), axis="slide"),
    Tool("Planar", "joint", lw.Planar(_Z), axis="turn"),
    Tool("Translational", "joint", lw.Translational()),
    Tool("Free", "joint", lw.Free()),
    Tool("Spring", "force", lw.SpringDamper(stiffness=200.0, damping=1.0, length=0.0)),
    Tool("String", "force", lw.RubberString(stiffness=500.0, length=0.0, restitution=0.7), asks=("stiffness", "length", "restitution")),
    Tool("Torsion spring", "force", lw.TorsionSpring(stiffness=1.0, damping=0.01, axis=_Z), axis="turn"),
    Tool("Brake", "force", lw.Brake(force=1.0, torque=0.1), asks=("force", "torque")),
    Tool("Attraction", "force", lw.Attraction(strength=1.0, softening=0.05)),
    Tool("Push (constant force)", "force", lw.Motor(force=(0.0, 0.0, 1.0)), count=1, asks=("force", "axes")),
    Tool("Air damping", "force", lw.ViscousDamping(linear=0.5, angular=0.005), count=1),
    Tool(
        "Ground support",
        "force",
        lw.Support(stiffness=5000.0, damping=20.0, friction=0.5),
        count=1,
        asks=("stiffness", "damping", "friction"),
    ),
    Tool(
        "Sticking support",
        "force",
        lw.StickSlip(stiffness=5000.0, damping=50.0, friction=0.5),
        count=1,
        asks=("stiffness", "damping", "friction"),
    ),
    Tool("Motor (constant torque)", "force", lw.Motor(torque=_Z), "joints", 1),
    Tool("Joint spring", "force", lw.JointSpring(stiffness=1.0, damping=0.01), "joints", 1),
    Tool("Joint damper", "force", lw.JointDamper(damping=0.1), "joints", 1),
    Tool("Joint friction", "force", lw.JointFriction(friction=0.1), "joints", 1, asks=("friction",)),
    Tool("Limit stop", "force", lw.LimitStop(stiffness=100.0, lower=-1.0, upper=1.0), "joints", 1),
    Tool("Nail", "constraint", lw.Nail(), count=1, asks=()),
    Tool("Distance", "constraint", lw.Distance(1.0)),
    Tool("Pin (points coincide)", "constraint", lw.Coincident()),
    Tool("Point on line", "constraint", lw.PointOnLine(_Z), axis="slide"),
    Tool("Point on plane", "constraint", lw.PointOnPlane(_Z), axis="turn"),
    Tool("Parallel axes", "constraint", lw.ParallelAxes(_Z, _Z), axis="turn"),
    Tool("Same orientation", "constraint", lw.SameOrientation()),
    Tool("Rolling disc", "constraint", lw.RollingDisc(radius=0.1), count=1),
    Tool("Rolling ball", "constraint", lw.RollingBall(radius=0.1), count=1),
    Tool("Gear", "constraint", lw.Gear(-1.0), "joints", 2),
    Tool("Rack", "constraint", lw.Rack(0.05), "joints", 2),
    Tool("Screw coupling", "constraint", lw.ScrewCoupling(0.01), "joints", 2),
    Tool("Drive (given speed)", "constraint", lw.SpeedDrive(1.0), "joints", 1),
    Tool("Hold a joint", "constraint", lw.Drive(0.0), "joints", 1, asks=()),
)


def tool(label) -> Tool:
    """A tool by its label. Raises UnknownNameError."""
    found = {each.label: each for each in TOOLS}
    if label not in found:
        raise lw.UnknownNameError("tool", label, list(found))
    return found[label]


def free_name(mechanism, first) -> str:
    """A name that no part has: first, first 2, first 3 ..."""
    taken = {"ground"} | {
        part.name for role in ("bodies", "joints", "frames", "constraints", "forces") for part in getattr(mechanism, role)
    }
    return next(name for name in (first, *(f"{first} {k}" for k in range(2, len(taken) + 3))) if name not in taken)
