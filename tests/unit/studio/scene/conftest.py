"""A server for all tests of a module, with nobody connected."""

import pytest
import viser


@pytest.fixture(scope="module")
def server():
    made = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield made
    made.stop()
