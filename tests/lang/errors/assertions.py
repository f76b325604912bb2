# --- assert_at_run_time
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    assert n > 4
#          ^^^^^
# error: TW1073 the assertion depends on a value that is known only at run time
# help: assert only what is known when the program is read: shapes, constants, dtypes

# --- assertion_failed
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    assert x.shape[0] % 32 == 0, "rows come in groups of 32"
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1074 assertion failed: `x.shape[0] % 32 == 0`
# note: rows come in groups of 32

# --- static_assert_arguments
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.static_assert()
#   ^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.static_assert` takes a condition and an optional message
# help: write `pl.static_assert(x.shape[0] % 16 == 0, "message")`

# --- static_assert_failed
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.static_assert(x.dtype == pl.FP16)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1074 assertion failed: `x.dtype == pl.FP16`

# --- static_assert_unknown_keyword
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.static_assert(x.shape[0] == 16, text="rows")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.static_assert` takes a condition and an optional message
# help: write `pl.static_assert(x.shape[0] % 16 == 0, "message")`

# --- static_assert_message_twice
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.static_assert(x.shape[0] == 16, "rows", message="rows")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pl.static_assert` takes a condition and an optional message
# help: write `pl.static_assert(x.shape[0] % 16 == 0, "message")`

# --- static_assert_named_message
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.static_assert(condition=x.shape[0] == 32, message="rows")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1074 assertion failed: `x.shape[0] == 32`
# note: rows
