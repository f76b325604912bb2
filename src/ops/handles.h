// One handle per op, for code that names ops (handle.h). Made from the op records by
// `tilewire-generate --write .`; do not edit.
// clang-format off
#pragma once

#include "ops/handle.h"

namespace tilewire::ops {

namespace pl {
inline constinit const Handle aic_initialize_pipe{"pl.aic_initialize_pipe"};
inline constinit const Handle aiv_initialize_pipe{"pl.aiv_initialize_pipe"};
inline constinit const Handle import_peer_buffer{"pl.import_peer_buffer"};
inline constinit const Handle no_dep{"pl.no_dep"};
inline constinit const Handle no_task{"pl.no_task"};
inline constinit const Handle print{"pl.print"};
inline constinit const Handle reserve_buffer{"pl.reserve_buffer"};
inline constinit const Handle task_join{"pl.task_join"};
inline constinit const Handle tfree_to_aic{"pl.tfree_to_aic"};
inline constinit const Handle tfree_to_aiv{"pl.tfree_to_aiv"};
inline constinit const Handle tpop_from_aic{"pl.tpop_from_aic"};
inline constinit const Handle tpop_from_aiv{"pl.tpop_from_aiv"};
inline constinit const Handle tpush_to_aic{"pl.tpush_to_aic"};
inline constinit const Handle tpush_to_aiv{"pl.tpush_to_aiv"};
}

namespace pl::array {
inline constinit const Handle create{"pl.array.create"};
inline constinit const Handle get{"pl.array.get"};
inline constinit const Handle set{"pl.array.set"};
}

namespace pl::pipe {
inline constinit const Handle cells{"pl.pipe.cells"};
inline constinit const Handle check_workspace{"pl.pipe.check_workspace"};
inline constinit const Handle notify{"pl.pipe.notify"};
inline constinit const Handle slot{"pl.pipe.slot"};
inline constinit const Handle wait{"pl.pipe.wait"};
}

namespace pl::scalar {
inline constinit const Handle abs{"pl.scalar.abs"};
inline constinit const Handle add{"pl.scalar.add"};
inline constinit const Handle and_{"pl.scalar.and"};
inline constinit const Handle bitand_{"pl.scalar.bitand"};
inline constinit const Handle bitnot{"pl.scalar.bitnot"};
inline constinit const Handle bitor_{"pl.scalar.bitor"};
inline constinit const Handle bitxor{"pl.scalar.bitxor"};
inline constinit const Handle cast{"pl.scalar.cast"};
inline constinit const Handle eq{"pl.scalar.eq"};
inline constinit const Handle floordiv{"pl.scalar.floordiv"};
inline constinit const Handle ge{"pl.scalar.ge"};
inline constinit const Handle gt{"pl.scalar.gt"};
inline constinit const Handle le{"pl.scalar.le"};
inline constinit const Handle lt{"pl.scalar.lt"};
inline constinit const Handle max{"pl.scalar.max"};
inline constinit const Handle min{"pl.scalar.min"};
inline constinit const Handle mod{"pl.scalar.mod"};
inline constinit const Handle mul{"pl.scalar.mul"};
inline constinit const Handle ne{"pl.scalar.ne"};
inline constinit const Handle neg{"pl.scalar.neg"};
inline constinit const Handle not_{"pl.scalar.not"};
inline constinit const Handle or_{"pl.scalar.or"};
inline constinit const Handle pow{"pl.scalar.pow"};
inline constinit const Handle shl{"pl.scalar.shl"};
inline constinit const Handle shr{"pl.scalar.shr"};
inline constinit const Handle sub{"pl.scalar.sub"};
inline constinit const Handle truediv{"pl.scalar.truediv"};
}

namespace pl::tensor {
inline constinit const Handle abs{"pl.tensor.abs"};
inline constinit const Handle add{"pl.tensor.add"};
inline constinit const Handle and_{"pl.tensor.and_"};
inline constinit const Handle arange{"pl.tensor.arange"};
inline constinit const Handle assemble{"pl.tensor.assemble"};
inline constinit const Handle atomic_add{"pl.tensor.atomic_add"};
inline constinit const Handle atomic_cas{"pl.tensor.atomic_cas"};
inline constinit const Handle batch_matmul{"pl.tensor.batch_matmul"};
inline constinit const Handle cast{"pl.tensor.cast"};
inline constinit const Handle clamp{"pl.tensor.clamp"};
inline constinit const Handle cmp{"pl.tensor.cmp"};
inline constinit const Handle col_expand{"pl.tensor.col_expand"};
inline constinit const Handle col_expand_add{"pl.tensor.col_expand_add"};
inline constinit const Handle col_expand_div{"pl.tensor.col_expand_div"};
inline constinit const Handle col_expand_expdif{"pl.tensor.col_expand_expdif"};
inline constinit const Handle col_expand_max{"pl.tensor.col_expand_max"};
inline constinit const Handle col_expand_min{"pl.tensor.col_expand_min"};
inline constinit const Handle col_expand_mul{"pl.tensor.col_expand_mul"};
inline constinit const Handle col_expand_sub{"pl.tensor.col_expand_sub"};
inline constinit const Handle col_max{"pl.tensor.col_max"};
inline constinit const Handle col_min{"pl.tensor.col_min"};
inline constinit const Handle col_prod{"pl.tensor.col_prod"};
inline constinit const Handle col_sum{"pl.tensor.col_sum"};
inline constinit const Handle concat{"pl.tensor.concat"};
inline constinit const Handle cos{"pl.tensor.cos"};
inline constinit const Handle create{"pl.tensor.create"};
inline constinit const Handle dim{"pl.tensor.dim"};
inline constinit const Handle div{"pl.tensor.div"};
inline constinit const Handle erf{"pl.tensor.erf"};
inline constinit const Handle exp{"pl.tensor.exp"};
inline constinit const Handle expm1{"pl.tensor.expm1"};
inline constinit const Handle full{"pl.tensor.full"};
inline constinit const Handle gather{"pl.tensor.gather"};
inline constinit const Handle gelu{"pl.tensor.gelu"};
inline constinit const Handle gemv{"pl.tensor.gemv"};
inline constinit const Handle layer_norm{"pl.tensor.layer_norm"};
inline constinit const Handle log{"pl.tensor.log"};
inline constinit const Handle log1p{"pl.tensor.log1p"};
inline constinit const Handle lrelu{"pl.tensor.lrelu"};
inline constinit const Handle matmul{"pl.tensor.matmul"};
inline constinit const Handle matmul_acc{"pl.tensor.matmul_acc"};
inline constinit const Handle matmul_bias{"pl.tensor.matmul_bias"};
inline constinit const Handle max{"pl.tensor.max"};
inline constinit const Handle maximum{"pl.tensor.maximum"};
inline constinit const Handle min{"pl.tensor.min"};
inline constinit const Handle minimum{"pl.tensor.minimum"};
inline constinit const Handle mul{"pl.tensor.mul"};
inline constinit const Handle neg{"pl.tensor.neg"};
inline constinit const Handle not_{"pl.tensor.not_"};
inline constinit const Handle or_{"pl.tensor.or_"};
inline constinit const Handle prelu{"pl.tensor.prelu"};
inline constinit const Handle read{"pl.tensor.read"};
inline constinit const Handle recip{"pl.tensor.recip"};
inline constinit const Handle release{"pl.tensor.release"};
inline constinit const Handle relu{"pl.tensor.relu"};
inline constinit const Handle rem{"pl.tensor.rem"};
inline constinit const Handle reshape{"pl.tensor.reshape"};
inline constinit const Handle rms_norm{"pl.tensor.rms_norm"};
inline constinit const Handle row_argmax{"pl.tensor.row_argmax"};
inline constinit const Handle row_argmin{"pl.tensor.row_argmin"};
inline constinit const Handle row_expand{"pl.tensor.row_expand"};
inline constinit const Handle row_expand_add{"pl.tensor.row_expand_add"};
inline constinit const Handle row_expand_div{"pl.tensor.row_expand_div"};
inline constinit const Handle row_expand_expdif{"pl.tensor.row_expand_expdif"};
inline constinit const Handle row_expand_max{"pl.tensor.row_expand_max"};
inline constinit const Handle row_expand_min{"pl.tensor.row_expand_min"};
inline constinit const Handle row_expand_mul{"pl.tensor.row_expand_mul"};
inline constinit const Handle row_expand_sub{"pl.tensor.row_expand_sub"};
inline constinit const Handle row_max{"pl.tensor.row_max"};
inline constinit const Handle row_min{"pl.tensor.row_min"};
inline constinit const Handle row_prod{"pl.tensor.row_prod"};
inline constinit const Handle row_sum{"pl.tensor.row_sum"};
inline constinit const Handle rsqrt{"pl.tensor.rsqrt"};
inline constinit const Handle scatter{"pl.tensor.scatter"};
inline constinit const Handle sel{"pl.tensor.sel"};
inline constinit const Handle shl{"pl.tensor.shl"};
inline constinit const Handle shr{"pl.tensor.shr"};
inline constinit const Handle sigmoid{"pl.tensor.sigmoid"};
inline constinit const Handle silu{"pl.tensor.silu"};
inline constinit const Handle sin{"pl.tensor.sin"};
inline constinit const Handle slice{"pl.tensor.slice"};
inline constinit const Handle softmax{"pl.tensor.softmax"};
inline constinit const Handle softplus{"pl.tensor.softplus"};
inline constinit const Handle sqrt{"pl.tensor.sqrt"};
inline constinit const Handle sub{"pl.tensor.sub"};
inline constinit const Handle sum{"pl.tensor.sum"};
inline constinit const Handle tanh{"pl.tensor.tanh"};
inline constinit const Handle transpose{"pl.tensor.transpose"};
inline constinit const Handle tri{"pl.tensor.tri"};
inline constinit const Handle write{"pl.tensor.write"};
inline constinit const Handle xor_{"pl.tensor.xor"};
}

namespace pl::tile {
inline constinit const Handle abs{"pl.tile.abs"};
inline constinit const Handle add{"pl.tile.add"};
inline constinit const Handle and_{"pl.tile.and_"};
inline constinit const Handle arange{"pl.tile.arange"};
inline constinit const Handle assemble{"pl.tile.assemble"};
inline constinit const Handle cast{"pl.tile.cast"};
inline constinit const Handle clamp{"pl.tile.clamp"};
inline constinit const Handle cmp{"pl.tile.cmp"};
inline constinit const Handle col_expand{"pl.tile.col_expand"};
inline constinit const Handle col_expand_add{"pl.tile.col_expand_add"};
inline constinit const Handle col_expand_div{"pl.tile.col_expand_div"};
inline constinit const Handle col_expand_expdif{"pl.tile.col_expand_expdif"};
inline constinit const Handle col_expand_max{"pl.tile.col_expand_max"};
inline constinit const Handle col_expand_min{"pl.tile.col_expand_min"};
inline constinit const Handle col_expand_mul{"pl.tile.col_expand_mul"};
inline constinit const Handle col_expand_sub{"pl.tile.col_expand_sub"};
inline constinit const Handle col_max{"pl.tile.col_max"};
inline constinit const Handle col_min{"pl.tile.col_min"};
inline constinit const Handle col_prod{"pl.tile.col_prod"};
inline constinit const Handle col_sum{"pl.tile.col_sum"};
inline constinit const Handle comm_notify{"pl.tile.comm_notify"};
inline constinit const Handle comm_test{"pl.tile.comm_test"};
inline constinit const Handle comm_wait{"pl.tile.comm_wait"};
inline constinit const Handle concat{"pl.tile.concat"};
inline constinit const Handle cos{"pl.tile.cos"};
inline constinit const Handle create{"pl.tile.create"};
inline constinit const Handle cumsum{"pl.tile.cumsum"};
inline constinit const Handle dim{"pl.tile.dim"};
inline constinit const Handle div{"pl.tile.div"};
inline constinit const Handle erf{"pl.tile.erf"};
inline constinit const Handle exp{"pl.tile.exp"};
inline constinit const Handle expm1{"pl.tile.expm1"};
inline constinit const Handle extract{"pl.tile.extract"};
inline constinit const Handle fillpad{"pl.tile.fillpad"};
inline constinit const Handle full{"pl.tile.full"};
inline constinit const Handle gather{"pl.tile.gather"};
inline constinit const Handle gelu{"pl.tile.gelu"};
inline constinit const Handle gemv{"pl.tile.gemv"};
inline constinit const Handle get_block_idx{"pl.tile.get_block_idx"};
inline constinit const Handle get_block_num{"pl.tile.get_block_num"};
inline constinit const Handle get_subblock_idx{"pl.tile.get_subblock_idx"};
inline constinit const Handle get_subblock_num{"pl.tile.get_subblock_num"};
inline constinit const Handle layer_norm{"pl.tile.layer_norm"};
inline constinit const Handle load{"pl.tile.load"};
inline constinit const Handle log{"pl.tile.log"};
inline constinit const Handle log1p{"pl.tile.log1p"};
inline constinit const Handle lrelu{"pl.tile.lrelu"};
inline constinit const Handle matmul{"pl.tile.matmul"};
inline constinit const Handle matmul_acc{"pl.tile.matmul_acc"};
inline constinit const Handle matmul_bias{"pl.tile.matmul_bias"};
inline constinit const Handle max{"pl.tile.max"};
inline constinit const Handle maximum{"pl.tile.maximum"};
inline constinit const Handle min{"pl.tile.min"};
inline constinit const Handle minimum{"pl.tile.minimum"};
inline constinit const Handle move{"pl.tile.move"};
inline constinit const Handle mrgsort{"pl.tile.mrgsort"};
inline constinit const Handle mul{"pl.tile.mul"};
inline constinit const Handle neg{"pl.tile.neg"};
inline constinit const Handle not_{"pl.tile.not_"};
inline constinit const Handle or_{"pl.tile.or_"};
inline constinit const Handle prelu{"pl.tile.prelu"};
inline constinit const Handle read{"pl.tile.read"};
inline constinit const Handle recip{"pl.tile.recip"};
inline constinit const Handle relu{"pl.tile.relu"};
inline constinit const Handle rem{"pl.tile.rem"};
inline constinit const Handle reshape{"pl.tile.reshape"};
inline constinit const Handle rms_norm{"pl.tile.rms_norm"};
inline constinit const Handle row_argmax{"pl.tile.row_argmax"};
inline constinit const Handle row_argmin{"pl.tile.row_argmin"};
inline constinit const Handle row_expand{"pl.tile.row_expand"};
inline constinit const Handle row_expand_add{"pl.tile.row_expand_add"};
inline constinit const Handle row_expand_div{"pl.tile.row_expand_div"};
inline constinit const Handle row_expand_expdif{"pl.tile.row_expand_expdif"};
inline constinit const Handle row_expand_max{"pl.tile.row_expand_max"};
inline constinit const Handle row_expand_min{"pl.tile.row_expand_min"};
inline constinit const Handle row_expand_mul{"pl.tile.row_expand_mul"};
inline constinit const Handle row_expand_sub{"pl.tile.row_expand_sub"};
inline constinit const Handle row_max{"pl.tile.row_max"};
inline constinit const Handle row_min{"pl.tile.row_min"};
inline constinit const Handle row_prod{"pl.tile.row_prod"};
inline constinit const Handle row_sum{"pl.tile.row_sum"};
inline constinit const Handle rsqrt{"pl.tile.rsqrt"};
inline constinit const Handle scatter{"pl.tile.scatter"};
inline constinit const Handle sel{"pl.tile.sel"};
inline constinit const Handle set_validshape{"pl.tile.set_validshape"};
inline constinit const Handle shl{"pl.tile.shl"};
inline constinit const Handle shr{"pl.tile.shr"};
inline constinit const Handle sigmoid{"pl.tile.sigmoid"};
inline constinit const Handle silu{"pl.tile.silu"};
inline constinit const Handle sin{"pl.tile.sin"};
inline constinit const Handle softmax{"pl.tile.softmax"};
inline constinit const Handle softplus{"pl.tile.softplus"};
inline constinit const Handle sort32{"pl.tile.sort32"};
inline constinit const Handle sqrt{"pl.tile.sqrt"};
inline constinit const Handle store{"pl.tile.store"};
inline constinit const Handle sub{"pl.tile.sub"};
inline constinit const Handle sum{"pl.tile.sum"};
inline constinit const Handle tanh{"pl.tile.tanh"};
inline constinit const Handle transpose{"pl.tile.transpose"};
inline constinit const Handle tri{"pl.tile.tri"};
inline constinit const Handle write{"pl.tile.write"};
inline constinit const Handle xor_{"pl.tile.xor"};
}

namespace pld {
inline constinit const Handle alloc_window_buffer{"pld.alloc_window_buffer"};
inline constinit const Handle get_comm_ctx{"pld.get_comm_ctx"};
inline constinit const Handle member_rank{"pld.member_rank"};
inline constinit const Handle mesh_axis{"pld.mesh_axis"};
inline constinit const Handle nhosts{"pld.nhosts"};
inline constinit const Handle nranks{"pld.nranks"};
inline constinit const Handle peer_slot{"pld.peer_slot"};
inline constinit const Handle rank{"pld.rank"};
inline constinit const Handle subgroup{"pld.subgroup"};
inline constinit const Handle window{"pld.window"};
inline constinit const Handle world_size{"pld.world_size"};
}

namespace pld::system {
inline constinit const Handle check_count{"pld.system.check_count"};
inline constinit const Handle check_extent{"pld.system.check_extent"};
inline constinit const Handle check_group{"pld.system.check_group"};
inline constinit const Handle check_member{"pld.system.check_member"};
inline constinit const Handle check_mesh{"pld.system.check_mesh"};
inline constinit const Handle check_subgroup{"pld.system.check_subgroup"};
inline constinit const Handle collective_effects{"pld.system.collective_effects"};
inline constinit const Handle compare_exchange{"pld.system.compare_exchange"};
inline constinit const Handle defer_wait{"pld.system.defer_wait"};
inline constinit const Handle enter_collective{"pld.system.enter_collective"};
inline constinit const Handle fetch_add{"pld.system.fetch_add"};
inline constinit const Handle member_stride{"pld.system.member_stride"};
inline constinit const Handle notify{"pld.system.notify"};
inline constinit const Handle notify_all{"pld.system.notify_all"};
inline constinit const Handle test{"pld.system.test"};
inline constinit const Handle wait{"pld.system.wait"};
inline constinit const Handle wait_all{"pld.system.wait_all"};
}

namespace pld::tensor {
inline constinit const Handle all_to_all{"pld.tensor.all_to_all"};
inline constinit const Handle all_to_all_v{"pld.tensor.all_to_all_v"};
inline constinit const Handle allgather{"pld.tensor.allgather"};
inline constinit const Handle allreduce{"pld.tensor.allreduce"};
inline constinit const Handle barrier{"pld.tensor.barrier"};
inline constinit const Handle broadcast{"pld.tensor.broadcast"};
inline constinit const Handle get{"pld.tensor.get"};
inline constinit const Handle put{"pld.tensor.put"};
inline constinit const Handle reduce_scatter{"pld.tensor.reduce_scatter"};
inline constinit const Handle remote_store{"pld.tensor.remote_store"};
}

namespace pld::tile {
inline constinit const Handle remote_load{"pld.tile.remote_load"};
inline constinit const Handle remote_store{"pld.tile.remote_store"};
}

}  // namespace tilewire::ops
