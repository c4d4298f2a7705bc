"""The frozen model: arrays that the algorithms read. `build` makes it from a Mechanism."""

from .model import Model
from .state import State

__all__ = ["Model", "State"]
