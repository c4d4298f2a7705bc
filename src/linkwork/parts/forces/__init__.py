"""Force kinds, a law a file; each file opens with its equations. A new law is a new file: it is found. Those named here are seen by editors too."""

import importlib
import pkgutil

from .attraction import Attraction
from .brake import Brake
from .bushing import Bushing
from .gravity import Gravity
from .joint_damper import JointDamper
from .joint_friction import JointFriction
from .joint_spring import JointSpring
from .joint_table import JointTable
from .kind import ForceKind
from .limit_stop import LimitStop
from .motor import Motor
from .pull import Pull
from .rubber_string import RubberString
from .spring_damper import SpringDamper
from .support import Support
from .torsion_spring import TorsionSpring
from .user import force
from .user_law import Moving
from .viscous_damping import ViscousDamping
from .wrench_table import WrenchTable

__all__ = [
    "Attraction",
    "Brake",
    "Bushing",
    "ForceKind",
    "Gravity",
    "JointDamper",
    "JointFriction",
    "JointSpring",
    "JointTable",
    "LimitStop",
    "Motor",
    "Moving",
    "Pull",
    "RubberString",
    "SpringDamper",
    "Support",
    "TorsionSpring",
    "ViscousDamping",
    "WrenchTable",
    "force",
]


def _laws():
    """(name, kind) of every law that a file here defines."""
    for file in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{file.name}")
        for name, kind in vars(module).items():
            if isinstance(kind, type) and issubclass(kind, ForceKind) and kind.law is not None and kind.__module__ == module.__name__:
                yield name, kind


for _name, _kind in _laws():
    if _name not in __all__:
        globals()[_name] = _kind
        __all__.append(_name)
