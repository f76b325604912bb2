# --- notify_op_without_signal
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x, op="set")
#                                  ^^^^^
# error: TW0378 `op` of `pld.tensor.put` needs the argument `signal`

# --- notify_without_cell
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[4, 1], pl.INT32]):
    w = pld.tensor.put(w, 0, x, signal=s)
#                                      ^ `s` is pld.DistributedTensor[[4, 1], pl.INT32]
# error: TW0379 `signal` of `pld.tensor.put` needs `at`, the cell to notify
# help: write at=[i, 0]

# --- notify_without_signal
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32], x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.tensor.put(w, 0, x, at=[0, 0])
#                                  ^^^^^^
# error: TW0378 `at` of `pld.tensor.put` needs the argument `signal`

# --- peer_slot_carried
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]):
    if peer > 0:
        slot = pld.peer_slot(s, peer, [0, 0])
#              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 1: the slot of a peer is made here
#              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 2: the slot of a peer is made here
    else:
        slot = pld.peer_slot(s, peer, [1, 0])
    pl.tile.comm_wait(slot, 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^ looks at a cell of this rank
# error 1: TW1142 `pl.tile.comm_wait` on the slot of a peer: only a notify may use it
# help: take a cell of this rank, sig[i:i + 1], and let the peer notify it with pl.tile.comm_notify
    v = pl.read(slot, [0])
#       ^^^^^^^^^^^^^^^^^^ looks at a cell of this rank
# error 2: TW1142 `pl.tensor.read` on the slot of a peer: only a notify may use it
# help: take a cell of this rank, sig[i:i + 1], and let the peer notify it with pl.tile.comm_notify

# --- peer_slot_offsets_rank
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pld.peer_slot(s, 0, [0])
#                           ^^^
# error: TW0332 `pld.peer_slot` needs a list of length 2 for `offsets`, got 1

# --- peer_slot_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], peer: pl.Scalar[pl.INT32]):
    pl.tile.comm_wait(pld.peer_slot(s, peer, [0, 0]), 1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ looks at a cell of this rank
# error 1: TW1142 `pl.tile.comm_wait` on the slot of a peer: only a notify may use it
# help: take a cell of this rank, sig[i:i + 1], and let the peer notify it with pl.tile.comm_notify
#                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 1: the slot of a peer is made here
    slot = pld.peer_slot(s, peer, [1, 0])
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 2: the slot of a peer is made here
    for i in pl.range(4):
        if pl.tile.comm_test(slot, i):
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^ looks at a cell of this rank
# error 2: TW1142 `pl.tile.comm_test` on the slot of a peer: only a notify may use it
# help: take a cell of this rank, sig[i:i + 1], and let the peer notify it with pl.tile.comm_notify
            pl.tile.comm_notify(slot, 1)

# --- signal_not_int32_allreduce
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    w = pld.tensor.allreduce(w, w)
#                               ^ `w` is pld.DistributedTensor[[16, 16], pl.FP32]
# error: TW0373 `pld.tensor.allreduce` needs an INT32 signal, got pl.FP32
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- signal_not_int32_comm_notify
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[1], pl.FP32]):
    pl.tile.comm_notify(w, 1)
#                       ^ `w` is pld.DistributedTensor[[1], pl.FP32]
# error: TW0373 `pl.tile.comm_notify` needs an INT32 signal, got pl.FP32
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- signal_not_int32_notify
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.FP32]):
    pld.system.notify(w, 0, [0, 0], 1)
#                     ^ `w` is pld.DistributedTensor[[4, 1], pl.FP32]
# error: TW0373 `pld.system.notify` needs an INT32 signal, got pl.FP32
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- signal_not_int32_notify_all
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.FP32]):
    pld.system.notify_all(w)
#                         ^ `w` is pld.DistributedTensor[[4, 1], pl.FP32]
# error: TW0373 `pld.system.notify_all` needs an INT32 signal, got pl.FP32
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- signal_not_int32_peer_slot
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.UINT32]):
    v = pld.peer_slot(w, 0, [0, 0])
#                     ^ `w` is pld.DistributedTensor[[4, 1], pl.UINT32]
# error: TW0373 `pld.peer_slot` needs an INT32 signal, got pl.UINT32
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- signal_not_int32_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.INT64]):
    pld.system.wait(w, [0, 0], 1)
#                   ^ `w` is pld.DistributedTensor[[4, 1], pl.INT64]
# error: TW0373 `pld.system.wait` needs an INT32 signal, got pl.INT64
# help: allocate the signal on the host: s = pld.alloc_signal(n)

# --- signal_too_small
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 16], pl.FP32], w: pld.DistributedTensor[[16, 16], pl.FP32],
           s: pld.DistributedTensor[[2, 1], pl.INT32]):
    w = pld.tensor.allgather(x, w, s)
#                                  ^ `s` is pld.DistributedTensor[[2, 1], pl.INT32]
# error: TW0386 `pld.tensor.allgather` needs a signal of at least 4 cells, got 2
# help: allocate a larger signal on the host: pld.alloc_signal(4)

# --- slot_of_several_elements
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    pl.tile.comm_notify(s, 1)
#                       ^ `s` is pld.DistributedTensor[[4, 1], pl.INT32]
# error: TW0374 `pl.tile.comm_notify` needs a slot of one element, got [4, 1]
# help: take one element, sig[i:i + 1], or a peer's with pld.peer_slot(sig, peer, offsets)

# --- slot_of_several_elements_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[4, 1], pl.INT32]):
    v = pl.tile.comm_wait(s[0:2, 0:1], 1)
#                         ^^^^^^^^^^^ `s[0:2, 0:1]` is pld.DistributedTensor[[2, 1], pl.INT32]
# error: TW0374 `pl.tile.comm_wait` needs a slot of one element, got [2, 1]
# help: take one element, sig[i:i + 1], or a peer's with pld.peer_slot(sig, peer, offsets)

# --- slot_of_unknown_size
import tilewire.language as pl
import tilewire.language.distributed as pld


NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(s: pld.DistributedTensor[[NR], pl.INT32]):
    v = pl.tile.comm_test(s, 1)
#                         ^ `s` is pld.DistributedTensor[[NR], pl.INT32]
# error: TW0374 `pl.tile.comm_test` needs a slot of one element, got [NR]
# help: take one element, sig[i:i + 1], or a peer's with pld.peer_slot(sig, peer, offsets)

# --- slot_two_mistakes
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pld.DistributedTensor[[4, 1], pl.FP32]):
    pl.tile.comm_notify(w, 1)
#                       ^ `w` is pld.DistributedTensor[[4, 1], pl.FP32]
# error: TW0373 `pl.tile.comm_notify` needs an INT32 signal, got pl.FP32
# help: allocate the signal on the host: s = pld.alloc_signal(n)
#                       ^ `w` is pld.DistributedTensor[[4, 1], pl.FP32]
# error: TW0374 `pl.tile.comm_notify` needs a slot of one element, got [4, 1]
# help: take one element, sig[i:i + 1], or a peer's with pld.peer_slot(sig, peer, offsets)
