"""What fences, cache operations and synchronisation are for: without one, some seed gives a wrong result."""

from __future__ import annotations

import numpy as np

from execute import Context, PerRank, Window, run
from execute_cases import changed, module, without
from execute_runs import normal, outcomes

# Rank 0 puts a number into the window of rank 1 by a scalar store, and tells it; rank 1 has read the place before.
LETTER = module("""func.func @letter(%win: !pto.ptr<i32>, %sig: !pto.ptr<i32>, %out: !pto.ptr<i32>, %ctx: !pto.ptr<i64>) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %b4 = arith.constant 4 : i64
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %number = arith.constant 77 : i32
    %ids = pto.load_scalar %ctx[%c2] : !pto.ptr<i64> -> i64
    %me = arith.trunci %ids : i64 to i32
    %here = pto.load_scalar %ctx[%c4] : !pto.ptr<i64> -> i64
    %there = pto.load_scalar %ctx[%c5] : !pto.ptr<i64> -> i64
    %bytes = arith.subi %there, %here : i64
    %cells = arith.divsi %bytes, %b4 : i64
    %by = arith.index_cast %cells : i64 to index
    %first = arith.cmpi eq, %me, %zero : i32
    scf.if %first {
      %far = pto.addptr %win, %by : !pto.ptr<i32> -> !pto.ptr<i32>
      pto.store_scalar %number, %far[%c1] : !pto.ptr<i32>, i32
      pto.cmo.cacheinvalid all #pto.address_space<gm>   // sender
      pto.fence.barrier_all #pto.fence_scope<gm>
      %rsig = pto.addptr %sig, %by : !pto.ptr<i32> -> !pto.ptr<i32>
      %v = pto.make_tensor_view %rsig, shape = [%c1], strides = [%c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?xi32>
      %p = pto.partition_view %v, offsets = [%c0], sizes = [%c1] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<1xi32>
      pto.comm.tnotify(%p, %one : !pto.partition_tensor_view<1xi32>, i32) {notifyOp = #pto<notify_op set>}
    } else {
      %before = pto.load_scalar %win[%c0] : !pto.ptr<i32> -> i32
      pto.store_scalar %before, %out[%c0] : !pto.ptr<i32>, i32
      %v = pto.make_tensor_view %sig, shape = [%c1], strides = [%c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?xi32>
      %p = pto.partition_view %v, offsets = [%c0], sizes = [%c1] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<1xi32>
      pto.comm.twait(%p, %one : !pto.partition_tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp ge>}
      pto.cmo.cacheinvalid all #pto.address_space<gm>   // receiver
      %got = pto.load_scalar %win[%c1] : !pto.ptr<i32> -> i32
      pto.store_scalar %got, %out[%c1] : !pto.ptr<i32>, i32
    }
    return
  }""")


def letter(text: str, seed: int) -> bool:
    windows, out = ([np.array([5, 6], np.int32) for _ in range(2)] for _ in range(2))
    cells = [np.zeros(4, np.int32) for _ in range(2)]
    run(text, "letter", [Window(windows), Window(cells), PerRank(out), Context()], ranks=2, seed=seed)
    return bool(out[1].tolist() == [5, 77])


def test_scalars_in_a_window_need_cache_operations_and_a_fence() -> None:
    assert outcomes(letter, LETTER, range(40)) == {"right"}
    for missing in ("// sender", "// receiver", "pto.fence.barrier_all"):
        assert "wrong" in outcomes(letter, without(LETTER, missing)), missing
    assert outcomes(letter, without(LETTER, "pto.comm.tnotify")) == {"deadlock"}
    one_line = changed(LETTER, "pto.cmo.cacheinvalid all #pto.address_space<gm>   // receiver",
                       "pto.cmo.cacheinvalid %p single_cache_line : !pto.partition_tensor_view<1xi32>")
    assert "wrong" in outcomes(letter, one_line)


# Each block fills its row and reads the row of the next one.
BLOCKS = module("""func.func @neighbours(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %b64 = arith.constant 1 : i64
    %one = arith.constant 1.0 : f32
    %bi = pto.get_block_idx
    %bn = pto.get_block_num
    %b = arith.index_cast %bi : i64 to index
    %n = arith.index_cast %bn : i64 to index
    %nexti = arith.addi %bi, %b64 : i64
    %next64 = arith.remsi %nexti, %bn : i64
    %next = arith.index_cast %next64 : i64 to index
    %vx = pto.make_tensor_view %x, shape = [%n, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %vy = pto.make_tensor_view %y, shape = [%n, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %mine = pto.partition_view %vx, offsets = [%b, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %other = pto.partition_view %vx, offsets = [%next, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %result = pto.partition_view %vy, offsets = [%b, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    pto.tload ins(%mine : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tadds ins(%t, %one : !pto.tile_buf<vec, 1x8xf32>, f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%mine : !pto.partition_tensor_view<1x8xf32>)
    pto.fence.barrier_all #pto.fence_scope<gm>
    pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
    pto.tload ins(%other : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%result : !pto.partition_tensor_view<1x8xf32>)
    return
  }""")


def neighbours(text: str, seed: int) -> bool:
    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    want = np.roll(x + 1, -1, 0)
    run(text, "neighbours", [x, y], blocks=4, seed=seed)
    return np.array_equal(y, want)


def test_blocks_see_each_other_after_a_fence_and_a_synchronisation() -> None:
    assert outcomes(neighbours, BLOCKS, range(40)) == {"right"}
    assert "wrong" in outcomes(neighbours, without(BLOCKS, "pto.fence.barrier_all"))
    assert "wrong" in outcomes(neighbours, without(BLOCKS, "pto.syncall"))


def test_a_scalar_store_is_not_seen_by_a_load_of_the_tile_before_the_cache_is_written_back() -> None:
    text = module("""func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %v = arith.constant 9.0 : f32
    pto.store_scalar %v, %x[%c1] : !pto.ptr<f32>, f32
    pto.cmo.cacheinvalid all #pto.address_space<gm>
    %vx = pto.make_tensor_view %x, shape = [%c1, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %vy = pto.make_tensor_view %y, shape = [%c1, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %px = pto.partition_view %vx, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %py = pto.partition_view %vy, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    pto.tload ins(%px : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%py : !pto.partition_tensor_view<1x8xf32>)
    return
  }""")

    def one_run(text: str, seed: int) -> bool:
        x, y = np.zeros((1, 8), np.float32), np.zeros((1, 8), np.float32)
        run(text, "k", [x, y], seed=seed)
        return bool(y[0].tolist() == [0, 9, 0, 0, 0, 0, 0, 0] == x[0].tolist())

    assert outcomes(one_run, text) == {"right"}
    assert "wrong" in outcomes(one_run, without(text, "cacheinvalid"))


# Each rank reads its window, tells the other one that it may overwrite it, and goes on with what it has read.
HANDOVER = module("""func.func @handover(%win: !pto.ptr<f32>, %sig: !pto.ptr<i32>, %out: !pto.ptr<f32>, %ctx: !pto.ptr<i64>) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %b4 = arith.constant 4 : i64
    %one = arith.constant 1 : i32
    %f1 = arith.constant 1.0 : f32
    %ids = pto.load_scalar %ctx[%c2] : !pto.ptr<i64> -> i64
    %me32 = arith.trunci %ids : i64 to i32
    %me = arith.index_cast %me32 : i32 to index
    %peer = arith.subi %c1, %me : index
    %i = arith.addi %me, %c4 : index
    %j = arith.addi %peer, %c4 : index
    %here = pto.load_scalar %ctx[%i] : !pto.ptr<i64> -> i64
    %there = pto.load_scalar %ctx[%j] : !pto.ptr<i64> -> i64
    %bytes = arith.subi %there, %here : i64
    %cells = arith.divsi %bytes, %b4 : i64
    %by = arith.index_cast %cells : i64 to index
    %rsig = pto.addptr %sig, %by : !pto.ptr<i32> -> !pto.ptr<i32>
    %rwin = pto.addptr %win, %by : !pto.ptr<f32> -> !pto.ptr<f32>
    %vw = pto.make_tensor_view %win, shape = [%c1, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %vr = pto.make_tensor_view %rwin, shape = [%c1, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %vo = pto.make_tensor_view %out, shape = [%c1, %c8], strides = [%c8, %c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?x?xf32>
    %pw = pto.partition_view %vw, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %pr = pto.partition_view %vr, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %po = pto.partition_view %vo, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x8xf32>
    %vs = pto.make_tensor_view %sig, shape = [%c1], strides = [%c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?xi32>
    %vt = pto.make_tensor_view %rsig, shape = [%c1], strides = [%c1] {layout = #pto.layout<nd>} : !pto.tensor_view<?xi32>
    %ps = pto.partition_view %vs, offsets = [%c0], sizes = [%c1] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<1xi32>
    %pt = pto.partition_view %vt, offsets = [%c0], sizes = [%c1] : !pto.tensor_view<?xi32> -> !pto.partition_tensor_view<1xi32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    %u = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    pto.texpands ins(%f1 : f32) outs(%u : !pto.tile_buf<vec, 1x8xf32>)
    pto.tload ins(%pw : !pto.partition_tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.fence.barrier_all #pto.fence_scope<gm>
    pto.comm.tnotify(%pt, %one : !pto.partition_tensor_view<1xi32>, i32) {notifyOp = #pto<notify_op set>}
    pto.comm.twait(%ps, %one : !pto.partition_tensor_view<1xi32>, i32) {cmp = #pto<wait_cmp ge>}
    pto.tstore ins(%u : !pto.tile_buf<vec, 1x8xf32>) outs(%pr : !pto.partition_tensor_view<1x8xf32>)
    pto.tadds ins(%t, %f1 : !pto.tile_buf<vec, 1x8xf32>, f32) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%po : !pto.partition_tensor_view<1x8xf32>)
    return
  }""")


def handover(text: str, seed: int) -> bool:
    windows, out = [normal(k, 8) for k in (1, 2)], [np.zeros(8, np.float32) for _ in range(2)]
    want = [one + np.float32(1) for one in windows]
    cells = [np.zeros(2, np.int32) for _ in range(2)]
    run(text, "handover", [Window(windows), Window(cells), PerRank(out), Context()], ranks=2, seed=seed)
    return all(np.array_equal(a, b) for a, b in zip(out, want)) and all((one == 1).all() for one in windows)


def test_a_load_ends_before_the_notify_that_allows_to_overwrite() -> None:
    assert outcomes(handover, HANDOVER, range(40)) == {"right"}
    assert "wrong" in outcomes(handover, without(HANDOVER, "pto.fence.barrier_all"))
    assert "wrong" in outcomes(handover, without(HANDOVER, "pto.comm.twait"))
