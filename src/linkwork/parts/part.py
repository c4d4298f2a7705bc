"""What every named part has: a name, a content to compare, and the mechanism it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from .mechanism import Mechanism


class Named:
    """What may be given in place of its name: a part of a mechanism, or what a model says of it."""

    name: str


class Part(Named):
    """A named part of a mechanism. Parts are changed by the mechanism only, so that nothing changes unnoticed.

    Two parts are equal if they are of the same class and have the same content, whichever mechanisms they belong to. A part that
    is pickled or copied alone belongs to no mechanism; copy the mechanism to keep them together. Parts may be keys of a dict, as their
    names may: the hash is that of the name, so a dict that was made before a part was renamed does not find it any more.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0)
    >>> isinstance(bob, lw.Part), bob.name, m.part("bob") is bob
    (True, 'bob', True)
    """

    role: ClassVar[str] = "part"  # what messages call it
    _owner: Mechanism | None
    fields: ClassVar[tuple[str, ...]] = ()  # what Mechanism.change may change

    def __init__(self, name: str, values: dict[str, Any], owner: Mechanism | None = None) -> None:
        self.__dict__.update(values, name=name, _owner=owner)

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in self.fields:
            raise AttributeError(f"{self}: {attribute} cannot be assigned; use mechanism.change({self.name!r}, {attribute}=...)")
        if attribute == "name":
            raise AttributeError(f"{self}: its name cannot be assigned; use mechanism.rename({self.name!r}, ...)")
        raise AttributeError(f"{self} has no {attribute!r} to assign; it has {', '.join(self.fields)}")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"{self}: {attribute} cannot be deleted; use mechanism.change({self.name!r}, {attribute}=...)")

    def _put(self, **values: Any) -> None:
        """Overwrite content: for the mechanism that owns the part."""
        self.__dict__.update(values)

    def content(self) -> dict[str, Any]:
        """Everything that makes the part what it is, its name included."""
        return {key: value for key, value in self.__dict__.items() if key != "_owner"}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or self.content() == other.content()

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __getstate__(self) -> dict[str, Any]:
        return self.content()

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state, _owner=None)

    def __str__(self) -> str:
        return f"{self.role} {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self}>"
