"""Every public name shows how it is used: one example at least, which runs by itself and prints what it says."""

import doctest
import inspect

import pytest

import linkwork as lw

PARSER = doctest.DocTestParser()


def documented(thing):
    """A public function, or a class with its own public methods and properties: (name below it, text)."""
    yield "", thing.__doc__ or ""
    if isinstance(thing, type):
        for name, member in vars(thing).items():
            member = getattr(member, "__func__", member)
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                yield name, member.__doc__ or ""


@pytest.mark.parametrize("name", lw.__all__)
def test_the_first_line_says_what_it_is(name):
    first = (getattr(lw, name).__doc__ or "").strip().partition("\n")[0]
    assert len(first.split()) > 1 and not first.startswith(f"{name}("), "a line of its own, and not the signature that dataclasses write"


@pytest.mark.parametrize("name", lw.__all__)
def test_a_public_name_has_an_example(name):
    assert PARSER.get_examples(getattr(lw, name).__doc__ or "")


@pytest.mark.parametrize("name", lw.__all__)
def test_examples_of_a_public_name_run(name):
    """Each in a namespace of its own, in which nothing is imported: what a reader copies works."""
    for below, text in documented(getattr(lw, name)):
        title = f"{name}.{below}" if below else name
        test = PARSER.get_doctest(text, {}, title, None, None)
        said = []
        doctest.DocTestRunner(verbose=False).run(test, out=said.append)
        assert not said, "".join(said)
