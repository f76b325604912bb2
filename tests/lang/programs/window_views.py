"""Window buffers: sizes in bytes and shapes, several views of one, staging from and to the host."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class WindowViews:
    @pl.function(type=pl.FunctionType.InCore)
    def shift(self, words: pl.InOut[pld.DistributedTensor[[1024], pl.INT32]],
              table: pld.DistributedTensor[[32, 32], pl.FP32],
              staged: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]]) -> pld.DistributedTensor[[16, 64], pl.FP32]:
        me = pld.rank(pld.get_comm_ctx(words))
        words = pl.write(words, [me], me)
        half = pl.load(table, [0, 0], [16, 32])
        staged = pl.store(half + pl.load(staged, [0, 0], [16, 32]), [0, 32], staged)
        return staged

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        n = pld.world_size()
        bytes_buf = pld.alloc_window_buffer(4096)
        grown_buf = pld.alloc_window_buffer(n * 64 + 64)
        shaped_buf = pld.alloc_window_buffer([16, 64], dtype=pl.FP32, load_from_host=x, store_to_host=y)
        words = pld.window(bytes_buf, [1024], dtype=pl.INT32)
        table = pld.window(bytes_buf, [32, 32], dtype=pl.FP32)
        cells = pld.window(grown_buf, [n, 16], dtype=pl.INT32)
        staged = pld.window(shaped_buf, [16, 64], dtype=pl.FP32)
        for r in pl.range(n):
            self.shift(words, table, staged, device=r)
        for r in pl.range(n):
            self.touch(cells, device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def touch(self, cells: pl.InOut[pld.DistributedTensor[[NR, 16], pl.INT32]]):
        ctx = pld.get_comm_ctx(cells)
        pld.system.notify(cells, pld.rank(ctx), [pld.rank(ctx), 0], 1)
