"""Files: the native format (TOML), and files of other programs. Conventions of other formats are converted here and nowhere else."""

from .read import read
from .urdf_report import Note

__all__ = ["Note", "read"]
