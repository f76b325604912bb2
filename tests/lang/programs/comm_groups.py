"""Groups written out: two pairs of ranks with windows of their own, and one window of all."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Groups:
    pld.comm_group(devices=[0, 1], slots=["low_buf", "low_signal_buf"])
    pld.comm_group(devices=[2, 3], slots=["high_buf"])

    @pl.function(type=pl.FunctionType.InCore)
    def low(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
            s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        w = pld.tensor.allreduce(w, s)
        y[...] = pl.load(w)

    @pl.function(type=pl.FunctionType.InCore)
    def high(self, w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        t = pld.tile.remote_load(w, 1 - me, [0, 0], [1, 64])
        y = pl.store(t, [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, y: pl.Out[pl.Tensor[[4, 1, 64], pl.FP32]]):
        low_buf = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        low_signal_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
        high_buf = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
        low = pld.window(low_buf, [1, 64], dtype=pl.FP32)
        low_signal = pld.window(low_signal_buf, [2, 1], dtype=pl.INT32)
        high = pld.window(high_buf, [1, 64], dtype=pl.FP32)
        for r in pl.range(2):
            self.low(low, low_signal, y[r], device=r)
        for r in pl.range(2, 4):
            self.high(high, y[r], device=r)
