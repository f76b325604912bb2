"""Host functions: control, sizes, views of one buffer, staging, groups of some ranks, slices as arguments."""
# run: control ranks=1,2,5 steps=3 quick=0
# run: control ranks=1,2,5 steps=4 quick=1
# run: views ranks=1,2,4
# run: views ranks=1,2,4 hooks
# run: staged ranks=1,2,3
# run: staged_apart ranks=3
# run: pairs ranks=4
# run: pairs ranks=4 hooks
# run: parts ranks=1,2,3
# run: plain_views ranks=1,2
# run: chosen ranks=1,2 quick=0
# run: chosen ranks=1,2 quick=1
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = pl.dynamic("ROWS")


@pl.program
class Hosts:
    @pl.function(type=pl.FunctionType.InCore)
    def work(self, x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             step: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        w = pl.store(pl.load(w) + pl.load(x) * pl.cast(step + 1, pl.FP32), [0, 0], w)
        y = pl.store(pl.load(w), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def control(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], steps: pl.Scalar[pl.INT64], quick: pl.Scalar[pl.BOOL],
                y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        n = pld.world_size()
        if quick:
            rounds = steps // 2
        else:
            if n > 4:
                rounds = steps + n
            else:
                rounds = steps
        control_box = pld.alloc_window([16, 64], dtype=pl.FP32)
        for step in pl.range(rounds):
            for r in pl.range(n):
                self.work(x[r], control_box, step, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def two_views(self, words: pl.InOut[pld.DistributedTensor[[1024], pl.INT32]],
                  table: pld.DistributedTensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(words))
        words = pl.write(words, [me + 3], 1065353216)
        y = pl.store(pl.load(table), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def views(self, y: pl.Out[pl.Tensor[[NR, 32, 32], pl.FP32]]):
        n = pld.world_size()
        bytes_buf = pld.alloc_window_buffer(4096 + n * 64 - n * 64)
        words = pld.window(bytes_buf, [1024], dtype=pl.INT32)
        table = pld.window(bytes_buf, [32, 32], dtype=pl.FP32)
        for r in pl.range(n):
            self.two_views(words, table, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def stage_kernel(self, w: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]]):
        w = pl.store(pl.load(w) * 2.0 + 1.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def staged(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        staged_buf = pld.alloc_window_buffer([16, 64], dtype=pl.FP32, load_from_host=x, store_to_host=y)
        w = pld.window(staged_buf, [16, 64], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.stage_kernel(w, device=r)

    # Rows of ranks outside a buffer's group are neither copied in nor out.
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def staged_apart(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        first = pld.alloc_window_buffer([16, 64], dtype=pl.FP32, load_from_host=x, store_to_host=y)
        second = pld.alloc_window_buffer([16, 64], dtype=pl.FP32, load_from_host=x, store_to_host=y)
        first_window = pld.window(first, [16, 64], dtype=pl.FP32)
        second_window = pld.window(second, [16, 64], dtype=pl.FP32)
        self.stage_kernel(first_window, device=1)
        self.stage_kernel(second_window, device=0)

    @pl.function(type=pl.FunctionType.InCore)
    def meet_pair(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
                  s: pl.InOut[pld.DistributedTensor[[2], pl.INT32]], x: pl.Tensor[[1, 64], pl.FP32],
                  y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        ctx = pld.get_comm_ctx(w)
        me = pld.rank(ctx)
        w = pl.store(pl.load(x), [0, 0], w)
        pld.system.notify(s, 1 - me, [0], pld.nranks(ctx))
        pld.system.wait(s, [0], 2)
        y = pl.store(pld.tile.remote_load(w, 1 - me, [0, 0], [1, 64]), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def pairs(self, x: pl.Tensor[[4, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 1, 64], pl.FP32]]):
        low = pld.alloc_window([1, 64], dtype=pl.FP32)
        low_cells = pld.alloc_window([2], dtype=pl.INT32)
        high = pld.alloc_window([1, 64], dtype=pl.FP32)
        high_cells = pld.alloc_window([2], dtype=pl.INT32)
        for r in pl.range(2):
            self.meet_pair(low, low_cells, x[r], y[r], device=r)
        for r in pl.range(2, 4):
            self.meet_pair(high, high_cells, x[r], y[r], device=r)

    # Parts of windows and of arguments, with strides of their own.
    @pl.function(type=pl.FunctionType.InCore)
    def part_kernel(self, x: pl.Tensor[[4, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]],
                    y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        w = pl.store(pl.load(x), [0, 0], w)
        y = pl.store(pld.tile.remote_load(w, me, [0, 0], [4, 8]), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def parts(self, x: pl.Tensor[[NR, 16, 32], pl.FP32], y: pl.Out[pl.Tensor[[NR, 16, 32], pl.FP32]]):
        part_box = pld.alloc_window([3, 16, 32], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            for i in pl.range(3):
                self.part_kernel(x[r, i * 4:i * 4 + 4, 8:16], part_box[i, 2:6, 16:24], y[r, i * 5:i * 5 + 4, 3:11],
                                 device=r)

    # A window where a plain tensor is wanted.
    @pl.function(type=pl.FunctionType.InCore)
    def plain_kernel(self, x: pl.Tensor[[4, 64], pl.FP32], t: pl.InOut[pl.Tensor[[4, 64], pl.FP32]],
                     y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):
        t = pl.store(pl.load(x) + pl.load(t), [0, 0], t)
        y = pl.store(pl.load(t), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def plain_views(self, x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
        plain_box = pld.alloc_window([2, 4, 64], dtype=pl.FP32)
        for i in pl.range(2):
            for r in pl.range(pld.world_size()):
                self.plain_kernel(x[r], plain_box[1], y[r], device=r)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def chosen(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], quick: pl.Scalar[pl.BOOL],
               y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        a = pld.alloc_window([16, 64], dtype=pl.FP32)
        n = pld.world_size()
        if quick:
            count = 1
        else:
            count = 2
        for i in pl.range(count):
            for r in pl.range(n):
                self.work(x[r], a, i, y[r], device=r)
