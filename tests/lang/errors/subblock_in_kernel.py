import tilewire.language as pl


@pl.jit.incore
def kernel():
    lanes = pl.tile.get_subblock_num()
