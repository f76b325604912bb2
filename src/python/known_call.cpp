#include "python/known_call.h"

#include "driver/execute/words.h"
#include "python/arrays.h"
#include "python/errors.h"
#include "python/interrupt.h"
#include "python/numpy_array.h"

namespace tilewire::python {
namespace {

using abi::Word;
using driver::KnownCalls;

// Appends the words of an array that fits the parameter; false for what has to be looked at more closely.
bool tensor_words(const driver::ParameterInfo& param, PyObject* object, Word*& at) {
  const NumpyLayout& numpy = NumpyLayout::get();
  const NumpyArray* array = numpy.array(object);
  if (!array || array->rank != static_cast<int>(param.dims.size()) || !numpy.has_dtype(*array, param.dtype) ||
      !array->aligned() || (param.written && !array->writable())) {
    return false;
  }
  *at++ = reinterpret_cast<Word>(array->data);
  for (int i = 0; i < array->rank; ++i) *at++ = static_cast<Word>(array->extents[i]);
  const int64_t size = ir::bytes(param.dtype);  // a power of two
  for (int i = 0; i < array->rank; ++i) {
    const int64_t stride = array->strides[i];
    if ((stride & (size - 1)) != 0) return false;
    *at++ = static_cast<Word>(stride / size);
  }
  return true;
}

bool scalar_words(const driver::ParameterInfo& param, PyObject* object, Word*& at) {
  driver::Number number;
  if (PyFloat_CheckExact(object)) {
    number = PyFloat_AS_DOUBLE(object);
  } else if (PyBool_Check(object)) {
    number = object == Py_True;
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    number = static_cast<int64_t>(PyLong_AsLongLongAndOverflow(object, &overflow));
    if (overflow != 0) return false;
  } else {
    return false;
  }
  if (!driver::takes_number(param.dtype, number)) return false;
  *at++ = driver::scalar_word(param.dtype, number);
  return true;
}

// The arguments and results of a known call.
struct Repeated {
  const abi::Function& entry;
  PyObject* arguments;
  std::span<const Word> words;
  std::span<const Word> results;
  const std::shared_ptr<void>& owner;
};

PyObject* single_result(const Repeated& call) {
  const abi::Param& result = call.entry.results[0];
  if (result.kind == abi::ParamKind::Tensor) {
    const int argument = driver::returned_argument(call.entry, result, call.results.data(), call.words);
    if (argument >= 0) return Py_NewRef(PyTuple_GET_ITEM(call.arguments, argument));
  }
  return nullptr;
}

nb::object all_results(const Repeated& call) {
  std::vector<nb::object> objects;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call.arguments); ++i)
    objects.push_back(nb::borrow(PyTuple_GET_ITEM(call.arguments, i)));
  nb::list values;
  for (const driver::Returned& value :
       driver::results_from_words(call.entry, call.results, call.words, call.owner)) {
    values.append(returned_object(value, objects));
  }
  return values.size() == 1 ? nb::object(values[0]) : nb::object(nb::tuple(values));
}

}  // namespace

PyObject* repeat_call(const driver::Executable& executable, int threads, PyObject* arguments) {
  const KnownCalls& known = executable.known_calls();
  const auto& params = executable.signature().params();
  if (known.word_count() == 0 || static_cast<size_t>(PyTuple_GET_SIZE(arguments)) != params.size())
    return nullptr;
  Word words[KnownCalls::most_words], results[KnownCalls::most_result_words];
  Word* at = words;
  for (size_t i = 0; i < params.size(); ++i) {
    PyObject* object = PyTuple_GET_ITEM(arguments, i);
    if (!(params[i].tensor ? tensor_words : scalar_words)(params[i], object, at)) return nullptr;
  }
  const std::span<const Word> given(words, known.word_count());
  const auto call = known.find(given);
  if (!call) return nullptr;
  Diagnostics diags;
  std::shared_ptr<void> owner;
  driver::Call made;
  {
    InterruptGuard interrupt;
    nb::gil_scoped_release release;
    made = executable.repeat(*call, given, results, owner, threads, diags);
  }
  if (PyErr_CheckSignals() != 0) return nullptr;
  try {
    if (!made) raise_failed_call(made, diags);
    if (call->entry->result_count == 0) return Py_NewRef(Py_None);
    const Repeated repeated{*call->entry, arguments, given, results, owner};
    PyObject* result = call->entry->result_count == 1 ? single_result(repeated) : nullptr;
    return result ? result : all_results(repeated).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
    return nullptr;
  }
}

nb::object returned_object(const driver::Returned& value, const std::vector<nb::object>& objects) {
  if (const auto* number = std::get_if<driver::Number>(&value))
    return std::visit([](auto plain) { return nb::object(nb::cast(plain)); }, *number);
  const auto& array = std::get<driver::ReturnedArray>(value);
  if (array.parameter >= 0) return objects[array.parameter];
  auto* owner = new std::shared_ptr<void>(array.owner);
  nb::capsule keeper(owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
  nb::list keep;  // a view of an argument keeps the argument
  keep.append(keeper);
  for (const nb::object& object : objects) keep.append(object);
  return array_over(array.array, keep);
}

void raise_failed_call(const driver::Call& call, const Diagnostics& diags) {
  raise_run_error(diags, call.world ? "WorldError" : call.deadlock ? "DeadlockError" : "RunError");
}

}  // namespace tilewire::python
