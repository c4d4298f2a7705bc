"""A browser for tests of pages: chromium, started once, without a graphics card.

    def test_something(browser_page):
        page = browser_page(url)          # a Playwright page of 720 x 540, closed after the test

Where no chromium is found, tests that ask for it are skipped.
"""

import os
import shutil

import pytest

SIZE = {"width": 720, "height": 540}
FLAGS = (
    *("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"),
    *("--disable-extensions", "--mute-audio", "--no-first-run"),
)
HOW = "no chromium: apt-get install chromium (or set LINKWORK_CHROMIUM to one), and pip install playwright"


def find_chromium():
    """The path of a chromium, or None."""
    given = os.environ.get("LINKWORK_CHROMIUM")
    return given or next(
        (path for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (path := shutil.which(name))), None
    )


@pytest.fixture(scope="session")
def chromium():
    """The browser, one for all tests of a run."""
    playwright = pytest.importorskip("playwright.sync_api", reason=HOW)
    path = find_chromium()
    if path is None:
        pytest.skip(HOW)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def browser_page(chromium):
    """browser_page(url) opens a page. Errors that its scripts raise fail the test."""
    opened, errors = [], []

    def open_page(url, **options):
        page = chromium.new_page(viewport=options.pop("viewport", SIZE), **options)
        page.set_default_timeout(120_000)  # software rendering on a busy machine
        page.on("pageerror", lambda error: errors.append(str(error)))
        opened.append(page)
        page.goto(url)
        return page

    yield open_page
    for page in opened:
        page.close()
    assert not errors, errors
