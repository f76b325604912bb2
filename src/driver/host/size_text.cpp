#include "driver/host/size_text.h"

#include <map>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::driver {
namespace {

constexpr int deepest = 400;

struct Form {
  const char* text;
  int binding;  // as in SizeExpression; 0: a function
};

const Form* form_of(const ir::Op* op) {
  static const std::map<const ir::Op*, Form> forms = [] {
    std::map<const ir::Op*, Form> made;
    auto add = [&](const ir::Op& op, Form form) { made[&op] = form; };
    add(ops::pl::scalar::shl, {"<<", 1});
    add(ops::pl::scalar::shr, {">>", 1});
    add(ops::pl::scalar::add, {"+", 2});
    add(ops::pl::scalar::sub, {"-", 2});
    add(ops::pl::scalar::mul, {"*", 3});
    add(ops::pl::scalar::floordiv, {"//", 3});
    add(ops::pl::scalar::mod, {"%", 3});
    add(ops::pl::scalar::neg, {"-", 4});
    add(ops::pl::scalar::abs, {"abs", 0});
    add(ops::pl::scalar::min, {"min", 0});
    add(ops::pl::scalar::max, {"max", 0});
    add(ops::pld::world_size, {"world_size", 0});
    return made;
  }();
  auto found = forms.find(op);
  return found == forms.end() ? nullptr : &found->second;
}

struct Dimensions : ir::Visitor<Dimensions> {
  static constexpr bool into_types = true;
  std::set<std::string, std::less<>> names;
  void visit(const ir::DimSymbol& symbol) { names.insert(symbol.name); }
};

bool is_integer_scalar(const ir::Expr& expr) {
  auto dtype = ir::scalar_dtype(expr.type);
  return dtype && ir::is_integer(*dtype);
}

}  // namespace

struct AssignWalk : ir::Visitor<AssignWalk> {
  AssignedValues& into;
  explicit AssignWalk(AssignedValues& into) : into(into) {}
  void visit(const ir::Assign& assign) {
    walk_children(assign);
    into.values_.insert(assign.var.get(), assign.value);
    if (ir::isa<ir::PtrType>(assign.var->type)) into.buffers_.insert(assign.var->name_hint);
  }
  void visit(const ir::Call& call) {
    walk_children(call);
    const auto* buffer = call.op == ops::pld::window ? ir::as<ir::WindowBuffer>(call.args[0]) : nullptr;
    if (buffer) into.views_[buffer->name].push_back(&call);
  }
};

const std::vector<const ir::Call*>& AssignedValues::views(const std::string& buffer) const {
  static const std::vector<const ir::Call*> none;
  auto found = views_.find(buffer);
  return found == views_.end() ? none : found->second;
}

AssignedValues::AssignedValues(const ir::Function& function) {
  AssignWalk(*this).walk(*function.body);
}

SizeWriter::SizeWriter(const ir::Function& function, std::optional<int64_t> ranks,
                       const AssignedValues& values)
    : ranks_(ranks), values_(values) {
  Dimensions dimensions;
  for (const auto& param : function.params) dimensions.walk(param->type);
  for (const auto& param : function.params) {
    bool scalar = ir::isa<ir::ScalarType>(param->type);
    if (scalar && dimensions.names.contains(param->name)) ambiguous_.insert(param->name);
  }
}

std::optional<runtime::SizeExpression> SizeWriter::write(const ir::ExprRef& expr, std::string& problem) {
  text_.clear();
  problem_.clear();
  depth_ = 0;
  put(*expr, 1);
  if (!problem_.empty()) {
    problem = problem_;
    return std::nullopt;
  }
  std::string refused;
  auto size = runtime::SizeExpression::parse(text_, refused);
  if (!size) problem = "this one cannot be kept: " + refused;
  return size;
}

void SizeWriter::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
}

void SizeWriter::put_name(const std::string& name) {
  if (ambiguous_.contains(name)) fail("`" + name + "` is both a dimension and a parameter");
  text_ += name;
}

void SizeWriter::put_number(int64_t value, int loosest) {
  bool closed = value < 0 && loosest > 1;  // so that no minus follows an operator
  text_ += closed ? "(" + std::to_string(value) + ")" : std::to_string(value);
}

void SizeWriter::put(const ir::Expr& expr, int loosest) {
  if (depth_ >= deepest || text_.size() > runtime::SizeExpression::longest_text) {
    return fail("this one is too long to be kept");
  }
  if (!problem_.empty()) return;
  ++depth_;
  if (const auto* constant = ir::as<ir::ConstInt>(&expr)) {
    put_number(constant->value, loosest);
  } else if (const auto* symbol = ir::as<ir::DimSymbol>(&expr)) {
    put_name(symbol->name);
  } else if (const auto* param = ir::as<ir::Parameter>(&expr)) {
    is_integer_scalar(expr) ? put_name(param->name) : fail("it depends on `" + param->name + "`");
  } else if (const auto* var = ir::as<ir::Var>(&expr)) {
    const ir::ExprRef* value = values_.find(*var);
    value ? put(**value, loosest)
          : fail("it depends on `" + var->name_hint + "`, which a loop or branch decides");
  } else if (const auto* call = ir::as<ir::Call>(&expr)) {
    put_call(*call, loosest);
  } else {
    fail("it depends on what another function returns");
  }
  --depth_;
}

void SizeWriter::put_call(const ir::Call& call, int loosest) {
  if (call.op == ops::pl::scalar::cast && is_integer_scalar(*call.args[0]))
    return put(*call.args[0], loosest);
  if (call.op == ops::pl::tensor::dim) {
    const auto& shape = static_cast<const ir::TensorType&>(*call.args[0]->type).shape;
    int64_t index = *ir::find_attr(call.attrs, "i")->get<int64_t>();
    return put(*shape[static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(shape.size()) : index)],
               loosest);
  }
  const Form* form = form_of(call.op);
  if (!form) return fail("`" + call.op->qualified() + "` does not occur in sizes");
  if (call.args.empty() && ranks_) return put_number(*ranks_, loosest);
  if (form->binding == 0) {
    text_ += form->text;
    text_ += "(";
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (i) text_ += ", ";
      put(*call.args[i], 1);
    }
    text_ += ")";
    return;
  }
  bool closed = form->binding < loosest;
  if (closed) text_ += "(";
  if (call.args.size() == 1) {
    text_ += form->text;
    put(*call.args[0], 5);
  } else {
    put(*call.args[0], form->binding);
    text_ += " " + std::string(form->text) + " ";
    put(*call.args[1], form->binding + 1);
  }
  if (closed) text_ += ")";
}

namespace {

// Built when the first expression with an operator is read: most dimensions are names.
const ir::Op* op_of(runtime::SizeExpression::Step step) {
  using Step = runtime::SizeExpression::Step;
  static const std::map<Step, const ir::Op*> table = [] {
    std::map<Step, const ir::Op*> made;
    auto add = [&](Step step, const ir::Op& op) { made[step] = &op; };
    add(Step::Negate, ops::pl::scalar::neg);
    add(Step::Absolute, ops::pl::scalar::abs);
    add(Step::Add, ops::pl::scalar::add);
    add(Step::Subtract, ops::pl::scalar::sub);
    add(Step::Multiply, ops::pl::scalar::mul);
    add(Step::Divide, ops::pl::scalar::floordiv);
    add(Step::Remainder, ops::pl::scalar::mod);
    add(Step::ShiftLeft, ops::pl::scalar::shl);
    add(Step::ShiftRight, ops::pl::scalar::shr);
    add(Step::Least, ops::pl::scalar::min);
    add(Step::Most, ops::pl::scalar::max);
    return made;
  }();
  return table.at(step);
}

}  // namespace

ir::ExprRef size_to_ir(const runtime::SizeExpression& size) {
  using Step = runtime::SizeExpression::Step;
  if (size.constant()) return ir::const_index(*size.constant());
  ir::ExprList stack;
  for (const runtime::SizeExpression::Code& code : size.code()) {
    if (code.step == Step::WorldSize) return nullptr;
    if (code.step == Step::Number) {
      stack.push_back(ir::const_index(code.number));
    } else if (code.step == Step::Name) {
      stack.push_back(ir::make<ir::DimSymbol>(Span{}, size.names()[static_cast<size_t>(code.number)]));
    } else {
      bool unary = code.step == Step::Negate || code.step == Step::Absolute;
      ir::ExprList args(stack.end() - (unary ? 1 : 2), stack.end());
      stack.resize(stack.size() - args.size());
      stack.push_back(ir::make<ir::Call>(Span{}, op_of(code.step), std::move(args), ir::AttrList(),
                                         ir::scalar_type(ir::DType::Index)));
    }
  }
  return stack.back();
}

}  // namespace tilewire::driver
