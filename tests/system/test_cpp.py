"""C++ programs against an installed Tilewire: find_package, the public header, the shared library."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    build = ROOT / "build" / "release"
    subprocess.run(["cmake", "--install", build, "--component", "cpp", "--prefix", folder], check=True, capture_output=True)
    return folder


def test_example_builds_and_runs(prefix, tmp_path):
    configure = ["cmake", "-G", "Ninja", "-S", ROOT / "examples" / "cpp", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}"]
    for command in (configure, ["cmake", "--build", tmp_path]):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([tmp_path / "scale"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("largest error ")


def test_only_the_interface_is_exported(prefix):
    names = subprocess.run(["nm", "-DC", "--defined-only", prefix / "lib" / "libtilewire.so"],
                           capture_output=True, text=True, check=True).stdout
    ours = [line for line in names.splitlines() if "tilewire::" in line]
    assert ours and not [line for line in ours if "tilewire::ir::" in line and " T " in line]
