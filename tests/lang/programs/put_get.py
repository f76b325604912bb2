"""put and get in all their forms: whole tensors, regions, chunks, pipelined, atomic, with a signal."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class PutGet:
    @pl.function(type=pl.FunctionType.InCore)
    def exchange(self, x: pl.Tensor[[64, 128], pl.FP32], box: pl.InOut[pld.DistributedTensor[[64, 128], pl.FP32]],
                 signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], row: pl.Scalar[pl.INDEX],
                 y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]) -> pl.Tensor[[64, 128], pl.FP32]:
        ctx = pld.get_comm_ctx(box)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        right = (me + 1) % n
        left = (me + n - 1) % n
        pld.tensor.put(box, right, x)
        pld.tensor.put(box, right, x, [row, 0], [0, 0], [8, 128])
        pld.tensor.put(box, right, x, dst_offsets=[8, 0], src_offsets=[16, 64], shape=[8, 64], chunk_rows=4,
                       chunk_cols=32, pipeline=True)
        pld.tensor.put(box, right, x, atomic=pld.AtomicType.Add)
        pld.tensor.put(box, right, x, [0, 0], [0, 0], [16, 128], signal=signal, at=[me, 0], value=2, op="add")
        pld.tensor.put(box, right, x, signal=signal, at=[me, 0])
        pld.system.wait(signal, [left, 0], 3)
        y = pld.tensor.get(y, left, box)
        y = pld.tensor.get(y, left, box, [0, 0], [row, 0], [8, 128])
        y = pld.tensor.get(y, me, box, dst_offsets=[32, 0], src_offsets=[0, 0], shape=[32, 128], chunk_rows=8,
                           pipeline=True)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 64, 128], pl.FP32], row: pl.Scalar[pl.INDEX],
             y: pl.Out[pl.Tensor[[NR, 64, 128], pl.FP32]]):
        n = pld.world_size()
        box = pld.alloc_window([64, 128], dtype=pl.FP32)
        signal = pld.alloc_signal(n)
        for r in pl.range(n):
            self.exchange(x[r], box, signal, row, y[r], device=r)
