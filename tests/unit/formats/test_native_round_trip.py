"""What is written reads back as the same mechanism, to the last bit; what a document is changed to is what its text says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.errors import FormatError
from linkwork.formats.native_setup import NamedController

from .native_strategies import FUNCTIONS, linkages, mechanisms, name, number


@pytest.mark.slow
@given(mechanisms(3))
def test_read_undoes_write(m):
    text = lw.to_toml(m, functions=FUNCTIONS)
    again = lw.from_toml(text, functions=FUNCTIONS)
    assert again == m
    assert lw.to_toml(again, functions=FUNCTIONS) == text  # -0.0 == 0.0, but their texts differ


@pytest.mark.slow
@given(linkages())
@settings(max_examples=30)  # functions are compiled anew for some
def test_both_build_to_the_same_model(m):
    model = m.build()
    assert model.nc > 0
    assert lw.from_toml(lw.to_toml(m, functions=FUNCTIONS), functions=FUNCTIONS).build().fingerprint == model.fingerprint


settings_of_a_run = st.recursive(
    st.one_of(st.integers(-(2**60), 2**60), number, st.booleans(), name),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(name, inner, max_size=3)),
    max_leaves=5,
)


@given(
    st.dictionaries(st.sampled_from(("hinge", "odd name.")), number, max_size=2),
    st.one_of(st.none(), st.tuples(*[number] * 7)),
    st.dictionaries(name, settings_of_a_run, max_size=3),
    st.floats(1e-300, 1e300),
)
def test_setups_read_back(v, free, values, positive):
    m = lw.Mechanism()
    for joint in ("hinge", "odd name."):
        m.add_joint(joint, lw.Revolute((0, 0, 1)), m.ground, m.add_body(f"on {joint}"))
    m.add_body("loose")
    setup = lw.Setup(
        time=positive,
        q={"loose.free": free} if free else {},
        v={joint: (float(x),) for joint, x in v.items()},
        duration=positive,
        integrator={"step": 5.0, **values, "kind": "x y"},
        record=("q", "ü"),
        drift="project",
        controllers={"a": NamedController("a", None, values), "ä b": NamedController("c.d", 0.5)},
    )
    again = lw.Document.from_text(lw.to_toml(m, setup)).setup
    assert again == setup
    assert type(again.integrator["step"]) is float  # 5.0 stays a float: a setting may care


@pytest.mark.slow
@given(mechanisms(3), mechanisms(3), st.integers(0, 3))
@settings(max_examples=25)
def test_a_document_becomes_any_other_mechanism(m, other, spared):
    """Whatever is changed, the new text means the changed mechanism. `spared`: how many names the two have in common."""
    for part, theirs in list(zip(m.bodies + m.joints, other.bodies + other.joints, strict=False))[:spared]:
        if not other._registry.has(part.name):
            other.rename(theirs, part.name)
    document = lw.Document.from_text("# my file\n" + lw.to_toml(m, functions=FUNCTIONS) + "\n# the end\n", functions=FUNCTIONS)
    document.mechanism = other
    text = document.text
    assert lw.from_toml(text, functions=FUNCTIONS) == other
    assert text.startswith("# my file\n")
    assert "\n# the end\n" in text


@pytest.mark.slow
@given(mechanisms(3), st.data())
@settings(max_examples=25)
def test_renamed_parts_keep_their_comments(m, data):
    text = lw.to_toml(m, functions=FUNCTIONS)
    lines = text.split("\n")
    commented = "\n".join(f"# c{k}\n{line} # d{k}" if line.startswith("[") and line.endswith("]") else line for k, line in enumerate(lines))
    document = lw.Document.from_text(commented, functions=FUNCTIONS)
    changed = document.mechanism
    assert document.text == commented
    for part in changed._registry.everything():
        new = data.draw(name)
        if not changed._registry.has(new):
            changed.rename(part, new)
    text = document.text
    assert lw.from_toml(text, functions=FUNCTIONS) == changed
    for k, line in enumerate(lines):
        if line.startswith("[") and line.endswith("]") and line.count(".") == 1:
            assert f"# c{k}\n" in text and f"] # d{k}\n" in text + "\n"


def test_functions_are_written_by_name_or_refused():
    m = lw.Mechanism()
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), m.ground, m.add_body("rod", mass=1.0, inertia=(1, 1, 1)))
    m.add_constraint("swing", lw.Drive(FUNCTIONS["swing"]), "hinge")
    with pytest.raises(FormatError, match=r"constraint 'swing': target is a Python function \('swing'\).*functions="):
        lw.to_toml(m)
    text = lw.to_toml(m, functions=FUNCTIONS)
    assert 'target = { function = "swing" }' in text
    with pytest.raises(FormatError, match="no function is called 'swing'; there is none"):
        lw.from_toml(text)
    assert lw.from_toml(text, functions=FUNCTIONS).build() == m.build()


def test_what_has_no_form_in_a_file_is_refused():
    m = lw.Mechanism("m")
    m.add_body("rod", mass=float("nan"))
    with pytest.raises(FormatError, match="body 'rod': mass is nan; a file holds finite numbers"):
        lw.to_toml(m)
    m.change("rod", mass=1.0)
    m.add_joint("j", lw.Revolute((0, 0, 1), damping=float("inf")), m.ground, "rod")
    with pytest.raises(FormatError, match="joint 'j': damping is inf"):
        lw.to_toml(m)
    m.change("j", damping=0.0, upper=float("inf"))
    m.add_frame("rod", m.ground)
    with pytest.raises(FormatError, match=r"2 parts are called 'rod' \(body and frame\)"):
        lw.to_toml(m)
    m.remove(m.frames[0])
    m.rename("rod", "\ud800")
    with pytest.raises(FormatError, match="surrogate"):
        lw.to_toml(m)
    with pytest.raises(FormatError, match="written from a Mechanism"):
        lw.to_toml("robot")
    with pytest.raises(FormatError, match="give a Setup"):
        lw.to_toml(lw.Mechanism(), setup={})

    class Odd(lw.Revolute):
        pass

    m = lw.Mechanism()
    m.add_joint("j", Odd((0, 0, 1)), m.ground, m.add_body("a"))
    with pytest.raises(FormatError, match="joint 'j': its kind is Odd"):
        lw.to_toml(m)
