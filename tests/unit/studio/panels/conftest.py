"""A studio for all tests of a module: nobody is connected, and each test brings its own mechanism."""

import pytest

import linkwork as lw

from ....waiting import answer


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    from linkwork.studio.studio import Studio

    with Studio(folder=tmp_path_factory.mktemp("studio"), port=0) as studio:
        yield studio


@pytest.fixture
def at(studio):
    """at("four-bar"): the studio with this mechanism on the page."""

    def bring(name):
        answer(studio.bring(studio.keeper.start_from, name))
        studio.player.ask(lambda live: None)
        return studio

    return bring


@pytest.fixture
def built():
    """A Live with two pucks that float, for studio.open."""

    def make():
        live = lw.Live()
        for k in (0, 1):
            live.add_body(f"puck {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(k, 0, 0), twist=(0, 0, 0, k, 0, 0))
        return live

    return make
