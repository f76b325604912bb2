"""Mistakes of a call: the message names what the user wrote and says what to write."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

TILEWIRE = pathlib.Path(sys.executable).parent / "tilewire"
NR = pl.dynamic("NR")
N = pl.dynamic("N")


@pl.jit.incore
def cp(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x) + 1.0, [0, 0], y)


@pl.jit.incore
def give(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def host(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        give(w, y[r], device=r)


@pl.jit.host
def rows(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(NR):
        give(w, y[r], device=r)


X = np.zeros((4, 8), np.float32)


def first_line(call, kind=tilewire.RunError):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value).splitlines()[0]


def help_of(call):
    with pytest.raises(tilewire.RunError) as caught:
        call()
    return caught.value.diagnostics[0].helps[0]


@pytest.mark.parametrize("target", ["cpu", "interp"])
def test_a_kernel_called_directly_has_its_own_name(target, tmp_path):
    assert first_line(lambda: cp(X, q=1, target=target)) == "error[TW2202]: `cp` has no parameter `q`"
    assert first_line(lambda: cp(X, X, X, target=target)).startswith("error[TW2201]: `cp` takes 2 arguments")
    assert first_line(lambda: cp(target=target)) == "error[TW2203]: `cp` needs an argument for `x`"
    assert first_line(lambda: cp(X, ranks=3, target=target)) == "error[TW2227]: `cp` is not a host function: it runs on one rank, not on 3"
    assert first_line(lambda: cp.check(X, q=1)) == "error[TW2202]: `cp` has no parameter `q`"
    exe = cp.compile(target=target)
    assert exe.entry == "cp" and repr(exe) == f"<Executable cp for {target}>"


def test_a_bundle_of_a_kernel_has_its_name(tmp_path):
    cp.compile().save(tmp_path / "cp")
    exe = tilewire.load_bundle(tmp_path / "cp", entry="cp")
    np.testing.assert_array_equal(exe(X), X + 1)
    assert first_line(lambda: exe(X, X, X)).startswith("error[TW2201]: `cp` takes 2 arguments")
    assert sorted(path.name for path in (tmp_path / "cp" / "kernels").iterdir()) == ["cp.so", "cp.strided.so"]


def test_keywords_that_do_not_exist():
    assert first_line(lambda: cp(X, targt="interp")) == "error[TW2202]: `cp` has no parameter `targt`"
    assert help_of(lambda: cp(X, targt="interp")) == "did you mean `target`?"
    assert help_of(lambda: cp.compile(rank=2)) == "did you mean `ranks`?"
    assert help_of(lambda: cp(X, bias=X)) == "it has `x`, `y`"
    assert help_of(lambda: cp.check(X, limits=3)) == "did you mean `limit`?"


def test_what_is_fixed_when_a_program_is_compiled():
    exe = cp.compile()
    for name, value in {"target": "interp", "split": "split", "debug_bounds": True}.items():
        assert first_line(lambda: exe(X, **{name: value})) == f"error[TW2202]: `cp` has no parameter `{name}`"
        assert help_of(lambda: exe(X, **{name: value})) == f"it is fixed when the program is compiled: cp.compile({name}=...)"


def test_help_for_elements_of_another_type():
    assert help_of(lambda: cp(X.astype(np.float64))) == "convert it, in NumPy: x.astype(np.float32)"


def test_sessions():
    y = np.ones((4, 1, 8), np.float32)
    with rows.open(ranks=2) as session:
        session(y[:2])
    assert first_line(lambda: session(y[:2])) == "error[TW2250]: the session is closed"
    with rows.compile().open(4) as session:
        session(y)
        assert first_line(lambda: session(y[:2])).startswith("error[TW2229]: `give` is dispatched once for each of `NR`")
        assert help_of(lambda: session(y[:2])) == "this session has 4 ranks; open another one for these arguments"


def test_threads_are_a_number():
    for threads in (-1, 0):
        assert first_line(lambda: cp(X, threads=threads)) == f"error[TW2251]: `threads` must be at least 1, got {threads}"


def test_a_function_without_text_is_refused_where_it_is_defined():
    text = "import tilewire.language as pl\n@pl.jit\ndef f(x: pl.Tensor[[4], pl.FP32]):\n    pass\n"
    done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True)
    assert 'File "<stdin>", line 2, in <module>' in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "tilewire.errors.ProgramError: the source text of `f` is not available; write the function in a file or a notebook "
        "cell, or pass its text to pl.parse")
    assert "During handling" not in done.stderr and "direct cause" not in done.stderr


@pytest.mark.parametrize("name", ["trace", "replay"])
def test_paths_are_paths(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match=f"{name} must be a path, got 3"):
        cp(X, **{name: 3})
    assert list(tmp_path.iterdir()) == []
    cp(X, trace=tmp_path / "run.json")
    assert (tmp_path / "run.json").stat().st_size > 0


@pytest.mark.parametrize("ranks", [0, -1, 10**9])
def test_sessions_and_bundles_have_ranks(ranks, tmp_path):
    message = f"error[TW2228]: invalid number of ranks: a run cannot have {ranks}"
    assert first_line(lambda: host.compile().open(ranks=ranks)) == message
    assert first_line(lambda: host.compile().save(tmp_path / "host", ranks=ranks), tilewire.BundleError) == message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ranks", [0, -1, 10**9])
def test_checks_have_ranks(ranks):
    message = f"error[TW2228]: invalid number of ranks: a run cannot have {ranks}"
    assert first_line(lambda: host.check(ranks=ranks)) == message


@pytest.mark.parametrize("settings, message", [
    ({"target": 3}, "target must be a str, got 3"),
    ({"debug_bounds": "yes"}, "debug_bounds must be a bool, got 'yes'"),
    ({"threads": "2"}, "threads must be an int, got '2'"),
])
def test_settings_of_another_type(settings, message):
    with pytest.raises(TypeError, match=message):
        cp(X, **settings)


def test_no_memory_for_an_argument(tmp_path):
    path = tmp_path / "large.py"
    path.write_text('''import tilewire.language as pl
N = pl.dynamic("N")
@pl.jit.incore
def k(x: pl.Tensor[[N, 1048576], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    y[0:4, 0:8] = pl.load(x, [0, 0], [4, 8])
''')
    for words in (["check", "--shape", "x=16777216x1048576:FP32"], ["run", "--shape", "x=16777216x1048576:FP32"],
                  ["run", "--shape", "x=9223372036854775807x1048576:FP32"]):
        done = subprocess.run([TILEWIRE, *words, path], capture_output=True, text=True, timeout=60)
        assert done.returncode == 64
        assert done.stderr.startswith("error[TW0619]: this machine has too little memory for `x`, "), done.stderr
        assert "4 | def k(x:" in done.stderr and "internal" not in done.stderr


def test_two_hosts_with_windows_of_one_name(tmp_path):
    path = tmp_path / "hosts.py"
    path.write_text('''import tilewire.language as pl
import tilewire.language.distributed as pld

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]], v: pl.Scalar[pl.FP32]):
        w = pl.store(pl.full([1, 8], dtype=pl.FP32, value=0.0) + v, [0, 0], w)
        y = pl.store(pl.load(w), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def a(self, y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        self.k(w, y, 1.0, device=0)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def b(self, y: pl.Out[pl.Tensor[[3, 1, 8], pl.FP32]]):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(3):
            self.k(w, y[r], 2.0, device=r)
''')
    program = pl.load_program(path)
    assert pl.parse(program.as_python()).as_python() == program.as_python()
    for target in ("cpu", "interp"):
        assert (program.compile(entry="a", target=target)() == 1.0).all()
        assert (program.compile(entry="b", target=target)() == 2.0).all()
    assert [s["name"] for g in program.compile(entry="b").manifest["comm_groups"] for s in g["slots"]] == ["w"]
    assert program.check(entry="a").ok and program.check(entry="b").ok
    for entry in ("a", "b"):
        for words in (["run", "--target", "interp"], ["run"], ["check"]):
            done = subprocess.run([TILEWIRE, *words, path, "--entry", entry], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr


def test_targets_and_forms_that_are_not_there(tmp_path):
    assert tilewire.targets() == ["cpu", "interp"]
    for target in ("gpu", "ir"):
        assert str(pytest.raises(tilewire.Error, lambda: cp.compile(X, target=target)).value) == (
            f"error[TW2220]: unknown target `{target}`\n  = help: choose from `cpu` and `interp`\n")
    exe = cp.compile(X)
    exe.save(tmp_path / "cp")
    for made, forms in ((exe, "`ir`, `lowered`, `cpu`, `pto`"), (cp.compile(X, target="interp"), "`ir`, `pto`"),
                        (tilewire.load_bundle(tmp_path / "cp"), "`ir`")):
        assert "def cp(" in made.text()
        assert str(pytest.raises(tilewire.RunError, made.text, "ptx").value) == (
            f"error[TW2240]: unknown form `ptx` of `cp`\n  = help: choose from {forms}\n")
    assert "define" in exe.text("cpu")


TABLE = np.zeros((4, 8), np.float32)


@pl.jit
def takes_a_global(y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    cp(TABLE, y)


@pl.jit.incore
def takes_text(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]], mode: str):
    y = pl.store(pl.load(x), [0, 0], y)


def test_arrays_and_texts_of_python():
    for call, text in [
        (lambda: takes_a_global(), "pass it to the program as an argument"),
        (lambda: takes_text(X, mode="a"), "remove the annotation: a str is known when the program is read"),
    ]:
        with pytest.raises(tilewire.ProgramError) as caught:
            call()
        assert caught.value.diagnostics[0].helps == (text,)
