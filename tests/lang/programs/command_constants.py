# run: tilewire print %s -D ROWS=128 -D DTYPE=pl.BF16 -D SCALE=0.5 -D FUSED=True -D NAME="'fast path'"
"""Constants given on the command line: ints, dtypes, floats, bools, strings."""
import tilewire.language as pl

COLS = ROWS // 2
TILE_ROWS = min(ROWS, 16)


@pl.program
class Configured:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[ROWS, COLS], DTYPE],
             y: pl.Out[pl.Tensor[[ROWS, COLS], DTYPE]]) -> pl.Tensor[[ROWS, COLS], DTYPE]:
        for r in pl.parallel(0, ROWS, TILE_ROWS):
            with pl.at(level=pl.Level.CORE_GROUP, name_hint=NAME):
                t = pl.load(x, [r, 0], [TILE_ROWS, COLS])
                if FUSED:
                    t = pl.exp(t) * SCALE
                else:
                    t = pl.not_a_function(t)
                y = pl.store(t, [r, 0], y)
        return y
