"""Decoding over a paged key/value cache: the block table is read element by element, the last page is ragged."""
import tilewire.language as pl

BATCH = pl.dynamic("BATCH")
PAGES = pl.dynamic("PAGES")
HEAD = 128
PAGE = 32
MAX_PAGES = 16


@pl.jit.incore
def decode_one(query: pl.Tensor[[BATCH, HEAD], pl.FP32], keys: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
               values: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32], table: pl.Tensor[[BATCH, MAX_PAGES], pl.INT32],
               lengths: pl.Tensor[[BATCH], pl.INT32], b: pl.Scalar[pl.INDEX],
               out: pl.Out[pl.Tensor[[BATCH, HEAD], pl.FP32]]):
    q = pl.load(query, [b, 0], [1, HEAD])
    length = pl.read(lengths, [b])
    pages = (length + PAGE - 1) // PAGE
    peak = pl.full([1, 1], dtype=pl.FP32, value=-1e30)
    total = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    acc = pl.full([1, HEAD], dtype=pl.FP32, value=0.0)
    for p in pl.range(pages):
        page = pl.read(table, [b, p])
        valid = min(length - p * PAGE, PAGE)
        k = pl.load(keys, [page, 0, 0], [1, PAGE, HEAD], valid_shape=[1, valid, HEAD])
        v = pl.load(values, [page, 0, 0], [1, PAGE, HEAD], valid_shape=[1, valid, HEAD])
        scores = pl.matmul(q, k, b_trans=True)
        peak_next = pl.maximum(peak, pl.row_max(scores))
        weights = pl.exp(scores - peak_next)
        fade = pl.exp(peak - peak_next)
        total = total * fade + pl.row_sum(weights)
        acc = acc * fade + pl.matmul(weights, v)
        peak = peak_next
    out = pl.store(acc / total, [b, 0], out)
    return out


@pl.jit
def paged_attention(query: pl.Tensor[[BATCH, HEAD], pl.FP32], keys: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
                    values: pl.Tensor[[PAGES, PAGE, HEAD], pl.FP32],
                    table: pl.Tensor[[BATCH, MAX_PAGES], pl.INT32], lengths: pl.Tensor[[BATCH], pl.INT32],
                    out: pl.Out[pl.Tensor[[BATCH, HEAD], pl.FP32]]):
    for b in pl.parallel(BATCH):
        out = decode_one(query, keys, values, table, lengths, b, out)
    return out
