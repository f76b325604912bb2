#include "driver/world/local_rows.h"

#include <algorithm>

#include "runtime/host_rows.h"

namespace tilewire::driver {

LocalRows::LocalRows(const Executable& executable, const WorldPlace& place)
    : signature_(executable.signature()), place_(place) {
  const auto names = executable.row_dimensions();
  for (const ParameterInfo& param : signature_.params()) {
    const ir::Expr* first = param.dim_exprs.empty() ? nullptr : param.dim_exprs[0];
    const auto* symbol = first ? ir::as<ir::DimSymbol>(first) : nullptr;
    counts_ranks_.push_back(symbol && place.processes > 1 &&
                            std::find(names.begin(), names.end(), symbol->name) != names.end());
  }
}

Array LocalRows::whole(size_t parameter, const Array& given) {
  if (!counts_ranks_[parameter] || given.shape.size() != signature_.params()[parameter].dims.size())
    return given;
  auto same = [&](const OwnRows& rows) {
    return rows.array.data == given.data && rows.array.shape == given.shape &&
           rows.array.strides == given.strides;
  };
  // One array given twice is one array.
  const auto found = std::find_if(rows_.begin(), rows_.end(), same);
  const size_t number = found - rows_.begin();
  rows_.push_back({parameter, given, place_.process * given.shape[0]});
  Array whole = given;
  whole.shape[0] *= place_.processes;
  whole.data = reinterpret_cast<void*>(
      runtime::HostRows::place(static_cast<uint32_t>(number), reinterpret_cast<abi::Word>(given.data)));
  return whole;
}

std::vector<int64_t> LocalRows::own_shape(size_t parameter, std::vector<int64_t> shape) const {
  if (counts_ranks_[parameter] && !shape.empty()) shape[0] /= place_.processes;
  return shape;
}

bool LocalRows::add_to(BoundArguments& arguments, Diagnostics& diags) {
  BoundArguments given = arguments;
  for (const OwnRows& rows : rows_) given.values[rows.parameter] = rows.array;
  arguments.rows = std::move(rows_);
  return arguments.rows.empty() || signature_.check_memory(given, diags);
}

}  // namespace tilewire::driver
