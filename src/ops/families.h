// One function per family file; each appends its ops. Listed here and in registry.cpp, nowhere else.
#pragma once

#include <vector>

#include "ir/op.h"

namespace tilewire::ops {

void define_scalar(std::vector<ir::Op>& ops);
void define_create_move(std::vector<ir::Op>& ops);
void define_reshape(std::vector<ir::Op>& ops);
void define_elementwise(std::vector<ir::Op>& ops);
void define_functions(std::vector<ir::Op>& ops);
void define_reduce_broadcast(std::vector<ir::Op>& ops);
void define_norms(std::vector<ir::Op>& ops);
void define_matmul(std::vector<ir::Op>& ops);
void define_index_sort(std::vector<ir::Op>& ops);
void define_arrays_tasks(std::vector<ir::Op>& ops);
void define_block(std::vector<ir::Op>& ops);
void define_windows(std::vector<ir::Op>& ops);
void define_subgroups(std::vector<ir::Op>& ops);
void define_signals(std::vector<ir::Op>& ops);
void define_atomics(std::vector<ir::Op>& ops);
void define_remote(std::vector<ir::Op>& ops);
void define_collectives(std::vector<ir::Op>& ops);
void define_pipes(std::vector<ir::Op>& ops);
void define_pipe_slots(std::vector<ir::Op>& ops);

}  // namespace tilewire::ops
