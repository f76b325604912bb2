"""Modules that are wrong: each edit of a right one gives a wrong result or a named fault, under some seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from execute import Context, ExecutionFault, Window, run
from execute_cases import accepted, changed, module, without
from execute_runs import (
    add, add_into, allreduce, both_ways, carried, flow, long_pipe, matmul, matmul_nt, outcomes, piped, ragged, relu6, softmax, strided,
)

SEEDS = range(24)


ALONE = [
    ("01", add, ("%vy = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c64, %c1]",
                 "%vy = pto.make_tensor_view %y, shape = [%c16, %c64], strides = [%c16, %c1]"), {"wrong"}),
    ("01", add, ("%py = pto.partition_view %vy, offsets = [%c0, %c0]", "%py = pto.partition_view %vy, offsets = [%c1, %c0]"), {"view"}),
    ("01", add, ("pto.tload ins(%pb : !pto.partition_tensor_view<16x64xf32>) outs(%tb", "pto.tload ins(%pb : !pto.partition_tensor_view<16x64xf32>) outs(%ty"),
     {"never-written"}),
    ("01", add, ("%c16 = arith.constant 16 : index", "%c16 = arith.constant 17 : index"), {"view"}),
    ("02", add, ("%a1 = arith.constant 4096 : i64", "%a1 = arith.constant 2048 : i64"), {"wrong"}),
    ("02", add, ("%a2 = arith.constant 8192 : i64", "%a2 = arith.constant 4128 : i64"), {"overlap"}),
    ("02", add, ("%a1 = arith.constant 4096 : i64", "%a1 = arith.constant 4104 : i64"), {"address"}),
    ("02", add, ("%a2 = arith.constant 8192 : i64", "%a2 = arith.constant 194560 : i64"), {"capacity"}),
    ("02", add, ("alloc_tile addr = %a2", "alloc_tile"), {"address"}),
    ("03", strided, ("strides = [%plane, %pi, %c1]", "strides = [%plane, %ni, %c1]"), {"wrong"}),
    ("03", strided, ("strides = [%plane, %pi, %c1]", "strides = [%pi, %plane, %c1]"), {"out-of-bounds"}),
    ("03", strided, ("offsets = [%c1, %ri, %c32]", "offsets = [%c0, %ri, %c32]"), {"wrong"}),
    ("03", strided, ("{layout = #pto.layout<dn>}", "{layout = #pto.layout<nd>}"), {"layout"}),
    ("04", ragged, ("pto.set_validshape %t, %r, %n", "pto.set_validshape %t, %c16, %n"), {"extent"}),
    ("04", ragged, ("%r = arith.minsi %left, %c16 : index", "%r = arith.maxsi %left, %c16 : index"), {"extent"}),
    ("04", ragged, ("step %c16 {", "step %m {"), {"wrong"}),
    ("06", relu6, ("pto.tstore ins(%b : !pto.tile_buf<vec, 16x64xf32>) outs(%py", "pto.tstore ins(%tmp : !pto.tile_buf<vec, 16x64xi32>) outs(%py"),
     {"never-written"}),
    ("06", relu6, ("pto.tsel ins(%m, %a, %b, %tmp", "pto.tsel ins(%m, %b, %a, %tmp"), {"wrong"}),
    ("10", softmax, ("%start = arith.muli %b, %c16", "%start = arith.muli %nb, %c16"), {"wrong"}),
    ("10", softmax, ("pto.trowmax ins(%t, %tmp", "pto.trowmax ins(%t, %t"), {"overlap"}),
    ("10", softmax, ("pto.trowsum ins(%e, %tmp", "pto.trowsum ins(%tmp, %e"), {"never-written"}),
    ("11", matmul, ("arith.cmpi eq, %i, %c0", "arith.cmpi ne, %i, %c0"), {"never-written"}),
    ("11", matmul, ("arith.cmpi eq, %i, %c0", "arith.cmpi sge, %i, %c0"), {"wrong"}),
    ("11", matmul, ("offsets = [%i, %c0], sizes = [%c64, %c128]", "offsets = [%c0, %i], sizes = [%c64, %c128]"), {"view"}),
    ("13", flow, ("%row = arith.muli %b, %c16", "%row = arith.muli %b, %c64"), {"view"}),
    ("16", add_into, (" {atomicType = #pto<atomic_type atomic_add>}", ""), {"wrong"}),
    ("23", carried, ("scf.yield %b, %old", "scf.yield %b, %a"), {"wrong"}),
    ("23", carried, ("scf.yield %b, %s", "scf.yield %s, %a"), {"wrong"}),
    ("25", matmul_nt, ("%m1 = arith.constant 8192 : i64", "%m1 = arith.constant 4096 : i64"), {"wrong"}),
    ("25", matmul_nt, ("pto.textract ins(%mbt, %c64, %c0", "pto.textract ins(%mbt, %c0, %c0"), {"wrong"}),
    ("25", matmul_nt, ("pto.textract ins(%mbt, %c64, %c0", "pto.textract ins(%mbt, %c128, %c0"), {"extent"}),
]


@pytest.mark.parametrize("number, one_run, edit, expected", ALONE, ids=[f"{one[0]}-{k}" for k, one in enumerate(ALONE)])
def test_wrong_on_one_rank(number: str, one_run: Any, edit: tuple[str, str], expected: set[str]) -> None:
    text = accepted(number)
    assert outcomes(one_run, text, range(4)) == {"right"}
    assert outcomes(one_run, changed(text, *edit), range(4)) == expected


def test_messages_name_the_tile_the_element_and_the_op() -> None:
    text = without(accepted("10"), "pto.trowmax")
    with pytest.raises(ExecutionFault, match=r"never-written: reads element \[0, 0\] of %mx, which was never written\n  --> 27:7: pto.trowexpandsub in @softmax, rank 0, block [01]\n    \|\n 27 \|       pto.trowexpandsub ins\(%t, %mx"):
        softmax(text, 0)


# -- ranks ------------------------------------------------------------------------------------------------------------


RANKS = [
    # The sums are not seen by the others: no fence before the second round.
    (lambda text: without(text, "pto.fence.barrier_all"), "wrong"),
    # A rank does not wait for the others.
    (lambda text: without(text, "pto.comm.twait"), "wrong"),
    (lambda text: changed(text, "{cmp = #pto<wait_cmp ge>}", "{cmp = #pto<wait_cmp gt>}"), "deadlock"),
    # Equality with a counter that goes on: a late waiter has missed its moment.
    (lambda text: changed(text, "{cmp = #pto<wait_cmp ge>}", "{cmp = #pto<wait_cmp eq>}"), "deadlock"),
    # The second round waits for the value of the first.
    (lambda text: changed(text, "%n, %w2)", "%n, %w1)"), "wrong"),
    # Everybody notifies its own cell at itself.
    (lambda text: changed(text, "func.call @delta(%ctx, %me, %s)", "func.call @delta(%ctx, %me, %me)", 3), "deadlock"),
    (lambda text: changed(text, "arith.divsi %d, %b4", "arith.addi %d, %b4"), "out-of-bounds"),
    (lambda text: changed(text, "%c2 = arith.constant 2 : index", "%c2 = arith.constant 1 : index"), "view"),
    (lambda text: changed(text, "{notifyOp = #pto<notify_op atomic_add>}", "{notifyOp = #pto<notify_op set>}"), "deadlock"),
    (lambda text: changed(text, "arith.shrui %ids, %b32", "arith.shrui %ids, %c0_i64").replace(
        "%b32 = arith.constant 32 : i64", "%c0_i64 = arith.constant 0 : i64"), "view"),
]


@pytest.mark.parametrize("edit, expected", RANKS, ids=range(len(RANKS)))
def test_wrong_on_three_ranks(edit: Any, expected: str) -> None:
    found = outcomes(allreduce, edit(accepted("21")))
    assert expected in found, found


def test_deadlock_names_who_waits_for_what() -> None:
    text = changed(accepted("21"), "{cmp = #pto<wait_cmp ge>}", "{cmp = #pto<wait_cmp gt>}")
    with pytest.raises(ExecutionFault) as caught:
        allreduce(text, 3, 2)
    assert caught.value.message == (
        "2 cores wait and nothing can wake them\n"
        "  31:7: pto.comm.twait in @round, rank 0, block 0 waits for %sig[0] gt 1, the cell is 1\n"
        "  31:7: pto.comm.twait in @round, rank 1, block 0 waits for %sig[0] gt 1, the cell is 1"
    )


# -- pipes ------------------------------------------------------------------------------------------------------------


def free_early(text: str) -> str:
    free = "      pto.tfree_from_aic {id = 0, split = 1}\n"
    store = "      pto.texp ins(%x"
    return changed(without(text, "pto.tfree_from_aic"), store, free + store)


PIPES = [
    ("19", long_pipe, lambda text: without(text, "pto.tfree_from_aic"), {"deadlock", "pipe"}),
    ("19", piped, lambda text: without(text, "pto.tfree_from_aic"), {"pipe"}),
    ("19", piped, free_early, {"never-written"}),
    ("19", piped, lambda text: without(text, "pto.tpush_to_aiv"), {"deadlock"}),
    ("19", piped, lambda text: changed(text, "pto.tpop_from_aic {id = 0, split = 1}", "pto.tpop_from_aic {id = 0, split = 2}"), {"pipe"}),
    ("19", piped, lambda text: changed(text, "slot_size = 4096}", "slot_size = 2048}", 2), {"pipe"}),
    ("19", piped, lambda text: changed(text, "size = 32768", "size = 8192"), {"pipe"}),
    ("19", piped, lambda text: changed(text, "%half = arith.muli %sub, %c16", "%half = arith.muli %sub, %c0"), {"wrong"}),
    ("19", piped, lambda text: text.replace("%sh = arith.muli %blk", "%sh = arith.addi %blk", 1), {"wrong", "out-of-bounds"}),
    ("19", piped, lambda text: changed(text, "16x32xf32", "32x16xf32", 6), {"pipe", "extent", "view"}),
    ("20", both_ways, lambda text: changed(text, "%a0 = arith.constant 16384 : i64", "%a0 = arith.constant 2048 : i64"), {"overlap"}),
    ("20", both_ways, lambda text: changed(text, "pto.tfree_from_aiv {id = 0, split = 0}\n", "\n"), {"pipe"}),
    ("20", both_ways, lambda text: changed(text, "id = 0, dir_mask = 3, slot_size = 4096, nosplit = true} (gm_slot_buffer = %ws : !pto.ptr<f32>, c2v_consumer_buf = %buf",
                                           "id = 1, dir_mask = 3, slot_size = 4096, nosplit = true} (gm_slot_buffer = %ws : !pto.ptr<f32>, c2v_consumer_buf = %buf"), {"pipe"}),
    ("20", both_ways, lambda text: changed(text, "base = 0} -> i32\n    %peer = pto.import_reserved_buffer {name = \"v2c_fifo\"",
                                           "base = 16384} -> i32\n    %peer = pto.import_reserved_buffer {name = \"v2c_fifo\""), {"never-written"}),
]


@pytest.mark.parametrize("number, one_run, edit, expected", PIPES, ids=range(len(PIPES)))
def test_wrong_pipes(number: str, one_run: Any, edit: Any, expected: set[str]) -> None:
    text = accepted(number)
    assert outcomes(one_run, text, range(8)) == {"right"}
    found = outcomes(one_run, edit(text), range(12))
    assert found and found <= expected, found


# -- control flow -----------------------------------------------------------------------------------------------------

LOOP = module("""func.func @k(%p: !pto.ptr<i32>, %n: i32) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r:3 = scf.while (%a = %zero, %b = %one, %k = %n) : (i32, i32, i32) -> (i32, i32, i32) {
      %go = arith.cmpi sgt, %k, %zero : i32
      scf.condition(%go) %a, %b, %k : i32, i32, i32
    } do {
    ^bb0(%a: i32, %b: i32, %k: i32):
      %s = arith.addi %a, %b : i32
      %l = arith.subi %k, %one : i32
      scf.yield %b, %s, %l : i32, i32, i32
    }
    pto.store_scalar %r#0, %p[%c0] : !pto.ptr<i32>, i32
    pto.store_scalar %r#1, %p[%c1] : !pto.ptr<i32>, i32
    return
  }""")


def fibonacci(text: str, seed: int) -> bool:
    p = np.zeros(2, np.int32)
    run(text, "k", [p, 10], seed=seed, max_steps=10000)
    return p.tolist() == [55, 89]


def test_carries_of_while_are_assigned_one_after_another() -> None:
    assert outcomes(fibonacci, LOOP, range(2)) == {"right"}
    # Exchanged carries: (b, a) in the other order, read back exchanged.
    other = changed(LOOP, "scf.yield %b, %s, %l", "scf.yield %s, %a, %l").replace("(%a = %zero, %b = %one,", "(%a = %one, %b = %zero,")
    assert outcomes(fibonacci, other.replace("%r#0, %p[%c0]", "%r#1, %p[%c0]").replace("%r#1, %p[%c1]", "%r#0, %p[%c1]"), range(2)) == {"wrong"}
    assert outcomes(fibonacci, changed(LOOP, "%l = arith.subi %k, %one", "%l = arith.addi %k, %zero"), range(2)) == {"steps"}
    assert outcomes(fibonacci, changed(LOOP, "scf.condition(%go) %a, %b", "scf.condition(%go) %b, %a"), range(2)) == {"wrong"}


def test_trap() -> None:
    text = module("""func.func @k(%n: i32) attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} {
    %zero = arith.constant 0 : i32
    %bad = arith.cmpi slt, %n, %zero : i32
    scf.if %bad {
      pto.trap
    }
    return
  }""")
    run(text, "k", [1])
    with pytest.raises(ExecutionFault, match=r"trap: the program stopped itself\n  --> 6:7: pto.trap in @k, rank 0, block 0\n"):
        run(text, "k", [-1])


def test_arguments_are_checked() -> None:
    a = np.zeros((16, 64), np.float32)
    for args, message in (
        ([a, a], "the kernel takes 3 arguments, 2 given"),
        ([a, a, a.astype(np.float16)], "%y takes contiguous arrays of f32"),
        ([a, a, a.T], "%y takes contiguous arrays of f32"),
    ):
        with pytest.raises(ExecutionFault, match=message):
            run(accepted("01"), "vector_add", args)
    with pytest.raises(ExecutionFault, match="the module has no kernel @nothing_aic"):
        run(accepted("01"), "nothing", [a, a, a])
    with pytest.raises(ExecutionFault, match="%w1 is 3000000000, which is no i32"):
        run(accepted("21"), "allreduce", [Window([a]), Window([np.zeros(1, np.int32)]), 3000000000, 2, 3, Context()])
