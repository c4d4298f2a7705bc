"""Files: the native format (TOML), and files of other programs. Conventions of other formats are converted here and nowhere else."""

from typing import TYPE_CHECKING

from ..lazy import lazily

if TYPE_CHECKING:
    from .read import read
    from .urdf_report import Note

__getattr__, __dir__, __all__ = lazily(
    __name__,
    {
        "read": "read",
        "urdf_report": "Note",
    },
)
