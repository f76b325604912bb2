"""A tensor of every element type goes through a kernel."""
import tilewire.language as pl

WIDTH = 64
BYTES = pl.FP32.get_byte() * WIDTH
BITS = pl.INT4.get_bit()


@pl.jit.incore
def copy(x, y: pl.Out):
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit
def all_types(b: pl.Tensor[[16, WIDTH], pl.BOOL], b2: pl.Out[pl.Tensor[[16, WIDTH], pl.BOOL]],
              i8: pl.Tensor[[16, WIDTH], pl.INT8], i8o: pl.Out[pl.Tensor[[16, WIDTH], pl.INT8]],
              i16: pl.Tensor[[16, WIDTH], pl.INT16], i16o: pl.Out[pl.Tensor[[16, WIDTH], pl.INT16]],
              i32: pl.Tensor[[16, WIDTH], pl.INT32], i32o: pl.Out[pl.Tensor[[16, WIDTH], pl.INT32]],
              i64: pl.Tensor[[16, WIDTH], pl.INT64], i64o: pl.Out[pl.Tensor[[16, WIDTH], pl.INT64]],
              u8: pl.Tensor[[16, WIDTH], pl.UINT8], u8o: pl.Out[pl.Tensor[[16, WIDTH], pl.UINT8]],
              u16: pl.Tensor[[16, WIDTH], pl.UINT16], u16o: pl.Out[pl.Tensor[[16, WIDTH], pl.UINT16]],
              u32: pl.Tensor[[16, WIDTH], pl.UINT32], u32o: pl.Out[pl.Tensor[[16, WIDTH], pl.UINT32]],
              u64: pl.Tensor[[16, WIDTH], pl.UINT64], u64o: pl.Out[pl.Tensor[[16, WIDTH], pl.UINT64]],
              f16: pl.Tensor[[16, WIDTH], pl.FP16], f16o: pl.Out[pl.Tensor[[16, WIDTH], pl.FP16]],
              bf: pl.Tensor[[16, WIDTH], pl.BF16], bfo: pl.Out[pl.Tensor[[16, WIDTH], pl.BF16]],
              f32: pl.Tensor[[16, BYTES // 4], pl.FP32], f32o: pl.Out[pl.Tensor[[16, BYTES // 4], pl.FP32]],
              e4: pl.Tensor[[16, WIDTH], pl.FP8E4M3FN], e4o: pl.Out[pl.Tensor[[16, WIDTH], pl.FP8E4M3FN]],
              e5: pl.Tensor[[16, WIDTH], pl.FP8E5M2], e5o: pl.Out[pl.Tensor[[16, WIDTH], pl.FP8E5M2]],
              i4: pl.Tensor[[16, 16 * BITS], pl.INT4], i4o: pl.Out[pl.Tensor[[16, 16 * BITS], pl.INT4]]):
    copy(b, b2)
    copy(i8, i8o)
    copy(i16, i16o)
    copy(i32, i32o)
    copy(i64, i64o)
    copy(u8, u8o)
    copy(u16, u16o)
    copy(u32, u32o)
    copy(u64, u64o)
    copy(f16, f16o)
    copy(bf, bfo)
    copy(f32, f32o)
    copy(e4, e4o)
    copy(e5, e5o)
    copy(i4, i4o)
