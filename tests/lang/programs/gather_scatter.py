"""Elements picked along an axis and put back where they came from."""
import tilewire.language as pl


@pl.program
class Picking:
    @pl.function(type=pl.FunctionType.InCore)
    def on_tiles(self, table: pl.Tensor[[32, 64], pl.FP32], index: pl.Tensor[[32, 16], pl.INT32],
                 out: pl.Out[pl.Tensor[[32, 16], pl.FP32]],
                 back: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tuple[pl.Tensor[[32, 16], pl.FP32],
                                                                          pl.Tensor[[32, 64], pl.FP32]]:
        rows = pl.load(table)
        ids = pl.load(index)
        picked = pl.gather(rows, ids)
        out = pl.store(picked, [0, 0], out)
        columns = pl.reshape(pl.load(index), [8, 64])
        first = pl.gather(rows, columns, axis=0)
        spread = pl.scatter(pl.load(back), ids, picked)
        spread = pl.scatter(spread, columns, first, axis=0)
        back = pl.store(spread, [0, 0], back)
        return out, back

    @pl.function(type=pl.FunctionType.Opaque)
    def on_tensors(self, table: pl.Tensor[[32, 64], pl.FP32], index: pl.Tensor[[32, 16], pl.INT32],
                   back: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            picked = pl.tensor.gather(table, index)
            back = pl.tensor.scatter(back, index, picked, axis=-1)
        return back
