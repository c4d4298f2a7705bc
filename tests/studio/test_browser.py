"""The fixtures of this folder leave nothing behind that other tests could trip over."""

import asyncio

import pytest

PAGE = "data:text/html,<title>here</title>"


def test_a_page_opens(browser_page):
    page = browser_page(PAGE)
    assert page.title() == "here"
    assert page.viewport_size == {"width": 720, "height": 540}


def test_an_error_of_a_page_is_seen(browser):
    errors = []
    context = browser.new_context()
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("data:text/html,<script>throw new Error('oh')</script>")
    assert "oh" in errors[0]
    context.close()


@pytest.fixture(scope="module", autouse=True)
def loop_is_free_afterwards(request):
    """Set up before `browser`, hence torn down after it: then asyncio must work again."""
    yield
    asyncio.run(asyncio.sleep(0))
