import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit
def main():
    n = pld.world_size()
