# --- region_out_of_bounds
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [8, 0], [16, 16])
#                  ^^^^^^ offset 8, extent 16
# error: TW0336 out of bounds: `pl.tile.load` reaches element 23 of dimension 0, which has 16

# --- region_out_of_bounds_get
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
    y = pld.tensor.get(y, 0, w, [0, 0], [0, 0], [16, 16])
#                               ^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pld.tensor.get` reaches element 15 of dimension 0, which has 8

# --- region_out_of_bounds_notify
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [4, 0], 1)
#                           ^^^^^^ offset 4
# error: TW0336 out of bounds: `pld.system.notify` reaches element 4 of dimension 0, which has 4

# --- region_out_of_bounds_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x, [8, 0], [0, 0], [16, 16])
#                               ^^^^^^ offset 8, extent 16
# error: TW0336 out of bounds: `pld.tensor.put` reaches element 23 of dimension 0, which has 16

# --- region_out_of_bounds_remote_load
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pld.tile.remote_load(w, 0, [0, 8], [16, 16])
#                                  ^^^^^^ offset 8, extent 16
# error: TW0336 out of bounds: `pld.tile.remote_load` reaches element 23 of dimension 1, which has 16

# --- region_out_of_bounds_remote_store
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tile.remote_store(pl.load(x), w, 0, [16, 0])
#                                               ^^^^^^^ offset 16
# error: TW0336 out of bounds: `pld.tile.remote_store` reaches element 16 of dimension 0, which has 16

# --- region_out_of_bounds_store
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 16], y)
#                            ^^^^^^^ offset 16
# error: TW0336 out of bounds: `pl.tile.store` reaches element 16 of dimension 1, which has 16

# --- region_out_of_bounds_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.wait(s, [0, 1], 1)
#                      ^^^^^^ offset 1
# error: TW0336 out of bounds: `pld.system.wait` reaches element 1 of dimension 1, which has 1

# --- stored_tile
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
    t = pl.exp(pl.load(x)) + 1.0
    w = pl.store(t, [0, 0], w)
#                   ^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pl.tile.store` reaches element 15 of dimension 0, which has 8

# --- stored_tile_atomic
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
    t = pl.exp(pl.load(x)) + 1.0
    pl.store(t, [0, 0], w, atomic="add")
#               ^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pl.tile.store` reaches element 15 of dimension 0, which has 8

# --- stored_tile_at_an_offset
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
    t = pl.exp(pl.load(x)) + 1.0
    w = pl.store(t[0:8, :], [1, 0], w)
#                           ^^^^^^ offset 1, extent 8
# error: TW0336 out of bounds: `pl.tile.store` reaches element 8 of dimension 0, which has 8

# --- stored_tile_remotely
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
    t = pl.exp(pl.load(x)) + 1.0
    pld.tile.remote_store(t, w, 0, [0, 0])
#                                  ^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pld.tile.remote_store` reaches element 15 of dimension 0, which has 8

# --- stored_tile_remotely_atomic
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
    t = pl.exp(pl.load(x)) + 1.0
    pld.tile.remote_store(t, w, 0, [0, 0], atomic="add")
#                                  ^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pld.tile.remote_store` reaches element 15 of dimension 0, which has 8

# --- stored_tile_assembled
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
    t = pl.exp(pl.load(x)) + 1.0
    w = pl.tensor.assemble(w, t, [0, 0])
#                                ^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pl.tensor.assemble` reaches element 15 of dimension 0, which has 8

# --- stored_tile_of_three_dimensions
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[2, 8, 64], pl.FP32]]):
    y = pl.store(pl.load(x), [1, 0, 0], y)
#                            ^^^^^^^^^ offset 0, extent 16
# error: TW0336 out of bounds: `pl.tile.store` reaches element 15 of dimension 1, which has 8

# --- stored_tile_that_may_be_smaller
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [16, 64], valid_shape=[n, 64])
    y = pl.store(t + 1.0, [0, 0], y)
# stdout:
#| import tilewire.language as pl
#|
#|
#| @pl.program
#| class kernel:
#|     @pl.function(type=pl.FunctionType.InCore)
#|     def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
#|         t = pl.tile.load(x, [0, 0], [16, 64], [n, 64])
#|         t_1 = pl.tile.add(t, 1.0)
#|         y_1 = pl.tile.store(t_1, [0, 0], y)
