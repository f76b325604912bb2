"""Parts of tiles read, written and moved: extract, assemble, slice, concat, transpose, reshape."""
import tilewire.language as pl


@pl.program
class TileParts:
    @pl.function(type=pl.FunctionType.InCore)
    def shuffle(self, x: pl.Tensor[[32, 64], pl.FP32], shift: pl.Scalar[pl.INDEX],
                y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(x)
        top = t[0:16, 0:64]
        bottom = pl.extract(t, [16, 64], [shift, 0])
        t[0:16, 0:64] = bottom
        t = pl.tile.assemble(t, top, [16, 0])
        left = pl.tile.slice(t, [32, 32], [0, 0])
        right = t[:, 32:64]
        swapped = pl.concat([right, left], axis=1)
        turned = pl.transpose(swapped)
        back = pl.reshape(turned, [32, 64])
        corner = pl.read(back, [0, 0])
        rows = pl.dim(back, 0)
        back = pl.tile.write(back, [rows - 1, 63], corner)
        y = pl.store(back, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Opaque)
    def on_tensors(self, x: pl.Tensor[[32, 64], pl.FP32],
                   y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="shape ops"):
            part = pl.tensor.slice(x, [16, 64], [8, 0])
            flat = pl.tensor.reshape(part, [1, -1])
            square = pl.tensor.slice(pl.tensor.reshape(flat, [32, 32]), [16, 32], [8, 0])
            turned = pl.tensor.transpose(square)
            both = pl.tensor.concat([turned, turned], axis=1)
            y = pl.tensor.assemble(y, both, [16, 0])
        return y
