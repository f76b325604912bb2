"""Regions that are outside a tensor in every run: native code and the interpreter say the same numbers.

The valid extent of a tile is not part of its type, so a program that states it is not refused when it is read.
"""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl

STORES = {
    "w = pl.store(t, [0, 0], w)": "elements 0 to 15 are outside dimension 0, which has extent 8",
    "w = pl.store(t, [4, 0], w)": "elements 4 to 19 are outside dimension 0, which has extent 8",
    "w = pl.store(t, [0, 32], w)": "elements 0 to 15 are outside dimension 0, which has extent 8",
    "pl.store(t, [0, 0], w, atomic='add')": "elements 0 to 15 are outside dimension 0, which has extent 8",
    "w = pl.store(h, [0, 32], w)": "elements 32 to 95 are outside dimension 1, which has extent 64",
    "w = pl.tensor.assemble(w, t, [0, 0])": "elements 0 to 15 are outside dimension 0, which has extent 8",
    "pld.tile.remote_store(t, w, 0, [0, 0])": "elements 0 to 15 are outside dimension 0, which has extent 8",
    "pld.tile.remote_store(h, w, 0, [1, 0])": "elements 1 to 8 are outside dimension 0, which has extent 8",
    "pld.tile.remote_store(t, w, 0, [0, 0], atomic='add')": "elements 0 to 15 are outside dimension 0, which has extent 8",
}
PROGRAM = """
import tilewire.language as pl
import tilewire.language.distributed as pld

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def chip(self, x: pl.Tensor[[16, 64], pl.FP32], w: pl.InOut[pld.DistributedTensor[[8, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 64], valid_shape=[16, 64])
        h = pl.load(x, [0, 0], [8, 64], valid_shape=[8, 64])
        {store}

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32]):
        w = pld.alloc_window([8, 64], dtype=pl.FP32)
        self.chip(x, w, device=0)
"""


@pytest.mark.parametrize("target", ["cpu", "interp"])
@pytest.mark.parametrize("store", STORES)
def test_the_numbers_of_a_fault_that_always_happens(store, target):
    program = pl.parse(PROGRAM.format(store=store))
    with pytest.raises(tilewire.RunError) as error:
        program.main(np.ones((16, 64), np.float32), ranks=1, target=target)
    assert str(error.value).splitlines()[0] == f"error[TW2102]: out of bounds: {STORES[store]}"
