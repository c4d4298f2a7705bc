"""A page that is open for days: what is no longer shown is forgotten."""

import gc

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.charts import ChartsPanel
from linkwork.studio.panels.edit import EditPanel
from linkwork.studio.scene.board import Board
from linkwork.studio.scene.surfaces import MOST_UNUSED, Surfaces
from linkwork.studio.serving import MOST_REMOVED, Sweeper
from linkwork.studio.studio import Studio


@pytest.fixture
def studio(tmp_path):
    with Studio(lw.Live(lw.shipped("four-bar")), folder=tmp_path, port=0) as studio:
        yield studio
        assert studio.player.faults == []


def messages(studio):
    return studio.server._websock_server._broadcast_buffer.message_from_id


@pytest.mark.slow
def test_forms_and_charts_that_went_leave_no_messages(studio):
    """Each selection makes a form of some 25 elements; viser would keep a message about each that was removed until another page is opened."""
    charts = next(panel for panel in studio.panels if isinstance(panel, ChartsPanel))
    names = [body.name for body in studio.player.live.mechanism.bodies] + [joint.name for joint in studio.player.live.mechanism.joints]
    removed, most = 0, 0

    def one(live, name):
        studio._choose(live, name)
        chart = charts._add(live, ("energy total",))
        charts._remove(live, chart)
        studio._refreshed = 0.0
        studio._frame(live)

    for k in range(80):
        before = set(messages(studio))
        studio.player.ask(one, names[k % len(names)])
        removed += sum(message.lifecycle_phase == "remove" for key, message in list(messages(studio).items()) if key not in before)
        most = max(most, len(messages(studio)))
    assert removed > 2 * MOST_REMOVED  # it was worth it
    assert most < 400 + MOST_REMOVED + 200  # what is shown, what may wait, and one form
    shown = next(panel for panel in studio.panels if isinstance(panel, EditPanel))
    assert shown._forms and all(form.form._impl.uuid in studio.gui._container_handle_from_uuid for _, form in shown._forms)


def test_what_a_page_has_yet_to_hear_is_not_forgotten(studio):
    sweep, buffer = Sweeper(studio.server), studio.server._websock_server._broadcast_buffer
    buffer.generator_cursors[999] = buffer.message_counter - 1  # a page that hears nothing from here on
    try:
        for _ in range(MOST_REMOVED + 1):
            studio.gui.add_html("").remove()
        sweep._left = 0
        sweep()
        assert sum(message.lifecycle_phase == "remove" for message in list(buffer.message_from_id.values())) > MOST_REMOVED
    finally:
        del buffer.generator_cursors[999]
    sweep._left = 0
    sweep()
    assert sum(message.lifecycle_phase == "remove" for message in list(buffer.message_from_id.values())) < 100


@pytest.mark.slow
def test_edits_in_the_studio_leave_no_models_and_no_messages(studio):
    """Bodies that come and go while time runs, selected meanwhile, undone and done again."""

    def edit(live, k):
        studio.apply(live, lambda live: live.add_body(f"ball {k}", shape=lw.Sphere(0.05), density=500.0, pose=(0, 0, 1)))
        studio._choose(live, f"ball {k}")
        live.advance(1.0 / 60.0)
        studio._frame(live)
        studio.apply(live, lambda live: live.remove(f"ball {k}") if k % 2 else live.undo())
        live.advance(1.0 / 60.0)
        studio._refreshed = 0.0
        studio._frame(live)

    def models():
        gc.collect()
        return sum(type(each) is lw.Model for each in gc.get_objects())

    for k in range(10):
        studio.player.ask(edit, k)
    kept, count = models(), len(studio.server.scene._handle_from_node_name)
    for k in range(10, 40):
        studio.player.ask(edit, k)
    assert models() <= kept + 2  # those of questions under way
    assert len(studio.server.scene._handle_from_node_name) == count
    assert len(messages(studio)) < 400 + MOST_REMOVED + 200


@pytest.mark.slow
def test_meshes_that_are_no_longer_drawn_are_dropped():
    surfaces, normal = Surfaces(), np.array((0.0, 0.0, 1.0))
    corners = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    names = []
    for k in range(3 * MOST_UNUSED):
        names.append(surfaces.plate(corners * (1.0 + k), normal, 0.1))
        surfaces.forget({names[-1], "box"})
    assert len(set(names)) == 3 * MOST_UNUSED
    assert len(surfaces._made) <= MOST_UNUSED + 1 and names[-1] in surfaces._made
    shape = lw.Mesh(corners, [(0, 1, 2), (0, 2, 1)])
    name = surfaces.of_shape(shape)
    assert surfaces[name] is surfaces._made[name] and surfaces._kept == [shape]
    for k in range(MOST_UNUSED + 1):
        surfaces.plate(corners * (0.5 / (1.0 + k)), normal, 0.1)
    surfaces.forget(set())
    assert not surfaces._made and not surfaces._kept and surfaces.of_shape(shape) == name


def test_outlines_of_meshes_go_with_them():
    class Api:
        made, removed = 0, 0

        def add_batched_meshes_simple(self, *_, **__):
            api = self
            api.made += 1

            class Handle:
                def remove(self):
                    api.removed += 1

            return Handle()

    from linkwork.studio.scene.colours import BodyColors
    from linkwork.studio.scene.figure import make_figure

    api, surfaces, colors = Api(), Surfaces(), BodyColors()
    board = Board(api, "/x", surfaces, None, None)
    for k in range(5):
        m = lw.Mechanism()
        corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0 + k)])
        m.add_body("rock", mass=1.0, inertia=(1, 1, 1), shape=lw.Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]))
        colors.update(["rock"])
        figure = make_figure(m, colors, surfaces)
        board.fill(figure, np.zeros((2, 3)), np.array([(1.0, 0, 0, 0)] * 2))
        board.outline({"rock": (255, 0, 0)})
    assert len(board._rims) == 1 and api.removed >= 8  # of five rocks with their outlines, one is left
