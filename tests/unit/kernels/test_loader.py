"""Units on their way into memory: what cannot be trusted is compiled again and gives the right answer."""

import pytest

from linkwork.kernels import loader, store
from linkwork.kernels.build import make

from .units import FRICTION, TORSION, friction, run, symbol


def loaded(recipe):
    """The address of a unit in an engine of its own: loaded from where it is found, compiled if need be."""
    machine = loader.Engine()
    loader._load(machine, symbol(recipe), recipe)
    machines.append(machine)
    return machine.address(symbol(recipe))


machines = []  # addresses are good as long as their engines live


@pytest.fixture(scope="module")
def right():
    """The answer of the unit in the library."""
    answer = friction(loader.require(symbol(FRICTION), FRICTION))
    assert any(answer)
    return answer


def damages(whole):
    """Ways in which a file goes bad."""
    middle = len(whole) - 200
    yield "cut short", whole[:middle]
    yield "a bit of the code", whole[:middle] + bytes([whole[middle] ^ 4]) + whole[middle + 1 :]
    yield "a bit of the header", whole[:90] + bytes([whole[90] ^ 1]) + whole[91:]
    yield "another target", whole.replace(store.target().name.encode(), b"linux-riscv64")
    yield "nothing", b""


@pytest.mark.slow
def test_a_bad_unit_is_compiled_again(empty, right):
    make(FRICTION)
    [file] = empty.glob("*.unit")
    whole = file.read_bytes()
    for name, bad in damages(whole):
        file.write_bytes(bad)
        assert store.find(symbol(FRICTION)) is None, name
    file.write_bytes(next(bad for name, bad in damages(whole) if name == "a bit of the code"))
    assert friction(loaded(FRICTION)) == right
    assert store.find(symbol(FRICTION)).object == store._opened(whole)[1], "what was compiled again is the same"


@pytest.mark.slow
def test_a_unit_of_a_bad_library_is_compiled_again(empty, right):
    make(FRICTION)
    path = store.pack([symbol(FRICTION)], store.target().name)
    [file] = empty.glob("*.unit")
    file.unlink()
    for name, bad in damages(path.read_bytes()):
        path.write_bytes(bad)
        store._library.cache_clear()
        assert store.find(symbol(FRICTION)) is None, name
    assert friction(loaded(FRICTION)) == right
    assert file.exists()


@pytest.mark.slow
def test_a_caller_is_loaded_with_what_it_calls(empty):
    make(TORSION)
    units, missing = loader.closure(symbol(TORSION), TORSION)
    assert len(units) == 1 and {name.partition("(")[0] for name in missing} == {
        "linkwork.spatial.so3.quaternion_from_matrix",
        "linkwork.spatial.so3.quaternion_log",
    }
    assert loaded(TORSION)
    units, missing = loader.closure(symbol(TORSION), TORSION)
    assert missing == {} and len(units) >= 3
    assert loader.closure(symbol(TORSION), TORSION, {unit.header["symbol"] for unit in units[1:]})[1] == {}


@pytest.mark.slow
def test_a_callee_that_returns_something_else_is_missing(empty):
    make(TORSION)
    found = store.find(symbol(TORSION))
    [other] = [name for name in found.header["needs"] if "quaternion_log" in name]
    recipe = tuple(found.header["needs"][other][1])
    make(recipe)
    assert other not in loader.closure(symbol(TORSION), TORSION)[1]
    store.write({**store.find(other).header, "returns": "int64"}, store.find(other).object)
    assert other in loader.closure(symbol(TORSION), TORSION)[1]


def test_units_for_another_machine_are_not_loaded():
    code = "import linkwork as lw, json\ntry: lw.shipped('pendulum').mechanism.build().sizes\nexcept RuntimeError: pass\n"
    code += "from linkwork.kernels.loader import engine\ntry: engine()\nexcept RuntimeError as error: print(json.dumps(str(error)))\n"
    assert "kernels for darwin-aarch64 do not run on this machine" in run(code, LINKWORK_TARGET="darwin-aarch64")
