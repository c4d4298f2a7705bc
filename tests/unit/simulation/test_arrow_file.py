"""Files of recordings: nothing is lost, nothing broken is believed, nothing half is left behind."""

import csv
import json
import os
import stat
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkwork.simulation import arrow_file
from linkwork.simulation.columns import JointColumns, Layout
from linkwork.simulation.recording import Recording
from linkwork.simulation.status import Status

from .motions import model_of, recorded

CASES = ("double pendulum", "satellite", "four-bar")
# A folder is shared by the examples of a test: each writes the file anew.
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
bits = st.integers(0, 2**64 - 1)  # any float64 there is: all NaN, both zeros, infinities, denormal numbers


@st.composite
def recordings(draw):
    joints = [
        JointColumns(draw(names), "vector", tuple(str(k) for k in range(n)), ("rad",) * n)
        if (n := draw(st.integers(0, 3)))
        else JointColumns(draw(names), draw(st.sampled_from(["ball", "free", "vector"])))
        for _ in range(draw(st.integers(0, 3)))
    ]
    some = st.lists(names, max_size=3).map(tuple)
    layout = Layout(draw(names), "f", tuple(joints), draw(some), draw(some), tuple((n, n) for n in draw(some)), draw(some))
    known = arrow_file.channels_of(layout)
    frames = draw(st.integers(0, 4))
    columns = {"time": np.sort(draw(st.lists(st.floats(-1e300, 1e300), min_size=frames, max_size=frames)))}
    for name in draw(st.lists(st.sampled_from([*known][1:]), unique=True)):
        count = frames * known[name].size
        raw = np.array(draw(st.lists(bits, min_size=count, max_size=count)), dtype=np.uint64)
        columns[name] = raw.view(known[name].dtype).reshape(frames, *known[name].shape)
    status = Status(
        draw(st.sampled_from(["finished", "failed"])), draw(names), draw(st.none() | st.floats(-1e9, 1e9)), joint=draw(st.none() | names)
    )
    return Recording(layout, columns, status=status, notes=draw(st.dictionaries(names, st.integers() | names | st.lists(st.floats(-1, 1)))))


@pytest.mark.slow
@SHARED
@given(recordings())
def test_every_recording_comes_back_bit_by_bit(tmp_path, rec):
    path = tmp_path / "any.arrow"
    rec.save(path)
    back = Recording.load(path)
    assert back.layout == rec.layout
    assert back.channels == rec.channels
    assert (back.status, dict(back.notes)) == (rec.status, dict(rec.notes))
    for name in rec.channels:
        assert back[name].tobytes() == rec[name].tobytes()
        assert (back[name].shape, back[name].dtype) == (rec[name].shape, rec[name].dtype)


@pytest.mark.parametrize("case", CASES)
def test_a_run_comes_back_with_its_audit(tmp_path, case):
    rec = recorded(case)
    rec.save(tmp_path / "run.arrow")
    back = Recording.load(tmp_path / "run.arrow")
    assert back == rec
    assert back.audit == rec.audit
    assert back.digest == rec.digest
    assert np.array_equal(back["solver_time"], rec["solver_time"])
    assert back.model is None
    assert Recording.load(tmp_path / "run.arrow", model=model_of(case)).model is model_of(case)


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_interpolated_without_its_model(tmp_path, case):
    rec = recorded(case)
    rec.save(tmp_path / "run.arrow")
    t = np.linspace(0.0, rec.time[-1], 101)
    found, expected = Recording.load(tmp_path / "run.arrow").at(t), rec.at(t)
    for name in set(rec.channels) - {"poses"}:
        assert np.array_equal(found[name], expected[name]), name
    # Poses between frames are straight without a model, and those of q with it: the arcs of 20 ms are nearly straight.
    a, b = found["poses"], expected["poses"]
    assert a[..., :3] == pytest.approx(b[..., :3], abs=2e-2)
    assert np.abs((a[..., 3:] * b[..., 3:]).sum(axis=-1)) == pytest.approx(np.ones(a.shape[:-1]), abs=2e-2)


def test_the_same_recording_makes_the_same_file(tmp_path):
    for name in ("a", "b"):
        recorded("satellite").save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_other_tools_read_it_under_its_labels(tmp_path):
    rec = recorded("double pendulum")
    rec.save(tmp_path / "run.arrow")
    table = pyarrow.feather.read_table(tmp_path / "run.arrow")
    assert table.column_names[:4] == ["time", "q shoulder", "q elbow", "v shoulder"]
    assert np.array_equal(table["work damper"].to_numpy(), rec["damper", "work"])
    meta = json.loads(table.schema.metadata[b"linkwork"])
    assert meta["linkwork"] == lw.__version__
    assert meta["layout"]["fingerprint"] == model_of("double pendulum").fingerprint


def test_labels_that_meet_are_told_apart(tmp_path):
    joints = (JointColumns("arm", "vector", ("x", "y"), ("m", "m")), JointColumns("arm.x", "vector", ("1",), ("rad",)))
    rec = Recording(Layout("m", "", joints), {"time": [0.0], "q": [[1.0, 2.0, 3.0]]})
    rec.save(tmp_path / "x.arrow")
    assert pyarrow.feather.read_table(tmp_path / "x.arrow").column_names == ["time", "q arm.x", "q arm.y", "q arm.x (2)"]
    assert Recording.load(tmp_path / "x.arrow") == rec


# ---------------------------------------------------------------------- what is refused


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "run.arrow"
    recorded("double pendulum", frames=6).save(path)
    return path


@SHARED
@given(st.data())
def test_a_damaged_file_is_refused_or_the_same(tmp_path, whole, data):
    """Bits turned over, bytes overwritten, ends cut off: FormatError, or, where only padding and the index were hit, what was saved."""
    raw = bytearray(whole.read_bytes())
    kind = data.draw(st.sampled_from(["bit", "bytes", "cut", "grown"]))
    at = data.draw(st.integers(0, len(raw) - 1))
    if kind == "bit":
        raw[at] ^= 1 << data.draw(st.integers(0, 7))
    elif kind == "bytes":
        raw[at : at + 16] = data.draw(st.binary(min_size=16, max_size=16))
    elif kind == "cut":
        raw = raw[:at]
    else:
        raw[at:at] = data.draw(st.binary(min_size=1, max_size=64))
    path = tmp_path / "damaged.arrow"
    path.write_bytes(raw)
    try:
        back = Recording.load(path)
    except lw.FormatError as error:
        assert str(path) in str(error) and error.path == str(path)
    else:
        assert kind != "cut"
        assert back == recorded("double pendulum", frames=6)


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"ARROW1\0\0ARROW1", b"ARROW1\0\0\xff\xff\xff\xff\0\0\0\0ARROW1", b"{}", b"\0" * 1000])
def test_what_is_no_recording_is_refused(tmp_path, content):
    path = tmp_path / "x.arrow"
    path.write_bytes(content)
    with pytest.raises(lw.FormatError, match="no whole recording"):
        Recording.load(path)


def test_other_arrow_files_are_refused(tmp_path):
    path = tmp_path / "x.arrow"
    pyarrow.feather.write_feather(pa.table({"time": [0.0, 1.0]}), path, compression="uncompressed")
    with pytest.raises(lw.FormatError, match="not a recording"):
        Recording.load(path)
    pyarrow.feather.write_feather(pa.table({"time": ["now"]}), path, compression="uncompressed")
    with pytest.raises(lw.FormatError, match="string"):
        Recording.load(path)


def test_a_compressed_file_is_refused_before_it_is_unpacked(tmp_path, whole):
    path = tmp_path / "bomb.arrow"
    table = pyarrow.feather.read_table(whole)
    pyarrow.feather.write_feather(table, path, compression="zstd")
    with pytest.raises(lw.FormatError, match="compressed"):
        Recording.load(path)
    pyarrow.feather.write_feather(table, path, compression="uncompressed")
    assert Recording.load(path) == Recording.load(whole)


def forged(path, change):
    """A file whose JSON says something else, with a checksum that is right."""
    table = pyarrow.feather.read_table(path)
    meta = json.loads(table.schema.metadata[arrow_file.KEY])
    meta = change(meta) or meta
    text = json.dumps(meta).encode()
    check = arrow_file._digest(text, [column.to_numpy() for column in table.columns])
    pyarrow.feather.write_feather(
        table.replace_schema_metadata({arrow_file.KEY: text, arrow_file.CHECK: check}), path, compression="uncompressed"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format=99), "format 99; this Linkwork reads 1"),
        (lambda m: m.update(frames=10**15), "number of its samples"),
        (lambda m: m.update(frames="many"), "number of its samples"),
        (lambda m: m.update(channels=["time", "q"]), "number of its columns"),
        (lambda m: m.update(channels=["time", "colour"]), "not understood"),
        (lambda m: m.update(channels=m["channels"][1:]), "columns"),
        (lambda m: m["layout"].update(bodies=["x"] * 5), "columns"),
        (lambda m: m["layout"].update(joints=[]), "columns"),
        (lambda m: m.update(status={"word": "great"}), "status"),
        (lambda m: m.update(audit={}), "audit"),
        (lambda m: m.pop("notes") and None, "not understood"),
        (lambda m: m.update(notes=[1]), "not understood"),
        (lambda m: [1], "not understood"),
    ],
)
def test_a_forged_file_is_refused(tmp_path, whole, change, message):
    path = tmp_path / "forged.arrow"
    path.write_bytes(whole.read_bytes())
    forged(path, change)
    with pytest.raises(lw.FormatError, match=message):
        Recording.load(path)


def test_a_changed_number_is_noticed(tmp_path, whole):
    table = pyarrow.feather.read_table(whole)
    column = pa.array(np.nextafter(table["q elbow"].to_numpy(), 9.0))
    changed = table.set_column(2, table.schema.field(2), column).replace_schema_metadata(table.schema.metadata)
    pyarrow.feather.write_feather(changed, tmp_path / "x.arrow", compression="uncompressed")
    with pytest.raises(lw.FormatError, match="checksum is wrong"):
        Recording.load(tmp_path / "x.arrow")


def test_another_model_is_refused(whole):
    with pytest.raises(lw.FormatError, match="another model than 'satellite'"):
        Recording.load(whole, model=model_of("satellite"))


@pytest.mark.parametrize("path", ["missing.arrow", ".", "no\0name"])
def test_what_cannot_be_read_is_refused(tmp_path, path):
    with pytest.raises(lw.FormatError):
        Recording.load(tmp_path / path)
    with pytest.raises(TypeError, match="give the path of a file"):
        Recording.load(5)


# ---------------------------------------------------------------------- what cannot be written


@pytest.mark.parametrize("write", ["save", "to_csv"])
@pytest.mark.parametrize("path", ["no/such/folder/x", "folder", "no\0name"])
def test_what_cannot_be_written_is_refused_kindly(tmp_path, write, path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(lw.FormatError, match=r"cannot be written \(.*\); check that the folder exists") as caught:
        getattr(recorded("double pendulum"), write)(tmp_path / path)
    assert caught.value.path == str(tmp_path / path)
    assert [p.name for p in tmp_path.iterdir()] == ["folder"], "no trace"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(lw.FormatError, match="Permission denied"):
            recorded("double pendulum").save(tmp_path / "x.arrow")
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "run.arrow"
    recorded("double pendulum").save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(lw.FormatError, match="No space left"):
        recorded("satellite").save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_notes_that_are_no_json_are_refused(tmp_path):
    rec = recorded("double pendulum", record=("q",))
    for notes in ({"f": len}, {"x": np.nan}):
        with pytest.raises(lw.StateError, match="notes"):
            Recording(rec.layout, {"time": [0.0]}, notes=notes).save(tmp_path / "x.arrow")
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------------- CSV


def test_csv_has_every_number_exactly(tmp_path):
    rec = recorded("double pendulum")
    rec.to_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[:5] == ["time [s]", "q shoulder [rad]", "q elbow [rad]", "v shoulder [rad/s]", "v elbow [rad/s]"]
    assert "reactions elbow.My [N m]" in head and "steps" in head
    numbers = np.array([[float(x) for x in row] for row in rows])
    flat = np.hstack([rec[name].reshape(len(rec), -1) for name in rec.channels])
    assert numbers.tobytes() == flat.astype(float).tobytes()


def test_csv_quotes_names_and_keeps_special_numbers(tmp_path):
    layout = Layout("m", "", (JointColumns('a,"b"', "vector", ("1",), ("rad",)),))
    Recording(layout, {"time": [0.0, 1.0, 2.0], "q": [[-0.0], [np.inf], [np.nan]]}).to_csv(tmp_path / "x.csv")
    with open(tmp_path / "x.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows == [["time [s]", 'q a,"b" [rad]'], ["0", "-0"], ["1", "inf"], ["2", "nan"]]
