"""Tests of compiled units: a store of their own, empty at first."""

import pytest

from linkwork.kernels import JIT

collect_ignore = (
    []
    if JIT
    else [
        "test_store.py",
        "test_loader.py",
        "test_build.py",
        "test_store_library.py",
        "test_sources.py",
        "test_build_cross.py",
        "test_level_choice.py",
    ]
)


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """The folder of loose units of a store in which there is nothing, no library either. Processes that compile use it too."""
    from linkwork.kernels import store

    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LINKWORK_QUIET", "1")
    monkeypatch.setattr(store, "SHIPPED", tmp_path / "library")
    monkeypatch.setattr(store, "_kept", {})
    store._library.cache_clear()
    yield tmp_path / "cache" / store.target().name
    store._library.cache_clear()
