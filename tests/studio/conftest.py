"""A browser for tests of pages: chromium, started once, without a graphics card.

    def test_something(browser_page):
        page = browser_page(url)          # a Playwright page of 720 x 540, closed after the test

Where no chromium is found, tests that ask for it are skipped. Playwright keeps an event loop running in its thread, which no other test can
bear (asyncio.run would fail): it is started for a module and stopped after it, while the browser stays.
"""

import os
import re
import shutil
import subprocess

import pytest

from ..waiting import PATIENCE

SIZE = {"width": 720, "height": 540}
FLAGS = (
    *("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"),
    *("--disable-extensions", "--mute-audio", "--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-port=0"),
)
HOW = "no chromium: apt-get install chromium (or set LINKWORK_CHROMIUM to one), and pip install playwright"


def find_chromium():
    """The path of a chromium, or None."""
    given = os.environ.get("LINKWORK_CHROMIUM")
    return given or next(
        (path for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (path := shutil.which(name))), None
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Whatever asks for the browser is marked so."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """The address of the browser, one for all tests of a run."""
    path = find_chromium()
    if path is None:
        pytest.skip(HOW)
    home = tmp_path_factory.mktemp("chromium")
    log = home / "log"
    with log.open("wb") as out:
        process = subprocess.Popen([path, *FLAGS, f"--user-data-dir={home / 'profile'}", "about:blank"], stdout=out, stderr=out)
    try:
        for _ in range(600):
            found = re.search(rb"DevTools listening on (ws://\S+)", log.read_bytes())
            if found or process.poll() is not None:
                break
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        if not found:
            raise RuntimeError(f"{path} does not start: {log.read_text(errors='replace')[-2000:]}")
        yield found.group(1).decode()
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def browser(chromium):
    """Playwright's hold on the browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason=HOW)
    with playwright.sync_playwright() as started:
        connected = started.chromium.connect_over_cdp(chromium)
        yield connected
        connected.close()


@pytest.fixture
def browser_page(browser):
    """browser_page(url) opens a page. Errors that its scripts raise fail the test."""
    opened, errors = [], []

    def open_page(url, viewport=SIZE, **options):
        context = browser.new_context(viewport=viewport, **options)
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(2000 * PATIENCE)  # ms; software rendering on a busy machine
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert not errors, errors
