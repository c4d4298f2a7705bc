"""Integrators by name, as files and the command line know them: { kind = "runge-kutta-4", step = 1e-3 } is RungeKutta4(step=1e-3)."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import UnknownNameError
from ..integrators.integrator import Integrator
from ..parts.validation import refuse
from .native_kinds import kind_name

if TYPE_CHECKING:
    from collections.abc import Mapping

# Linkwork's own: name in files: (module, class); each is loaded when it is asked for.
OWN = {
    "adams": ("adams.method", "Adams"),
    "adaptive": ("runge_kutta.adaptive", "Adaptive"),
    "contact-stepping": ("nonsmooth.method", "ContactStepping"),
    "energy-momentum": ("energy_momentum.method", "EnergyMomentum"),
    "implicit": ("implicit.method", "Implicit"),
    "runge-kutta-4": ("runge_kutta.classical", "RungeKutta4"),
    "semi-implicit-euler": ("semi_implicit", "SemiImplicitEuler"),
    "variational": ("variational.method", "Variational"),
}


def named_integrators() -> dict[str, type[Integrator]]:
    """All integrators that have been defined, by their names in files. Bases of Linkwork's own, which others are made of, are left out.

    >>> import linkwork as lw
    >>> sorted(lw.named_integrators())
    ['adams', 'adaptive', 'contact-stepping', 'energy-momentum', 'implicit', 'runge-kutta-4', 'semi-implicit-euler', 'variational']
    """
    for name in OWN:
        _own(name)
    found, bases = {}, set()
    classes = [Integrator]
    while classes:
        cls = classes.pop()
        below = cls.__subclasses__()
        classes += below
        if any(sub.__module__.split(".")[0] == __package__.split(".")[0] for sub in below):
            bases.add(cls)
        found[kind_name(cls)] = cls
    return {name: cls for name, cls in sorted(found.items()) if cls not in bases and cls is not Integrator}


def integrator(kind: str | Mapping[str, Any] | Integrator, **settings: Any) -> Integrator:
    """An integrator by its name in files, with its settings.

    kind: such as "runge-kutta-4" or "RungeKutta4"; or a table {"kind": name, ...}, as a Setup keeps it; or an integrator, given back as it is.

    >>> import linkwork as lw
    >>> lw.integrator("runge-kutta-4", step=1e-2)
    RungeKutta4(step=0.01)
    """
    if isinstance(kind, Integrator) and not settings:
        return kind
    if isinstance(kind, dict):
        settings, kind = {**{key: value for key, value in kind.items() if key != "kind"}, **settings}, kind.get("kind")  # type: ignore[assignment]
    if not isinstance(kind, str):
        raise refuse("integrator", "kind", kind, "give the name of one, such as 'runge-kutta-4'")
    name = _among(OWN, kind)
    cls = _own(name) if name else None
    if cls is None:
        known = named_integrators()
        name = _among(known, kind)
        if name is None:
            raise UnknownNameError("integrator", kind, list(known))
        cls = known[name]
    allowed = [field.name for field in fields(cls) if field.init]
    for setting in settings:
        if setting not in allowed:
            raise UnknownNameError(f"setting of the integrator {name!r}", setting, allowed)
    return cls(**settings)


def _own(name: str) -> Any:
    module, cls = OWN[name]
    return getattr(import_module(f"..integrators.{module}", __package__), cls)


def _among(names: Any, kind: str) -> Any:
    """The name that is meant, however its words are put together; or None."""
    plain = {re.sub(r"[^a-z0-9]", "", name): name for name in names}
    return plain.get(re.sub(r"[^a-z0-9]", "", kind.lower()))
