"""What is seen and touched: a mechanism as few nodes of a viser page."""

from .arrows import Arrow
from .scene import Scene
from .touch import Click, Drag

__all__ = ["Arrow", "Click", "Drag", "Scene"]
