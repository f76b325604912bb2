# --- pipe_buffer_base
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="b", size=4096, base=-8)
#                                                   ^^
# error: TW0395 the base of a buffer must not be negative, got -8
# help: leave it to the compiler with base=pl.AUTO

# --- pipe_buffer_missing
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    pl.aic_initialize_pipe(None, None, dir_mask=1, slot_size=64)
#                                               ^
# error: TW0390 `dir_mask` 1 needs `c2v`, the buffer of that direction
# help: the consumer half makes it with pl.reserve_buffer, the producer half with pl.import_peer_buffer

# --- pipe_buffer_missing_one_of_two
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aic_initialize_pipe(b, pl.const(0, pl.INT32), dir_mask=3, slot_size=64)
#                                                             ^
# error: TW0390 `dir_mask` 3 needs `v2c`, the buffer of that direction
# help: the consumer half makes it with pl.reserve_buffer, the producer half with pl.import_peer_buffer

# --- pipe_buffer_size
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="b", size=-1)
#                                        ^^
# error: TW0389 `size` of `pl.reserve_buffer` must be positive, got -1

# --- pipe_direction
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aic_initialize_pipe(b, None, dir_mask=4, slot_size=1024)
#                                            ^
# error: TW0388 `dir_mask` must be 1 (cube to vector), 2 (vector to cube) or 3 (both), got 4

# --- pipe_empty_name
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="", size=4096)
#                              ^^
# error: TW0391 `name` of `pl.reserve_buffer` must not be empty

# --- pipe_empty_peer
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.import_peer_buffer(name="b", peer_func="")
#                                                 ^^
# error: TW0391 `peer_func` of `pl.import_peer_buffer` must not be empty

# --- pipe_id
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split=0, id=-1)
#                                           ^^
# error: TW0392 the id of a pipe must not be negative, got -1

# --- pipe_id_bool
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split=0, id=True)
#                                           ^^^^
# error: TW0311 `pl.tpush_to_aiv` needs an int for `id`, got a bool

# --- pipe_in_kernel
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    pl.tpush_to_aiv(pl.load(x), split=0)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ inside `kernel` of type InCore
# error: TW1139 `pl.tpush_to_aiv` stands only in an AIC function
# help: split the kernel by hand into an AIC and an AIV function joined by a Group function

# --- pipe_name_not_a_string
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.import_peer_buffer(name=3, peer_func=4)
#                                  ^
# error: TW0311 `pl.import_peer_buffer` needs a string for `name`, got an int
#                                               ^
# error: TW0311 `pl.import_peer_buffer` needs a string for `peer_func`, got an int

# --- pipe_peer_buffer_unknown
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP16]):
        b = pl.import_peer_buffer(name="c2w", peer_func="vector")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0448 `vector` reserves no buffer `c2w`
# help: did you mean `c2v`?
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP16]]):
        b = pl.reserve_buffer(name="c2v", size=4096)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP16] = pl.tpop_from_aic(split=0)
        pl.tfree_to_aic(t)

# --- pipe_peer_reserves_nothing
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP16]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0448 `vector` reserves no buffer `c2v`
# help: write `pl.reserve_buffer(name="c2v", size=...)` in `vector`
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP16]]):
        t: pl.Tile[[16, 64], pl.FP16] = pl.tpop_from_aic(split=0)
        pl.tfree_to_aic(t)

# --- pipe_peer_unknown
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP16]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vectors")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0447 `peer_func` names `vectors`, which is no function of the program
# help: did you mean `vector`?
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP16]]):
        b = pl.reserve_buffer(name="c2v", size=4096)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP16] = pl.tpop_from_aic(split=0)
        pl.tfree_to_aic(t)

# --- pipe_slot_num
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=64, slot_num=0)
#                                                                      ^
# error: TW0389 `slot_num` of `pl.aiv_initialize_pipe` must be positive, got 0

# --- pipe_slot_size
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=0)
#                                                         ^
# error: TW0389 `slot_size` of `pl.aic_initialize_pipe` must be positive, got 0

# --- pop_annotated_tensor
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    t: pl.Tensor[[16], pl.FP32] = pl.tpop_from_aic(split=0)
#                                 ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0394 `pl.tpop_from_aic` gives a tile, the annotation says pl.Tensor[[16], pl.FP32]

# --- pop_annotated_unknown_extent
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector(n: pl.Scalar[pl.INDEX]):
    t: pl.Tile[[n, 16], pl.FP32] = pl.tpop_from_aic(split=0)
#               ^ this is a scalar
# error: TW1034 an extent of a tile must be an int known when the program is read, got a scalar
# help: a tile has a fixed shape; load a part of the tensor and give valid_shape= for a ragged end

# --- pop_without_annotation
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    t = pl.tpop_from_aic(split=0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0393 `pl.tpop_from_aic` needs an annotation that gives the tile it pops
# help: write t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(...)
