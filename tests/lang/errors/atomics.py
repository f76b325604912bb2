# --- atomic_add_dtype
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.InOut[pl.Tensor[[4], pl.FP32]]):
    old = pl.atomic_add(x, [0], 1.0)
#                       ^ `x` is pl.Tensor[[4], pl.FP32]
# error: TW0321 `pl.tensor.atomic_add` does not work on pl.FP32
# help: use elements of INT32 or INT64; to add to other dtypes, write `pl.store(tile, offsets, t, atomic=pld.AtomicType.Add)`

# --- atomic_add_index_count
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.InOut[pl.Tensor[[4, 4], pl.INT32]]):
    old = pl.atomic_add(x, [0], 1)
#                          ^^^
# error: TW0332 `pl.tensor.atomic_add` needs a list of length 2 for `idx`, got 1
# help: write [0, 0]

# --- atomic_add_input
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4], pl.INT32]):
#          ^
# note: the parameter is declared here
    old = pl.atomic_add(x, [0], 1)
#         ^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1121 `x` is written here, but it is declared as an input
# help: declare it `x: pl.Out[pl.Tensor[[4], pl.INT32]]`, or pl.InOut if it is read too

# --- atomic_add_of_tile
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 4], pl.INT32]):
    t = pl.load(x)
    old = pl.atomic_add(t, [0, 0], 1)
#                       ^ `t` is pl.Tile[[4, 4], pl.INT32]
# error: TW0306 `pl.tensor.atomic_add` needs a tensor for `t`, got a tile
# help: pass a tensor; pl.store(tile, offsets, tensor) writes a tile to one

# --- atomic_add_on_host
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def main():
    s = pld.alloc_signal(4)
    old = pl.atomic_add(s, [0, 0], 1)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pl.tensor.atomic_add` belongs in kernel functions, not in host functions
# help: move it into a kernel, and dispatch the kernel: `kernel(..., device=r)`

# --- atomic_add_orchestration
import tilewire.language as pl


@pl.jit
def main(x: pl.InOut[pl.Tensor[[4], pl.INT32]]):
    old = pl.atomic_add(x, [0], 1)
#         ^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pl.tensor.atomic_add` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- atomic_add_outside
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.InOut[pl.Tensor[[4], pl.INT32]]):
    old = pl.atomic_add(x, [4], 1)
#                          ^^^ offset 4
# error: TW0336 out of bounds: `pl.tensor.atomic_add` reaches element 4 of dimension 0, which has 4

# --- atomic_add_value
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.InOut[pl.Tensor[[4], pl.INT64]], n: pl.Scalar[pl.INT32]):
    old = pl.atomic_add(x, [0], n)
#                               ^ `n` is pl.Scalar[pl.INT32]
# error: TW0366 type mismatch: `pl.tensor.atomic_add` writes pl.INT64, got a value of pl.INT32
# help: convert it: pl.cast(n, pl.INT64)

# --- atomic_cas_expected
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.InOut[pl.Tensor[[4], pl.INT32]], n: pl.Scalar[pl.INT64]):
    old = pl.atomic_cas(x, [0], n, 1)
#                               ^ `n` is pl.Scalar[pl.INT64]
# error: TW0366 type mismatch: `pl.tensor.atomic_cas` writes pl.INT32, got a value of pl.INT64
# help: convert it: pl.cast(n, pl.INT32)

# --- compare_exchange_expected
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pld.system.compare_exchange(s, 0, [0, 0], 5000000000, 1)
#                                                   ^^^^^^^^^^
# error: TW0316 the constant 5000000000 does not fit pl.INT32

# --- compare_exchange_of_slice
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pld.system.compare_exchange(s[0:2], 1, [2, 0], 0, 1)
#                                                ^^^^^^ offset 2
# error: TW0336 out of bounds: `pld.system.compare_exchange` reaches element 2 of dimension 0, which has 2

# --- fetch_add_dtype
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4], pl.INT64]]):
    old = pld.system.fetch_add(s, 0, [0], 1)
#                              ^ `s` is pld.DistributedTensor[[4], pl.INT64]
# error: TW0373 `pld.system.fetch_add` needs an INT32 signal, got pl.INT64
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- fetch_add_index_count
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pld.system.fetch_add(s, 0, [0], 1)
#                                    ^^^
# error: TW0332 `pld.system.fetch_add` needs a list of length 2 for `offsets`, got 1
# help: write [0, 0]

# --- fetch_add_negative_peer
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pld.system.fetch_add(s, -1, [0, 0], 1)
#                                 ^^
# error: TW0338 invalid rank: `pld.system.fetch_add` addresses rank -1; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)

# --- fetch_add_of_slot
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pl.atomic_add(pld.peer_slot(s, 1, [0, 0]), [0], 1)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ updates a cell of this rank
# error: TW1142 `pl.tensor.atomic_add` on the slot of a peer: only a notify may use it
# help: name the rank: pld.system.fetch_add(sig, peer, offsets, value)
#                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: the slot of a peer is made here

# --- fetch_add_orchestration
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pld.system.fetch_add(s, 0, [0, 0], 1)
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ in the function `main`
# error: TW1014 `pld.system.fetch_add` belongs in kernel functions, not in orchestration functions
# help: move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`

# --- fetch_add_outside
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    old = pld.system.fetch_add(s, 0, [0, 1], 1)
#                                    ^^^^^^ offset 1
# error: TW0336 out of bounds: `pld.system.fetch_add` reaches element 1 of dimension 1, which has 1

# --- fetch_add_plain_tensor
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.InOut[pl.Tensor[[4], pl.INT32]]):
    old = pld.system.fetch_add(x, 0, [0], 1)
#                              ^ `x` is pl.Tensor[[4], pl.INT32]
# error: TW0312 `pld.system.fetch_add` needs a window, got a plain tensor
# help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[4], pl.INT32]]
# help: allocate the window on the host: x = pld.alloc_window([4], dtype=pl.INT32)
