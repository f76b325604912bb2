# --- at_in_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1101 `pl.at` opens a task in orchestration functions, not in kernel functions
# help: move it into an orchestration function, decorated with `@pl.jit`
        t = pl.load(x)

# --- at_inside_at
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        with pl.at(level=pl.Level.CORE_GROUP):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1101 `pl.at` opens a task in orchestration functions, not in other task scopes
# help: move it out of the enclosing task scope: task scopes do not nest
            t = pl.load(x)

# --- at_level
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.HOST):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1102 `pl.at` runs at CORE_GROUP, got HOST
# help: write `level=pl.Level.CORE_GROUP`
        t = pl.load(x)

# --- at_name_not_a_string
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint=3):
#                                                   ^
# error: TW1085 `pl.at` does not accept an int for `name_hint`
# help: write a string: `name_hint="copy"`
        t = pl.load(x)

# --- at_on_host
import tilewire.language as pl


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1101 `pl.at` opens a task in orchestration functions, not in host functions
# help: move it into an orchestration function, decorated with `@pl.jit`
        t = pl.load(x)

# --- at_positional
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(pl.Level.CORE_GROUP):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.at` takes keywords only
# help: write `pl.at(level=pl.Level.CORE_GROUP, name_hint="name")`
        t = pl.load(x)

# --- at_unknown_keyword
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, name="a"):
#                                         ^^^^
# error: TW1084 `pl.at` has no keyword `name`
# help: it takes `deps=`, `optimizations=`, `level=`, `name_hint=`, `ordered=`, `split=`
        t = pl.load(x)

# --- at_without_with
import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.at(level=pl.Level.CORE_GROUP)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1025 `pl.at` is not allowed here
# help: write it as `with pl.at(level=pl.Level.CORE_GROUP):`

# --- call_in_at_scope
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        kernel(x, y)
        kernel(x, y)
#       ^^^^^^^^^^^^
# error: TW1106 a `pl.at` scope cannot call a kernel `kernel`
# help: decorate `kernel` with `@pl.jit.inline` to use it in other functions of this level

# --- optimizations
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, optimizations=pl.split(pl.SplitMode.NONE)):
#                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1098 `optimizations` takes a list of pl.split(...)
# help: write `optimizations=[pl.split(pl.SplitMode.UP_DOWN)]`
        t = pl.load(x)
