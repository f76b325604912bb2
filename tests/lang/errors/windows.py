# --- window_in_kernel
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(p: pl.Ptr):
    w = pld.window(p, [16], dtype=pl.FP32)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `kernel`
# error: TW1014 `pld.window` belongs in host functions, not in kernel functions
# help: call it in host functions and pass the result as an argument
#                  ^ `p` is pl.Ptr
# error: TW0306 `pld.window` needs a window buffer for `buf`, got a pointer

# --- window_larger_than_buffer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: `buf` is allocated here
    w = pld.window(buf, [1024], dtype=pl.FP32)
#                       ^^^^^^ [1024] of pl.FP32
# error: TW0370 window too small: a view of 4096 bytes is larger than `buf`, which has 64

# --- window_shape_not_a_list
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64)
    w = pld.window(buf, 16, dtype=pl.FP32)
#                       ^^
# error: TW0309 `pld.window` needs a list for `shape`, got an int
# help: write [16]

# --- window_without_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64)
    w = pld.window(buf, [16])
#       ^^^^^^^^^^^^^^^^^^^^^
# error: TW0302 `pld.window` needs an argument for `dtype`
# note: `dtype`: the element type

# --- window_zero_extent
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64)
    w = pld.window(buf, [0], dtype=pl.FP32)
#                       ^^^
# error: TW0334 an extent of a tensor must be positive, got 0
