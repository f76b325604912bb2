"""Signals: every notify op, comparison and form; whatever order the ranks run in, the results are the same."""
# run: forms ranks=1,2,3,4,8 credit=7
# run: forms ranks=1,2,3,4,8 credit=7 hooks
# run: slots ranks=1,2,3,4,8
# run: slots ranks=1,2,3,4,8 hooks
# run: polling ranks=1,2,3,4,8
# run: polling ranks=1,2,3,4,8 hooks
# run: everybody ranks=1,2,3,4,8
# run: everybody ranks=1,2,3,4,8 hooks
# run: ping_pong ranks=2,4,8 rounds=50
# run: ping_pong ranks=2,4,8 rounds=50 hooks
# run: chosen_slots ranks=2,4 rounds=6
# run: chosen_slots ranks=2,4 rounds=6 hooks
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Signals:
    @pl.function(type=pl.FunctionType.InCore)
    def form(self, t: pl.InOut[pld.DistributedTensor[[8], pl.INT32]], credit: pl.Scalar[pl.INT64],
             out: pl.Out[pl.Tensor[[8], pl.INT32]]):
        ctx = pld.get_comm_ctx(t)
        me = pld.rank(ctx)
        peer = (me + 1) % pld.nranks(ctx)
        pld.system.notify(t, peer, [0], 5, op=pld.NotifyOp.Set)
        pld.system.notify(t, peer, [1], -1, op=pld.NotifyOp.AtomicAdd)
        pld.system.notify(t, peer, [2], credit, op="add")
        pld.system.notify(t, me, [3], me * 2 + 1, op="set")
        out = pl.write(out, [0], pld.system.wait(t, [0], 5, cmp=pld.WaitCmp.Eq))
        out = pl.write(out, [1], pld.system.wait(t, [1], 0, cmp=pld.WaitCmp.Ne))
        out = pl.write(out, [2], pld.system.wait(t, [1], 0, cmp="lt"))
        out = pl.write(out, [3], pld.system.wait(t, [1], -1, cmp=pld.WaitCmp.Le))
        out = pl.write(out, [4], pld.system.wait(t, [2], credit - 1, cmp="gt"))
        out = pl.write(out, [5], pld.system.wait(t, [3], 1))
        if pld.system.test(t, [0], 5, cmp="eq"):
            out = pl.write(out, [6], pl.read(t, [0]))
        # Taking credits back.
        pld.system.notify(t, me, [2], -credit)
        out = pl.write(out, [7], pld.system.wait(t, [2], 0, cmp="le"))

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def forms(self, credit: pl.Scalar[pl.INT64], out: pl.Out[pl.Tensor[[NR, 8], pl.INT32]]):
        form_cells = pld.alloc_window([8], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.form(form_cells, credit, out[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def slot(self, signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
             seen: pl.Out[pl.Tensor[[NR], pl.INT32]]):
        ctx = pld.get_comm_ctx(signal)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        for peer in pl.range(n):
            there = pld.peer_slot(signal, peer, [me, 0])
            pl.tile.comm_notify(there, me + 3, op="atomic_add")
        for source in pl.range(n):
            own = signal[source:source + 1, 0:1]
            value = pl.tile.comm_wait(own, 1, cmp="gt")
            if pl.tile.comm_test(own, 0, cmp="ne"):
                seen = pl.write(seen, [source], value)
        pl.tile.comm_notify(signal[me:me + 1, 0], 99, op="set")
        pl.tile.comm_wait(signal[me:me + 1, 0], 99, cmp="eq")

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def slots(self, seen: pl.Out[pl.Tensor[[NR, NR], pl.INT32]]):
        slot_cells = pld.alloc_signal(pld.world_size())
        for r in pl.range(pld.world_size()):
            self.slot(slot_cells, seen[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def poll(self, signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
             data: pl.InOut[pld.DistributedTensor[[4, 32], pl.FP32]], x: pl.Tensor[[4, 32], pl.FP32],
             y: pl.Out[pl.Tensor[[4, 32], pl.FP32]]):
        ctx = pld.get_comm_ctx(signal)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        pld.tile.remote_store(pl.load(x), data, (me + 1) % n, [0, 0])
        pld.system.notify(signal, (me + 1) % n, [me, 0], 1)
        left = (me + n - 1) % n
        while not pld.system.test(signal, [left, 0], 1):
            pass
        y = pl.store(pl.load(data), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def polling(self, x: pl.Tensor[[NR, 4, 32], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 32], pl.FP32]]):
        poll_cells = pld.alloc_signal(pld.world_size())
        poll_data = pld.alloc_window([4, 32], dtype=pl.FP32)
        for r in pl.range(pld.world_size()):
            self.poll(poll_cells, poll_data, x[r], y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def all_of_them(self, s: pl.InOut[pld.DistributedTensor[[2, NR], pl.INT32]],
                    out: pl.Out[pl.Tensor[[2, NR], pl.INT32]]):
        # The cells of the second row, counted row by row, belong to nobody.
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        pld.system.notify_all(s, value=2)
        pld.system.wait_all(s, 3)
        for i in pl.range(2):
            for j in pl.range(pl.dim(s, 1)):
                out = pl.write(out, [i, j], pl.read(s, [i, j]))

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def everybody(self, out: pl.Out[pl.Tensor[[NR, 2, NR], pl.INT32]]):
        n = pld.world_size()
        all_cells = pld.alloc_window([2, n], dtype=pl.INT32)
        for r in pl.range(n):
            self.all_of_them(all_cells, out[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def bounce(self, ball: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
               turn: pl.InOut[pld.DistributedTensor[[2], pl.INT32]], rounds: pl.Scalar[pl.INDEX],
               x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(ball))
        other = me + 1 - me % 2 * 2
        if me % 2 == 0:
            ball = pl.store(pl.load(x), [0, 0], ball)
            pld.system.notify(turn, me, [0], 1)
        for i in pl.range(rounds):
            pld.system.wait(turn, [0], i + 1)
            t = pl.load(ball) + pl.load(x)
            pld.tile.remote_store(t, ball, other, [0, 0])
            pld.system.notify(turn, other, [0], 1)
            if me % 2 == 0:
                # This rank started with a turn of its own.
                pld.system.wait(turn, [0], i + 2)
        y = pl.store(pl.load(ball), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def ping_pong(self, rounds: pl.Scalar[pl.INDEX], x: pl.Tensor[[NR, 1, 64], pl.FP32],
                  y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
        ball = pld.alloc_window([1, 64], dtype=pl.FP32)
        turn = pld.alloc_window([2], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            self.bounce(ball, turn, rounds, x[r], y[r], device=r)

    @pl.function(type=pl.FunctionType.InCore)
    def chosen_slot(self, signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                    rounds: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[1], pl.INT32]]):
        ctx = pld.get_comm_ctx(signal)
        me = pld.rank(ctx)
        right = (me + 1) % pld.nranks(ctx)
        # A slot that a branch chooses and a loop carries: the own one or the one of a peer.
        a = pld.peer_slot(signal, right, [me, 0])
        b = pld.peer_slot(signal, me, [me, 0])
        for i in pl.range(rounds):
            pl.tile.comm_notify(a, 1)
            a, b = b, a
        if rounds > 100:
            c = a
        else:
            c = b
        pl.tile.comm_notify(c, 10)
        left = (me + pld.nranks(ctx) - 1) % pld.nranks(ctx)
        pl.tile.comm_wait(signal[left:left + 1, 0], 3)
        out = pl.write(out, [0], pld.system.wait(signal, [me, 0], 13))

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def chosen_slots(self, rounds: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[NR, 1], pl.INT32]]):
        chosen_cells = pld.alloc_signal(pld.world_size())
        for r in pl.range(pld.world_size()):
            self.chosen_slot(chosen_cells, rounds, out[r], device=r)
