import tilewire.language as pl


@pl.jit.incore
def kernel():
    b = pl.import_peer_buffer(name="b", peer_func="")
