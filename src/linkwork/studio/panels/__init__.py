"""The controls of the page. PANELS lists them all, in the order in which they are shown; a new one is one line here."""

from .build import BuildPanel
from .charts import ChartsPanel
from .console import ConsolePanel
from .edit import EditPanel
from .files import ExportPanel, FilesPanel, GalleryPanel, RecoveryPanel
from .panel import Panel
from .play import PlayPanel
from .python import PythonPanel
from .state import StatePanel
from .stories import StoriesPanel
from .touch import TouchPanel
from .understand import AuditPanel, EditsPanel, ReadingsPanel, UnderstandPanel
from .view import ViewPanel
from .world import WorldPanel

PANELS: tuple[type[Panel], ...] = (
    PlayPanel,  # always in sight
    BuildPanel,  # on the left, in tabs
    WorldPanel,
    TouchPanel,
    RecoveryPanel,
    FilesPanel,
    ExportPanel,
    GalleryPanel,
    StoriesPanel,
    ConsolePanel,
    EditPanel,  # on the right, in tabs
    StatePanel,
    UnderstandPanel,
    ReadingsPanel,
    AuditPanel,
    EditsPanel,
    ChartsPanel,
    ViewPanel,
    PythonPanel,
)

__all__ = ["PANELS", "Panel"]
