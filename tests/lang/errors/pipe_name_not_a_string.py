import tilewire.language as pl


@pl.jit.incore
def kernel():
    b = pl.import_peer_buffer(name=3, peer_func=4)
