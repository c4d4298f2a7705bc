"""The controls of the page. PANELS lists them all, in the order in which they are shown; a new one is one line here."""

from .panel import Panel

PANELS: tuple[type[Panel], ...] = ()

__all__ = ["PANELS", "Panel"]
