# --- no_such_attribute
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = x.size
#       ^^^^^^
# error: TW1007 a tensor has no attribute `size`
# help: use `shape` or `dtype`; everything else is an op, such as `pl.load(x, offsets, shape)`

# --- no_such_attribute_of_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel():
    v = pl.FP32.size()
#       ^^^^^^^^^^^^
# error: TW1007 a dtype has no attribute `size`
# help: use `get_byte()` or `get_bit()`

# --- no_such_member
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Vector)
#                                                  ^^^^^^^^^^^^^
# error: TW1006 `pl.Mem` has no member `Vector`
# help: write one of: DDR, Vec, Mat, Left, Right, Acc, Bias

# --- no_such_method
import tilewire.language as pl


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 16], pl.FP32]):
        t = pl.load(x)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 16], pl.FP32]):
        self.kernle(x)
#       ^^^^^^^^^^^
# error: TW1005 the program has no function `kernle`
# help: did you mean `self.kernel`?

# --- unknown_distributed_op
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    w = pld.tensor.all_reduce(w)
#       ^^^^^^^^^^^^^^^^^^^^^
# error: TW1008 `pld.tensor` has no `all_reduce`
# help: did you mean `pld.tensor.allreduce`?

# --- unknown_math_function
import math

import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n + math.gamma(4)
#           ^^^^^^^^^^
# error: TW1008 `math` has no `gamma`
# help: use one of sqrt, ceil, floor, log, log2, exp, pi, e, inf and nan

# --- unknown_op
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.hardswish(pl.load(x))
#       ^^^^^^^^^^^^
# error: TW1008 `pl` has no `hardswish`
# help: run `tilewire ops` for a list of all ops; dtypes are written like pl.FP32 and pl.INT32

# --- unknown_op_near
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.laod(x)
#       ^^^^^^^
# error: TW1008 `pl` has no `laod`
# help: did you mean `pl.load`?

# --- unknown_op_of_family
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.load(x)
#       ^^^^^^^^^^^^^^
# error: TW1008 `pl.tensor` has no `load`
# help: write `pl.load`
