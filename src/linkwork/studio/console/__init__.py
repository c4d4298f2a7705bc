"""The console: the command language of the Virtual Erector Set (Schröder 1990, 6.6) on a live mechanism. A new command is one decorated function."""

from . import bodies, clock, drawing, ends, file_commands, forces, integrating, links, query_commands, strings, undo_commands, world  # noqa: F401 - they fill the table
from .console import Console, live_of
from .table import COMMANDS

__all__ = ["COMMANDS", "Console", "live_of"]
