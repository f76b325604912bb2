"""Joins, manual scopes and scopes that free what they create, on several ranks."""
# run: graph ranks=1,2,4 n=3
# run: graph ranks=1,2,4 n=3 hooks
# run: freed ranks=1,2,3 n=20
# run: freed ranks=1,2,3 n=20 hooks
# run: held ranks=1,2,4
# run: held ranks=1,2,4 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.InCore)
    def plus(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[16, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(pl.load(a) + pl.load(b), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def doubled(self, x: pl.Tensor[[16, 64], pl.FP32]):
        t = pl.create_tensor([16, 64], dtype=pl.FP32)
        t = pl.store(pl.load(x) * 2.0, [0, 0], t)
        return t

    # A reduction tree by ids alone, and rounds that follow each other by data.
    @pl.function(type=pl.FunctionType.Orchestration)
    def graph_chip(self, x: pl.Tensor[[4, 16, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
                   y: pl.InOut[pl.Tensor[[2, 16, 64], pl.FP32]]):
        for i in pl.range(n):
            with pl.manual_scope():
                t = pl.create_tensor([4, 16, 64], dtype=pl.FP32)
                ids = pl.array.create(4, pl.TASK_ID)
                for k in pl.parallel(4):
                    with pl.spmd(1) as tid:
                        self.plus(x[k], y[0], t[k])
                    ids[k] = tid
                level = pl.task_join(deps=[ids])
                with pl.spmd(1, deps=[ids[0], ids[1]]) as left:
                    self.plus(t[0], t[1], y[1])
                with pl.spmd(1, deps=[level]) as right:
                    self.plus(t[2], t[3], t[2])
                both = pl.system.task_dummy(deps=[left, right])
                self.plus(y[1], t[2], y[0], deps=[both])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def graph(self, x: pl.Tensor[[NR, 4, 16, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
              y: pl.InOut[pl.Tensor[[NR, 2, 16, 64], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.graph_chip(x[r], n, y[r], device=r)

    # What a scope frees is used by tasks that are still to run; scalars that tasks give are read behind it.
    @pl.function(type=pl.FunctionType.InCore)
    def first(self, x: pl.Tensor[[16, 64], pl.FP32]):
        return pl.read(x, [0, 0])

    @pl.function(type=pl.FunctionType.InCore)
    def scale(self, x: pl.Tensor[[16, 64], pl.FP32], by: pl.Scalar[pl.FP32], y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(pl.load(y) * 0.5 + pl.load(x) * by, [0, 0], y)

    @pl.function(type=pl.FunctionType.Orchestration)
    def freed_chip(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
                   y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]]):
        by = pl.const(1.0, pl.FP32)
        for i in pl.range(n):
            with pl.scope():
                t = self.doubled(x)
                with pl.scope():
                    u = pl.tensor.full([16, 64], dtype=pl.FP32, value=0.25)
                    self.scale(u, by, y)
                    w = pl.create_tensor([16, 64], dtype=pl.FP32)
                    if i % 2 == 0:
                        w = self.plus(t, u, w)
                    else:
                        w = self.plus(u, u, w)
                    self.plus(w, pl.no_dep(x), y)
                    by = self.first(w)
            self.scale(x, by, y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def freed(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], n: pl.Scalar[pl.INDEX],
              y: pl.InOut[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.freed_chip(x[r], n, y[r], device=r)

    # A scope ends while a task that reads what it created still waits for a peer.
    @pl.function(type=pl.FunctionType.InCore)
    def take(self, t: pl.Tensor[[16, 64], pl.FP32], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        pld.system.wait(s, [0, 0], 1)
        y = pl.store(pl.load(t) + 1.0, [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def tell(self, s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
        ctx = pld.get_comm_ctx(s)
        pld.system.notify(s, (pld.rank(ctx) + 1) % pld.nranks(ctx), [0, 0], 1)

    @pl.function(type=pl.FunctionType.Orchestration)
    def held_chip(self, x: pl.Tensor[[16, 64], pl.FP32], s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
                  y: pl.Out[pl.Tensor[[2, 16, 64], pl.FP32]]):
        with pl.scope():
            t = self.doubled(x)
            with pl.spmd(1, ordered=False) as waits:
                self.take(t, s, y[0])
        with pl.scope():
            u = pl.tensor.full([16, 64], dtype=pl.FP32, value=9.0)
            self.plus(u, x, y[1])
        with pl.spmd(1, ordered=False):
            self.tell(s)
        done = pl.task_join(deps=[waits])
        with pl.spmd(1, deps=[done]):
            self.plus(y[1], x, y[1])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def held(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 2, 16, 64], pl.FP32]]):
        held_cells = pld.alloc_signal(1)
        for r in pl.range(pld.world_size()):
            self.held_chip(x[r], held_cells, y[r], device=r)
