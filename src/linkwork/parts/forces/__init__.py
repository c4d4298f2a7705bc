"""Force kinds, a law a file; each file opens with its equations. A new law is a new file: it is found. Those named here are seen by editors too."""

import importlib
import pkgutil
from typing import TYPE_CHECKING

from ...lazy import lazily

if TYPE_CHECKING:
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
    from .load import ConstantForce, Load
    from .motor import Motor
    from .pull import Pull
    from .rubber_string import RubberString
    from .spring_damper import SpringDamper
    from .stick_slip import StickSlip
    from .support import Support
    from .torsion_spring import TorsionSpring
    from .user import force
    from .user_law import Moving
    from .viscous_damping import ViscousDamping
    from .wrench_table import WrenchTable

_NAMES = {
    "attraction": "Attraction",
    "brake": "Brake",
    "bushing": "Bushing",
    "gravity": "Gravity",
    "joint_damper": "JointDamper",
    "joint_friction": "JointFriction",
    "joint_spring": "JointSpring",
    "joint_table": "JointTable",
    "kind": "ForceKind",
    "limit_stop": "LimitStop",
    "load": "ConstantForce Load",
    "motor": "Motor",
    "pull": "Pull",
    "rubber_string": "RubberString",
    "spring_damper": "SpringDamper",
    "stick_slip": "StickSlip",
    "support": "Support",
    "torsion_spring": "TorsionSpring",
    "user": "force",
    "user_law": "Moving",
    "viscous_damping": "ViscousDamping",
    "wrench_table": "WrenchTable",
}
_WITHOUT = ("fields", "pair", "table")  # files here that define no law


def _new_laws():
    """(file, names of laws) of every file that is not named above."""
    for file in pkgutil.iter_modules(__path__):
        if file.name not in _NAMES and file.name not in _WITHOUT:
            from .kind import ForceKind

            module = importlib.import_module(f"{__name__}.{file.name}")
            kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, ForceKind)]
            yield file.name, " ".join(kind.__name__ for kind in kinds if kind.law is not None and kind.__module__ == module.__name__)


__getattr__, __dir__, __all__ = lazily(__name__, {**_NAMES, **dict(_new_laws())})
