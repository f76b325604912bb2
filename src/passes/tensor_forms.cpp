#include "passes/tensor_forms.h"

#include <string>
#include <unordered_map>

#include "ops/registry.h"

namespace tilewire::passes {
namespace {

struct Row {
  const char* name;
  TensorForm form;
  const char* combine = nullptr;
};

constexpr Row rows[] = {
    {"add", TensorForm::Map},
    {"sub", TensorForm::Map},
    {"mul", TensorForm::Map},
    {"div", TensorForm::Map},
    {"rem", TensorForm::Map},
    {"maximum", TensorForm::Map},
    {"minimum", TensorForm::Map},
    {"and_", TensorForm::Map},
    {"or_", TensorForm::Map},
    {"xor", TensorForm::Map},
    {"shl", TensorForm::Map},
    {"shr", TensorForm::Map},
    {"cmp", TensorForm::Map},
    {"sel", TensorForm::Map},
    {"cast", TensorForm::Map},
    {"neg", TensorForm::Map},
    {"abs", TensorForm::Map},
    {"recip", TensorForm::Map},
    {"exp", TensorForm::Map},
    {"log", TensorForm::Map},
    {"sqrt", TensorForm::Map},
    {"rsqrt", TensorForm::Map},
    {"sin", TensorForm::Map},
    {"cos", TensorForm::Map},
    {"relu", TensorForm::Map},
    {"tanh", TensorForm::Map},
    {"sigmoid", TensorForm::Map},
    {"not_", TensorForm::Map},
    {"row_expand", TensorForm::ExpandRow},
    {"col_expand", TensorForm::ExpandCol},
    {"row_expand_add", TensorForm::MapRow},
    {"row_expand_sub", TensorForm::MapRow},
    {"row_expand_mul", TensorForm::MapRow},
    {"row_expand_div", TensorForm::MapRow},
    {"row_expand_max", TensorForm::MapRow},
    {"row_expand_min", TensorForm::MapRow},
    {"col_expand_add", TensorForm::MapCol},
    {"col_expand_sub", TensorForm::MapCol},
    {"col_expand_mul", TensorForm::MapCol},
    {"col_expand_div", TensorForm::MapCol},
    {"col_expand_max", TensorForm::MapCol},
    {"col_expand_min", TensorForm::MapCol},
    {"row_sum", TensorForm::ReduceRow, "add"},
    {"row_max", TensorForm::ReduceRow, "maximum"},
    {"row_min", TensorForm::ReduceRow, "minimum"},
    {"col_sum", TensorForm::ReduceCol, "add"},
    {"col_max", TensorForm::ReduceCol, "maximum"},
    {"col_min", TensorForm::ReduceCol, "minimum"},
    {"row_argmax", TensorForm::ArgRow, "row_max"},
    {"row_argmin", TensorForm::ArgRow, "row_min"},
    {"full", TensorForm::Fill},
    {"arange", TensorForm::Count},
    {"create", TensorForm::Create},
    {"concat", TensorForm::Concat},
    {"gather", TensorForm::Gather},
    {"scatter", TensorForm::Scatter},
    {"assemble", TensorForm::Assemble},
    {"matmul", TensorForm::Matmul},
    {"matmul_bias", TensorForm::MatmulBias},
    {"matmul_acc", TensorForm::MatmulAcc},
    {"batch_matmul", TensorForm::BatchMatmul},
};

}  // namespace

const TensorOp* tensor_op(const ir::Op& op) {
  static const auto table = [] {
    std::unordered_map<const ir::Op*, TensorOp> result;
    const ir::OpTable& all = ops::registry();
    for (const Row& row : rows) {
      const ir::Op* combine = row.combine ? all.find(std::string("pl.tile.") + row.combine) : nullptr;
      const ir::Op* tile = all.find(std::string("pl.tile.") + row.name);
      result[all.find(std::string("pl.tensor.") + row.name)] = {row.form, tile, combine};
    }
    return result;
  }();
  auto found = table.find(&op);
  return found == table.end() ? nullptr : &found->second;
}

std::optional<TensorForm> tile_form(const ir::Op& tile_op) {
  static const auto table = [] {
    std::unordered_map<const ir::Op*, TensorForm> result;
    for (const Row& row : rows) result[ops::registry().find(std::string("pl.tile.") + row.name)] = row.form;
    return result;
  }();
  auto found = table.find(&tile_op);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tilewire::passes
