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
