"""Remote loads and stores: tiles and tensors, valid extents, atomic adds, parts of windows."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def remote(x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[4, 16, 64], pl.FP32]],
           peer: pl.Scalar[pl.INT32], rows: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    t = pl.load(x)
    pld.tile.remote_store(t, w, peer, [0, 0, 0])
    pld.tile.remote_store(t, w, peer, [1, 0, 0], atomic=pld.AtomicType.Add)
    pld.remote_store(t, w, peer, [2, 0, 0], atomic=pld.AtomicType.None_)
    pld.tensor.remote_store(x, w[3], peer, [0, 0])
    pld.remote_store(x, w[3], peer, [0, 0], atomic="add")
    part = w[1, 0:8, 0:32]
    back = pld.tile.remote_load(part, peer, [0, 0], [8, 32])
    ragged = pld.tile.remote_load(w, peer, [2, 0, 0], [1, 16, 64], valid_shape=[1, rows, 64])
    y = pl.store(ragged, [0, 0], y)
    y = pl.store(back, [0, 0], y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 16, 64], pl.FP32], rows: pl.Scalar[pl.INDEX],
         y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
    w = pld.alloc_window([4, 16, 64], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        remote(x[r], w, 0, rows, y[r], device=r)
