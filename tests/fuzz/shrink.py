"""The smallest part of a mechanism that still shows a finding, and a script that shows it."""

import linkwork as lw

from .agreement import FUNCTIONS
from .checks import CHECKS, findings


def same(found, wanted):
    """Does a list of findings hold one of the same kind and check?"""
    return any((f.kind, f.check) == (wanted.kind, wanted.check) for f in found)


def smallest(case, wanted, tries=60):
    """The case with parts taken away, forces first, as long as it shows the finding; each part is tried once, `tries` at the most."""
    parts = [*case.mechanism.forces, *case.mechanism.constraints, *reversed(case.mechanism.joints), *reversed(case.mechanism.bodies)]
    for name in [part.name for part in parts][:tries]:
        try:
            smaller = case.without(name)
            if same(findings(smaller), wanted):
                case = smaller
        except lw.LinkworkError:
            continue  # without this part it cannot be built or closed
    return case


def script(case, wanted):
    """A Python script that shows the finding."""
    model = case.mechanism.build()
    q, v = case.state(model)
    needed = sorted(name for name in FUNCTIONS if name in lw.to_toml(case.mechanism, functions=FUNCTIONS))
    imports = f"from tests.laws.mechanisms import {', '.join(needed)}\n" if needed else ""
    functions = f", functions={{{', '.join(f'{name!r}: {name}' for name in needed)}}}" if needed else ""
    check = next((c.__name__ for c in CHECKS if wanted.check.startswith(c.__name__.replace("_", " "))), "accelerations")
    return f'''# seed {case.seed}, {case.trait}: {wanted.kind}, {wanted.check}: {wanted.text}
import numpy as np
import linkwork as lw
from tests.fuzz.checks import {check}
from tests.fuzz.draw import Case
{imports}
m = lw.from_toml("""{lw.to_toml(case.mechanism, functions=FUNCTIONS)}"""{functions})
model = m.build()
q = np.array({q.tolist()})
v = np.array({v.tolist()})
case = Case({case.seed}, {case.trait!r}, m, {case.q!r}, {case.v!r})
print({check}(case, model))
'''
