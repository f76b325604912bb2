"""Tasks ordered by hand: ids from scopes, arrays of ids, tasks without dependency tracking."""
import tilewire.language as pl

PARTS = 4


@pl.program
class TaskGraph:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, part: pl.Scalar[pl.INDEX], x: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[
            [64, 64], pl.FP32]:
        t = pl.load(x, [part * 16, 0], [16, 64])
        x = pl.store(t + 1.0, [part * 16, 0], x)
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tuple[
            pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        done = pl.array.create(PARTS, pl.TASK_ID)
        for p in pl.range(PARTS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint="part") as tid:
                t = pl.load(pl.no_dep(x), [p * 16, 0], [16, 64])
                x = pl.store(t * 2.0, [p * 16, 0], pl.no_dep(x))
            done[p] = tid
        none = pl.no_task()
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="all parts", deps=[done, none]) as last:
            y[...] = pl.load(x)
        x = self.fill(0, x, deps=[last])
        x = self.fill(1, pl.no_dep(x), deps=[done[1], last])
        with pl.spmd(4, name_hint="tail", deps=[last], ordered=False) as tail:
            b = pl.tile.get_block_idx()
            y = pl.store(pl.load(y, [b * 16, 0], [16, 64]), [b * 16, 0], y)
        x = self.fill(2, x, deps=[tail])
        return x, y
