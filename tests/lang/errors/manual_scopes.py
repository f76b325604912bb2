# --- manual_scope_in_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.manual_scope():
#        ^^^^^^^^^^^^^^^^^
# error: TW1151 `pl.manual_scope` is only allowed in orchestration functions, not in kernel functions
# help: move it into an orchestration function, decorated with `@pl.jit`
        y = pl.store(pl.load(x), [0, 0], y)

# --- scope_on_the_host
import tilewire.language as pl


@pl.jit.host
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.scope():
#        ^^^^^^^^^^
# error: TW1151 `pl.scope` is only allowed in orchestration functions, not in host functions
# help: move it into an orchestration function, decorated with `@pl.jit`
        pass

# --- scope_in_a_task
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        with pl.scope():
#            ^^^^^^^^^^
# error: TW1151 `pl.scope` is only allowed in orchestration functions, not in a task scope
# help: open it around the task scope: it applies to the tasks submitted inside it
            y[...] = pl.load(x)

# --- scope_with_a_name
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.manual_scope() as tid:
#                             ^^^
# error: TW1152 `pl.manual_scope` is not a task and has no id
# help: remove `as`; `pl.task_join(deps=[...])` returns one id for several tasks
        with pl.at(level=pl.Level.CORE_GROUP):
            y[...] = pl.load(x)
    with pl.at(level=pl.Level.CORE_GROUP, deps=[tid]):
        y[...] = pl.load(x)

# --- scope_arguments
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.scope(4, deps=[]):
#        ^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.scope` takes no arguments
# help: write `with pl.scope():`
        with pl.at(level=pl.Level.CORE_GROUP):
            y[...] = pl.load(x)

# --- scope_outside_with
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    s = pl.scope()
#       ^^^^^^^^^^
# error: TW1025 `pl.scope` is not allowed here
# help: write it as `with pl.scope():`
    with pl.at(level=pl.Level.CORE_GROUP):
        y[...] = pl.load(x)

# --- return_in_a_manual_scope
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.manual_scope():
        with pl.at(level=pl.Level.CORE_GROUP):
            y[...] = pl.load(x)
        return y
#       ^^^^^^^^
# error: TW1069 `return` is not allowed in a scope
# help: return after the `with` block

# --- return_in_a_branch_of_a_scope
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.scope():
        if n > 0:
            return y
#           ^^^^^^^^
# error: TW1069 `return` is not allowed in a scope
# help: return after the `with` block
        with pl.at(level=pl.Level.CORE_GROUP):
            y[...] = pl.load(x)
    return y

# --- created_in_a_scope
import tilewire.language as pl


@pl.jit.incore
def copy(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.scope():
#   ^^^^^^^^^^^^^^^
# note: it is assigned in the block that starts here
        t = pl.create_tensor([16, 16], dtype=pl.FP32)
        t = copy(x, t)
    y = copy(t, y)
#            ^
# error: TW1002 `t` was created in a `pl.scope` that has ended
# help: use it inside the `with` block, or create it before the block
    return y

# --- view_of_what_a_scope_created
import tilewire.language as pl


@pl.jit.incore
def copy(x: pl.Tensor[[8, 16], pl.FP32], y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
    half = x[0:8]
    with pl.scope():
#   ^^^^^^^^^^^^^^^
# note: it is assigned in the block that starts here
        t = pl.tensor.full([16, 16], dtype=pl.FP32, value=1.0)
        if n > 0:
            half = t[8:16]
        both = (half, n)
    y = copy(both[0], y)
#            ^^^^
# error: TW1002 `both` was created in a `pl.scope` that has ended
# help: use it inside the `with` block, or create it before the block
    return y

# --- returned_from_a_scope
import tilewire.language as pl


@pl.jit.incore
def made(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.create_tensor([16, 16], dtype=pl.FP32)
    t = pl.store(pl.load(x), [0, 0], t)
    return t


@pl.jit.inline
def through(x):
    with pl.scope():
        t = made(x)
    return t


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    return through(x)
# stderr:
#| error[TW1002]: `t` was created in a `pl.scope` that has ended
#|   --> returned_from_a_scope.py:15:12
#|    |
#| 15 |     return t
#|    |            ^
#|    = note: in the inline call of `through` here
#|   --> returned_from_a_scope.py:20:12
#|    |
#| 20 |     return through(x)
#|    |            ^^^^^^^^^^
#|    = note: it is assigned in the block that starts here
#|   --> returned_from_a_scope.py:13:5
#|    |
#| 13 |     with pl.scope():
#|    |     ^^^^^^^^^^^^^^^
#|    = help: use it inside the `with` block, or create it before the block

# --- created_in_an_earlier_round
import tilewire.language as pl


@pl.jit.incore
def copy(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    t = x
    for i in pl.range(4):
#   ^^^^^^^^^^^^^^^^^^^^
# error: TW1002 `t` was created in a `pl.scope` that has ended
# help: use it inside the `with` block, or create it before the block
        y = copy(t, y)
        with pl.scope():
            t = pl.create_tensor([16, 16], dtype=pl.FP32)
            t = copy(x, t)
    return y

# --- yielded_after_a_scope
import tilewire.language as pl


@pl.jit.incore
def copy(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    for i, (a,) in pl.range(4, init_values=(x,)):
        y = copy(a, y)
        with pl.scope():
#       ^^^^^^^^^^^^^^^
# note: it is assigned in the block that starts here
            t = pl.create_tensor([16, 16], dtype=pl.FP32)
            u = t[0:16]
        b = pl.yield_(u)
#                     ^
# error: TW1002 `u` was created in a `pl.scope` that has ended
# help: use it inside the `with` block, or create it before the block
    return y

# --- join_in_a_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    tid = pl.task_join(deps=[])
#         ^^^^^^^^^^^^^^^^^^^^^ in the function `kernel`
# error: TW1014 `pl.task_join` belongs in orchestration functions, not in kernel functions
# help: call it in orchestration functions and pass the result as an argument
    y = pl.store(pl.load(x), [0, 0], y)

# --- join_on_the_host
import tilewire.language as pl


@pl.jit.host
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    tid = pl.system.task_dummy(deps=[])
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pl.task_join` belongs in orchestration functions, not in host functions
# help: call it in orchestration functions and pass the result as an argument

# --- join_that_nobody_names
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP) as tid:
        y[...] = pl.load(x)
    pl.task_join(deps=[tid])
#   ^^^^^^^^^^^^^^^^^^^^^^^^
# warning: TW1059 the value is not used
# help: assign the result to a name, or remove the line
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class main:
#|     @pl.function(type=pl.FunctionType.Orchestration)
#|     def main(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
#|         with pl.at(level=pl.Level.CORE_GROUP) as tid:
#|             t = pl.tile.load(x, [0, 0], [16, 16])
#|             y_1 = pl.tile.store(t, [0, 0], y)

# --- join_without_deps
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    tid = pl.task_join()
#         ^^^^^^^^^^^^^^
# error: TW0302 `pl.task_join` needs an argument for `deps`
# note: `deps`: ids of tasks; an array of them stands for all its elements

# --- join_of_numbers
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    counts = pl.array.create(4, pl.INT32)
    a = pl.task_join(deps=[counts])
#                         ^^^^^^^^
# error: TW0306 `pl.task_join` needs task ids for `deps`, got pl.Array[4, pl.INT32]
# help: make the array with `pl.array.create(n, pl.TASK_ID)`
    b = pl.task_join(deps=[3])
#                          ^ `3` is pl.Scalar[pl.INDEX]
# error: TW0306 `pl.task_join` needs an array or a task id for `deps`, got an integer scalar
    c = pl.task_join(deps=pl.no_task())
#                         ^^^^^^^^^^^^
# error: TW0309 `pl.task_join` needs a list for `deps`, got a task id
# help: write [pl.no_task()]
