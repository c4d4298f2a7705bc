"""`Document`: a file of the native format held open, with its comments: load, edit, save."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import FormatError
from ..model.model import Model
from ..parts import Mechanism
from .native import TEXT, folder_of, full_data, parse_native, write_text
from .native_setup import Setup, renamed_coordinates, setup_to_data
from .native_text import data_to_text
from .native_values import Writing, checked_functions
from .native_write import SECTIONS, mechanism_to_data
from .read import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


class Document:
    """A mechanism and its setup together with the text they came from. `save` changes in the text what was changed in them, and no more.

    mechanism: to be edited like any other; parts that are renamed keep their comments. setup: initial state and settings of a run, by the names that
    joints have now.

    >>> import linkwork as lw
    >>> doc = lw.Document.from_text('''linkwork = 1
    ... [body.bob]
    ... mass = 2  # kg, with its hook
    ... ''')
    >>> _ = doc.mechanism.change("bob", mass=2.5)
    >>> print(doc.text, end="")
    linkwork = 1
    [body.bob]
    mass = 2.5  # kg, with its hook
    """

    mechanism: Mechanism
    path: str | None

    def __init__(self, mechanism: Mechanism, setup: Setup | None = None, functions: Mapping[str, Any] | None = None) -> None:
        """A document without a text yet: it is written as `lw.write` would do."""
        self._functions = checked_functions(functions, "Document")
        full_data(mechanism, setup, Writing(self._functions))  # refuse now what cannot be written later
        self.mechanism, self.setup = mechanism, setup or Setup()
        self.path: Any = None
        self._original: Any = None
        self._on_disk: Any = None
        self._parts: list[Any] = []

    @classmethod
    def open(cls, path: str | PathLike[str], functions: Mapping[str, Any] | None = None) -> Document:
        """The document in a file. functions: {"name": function} for the Python functions it names. Raises FormatError."""
        text, path, folder = load(os.fspath(path) if isinstance(path, os.PathLike) else path)
        if path == TEXT:
            raise FormatError("Document.open takes the path of a file; for text use Document.from_text")
        return cls._opened(text, path, folder, functions)

    @classmethod
    def from_text(cls, text: str, functions: Mapping[str, Any] | None = None, folder: str | PathLike[str] | None = None) -> Document:
        """The document in a text. folder: where relative names of mesh files start; without it they stay as they are."""
        return cls._opened(text, None, None if folder is None else os.path.abspath(folder), functions)

    @classmethod
    def _opened(cls, text: str, path: Any, folder: str | None, functions: Any) -> Document:
        document = cls.__new__(cls)
        document._functions = checked_functions(functions, "Document")
        document.mechanism, document.setup = parse_native(text, path or TEXT, folder, functions)
        document.path = path
        document._remember(text)
        return document

    def _remember(self, text: Any) -> None:
        """The text, and which part of the mechanism it calls what: a part that is later called otherwise has been renamed."""
        self._original = self._on_disk = text
        self._parts = [(section, part.name, part) for section, part in self._named_parts()]

    @property
    def setup(self) -> Setup:
        self._follow()
        return self._setup

    @setup.setter
    def setup(self, setup: Setup) -> None:
        self._setup = setup
        self._called: list[Any] = []
        self._follow()

    def _follow(self) -> None:
        """The joints of the setup by the names that they have now; `_called` is what it calls all parts, those that are gone too."""
        named = self._named_parts()
        now = {id(part): part.name for _, part in named}
        renamed = {(section, name): now[id(part)] for section, name, part in self._called if now.get(id(part), name) != name}
        coordinates = {(what, old): new for what, old, new in renamed_coordinates(renamed)}
        if coordinates:
            for what in ("q", "v"):
                given = getattr(self._setup, what)
                setattr(self._setup, what, {coordinates.get((what, name), name): value for name, value in given.items()})
        gone = [(section, name, part) for section, name, part in self._called if id(part) not in now]
        self._called = [*gone, *((section, part.name, part) for section, part in named)]

    def build(self) -> Model:
        """The Model of the document's mechanism, as Mechanism.build() makes it; options(model) has what the setup says of a run of it.

        >>> import linkwork as lw
        >>> lw.shipped("pendulum").build()
        Model('pendulum': 1 body, 1 joint, nq=1, nv=1)
        """
        return self.mechanism.build()

    def options(self, model: Model, controllers: Any = None, *, with_controllers: bool = True) -> dict[str, Any]:
        """What the setup says of a run of the document's model, as arguments of a Simulation; see Setup.options."""
        setup = self._kept_setup()
        return (setup if with_controllers else replace(setup, controllers={})).options(model, controllers)

    @property
    def text(self) -> str:
        """The text as it would be saved."""
        return self._text(folder_of(self.path) if self.path else None)

    def text_at(self, path: str | PathLike[str]) -> str:
        """The text as it would be saved at a path: mesh files in its folder are named relative to it."""
        return self._text(folder_of(os.fsdecode(os.fspath(path))))

    @property
    def summary(self) -> str:
        """What the comment at the top of its file says first."""
        comment = []
        for line in (self._original or "").splitlines():
            if not line.startswith("#"):
                break
            comment.append(line.lstrip("# ").strip())
        return " ".join(comment).partition(". ")[0].rstrip(".")

    def save(self, path: str | PathLike[str] | None = None) -> None:
        """Write the document to its file, or to another one, which becomes its file."""
        path = self.path if path is None else os.fsdecode(os.fspath(path))
        if path is None:
            raise FormatError("this document has no file yet; give a path that ends in .toml")
        if os.path.splitext(path)[1].lower() != ".toml":
            raise FormatError(f"{path}: mechanisms are written as TOML; give a path that ends in .toml", path=path)
        text = self._text(folder_of(path))
        self._refuse_changes_of_others(path)
        write_text(text, path)
        self.path, self.setup = path, self._kept_setup()
        self._remember(text)

    def _refuse_changes_of_others(self, path: str) -> None:
        """Somebody may have edited the file meanwhile; that must not be lost."""
        if self._on_disk is not None and self.path == path and os.path.exists(path) and load(path)[0] != self._on_disk:
            raise FormatError(f"{path}: the file has been changed since it was opened; open it again, or save to another path", path=path)

    def _text(self, folder: str | None) -> str:
        writing, renamed = Writing(self._functions, folder), self._renamed()
        after = full_data(self.mechanism, self._kept_setup(), writing)
        if self._original is None:
            return data_to_text(after)

        from .native_edit import edited  # here, so that `import linkwork` need not wait for tomlkit

        def meaning(text: str) -> dict[str, Any]:
            mechanism, setup = parse_native(text, self.path or TEXT, folder, self._functions)
            data: dict[str, Any] = mechanism_to_data(mechanism, writing) | setup_to_data(setup)
            return data

        # The text is handled with plain line ends, and given back those it had.
        windows = "\r\n" in self._original and "\n" not in self._original.replace("\r\n", "")
        text = self._original.replace("\r\n", "\n") if windows else self._original
        text = str(edited(text, meaning(text), after, renamed, meaning))
        return text.replace("\n", "\r\n") if windows else text

    def adopt(self, mechanism: Mechanism, called: Mapping[str, str]) -> None:
        """Take a mechanism in place of the document's own. called: {name of a part now: its name in the text}, for parts that stem from it."""
        self._follow()
        self.mechanism = mechanism
        now = {(section, called[part.name]): part for section, part in self._named_parts() if part.name in called}
        taken = {id(part): now.get((section, name), part) for section, name, part in self._parts}
        self._parts, self._called = (
            [(section, name, taken.get(id(part), part)) for section, name, part in parts] for parts in (self._parts, self._called)
        )

    def _named_parts(self) -> list[Any]:
        return [(section, part) for section, (attribute, _) in SECTIONS.items() for part in getattr(self.mechanism, attribute)]

    def _renamed(self) -> dict[tuple[str, str], str]:
        """{(section, old name): new name} of parts that are called otherwise than in the text."""
        now = {id(part): part.name for _, part in self._named_parts()}
        return {(section, name): now[id(part)] for section, name, part in self._parts if now.get(id(part), name) != name}

    def _kept_setup(self) -> Setup:
        """The setup without the joints that have been removed."""
        setup = self.setup
        there = {joint.name for joint in self.mechanism.joints} | {f"{body.name}.free" for body in self.mechanism.bodies}
        gone = {f"{name}.free" if section == "body" else name for section, name, _ in self._called if section in ("body", "joint")} - there
        states: Any = {what: {name: x for name, x in getattr(setup, what).items() if name not in gone} for what in ("q", "v")}
        return replace(setup, **states)
