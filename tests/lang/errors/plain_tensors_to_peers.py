# --- plain_tensor_to_comm_ctx
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    ctx = pld.get_comm_ctx(x)
#                          ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.get_comm_ctx` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the window on the host: x = pld.alloc_window([4, 1], dtype=pl.INT32)

# --- plain_tensor_to_comm_notify
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pl.tile.comm_notify(x[0:1, 0:1], 1)
#                       ^^^^^^^^^^^ `x[0:1, 0:1]` is pl.Tensor[[1, 1], pl.INT32]
# error: TW0312 `pl.tile.comm_notify` needs a window, got a plain tensor
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_comm_wait
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    v = pl.tile.comm_wait(x[0:1, 0:1], 1)
#                         ^^^^^^^^^^^ `x[0:1, 0:1]` is pl.Tensor[[1, 1], pl.INT32]
# error: TW0312 `pl.tile.comm_wait` needs a window, got a plain tensor
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_get
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pld.tensor.get(y, 0, x)
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.get` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: x = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_notify
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pld.system.notify(x, 0, [0, 0], 1)
#                     ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.system.notify` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_notify_all
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pld.system.notify_all(x)
#                         ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.system.notify_all` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_peer_slot
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    v = pld.peer_slot(x, 0, [0, 0])
#                     ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.peer_slot` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the window on the host: x = pld.alloc_window([4, 1], dtype=pl.INT32)

# --- plain_tensor_to_put
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pld.tensor.put(y, 0, x)
#                      ^ `y` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.put` needs a window, got a plain tensor
# help: declare the parameter as a window: y: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: y = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_put_signal
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32],
           s: pl.Tensor[[4, 1], pl.INT32]):
    w = pld.tensor.put(w, 0, x, signal=s, at=[0, 0])
#                                      ^ `s` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.tensor.put` needs a window, got a plain tensor
# help: declare the parameter as a window: s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_remote_load
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pld.tile.remote_load(x, 0, [0, 0], [16, 16])
#                            ^ `x` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tile.remote_load` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: x = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_remote_store
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pld.tile.remote_store(pl.load(x), y, 0, [0, 0])
#                                         ^ `y` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tile.remote_store` needs a window, got a plain tensor
# help: declare the parameter as a window: y: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: y = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_tensor_remote_store
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pld.tensor.remote_store(x, y, 0, [0, 0])
#                                  ^ `y` is pl.Tensor[[16, 16], pl.FP32]
# error: TW0312 `pld.tensor.remote_store` needs a window, got a plain tensor
# help: declare the parameter as a window: y: pl.InOut[pld.DistributedTensor[[16, 16], pl.FP32]]
# help: allocate the window on the host: y = pld.alloc_window([16, 16], dtype=pl.FP32)

# --- plain_tensor_to_test
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    v = pld.system.test(x, [0, 0], 1)
#                       ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.system.test` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pld.system.wait(x, [0, 0], 1)
#                   ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.system.wait` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- plain_tensor_to_wait_all
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 1], pl.INT32]):
    pld.system.wait_all(x, 1)
#                       ^ `x` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.system.wait_all` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`

# --- signal_not_a_window
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(sig: pl.Tensor[[4, 1], pl.INT32]):
    pld.system.wait(sig, [0, 0], 1)
#                   ^^^ `sig` is pl.Tensor[[4, 1], pl.INT32]
# error: TW0312 `pld.system.wait` needs a window, got a plain tensor
# help: declare the parameter as a window: sig: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]
# help: allocate the signal on the host, s = pld.alloc_signal(n), and pass `s`
