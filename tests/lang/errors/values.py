# --- no_value
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pld.system.notify(s, 0, [0, 0], 1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1062 the call returns no value
# help: write the call as a statement of its own

# --- no_value_nested
import tilewire.language as pl


@pl.jit.incore
def double(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    pl.store(pl.load(x) * 2.0, [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    double(double(x, y), y)
#          ^^^^^^^^^^^^
# error: TW1062 the call returns no value
# help: write the call as a statement of its own

# --- no_value_returned
import tilewire.language as pl


@pl.jit.incore
def double(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    pl.store(pl.load(x) * 2.0, [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    return double(x, y), y
#          ^^^^^^^^^^^^
# error: TW1062 the call returns no value
# help: write the call as a statement of its own

# --- string_returned
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    return "done"
#   ^^^^^^^^^^^^^ this is a string
# error: TW1011 a run-time value is needed here, got a string
