"""Whatever is typed into the page harms nothing."""

import pytest

from linkwork.studio.panels.build import BuildPanel
from linkwork.studio.panels.edit import EditPanel

from .people import body, done, event

HOSTILE = (
    "",
    " ",
    "ground",
    "a\nb",
    "a" * 5000,
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE --",
    "\x00",
    "😀",
    "1e308",
    "-1e308",
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_of_a_form_harms_the_page(studio, person, panel, text):
    """Names, sizes, places, numbers: each is taken or refused in words, and time runs on."""
    studio.act(body("rod"))
    studio.select("rod")
    done(studio)
    build, edit = panel(BuildPanel), panel(EditPanel)
    for handle in (build.body_name, build.size, build.where, build.weight):
        kept, handle.value = handle.value, text
        build.place._impl.value = "Place"
        studio._guarded(build._place, event(person, build.place))
        done(studio)
        handle.value = kept
    for _, form in list(edit._forms):
        for made in form._inputs.values():
            if isinstance(made.value, str):
                made.value = text
                form.submit(person)
                done(studio)
    live = done(studio)
    assert studio.player.faults == [] and "fault of Linkwork" not in studio.message[0]
    assert live.mechanism.faults() == [] and "ground" not in [b.name for b in live.mechanism.bodies]
    assert studio.player.ask(lambda live: live.advance(0.01)).word in ("finished", "stopped", "failed")
    while done(studio).mechanism.bodies:  # to the last part, and beyond
        studio.select(live.mechanism.bodies[-1].name)
        done(studio)
        edit.remove(person)
        live = done(studio)
    edit.remove(person)
    assert studio.player.ask(lambda live: live.advance(0.01)).ok
