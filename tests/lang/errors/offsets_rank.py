# --- notify_offsets_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.notify(s, 0, [0], 1)
#                           ^^^
# error: TW0332 `pld.system.notify` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]

# --- offsets_rank
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0], [16, 16])
#                  ^^^
# error: TW0332 `pl.tile.load` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]

# --- put_at_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.put(w, 0, x, signal=s, at=[0])
#                                            ^^^
# error: TW0332 `pld.tensor.put` needs a list of length 2 for `at`, got 1
# help: write [0, 0]

# --- put_offsets_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x, [0], [0, 0], [8, 8])
#                               ^^^
# error: TW0332 `pld.tensor.put` needs a list of length 2 for `dst_offsets`, got 1
# help: write [0, 0]

# --- read_index_rank
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    v = pl.read(x, [0])
#                  ^^^
# error: TW0332 `pl.tensor.read` needs a list of length 2 for `idx`, got 1
# help: write [0, 0]

# --- remote_load_offsets_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pld.tile.remote_load(w, 0, [0], [16, 16])
#                                  ^^^
# error: TW0332 `pld.tile.remote_load` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]

# --- remote_store_offsets_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tile.remote_store(pl.load(x), w, 0, [0, 0, 0])
#                                               ^^^^^^^^^
# error: TW0332 `pld.tile.remote_store` needs a list of length 2 for `offsets`, got 3
# help: give one offset for each dimension of pld.DistributedTensor[[16, 16], pl.FP32]

# --- shape_rank
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16])
#                          ^^^^
# error: TW0332 `pl.tile.load` needs a list of length 2 for `shape`, got 1
# help: give one extent for each dimension of pl.Tensor[[16, 16], pl.FP32]

# --- store_offsets_rank
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0], y)
#                            ^^^
# error: TW0332 `pl.tile.store` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]

# --- wait_offsets_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.wait(s, [0, 0, 0], 1)
#                      ^^^^^^^^^
# error: TW0332 `pld.system.wait` needs a list of length 2 for `offsets`, got 3
# help: give one offset for each dimension of pld.DistributedTensor[[4, 1], pl.INT32]
