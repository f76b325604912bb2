# --- plain_tensor_to_all_to_all
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    y = pld.tensor.all_to_all(x, y, s)
#                                ^ `y` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.all_to_all` needs a window, got a plain tensor
# help: declare the parameter as a window: y: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: y = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_allgather
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[64, 16], pl.FP32]],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    y = pld.tensor.allgather(x, y, s)
#                               ^ `y` is pl.Tensor[[64, 16], pl.FP32]
# error: TW0312 `pld.tensor.allgather` needs a window, got a plain tensor
# help: declare the parameter as a window: y: pl.InOut[pld.DistributedTensor[[64, 16], pl.FP32]]
# help: allocate the window on the host: y = pld.alloc_window([64, 16], dtype=pl.FP32)

# --- plain_tensor_to_allreduce
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    x = pld.tensor.allreduce(x, s)
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.allreduce` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: x = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_allreduce_signal
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], s: pl.Tensor[[4, 1], pl.INT32]):
    w = pld.tensor.allreduce(w, s)
#                               ^ `s` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.tensor.allreduce` needs a window, got a plain tensor
# help: declare the parameter as a window: s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_barrier
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pld.tensor.barrier(x)
#                      ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.tensor.barrier` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_broadcast
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    x = pld.tensor.broadcast(x, s, root=0)
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.broadcast` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: x = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_host_allreduce
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    x = pld.tensor.allreduce(x)
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.allreduce` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: x = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_reduce_scatter
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], s: pld.DistributedTensor[[4, 1], pl.INT32]):
    x = pld.tensor.reduce_scatter(x, s)
#                                 ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.reduce_scatter` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: x = pld.alloc_window([16, 16], dtype=pl.FP32)
