import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def send(w: pld.DistributedTensor[[16, 16], pl.FP32]):
    t = pl.load(w)


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(1024)
    send(buf, device=0)
