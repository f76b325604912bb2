# --- pipe_buffer_base
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    b = pl.reserve_buffer(name="b", size=4096, base=-8)
#                                                   ^^
# error: TW0395 the base of a buffer must not be negative, got -8
# help: write base=pl.AUTO to let the compiler choose

# --- pipe_buffer_missing
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    pl.aic_initialize_pipe(None, None, dir_mask=1, slot_size=64)
#                                               ^
# error: TW0390 `dir_mask` 1 needs `c2v`, the buffer of that direction
# help: pass a buffer: pl.reserve_buffer(...) in the half that pops, pl.import_peer_buffer(...) in the other

# --- pipe_buffer_missing_one_of_two
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIC)
def cube():
    b = pl.reserve_buffer(name="b", size=4096)
    pl.aic_initialize_pipe(b, pl.const(0, pl.INT32), dir_mask=3, slot_size=64)
#                                                             ^
# error: TW0390 `dir_mask` 3 needs `v2c`, the buffer of that direction
# help: pass a buffer: pl.reserve_buffer(...) in the half that pops, pl.import_peer_buffer(...) in the other

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
# error: TW1139 `pl.tpush_to_aiv` is only allowed in an AIC function
# help: split the kernel into an AIC and an AIV function, and call both from a Group function

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
        b = pl.reserve_buffer(name="c2v", size=32768)
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
        pl.store(pl.full([16, 64], dtype=pl.FP16, value=0.0), [0, 0], y)

# --- pipe_peer_unknown
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP16]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vectors")
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0447 `peer_func` names `vectors`, which is not a function of the program
# help: did you mean `vector`?
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP16]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
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
# error: TW0394 `pl.tpop_from_aic` returns a tile, but the annotation says pl.Tensor[[16], pl.FP32]

# --- pop_annotated_unknown_extent
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector(n: pl.Scalar[pl.INDEX]):
    t: pl.Tile[[n, 16], pl.FP32] = pl.tpop_from_aic(split=0)
#               ^ this is a scalar
# error: TW1034 an extent of a tile must be an int known when the program is read, got a scalar
# help: write a constant that covers the largest case, and pass the part in use to `pl.load` as `valid_shape`

# --- pop_without_annotation
import tilewire.language as pl


@pl.function(type=pl.FunctionType.AIV)
def vector():
    t = pl.tpop_from_aic(split=0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0393 `pl.tpop_from_aic` needs an annotation with the type of the tile it pops
# help: write t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(...)

# --- pipe_not_initialised
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0, id=1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0451 `pl.tpush_to_aiv` uses pipe 1, which `cube` has not initialised
# help: did you mean id=0?

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_popped_without_initialise
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0451 `pl.tpop_from_aic` uses pipe 0, which `vector` has not initialised
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: pipe 0 is initialised here, behind it
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_never_initialised
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error 3: TW0459 `cube` initialises pipe 0, but the other half of `both`, `vector`, does not
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^
# error 1: TW0451 `pl.tpop_from_aic` uses pipe 0, which `vector` has not initialised
# help: call pl.aiv_initialize_pipe(..., id=0) first
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)
#       ^^^^^^^^^^^^^^^^^^
# error 2: TW0451 `pl.tfree_to_aic` uses pipe 0, which `vector` has not initialised
# help: call pl.aiv_initialize_pipe(..., id=0) first

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_initialised_twice
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0452 `cube` initialises pipe 0 twice
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_initialised_in_a_loop
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        for i in pl.range(2):
            pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0453 pipe 0 is initialised in a loop or branch
# help: initialise it once, at the start of the function
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_direction_missing
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(None, b, dir_mask=2, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0454 `pl.tpush_to_aiv` needs the direction cube to vector of pipe 0, whose `dir_mask` is 2
# help: initialise it with dir_mask=3, which allows both directions

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(None, b, dir_mask=2, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0454 `pl.tpop_from_aic` needs the direction cube to vector of pipe 0, whose `dir_mask` is 2
# help: initialise it with dir_mask=3, which allows both directions
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)
#       ^^^^^^^^^^^^^^^^^^
# error: TW0454 `pl.tfree_to_aic` needs the direction cube to vector of pipe 0, whose `dir_mask` is 2
# help: initialise it with dir_mask=3, which allows both directions

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_slot_smaller_than_tile
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=2048)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 1: `slot_size` of the pipe is given here
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ pl.Tile[[16, 64], pl.FP32]
# error 1: TW0455 a slot of pipe 0 has 2048 bytes, but the tile has 4096

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=2048)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 2: `slot_size` of the pipe is given here
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^ pl.Tile[[16, 64], pl.FP32]
# error 2: TW0455 a slot of pipe 0 has 2048 bytes, but the tile has 4096
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_slot_smaller_than_both_lanes
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=2048)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 1: `slot_size` of the pipe is given here
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ pl.Tile[[16, 64], pl.FP32]
# error 1: TW0455 a slot of pipe 0 has 2048 bytes, but the tile has 4096
# help: make the slot larger: it holds the tiles of both vector lanes

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=2048)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note 2: `slot_size` of the pipe is given here
        t: pl.Tile[[8, 64], pl.FP32] = pl.tpop_from_aic(split=1)
#                                      ^^^^^^^^^^^^^^^^^^^^^^^^^ pl.Tile[[16, 64], pl.FP32]
# error 2: TW0455 a slot of pipe 0 has 2048 bytes, but the tile has 4096
# help: make the slot larger: it holds the tiles of both vector lanes
        pl.store(t, [pl.tile.get_subblock_idx() * 8, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_slot_size_odd
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4100)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0456 `slot_size` must be a multiple of 32 bytes, got 4100
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=40000)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4100)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0456 `slot_size` must be a multiple of 32 bytes, got 4100
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_buffer_too_small
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=4096)
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0457 the buffer of pipe 0, cube to vector, needs 32768 bytes for 8 slots of 4096, but has 4096
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: the pipe is initialised here
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_halves_differ
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=8192, slot_num=4)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0458 the halves of `both` initialise pipe 0 differently: slot_size=8192, slot_num=4 in `cube`, slot_size=4096, slot_num=8 in `vector`
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: the other half initialises it here
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_of_one_half
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096, id=2)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0459 `cube` initialises pipe 2, but the other half of `both`, `vector`, does not
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_split_on_one_side
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: pushed here

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[8, 64], pl.FP32] = pl.tpop_from_aic(split=1)
#                                      ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0460 tiles of pipe 0, cube to vector, are split by rows in `vector` and not at all in `cube`
        pl.store(t, [pl.tile.get_subblock_idx() * 8, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_once_and_twice
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=1)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^ not split
# error: TW0461 `vector` would run once per block for some of its pipes and on two lanes for others
# help: pass the same `split=` to all of its pushes and pops
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)
        s: pl.Tile[[8, 64], pl.FP32] = pl.tpop_from_aic(split=1)
#                                      ^^^^^^^^^^^^^^^^^^^^^^^^^
# note: split over two lanes
        pl.store(s, [pl.tile.get_subblock_idx() * 8, 0], y)
        pl.tfree_to_aic(s)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_frees_another_tile
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        e = pl.exp(t)
#           ^^^^^^^^^
# note: the tile is made here
        pl.store(e, [0, 0], y)
        pl.tfree_to_aic(e)
#       ^^^^^^^^^^^^^^^^^^
# error: TW0462 `pl.tfree_to_aic` frees a tile that was not popped from pipe 0, cube to vector

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_pops_another_type
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# note: pushed here

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 32], pl.FP32] = pl.tpop_from_aic(split=0)
#                                       ^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW0463 type mismatch: `vector` pops pl.Tile[[16, 32], pl.FP32] from pipe 0, cube to vector, but `cube` pushes pl.Tile[[16, 64], pl.FP32]
        pl.store(t, [0, 0], y)
        pl.tfree_to_aic(t)

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_used_after_free
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        b = pl.import_peer_buffer(name="c2v", peer_func="vector")
        pl.aic_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        pl.tpush_to_aiv(pl.load(a, [0, 0], [16, 64]), split=0)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        b = pl.reserve_buffer(name="c2v", size=32768)
        pl.aiv_initialize_pipe(b, None, dir_mask=1, slot_size=4096)
        t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aic(split=0)
        pl.tfree_to_aic(t)
#       ^^^^^^^^^^^^^^^^^^
# note: it was handed back here
        pl.store(t, [0, 0], y)
#       ^^^^^^^^^^^^^^^^^^^^^^
# error: TW0466 use after free: `t` is used after its slot was freed

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        self.cube(a)
        self.vector(y)

# --- pipe_group_returns_a_scalar
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[16, 64], pl.FP32]):
        t = pl.load(a, [0, 0], [16, 64])

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, a: pl.Tensor[[16, 64], pl.FP32]) -> pl.Scalar[pl.FP32]:
        return pl.read(a, [0, 0])

    @pl.function(type=pl.FunctionType.Group)
    def both(self, a: pl.Tensor[[16, 64], pl.FP32]) -> pl.Scalar[pl.FP32]:
#       ^^^^
# error: TW0464 a Group returns only tensors that it is given, but `both` returns pl.Scalar[pl.FP32]
# help: store the value in a tensor: a parameter pl.Out[...] that the half writes
        self.cube(a)
        n = self.vector(a)
        return n

# --- pipe_workspace_of_floats
import tilewire.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, __gm_pipe_buffer: pl.InOut[pl.Tensor[[1024], pl.FP32]]):
#                    ^^^^^^^^^^^^^^^^
# error: TW0467 `__gm_pipe_buffer` of `vector` must be a pl.Tensor[[N], pl.UINT8], got pl.Tensor[[1024], pl.FP32]
# help: annotate it with pl.InOut[pl.Tensor[[BYTES], pl.UINT8]], or leave it to the compiler
        t = pl.load(__gm_pipe_buffer, [0], [16])
