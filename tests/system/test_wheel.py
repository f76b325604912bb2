"""The wheel: what it needs of the system, and that it runs in a fresh environment where the libraries that it was
built with are hidden."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Hides in a namespace of its own what setup installs to build with and no user of the wheel has, then runs the rest.
HIDE = """
set -e
mount -t tmpfs none /usr/lib/llvm-19
for file in /usr/lib/*-linux-gnu/lib{boost_,LLVM,crypto,ssl,zstd}*; do mount --bind /dev/null "$file"; done
exec "$@"
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # In the build folder of scripts/setup, so that nothing is compiled again.
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
        "--config-settings=build-dir=build/release", "-w", folder, ".", cwd=ROOT)
    (file,) = folder.glob("tilewire-*.whl")
    return file


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, "ml_dtypes")
    return folder / "bin"


@pytest.fixture(scope="module")
def hidden():
    """What a command starts with to run without the libraries; nothing where namespaces are not allowed."""
    prefix = ["unshare", "--mount", "bash", "-c", HIDE, "hidden"]
    allowed = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    return prefix if allowed else []


def test_no_library_is_foreign(wheel):
    told = run(sys.executable, "-m", "auditwheel", "show", wheel)
    assert "consistent with the\nfollowing platform tag: \"manylinux_2_" in told, told


def test_examples_run(environment, hidden):
    told = run(*hidden, environment / "python", "examples/softmax.py", cwd=ROOT)
    assert told.startswith("softmax: 100 rows of 256")
    told = run(*hidden, environment / "python", "examples/mesh_allreduce.py", "--ranks", "4", cwd=ROOT)
    assert told == "mesh allreduce: 4 ranks have the same sum of 4 rows, to the last bit\n"


def test_command_runs(environment, hidden, tmp_path):
    told = run(*hidden, environment / "tilewire", "check", "examples/mesh_allreduce.py", "--ranks", "2", cwd=ROOT)
    assert told.startswith("2 ranks: proved")
    # Compiled anew: nothing comes from a cache.
    told = run(*hidden, "env", f"XDG_CACHE_HOME={tmp_path}", environment / "tilewire", "run", "examples/softmax.py",
               "--shape", "x=100x256:FP32", cwd=ROOT)
    assert told.startswith("y: [100, 256] FP32")
