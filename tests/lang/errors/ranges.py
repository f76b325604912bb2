# --- chunk_negative
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x, chunk_rows=-1)
#                                          ^^
# error: TW0377 `chunk_rows` of `pld.tensor.put` must not be negative, got -1
# help: pass 0 to let the compiler choose the size of a chunk

# --- pipeline_stage_at_run_time
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.pipeline(4, stage=n):
#                                 ^
# error: TW1085 `pl.pipeline` does not accept a scalar for `stage`
# help: write a constant: `stage=2`
        v = i

# --- pipeline_stage_zero
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.pipeline(4, stage=0):
#            ^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1087 `pl.pipeline` needs a positive stage=
# help: write `pl.pipeline(n, stage=2)`
        v = i

# --- pipeline_without_stage
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.pipeline(4):
#            ^^^^^^^^^^^^^^
# error: TW1087 `pl.pipeline` needs a positive stage=
# help: write `pl.pipeline(n, stage=2)`
        v = i

# --- python_range
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in range(4):
#            ^^^^^^^^
# error: TW1015 `range` is not part of the language
# help: write `pl.range(...)`
        v = n + i

# --- range_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range():
#            ^^^^^^^^^^
# error: TW1081 `pl.range` takes one to three bounds, got 0
# help: write `pl.range(stop)`, `pl.range(start, stop)` or `pl.range(start, stop, step)`
        v = i

# --- range_as_value
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = pl.range(n)
#       ^^^^^^^^^^^
# error: TW1025 `pl.range` is not allowed here
# help: write it as `for i in pl.range(n):`

# --- range_bound_bool
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(True):
#                     ^^^^ this is True
# error: TW1049 a bound of a loop must be an integer, got a bool
        v = i

# --- range_bound_float
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(4.0):
#                     ^^^ this is 4.0
# error: TW1049 a bound of a loop must be an integer, got a float
        v = i

# --- range_step_zero
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(0, n, 0):
#                           ^
# error: TW1082 the step of a loop must not be 0
# help: write a positive or a negative step
        v = i

# --- range_too_many_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(0, n, 1, 1):
#            ^^^^^^^^^^^^^^^^^^^^
# error: TW1081 `pl.range` takes one to three bounds, got 4
# help: write `pl.range(stop)`, `pl.range(start, stop)` or `pl.range(start, stop, step)`
        v = i

# --- range_unknown_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(4, stride=2):
#                        ^^^^^^
# error: TW1084 `pl.range` has no keyword `stride`
# help: write `init_values=(x, y)`, its only keyword
        v = i

# --- stage_without_pipeline
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    for i in pl.range(4, stage=2):
#            ^^^^^^^^^^^^^^^^^^^^
# error: TW1086 only `pl.pipeline` has stages
# help: write `pl.pipeline(..., stage=n)`
        v = i
