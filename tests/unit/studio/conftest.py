"""A studio without a browser: a real server on a free port, people played by their events."""

import pytest


@pytest.fixture
def studio(tmp_path):
    from linkwork.studio.studio import Studio

    with Studio(folder=tmp_path, port=0) as studio:
        yield studio
        assert studio.player.faults == []


@pytest.fixture
def panel(studio):
    """panel(EditPanel): the panel of this kind."""
    return lambda kind: next(panel for panel in studio.panels if type(panel) is kind)


@pytest.fixture
def person():
    from .people import Person

    return Person()
