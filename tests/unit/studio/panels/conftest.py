"""A studio without a browser: its server listens, nobody is connected."""

import time

import pytest

import linkwork as lw

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    from linkwork.studio.studio import Studio

    with Studio(folder=tmp_path_factory.mktemp("studio"), port=0) as studio:
        yield studio


@pytest.fixture
def at(studio):
    """at("four-bar"): the studio with this mechanism on the page."""

    def bring(name):
        studio.bring(studio.keeper.start_from, name).result(60)
        studio.player.ask(lambda live: None)
        return studio

    return bring


@pytest.fixture
def panel(studio):
    """panel(ChartsPanel): the panel of this kind."""
    return lambda kind: next(panel for panel in studio.panels if type(panel) is kind)


@pytest.fixture
def settled():
    """Wait until something holds."""

    def wait(condition, timeout=20.0):
        deadline = time.monotonic() + timeout
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
        return condition()

    return wait


@pytest.fixture
def built():
    """A Live with two pucks that float, for studio.open."""

    def make():
        live = lw.Live()
        for k in (0, 1):
            live.add_body(f"puck {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(k, 0, 0), twist=(0, 0, 0, k, 0, 0))
        return live

    return make
