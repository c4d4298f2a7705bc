"""Targets: for which system and which processor level kernels are compiled, and how many states fill a SIMD register there.

level        processors                                   lanes
x86-64-v4    Intel and AMD with AVX-512                       8
x86-64-v3    Intel and AMD with AVX2 and FMA (since 2013)     4
x86-64       any other 64-bit Intel or AMD                    4 (pairs of SSE2 registers)
aarch64      64-bit ARM                                       2

An object is built for a target, not for a machine: it runs on every machine that has the level, with the same bits.
A process works for one target, chosen once (`target`), since the layout of memory follows the lanes. Of those that the machine can run it is the highest
whose library is there and fresh, so that nothing is compiled where a lower level is ready (store.best). LINKWORK_TARGET="linux-x86-64-v3" asks for another.
"""

import functools
import os
import sys
from typing import NamedTuple


class Level(NamedTuple):
    """A processor level. `cpu` and `features` are LLVM's names, `needs` the features that a machine must have for it."""

    name: str
    lanes: int
    architecture: str
    cpu: str
    features: str
    needs: tuple[str, ...]


LEVELS = (
    Level("x86-64-v4", 8, "x86_64", "x86-64-v4", "", ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "fma", "bmi2")),
    Level("x86-64-v3", 4, "x86_64", "x86-64-v3", "", ("avx2", "fma", "bmi", "bmi2", "f16c", "lzcnt", "movbe")),
    Level("x86-64", 4, "x86_64", "x86-64", "", ("sse2",)),
    Level("aarch64", 2, "aarch64", "generic", "+neon", ()),  # which every one has, and not every LLVM can tell
)
# The rest of LLVM's name for a system.
# On Windows LLVM's in-memory linker takes ELF objects alone.
SYSTEMS = {"linux": "unknown-linux-gnu", "darwin": "apple-darwin", "windows": "pc-windows-msvc-elf"}


class Target(NamedTuple):
    """A system with a processor level."""

    system: str
    level: Level

    @property
    def name(self) -> str:
        return f"{self.system}-{self.level.name}"

    @property
    def triple(self) -> str:
        architecture = "arm64" if self.system == "darwin" and self.level.architecture == "aarch64" else self.level.architecture
        return f"{architecture}-{SYSTEMS[self.system]}"

    @property
    def is_host(self) -> bool:
        """Can this machine run it?"""
        return self in targets_of_host()


def target_named(name: str) -> Target:
    """The target of this name; ValueError lists the names there are."""
    system, _, level = name.partition("-")
    for known in LEVELS:
        if known.name == level and system in SYSTEMS:
            return Target(system, known)
    allowed = ", ".join(f"{system}-{level.name}" for system in SYSTEMS for level in LEVELS)
    raise ValueError(f"target {name!r} is not known; allowed are {allowed}")


def host_system() -> str:
    return {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")


@functools.cache
def target() -> Target:
    """What kernels are loaded and compiled for in this process: what LINKWORK_TARGET names, or the best for which a library is ready."""
    from .store import best

    asked = os.environ.get("LINKWORK_TARGET")
    try:
        return target_named(asked) if asked else best(targets_of_host())
    except ValueError as error:
        from ..errors import LinkworkError

        raise LinkworkError(f"LINKWORK_TARGET: {error}; name one, or leave it unset") from None


@functools.cache
def targets_of_host() -> tuple[Target, ...]:
    """All targets that this machine can run, the best first."""
    from llvmlite import binding

    found, architecture = binding.get_host_cpu_features(), binding.get_process_triple().partition("-")[0].replace("arm64", "aarch64")
    levels = [level for level in LEVELS if level.architecture == architecture and all(found.get(feature) for feature in level.needs)]
    if not levels:
        raise RuntimeError(
            "this processor is neither a 64-bit Intel or AMD nor a 64-bit ARM one, for which kernels can be compiled; "
            "set LINKWORK_JIT=0 to run without compiled kernels"
        )
    return tuple(Target(host_system(), level) for level in levels)


def lanes() -> int:
    """How many states a pack of lanes holds."""
    return target().level.lanes
