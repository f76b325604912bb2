"""Expressions that Python evaluates when a program is read: names of the program in them are not those of the file.

Every form of expression meets every kind of local name, beside a global `n` of another value: either Python computes
with the value that the program knows, or the expression is refused. It is never computed from the global.
"""

import importlib.util

import numpy as np
import pytest
import tilewire

HEADER = """
import math
import types

import numpy as np
import tilewire.language as pl
import tilewire.language.distributed as pld

n = 1000  # what a local `n` hides
cfg = types.SimpleNamespace(k=3, f=lambda v: v + 1, n=11)
class Table:
    def __getitem__(self, i): return types.SimpleNamespace(v=10 * (i if isinstance(i, int) else i[0]))
    def __add__(self, v): return 7 + v
    def __neg__(self): return 7
table = Table()
def twice(v, *, more=0): return 2 * v + more
def first(values): return values[0]
def keyed(values): return values["a"]
def pick(v, flag): return v if flag else 0
"""
PARAMETERS = "x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]"
RESULT = "y[...] = pl.load(x) * 0.0 + pl.cast(v, pl.FP32)"

# Expressions of `n` that only Python can compute, with what they are.
FORMS = {
    "twice(n)": lambda n: 2 * n,
    "twice(v=n)": lambda n: 2 * n,
    "twice(1, more=n)": lambda n: 2 + n,
    "twice(n + 1)": lambda n: 2 * n + 2,
    "twice(-n)": lambda n: -2 * n,
    "(twice)(n)": lambda n: 2 * n,
    "twice(  # the comment n\n        n)": lambda n: 2 * n,
    "twice(n) + cfg.f(n)": lambda n: 3 * n + 1,
    "twice(twice(n))": lambda n: 4 * n,
    "twice(first([n, 2]))": lambda n: 2 * n,
    "first((n,))": lambda n: n,
    "first([[n], 1])[0]": lambda n: n,
    "keyed({'a': n})": lambda n: n,
    "pick(n, n > 2)": lambda n: n if n > 2 else 0,
    "pick(1, n == 4 and True)": lambda n: int(n == 4),
    "pick(n if n > 2 else 9, True)": lambda n: n if n > 2 else 9,
    "pick(n, 1 < n < 9)": lambda n: n if 1 < n < 9 else 0,
    "cfg.f(n)": lambda n: n + 1,
    "first([1, 2, 3, 4, 5, 6][n:])": lambda n: n + 1,
    "table[n].v": lambda n: 10 * n,
    "table[n, 1].v": lambda n: 10 * n,
    "table + twice(n)": lambda n: 7 + 2 * n,
    "math.gcd(n, 4)": lambda n: 4 if n == 4 else 1,
    "pow(n, 2)": lambda n: n * n,
    "divmod(n, 3)[0]": lambda n: n // 3,
    "int(np.max([n, 1]))": lambda n: n,
    "int(np.int64(n))": lambda n: n,
    "twice(len(str(n)))": lambda n: 2,
    "getattr(cfg, 'k') + twice(n)": lambda n: 3 + 2 * n,
}
# Statements around `v = {}`, where `n` is a local name that is not known when the program is read ...
UNKNOWN = {
    "scalar parameter": (", n: pl.Scalar[pl.INDEX]", "v = {}"),
    "parameter without a type": (", n", "v = {}"),
    "assigned": (", m: pl.Scalar[pl.INDEX]", "n = m + 1\n    v = {}"),
    "loop variable": (", m: pl.Scalar[pl.INDEX]", "v = 0\n    for n in pl.range(4):\n        v = {}"),
    "carried": (", m: pl.Scalar[pl.INDEX]", "n = 1\n    for i in pl.range(m):\n        n = n + 1\n    v = {}"),
    "of a branch": (", m: pl.Scalar[pl.INDEX]", "if m > 0:\n        n = m\n    else:\n        n = 1\n    v = {}"),
    "one of several": (", m: pl.Scalar[pl.INDEX]", "n, other = m, 2\n    v = {}"),
    "tile": ("", "n = pl.load(x)\n    v = {}"),
    "tensor": (", n: pl.Tensor[[4, 8], pl.FP32]", "v = {}"),
    "element": ("", "n = pl.read(x, [0, 0])\n    v = {}"),
    "unrolled": ("", "v = 0\n    for n in pl.unroll(5):\n        v = {}"),
    "inline parameter": (", m: pl.Scalar[pl.INDEX]", "v = spliced(m)"),
    "of no value": ("", "v = {}\n    n = 1"),
    "after its loop": ("", "for n in pl.range(3):\n        pass\n    v = {}"),
}
# ... and where it is 4.
KNOWN = {
    "assigned": ("", "n = 4\n    v = {}"),
    "folded": ("", "n = 2 * 2\n    v = {}"),
    "inline parameter": ("", "v = spliced(4)"),
    "extent": ("", "n = x.shape[0]\n    v = {}"),
    "captured": ("", "v = {}"),
}


def module(tmp_path, text):
    path = tmp_path / f"program_{len(list(tmp_path.iterdir()))}.py"
    path.write_text(HEADER + text)
    spec = importlib.util.spec_from_file_location("python_expressions", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def function_style(extra, body, form):
    return (
        f"@pl.jit.inline\ndef spliced(n):\n    return {form}\n\n"
        f"@pl.jit.incore\ndef main({PARAMETERS}{extra}):\n    {body.format(form)}\n    {RESULT}\n"
    )


def class_style(extra, body, form):
    return (
        "@pl.program\nclass P:\n    N = 4\n\n"
        f"    @pl.function(type=pl.FunctionType.Inline)\n    def spliced(self, n):\n        return {form}\n\n"
        f"    @pl.function(type=pl.FunctionType.InCore)\n    def main(self, {PARAMETERS}{extra}):\n        "
        + body.format(form).replace("spliced(", "self.spliced(").replace("\n", "\n    ")
        + f"\n        {RESULT}\n"
    )


def captured(text):
    """The same text in a function whose local `n` is 4."""
    lines = text.replace("\n", "\n    ")
    name = "P" if text.startswith("@pl.program") else "main"
    return f"def outer():\n    n = 4\n    {lines}\n    return {name}\n\n{name} = outer()\n"


STYLES = {"function": function_style, "class": class_style}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", UNKNOWN)
def test_python_does_not_compute_with_a_global_of_the_same_name(tmp_path, style, kind):
    extra, body = UNKNOWN[kind]
    if style == "class" and extra == ", n":
        pytest.skip("parameters of methods have types")
    for form in FORMS:
        with pytest.raises(tilewire.ProgramError) as error:
            made = module(tmp_path, STYLES[style](extra, body, form))
            given = 5 if "Scalar" in extra or extra == ", n" else np.ones((4, 8), np.float32)
            arguments = [given] if extra else []
            made.main(np.ones((4, 8), np.float32), np.zeros((4, 8), np.float32), *arguments)
        codes = {diagnostic.code for diagnostic in error.value.diagnostics}
        if kind in ("of no value", "after its loop"):
            assert codes == {"TW1002"}, (form, str(error.value))
        elif kind not in ("tile", "tensor"):  # which operators and conditions refuse before Python is asked
            assert codes <= {"TW1019", "TW1018"}, (form, str(error.value))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", KNOWN)
def test_python_computes_with_what_the_program_knows(tmp_path, style, kind):
    extra, body = KNOWN[kind]
    for form, value in FORMS.items():
        text = STYLES[style](extra, body, form)
        made = module(tmp_path, captured(text) if kind == "captured" else text)
        main = made.main if style == "function" else made.P.main
        found = main(np.ones((4, 8), np.float32), target="interp")
        assert (found == value(4)).all(), (form, found[0, 0])


@pytest.mark.parametrize("value", [
    "True", "3", "-3", "0.1", "-1e300", "float('inf')", "float('-inf')", "'text with \\' and \\\" and \\\\'", "'é'", "None",
    "pl.FP32", "pl.BF16", "pl.Mem.Vec", "pl.ND", "pld.NotifyOp.Set", "[1, 2]", "(1,)", "()", "[(1, pl.FP16), ['a', None]]",
])
def test_what_python_gets_is_the_value_of_the_name(tmp_path, value):
    made = module(tmp_path, f"""
seen = []
def see(value):
    seen.append(value)
    return 1

@pl.jit.incore
def main({PARAMETERS}):
    local = {value}
    v = see(local)
    {RESULT}
""")
    assert made.main.program is not None
    want = eval(value, vars(made))
    assert made.seen and all(type(got) is type(want) and got == want for got in made.seen)


@pytest.mark.parametrize("body, expected", [
    ("v = twice(m)", """\
error[TW1019]: `twice` is a plain Python function and cannot take the run-time value `m`
  --> {file}:22:15
   |
22 |     v = twice(m)
   |               ^
   = help: decorate `twice` with `@pl.jit.inline`, or pass it only values that are known when the program is read
"""),
    ("v = math.gcd(m, 4)", """\
error[TW1019]: `math.gcd` is a plain Python function and cannot take the run-time value `m`
  --> {file}:22:18
   |
22 |     v = math.gcd(m, 4)
   |                  ^
   = help: write it with the ops of `pl`; run `tilewire ops` for a list
"""),
    ("v = math.sqrt(m)", """\
error[TW1019]: `math.sqrt` is a plain Python function and cannot take the run-time value `m`
  --> {file}:22:19
   |
22 |     v = math.sqrt(m)
   |                   ^
   = help: `pl.sqrt` works on tiles
"""),
    ("v = np.exp(pl.load(x))", """\
error[TW1019]: `np.exp` is a plain Python function and cannot take the tensor `x`
  --> {file}:22:24
   |
22 |     v = np.exp(pl.load(x))
   |                        ^
   = help: write `pl.exp(...)`
"""),
    ("v = table[m].v", """\
error[TW1019]: `table[m]` is a plain Python expression and cannot take the run-time value `m`
  --> {file}:22:15
   |
22 |     v = table[m].v
   |               ^
   = help: use values that are known when the program is read: Python evaluates this only then
"""),
    ("c = cfg; v = c.k", """\
error[TW1019]: `c.k` is a plain Python expression and cannot take the object `c`
  --> {file}:22:18
   |
22 |     c = cfg; v = c.k
   |                  ^
   = help: write the name that the object has in Python: names of the program do not exist there
"""),
])
def test_what_the_errors_say(tmp_path, body, expected):
    made = module(tmp_path, f"@pl.jit.incore\ndef main({PARAMETERS}, m: pl.Scalar[pl.INDEX]):\n    {body}\n    {RESULT}\n")
    with pytest.raises(tilewire.ProgramError) as error:
        made.main.program
    assert str(error.value).rstrip("\n") == expected.format(file=made.__file__).rstrip("\n")


def test_print_of_python_is_warned_about(tmp_path, capfd):
    made = module(tmp_path, f"@pl.jit.incore\ndef main({PARAMETERS}):\n    print('hi')\n    v = 1\n    {RESULT}\n")
    with pytest.warns(tilewire.Warning) as said:
        made.main.program
    assert "`print` runs in Python, once, when the program is read" in str(said[0].message)
    assert "write `pl.print(value, \"label\")`" in str(said[0].message)
    assert capfd.readouterr().out == "hi\n"
