"""tests/unit mirrors src/linkwork: folder by folder, a test file is named for the module that it tests, and for what of it if there are several.

    tests/unit/formats/test_urdf_broken.py     tests  src/linkwork/formats/urdf.py
    tests/unit/dynamics/test_joints_table.py   tests  src/linkwork/dynamics/joints/
    tests/unit/jets/test_jets.py               tests  src/linkwork/jets/ as a whole

What concerns several modules at once is listed here.
"""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE, UNIT = ROOT / "src" / "linkwork", ROOT / "tests" / "unit"

SEVERAL = {
    "analysis": ("arguments_without_loops", "hostile_poses"),  # all questions about one state
    "cli": ("files", "verbs"),  # all verbs
    "data": ("tables",),  # all records
    "dynamics": ("bad_input", "beyond_measure", "out"),  # all functions
    "formats": ("format_document",),  # docs/format.md
    "live": ("clumsy", "random_edits"),  # edits of every sort
    "model": ("places_as_frames",),  # all functions that take a frame
    "parts": ("examples",),  # all docstrings
    "parts/constraints": ("bad_input", "equations", "persistence"),  # all kinds
    "parts/forces": ("behaviour", "laws"),  # all kinds
    "simulation": ("clumsy_runs", "dead_points", "failures", "singular_poses"),  # whole runs
    "solvers": ("every_kind",),  # all solvers
    "solvers/delassus": ("lost_digits",),  # all stages of the solver
    "solvers/lathrop": ("thesis",),  # the method before it was corrected
    "studio": ("building", "hostile_text", "memory", "playing"),  # the page, with people at it
    "studio/console": ("document", "hostile", "tensegrity"),  # all commands
    "studio/stories": ("telling_on_the_page",),  # stories, panel and server
    ".": (
        *("documents", "startup", "what_a_person_has", "hostile_mechanisms", "hostile_options"),  # all public names
        *("reference", "zoo"),  # what tests themselves rest on
    ),
}


def _modules(folder):
    """The names of modules and packages in a folder of the source, and that of the folder itself."""
    if not folder.is_dir():
        return set()
    files = {path.stem for path in folder.glob("*.py")}
    return files | {path.name for path in folder.iterdir() if (path / "__init__.py").exists()} | {folder.name}


def _stands_for(name, modules):
    """Is this a module, or one with an aspect of it behind?"""
    words = name.split("_")
    return any("_".join(words[:k]) in modules for k in range(1, len(words) + 1))


def _names():
    """(folder, name) of each test file."""
    return [(path.parent.relative_to(UNIT).as_posix(), path.stem.removeprefix("test_")) for path in sorted(UNIT.rglob("test_*.py"))]


def test_unit_tests_are_named_for_the_modules_that_they_test():
    names = _names()
    assert len(names) > 200
    astray = [(folder, name) for folder, name in names if not _stands_for(name, _modules(SOURCE / folder))]
    assert [f"{folder}/test_{name}.py" for folder, name in astray if name not in SEVERAL.get(folder, ())] == []


def test_the_list_of_tests_of_several_modules_names_no_other():
    names = set(_names())
    listed = [(folder, name) for folder, those in SEVERAL.items() for name in those]
    assert [entry for entry in listed if entry not in names] == []
    assert [(folder, name) for folder, name in listed if _stands_for(name, _modules(SOURCE / folder))] == []


def test_a_file_that_stands_for_no_module_is_found():
    modules = {"urdf", "native_read"}
    assert _stands_for("urdf", modules) and _stands_for("urdf_broken", modules) and _stands_for("native_read_faults", modules)
    assert not _stands_for("native", modules) and not _stands_for("urdfs", modules)
