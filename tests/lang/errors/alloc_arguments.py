# --- alloc_bool_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(True)
#                                 ^^^^ `True` is pl.Scalar[pl.BOOL]
# error: TW0307 `pld.alloc_window_buffer` needs an integer for `nbytes`, got a bool
# help: write 1 or 0, or pl.cast(x, pl.INT32)

# --- alloc_duplicate_name
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: first allocated here
    buf = pld.alloc_window_buffer(128)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1029 a window buffer named `buf` exists already
# help: give this buffer another name: manifests and communication groups refer to it by name

# --- alloc_float_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64.0)
#                                 ^^^^ `64.0` is pl.Scalar[pl.FP32]
# error: TW0308 `pld.alloc_window_buffer` needs an integer for `nbytes`, got a float scalar
# help: write an integer

# --- alloc_named
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64, name="buf")
#                                     ^^^^
# error: TW0318 `pld.alloc_window_buffer` takes the name of the buffer from the left-hand side
# help: leave `name=` out: in `data_buf = pld.alloc_window_buffer(...)` the buffer is called `data_buf`

# --- alloc_negative_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(-64)
#                                 ^^^
# error: TW0369 the size of a window buffer must be positive, got -64

# --- alloc_shape_without_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer([16, 16])
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0368 `pld.alloc_window_buffer` needs either a number of bytes or a shape with `dtype`
# help: write pld.alloc_window_buffer(4096), or pld.alloc_window_buffer([16, 64], dtype=pl.FP32)

# --- alloc_signal_bool
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    s = pld.alloc_signal(True)
#                        ^^^^ this is True
# error: TW1049 the number of cells must be an integer, got a bool

# --- alloc_signal_without_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    s = pld.alloc_signal()
#       ^^^^^^^^^^^^^^^^^^
# error: TW1026 `pld.alloc_signal` takes the number of cells
# help: write `sig = pld.alloc_signal(n)`

# --- alloc_signal_zero
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    s = pld.alloc_signal(0)
#                        ^
# error: TW0369 the size of a window buffer must be positive, got 0

# --- alloc_size_too_large
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer([4294967296, 4294967296], dtype=pl.FP32)
#                                 ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0369 the size of a window buffer must be positive, got more than 64 bits can count

# --- alloc_size_with_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64, dtype=pl.FP32)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0368 `pld.alloc_window_buffer` needs either a number of bytes or a shape with `dtype`
# help: write pld.alloc_window_buffer(4096), or pld.alloc_window_buffer([16, 64], dtype=pl.FP32)

# --- alloc_string_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer("64")
#                                 ^^^^
# error: TW0306 `pld.alloc_window_buffer` needs an integer for `nbytes`, got a string

# --- alloc_task_ids
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer([4], dtype=pl.TASK_ID)
#                                            ^^^^^^^^^^
# error: TW0367 a window cannot hold pl.TASK_ID
# help: keep task ids in an array: pl.array.create(n, pl.TASK_ID)

# --- alloc_window_named
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window([16], dtype=pl.FP32, name="w")
#                                             ^^^^
# error: TW0318 `pld.alloc_window` takes the name of the buffer from the left-hand side
# help: leave `name=` out: in `data = pld.alloc_window(...)` the buffer is called `data`

# --- alloc_window_without_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window([16])
#       ^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pld.alloc_window` takes a shape and dtype=
# help: write `w = pld.alloc_window([16], dtype=pl.FP32)`

# --- alloc_window_without_shape
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window(dtype=pl.FP32)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pld.alloc_window` takes a shape and dtype=
# help: write `w = pld.alloc_window([16, 256], dtype=pl.FP32)`

# --- alloc_without_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer()
#         ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0368 `pld.alloc_window_buffer` needs either a number of bytes or a shape with `dtype`
# help: write pld.alloc_window_buffer(4096), or pld.alloc_window_buffer([16, 64], dtype=pl.FP32)

# --- alloc_zero_extent
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer([16, 0], dtype=pl.FP32)
#                                 ^^^^^^^
# error: TW0369 the size of a window buffer must be positive, got 0

# --- alloc_zero_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(0)
#                                 ^
# error: TW0369 the size of a window buffer must be positive, got 0
