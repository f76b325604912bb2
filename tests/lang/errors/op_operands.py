# --- dtype_as_operand
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.add(pl.load(x), pl.FP32)
#                          ^^^^^^^
# error: TW0306 `pl.tile.add` needs a tile or a scalar for `b`, got a dtype

# --- free_of_tensor
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tfree_to_aic(x)
#                   ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0306 `pl.tfree_to_aic` needs a tile for `tile`, got a tensor
# help: load the tensor first: pl.load(x, offsets, shape)

# --- function_as_operand
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(pl.load)
#               ^^^^^^^ this is the op `pl.tile.load`
# error: TW1011 a run-time value is needed here, got the op `pl.tile.load`

# --- op_bool_for_int
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [0, 0], True)
#                                   ^^^^ `True` is pl.Scalar[pl.BOOL]
# error: TW0307 `pld.system.notify` needs an integer for `value`, got a bool
# help: write 1 or 0, or pl.cast(x, pl.INT32)

# --- op_bool_for_peer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, False, [0, 0], 1)
#                        ^^^^^ `False` is pl.Scalar[pl.BOOL]
# error: TW0307 `pld.system.notify` needs an integer for `peer`, got a bool
# help: write 1 or 0, or pl.cast(x, pl.INT32)

# --- op_bool_in_offsets
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, True], [16, 16])
#                      ^^^^ `True` is pl.Scalar[pl.BOOL]
# error: TW0307 `pl.tile.load` needs an integer for `offsets`, got a bool
# help: write 1 or 0, or pl.cast(x, pl.INT32)

# --- op_bool_scalar_for_expected
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32], flag: pl.Scalar[pl.BOOL]):
    pld.system.wait(s, [0, 0], flag)
#                              ^^^^ `flag` is pl.Scalar[pl.BOOL]
# error: TW0307 `pld.system.wait` needs an integer for `expected`, got a bool
# help: write 1 or 0, or pl.cast(x, pl.INT32)

# --- op_float_for_value
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [0, 0], 1.5)
#                                   ^^^ `1.5` is pl.Scalar[pl.FP32]
# error: TW0308 `pld.system.notify` needs an integer for `value`, got a float scalar
# help: write an integer

# --- op_float_in_offsets
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0.5], [16, 16])
#                      ^^^ `0.5` is pl.Scalar[pl.FP32]
# error: TW0308 `pl.tile.load` needs an integer for `offsets`, got a float scalar
# help: write an integer

# --- op_none_for_operand
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.exp(None)
#       ^^^^^^^^^^^^
# error: TW0302 `pl.tile.exp` needs an argument for `x`
# note: `x`: the tile it is taken of

# --- op_scalar_for_tile
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.FP32]):
    t = pl.exp(n)
#              ^ `n` is pl.Scalar[pl.FP32]
# error: TW0306 `pl.tile.exp` needs a tile for `x`, got a float scalar

# --- op_string_for_operand
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.exp("x")
#              ^^^
# error: TW0306 `pl.tile.exp` needs a tile for `x`, got a string

# --- op_string_in_offsets
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, "a"], [16, 16])
#                      ^^^
# error: TW0306 `pl.tile.load` needs an integer for `offsets`, got a string

# --- op_tensor_for_tile
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tile.exp(x)
#                   ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0306 `pl.tile.exp` needs a tile for `x`, got a tensor
# help: load the tensor first: pl.load(x, offsets, shape)

# --- op_tile_for_tensor
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x)
    u = pl.load(t, [0, 0], [8, 8])
#               ^ `t` is pl.Tile[[16, 16], pl.FP32]
# error: TW0306 `pl.tile.load` needs a tensor for `t`, got a tile
# help: pass a tensor; pl.store(tile, offsets, tensor) writes a tile to one

# --- slot_element_read
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pl.tile.comm_wait(s[0, 0], 1)
#                         ^^^^^^^ `s[0, 0]` is pl.Scalar[pl.INT32]
# error: TW0306 `pl.tile.comm_wait` needs a window for `signal`, got an integer scalar

# --- staged_not_parameter
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(x: pl.Tensor[[4, 16], pl.FP32]):
    buf = pld.alloc_window_buffer(64, load_from_host=x[0])
#                                                    ^^^^ `x[0]` is pl.Tensor[[16], pl.FP32]
# error: TW0371 `load_from_host` must be a tensor parameter of the host function
# help: pass the whole parameter: rank r uses its row r

# --- staged_row_size
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(x: pl.Tensor[[4, 256], pl.FP32]):
    buf = pld.alloc_window_buffer(64, load_from_host=x)
#                                                    ^ `x` is pl.Tensor[[4, 256], pl.FP32]
# error: TW0372 a row of `x` has 1024 bytes, but the buffer has 64
# help: make the two sizes equal: rank r uses row r of the parameter

# --- staged_scalar
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(n: pl.Scalar[pl.INT32]):
    buf = pld.alloc_window_buffer(64, store_to_host=n)
#                                                   ^ `n` is pl.Scalar[pl.INT32]
# error: TW0306 `pld.alloc_window_buffer` needs a tensor for `store_to_host`, got an integer scalar

# --- tile_to_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, pl.load(x))
#                            ^^^^^^^^^^ `pl.load(x)` is pl.Tile[[16, 16], pl.FP32]
# error: TW0306 `pld.tensor.put` needs a tensor for `src`, got a tile
# help: write pld.tile.remote_store(tile, window, peer, offsets) to store a tile at a peer

# --- window_of_number
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.window(64, [16], dtype=pl.FP32)
#                  ^^ `64` is pl.Scalar[pl.INDEX]
# error: TW0306 `pld.window` needs a window buffer for `buf`, got an integer scalar

# --- window_of_tensor
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.window(x, [16], dtype=pl.FP32)
#                  ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0306 `pld.window` needs a window buffer for `buf`, got a tensor
