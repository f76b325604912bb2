"""The installed `tilewire` command: output, messages and exit codes."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(sys.executable).parent

GOOD = """\
import tilewire.language as pl
import numpy as np  # other Python is ignored

ROWS = 16


@pl.program
class Scale:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [ROWS, 64])
        y = pl.store(t * 2.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]):
        self.kernel(x, y)


if __name__ == "__main__":
    print(np.zeros(3))
"""
NEEDS_CONSTANT = GOOD.replace("ROWS = 16\n", "")
BAD = GOOD.replace("t * 2.0", "t * undefined_name")
SPECIALISED = """\
import tilewire.language as pl


@pl.jit.incore
def kernel(x, y, n):
    t = pl.load(x, [0, 0], [16, 64])
    if n > 3:
        t = t * 2.0
    y = pl.store(t, [0, 0], y)


@pl.jit
def main(x, y, n):
    kernel(x, y, n)
"""


def tilewire(*args, cwd=None, env=None):
    environment = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}", **(env or {})}
    return subprocess.run(
        [str(SCRIPTS / "tilewire"), *map(str, args)], cwd=cwd, env=environment, capture_output=True, timeout=120
    )


def text(result):
    return result.stdout.decode(), result.stderr.decode(), result.returncode


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "scale.py"
    path.write_text(GOOD)
    return path


def refused(result, code, *parts):
    out, err, status = text(result)
    assert status == code, err
    assert out == ""
    for part in parts:
        assert part in err, err
    assert "Traceback" not in err and "internal error" not in err


def test_print_is_a_fixed_point(good, tmp_path):
    out, err, status = text(tilewire("print", good))
    assert (status, err) == (0, "")
    assert "class Scale:" in out and "pl.tile.load(x, [0, 0], [16, 64])" in out
    again = tmp_path / "again.py"
    again.write_text(out)
    assert text(tilewire("print", again)) == (out, "", 0)


def test_emit_then_print_gives_the_same_text(good, tmp_path):
    printed = tilewire("print", good).stdout
    folder = tmp_path / "made" / "here"
    out, err, status = text(tilewire("emit", good, "--target", "ir", "-o", folder))
    assert (out, err, status) == (f"{folder / 'program.twir'}\n", "", 0)
    assert [path.name for path in folder.iterdir()] == ["program.twir"]
    assert tilewire("print", folder / "program.twir").stdout == printed


def test_emit_without_folder_writes_the_bytes_to_standard_output(good, tmp_path):
    piped = tilewire("emit", good, "--target", "ir")
    assert piped.returncode == 0
    tilewire("emit", good, "--target", "ir", "-o", tmp_path)
    assert piped.stdout == (tmp_path / "program.twir").read_bytes()
    renamed = tmp_path / "bytes.bin"  # known by its content
    renamed.write_bytes(piped.stdout)
    assert tilewire("print", renamed).stdout == tilewire("print", good).stdout


def test_bytes_are_not_written_to_a_terminal(good):
    import pty

    master, slave = pty.openpty()
    try:
        result = subprocess.run(
            [str(SCRIPTS / "tilewire"), "emit", str(good), "--target", "ir"], stdout=slave, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(slave)
        os.close(master)
    assert result.returncode == 64 and b"TW0611" in result.stderr


def test_constants_from_the_command_line(tmp_path, good):
    path = tmp_path / "open.py"
    path.write_text(NEEDS_CONSTANT)
    refused(tilewire("print", path), 3, "ROWS", "-D ROWS=")
    assert tilewire("print", path, "-D", "ROWS=16").stdout == tilewire("print", good).stdout
    assert b"[8, 64]" in tilewire("print", path, "-D", "ROWS=2**3").stdout


def test_types_and_entry_from_the_command_line(tmp_path):
    path = tmp_path / "open.py"
    path.write_text(SPECIALISED)
    types = ["--shape", "x=32x64:FP32", "--shape", "y=32x64:FP32", "--shape", "n=INT32"]
    out, err, status = text(tilewire("print", path, "--entry", "main", *types))
    assert status == 0, err
    assert "x: pl.Tensor[[32, 64], pl.FP32]" in out and "n: pl.Scalar[pl.INT32]" in out
    refused(tilewire("print", path, "--entry", "nothing", *types), 3, "nothing")


def test_bad_program_shows_line_caret_and_code(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    result = tilewire("print", path)
    refused(result, 3, "error[TW", f"--> {path}:12:", "undefined_name", "^")


@pytest.mark.parametrize(
    "args, code, parts",
    [
        (["print", "missing.py"], 64, ["TW0601", "missing.py", "No such file"]),
        (["print", "."], 64, ["TW0602", "folder"]),
        (["print", "empty.py"], 3, ["TW0603", "empty.py"]),
        (["print", "empty.twir"], 3, ["TW0603"]),
        (["print", "scale.py", "-D", "N"], 64, ["TW0605", "-D NAME=VALUE"]),
        (["print", "scale.py", "-D", "3=4"], 64, ["TW0605"]),
        (["print", "scale.py", "--shape", "x=4x:FP32"], 64, ["TW0606"]),
        (["print", "scale.py", "--shape", "x=4x-1:FP32"], 64, ["TW0606"]),
        (["print", "scale.py", "--shape", "x=4x99999999999999999999:FP32"], 64, ["TW0606"]),
        (["print", "scale.py", "--shape", "x=4x4:FP99"], 64, ["TW0606", "x=4x16:FP32"]),
        (["print", "--python", "scale.py"], 64, ["TW0608"]),
        (["print", "--python", "missing.py:Scale"], 64, ["TW0601"]),
        (["emit", "scale.py", "--target", "gpu"], 64, ["TW0610", "gpu"]),
        (["emit", "scale.py", "--target", "ir", "-o", "empty.py"], 1, ["TW0612"]),
        (["emit", "scale.py"], 64, ["--target"]),
        (["print"], 64, ["FILE"]),
        (["print", "scale.py", "other.py"], 64, ["other.py"]),
        (["print", "scale.py", "--frob"], 64, ["--frob"]),
        (["print", "--python", "a.py:b", "-D", "N=1"], 64, ["--define"]),
        (["frob"], 64, ["frob"]),
        ([], 64, ["--help"]),
        (["ops", "tile.ad"], 64, ["TW0613", "pl.tile.add"]),
        (["ops", "qqqqqq"], 64, ["TW0613", "tilewire ops"]),
    ],
)
def test_wrong_usage_says_what_is_wrong(good, args, code, parts):
    (good.parent / "empty.py").touch()
    (good.parent / "empty.twir").touch()
    refused(tilewire(*args, cwd=good.parent), code, *parts)


def test_damaged_bytes_are_refused(good, tmp_path):
    data = tilewire("emit", good, "--target", "ir").stdout
    path = tmp_path / "damaged.twir"
    for damaged in (data[: len(data) // 2], data[:-1], b"TWIR", b"\xff" * 64, b"import tilewire\n"):
        path.write_bytes(damaged)
        refused(tilewire("print", path), 3, "error[TW05")


def test_constants_do_not_apply_to_bytes(good, tmp_path):
    tilewire("emit", good, "--target", "ir", "-o", tmp_path)
    refused(tilewire("print", tmp_path / "program.twir", "-D", "ROWS=4"), 64, "TW0607")


def test_output_that_cannot_be_written_is_a_failure(good):
    with open("/dev/full", "wb") as full:
        result = subprocess.run([str(SCRIPTS / "tilewire"), "print", str(good)], stdout=full, stderr=subprocess.PIPE)
    assert result.returncode == 1 and b"No space left" in result.stderr


def test_version_and_help():
    out, err, status = text(tilewire("--version"))
    assert status == 0 and err == "" and out.startswith("tilewire 0.")
    out, _, status = text(tilewire("--help"))
    assert status == 0
    for command in ("print", "emit", "ops", "doctor", "Exit codes"):
        assert command in out
    for command in ("print", "emit", "ops", "doctor"):
        out, err, status = text(tilewire(command, "--help"))
        assert (err, status) == ("", 0) and f"tilewire {command}" in out


def test_ops_lists_all_and_describes_each():
    out, err, status = text(tilewire("ops"))
    assert (err, status) == ("", 0)
    names = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert {"pl.tile.add", "pl.tensor.matmul", "pld.system.notify", "pld.tensor.allreduce"} <= set(names)
    assert out.splitlines()[-1].startswith(f"{len(names)} ops")
    for line in out.splitlines():
        if line.startswith("  "):
            assert len(line.split()) > 2, f"no description: {line}"


def test_ops_describes_parameters_levels_and_effects():
    out, err, status = text(tilewire("ops", "pld.system.notify"))
    assert (err, status) == ("", 0)
    assert out.startswith("pld.system.notify(target, peer, offsets, value, *, op=pld.NotifyOp.AtomicAdd, group=None)\n")
    for part in ("allowed in", "kernel", "effects", "signals `target`", "rank `peer`", "default pld.NotifyOp.AtomicAdd"):
        assert part in out, out
    assert tilewire("ops", "system.notify").stdout.decode() == out
    several = tilewire("ops", "add").stdout.decode()
    assert "pl.tile.add(" in several and "pl.tensor.add(" in several


def test_doctor_tells_what_is_there():
    out, err, status = text(tilewire("doctor"))
    assert (err, status) == ("", 0)
    version = tilewire("--version").stdout.decode().split()[1]
    rows = {line.split()[0]: line[12:] for line in out.splitlines()}
    assert rows["version"] == version
    assert rows["python"].startswith(version + ", by ")
    assert "Release" in rows["build"] and rows["compiler"] and rows["processor"]
    assert "  numpy " in out and "  ml_dtypes " in out and "local: all ranks in this process" in out
    # What this build has, and what of it is installed.
    assert "Open MPI between hosts: Open MPI v" in out or "Open MPI between hosts: missing; " in out
    assert "MPICH between hosts: MPICH " in out or "MPICH between hosts: missing; " in out
    if "processes: missing" not in out:
        assert "processes: ranks in processes that mpirun starts, on one host or several" in out
    out, err, status = text(tilewire("doctor", env={"PATH": "/nowhere"}))
    assert (err, status) == ("", 0)
    assert "missing: no python3 on PATH" in out and "processes: missing; no mpirun on PATH" in out


def test_doctor_says_which_package_is_missing(tmp_path):
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # without the packages of the environment
    python.chmod(0o755)
    out = tilewire("doctor", env={"PATH": str(tmp_path)}).stdout.decode()
    assert "missing: the package tilewire" in out and "ml_dtypes: missing; arrays of BF16" in out


MADE = GOOD.replace("import numpy as np  # other Python is ignored\n", "") + """

print("printed while importing")


def make(rows):
    @pl.program
    class Made:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: pl.Tensor[[rows, 64], pl.FP32], y: pl.Out[pl.Tensor[[rows, 64], pl.FP32]]):
            y = pl.store(pl.load(x), [0, 0], y)

    return Made


made = make(24)
number = 3
"""


def test_python_objects(tmp_path, good):
    path = tmp_path / "made.py"
    path.write_text(MADE)
    out, err, status = text(tilewire("print", "--python", f"{path}:made"))
    assert status == 0, err
    assert "x: pl.Tensor[[24, 64], pl.FP32]" in out
    assert "printed while importing" in err and "printed while importing" not in out
    assert tilewire("print", "--python", f"{path}:Scale").stdout == tilewire("print", good).stdout
    refused_parts = {"nothing": "no `nothing`", "number": "int"}
    for name, part in refused_parts.items():
        out, err, status = text(tilewire("print", "--python", f"{path}:{name}"))
        assert (out, status) == ("", 1) and "TW0609" in err and part in err


def test_python_file_with_a_bad_program_or_that_raises(tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(BAD.replace("import numpy as np  # other Python is ignored\n", ""))
    out, err, status = text(tilewire("print", "--python", f"{path}:Scale"))
    assert (out, status) == ("", 3), err
    assert "undefined_name" in err and "Traceback" not in err
    path.write_text("raise KeyError('lost')\n")
    out, err, status = text(tilewire("print", "--python", f"{path}:x"))
    assert (out, status) == ("", 1)
    assert "KeyError: 'lost'" in err and "TW0609" in err


def test_python_missing_from_path(good):
    result = tilewire("print", "--python", f"{good}:Scale", env={"PATH": "/nowhere"})
    assert result.returncode == 1 and b"TW0609" in result.stderr


def test_explain_says_what_a_message_means():
    for code in ("TW2501", "tw2501", "2501"):
        out, err, status = text(tilewire("explain", code))
        assert (err, status) == ("", 0)
        lines = out.splitlines()
        assert lines[0] == "error[TW2501]: data race: ... of ..."
        assert "no signal, task edge or call orders the two" in " ".join(lines)
        assert lines[-2:] == ["example", "  a notify from a task that is not ordered after the write it tells of"]
    out, err, status = text(tilewire("explain", "312"))
    assert out.startswith("error[TW0312]: ") and status == 0


@pytest.mark.parametrize("code", ["TW2599", "TW", "", "race", "TW25 01", "TW99999999999999999999", "-1"])
def test_explain_of_no_code(code):
    out, err, status = text(tilewire("explain", "--", code))
    assert out == "" and status == 64
    assert err.startswith(f"error[TW0620]: unknown diagnostic code `{code}`\n  = help: ")


def test_explain_every_code_of_the_reference():
    reference = (Path(__file__).parents[2] / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    codes = [line[4:] for line in reference.splitlines() if line.startswith("### TW")]
    assert len(codes) > 500
    for code in codes[::20]:
        out, err, status = text(tilewire("explain", code))
        assert f"[{code}]: " in out and (err, status) == ("", 0)


def test_unknown_commands_name_the_nearest():
    out, err, status = text(tilewire("chekc", "x.py"))
    assert (out, err, status) == (
        "", "error[TW0621]: unknown command `chekc`\n  = help: did you mean `tilewire check`?\n", 64)
    assert "run `tilewire --help` for a list" in text(tilewire("frobnicate"))[1]


@pytest.mark.parametrize("words, message", [
    (["run", "a.py", "--rank", "2"], "error[TW0622]: `tilewire run` has no option `--rank`\n  = help: did you mean `--ranks`?\n"),
    (["run", "a.py", "--trase=x"], "error[TW0622]: `tilewire run` has no option `--trase`\n  = help: did you mean `--trace`?\n"),
    (["check", "a.py", "--call", "2"], "error[TW0622]: `tilewire check` has no option `--call`\n  = help: did you mean `--calls`?\n"),
    (["print", "a.py", "--all-pass"], "error[TW0622]: `tilewire print` has no option `--all-pass`\n  = help: did you mean `--all-passes`?\n"),
    (["print", "a.py", "--bogus"], "error[TW0622]: `tilewire print` has no option `--bogus`\n  = help: run `tilewire print --help` for a list\n"),
    (["print", "a.py", "b.py"], "error[TW0623]: `tilewire print` does not take `b.py`\n  = help: run `tilewire print --help` for its arguments\n"),
    (["check", "a.py", "--ranks", "2-4"], "--ranks: write the numbers with commas, --ranks 2,3,4; got 2-4\nRun with --help for more information.\n"),
    (["run", "a.py", "--threads", "0"], "--threads: must be a whole number from 1 to 2147483647, got 0\nRun with --help for more information.\n"),
])
def test_wrong_options_say_what_to_write(words, message):
    assert text(tilewire(*words)) == ("", message, 64)


def test_without_a_command_the_help_is_printed():
    assert text(tilewire())[1] == text(tilewire("--help"))[0]


def test_codes_that_do_not_exist_have_no_neighbours():
    assert text(tilewire("explain", "TW9999"))[1].endswith("= help: write a code such as TW2501; docs/diagnostics.md lists all\n")


@pytest.mark.parametrize("words", [[], ["print"], ["run", "--bogus"], ["check", "a.py", "--ranks", "x"], ["completion", "tcsh"]])
def test_wrong_usage_exits_with_64(words):
    out, err, status = text(tilewire(*words))
    assert (out, status) == ("", 64) and err


def completions(*words):
    """What bash offers after these words."""
    script = f'eval "$(tilewire completion bash)"\nCOMP_WORDS=({" ".join(repr(word) for word in words)})\n'
    script += f'COMP_CWORD={len(words) - 1}\n_tilewire\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    environment = {**os.environ, "PATH": f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.split()


def test_completion_in_bash(tmp_path):
    assert completions("tilewire", "ch") == ["check"]
    assert {"print", "run", "explain", "doctor"} <= set(completions("tilewire", ""))
    assert completions("tilewire", "check", "--rep") == ["--replay-out"]
    (tmp_path / "mlp.py").touch()
    assert completions("tilewire", "run", f"{tmp_path}/ml") == [f"{tmp_path}/mlp.py"]


def test_completion_scripts_of_all_shells():
    assert "complete -c tilewire -n __fish_use_subcommand -a check " in text(tilewire("completion", "fish"))[0]
    assert "bashcompinit" in text(tilewire("completion", "zsh"))[0]
