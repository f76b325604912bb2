# --- index_drops_a_dimension
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
#     ^
# note 1: the parameter is declared here
#                                    ^
# note 2: the parameter is declared here
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        k(x[r], y[r], device=r)
#         ^^^^
# error 1: TW1114 `x` of `k` needs pl.Tensor[[1, 8], pl.FP32], got pl.Tensor[[8], pl.FP32]
# help: write `x[r : r + 1, :]`, which keeps the dimension
#               ^^^^
# error 2: TW1114 `y` of `k` needs pl.Tensor[[1, 8], pl.FP32], got pl.Tensor[[8], pl.FP32]
# help: write `y[r : r + 1, :]`, which keeps the dimension

# --- all_of_it
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k(x: pl.Tensor[[1, 8], pl.FP32], z: pl.Tensor[[4, 8], pl.FP32]):
#     ^
# note 1: the parameter is declared here
#                                    ^
# note 2: the parameter is declared here
    t = pl.load(x)


@pl.jit.host
def main(x: pl.Tensor[[NR, 8], pl.FP32], z: pl.Tensor[[NR, 4, 8], pl.FP32]):
    for r in pl.range(pld.world_size()):
        k(x, z, device=r)
#         ^
# error 1: TW1114 `x` of `k` needs pl.Tensor[[1, 8], pl.FP32], got pl.Tensor[[NR, 8], pl.FP32]
# help: pass one row of it: `x[r : r + 1, :]`
#            ^
# error 2: TW1114 `z` of `k` needs pl.Tensor[[4, 8], pl.FP32], got pl.Tensor[[NR, 4, 8], pl.FP32]
# help: pass a part of it: `z[r]`

# --- put_of_a_row
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(x: pl.Tensor[[4, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    pld.tensor.put(w, 0, x[0])
#                        ^^^^ `x[0]` is pl.Tensor[[8], pl.FP32]
# error: TW0376 `pld.tensor.put` needs tensors of equal rank, got 2 and 1
# help: write a slice, x[i : i + 1]: an index, x[i], drops the dimension

# --- tensors_are_not_expanded
import tilewire.language as pl


@pl.jit.incore
def k(x: pl.Tensor[[16, 64], pl.FP32], i: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    t = x[i : i + 16]
    y[...] = t / pl.row_sum(t)
#                ^^^^^^^^^^^^^ `pl.row_sum(t)` is pl.Tensor[[16, 1], pl.FP32]
# error: TW0331 shape mismatch: `pl.tensor.div` needs equal shapes, got [16, 64] and [16, 1]
# help: load the tensor first, pl.load(t): only tiles are broadcast

# --- slice_keeps_a_dimension
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k(x: pl.Tensor[[1, 8], pl.FP32]):
#     ^
# note: the parameter is declared here
    t = pl.load(x)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 8], pl.FP32]):
    for r in pl.range(pld.world_size()):
        k(x[r : r + 1], device=r)
#         ^^^^^^^^^^^^
# error: TW1114 `x` of `k` needs pl.Tensor[[1, 8], pl.FP32], got pl.Tensor[[1, 1, 8], pl.FP32]
# help: write `x[r]`, which drops the dimension
