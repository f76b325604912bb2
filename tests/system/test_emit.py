"""What programs become for targets that write files, from Python."""
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl

TILEWIRE = Path(sys.executable).parent / "tilewire"
SOURCE = """\
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [16, 64]) + 1.0, [0, 0], y)
    return y


@pl.jit
def entry(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = kernel(x, y)
    return y
"""


@pytest.mark.parametrize("level", ["level2", "level3"])
def test_the_files_are_those_of_the_command(tmp_path, level):
    path = tmp_path / "plus_one.py"
    path.write_text(SOURCE)
    subprocess.run([TILEWIRE, "emit", "--target", "pto", "--level", level, path, "-o", tmp_path / "out"], check=True,
                   capture_output=True, timeout=60)
    written = {str(file.relative_to(tmp_path / "out")): file.read_text() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    program = pl.load_program(path)
    files = program.emit("pto", level=level)
    assert "kernel.pto" in files and ("addr = " in files["kernel.pto"]) == (level == "level3")
    assert files == written
    assert program.entry.emit("pto", level=level)["kernel.pto"] == files["kernel.pto"]


def test_bytes_stay_bytes():
    program = pl.parse(SOURCE)
    (name, content), = program.emit("ir").items()
    assert name == "program.twir" and content == program.serialize()


@pytest.mark.parametrize("target", ["cpu", "interp"])
def test_an_executable_has_the_text(target):
    program = pl.parse(SOURCE)
    executable = program.compile(target=target)
    assert executable.text("pto") == program.emit("pto")["kernel.pto"]
    with pytest.raises(tw.RunError, match="unknown form `ptx` of `entry`"):
        executable.text("ptx")


def test_what_cannot_be_emitted():
    program = pl.parse(SOURCE)
    with pytest.raises(tw.ProgramError, match=r"TW2603\]: unknown level `level4`") as refused:
        program.emit("pto", level="level4")
    assert "use `level2` or `level3`" in str(refused.value)
    with pytest.raises(tw.ProgramError, match=r"TW0610\]: unknown target `gpu`"):
        program.emit("gpu")
    with pytest.raises(TypeError, match="level must be a str, got 3"):
        program.emit("pto", level=3)
    with pytest.raises(tw.ProgramError, match="`pl.tile.load` of FP8E4M3FN cannot be written for the PTO assembler"):
        pl.parse(SOURCE.replace("+ 1.0", "").replace("FP32", "FP8E4M3FN")).emit("pto")


def test_a_program_that_runs_is_the_one_that_is_emitted():
    program = pl.parse(SOURCE)
    x, y = np.ones((16, 64), np.float32), np.zeros((16, 64), np.float32)
    program.compile()(x, y)
    assert (y == 2).all() and "pto.tadds" in program.compile().text("pto")
