"""The frozen model: arrays that the algorithms read. `build` makes it from a Mechanism."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .model import Model
    from .state import State

__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "model": "Model",
        "state": "State",
    },
)
