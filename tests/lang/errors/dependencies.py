# --- deps_not_a_list
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP) as tid:
        t = pl.load(x)
    with pl.at(level=pl.Level.CORE_GROUP, deps=tid):
#                                              ^^^
# error: TW1099 `deps` takes a list
# help: write `deps=[tid]`
        t = pl.load(x)

# --- deps_of_scalars
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y, deps=[1])
#                      ^ this is 1
# error: TW1100 a dependency must be a task id or an array of them, got an int
# help: take the id of a task from `with pl.at(...) as tid:`

# --- deps_type
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP, deps=[x]):
#                                               ^ this is pl.Tensor[[16, 16], pl.FP32]
# error: TW1100 a dependency must be a task id or an array of them, got a tensor
# help: take the id of a task from `with pl.at(...) as tid:`
        t = pl.load(x)

# --- group_call_with_deps
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32], tid: pl.TaskId):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.AIV)
def vector(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)


@pl.function(type=pl.FunctionType.Group)
def pair(x: pl.Tensor[[16, 16], pl.FP32], tid: pl.TaskId):
    cube(x, tid, deps=[tid])
#   ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0424 `deps=` has no meaning in a call of an AIC kernel from a Group function
    vector(x)
