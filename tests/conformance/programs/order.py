"""Nothing moves across a signal, a wait or a remote access: each of these goes wrong if one does."""
# run: late_load ranks=2,3,4
# run: late_load ranks=2,3,4 hooks
# run: branches ranks=2,4
# run: branches ranks=2,4 hooks
# run: reductions ranks=2,4
# run: carried_tile ranks=1,2,4
# run: carried_tile ranks=1,2,4 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Order:
    # Tiles loaded before a wait and used behind it, when the window has new content.
    @pl.function(type=pl.FunctionType.InCore)
    def late_load_kernel(self, x: pl.Tensor[[4, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]],
                         s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                         y: pl.Out[pl.Tensor[[3, 4, 64], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        right = (me + 1) % pld.nranks(ctx)
        w = pl.store(pl.load(x), [0, 0], w)
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        mine = pl.load(w)
        theirs = pld.tile.remote_load(w, right, [0, 0], [4, 64])
        total = mine + theirs
        pld.system.notify_all(s)
        pld.system.wait_all(s, 2)
        # Everybody has read; now it changes.
        w = pl.store(pl.full([4, 64], dtype=pl.FP32, value=-5.0), [0, 0], w)
        pld.system.notify_all(s)
        pld.system.wait_all(s, 3)
        y = pl.store(mine, [0, 0, 0], y)
        y = pl.store(theirs * 2.0, [1, 0, 0], y)
        y = pl.store(total + pl.load(w), [2, 0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def late_load(self, x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 3, 4, 64], pl.FP32]]):
        late_box = pld.alloc_window([4, 64], dtype=pl.FP32)
        late_cells = pld.alloc_signal(pld.world_size())
        for r in pl.range(pld.world_size()):
            self.late_load_kernel(x[r], late_box, late_cells, y[r], device=r)

    # Pairs of ranks; a wait hidden in a branch and in a loop.
    @pl.function(type=pl.FunctionType.InCore)
    def branch_kernel(self, x: pl.Tensor[[2, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[2, 64], pl.FP32]],
                      s: pl.InOut[pld.DistributedTensor[[4], pl.INT32]], y: pl.Out[pl.Tensor[[2, 64], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        other = me + 1 - me % 2 * 2
        w = pl.store(pl.load(x), [0, 0], w)
        before = pl.load(w)
        pld.system.notify(s, other, [0], 1)
        if me % 2 == 0:
            pld.system.wait(s, [0], 1)
            pld.tile.remote_store(before + 1.0, w, other, [0, 0])
            pld.system.notify(s, other, [1], 1)
        else:
            for i in pl.range(1):
                pld.system.wait(s, [i + 1], 1)
        y = pl.store(before * 3.0 + pl.load(w), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def branches(self, x: pl.Tensor[[NR, 2, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 2, 64], pl.FP32]]):
        branch_box = pld.alloc_window([2, 64], dtype=pl.FP32)
        branch_cells = pld.alloc_window([4], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.branch_kernel(x[r], branch_box, branch_cells, y[r], device=r)

    # One loop over rows would read the peer, reduce and write the peer: fine unless a signal stands between.
    @pl.function(type=pl.FunctionType.InCore)
    def reduce_kernel(self, x: pl.Tensor[[8, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]],
                      v: pl.InOut[pld.DistributedTensor[[8, 1], pl.FP32]],
                      s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                      y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        n = pld.nranks(ctx)
        right = (pld.rank(ctx) + 1) % n
        w = pl.store(pl.load(x) * 0.5, [0, 0], w)
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        far = pld.tile.remote_load(w, right, [0, 0], [8, 64])
        high = pl.row_max(far)
        pld.tile.remote_store(high, v, right, [0, 0])
        pld.system.notify_all(s)
        pld.system.wait_all(s, 2)
        y = pl.store(pl.row_expand_sub(far, pl.load(v)), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def reductions(self, x: pl.Tensor[[NR, 8, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8, 64], pl.FP32]]):
        reduce_box = pld.alloc_window([8, 64], dtype=pl.FP32)
        reduce_highs = pld.alloc_window([8, 1], dtype=pl.FP32)
        reduce_cells = pld.alloc_signal(pld.world_size())
        for r in pl.range(pld.world_size()):
            self.reduce_kernel(x[r], reduce_box, reduce_highs, reduce_cells, y[r], device=r)

    # What goes round a ring is received into the place it is sent from.
    @pl.function(type=pl.FunctionType.InCore)
    def ring_kernel(self, x: pl.Tensor[[4, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]],
                    s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        right = (me + 1) % n
        left = (me + n - 1) % n
        travels = pl.load(x)
        total = pl.load(x) * 1.0
        for step in pl.range(n - 1):
            pld.system.wait(s, [1, 0], step)
            pld.tile.remote_store(travels, w, right, [0, 0])
            pld.system.notify(s, right, [0, 0], 1)
            pld.system.wait(s, [0, 0], step + 1)
            travels = pl.load(w)
            total = total + travels
            pld.system.notify(s, left, [1, 0], 1)
        y = pl.store(total, [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def carried_tile(self, x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
        ring_box = pld.alloc_window([4, 64], dtype=pl.FP32)
        ring_cells = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.ring_kernel(x[r], ring_box, ring_cells, y[r], device=r)
