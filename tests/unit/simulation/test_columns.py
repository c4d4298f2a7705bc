"""`Layout`: names of columns; whose they are is worked out late."""

import pickle

import linkwork as lw
from linkwork.data.lending import cache_of
from linkwork.simulation.columns import Layout


def test_the_fingerprint_is_not_worked_out_until_it_is_asked_for():
    model = lw.shipped("four-bar").mechanism.build()
    layout = Layout.of(model, ("spring",))
    assert layout == Layout.of(model, ("spring",))
    assert "fingerprint" not in cache_of(model).kept  # an edit of a large mechanism would wait for it
    assert layout.fingerprint == model.fingerprint


def test_layouts_are_equal_by_what_they_say_wherever_they_come_from():
    layout = Layout.of(lw.shipped("four-bar").mechanism.build(), ("spring",))
    others = [
        pickle.loads(pickle.dumps(layout)),
        Layout.from_dict(layout.to_dict()),
        Layout.of(lw.shipped("four-bar").mechanism.build(), ("spring",)),
    ]
    for other in others:
        assert layout == other and hash(layout) == hash(other) and repr(layout) == repr(other)
    heavier = lw.shipped("four-bar").mechanism
    heavier.change(heavier.bodies[0], density=None, mass=123.0)
    assert layout != Layout.of(heavier.build(), ("spring",))
    assert layout != Layout.of(lw.shipped("four-bar").mechanism.build(), ("string",))
    assert layout != "four-bar"
