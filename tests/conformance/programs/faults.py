"""What only run time can know goes wrong: the message and the line are those of the interpreter."""
# fails: load_peer TW2110 36 ranks=1,2,4 bad=9 big=4294967296
# fails: load_peer TW2110 36 ranks=1,2,4 hooks bad=9 big=4294967296
# fails: load_region TW2102 49 ranks=2 bad=9 big=4294967296
# fails: store_peer TW2110 62 ranks=2 bad=9 big=4294967296
# fails: store_peer TW2110 62 ranks=2 hooks bad=9 big=4294967296
# fails: store_region TW2102 74 ranks=2 bad=9 big=4294967296
# fails: store_region TW2102 74 ranks=2 hooks bad=9 big=4294967296
# fails: put_region TW2102 86 ranks=2 bad=9 big=4294967296
# fails: put_extents TW2107 98 ranks=2 bad=9 big=4294967296
# fails: get_peer TW2110 110 ranks=2 bad=9 big=4294967296
# fails: notify_peer TW2110 122 ranks=2 bad=9 big=4294967296
# fails: notify_peer TW2110 122 ranks=2 hooks bad=9 big=4294967296
# fails: notify_cell TW2101 134 ranks=2 bad=9 big=4294967296
# fails: notify_value TW2104 146 ranks=2 bad=9 big=4294967296
# fails: wait_cell TW2101 158 ranks=2 bad=9 big=4294967296
# fails: wait_value TW2104 170 ranks=2 bad=9 big=4294967296
# fails: slot_peer TW2110 182 ranks=2 bad=9 big=4294967296
# fails: all_cells TW2101 194 ranks=3 bad=9 big=4294967296
# fails: put_signal TW2101 206 ranks=2 bad=9 big=4294967296
# fails: device TW2127 218 ranks=1,2 bad=9 big=4294967296
# fails: no_bytes TW2128 230 ranks=2 bad=9 big=4294967296
# fails: view TW2129 238 ranks=2 bad=9 big=4294967296
# fails: host_slice TW2102 245 ranks=2 bad=9 big=4294967296
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Faults:
    @pl.function(type=pl.FunctionType.InCore)
    def k_load_peer(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        t = pld.tile.remote_load(w, bad, [0, 0], [4, 16])
        y = pl.store(t, [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def load_peer(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_load_peer = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_load_peer = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_load_peer(w_load_peer, s_load_peer, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_load_region(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        t = pld.tile.remote_load(w, 0, [bad, 0], [4, 16])
        y = pl.store(t, [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def load_region(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_load_region = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_load_region = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_load_region(w_load_region, s_load_region, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_store_peer(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.tile.remote_store(pl.load(w), w, bad, [0, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def store_peer(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_store_peer = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_store_peer = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_store_peer(w_store_peer, s_store_peer, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_store_region(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.tile.remote_store(pl.load(w), w, 0, [0, bad])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def store_region(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_store_region = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_store_region = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_store_region(w_store_region, s_store_region, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_put_region(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.tensor.put(w, 0, w, [bad, 0], [0, 0], [4, 16])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def put_region(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_put_region = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_put_region = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_put_region(w_put_region, s_put_region, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_put_extents(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.tensor.put(w, 0, pl.slice(w, [bad - 7, 16], [0, 0]))

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def put_extents(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_put_extents = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_put_extents = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_put_extents(w_put_extents, s_put_extents, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_get_peer(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        w = pld.tensor.get(w, bad, w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def get_peer(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_get_peer = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_get_peer = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_get_peer(w_get_peer, s_get_peer, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_notify_peer(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.system.notify(s, bad, [0, 0], 1)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def notify_peer(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_notify_peer = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_notify_peer = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_notify_peer(w_notify_peer, s_notify_peer, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_notify_cell(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.system.notify(s, 0, [bad, 0], 1)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def notify_cell(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_notify_cell = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_notify_cell = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_notify_cell(w_notify_cell, s_notify_cell, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_notify_value(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.system.notify(s, 0, [0, 0], big)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def notify_value(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_notify_value = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_notify_value = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_notify_value(w_notify_value, s_notify_value, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_wait_cell(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.system.wait(s, [bad, 0], 1)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def wait_cell(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_wait_cell = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_wait_cell = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_wait_cell(w_wait_cell, s_wait_cell, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_wait_value(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.system.wait(s, [0, 0], big + 1, cmp="lt")

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def wait_value(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_wait_value = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_wait_value = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_wait_value(w_wait_value, s_wait_value, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_slot_peer(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pl.tile.comm_notify(pld.peer_slot(s, bad, [0, 0]), 1)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def slot_peer(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_slot_peer = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_slot_peer = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_slot_peer(w_slot_peer, s_slot_peer, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_all_cells(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.system.notify_all(s)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def all_cells(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_all_cells = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_all_cells = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_all_cells(w_all_cells, s_all_cells, bad, big, y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def k_put_signal(self, w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
              bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        pld.tensor.put(w, 0, w, [0, 0], [0, 0], [4, 16], signal=s, at=[bad, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def put_signal(self, bad: pl.Scalar[pl.INDEX], big: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        w_put_signal = pld.alloc_window([4, 16], dtype=pl.FP32)
        s_put_signal = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.k_put_signal(w_put_signal, s_put_signal, bad, big, y[r], device=r)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def device(self, bad: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        for r in pl.range(bad):
            self.fill(y[0], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        y = pl.store(pl.full([4, 16], dtype=pl.FP32, value=1.0), [0, 0], y)

    @pl.function(type=pl.FunctionType.InCore)
    def look(self, w: pld.DistributedTensor[[4, 16], pl.FP32], y: pl.Out[pl.Tensor[[4, 16], pl.FP32]]):
        y = pl.store(pl.load(w), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def no_bytes(self, bad: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        empty_buf = pld.alloc_window_buffer(bad - 9)
        w = pld.window(empty_buf, [4, 16], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.look(w, y[r], device=r)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def view(self, bad: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        small_buf = pld.alloc_window_buffer(bad * 16)
        w = pld.window(small_buf, [4, 16], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.look(w, y[r], device=r)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host_slice(self, bad: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[NR, 4, 16], pl.FP32]]):
        for r in pl.range(pld.world_size()):
            self.fill(y[r + bad], device=r)


# Found before any rank starts:
# refused: all_cells
# refused: no_bytes
# refused: view
