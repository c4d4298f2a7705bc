"""Imports inside the package point one way: a package may know those to its left, itself and the base modules, no others."""

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "linkwork"

BASE = ("kernels", "jets", "errors", "validation", "arguments", "lazy", "native_function")
ORDER = (
    *("spatial", "geometry", "data", "parts", "model", "dynamics", "constraints", "solvers", "contact", "analysis", "integrators"),
    *("simulation", "control", "formats", "draw", "live", "studio", "sweep", "testing", "cli"),
)
# linkwork/__init__.py and public.py name everything; these may say `import linkwork as lw`, being users of the public names.
ROOT = "__init__"
USERS_OF_THE_ROOT = ("studio", "sweep", "cli")

# (importing module, imported module, where: a function, or TYPE_CHECKING): why this one may point the other way.
ALLOWED = {
    ("parts.mechanism", "model.build", "Mechanism.build"): "m.build() is a comfort; the import runs on the call, not with the module",
    ("parts.mechanism", "model.model", "TYPE_CHECKING"): "the return type of m.build(), seen by type checkers only",
    ("simulation.arrow_file", "__init__", "save_recording"): "the version, which is written into files",
}


@dataclass(frozen=True)
class Import:
    """One import of a linkwork module, by dotted names below linkwork; `where` is the function it stands in, "" at the top of a module."""

    importer: str
    imported: str
    where: str
    line: int

    @property
    def key(self):
        return self.importer, self.imported, self.where


class _Collector(ast.NodeVisitor):
    """Finds every import of linkwork, absolute or relative, at the top of a module or deep in a function."""

    def __init__(self, file, root):
        self.root = root
        parts = file.relative_to(root).with_suffix("").parts
        self.is_package = parts[-1] == "__init__" and len(parts) > 1
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.folder = ("linkwork", *parts[:-1])
        self.scope, self.found = [], []

    def _enter(self, node):
        self.scope.append(node.name)
        self.generic_visit(node)
        self.scope.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _enter  # noqa: N815 - names set by ast

    def visit_If(self, node):
        # An import for type checkers never runs, but knows the other module all the same: it counts, under a name of its own.
        outside = self.scope
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            self.scope = [*outside, "TYPE_CHECKING"]
        for child in node.body:
            self.visit(child)
        self.scope = outside
        for child in node.orelse:
            self.visit(child)

    def visit_Import(self, node):
        for alias in node.names:
            self._add(alias.name.split("."), node)

    def visit_ImportFrom(self, node):
        base = list(self.folder[: len(self.folder) - node.level + 1]) if node.level else []
        base += node.module.split(".") if node.module else []
        for alias in node.names:
            # `from ..model import build` means the module model.build if there is one, else a name of model.
            self._add([*base, alias.name] if self._is_module([*base, alias.name]) else base, node)

    def _is_module(self, parts):
        path = self.root.joinpath(*parts[1:])
        return path.is_dir() or path.with_suffix(".py").exists()

    def _add(self, parts, node):
        if parts[:1] == ["linkwork"]:
            self.found.append(Import(self.name, ".".join(parts[1:]) or ROOT, ".".join(self.scope), node.lineno))


def imports_of(root):
    for file in sorted(root.rglob("*.py")):
        collector = _Collector(file, root)
        collector.visit(ast.parse(file.read_text(encoding="utf-8"), filename=str(file)))
        yield from collector.found


def _points_down(importer, imported):
    here, there = importer.split(".")[0], imported.split(".")[0]
    if here in (ROOT, "public", "__main__") or here == there or there in BASE:
        return True
    if there == ROOT:
        return here in USERS_OF_THE_ROOT
    return here in ORDER and there in ORDER and ORDER.index(there) < ORDER.index(here)


def violations(root, allowed=ALLOWED):
    return [
        f"{i.importer} (line {i.line}) imports {i.imported}"
        for i in imports_of(root)
        if not _points_down(i.importer, i.imported) and i.key not in allowed
    ]


def test_imports_point_down_the_list():
    assert violations(SOURCE) == []


def test_every_import_names_a_file_that_is_there():
    """Those for type checkers too, which never run: mypy takes a module that is missing for one without types."""
    modules = {".".join(p.relative_to(SOURCE).with_suffix("").parts) for p in SOURCE.rglob("*.py")}
    modules |= {name.removesuffix(".__init__") for name in modules} | {ROOT}
    missing = [f"{i.importer} (line {i.line}) imports {i.imported}" for i in imports_of(SOURCE) if i.imported not in modules]
    assert missing == []


def test_every_package_and_module_has_its_place_in_the_order():
    found = {p.stem for p in SOURCE.iterdir() if p.suffix == ".py" or (p.is_dir() and any(p.rglob("*.py")))}
    assert found <= {*BASE, *ORDER, ROOT, "public", "__main__"}, "give the new folder a place in ORDER"


def test_every_exception_is_still_needed():
    used = {i.key for i in imports_of(SOURCE)}
    assert set(ALLOWED) <= used, "an exception nobody uses any more: delete it"


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("spatial/pose.py", "from ..model import Model"),
        ("spatial/pose.py", "from ..model.build import build_model"),
        ("spatial/pose.py", "from .. import parts"),
        ("spatial/pose.py", "import linkwork.parts.body"),
        ("spatial/pose.py", "from linkwork import parts"),
        ("parts/joints/kind.py", "from ...dynamics import aba"),
        ("parts/joints/__init__.py", "from ...dynamics.aba import aba"),
        ("parts/__init__.py", "from ..dynamics import aba"),
        ("model/tree.py", "def f():\n    from ..dynamics import aba"),
        ("model/tree.py", "class A:\n    async def f(self):\n        import linkwork.dynamics"),
        ("model/tree.py", "if TYPE_CHECKING:\n    from ..dynamics import aba"),
        ("dynamics/aba.py", "import linkwork as lw"),
        ("dynamics/aba.py", "from .. import forward_dynamics"),
        ("errors.py", "from .spatial import vectors"),
        ("parts/mechanism.py", "from ..model.build import build_model"),
        ("parts/mechanism.py", "from ..model.model import Model"),
        ("parts/mechanism.py", "if TYPE_CHECKING:\n    pass\nelse:\n    from ..model.model import Model"),
        ("parts/mechanism.py", "if not TYPE_CHECKING:\n    from ..model.model import Model"),
        ("parts/body.py", "class Mechanism:\n    def build(self):\n        from ..model.build import build_model"),
    ],
)
def test_an_upward_import_is_found(tmp_path, file, code):
    assert len(violations(_package(tmp_path, file, code))) == 1


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("model/build.py", "from ..parts import Mechanism\nfrom ..kernels import kernel\nfrom .tree import tree\nimport numpy"),
        ("formats/urdf.py", "from ..parts import Mechanism\nfrom ..errors import FormatError"),
        ("parts/joints/revolute.py", "from .kind import Kind\nfrom ..body import Body\nfrom ...spatial import vectors"),
        ("parts/mechanism.py", "class Mechanism:\n    def build(self):\n        from ..model.build import build_model"),
        ("parts/mechanism.py", "if typing.TYPE_CHECKING:\n    from ..model.model import Model"),
        ("cli/run.py", "import linkwork as lw\nfrom linkwork import Model"),
        ("native_function.py", "from .errors import ModelError"),
        ("public.py", "from .cli import main\nfrom .model import Model"),
    ],
)
def test_a_downward_import_is_fine(tmp_path, file, code):
    root = _package(tmp_path, file, code)
    assert violations(root) == []
    assert any(imports_of(root)), "the collector saw nothing: the test would prove nothing"


def _package(tmp_path, file, code):
    """A package of empty folders, as far as the cases above name them, and one file with the code."""
    root = tmp_path / "linkwork"
    for folder in ("spatial", "parts/joints", "model", "dynamics", "formats", "cli"):
        (root / folder).mkdir(parents=True)
    for module in ("model/build.py", "dynamics/aba.py", "spatial/vectors.py"):
        (root / module).touch()
    (root / file).write_text(code, encoding="utf-8")
    return root
