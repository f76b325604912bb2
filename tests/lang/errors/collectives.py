# --- barrier_without_signal_in_kernel
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    pld.tensor.barrier()
#   ^^^^^^^^^^^^^^^^^^^^
# error: TW1138 `pld.tensor.barrier` needs `signal` in kernel functions
# help: pass `signal=`; only on the host may it be left out

# --- collective_block
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], w: pld.DistributedTensor[[16, 4], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allgather(x, w, s)
#                               ^ `w` is pld.DistributedTensor[[16, 4], pl.FP32]
# error: TW0382 shape mismatch: `pld.tensor.allgather` needs equal dimensions after the first, got [4, 8] and [16, 4]

# --- collective_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.INT8], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allreduce(w, s)
#                            ^ `w` is pld.DistributedTensor[[16, 16], pl.INT8]
# error: TW0380 `pld.tensor.allreduce` works on FP32, FP16, BF16 and INT32, got pl.INT8
# help: convert the data first: pl.cast(x, pl.FP32)

# --- collective_dtype_mismatch
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 16], pl.FP16], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allgather(x, w, s)
#                            ^ `x` is pl.Tensor[[4, 16], pl.FP16]
# error: TW0320 type mismatch: `pld.tensor.allgather` mixes pl.FP32 and pl.FP16
# help: convert one of them: pl.cast(x, pl.FP32)

# --- collective_in_orchestration
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allreduce(w, s)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pld.tensor.allreduce` belongs in host or kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- collective_rows
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[3, 16], pl.FP32], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.allgather(x, w, s)
#                               ^ `w` is pld.DistributedTensor[[16, 16], pl.FP32]
# error: TW0381 `pld.tensor.allgather` needs the 16 rows of `target` to be a multiple of the 3 rows of `local`

# --- collective_same_buffer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.all_to_all(w, w, s)
#                             ^ `w` is pld.DistributedTensor[[16, 16], pl.FP32]
# error: TW0383 `pld.tensor.all_to_all` needs `input` and `target` in distinct buffers
# help: allocate a second buffer for `target`

# --- collective_views_of_one_buffer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(1024)
    a = pld.window(buf, [16, 8], dtype=pl.FP32)
    b = pld.window(buf, [16, 8], dtype=pl.FP32)
    b = pld.tensor.all_to_all(a, b)
#                             ^ `a` is pld.DistributedTensor[[16, 8], pl.FP32]
# error: TW0383 `pld.tensor.all_to_all` needs `input` and `target` in distinct buffers
# help: allocate a second buffer for `target`

# --- collective_without_signal_in_kernel
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    w = pld.tensor.allreduce(w)
#       ^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1138 `pld.tensor.allreduce` needs `signal` in kernel functions
# help: pass `signal=`; only on the host may it be left out

# --- counts_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32], a: pl.Tensor[[4], pl.INT64],
           b: pl.Out[pl.Tensor[[4], pl.INT32]]):
    w = pld.tensor.all_to_all_v(x, w, s, a, b)
#                                        ^ `a` is pl.Tensor[[4], pl.INT64]
# error: TW0385 `pld.tensor.all_to_all_v` needs INT32 counts in `send_counts`, got pl.INT64
# help: use counts of type INT32: pl.Tensor[[NR], pl.INT32]

# --- counts_shape
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32], a: pl.Tensor[[4, 1], pl.INT32],
           b: pl.Out[pl.Tensor[[4], pl.INT32]]):
    w = pld.tensor.all_to_all_v(x, w, s, a, b)
#                                        ^ `a` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0384 `pld.tensor.all_to_all_v` needs one count per rank in `send_counts`, a tensor of rank 1, got [4, 1]
