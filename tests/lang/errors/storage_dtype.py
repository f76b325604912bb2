import tilewire.language as pl


@pl.jit.incore
def kernel():
    t = pl.tile.create([16, 16], dtype=pl.TASK_ID)
