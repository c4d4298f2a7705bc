"""Old names of arguments, attributes, keys and options are understood for this version, and say what they are called now."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.arguments import RENAMED
from linkwork.cli.main import main


def pendulum():
    m = lw.Mechanism("pendulum")
    bob = m.add_body("bob", mass=1.0, com=(0.0, 0.0, -1.0), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    return m


def simulated(**options):
    return lw.simulate(pendulum(), 0.1, q=[0.3], **options)


def rolled_out(**options):
    return lw.rollout(pendulum().build(), [[0.3]], [[0.0]], 2, **options)


def resumed(tmp_path, **options):
    path = tmp_path / "checkpoint"
    lw.Simulation(pendulum(), q=[0.3], record_interval=0.05, constraint_tolerance=1e-9, checkpoint=path).run(0.1)
    return lw.Simulation.resumed(path, pendulum(), **options)


def opened(tmp_path, **options):
    path = tmp_path / "pendulum.toml"
    lw.Document(pendulum()).save(path)
    return lw.Live.open(path, **options)


CALLS = {
    ("Simulation", "frame"): lambda tmp_path, **options: lw.Simulation(pendulum(), **options).record_interval,
    ("Simulation", "gap"): lambda tmp_path, **options: lw.Simulation(pendulum(), **options).constraint_tolerance,
    ("Simulation.resumed", "frame"): lambda tmp_path, **options: resumed(tmp_path, constraint_tolerance=1e-9, **options).record_interval,
    ("Simulation.resumed", "gap"): lambda tmp_path, **options: resumed(tmp_path, record_interval=0.05, **options).constraint_tolerance,
    ("Simulation.run", "each_frame"): lambda tmp_path, **options: len(lw.Simulation(pendulum()).run(0.1, **options)),
    ("Simulation.resume", "each_frame"): lambda tmp_path, **options: len(lw.Simulation(pendulum()).resume(**options)),
    ("simulate", "frame"): lambda tmp_path, **options: len(simulated(**options)),
    ("simulate", "gap"): lambda tmp_path, **options: len(simulated(**options)),
    ("rollout", "gap"): lambda tmp_path, **options: rolled_out(**options).q.shape,
    ("Live", "gap"): lambda tmp_path, **options: lw.Live(pendulum(), **options).simulation.constraint_tolerance,
    ("Live.open", "gap"): lambda tmp_path, **options: opened(tmp_path, **options).simulation.constraint_tolerance,
    ("Live.advance", "within"): lambda tmp_path, **options: lw.Live(pendulum()).advance(0.01, **options).word,
    ("Setup", "frame"): lambda tmp_path, **options: lw.Setup(**options).record_interval,
}
VALUES = {"frame": 0.05, "gap": 1e-9, "each_frame": lambda sim: None, "within": 60.0}


def test_every_renamed_argument_is_tried():
    assert set(CALLS) == {(function, old) for function, names in RENAMED.items() for old in names}


@pytest.mark.parametrize(("function", "old"), CALLS)
def test_the_old_name_of_an_argument_works_and_warns_at_the_line_of_the_caller(tmp_path, function, old):
    new, call = RENAMED[function][old], CALLS[function, old]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = call(tmp_path, **{new: VALUES[old]})
    for file in tmp_path.iterdir():
        file.unlink()
    with pytest.warns(DeprecationWarning, match=f"{function}: the argument '{old}' is called '{new}' now") as caught:
        assert call(tmp_path, **{old: VALUES[old]}) == expected
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(("function", "old"), CALLS)
def test_the_old_and_the_new_name_of_an_argument_together_are_refused(tmp_path, function, old):
    with pytest.raises(lw.StateError, match=f"{function}: found '{old}' and '{RENAMED[function][old]}', the old and the new name"):
        CALLS[function, old](tmp_path, **{old: VALUES[old], RENAMED[function][old]: VALUES[old]})


def test_values_under_an_old_name_are_checked_as_under_the_new():
    with pytest.warns(DeprecationWarning), pytest.raises(lw.StateError, match="constraint_tolerance: found -1"):
        rolled_out(gap=-1)


def test_a_misspelt_name_beside_an_old_one_is_explained():
    with pytest.warns(DeprecationWarning), pytest.raises(lw.ArgumentError, match="no argument is called 'drft'"):
        lw.Simulation(pendulum(), frame=0.1, drft="none")


def test_old_names_of_attributes_and_methods_give_what_the_new_ones_give():
    sim, live, setup = lw.Simulation(pendulum(), q=[0.3]), lw.Live(pendulum()), lw.Setup(record_interval=0.1)
    recording = sim.run(0.1)
    with pytest.warns(DeprecationWarning, match="is called") as caught:
        assert (sim.frame, sim.gap, setup.frame) == (0.02, 1e-10, 0.1)
        assert recording.frame(2).time == recording.sample(2).time
        assert len(live.spans) == len(live.segments)
        assert all(np.array_equal(a, b) for a, b in zip(live.loads(), live.active_forces(), strict=True))
    assert len(caught) == 6 and {warning.filename for warning in caught} == {__file__}


FILE = "[body.bob]\nmass = 1.0\ninertia = [1, 1, 1]\n"


def test_a_file_with_the_old_key_is_read_with_a_note_and_written_with_the_new():
    document = lw.Document.from_text(f"linkwork = 1\n{FILE}[simulation]\nframe = 0.05\n")
    assert document.setup.record_interval == 0.05
    assert ["frame is understood for this version" in note.message for note in document.mechanism.notes] == [True]
    text = lw.to_toml(document.mechanism, document.setup)
    assert "record_interval = 0.05" in text and "frame" not in text


def test_a_file_with_both_keys_is_refused():
    with pytest.raises(lw.FormatError, match="found record_interval too, which is its new name"):
        lw.Document.from_text(f"linkwork = 1\n{FILE}[simulation]\nframe = 0.05\nrecord_interval = 0.1\n")


def test_the_old_option_of_the_command_line_is_understood_with_a_note(tmp_path, capsys):
    words = ["run", "pendulum", "--duration", "0.2", "--out", str(tmp_path / "out.csv")]
    assert main([*words, "--frame", "0.1"]) == 0
    assert "--frame is called --record-interval now" in capsys.readouterr().err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 4
    assert main([*words, "--frame", "0.1", "--record-interval", "0.1"]) == 2
    assert "which is given too" in capsys.readouterr().err
