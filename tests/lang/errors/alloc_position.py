# --- alloc_annotated
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf: pl.Ptr = pld.alloc_window_buffer(64)
#                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_as_argument
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.window(pld.alloc_window_buffer(64), [16], dtype=pl.FP32)
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_as_operand
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    t = pl.tensor.dim(pld.alloc_window_buffer(64), 0)
#                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_as_statement
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    pld.alloc_window_buffer(64)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_augmented
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = 1
    buf += pld.alloc_window_buffer(64)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1020 unsupported operands for `+`: an int and a pointer

# --- alloc_in_conditional
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64) if pld.world_size() > 2 else 0
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_in_expression
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64) + 1
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_in_kernel
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel():
    buf = pld.alloc_window_buffer(64)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `kernel`
# error: TW1014 `pld.alloc_window_buffer` belongs in host functions, not in kernel functions
# help: call it in host functions and pass the result as an argument

# --- alloc_in_list
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    bufs = [pld.alloc_window_buffer(64)]
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_in_loop
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    for r in pl.range(4):
        buf = pld.alloc_window_buffer(64)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1028 the window buffer `buf` is allocated in a loop
# help: allocate it once, before the loop

# --- alloc_returned
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    return pld.alloc_window_buffer(64)
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_to_subscript
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    bufs = [0, 1]
    bufs[0] = pld.alloc_window_buffer(64)
#   ^^^^^^^
# error: TW1055 cannot assign to an element of a list
# help: write to elements of tensors, tiles and arrays only

# --- alloc_two_names
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    a = b = pld.alloc_window_buffer(64)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_unpacked
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    a, b = pld.alloc_window_buffer(64), pld.alloc_window_buffer(64)
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1030 `pld.alloc_window_buffer` is only allowed on the right of a plain `name = ...`
# help: write `buf = pld.alloc_window_buffer(...)`

# --- alloc_window_as_argument
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    n = pld.get_comm_ctx(pld.alloc_window([16], dtype=pl.FP32))
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1025 `pld.alloc_window` is not allowed here
# help: write it as the right-hand side of a plain `name = ...`
