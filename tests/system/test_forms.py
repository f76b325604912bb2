"""A form takes by name what its Python signature says, no more and no less."""
import inspect

import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld

HEAD = "import tilewire.language as pl\nimport tilewire.language.distributed as pld\n\n"
KERNEL = "@pl.jit.incore\ndef kernel(n: pl.Scalar[pl.INDEX]):\n"
TASKS = "@pl.jit.incore\ndef kernel(n: pl.Scalar[pl.INDEX]):\n    v = n\n\n@pl.jit\ndef main(n: pl.Scalar[pl.INDEX]):\n"
HOST = (
    "@pl.jit.incore\ndef kernel(w: pl.InOut[pld.DistributedTensor[[16, 256], pl.FP32]]):\n    pass\n\n"
    "@pl.jit.host\ndef host():\n"
)
PROGRAM = (
    "@pl.program\nclass P:\n    {}\n\n    @pl.function(type=pl.FunctionType.InCore)\n"
    "    def kernel(self, n: pl.Scalar[pl.INDEX]):\n        v = n\n"
)

# A program around a call of each form, and an argument for each parameter of its signature.
CARRIED = KERNEL + "    for i, (a,) in {}:\n        a = pl.yield_(a + i)\n"
CASES = {
    "pl.range": (CARRIED, {"bounds": "n", "init_values": "(n,)"}),
    "pl.parallel": (CARRIED, {"bounds": "n", "init_values": "(n,)"}),
    "pl.unroll": (CARRIED, {"bounds": "4", "init_values": "(n,)"}),
    "pl.pipeline": (CARRIED, {"bounds": "n", "stage": "2", "init_values": "(n,)"}),
    "pl.while_": (KERNEL + "    for (a,) in {}:\n        pl.cond(a < 4)\n        a = pl.yield_(a + 1)\n",
                  {"init_values": "(n,)", "poll": "False"}),
    "pl.cond": (KERNEL + "    for (a,) in pl.while_(init_values=(n,)):\n        {}\n        a = pl.yield_(a + 1)\n",
                {"condition": "a < 4"}),
    "pl.yield_": (KERNEL + "    for i, (a,) in pl.range(n, init_values=(n,)):\n        a = {}\n", {"values": "a + i"}),
    "pl.at": (TASKS + "    with {}:\n        kernel(n)\n",
              {"level": "pl.Level.CORE_GROUP", "name_hint": "'one'", "deps": "[]", "ordered": "True",
               "optimizations": "[]"}),
    "pl.spmd": (TASKS + "    with {}:\n        v = n\n",
                {"blocks": "4", "sync_start": "True", "name_hint": "'one'", "deps": "[]", "ordered": "True",
                 "optimizations": "[]"}),
    "pl.manual_scope": (TASKS + "    with {}:\n        kernel(n)\n", {}),
    "pl.scope": (TASKS + "    with {}:\n        kernel(n)\n", {}),
    "pl.split": (TASKS + "    with pl.at(level=pl.Level.CORE_GROUP, optimizations=[{}]):\n        kernel(n)\n",
                 {"mode": "pl.SplitMode.UP_DOWN"}),
    "pl.static_assert": (KERNEL + "    {}\n    v = n\n", {"condition": "1 < 2", "message": "'text'"}),
    "pld.alloc_window": (HOST + "    w = {}\n    kernel(w, device=0)\n", {"shape": "[16, 256]", "dtype": "pl.FP32"}),
    "pld.alloc_signal": (HOST + "    w = pld.alloc_window([16, 256], dtype=pl.FP32)\n    s = {}\n"
                         "    kernel(w, device=0)\n", {"n": "4"}),
    "pld.comm_group": (PROGRAM, {"devices": "[0, 1]", "slots": "[]"}),
}


def form(path):
    return getattr({"pl": pl, "pld": pld}[path.split(".")[0]], path.split(".")[1])


def calls(path):
    """The call with all arguments, those that may be named by name; and calls with one that may not."""
    arguments, parameters = CASES[path][1], inspect.signature(form(path)).parameters
    assert list(arguments) == list(parameters)
    named, positional = {}, []
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            positional.append(name)
        else:
            named[name] = arguments[name]
    def text(by_name):
        given = [arguments[name] for name in positional if name not in by_name]
        return f"{path}({', '.join(given + [f'{name}={value}' for name, value in by_name.items()])})"
    refused = [text(named | {"nonsense": "1"})] + [text(named | {name: arguments[name]}) for name in positional]
    return text(named), refused


def read(path, call):
    return pl.parse(HEAD + CASES[path][0].format(call))


def test_every_form_has_a_case():
    paths = [
        f"{prefix}.{name}" for prefix, module in (("pl", pl), ("pld", pld)) for name, value in vars(module).items()
        if type(value).__name__ == "LanguageForm" and name != "AUTO"
    ]
    assert sorted(paths) == sorted(CASES)


@pytest.mark.parametrize("path", CASES)
def test_parameters_are_those_of_the_signature(path):
    accepted, refused = calls(path)
    read(path, accepted)
    for call in refused:
        with pytest.raises(tw.ProgramError):
            read(path, call)
