"""Try the wheels in a folder: what is in them, and whether the one with compiled kernels works in an environment of its own without Numba's help.

python tests/wheel.py dist      some minutes: everything that the wheel depends on is installed, and kernels are compiled from source to compare with

At each level that the machine has, a tree, a loop, simulations, a live mechanism and a studio give the same bits from the wheel, where Numba cannot be
imported and nothing is compiled, and from the sources of this checkout, all of whose kernels are compiled anew.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
LIBRARIES = {f"linkwork/kernels/library/linux-x86-64-{level}.kernels" for level in ("v3", "v4")}

# The levels of the wheel that this machine has.
TARGETS = """
import json
from linkwork.kernels.level import targets_of_host
from linkwork.kernels.store import SHIPPED
print(json.dumps([target.name for target in targets_of_host() if (SHIPPED / f"{target.name}.kernels").exists()]))
"""


def compiled_files(wheel):
    with zipfile.ZipFile(wheel) as content:
        return {name for name in content.namelist() if name.endswith((".kernels", ".unit"))}


def main(folder):
    [pure] = Path(folder).glob("*-py3-none-any.whl")
    [platform] = Path(folder).glob("*-py3-none-manylinux*_x86_64.whl")
    assert compiled_files(pure) == set(), compiled_files(pure)
    for wheel in (pure, platform):
        assert "linkwork/py.typed" in zipfile.ZipFile(wheel).namelist(), (
            f"{wheel}: without py.typed type checkers do not read its annotations"
        )
    assert compiled_files(platform) == LIBRARIES, compiled_files(platform)
    print(*(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB" for wheel in (pure, platform)), sep="\n")
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        begun = time.perf_counter()
        venv.create(place / "venv", with_pip=True)
        python = place / "venv" / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", platform.resolve()], check=True)
        print(f"installed in {time.perf_counter() - begun:.0f} s")
        script = shutil.copy(Path(__file__).with_name("without_numba.py"), place)
        left_out = ("PYTHONPATH", "LINKWORK_CACHE", "LINKWORK_JIT", "LINKWORK_TARGET", "XDG_CACHE_HOME")
        environment = {name: value for name, value in os.environ.items() if name not in left_out} | {"HOME": str(place / "home")}

        def said(*command, **more):
            done = subprocess.run([python, *command], cwd=place, env=environment | more, check=True, stdout=subprocess.PIPE, text=True)
            return json.loads(done.stdout.splitlines()[-1])

        kernels = said("-m", "linkwork", "kernels", "info", "--json")
        assert kernels["missing"] == [] and kernels["target"] == kernels["best"], kernels
        for target in said("-c", TARGETS):
            wheel = timed(said, script, LINKWORK_TARGET=target)
            assert Path(wheel["package"]).is_relative_to(place / "venv"), wheel["package"]
            assert not wheel["numba"] and not list(place.rglob("*.unit")), "something was compiled"
            print(f"{target}: {', '.join(wheel['found'])} in {wheel['seconds']:.1f} s, without Numba")
            sources = {"PYTHONPATH": str(SOURCES), "LINKWORK_JIT": "1", "LINKWORK_CACHE": str(place / "anew"), "LINKWORK_QUIET": "1"}
            source = timed(said, script, LINKWORK_TARGET=target, **sources)
            assert Path(source["package"]).is_relative_to(SOURCES), source["package"]
            units = len(list((place / "anew" / target).glob("*.unit")))
            assert units > 100, "all that is used was compiled"
            assert wheel["found"] == source["found"], (wheel["found"], source["found"])
            print(f"{target}: the same bits from {units} kernels compiled from source in {source['seconds']:.0f} s")
            shutil.rmtree(place / "anew")


def timed(said, *command, **more):
    begun = time.perf_counter()
    return said(*command, **more) | {"seconds": time.perf_counter() - begun}


if __name__ == "__main__":
    main(sys.argv[1])
