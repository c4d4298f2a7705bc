"""A start in which bodies overlap: a mistake more often than not. They are moved apart, and the motion begins with a warning that names them."""

import warnings

from ..analysis.contacts import contacts
from ..errors import OverlapWarning, outside_level

DEEP = 1e-6  # of the length of the largest shape: what rounding of numbers in a file, or of a state that was shown, may be off


def warn_of_overlaps(model, q):
    """Warn of the two bodies that overlap most at a state; the text, or None if none do."""
    if not model.touches:
        return None
    found = contacts(model, q, reach=0.0)
    worst = min(found, key=lambda contact: contact.gap, default=None)
    if worst is None or not -worst.gap > DEEP * float(model.contact_tables.length[0]):
        return None
    pairs = {(contact.a, contact.b) for contact in found if -contact.gap > DEEP * float(model.contact_tables.length[0])}
    others = f" (and {len(pairs) - 1} more pairs overlap)" if len(pairs) > 1 else ""
    text = (
        f"q: {worst.a!r} and {worst.b!r} overlap by {-worst.gap:.3g} m at the start{others}; they are moved apart, by a tenth of the smaller one in a "
        "step at most; begin with a gap of 0, or let them pass with m.ignore(a, b)"
    )
    warnings.warn(text, OverlapWarning, stacklevel=outside_level())
    return text
