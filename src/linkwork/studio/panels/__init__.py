"""The controls of the page. PANELS lists them all, in the order in which they are shown; a new one is one line here."""

from .build import BuildPanel
from .edit import EditPanel
from .panel import Panel
from .play import PlayPanel
from .python import PythonPanel
from .state import StatePanel
from .view import ViewPanel
from .world import WorldPanel

PANELS: tuple[type[Panel], ...] = (
    PlayPanel,  # always in sight
    BuildPanel,  # on the left
    EditPanel,  # on the right, in tabs
    StatePanel,
    WorldPanel,
    ViewPanel,
    PythonPanel,
)

__all__ = ["PANELS", "Panel"]
