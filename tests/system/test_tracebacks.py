"""Tracebacks of errors end at the user's line, in scripts and in notebooks, and missing names say what to write."""

import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def undefined(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x) + missing, [0, 0], y)  # noqa: F821


@pl.jit.incore
def copy(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


X = np.zeros((4, 8), np.float32)


def of_a_class():
    @pl.program
    class Program:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: pl.Tensor[[4, 8], pl.FP32]):
            return missing  # noqa: F821


def making(p):
    return copy(X[:p], X)  # an error inside a function that the package calls


CALLS = {
    "call": lambda: undefined(X),
    "program": lambda: undefined.program,
    "specialize": lambda: undefined.specialize(),
    "compile": lambda: undefined.compile(),
    "open": lambda: undefined.open(),
    "check": lambda: undefined.check(),
    "local": lambda: undefined.local(X),
    "argument": lambda: copy(X[:2]),
    "executable": lambda: copy.compile()(X[:2]),
    "entry": lambda: copy.program.copy(X[:2]),
    "entry_check": lambda: copy.program.copy.check(n=1),
    "program_check": lambda: copy.program.check(n=1),
    "emit": lambda: copy.program.emit("gpu"),
    "class": of_a_class,
    "parse": lambda: pl.parse("def f(:"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_traceback_ends_at_the_call(name):
    with pytest.raises(tilewire.Error) as caught:
        CALLS[name]()
    files = [pathlib.Path(entry.path) for entry in caught.traceback]
    assert files[-1] == pathlib.Path(__file__)
    assert all("tilewire" not in file.parts[-2:-1] for file in files)


def test_functions_of_the_user_stay():
    with pytest.raises(tilewire.Error) as caught:
        copy.check(make=making, ranks=[2])
    assert [entry.name for entry in caught.traceback] == ["test_functions_of_the_user_stay", "making"]


def test_other_errors_keep_their_traceback():
    with pytest.raises(ValueError) as caught:
        copy.check(calls=0)
    assert caught.traceback[-1].name == "check_program"


def test_a_script_shows_its_line_and_the_message(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nimport tilewire.language as pl\n\n\n@pl.jit.incore\n"
        "def k(x: pl.Tensor[[4], pl.FP32], y: pl.Out[pl.Tensor[[4], pl.FP32]]):\n    y = pl.exp(x, y)\n\n\n"
        "k(np.zeros(4, np.float32))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert re.findall(r'File "(.*)", line (\d+)', done.stderr) == [(str(script), "10")]
    assert "tilewire.errors.ProgramError: error[TW" in done.stderr


def test_a_notebook_shows_its_cell_and_the_message(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    cells = [
        "import numpy as np\nimport tilewire.language as pl",
        "@pl.jit.incore\ndef k(x: pl.Tensor[[4], pl.FP32], y: pl.Out[pl.Tensor[[4], pl.FP32]]):\n    y = pl.exp(x, y)",
        "def user():\n    return k(np.zeros(4, np.float32))",
        "user()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": tmp_path}}
    ).execute()
    [error] = [output for output in notebook.cells[3].outputs if output.output_type == "error"]
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
    assert error.ename == "ProgramError"
    assert re.findall(r"^(?:Cell )?In\s*\[(\d)\], line (\d)", text, re.M) == [("4", "1"), ("3", "2")]
    assert "_reading.py" not in text and "_running.py" not in text
    assert "--> In[2]:3:19" in text


def test_entry_points_look_like_functions():
    method = type(copy).compile
    assert method.__name__ == "compile" and method.__doc__.startswith("Compiles the program")
    assert list(inspect.signature(copy.compile).parameters)[-1] == "named"
    assert list(inspect.signature(pl.parse).parameters) == ["text", "filename", "constants"]
    assert inspect.getdoc(pl.jit).startswith("An orchestration function")


def test_missing_names_say_what_to_write():
    for namespace, name, text in [
        (pl, "float32", "`pl` has no `float32`: write `pl.FP32`"),
        (pl, "program_id", "`pl` has no `program_id`: write `pl.tile.get_block_idx()`"),
        (pl, "laod", "`pl` has no `laod`: did you mean `pl.load`?"),
        (pld, "notify", "`pld` has no `notify`: write `pld.system.notify`"),
        (pl.jit, "kernel", "`pl.jit` has no `kernel`: write @pl.jit.incore for a kernel"),
    ]:
        with pytest.raises(AttributeError) as caught:
            getattr(namespace, name)
        assert str(caught.value).startswith(text)
        assert not hasattr(namespace, name)
    assert not hasattr(pl, "__wrapped__")
