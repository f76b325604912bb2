// Arguments in, results out.
#include "interp/interp.h"

#include <algorithm>
#include <cstring>

#include "interp/code.h"
#include "interp/follow.h"
#include "ir/op.h"
#include "numeric/numeric.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

std::string name_of(DType dtype) {
  return "pl." + std::string(info(dtype).name);
}

std::string describe(const Argument& argument) {
  if (const auto* number = std::get_if<Number>(&argument)) return "a number of " + name_of(number->dtype);
  const auto& array = std::get<Array>(argument);
  return "an array " + text(array.shape) + " of " + name_of(array.dtype);
}

// The bytes an array may touch, relative to its first element.
struct Hull {
  std::byte* begin;
  std::byte* end;
};

Dims strides_of(const Array& array) {
  return array.strides.empty() ? dense_strides(array.shape) : array.strides;
}

Hull hull_of(const Array& array) {
  int64_t low = 0, high = 0;
  Dims strides = strides_of(array);
  bool empty = false;
  for (size_t i = 0; i < array.shape.size(); ++i) {
    empty |= array.shape[i] == 0;
    int64_t reach = (array.shape[i] - 1) * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  auto* data = static_cast<std::byte*>(array.data);
  if (empty) return {data, data};
  const int64_t size = ir::bytes(array.dtype);
  return {data + low * size, data + (high + 1) * size};
}

// Arrays that share memory become parts of one storage, so that tasks on them are ordered.
class Arguments {
 public:
  Arguments(const Function& function, std::span<const Argument> args) : function_(function), args_(args) {}

  // Fails before anything has run.
  void check() const {
    if (args_.size() != function_.params.size()) {
      fail(diag::run_argument_count,
           {function_.name, std::to_string(function_.params.size()), std::to_string(args_.size())});
    }
    for (size_t i = 0; i < args_.size(); ++i) check(*function_.params[i], args_[i]);
  }

  std::vector<Value> values(World& world) {
    place(world);
    std::vector<Value> values;
    for (size_t i = 0; i < args_.size(); ++i) {
      if (const auto* number = std::get_if<Number>(&args_[i])) {
        values.emplace_back(is_float(number->dtype) ? Scalar::of_float(number->dtype, number->real())
                                                    : Scalar::of_int(number->dtype, number->integer()));
        continue;
      }
      const auto& array = std::get<Array>(args_[i]);
      Tensor tensor;
      tensor.storage = places_[i].storage;
      tensor.dtype = array.dtype;
      tensor.offset = places_[i].offset;
      tensor.shape = array.shape;
      tensor.strides = strides_of(array);
      values.emplace_back(std::move(tensor));
    }
    return values;
  }

 private:
  struct Place {
    StorageId storage = no_storage;
    int64_t offset = 0;  // elements
  };

  [[noreturn]] void wrong(const Parameter& param, const std::string& wanted, const Argument& found) const {
    fail(diag::run_argument, {param.name, function_.name, wanted, describe(found)});
  }

  void check(const Parameter& param, const Argument& argument) const {
    if (auto dtype = scalar_dtype(param.type)) {
      const auto* number = std::get_if<Number>(&argument);
      if (!number || number->dtype != *dtype) wrong(param, "a number of " + name_of(*dtype), argument);
      return;
    }
    const auto* type = as<TensorType>(param.type);
    const auto* array = std::get_if<Array>(&argument);
    if (!type || isa<DistributedTensorType>(param.type)) {
      wrong(param, to_string(param.type) + ", which only the program can make", argument);
    }
    std::string wanted =
        "an array of rank " + std::to_string(type->shape.size()) + " of " + name_of(type->dtype);
    if (!array || array->dtype != type->dtype || array->shape.size() != type->shape.size()) {
      wrong(param, wanted, argument);
    }
    if (!array->strides.empty() && array->strides.size() != array->shape.size())
      wrong(param, wanted, argument);
    for (int64_t extent : array->shape) {
      if (extent < 0) wrong(param, wanted, argument);
    }
  }

  void place(World& world) {
    places_.resize(args_.size());
    std::vector<size_t> order;
    for (size_t i = 0; i < args_.size(); ++i) {
      if (std::holds_alternative<Array>(args_[i])) order.push_back(i);
    }
    auto hull = [this](size_t i) { return hull_of(std::get<Array>(args_[i])); };
    std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return hull(i).begin < hull(j).begin; });
    for (size_t i = 0; i < order.size();) {
      Hull all = hull(order[i]);
      size_t next = i + 1;
      const int size = ir::bytes(std::get<Array>(args_[order[i]]).dtype);
      for (; next < order.size() && hull(order[next]).begin < all.end; ++next) {
        // Elements are counted from the start of a storage, so arrays that do not line up stay apart.
        const int other = ir::bytes(std::get<Array>(args_[order[next]]).dtype);
        if (other != size || (hull(order[next]).begin - all.begin) % size != 0) break;
        all.end = std::max(all.end, hull(order[next]).end);
      }
      StorageId storage = world.add_array(all.begin, all.end - all.begin);
      for (; i < next; ++i) {
        const auto& array = std::get<Array>(args_[order[i]]);
        places_[order[i]] = {storage, (static_cast<std::byte*>(array.data) - all.begin) / size};
      }
    }
  }

  const Function& function_;
  std::span<const Argument> args_;
  std::vector<Place> places_;
};

bool same_array(const Array& a, const Array& b) {
  return a.data == b.data && a.dtype == b.dtype && a.shape == b.shape && strides_of(a) == strides_of(b);
}

void collect(const World& world, const Value& value, std::span<const Argument> args,
             std::vector<Result>& results) {
  if (const TupleValue* tuple = value.tuple()) {
    for (const Value& element : *tuple) collect(world, element, args, results);
  } else if (const Scalar* scalar = value.scalar()) {
    results.push_back(
        {scalar->is_float() ? Number::of(scalar->dtype, scalar->f) : Number::of(scalar->dtype, scalar->i)});
  } else if (const Tensor* tensor = value.tensor()) {
    if (tensor->storage == no_storage) return;  // a window: it ends with the run
    const Storage& storage = world.storage(tensor->storage);
    auto* base = const_cast<std::byte*>(world.bytes(tensor->storage));
    Array array{base + tensor->offset * ir::bytes(tensor->dtype), tensor->dtype, tensor->shape,
                tensor->strides};
    Result result{array, -1, storage.owned};
    for (size_t i = 0; i < args.size(); ++i) {
      const auto* argument = std::get_if<Array>(&args[i]);
      if (argument && same_array(*argument, array)) result.argument = static_cast<int>(i);
    }
    results.push_back(std::move(result));
  }
}

RunError argument_error(const Failure& failure, const Span& span) {
  Diagnostics diags;
  return {failure.kind == RunError::Kind::Limit ? failure.kind : RunError::Kind::Argument,
          diags.report(failure.id, span, failure.arguments),
          {},
          -1,
          -1,
          {}};
}

}  // namespace

Number Number::of(DType dtype, int64_t value) {
  Number n;
  n.dtype = dtype;
  numeric::store_integer(dtype, n.bytes.data(), value);
  return n;
}

Number Number::of(DType dtype, double value) {
  Number n;
  n.dtype = dtype;
  numeric::store_float(dtype, n.bytes.data(), value);
  return n;
}

int64_t Number::integer() const {
  return numeric::load_integer(dtype, bytes.data());
}

double Number::real() const {
  return numeric::load_float(dtype, bytes.data());
}

std::optional<RunError> start(World& world, const Function& entry, std::span<const Argument> args) {
  try {
    Arguments arguments(entry, args);
    arguments.check();
    world.start(arguments.values(world));
  } catch (const Failure& failure) {
    return argument_error(failure, entry.span);
  }
  return world.error();
}

RunResult run(const ProgramRef& program, std::string_view entry, std::span<const Argument> args,
              const RunOptions& options) {
  RunResult result;
  FunctionRef function = program->find(entry);
  if (!function) {
    result.error = argument_error({diag::run_no_function, {std::string(entry)}}, {});
    return result;
  }
  Diagnostics diags;
  auto image = Image::make(program, entry, diags);
  if (!image) {
    result.error = RunError{RunError::Kind::Program, diags.all().front(), {}, -1, -1, {}};
    return result;
  }
  Options settings = options;
  if (options.replay) {  // which determines when each notify lands
    settings.late_notifies = Late::Always;
    settings.full_order = true;
  }
  World world(image, settings);
  result.error = start(world, *function, args);
  if (result.error) return result;
  if (options.replay) {
    result.error = follow(world, *options.replay);
  } else {
    InOrder in_order;
    run(world, options.scheduler ? *options.scheduler : in_order, options.sink);
  }
  if (!result.error) result.error = world.error();
  result.steps = world.steps();
  result.tasks = world.task_count();
  if (result.error) return result;
  for (const Value& value : world.results()) collect(world, value, args, result.results);
  return result;
}

}  // namespace tilewire::interp
