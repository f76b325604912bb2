"""Tiled matrix product: cube tiles moved through Mat, Left and Right, accumulated over K in a software pipeline."""
import tilewire.language as pl

M = 256
K = 2 * M
N = 256
TM = 64
TN = 64
TK = 128


@pl.program
class Gemm:
    @pl.function(type=pl.FunctionType.InCore)
    def block(self, a: pl.Tensor[[M, K], pl.FP16], b: pl.Tensor[[K, N], pl.FP16], row: pl.Scalar[pl.INDEX],
              col: pl.Scalar[pl.INDEX], c: pl.Out[pl.Tensor[[M, N], pl.FP32]]) -> pl.Tensor[[M, N], pl.FP32]:
        a_mat = pl.load(a, [row, 0], [TM, TK], target_memory=pl.Mem.Mat)
        b_mat = pl.load(b, [0, col], [TK, TN], target_memory=pl.Mem.Mat)
        acc = pl.matmul(pl.move(a_mat, target_memory=pl.Mem.Left), pl.move(b_mat, target_memory=pl.Mem.Right))
        for k in pl.pipeline(TK, K, TK, stage=2):
            a_next = pl.load(a, [row, k], [TM, TK], target_memory=pl.Mem.Mat)
            b_next = pl.load(b, [k, col], [TK, TN], target_memory=pl.Mem.Mat)
            left = pl.move(a_next, target_memory=pl.MemorySpace.Left)
            right = pl.move(b_next, target_memory=pl.MemorySpace.Right)
            acc = pl.matmul_acc(acc, left, right)
        c = pl.store(acc, [row, col], c)
        return c

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[M, K], pl.FP16], b: pl.Tensor[[K, N], pl.FP16],
             c: pl.Out[pl.Tensor[[M, N], pl.FP32]]) -> pl.Tensor[[M, N], pl.FP32]:
        for row in pl.parallel(0, M, TM):
            for col in pl.parallel(0, N, TN):
                c = self.block(a, b, row, col, c)
        return c
