"""Forces that change while all else stays: a model with other laws on the same tables, without building anything."""

from ..data.lending import cache_of
from ..errors import ModelError
from ..model.model import ForceInfo, Model

_SHARED = ("wiring", "sparse")  # cached with a model and dependent on its tables alone, which are the same


def retuned(model, old, new):
    """The model of `new` if it differs from `old` in the laws and switches of forces alone, else None."""
    if old._content()[:-1] != new._content()[:-1]:
        return None
    before, after = old.forces, new.forces
    if [f.name for f in before] != [f.name for f in after]:
        return None
    infos = []
    for a, b, info in zip(before, after, model.forces, strict=True):
        if (a.a, a.b, a.joints) != (b.a, b.b, b.joints) or type(a.kind) is not type(b.kind):
            return None
        faults = [text for _, text in b.kind.faults()]
        if faults:
            raise ModelError(f"{b}: {'; '.join(faults)}")
        infos.append(ForceInfo(info.name, b.kind, info.places, info.joints, b.on))
    parts = model.parts._replace(forces=tuple(infos))
    again = Model(model.name, parts, model.tables, model.constraint_tables, model._custom_kinds, model._alive, model.contact_tables)
    kept = cache_of(model).kept
    cache_of(again).kept.update({name: kept[name] for name in _SHARED if name in kept})
    return again
