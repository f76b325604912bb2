import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class Program:
    pld.comm_group(devices=[0, 0], slots=["data"])

    @pl.function(level=pl.Level.HOST)
    def host(self):
        data = pld.alloc_window_buffer(64)
