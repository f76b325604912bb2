"""put and get in all their forms, each followed by what makes it visible."""
# run: exchange ranks=1,2,3,4,8 row=3
# run: exchange ranks=1,2,3,4,8 row=3 hooks
# run: signalled ranks=1,2,4,8
# run: signalled ranks=1,2,4,8 hooks
# run: volumes ranks=1,2,3 n=5
# run: volumes ranks=1,2,3 n=5 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
N = pl.dynamic("N")


@pl.program
class Transfers:
    @pl.function(type=pl.FunctionType.InCore)
    def exchange_kernel(self, x: pl.Tensor[[64, 128], pl.FP32],
                        box: pl.InOut[pld.DistributedTensor[[3, 64, 128], pl.FP32]],
                        s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], row: pl.Scalar[pl.INDEX],
                        y: pl.Out[pl.Tensor[[2, 64, 128], pl.FP32]]):
        ctx = pld.get_comm_ctx(box)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        right = (me + 1) % n
        left = (me + n - 1) % n
        pld.tensor.put(box[0], right, x)
        pld.tensor.put(box[1], right, x, [row, 0], [0, 0], [8, 128])
        pld.tensor.put(box[1], right, x, dst_offsets=[row + 8, 0], src_offsets=[16, 64], shape=[8, 64], chunk_rows=4,
                       chunk_cols=32, pipeline=True)
        pld.tensor.put(box[2], right, x, atomic=pld.AtomicType.Add)
        pld.tensor.put(box[2], right, x, [0, 0], [0, 0], [16, 128], atomic="add")
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        y = pl.store(pl.load(box, [0, 0, 0], [1, 32, 128]), [0, 32, 0], y)
        y[0] = pld.tensor.get(y[0], left, box[1], [0, 0], [row, 0], [16, 128])
        y[0] = pld.tensor.get(y[0], me, box[2], dst_offsets=[16, 0], src_offsets=[0, 0], shape=[16, 128], chunk_rows=8,
                              pipeline=True)
        y[1] = pld.tensor.get(y[1], right, box[2])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def exchange(self, x: pl.Tensor[[NR, 64, 128], pl.FP32], row: pl.Scalar[pl.INDEX],
                 y: pl.Out[pl.Tensor[[NR, 2, 64, 128], pl.FP32]]):
        n = pld.world_size()
        exchange_box = pld.alloc_window([3, 64, 128], dtype=pl.FP32)
        exchange_cells = pld.alloc_signal(n)
        for r in pl.range(n):
            self.exchange_kernel(x[r], exchange_box, exchange_cells, row, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def signalled_kernel(self, x: pl.Tensor[[8, 32], pl.INT8],
                         box: pl.InOut[pld.DistributedTensor[[2, 8, 32], pl.INT8]],
                         s: pl.InOut[pld.DistributedTensor[[NR, 2], pl.INT32]],
                         y: pl.Out[pl.Tensor[[2, 8, 32], pl.INT8]]):
        ctx = pld.get_comm_ctx(box)
        me = pld.rank(ctx)
        right = (me + 1) % pld.nranks(ctx)
        left = (me + pld.nranks(ctx) - 1) % pld.nranks(ctx)
        pld.tensor.put(box[0], right, x, signal=s, at=[me, 0])
        pld.tensor.put(box[1], right, x, [0, 0], [4, 0], [4, 32], signal=s, at=[me, 0], value=2, op="add")
        pld.tensor.put(box[1], right, x, [4, 0], [0, 0], [4, 32], signal=s, at=[me, 1], value=me + 7, op="set")
        pld.system.wait(s, [left, 0], 3)
        y = pl.store(pl.load(box, [0, 0, 0], [1, 8, 32]), [0, 0, 0], y)
        pld.system.wait(s, [left, 1], 7)
        y = pl.store(pl.load(box, [1, 0, 0], [1, 8, 32]), [1, 0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def signalled(self, x: pl.Tensor[[NR, 8, 32], pl.INT8], y: pl.Out[pl.Tensor[[NR, 2, 8, 32], pl.INT8]]):
        n = pld.world_size()
        signalled_box = pld.alloc_window([2, 8, 32], dtype=pl.INT8)
        signalled_cells = pld.alloc_window([n, 2], dtype=pl.INT32)
        for r in pl.range(n):
            self.signalled_kernel(x[r], signalled_box, signalled_cells, y[r], device=r)

    # Rank 3, extents that only run time knows, created tensors.
    @pl.function(type=pl.FunctionType.InCore)
    def volume_kernel(self, x: pl.Tensor[[N, 6, 10], pl.FP16],
                      box: pl.InOut[pld.DistributedTensor[[N, 6, 10], pl.FP16]],
                      s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], n: pl.Scalar[pl.INDEX],
                      y: pl.Out[pl.Tensor[[N, 6, 10], pl.FP16]]):
        ctx = pld.get_comm_ctx(box)
        right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        pld.tensor.put(box, right, x, [0, 0, 0], [0, 0, 0], [n - 1, 6, 10])
        pld.tensor.put(box, right, x, [n - 1, 1, 2], [0, 0, 0], [1, 5, 8])
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        y = pld.tensor.get(y, right, box)
        pld.tensor.put(box, pld.rank(ctx), x, [0, 0, 0], [0, 0, 0], [n - 5, 6, 10])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def volumes(self, x: pl.Tensor[[NR, 5, 6, 10], pl.FP16], n: pl.Scalar[pl.INDEX],
                y: pl.Out[pl.Tensor[[NR, 5, 6, 10], pl.FP16]]):
        volume_box = pld.alloc_window([n, 6, 10], dtype=pl.FP16)
        volume_cells = pld.alloc_signal(pld.world_size())
        for r in pl.range(pld.world_size()):
            self.volume_kernel(x[r], volume_box, volume_cells, n, y[r], device=r)
