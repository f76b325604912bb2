"""The stubs say what the package is: every name, every constructor; and type checkers accept programs."""

import ast
import inspect
import pathlib
import subprocess
import sys
import types

import pytest

import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld
from tilewire import ir

PACKAGE = pathlib.Path(tilewire.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
STUBS = {
    ir: PACKAGE / "ir.pyi",
    pl: PACKAGE / "language" / "__init__.pyi",
    pld: PACKAGE / "language" / "distributed.pyi",
}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
TREES = {module: ast.parse(path.read_text()) for module, path in STUBS.items()}
NAMES = {"pl": pl, "pld": pld, **vars(pld), **vars(ir), **vars(pl)}


def evaluate(node, module):
    return eval(ast.unparse(node), {**NAMES, **vars(module)})


def stub_parameters(function, module, skip_self):
    """(name, kind, annotation, default) of a function in a stub, as inspect would have them."""
    empty = inspect.Parameter.empty
    args = function.args
    result = []
    positional = (args.posonlyargs + args.args)[1 if skip_self else 0:]
    defaults = [empty] * (len(positional) - len(args.defaults)) + [evaluate(d, module) for d in args.defaults]
    for arg, default in zip(positional, defaults):
        only = arg in args.posonlyargs
        kind = inspect.Parameter.POSITIONAL_ONLY if only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        result.append((arg.arg, kind, arg.annotation, default))
    if args.vararg:
        result.append((args.vararg.arg, inspect.Parameter.VAR_POSITIONAL, None, empty))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults):
        value = empty if default is None else evaluate(default, module)
        result.append((arg.arg, inspect.Parameter.KEYWORD_ONLY, arg.annotation, value))
    if args.kwarg:
        result.append((args.kwarg.arg, inspect.Parameter.VAR_KEYWORD, None, empty))
    return result


def real_parameters(function):
    return [(p.name, p.kind, p.annotation, p.default) for p in inspect.signature(function).parameters.values()]


def is_overload(node):
    return any(ast.unparse(decorator) == "overload" for decorator in node.decorator_list)


def definitions(body):
    """By name; of a function with several ways to call it, the list of them."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and is_overload(node):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign):
            found[node.targets[0].id] = node
    return found


@pytest.mark.parametrize("module", STUBS, ids=lambda m: m.__name__)
def test_every_name_has_a_stub(module):
    imported = {a.asname or a.name for n in TREES[module].body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert set(module.__all__) <= set(definitions(TREES[module].body)) | imported
    extra = {name for name in definitions(TREES[module].body) if not name.startswith("_")} - set(module.__all__)
    assert not extra


IR_CLASSES = [c for c in vars(ir).values() if isinstance(c, type) and "__signature__" in vars(c)]


@pytest.mark.parametrize("cls", IR_CLASSES, ids=lambda c: c.__name__)
def test_constructors_and_properties(cls):
    stub = definitions(TREES[ir].body)[cls.__name__]
    assert [ast.unparse(base) for base in stub.bases] == [cls.__base__.__name__]
    members = definitions(stub.body)
    written = stub_parameters(members["__init__"], ir, skip_self=True)
    real = real_parameters(cls)
    assert [(n, k, ast.unparse(a), d) for n, k, a, d in written] == real
    own = {name for name, value in vars(cls).items() if isinstance(value, property)}
    stubbed = {n for n, node in members.items() if getattr(node, "decorator_list", None)}
    assert own == stubbed


def families(module):
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, types.ModuleType) and "." in getattr(value, "__tilewire_path__", "")
    }


@pytest.mark.parametrize("module", [pl, pld], ids=lambda m: m.__name__)
def test_ops_and_forms(module):
    scopes = [(vars(module), definitions(TREES[module].body))]
    for name, family in families(module).items():
        scopes.append((vars(family), definitions(definitions(TREES[module].body)[name].body)))
    compared, overloads = 0, []
    for real, stub in scopes:
        for name, value in real.items():
            if type(value).__name__ not in ("OpFunction", "LanguageForm") or value is pl.AUTO:
                continue
            if isinstance(stub[name], list):
                overloads.append((name, stub[name]))
                continue
            written = stub_parameters(stub[name], module, skip_self=False)
            assert [(n, k, d) for n, k, _, d in written] == [(n, k, d) for n, k, _, d in real_parameters(value)], name
            compared += 1
    assert compared > 20
    # Each way to call such a function is that of the op of a family.
    for name, ways in overloads:
        ops = [getattr(family, name) for family in families(module).values() if hasattr(family, name)]
        real = [[(n, k, d) for n, k, _, d in real_parameters(op)] for op in ops]
        for way in ways:
            assert [(n, k, d) for n, k, _, d in stub_parameters(way, module, skip_self=False)] in real, name
        assert len(ways) > 1, name


def test_reductions_and_scalars_share_a_name():
    ways = definitions(TREES[pl].body)
    assert [ast.unparse(way.args) for way in ways["max"]] == ["x: Any, axis: int", "a: Any, b: Any"]
    assert [ast.unparse(way.args) for way in ways["min"]] == ["x: Any, axis: int", "a: Any, b: Any"]
    assert ast.unparse(ways["row_max"].args) == "x: Any, scratch: Any=None"


@pytest.mark.parametrize("module", [pl, pld, ir], ids=lambda m: m.__name__)
def test_enums(module):
    for name, node in definitions(TREES[module].body).items():
        if isinstance(node, ast.ClassDef) and [ast.unparse(b) for b in node.bases] in (["Enumeration"], ["DTypeBase"]):
            members = {a.targets[0].id: a.value.value for a in node.body if isinstance(a, ast.Assign)}
            assert members == {m.name: m.value for m in getattr(module, name)}


def test_typed_marker():
    assert (PACKAGE / "py.typed").exists()


def keywords(function):
    """Those that a stub lists, by name, with their defaults."""
    return {arg.arg: default and ast.unparse(default) for arg, default in zip(function.args.kwonlyargs, function.args.kw_defaults)}


def real_keywords(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: repr(p.default) for p in parameters if p.kind is p.KEYWORD_ONLY}


# Keywords that calls take by name in C++ (src/python/executable.cpp).
CALLS = {"ranks": "None", "threads": "0", "trace": "None", "schedule": "None", "replay": "None", "gather": "'all'"}


@pytest.mark.parametrize("module, cls", [(pl, pl.JitFunction), (ir, ir.Program)], ids=["JitFunction", "Program"])
def test_compile_and_check_are_complete(module, cls):
    stub = definitions(definitions(TREES[module].body)[cls.__name__].body)
    assert keywords(stub["check"]) == real_keywords(cls.check)
    compiles = {name: default for name, default in keywords(stub["compile"]).items() if name not in CALLS}
    assert compiles == real_keywords(cls.compile)


def test_calls_are_complete():
    core = definitions(ast.parse((PACKAGE / "_core.pyi").read_text()).body)
    assert keywords(definitions(core["Executable"].body)["__call__"]) == CALLS
    function = definitions(definitions(TREES[pl].body)["JitFunction"].body)
    own = real_keywords(pl.JitFunction.__call__)
    assert keywords(function["__call__"]) == keywords(function["compile"]) == {**CALLS, **own}
    # None of them is taken for a parameter of the program.
    with pytest.raises(tilewire.RunError) as caught:
        pl.parse("import tilewire.language as pl\n@pl.jit\ndef f(x: pl.Scalar[pl.INDEX]):\n    pass\n").f(
            **{name: 1 if name in ("ranks", "threads") else None for name in CALLS}
        )
    assert "needs an argument for `x`" in str(caught.value)


def mypy(*arguments):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-incremental"]
    command += ["--cache-dir", "/dev/null", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def test_mypy_accepts_programs(tmp_path):
    program = tmp_path / "program.py"
    program.write_text('''
import tilewire.language as pl
import tilewire.language.distributed as pld
from tilewire import ir

NR = pl.dynamic("NR")

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[NR, 256], pl.FP32], y: pl.Out[pl.Tensor[[NR * 2, 16], pl.FP32, pl.NZ]]) -> pl.Tensor[[NR, 256], pl.FP32]:
        t: pl.Tile[[16, 256], pl.FP32] = pl.load(x, [0, 0], [16, 256])
        for i, (a, b) in pl.range(3, init_values=(t, t)):
            a2, b2 = pl.yield_(a, b)
        t = t + pl.max(1.0, pl.min(2.0, 3.0))
        m: pl.Tile[[16, 1], pl.FP32] = pl.max(t, axis=1)
        return pl.store(t, [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pld.DistributedTensor[[NR, 256], pl.FP32]) -> None:
        for r in pl.range(pld.world_size()):
            self.kernel(x, x, device=r)

@pl.jit
def entry(x, y: pl.Out):
    with pl.at(level=pl.Level.CORE_GROUP) as tid:
        y = pl.store(pl.load(x), [0, 0], y)

text: str = P.as_python() + entry.program.as_python() + str(ir.structural_equal(P, P)) + P.kernel.name
bits: int = pl.FP32.get_bit()
''')
    result = mypy(program)
    assert result.returncode == 0, result.stdout


def test_mypy_finds_mistakes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text('''
import tilewire.language as pl
from tilewire import ir
pl.no_such_op
ir.ConstInt("text")
pl.load(1, no_such_keyword=2)
pl.parse(text=3)
pl.max(1, 2, 3)
''')
    lines = [line for line in mypy(program).stdout.splitlines() if "error:" in line]
    assert [int(line.split(":")[1]) for line in lines] == [4, 5, 6, 7, 8]


def test_mypy_on_the_package_and_examples():
    # The sources: beside the installed package lie other modules, which mypy would take for ours.
    result = mypy(ROOT / "python" / "tilewire")
    assert result.returncode == 0, result.stdout
    assert mypy("--strict", *EXAMPLES).stdout == f"Success: no issues found in {len(EXAMPLES)} source files\n"


def pyright(*arguments):
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def test_pyright_on_the_examples():
    result = pyright(*EXAMPLES)
    assert "0 errors, 0 warnings" in result.stdout, result


def test_pyright_finds_mistakes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text('''
import tilewire.language as pl
pl.no_such_op
N = pl.dynamic("N")
@pl.jit
def main(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N * 2, 8], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y, no_such_keyword=1)
main.no_such_method()
main.check(ranks="two")
exe = main.compile(threads=2)
exe.no_such_method()
''')
    errors = [line for line in pyright(program).stdout.splitlines() if " - error" in line]
    assert [int(line.split(":")[1]) for line in errors] == [3, 7, 8, 9, 11], errors
