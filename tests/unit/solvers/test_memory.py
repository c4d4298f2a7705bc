"""Scratch memory: kernels do not check it, so what the model reserves must cover what the solver lays out."""

import pytest

from linkwork.solvers.memory import slots_needed

from ...constraint_cases import CASES, model
from ...zoo import ZOO


@pytest.mark.parametrize("name", [name for name, make in ZOO.items() if make().mechanism.build().nc])
def test_a_closed_mechanism_reserves_what_its_solver_uses(name):
    built = ZOO[name]().mechanism.build()
    assert slots_needed(built.handle) <= built.work_slots


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_constraint_has_room(name):
    assert slots_needed(model(name).handle) <= model(name).work_slots
