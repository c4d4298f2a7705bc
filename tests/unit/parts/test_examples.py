"""The examples in the documentation of the parts run and show what they say."""

import doctest
import importlib

import pytest

import linkwork.parts
from linkwork.parts import __all__ as names


@pytest.mark.parametrize("module", ["mechanism", "shapes", "joints.revolute"])
def test_examples(module):
    found = doctest.testmod(importlib.import_module(f"linkwork.parts.{module}"), extraglobs={n: getattr(linkwork.parts, n) for n in names})
    assert found.attempted > 0 and found.failed == 0
