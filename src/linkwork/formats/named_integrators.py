"""Integrators by name, as files and the command line know them: { kind = "runge-kutta-4", step = 1e-3 } is RungeKutta4(step=1e-3)."""

import re
from dataclasses import fields

from ..errors import UnknownNameError
from ..integrators.method import Integrator
from ..parts.given import refuse
from .native_kinds import kind_name


def named_integrators() -> dict[str, type[Integrator]]:
    """All integrators that have been defined, by their names in files. Bases of Linkwork's own, which others are made of, are left out."""
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


def integrator(kind, **settings) -> Integrator:
    """An integrator by its name in files, with its settings.

    kind: such as "runge-kutta-4" or "RungeKutta4"; or a table {"kind": name, ...}, as a Setup keeps it; or an integrator, given back as it is.

    >>> import linkwork as lw
    >>> lw.integrator("runge-kutta-4", step=1e-2)
    RungeKutta4(step=0.01)
    """
    if isinstance(kind, Integrator) and not settings:
        return kind
    if isinstance(kind, dict):
        settings, kind = {**{key: value for key, value in kind.items() if key != "kind"}, **settings}, kind.get("kind")
    if not isinstance(kind, str):
        raise refuse("integrator", "kind", kind, "give the name of one, such as 'runge-kutta-4'")
    known = named_integrators()
    plain = {re.sub(r"[^a-z0-9]", "", name): name for name in known}
    name = plain.get(re.sub(r"[^a-z0-9]", "", kind.lower()))
    if name is None:
        raise UnknownNameError("integrator", kind, list(known))
    allowed = [field.name for field in fields(known[name]) if field.init]
    for setting in settings:
        if setting not in allowed:
            raise UnknownNameError(f"setting of the integrator {name!r}", setting, allowed)
    return known[name](**settings)
