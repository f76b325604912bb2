"""Remote loads and stores: tiles and tensors, parts of windows, ragged tails, every dtype that adds atomically."""
# run: shift ranks=1,2,3,4,8 rows=5
# run: shift ranks=1,2,3,4,8 rows=5 hooks
# run: add_fp32 ranks=1,2,3,4,8 range.x=-8..8 tolerance=0
# run: add_fp32 ranks=1,2,3,4,8 range.x=-8..8 tolerance=0 hooks
# run: add_others ranks=1,2,4,8 range.x=0..3
# run: add_others ranks=1,2,4,8 range.x=0..3 hooks
# run: crowd ranks=1,2,3 blocks=6
# run: crowd ranks=1,2,3 blocks=6 hooks
# run: own_rank ranks=1,2
# run: own_rank ranks=1,2 hooks
# run: swap ranks=1,2,3,4 rounds=5
# run: swap ranks=1,2,3,4 rounds=5 hooks
# run: mix ranks=1,2,3,4,5
# run: mix ranks=1,2,3,4,5 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Remote:
    @pl.function(type=pl.FunctionType.InCore)
    def shift_kernel(self, x: pl.Tensor[[16, 64], pl.FP32],
                     w: pl.InOut[pld.DistributedTensor[[5, 16, 64], pl.FP32]],
                     s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], rows: pl.Scalar[pl.INDEX],
                     y: pl.Out[pl.Tensor[[5, 16, 64], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        right = (me + 1) % pld.nranks(ctx)
        t = pl.load(x)
        pld.tile.remote_store(t, w, right, [0, 0, 0])
        pld.tile.remote_store(t * 2.0 + 1.0, w, right, [1, 0, 0])
        pld.tile.remote_store(pl.exp(t), w[2], right, [0, 0])
        pld.tensor.remote_store(x, w[3], right, [0, 0])
        part = w[4, 0:8, 0:32]
        pld.tile.remote_store(pl.load(x, [8, 32], [8, 32]), part, right, [0, 0])
        tail = pl.load(x, [0, 0], [16, 64], valid_shape=[rows, 64])
        pld.tile.remote_store(tail, w, right, [4, 8, 0])
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        left = (me + pld.nranks(ctx) - 1) % pld.nranks(ctx)
        for i in pl.range(3):
            y = pl.store(pl.load(w, [i, 0, 0], [1, 16, 64]) + 0.0, [i, 0, 0], y)
        near = pld.tile.remote_load(w, left, [3, 0, 0], [1, 16, 64], valid_shape=[1, rows, 64])
        y = pl.store(near, [3, 0, 0], y)
        far = pld.tile.remote_load(w[4], right, [0, 0], [16, 64])
        y = pl.store(far - pld.tile.remote_load(w[4], me, [0, 0], [16, 64]), [4, 0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def shift(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], rows: pl.Scalar[pl.INDEX],
              y: pl.Out[pl.Tensor[[NR, 5, 16, 64], pl.FP32]]):
        n = pld.world_size()
        shift_box = pld.alloc_window([5, 16, 64], dtype=pl.FP32)
        shift_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.shift_kernel(x[r], shift_box, shift_cells, rows, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def add_kernel(self, x: pl.Tensor[[8, 40], pl.INT32], w: pl.InOut[pld.DistributedTensor[[8, 40], pl.FP32]],
                   v: pl.InOut[pld.DistributedTensor[[8, 40], pl.FP32]],
                   s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                   y: pl.Out[pl.Tensor[[2, 8, 40], pl.FP32]]):
        # Sums of small whole numbers are the same in every order.
        t = pl.cast(pl.load(x), pl.FP32)
        n = pld.nranks(pld.get_comm_ctx(w))
        copy = pl.create_tensor([8, 40], dtype=pl.FP32)
        copy = pl.store(t, [0, 0], copy)
        for peer in pl.range(n):
            pld.tile.remote_store(t, w, peer, [0, 0], atomic=pld.AtomicType.Add)
            pld.tensor.remote_store(copy, v, peer, [0, 0], atomic="add")
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        y = pl.store(pl.load(w), [0, 0, 0], y)
        y = pl.store(pl.load(v), [1, 0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def add_fp32(self, x: pl.Tensor[[NR, 8, 40], pl.INT32], y: pl.Out[pl.Tensor[[NR, 2, 8, 40], pl.FP32]]):
        n = pld.world_size()
        add_box = pld.alloc_window([8, 40], dtype=pl.FP32)
        add_box2 = pld.alloc_window([8, 40], dtype=pl.FP32)
        add_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.add_kernel(x[r], add_box, add_box2, add_cells, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def others_kernel(self, x: pl.Tensor[[4, 20], pl.INT32], a: pl.InOut[pld.DistributedTensor[[4, 20], pl.FP16]],
                      b: pl.InOut[pld.DistributedTensor[[4, 20], pl.BF16]],
                      c: pl.InOut[pld.DistributedTensor[[4, 20], pl.INT16]],
                      d: pl.InOut[pld.DistributedTensor[[4, 20], pl.INT64]],
                      e: pl.InOut[pld.DistributedTensor[[4, 20], pl.UINT32]],
                      s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                      y: pl.Out[pl.Tensor[[5, 4, 20], pl.FP32]]):
        t = pl.load(x)
        for peer in pl.range(pld.nranks(pld.get_comm_ctx(a))):
            pld.remote_store(pl.cast(t, pl.FP16), a, peer, [0, 0], atomic="add")
            pld.remote_store(pl.cast(t, pl.BF16), b, peer, [0, 0], atomic="add")
            pld.remote_store(pl.cast(t, pl.INT16), c, peer, [0, 0], atomic="add")
            pld.remote_store(pl.cast(t, pl.INT64), d, peer, [0, 0], atomic="add")
            pld.remote_store(pl.cast(t, pl.UINT32), e, peer, [0, 0], atomic="add")
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        y = pl.store(pl.cast(pl.load(a), pl.FP32), [0, 0, 0], y)
        y = pl.store(pl.cast(pl.load(b), pl.FP32), [1, 0, 0], y)
        y = pl.store(pl.cast(pl.load(c), pl.FP32), [2, 0, 0], y)
        y = pl.store(pl.cast(pl.load(d), pl.FP32), [3, 0, 0], y)
        y = pl.store(pl.cast(pl.load(e), pl.FP32), [4, 0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def add_others(self, x: pl.Tensor[[NR, 4, 20], pl.INT32], y: pl.Out[pl.Tensor[[NR, 5, 4, 20], pl.FP32]]):
        n = pld.world_size()
        box_a = pld.alloc_window([4, 20], dtype=pl.FP16)
        box_b = pld.alloc_window([4, 20], dtype=pl.BF16)
        box_c = pld.alloc_window([4, 20], dtype=pl.INT16)
        box_d = pld.alloc_window([4, 20], dtype=pl.INT64)
        box_e = pld.alloc_window([4, 20], dtype=pl.UINT32)
        other_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.others_kernel(x[r], box_a, box_b, box_c, box_d, box_e, other_cells, y[r], device=r)

    # Blocks of all ranks add to the same elements at once.
    @pl.function(type=pl.FunctionType.InCore)
    def crowd_kernel(self, w: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
                     k: pl.InOut[pld.DistributedTensor[[1, 16], pl.INT32]]):
        one = pl.full([1, 16], dtype=pl.FP32, value=1.0)
        whole = pl.full([1, 16], dtype=pl.INT32, value=1)
        for i in pl.range(200):
            for peer in pl.range(pld.nranks(pld.get_comm_ctx(w))):
                pld.remote_store(one, w, peer, [0, 0], atomic="add")
                pld.remote_store(whole, k, peer, [0, 0], atomic="add")

    @pl.function(type=pl.FunctionType.InCore)
    def finish_kernel(self, w: pld.DistributedTensor[[1, 16], pl.FP32], k: pld.DistributedTensor[[1, 16], pl.INT32],
                      s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                      y: pl.Out[pl.Tensor[[2, 16], pl.FP32]]):
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        y = pl.store(pl.load(w), [0, 0], y)
        y = pl.store(pl.cast(pl.load(k), pl.FP32), [1, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def crowd_chip(self, w: pl.InOut[pld.DistributedTensor[[1, 16], pl.FP32]],
                   k: pl.InOut[pld.DistributedTensor[[1, 16], pl.INT32]],
                   s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], blocks: pl.Scalar[pl.INDEX],
                   y: pl.Out[pl.Tensor[[2, 16], pl.FP32]]):
        with pl.spmd(blocks):
            self.crowd_kernel(w, k)
        self.finish_kernel(w, k, s, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def crowd(self, blocks: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 2, 16], pl.FP32]]):
        n = pld.world_size()
        crowd_box = pld.alloc_window([1, 16], dtype=pl.FP32)
        crowd_box2 = pld.alloc_window([1, 16], dtype=pl.INT32)
        crowd_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.crowd_chip(crowd_box, crowd_box2, crowd_cells, blocks, y[r], device=r)

    # Peer = own rank, with source and target that overlap in every way.
    @pl.function(type=pl.FunctionType.InCore)
    def own_kernel(self, x: pl.Tensor[[12, 32], pl.FP32], w: pl.InOut[pld.DistributedTensor[[12, 32], pl.FP32]],
                   y: pl.Out[pl.Tensor[[12, 32], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        w = pl.store(pl.load(x), [0, 0], w)
        pld.tile.remote_store(pl.load(w, [0, 0], [8, 32]), w, me, [1, 0])
        pld.tile.remote_store(pl.load(w, [2, 0], [8, 32]) + 1.0, w, me, [1, 0])
        t = pl.load(w, [0, 0], [4, 16])
        pld.tile.remote_store(t * 2.0, w, me, [0, 8])
        w = pl.store(t, [8, 3], w)
        far = pld.tile.remote_load(w, me, [0, 0], [4, 32])
        w = pl.store(far + 1.0, [1, 0], w)
        w = pl.store(pld.tile.remote_load(w, me, [4, 0], [4, 16]), [5, 1], w)
        y = pl.store(pl.load(w), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def own_rank(self, x: pl.Tensor[[NR, 12, 32], pl.FP32], y: pl.Out[pl.Tensor[[NR, 12, 32], pl.FP32]]):
        own_box = pld.alloc_window([12, 32], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.own_kernel(x[r], own_box, y[r], device=r)

    # Two windows that a loop exchanges: double buffering.
    @pl.function(type=pl.FunctionType.InCore)
    def swap_kernel(self, x: pl.Tensor[[4, 32], pl.FP32], a: pl.InOut[pld.DistributedTensor[[4, 32], pl.FP32]],
                    b: pl.InOut[pld.DistributedTensor[[4, 32], pl.FP32]],
                    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], rounds: pl.Scalar[pl.INT32],
                    y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
        ctx = pld.get_comm_ctx(a)
        right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        a = pl.store(pl.load(x), [0, 0], a)
        for i in pl.range(rounds):
            pld.tile.remote_store(pl.load(a) * 0.5 + pl.load(x), b, right, [0, 0])
            pld.system.notify_all(s)
            pld.system.wait_all(s, i + 1)
            a, b = b, a
        y = pl.store(pl.load(a), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def swap(self, x: pl.Tensor[[NR, 4, 32], pl.FP32], rounds: pl.Scalar[pl.INT32],
             y: pl.Out[pl.Tensor[[NR, 4, 32], pl.FP32]]):
        n = pld.world_size()
        swap_a = pld.alloc_window([4, 32], dtype=pl.FP32)
        swap_b = pld.alloc_window([4, 32], dtype=pl.FP32)
        swap_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.swap_kernel(x[r], swap_a, swap_b, swap_cells, rounds, y[r], device=r)

    # One loop over rows that reads two peers, and two that write to two of them.
    @pl.function(type=pl.FunctionType.InCore)
    def mix_kernel(self, x: pl.Tensor[[8, 40], pl.FP32], w: pl.InOut[pld.DistributedTensor[[3, 8, 40], pl.FP32]],
                   s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], y: pl.Out[pl.Tensor[[3, 8, 40], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        one = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        two = (pld.rank(ctx) + 2) % pld.nranks(ctx)
        t = pl.load(x)
        pld.tile.remote_store(t * 2.0, w, one, [0, 0, 0])
        pld.tile.remote_store(t + 3.0, w, two, [1, 0, 0])
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        both = pld.tile.remote_load(w, one, [0, 0, 0], [1, 8, 40]) - pld.tile.remote_load(w, two, [1, 0, 0], [1, 8, 40])
        w = pl.store(both + t, [2, 0, 0], w)
        for i in pl.range(2):
            y = pl.store(pl.load(w, [i, 0, 0], [1, 8, 40]) + 0.0, [i, 0, 0], y)
        pld.system.notify_all(s)
        pld.system.wait_all(s, 2)
        last = pld.tile.remote_load(w, two, [2, 0, 0], [1, 8, 40])
        y = pl.store(last + pl.row_max(pld.tile.remote_load(w, one, [2, 0, 0], [1, 8, 40])), [2, 0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def mix(self, x: pl.Tensor[[NR, 8, 40], pl.FP32], y: pl.Out[pl.Tensor[[NR, 3, 8, 40], pl.FP32]]):
        n = pld.world_size()
        mix_box = pld.alloc_window([3, 8, 40], dtype=pl.FP32)
        mix_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.mix_kernel(x[r], mix_box, mix_cells, y[r], device=r)
