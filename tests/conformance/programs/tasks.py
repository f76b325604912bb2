"""Orchestration on several ranks: deferred waits, tasks that wait, scalars that tasks give, parallel rounds."""
# run: deferred ranks=1,2,3,4,8
# run: deferred ranks=1,2,3,4,8 hooks
# run: pipeline ranks=2,3,4
# run: pipeline ranks=2,3,4 hooks
# run: scalars ranks=1,2,4
# run: scalars ranks=1,2,4 hooks
# run: blocks ranks=1,2,4 count=5
# run: rounds ranks=1,2
# run: cells ranks=1,2,4
# run: cells ranks=1,2,4 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
M = pl.dynamic("M")


@pl.program
class Tasks:
    @pl.function(type=pl.FunctionType.InCore)
    def send(self, x: pl.Tensor[[16, 64], pl.FP32], inbox: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
        ctx = pld.get_comm_ctx(inbox)
        right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        pld.tile.remote_store(pl.load(x), inbox, right, [0, 0])
        pld.system.notify(signal, right, [0, 0], 1, op="set")
        pld.system.notify(signal, right, [1, 0], 3)

    @pl.function(type=pl.FunctionType.Orchestration)
    def deferred_chip(self, x: pl.Tensor[[16, 64], pl.FP32], inbox: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
                      signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
                      z: pl.Out[pl.Tensor[[16, 64], pl.FP32]], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.send(x, inbox, signal)
        with pl.at(level=pl.Level.CORE_GROUP) as first:
            pld.system.defer_wait(signal, [0, 0], 1, cmp="eq")
        with pl.at(level=pl.Level.CORE_GROUP, deps=[first]) as arrived:
            pld.system.defer_wait(signal, [0, 0], 1, cmp="eq")
            pld.system.defer_wait(signal, [1, 0], 3)
        with pl.at(level=pl.Level.CORE_GROUP):
            z = pl.store(pl.exp(pl.load(x)), [0, 0], z)
        with pl.at(level=pl.Level.CORE_GROUP, deps=[arrived], ordered=False):
            y = pl.store(pl.load(inbox) + pl.load(z), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def deferred(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], z: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]],
                 y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        deferred_box = pld.alloc_window([16, 64], dtype=pl.FP32)
        deferred_cells = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.deferred_chip(x[r], deferred_box, deferred_cells, z[r], y[r], device=r)

    # A task that waits does not keep the others of its rank from running.
    @pl.function(type=pl.FunctionType.InCore)
    def take(self, inbox: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        pld.system.wait(signal, [1, 0], 3)
        y = pl.store(pl.load(inbox) * 2.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def plus(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[16, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(pl.load(a) + pl.load(b), [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def pipeline_chip(self, x: pl.Tensor[[16, 64], pl.FP32], inbox: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
                      signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
                      y: pl.Out[pl.Tensor[[2, 16, 64], pl.FP32]]):
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        t = pl.create_tensor([16, 64], dtype=pl.FP32)
        if me == 0:
            self.send(x, inbox, signal)
            self.take(inbox, signal, t)
        else:
            self.take(inbox, signal, t)
            u = pl.create_tensor([16, 64], dtype=pl.FP32)
            self.plus(t, x, u)
            self.send(u, inbox, signal)
        self.plus(x, x, y[1])
        self.plus(t, x, y[0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def pipeline(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 2, 16, 64], pl.FP32]]):
        pipeline_box = pld.alloc_window([16, 64], dtype=pl.FP32)
        pipeline_cells = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.pipeline_chip(x[r], pipeline_box, pipeline_cells, y[r], device=r)

    # Scalars that tasks give: passed on, branched on, carried by loops.
    @pl.function(type=pl.FunctionType.InCore)
    def count(self, x: pl.Tensor[[16, 64], pl.FP32], from_row: pl.Scalar[pl.INDEX]) -> pl.Tuple[
            pl.Scalar[pl.INT32], pl.Scalar[pl.FP32]]:
        n = pl.const(0, pl.INT32)
        last = pl.const(0.0, pl.FP32)
        for i in pl.range(from_row, 16):
            v = pl.read(x, [i, 0])
            if v > 0.0:
                n += 1
                last = v
        return n, last

    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, x: pl.Tensor[[16, 64], pl.FP32], by: pl.Scalar[pl.INT32], plus: pl.Scalar[pl.FP32],
              y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(pl.load(x) * pl.cast(by, pl.FP32) + plus, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def scalars_chip(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[3, 16, 64], pl.FP32]]):
        n, last = self.count(x, 0)
        self.scale(x, n, last, y[0])
        total = pl.const(0, pl.INT32)
        for i in pl.range(4):
            k, w = self.count(x, i * 4)
            if k > 2:
                total = total + k
            else:
                total = total - 1
        self.scale(x, total, 0.5, y[1])
        self.count(x, 3)
        best, high = self.count(x, 8)
        for i in pl.range(2):
            best, high = self.count(x, i)
        self.scale(x, best, high, y[2])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def scalars(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 3, 16, 64], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.scalars_chip(x[r], y[r], device=r)

    # Blocks that wait for each other, more of them than there are threads.
    @pl.function(type=pl.FunctionType.InCore)
    def chain(self, s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]], y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
        b = pl.tile.get_block_idx()
        n = pl.tile.get_block_num()
        me = pld.rank(pld.get_comm_ctx(s))
        if b + 1 < n:
            pld.system.wait(s, [b, 0], 1)
        if b > 0:
            pld.system.notify(s, me, [b - 1, 0], 1)
        y = pl.store(pl.full([1, 16], dtype=pl.FP32, value=2.0), [b, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def blocks_chip(self, s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]], count: pl.Scalar[pl.INDEX],
                    y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]):
        with pl.spmd(count, sync_start=True):
            self.chain(s, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def blocks(self, count: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 8, 16], pl.FP32]]):
        block_cells = pld.alloc_signal(8)
        for r in pl.range(pld.world_size()):
            self.blocks_chip(block_cells, count, y[r], device=r)

    # Tasks of different rounds all take the whole of `y`, and write different rows of it.
    @pl.function(type=pl.FunctionType.InCore)
    def row(self, x: pl.Tensor[[8, 64], pl.FP32], i: pl.Scalar[pl.INDEX], y: pl.InOut[pl.Tensor[[8, 64], pl.FP32]]):
        y = pl.store(pl.load(x, [i, 0], [1, 64]) * 3.0, [i, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def rounds_chip(self, x: pl.Tensor[[8, 64], pl.FP32], y: pl.InOut[pl.Tensor[[8, 64], pl.FP32]]):
        for i in pl.parallel(8):
            self.row(x, i, y)
        for i in pl.parallel(2):
            for j in pl.parallel(4):
                self.row(y, i * 4 + j, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def rounds(self, x: pl.Tensor[[NR, 8, 64], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 8, 64], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.rounds_chip(x[r], y[r], device=r)

    # Cells that an orchestration function reads, contexts as arguments of kernels.
    @pl.function(type=pl.FunctionType.InCore)
    def tell(self, ctx: pld.CommCtx, s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
        me = pld.rank(ctx)
        for peer in pl.range(pld.nranks(ctx)):
            pld.system.notify(s, peer, [me, 0], me + 5)
        for source in pl.range(pld.nranks(ctx)):
            pld.system.wait(s, [source, 0], 1)

    @pl.function(type=pl.FunctionType.InCore)
    def put_number(self, v: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[4], pl.INT32]]):
        y = pl.write(y, [0], v)

    @pl.function(type=pl.FunctionType.Orchestration)
    def cells_chip(self, s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], y: pl.Out[pl.Tensor[[4], pl.INT32]]):
        ctx = pld.get_comm_ctx(s)
        self.tell(ctx, s)
        self.put_number(pld.rank(ctx) * 100 + pld.nranks(ctx), y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def cells(self, y: pl.Out[pl.Tensor[[NR, 4], pl.INT32]]):
        tell_cells = pld.alloc_signal(pld.world_size())
        for r in pl.range(pld.world_size()):
            self.cells_chip(tell_cells, y[r], device=r)
