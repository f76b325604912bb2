import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window([16, 16], dtype=pl.FP32)
    t = pld.tile.remote_load(w, 0, [0, 0], [16, 16])
