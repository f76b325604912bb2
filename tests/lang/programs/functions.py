"""Functions that are made of other ops, on tiles and on tensors."""
import tilewire.language as pl


@pl.program
class Functions:
    @pl.function(type=pl.FunctionType.InCore)
    def tiles(self, x: pl.Tensor[[32, 64], pl.FP32], v: pl.Tensor[[32, 1], pl.FP32], r: pl.Tensor[[1, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(x)
        c = pl.load(v)
        w = pl.load(r)
        t = pl.silu(pl.gelu(t))
        t = pl.log1p(pl.softplus(t))
        t = pl.erf(pl.expm1(t))
        t = pl.lrelu(t)
        t = pl.lrelu(t, 0.25)
        t = pl.prelu(t, t)
        t = pl.clamp(t, -1.0, pl.fmod(t, 0.75))
        t = pl.where(t > 0.5, t, 0.5)
        t = pl.row_expand_expdif(t, c)
        t = pl.col_expand_expdif(t, w)
        t = pl.softmax(t)
        t = pl.rms_norm(t, w, eps=0.001)
        t = pl.layer_norm(t, w, w)
        t = t * pl.tile.tri([32, 64], 1)
        t = pl.cumsum(t, axis=0)
        t = pl.row_expand_mul(t, pl.row_prod(t))
        t = pl.col_expand_mul(t, pl.col_prod(t))
        t = pl.row_expand_add(t, pl.gemv(t, w, b_trans=True))
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def tensors(self, x: pl.Tensor[[100, 700], pl.FP16], v: pl.Tensor[[100, 1], pl.FP16],
                r: pl.Tensor[[1, 700], pl.FP16],
                y: pl.Out[pl.Tensor[[100, 700], pl.FP16]]) -> pl.Tensor[[100, 700], pl.FP16]:
        t = pl.silu(pl.gelu(x))
        t = pl.log1p(pl.softplus(t))
        t = pl.erf(pl.expm1(t))
        t = pl.lrelu(t, 0.25)
        t = pl.prelu(t, x)
        t = pl.clamp(t, -1.0, 2.0)
        t = pl.row_expand_expdif(t, v)
        t = pl.col_expand_expdif(t, r)
        t = pl.softmax(t)
        t = pl.rms_norm(t, r)
        t = pl.layer_norm(t, r, r)
        t = t * pl.tensor.tri([100, 700], upper=True, dtype=pl.FP16)
        t = pl.row_expand_mul(t, pl.row_prod(t))
        t = pl.col_expand_mul(t, pl.col_prod(t))
        t = pl.row_expand_add(t, pl.gemv(t, r, b_trans=True, out_dtype=pl.FP16))
        y[:, :] = t
        return y
