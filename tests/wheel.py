"""Try the wheels in a folder: what is in them, and whether the one with compiled kernels works in an environment of its own without Numba's help.

python tests/wheel.py dist      some minutes: everything that the wheel depends on is installed
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

LIBRARIES = {f"linkwork/kernels/library/linux-x86-64-{level}.kernels" for level in ("v3", "v4")}


def compiled_files(wheel):
    with zipfile.ZipFile(wheel) as content:
        return {name for name in content.namelist() if name.endswith((".kernels", ".unit"))}


def main(folder):
    [pure] = Path(folder).glob("*-py3-none-any.whl")
    [platform] = Path(folder).glob("*-py3-none-manylinux*_x86_64.whl")
    assert compiled_files(pure) == set(), compiled_files(pure)
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

        def said(*command):
            done = subprocess.run([python, *command], cwd=place, env=environment, check=True, stdout=subprocess.PIPE, text=True)
            return json.loads(done.stdout.splitlines()[-1])

        kernels = said("-m", "linkwork", "kernels", "info", "--json")
        assert kernels["missing"] == [], kernels["missing"]
        begun = time.perf_counter()
        found = said(script)
        assert Path(found["package"]).is_relative_to(place / "venv"), found["package"]
        assert not list(place.rglob("*.unit")), "something was compiled"
        print(
            f"{kernels['target']}: {kernels['ready']} kernels; {', '.join(found['found'])} in {time.perf_counter() - begun:.1f} s, without Numba"
        )


if __name__ == "__main__":
    main(sys.argv[1])
