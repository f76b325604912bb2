import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def send(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pl.load(w)


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    send(x)
