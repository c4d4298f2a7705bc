"""Units for other systems: the format of their objects and what they need from outside. They are not run here."""

import pytest

from linkwork.kernels.level import LEVELS, SYSTEMS, target_named, targets_of_host
from linkwork.kernels.loader import C_LIBRARY, STACK_PROBE

from .units import run

# A law with exp and tanh, one that clears memory, sine and cosine of lanes, kernels for packs.
CODE = """
import json, sys
from linkwork.kernels import compiler
from linkwork.kernels.build import entries, unit_from
from linkwork.kernels.level import target
entries()
compiler.begin()
import linkwork.kernels.lanes as lanes
from numba import types
roots = [
    ("entry", "linkwork.parts.forces.joint_friction", "joint_friction", "p i p"),
    ("entry", "linkwork.dynamics.kinematics", "_poses", "i i i i A2 A2 A2"),
    ("entry", "linkwork.analysis.least_stress", "_take_least", "i A3 A3 A2 A3 A1 A2 A1 A2"),
    ("entry", "linkwork.analysis.dependence", "_fill_null_vectors", "A2 J1 J1 J1 A2 A2"),
    ("entry", "linkwork.dynamics.mass_matrix", "_mass_matrix", "i i i i A2 A3"),
]
units = [unit_from(root) for root in roots]
units.append(compiler.unit_of(lanes.elementary._sincos_far, (lanes.PACK,)))
found = {}
import llvmlite.binding as llvm
while units and len(found) < 12:
    unit = units.pop(0)
    if unit.symbol in found:
        continue
    data, called, libc = compiler.object_of(unit)
    units += called
    found[unit.symbol] = [data.hex(), [other.symbol for other in called], libc]
print(json.dumps([target().name, target().level.lanes, found]))
"""


def undefined(data):
    from .test_store_library import elf_symbols

    if data[:4] == b"\x7fELF":
        return elf_symbols(data)[1]
    return macho_undefined(data)


def macho_undefined(data):
    """Names that a Mach-O object of 64 bits does not define, without the underscore that C puts before them."""
    import struct

    assert data[:4] == b"\xcf\xfa\xed\xfe"
    (commands,) = struct.unpack_from("<I", data, 16)
    at, names = 32, set()
    for _ in range(commands):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 2:  # LC_SYMTAB
            symbols, count, strings, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(count):
                name, type_, section, _, _ = struct.unpack_from("<IBBHQ", data, symbols + 16 * k)
                if type_ & 0x0E == 0 and type_ & 1:
                    start = strings + name
                    names.add(data[start : data.index(b"\0", start)].decode().removeprefix("_"))
        at += size
    return names


MACHINES = {"aarch64": 183, "x86_64": 62}  # as ELF numbers them


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linux-x86-64-v4", "linux-aarch64", "darwin-aarch64", "windows-x86-64-v3"])
def test_units_for_another_target(name):
    target = target_named(name)
    said, lanes, found = run(CODE, LINKWORK_TARGET=name)
    assert (said, lanes) == (name, target.level.lanes) and len(found) >= 10
    outside = C_LIBRARY | ({STACK_PROBE} if target.system == "windows" else set())
    for symbol, (data, called, libc) in found.items():
        data = bytes.fromhex(data)
        if target.system == "darwin":
            assert data[:8] == bytes.fromhex("cffaedfe0c000001"), "a Mach-O object for ARM"
        else:
            assert data[:5] == b"\x7fELF\x02" and data[18] == MACHINES[target.level.architecture]
        assert undefined(data) <= set(called) | outside, (symbol, undefined(data) - set(called) - outside)
        assert set(libc) <= C_LIBRARY


def test_every_target_has_a_name_and_a_triple():
    for system in SYSTEMS:
        for level in LEVELS:
            assert target_named(f"{system}-{level.name}").triple.startswith(("x86_64-", "aarch64-", "arm64-"))
    with pytest.raises(ValueError, match="allowed are linux-x86-64-v4"):
        target_named("amiga-68000")


@pytest.mark.parametrize(
    ("triple", "features", "names"),
    [
        ("x86_64-unknown-linux-gnu", {"sse2"}, ["x86-64"]),
        ("x86_64-unknown-linux-gnu", {"sse2", *LEVELS[1].needs}, ["x86-64-v3", "x86-64"]),
        ("x86_64-unknown-linux-gnu", {"sse2", *LEVELS[0].needs, *LEVELS[1].needs}, ["x86-64-v4", "x86-64-v3", "x86-64"]),
        ("aarch64-unknown-linux-gnu", {"neon"}, ["aarch64"]),
        ("arm64-apple-darwin", set(), ["aarch64"]),  # LLVM does not tell features there
    ],
)
def test_levels_of_a_machine(monkeypatch, triple, features, names):
    from llvmlite import binding

    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: dict.fromkeys(features, True))
    monkeypatch.setattr(binding, "get_process_triple", lambda: triple)
    assert [target.level.name for target in targets_of_host.__wrapped__()] == names


def test_a_machine_without_a_level_is_told_so(monkeypatch):
    from llvmlite import binding

    monkeypatch.setattr(binding, "get_process_triple", lambda: "riscv64-unknown-linux-gnu")
    with pytest.raises(RuntimeError, match="LINKWORK_JIT=0"):
        targets_of_host.__wrapped__()
