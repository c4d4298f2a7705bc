"""The mechanism: named bodies, joints, frames, constraints and forces, added, changed and removed in any order until it is built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ..arguments import explained
from ..errors import ModelError
from . import duplicate, editing, touching
from .applied_force import AppliedForce
from .body import Body, Ground, body_values
from .constraint import Constraint
from .constraints.kind import ConstraintKind
from .faults import Fault, check, find_faults
from .forces.kind import ForceKind
from .frame import Frame
from .joint import Joint
from .joints.kind import JointKind
from .part import Part
from .registry import Registry
from .shapes import Floor
from .surface import Surface, surface_or_none
from .touching import TouchRule
from .tree_text import tree_text
from .validation import name_of_part, refuse, sequence, vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model
    from ..spatial.rigid_inertia import Inertia
    from .place import Place
    from .shapes import Shape


P = TypeVar("P", bound=Part)


@explained
class Mechanism:
    """What a person assembles: parts with names. Forgiving: types are checked at once, values by faults(), which reports all at once.

    gravity: acceleration of free fall in the world frame, m/s^2. A body that is not connected to ground floats.

    >>> from linkwork.parts import Mechanism, Revolute
    >>> m = Mechanism("pendulum")
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.001), com=(0, 0, -0.5))
    >>> pivot = m.add_joint("pivot", Revolute(axis=(0, 1, 0)), m.ground, rod)
    >>> m.faults()
    []
    """

    def __init__(self, name: str = "mechanism", gravity: Sequence[float] | NDArray[np.float64] = (0.0, 0.0, -9.81)) -> None:
        self._name: str = name_of_part(name, "mechanism")
        self._gravity: tuple[float, float, float] = self._checked_gravity(gravity)
        self._registry = Registry(Ground(self))
        self._roots: list[str] = []
        self._contact: bool | None = None
        self._surface: Surface | None = None
        self._touch_rules: dict[frozenset[str], TouchRule] = {}
        self.notes: tuple[Any, ...] = ()  # what a reader had to say about the file

    # ---- what there is

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name_of_part(name, "mechanism")

    @property
    def gravity(self) -> tuple[float, float, float]:
        """Acceleration of free fall in the world frame, m/s^2; may be assigned."""
        return self._gravity

    @gravity.setter
    def gravity(self, gravity: Any) -> None:
        self._gravity = self._checked_gravity(gravity)

    def _checked_gravity(self, gravity: Any) -> Any:
        return vector(gravity, 3, f"mechanism {self._name!r}", "gravity")

    @property
    def contact(self) -> bool | None:
        """Do bodies touch? None: if a floor, a Surface or `touch` asks for it. True or False, which may be assigned: in any case, or in none."""
        return self._contact

    @contact.setter
    def contact(self, contact: bool | None) -> None:
        if contact is not None and not isinstance(contact, bool):
            raise refuse(
                f"mechanism {self._name!r}", "contact", contact, "give True, False, or None: touching if anything of contact is declared"
            )
        self._contact = contact

    @property
    def touches(self) -> bool:
        """What `contact` says, or if it is None, whether anything of contact is declared: then bodies touch."""
        return touching.takes_contact(self)

    @property
    def surface(self) -> Surface | None:
        """Friction and restitution of all shapes and bodies that say nothing themselves; may be assigned. None: those of Surface()."""
        return self._surface

    @surface.setter
    def surface(self, surface: Surface | None) -> None:
        self._surface = surface_or_none(surface, f"mechanism {self._name!r}")

    @property
    def touch_rules(self) -> tuple[TouchRule, ...]:
        """What `touch` and `ignore` say, in the order they were first said for a pair of bodies."""
        return tuple(self._touch_rules.values())

    @property
    def ground(self) -> Ground:
        """The part that does not move, called "ground"."""
        return self._registry.ground

    @property
    def bodies(self) -> list[Body]:
        """All bodies but ground, in the order they were added."""
        return list(self._registry.bodies)

    @property
    def joints(self) -> list[Joint]:
        """All joints, in the order they were added. Automatic free joints of floating bodies are not among them."""
        return list(self._registry.joints)

    @property
    def frames(self) -> list[Frame]:
        """All frames, in the order they were added."""
        return list(self._registry.frames)

    @property
    def constraints(self) -> list[Constraint]:
        """All constraints, in the order they were added."""
        return list(self._registry.constraints)

    @property
    def forces(self) -> list[AppliedForce]:
        """All forces, in the order they were added."""
        return list(self._registry.forces)

    def body(self, name: str) -> Body:
        """The body with this name (ground included)."""
        return self._registry.one(name, "body", Body)

    def joint(self, name: str) -> Joint:
        """The joint with this name."""
        return self._registry.one(name, "joint", Joint)

    def frame(self, name: str) -> Frame:
        """The frame with this name."""
        return self._registry.one(name, "frame", Frame)

    def constraint(self, name: str) -> Constraint:
        """The constraint with this name."""
        return self._registry.one(name, "constraint", Constraint)

    def force(self, name: str) -> AppliedForce:
        """The force with this name."""
        return self._registry.one(name, "force", AppliedForce)

    def part(self, part: str | Part) -> Part:
        """The part with this name, or the part itself if it belongs to this mechanism."""
        if isinstance(part, Part):
            return self._own(part, f"mechanism {self._name!r}")
        return self._registry.one(name_of_part(part, "part"), "part")

    # ---- adding

    # parameters: a public method; all but the name are what a body may say of itself, given by name
    def add_body(
        self,
        name: str,
        *,
        mass: float | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | Inertia | None = None,
        shape: Shape | None = None,
        density: float | None = None,
        visuals: Shape | Iterable[Shape] = (),
        collisions: Shape | Iterable[Shape] = (),
        unphysical: bool = False,
        surface: Surface | None = None,
    ) -> Body:
        """Add a rigid body. Its inertia comes from shape and density, shape and mass, or mass, com and inertia; see Body.

        inertia: about com, body axes, kg m^2: 3x3, (xx, yy, zz) or (xx, xy, xz, yy, yz, zz); or an Inertia, alone.
        visuals: further shapes to see. collisions: shapes that touch other bodies in place of its shape.
        surface: friction and restitution of its shapes, where they say nothing themselves.
        unphysical: True accepts mass and inertia that no real body has (files are full of them), as long as the mechanism can move.
        """
        owner = f"body {name_of_part(name, 'body')!r}"
        given = {"mass": mass, "com": com, "inertia": inertia, "shape": shape, "density": density, "surface": surface}
        return self._add(
            Body(str(name), body_values(owner, given | {"visuals": visuals, "collisions": collisions, "unphysical": unphysical}), self)
        )

    def add_joint(
        self, name: str, kind: JointKind, parent: str | Part | Place, child: str | Part | Place, *, prefer_cut: bool = False, **options: Any
    ) -> Joint:
        """Add a joint of a kind between two places: each a Place (body.at(...)), a body, a frame, or the name of one, known or not yet.

        Limits, damping and the like belong to the kind: m.add_joint("elbow", Revolute((0, 1, 0), lower=-1.5), upper_arm, forearm).
        A joint may close a loop; it needs no thought about trees. prefer_cut=True: if a loop must be cut somewhere, then here.
        """
        if options:
            raise editing.options_refused(name, kind, options)
        given = {"kind": kind, "parent": parent, "child": child, "prefer_cut": prefer_cut}
        values = editing.joint_values(self, f"joint {name_of_part(name, 'joint')!r}", given)
        return self._add(Joint(str(name), **values, owner=self))

    def add_constraint(self, name: str, kind: ConstraintKind, *on: Any) -> Constraint:
        """Add a constraint of a kind on two places (the second is ground if left out), or on joints.

        Places as in add_joint. A joint is given by name, or as itself; (joint, k) means degree of freedom k (from 0) of a joint with several.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("clock")
        >>> for name in ("minute", "hour"):
        ...     hand = m.add_body(name, mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
        ...     _ = m.add_joint(f"{name} axle", lw.Revolute((0, 0, -1)), m.ground, hand)
        >>> m.add_constraint("motion work", lw.Gear(1 / 12), "minute axle", "hour axle")
        <constraint 'motion work'>
        """
        values = editing.constraint_values(self, f"constraint {name_of_part(name, 'constraint')!r}", kind, on)
        return self._add(Constraint(str(name), **values, owner=self))

    def add_force(self, name: str, kind: ForceKind, *places: Any, on: bool = True) -> AppliedForce:
        """Add a force of a kind on two places (the second is ground if left out), or on joints. on=False: it does not act until switched on.

        Places as in add_joint. A joint is given by name, or as itself, and feels the law along every degree of freedom;
        (joint, k) means its degree of freedom k (from 0) alone.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("bouncer")
        >>> ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
        >>> m.add_force("band", lw.SpringDamper(stiffness=50.0, damping=0.2, length=1.0), ball, m.ground.at(0, 0, 2))
        <force 'band'>
        """
        values = editing.force_values(self, f"force {name_of_part(name, 'force')!r}", kind, places, on)
        return self._add(AppliedForce(str(name), **values, owner=self))

    def add_frame(self, name: str, place: str | Part | Place) -> Frame:
        """Add a frame: a name for a place (body.at(...)), which may be on another frame."""
        stored = editing.stored_place(self, f"frame {name_of_part(name, 'frame')!r}", "place", place)
        return self._add(Frame(str(name), stored, self))

    # ---- contact

    def add_floor(self, height: float = 0.0, surface: Surface | None = None) -> Floor:
        """Let the ground be all that is below a height (m, in the world): what falls, falls on it. Returns the Floor, a shape of the ground.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("ball")
        >>> _ = m.add_body("ball", shape=lw.Sphere(0.1), density=500)
        >>> m.add_floor(surface=lw.Surface(friction=0.8)).height, m.touches
        (0.0, True)
        """
        floor = Floor(height, surface=surface)
        self.ground._put(collisions=(*self.ground.collisions, floor))
        return floor

    def touch(self, a: str | Body, b: str | Body, surface: Surface | None = None) -> TouchRule:
        """Let two bodies touch, also if a joint joins them or they belong to one linkage. surface: friction and restitution between these two.

        Bodies are given as themselves or by name, known or not yet; "ground" is one. The last word on a pair holds.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("door")
        >>> door = m.add_body("door", shape=lw.Box(0.8, 0.04, 2, at=(0.4, 0, 0)), density=600, surface=lw.Surface(friction=0.3))
        >>> _ = m.change("ground", collisions=[lw.Box(0.1, 0.1, 2, at=(0, 0.9, 0))])
        >>> _ = m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground, door)
        >>> m.why_not_touching("door", "ground")
        "joint 'hinge' joins them; m.touch('door', 'ground') lets them touch nevertheless"
        >>> m.touch("door", "ground", lw.Surface(restitution=0.2)).touches, m.why_not_touching("door", "ground")
        (True, None)
        """
        rule = self._touch_rule("touch", a, b)
        return self._keep_rule(rule._replace(surface=surface_or_none(surface, f"mechanism {self._name!r}: {rule}")))

    def ignore(self, a: str | Body, b: str | Body) -> TouchRule:
        """Let two bodies pass through each other. Bodies as in `touch`."""
        return self._keep_rule(self._touch_rule("ignore", a, b))

    def forget_touch(self, a: str | Body, b: str | Body) -> TouchRule:
        """Take back what `touch` or `ignore` said about two bodies; returns it."""
        rule = self._touch_rule("touch", a, b)
        if rule.pair not in self._touch_rules:
            there = ", ".join(map(str, self.touch_rules)) or "none"
            raise ModelError(
                f"mechanism {self._name!r}: forget_touch({rule.a!r}, {rule.b!r}): nothing is said about this pair; there is {there}; give one of these pairs"
            )
        return self._touch_rules.pop(rule.pair)

    def why_not_touching(self, a: str | Body, b: str | Body) -> str | None:
        """Why two bodies do not touch, in words; None if they do."""
        return touching.Touching(self).why_not(*(self.body(body).name for body in (a, b)))  # type: ignore[arg-type]

    def _touch_rule(self, method: str, a: Any, b: Any) -> TouchRule:
        names = []
        for body in (a, b):
            if isinstance(body, Body):
                names.append(self._own(body, f"mechanism {self._name!r}: {method}").name)
            elif isinstance(body, str) and body.strip():
                names.append(str(body))
            else:
                raise refuse(f"mechanism {self._name!r}: {method}", "a body", body, 'give a body or its name, or "ground"')
        return TouchRule(names[0], names[1], method == "touch")

    def _keep_rule(self, rule: TouchRule) -> TouchRule:
        self._touch_rules[rule.pair] = rule
        return rule

    def _add(self, part: P) -> P:
        self._registry.add(part)
        return part

    # ---- changing

    def change(self, part: str | Part, *, dependents: bool = False, **values: Any) -> Part:
        """Change what a part says: m.change("crank", mass=2.0), m.change("pivot", kind=..., child=...), m.change("tool", place=...).

        Joints, constraints and forces also take the fields of their kind: m.change("pivot", damping=0.1). For a body, mass makes a former density
        void, and density makes former mass, com and inertia void. None takes back what was given. Nothing is changed if a value is refused.

        A joint may become one of another kind: a kind, or its class, which takes over axis, limits and damping as far as it can have them. Forces and
        constraints on its coordinates go on as far as these still exist, an angle as an angle; where one can not, it is refused and named, or
        removed with dependents=True.

        >>> import linkwork as lw
        >>> m = lw.Mechanism("arm")
        >>> _ = m.add_joint("elbow", lw.Revolute((0, 1, 0), damping=0.1), m.ground, m.add_body("arm", mass=1.0, inertia=(1, 1, 1)))
        >>> m.change("elbow", kind=lw.Cylindrical).kind
        Cylindrical(axis=(0.0, 1.0, 0.0), damping=(0.1, 0.0))
        """
        return editing.change(self, self.part(part), values, dependents)

    def rename(self, part: str | Part, name: str) -> Part:
        """Give a part another name. Joints and frames that refer to it by name follow."""
        return editing.rename(self, self.part(part), name)

    def remove(self, part: str | Part, dependents: bool = False) -> list[Part]:
        """Take a part out, and with dependents=True all joints and frames that stand on it; returns what was removed.

        Without dependents they stay and are faults until their places exist again: adding a body of the same name heals them.
        """
        return editing.remove(self, self.part(part), dependents)

    def reroot(self, body: str | Body) -> Body:
        """Choose which body of a floating assembly carries its free joint."""
        return editing.reroot(self, self.part(body) if isinstance(body, Part) else self.body(body))

    # ---- whole assemblies

    def copy(self, bodies: str | Body | Iterable[str | Body], prefix: str) -> list[Part]:
        """Copy bodies with the joints and frames among them, each under prefix + name; returns the new parts.

        One body stands for itself and all that hangs on it. In a list, ground may occur: then joints to ground are copied too.
        """
        return duplicate.copy(self, bodies, prefix)

    def merge(self, other: Mechanism, prefix: str = "", at: Any = None) -> list[Part]:
        """Add all parts of another mechanism under prefix + name; returns the new parts. The other is not changed.

        Its ground is ours; `at` is the pose of its world frame in ours. Our gravity holds. Where floating bodies
        start is a matter of the state, so `at` does not move them.
        """
        return duplicate.merge(self, other, prefix, at)

    def clone(self) -> Mechanism:
        """An independent copy."""
        new = Mechanism(self._name, self._gravity)
        new.ground._put(visuals=self.ground.visuals, collisions=self.ground.collisions, surface=self.ground.surface)
        new._contact, new._surface, new._touch_rules = self._contact, self._surface, dict(self._touch_rules)
        for part in self._registry.everything():
            new._registry.add(duplicate.copy_of(part, part.name, new))
        new._roots = list(self._roots)
        new.notes = self.notes
        return new

    # ---- from here to a model

    def faults(self) -> list[Fault]:
        """All that keeps the mechanism from being built; empty if nothing does."""
        return find_faults(self)

    def check(self) -> None:
        """Raise ModelError with all faults, if there are any."""
        check(self)

    def build(self, *, prefer_cut: str | Part | Iterable[str | Part] = ()) -> Model:
        """The mechanism as a frozen model; raises ModelError with all faults.

        prefer_cut: joints (or their names) at which loops are cut rather than elsewhere. Results do not depend on it.
        """
        from ..model.build import build_model

        one = isinstance(prefer_cut, (str, Part))
        given: Any = (
            [prefer_cut] if one else sequence(prefer_cut or (), f"mechanism {self._name!r}", "prefer_cut", "give joints or their names")
        )
        model: Model = build_model(self, [self.joint(name.name if isinstance(name, Part) else name).name for name in given])
        return model

    def __str__(self) -> str:
        return tree_text(self)

    def __repr__(self) -> str:
        r = self._registry
        counts = ((r.bodies, "bodies"), (r.joints, "joints"), (r.frames, "frames"), (r.constraints, "constraints"), (r.forces, "forces"))
        return f"<mechanism {self._name!r}: {', '.join(f'{len(parts)} {word}' for parts, word in counts)}>"

    # ---- content

    def _content(self) -> tuple[Any, ...]:
        touch = self._contact, self._surface, self._touch_rules
        parts = self.ground, self.bodies, self.joints, self.frames, self.constraints
        return self._name, self._gravity, touch, *parts, self._roots, self.forces

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, Mechanism) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # content can change

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        for part in (self.ground, *self._registry.everything()):
            part._put(_owner=self)

    # ---- inside

    def _own(self, part: P, where: str) -> P:
        """The part, if it belongs to this mechanism."""
        if part._owner is not self:
            raise ModelError(
                f"{where}: {part} is no part of mechanism {self._name!r} (it was removed, or belongs to another one); "
                f"give a part of this mechanism, or the name {part.name!r}"
            )
        return part

    def _refuse_taken(self, names: Iterable[str], what: str, remedy: str) -> None:
        taken = [name for name in names if self._registry.has(name)]
        if taken:
            more = f" and {len(taken) - 5} more" if len(taken) > 5 else ""
            shown = ", ".join(f"{self._registry.called(name)[0].role} {name!r}" for name in taken[:5])
            raise ModelError(f"{what}: there is already {shown}{more}; a name is used once in a mechanism; {remedy}")
