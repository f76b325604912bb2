# --- ambiguous_slot
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    pld.comm_group(devices=[0, 1], slots=["w"])
#                                        ^^^^^
# error: TW1141 `w` is a window of `first` and of `second`
# help: name the host function too: slots=["first.w"]

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        w = pl.store(pl.load(w) * 2.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def first(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(2):
            self.k(w, device=r)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def second(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(2):
            self.k(w, device=r)

# --- buffer_in_two_groups
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[0, 1], slots=["data"])
    pld.comm_group(devices=[2, 3], slots=["data"])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0439 the window buffer `data` is listed more than once in communication groups

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)

# --- comm_group_assigned
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    group = pld.comm_group(devices=[0, 1], slots=["w"])
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1025 `pld.comm_group` is not allowed here
# help: write it as a statement in the body of a program class

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        w = pl.store(pl.load(w) * 2.0, [0, 0], w)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(2):
            self.k(w, device=r)

# --- comm_group_in_function
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel():
    pld.comm_group(devices=[0], slots=[])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1025 `pld.comm_group` is not allowed here
# help: write it as a statement in the body of a program class

# --- group_device_negative
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[-1], slots=["data"])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1137 invalid communication group: a device must not be negative
# help: list ranks from 0, each once: `devices=[0, 1]`

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)

# --- group_device_twice
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[0, 0], slots=["data"])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1137 invalid communication group: a device is listed twice
# help: list ranks from 0, each once: `devices=[0, 1]`

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)

# --- group_devices_bool
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[True], slots=["data"])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pld.comm_group` takes devices= and slots=
# help: write `pld.comm_group(devices=[0, 1], slots=["data_buf"])`

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)

# --- group_does_not_fit_check
# run: tilewire check %s
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    pld.comm_group(devices=[0, 1], slots=["w"])

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        pld.tile.remote_store(pl.load(w), w, me, [0, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(4):
#       ^^^^^^^^^^^^^^^^^^^^
# error: TW2008 the loop dispatches to ranks 0 to 3, but the window buffer `w` is shared by ranks 0 and 1
# help: loop over exactly the ranks of the group
            self.k(w, device=r)
#           ^^^^^^^^^^^^^^^^^^^
# note: `w` goes to `k` here

# --- group_slots_not_strings
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[0], slots=[3])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pld.comm_group` takes devices= and slots=
# help: write `pld.comm_group(devices=[0, 1], slots=["data_buf"])`

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)

# --- group_unknown_keyword
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(ranks=[0], slots=["data"])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1026 `pld.comm_group` takes devices= and slots=
# help: write `pld.comm_group(devices=[0, 1], slots=["data_buf"])`

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)

# --- missing_device
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    kernel(x, y)
#   ^^^^^^^^^^^^
# error: TW1107 the dispatch of `kernel` needs `device=`
# help: write `kernel(..., device=r)`

# --- unknown_slot
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[0, 1], slots=["dta"])
#                                        ^^^^^^^
# error: TW1136 no window buffer is named `dta`
# help: write the name that `pld.alloc_window_buffer(...)` is assigned to in the host function

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)
