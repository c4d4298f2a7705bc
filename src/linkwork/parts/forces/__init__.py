"""Force kinds, a law a file; each file opens with its equations. A new law is a new file: what it defines is found by itself."""

import importlib
import pkgutil

from .kind import ForceKind
from .user import force
from .user_law import Moving

__all__ = ["ForceKind", "Moving", "force"]

for _file in pkgutil.iter_modules(__path__):
    for _name, _value in list(vars(importlib.import_module(f".{_file.name}", __name__)).items()):
        if isinstance(_value, type) and issubclass(_value, ForceKind) and _value.law is not None:
            globals()[_name] = _value
            __all__ += [_name] if _name not in __all__ else []

__all__.sort()
