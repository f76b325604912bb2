# --- host_op_in_kernel
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel():
    n = pld.world_size()
#       ^^^^^^^^^^^^^^^^ in the function `kernel`
# error: TW1014 `pld.world_size` belongs in host functions, not in kernel functions
# help: write pld.nranks(ctx), with ctx = pld.get_comm_ctx(window)

# --- host_op_in_orchestration
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main():
    n = pld.world_size()
#       ^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pld.world_size` belongs in host functions, not in orchestration functions
# help: write pld.nranks(ctx), with ctx = pld.get_comm_ctx(window)

# --- kernel_op_in_orchestration
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pl.tile.load` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- kernel_op_on_host
import tilewire.language as pl


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x, [0, 0], [16, 16])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `host`
# error: TW1014 `pl.tile.load` belongs in kernel functions, not in host functions
# help: move it into a kernel, and dispatch the kernel: `kernel(..., device=r)`

# --- notify_on_host
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    s = pld.alloc_signal(4)
    pld.system.notify(s, 0, [0, 0], 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `host`
# error: TW1014 `pld.system.notify` belongs in kernel functions, not in host functions
# help: move it into a kernel, and dispatch the kernel: `kernel(..., device=r)`

# --- rank_on_host
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window([16], dtype=pl.FP32)
    me = pld.rank(pld.get_comm_ctx(w))
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `host`
# error: TW1014 `pld.rank` belongs in orchestration or kernel functions, not in host functions
# help: move it into a kernel, and dispatch the kernel: `kernel(..., device=r)`

# --- read_on_host
import tilewire.language as pl


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    v = x[0, 0]
#       ^^^^^^^ in the function `host`
# error: TW1014 `pl.tensor.read` belongs in orchestration or kernel functions, not in host functions
# help: move it into a kernel, and dispatch the kernel: `kernel(..., device=r)`

# --- remote_load_on_host
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window([16, 16], dtype=pl.FP32)
    t = pld.tile.remote_load(w, 0, [0, 0], [16, 16])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `host`
# error: TW1014 `pld.tile.remote_load` belongs in kernel functions, not in host functions
# help: move it into a kernel, and dispatch the kernel: `kernel(..., device=r)`

# --- tile_operator_in_orchestration
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    y = x + 1.0
#       ^^^^^^^ in the function `main`
# error: TW1014 `pl.tensor.add` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- wait_in_orchestration
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pld.system.wait(s, [0, 0], 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pld.system.wait` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`
