"""Hand-split kernel, cube to vector: the AIC half multiplies, the AIV half applies the activation."""
import tilewire.language as pl


@pl.program
class CubeToVector:
    @pl.function(type=pl.FunctionType.AIC)
    def multiply(self, a: pl.Tensor[[128, 64], pl.FP16], b: pl.Tensor[[64, 64], pl.FP16]):
        peer = pl.import_peer_buffer(name="c2v", peer_func=self.activate)
        pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=4096)
        right = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        for i in pl.range(0, 128, 16):
            left = pl.load(a, [i, 0], [16, 64], target_memory=pl.Mem.Mat)
            product = pl.matmul(left, right)
            pl.tpush_to_aiv(product, split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def activate(self, out: pl.Out[pl.Tensor[[128, 64], pl.FP32]]) -> pl.Tensor[[128, 64], pl.FP32]:
        buffer = pl.reserve_buffer(name="c2v", size=32768, base=pl.AUTO)
        pl.aiv_initialize_pipe(buffer, pl.const(0, pl.INT32), dir_mask=1, slot_size=4096, id=0)
        for i in pl.range(0, 128, 16):
            t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
            out = pl.store(pl.sigmoid(t) * t, [i, 0], out)
            pl.tfree_to_aic(t)
        return out

    @pl.function(type=pl.FunctionType.Group)
    def silu_gemm(self, a: pl.Tensor[[128, 64], pl.FP16], b: pl.Tensor[[64, 64], pl.FP16],
                  out: pl.Out[pl.Tensor[[128, 64], pl.FP32]]) -> pl.Tensor[[128, 64], pl.FP32]:
        self.multiply(a, b)
        out = self.activate(out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[128, 64], pl.FP16], b: pl.Tensor[[64, 64], pl.FP16],
             out: pl.Out[pl.Tensor[[128, 64], pl.FP32]]) -> pl.Tensor[[128, 64], pl.FP32]:
        out = self.silu_gemm(a, b, out)
        return out
