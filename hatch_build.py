"""Wheels: by default pure, for any system, which compiles kernels when they are needed; with LINKWORK_WHEEL=linux-x86-64 one with the compiled kernels.

LINKWORK_WHEEL names a system and processor; the libraries of all its levels that are in src/linkwork/kernels/library go in, and must be fresh:
`make wheel` builds them first. The objects need nothing of the C library but its mathematical functions, hence the old glibc of the tags.
"""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY = Path("src/linkwork/kernels/library")
# system and processor -> (tag of the wheel, targets that must be there)
WHEELS = {
    "linux-x86-64": ("manylinux_2_17_x86_64", ("linux-x86-64-v3", "linux-x86-64-v4")),
    "linux-aarch64": ("manylinux_2_17_aarch64", ("linux-aarch64",)),
    "darwin-aarch64": ("macosx_11_0_arm64", ("darwin-aarch64",)),
    "windows-x86-64": ("win_amd64", ("windows-x86-64-v3", "windows-x86-64-v4")),
}


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        asked = os.environ.get("LINKWORK_WHEEL", "")
        if self.target_name != "wheel" or version == "editable" or asked in ("", "pure"):
            return
        if asked not in WHEELS:
            raise ValueError(f"LINKWORK_WHEEL: found {asked!r}; allowed are pure, {', '.join(WHEELS)}")
        tag, targets = WHEELS[asked]
        for target in targets:
            file = LIBRARY / f"{target}.kernels"
            if not (Path(self.root) / file).is_file():
                raise FileNotFoundError(f"{file} is missing; make it with: linkwork kernels build --target {target}")
            build_data["force_include"][str(Path(self.root) / file)] = f"linkwork/kernels/library/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
