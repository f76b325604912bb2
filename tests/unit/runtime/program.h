// Programs for tests: plain functions behind the ABI that generated code has.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "runtime/run.h"

namespace tilewire::runtime {

using abi::Context;
using abi::Status;
using abi::Word;
using Body = std::function<Status(Context*, const Word* args)>;

// Every function has the address of its Body as first argument, and hands the others on.
inline Status call_body(Context* context, const Word* args, Word*) {
  return (*reinterpret_cast<const Body*>(args[0]))(context, args + 1);
}

inline abi::Param scalar() {
  return {"n", abi::ParamKind::Scalar, 0, 0, 8, 0, {}};
}
inline abi::Param tensor(int access, int rank = 1, int element_bytes = 4) {
  return {"t",
          abi::ParamKind::Tensor,
          static_cast<uint8_t>(access),
          static_cast<uint8_t>(rank),
          static_cast<uint8_t>(element_bytes),
          0,
          {}};
}

inline abi::Param window_param(int access, int rank = 1) {
  abi::Param param = tensor(access, rank);
  param.kind = abi::ParamKind::Window;
  return param;
}

inline abi::Site place(const char* what, uint32_t line) {
  return {"k.py", what, line, 5};
}

class Program {
 public:
  Program() { sites_.push_back({"", "", 0, 0}); }

  uint32_t site(const char* what, uint32_t line) {
    sites_.push_back(place(what, line));
    return static_cast<uint32_t>(sites_.size() - 1);
  }

  // A function whose parameters are its body and then `params`.
  const abi::Function& function(const char* name, std::vector<abi::Param> params, uint32_t bits = 0,
                                uint64_t arena = 0) {
    params.insert(params.begin(), scalar());
    params_.push_back(std::move(params));
    const auto& kept = params_.back();
    functions_.push_back(
        {name, call_body, kept.data(), nullptr, static_cast<uint32_t>(kept.size()), 0, arena, bits, 0});
    return functions_.back();
  }

  // Runs `body` as the orchestration function.
  Outcome run(const Body& body, int threads, Request request = {}) {
    const abi::Function& entry = function("main", {});
    Word args[] = {reinterpret_cast<Word>(&body)};
    Dispatch dispatch{.rank = 0, .entry = &entry, .args = args, .results = {}};
    request.dispatches = {&dispatch, 1};
    return run_dispatches(threads, request);
  }
  // Runs `body` as the host function. Its words after the body are `args`, of `params`.
  Outcome run_host(const Body& body, int threads, Request request, std::vector<abi::Param> params = {},
                   const std::vector<Word>& args = {}) {
    request.host = &function("host", std::move(params));
    std::vector<Word> words{reinterpret_cast<Word>(&body)};
    words.insert(words.end(), args.begin(), args.end());
    request.host_args = words;
    return run_dispatches(threads, request);
  }
  // A window buffer of the host function; gives its number. Parameters are counted without the body.
  uint32_t window(const char* name, uint32_t site, int32_t load_from = -1, int32_t store_to = -1) {
    auto param = [](int32_t number) { return number < 0 ? number : number + 1; };
    windows_.push_back({name, 0, param(load_from), param(store_to), site});
    return static_cast<uint32_t>(windows_.size() - 1);
  }

  Outcome run_dispatches(int threads, Request request) {
    module_ = {};
    module_.abi_version = abi::version;
    module_.bits = bits;
    module_.windows = windows_.data();
    module_.window_count = static_cast<uint32_t>(windows_.size());
    module_.sites = sites_.data();
    module_.site_count = static_cast<uint32_t>(sites_.size());
    request.module = &module_;
    request.threads = threads;
    request.more_than_cores = true;
    return runtime::run(request);
  }

  uint32_t bits = 0;  // ModuleBits

 private:
  std::deque<std::vector<abi::Param>> params_;
  std::deque<abi::Function> functions_;
  std::vector<abi::Site> sites_;
  std::vector<abi::HostWindow> windows_;
  abi::Module module_{};
};

// Dispatches `entry` from a host function, with `body` as what it runs.
inline Status dispatch(Context* context, const abi::Function& entry, const Body& body, int64_t device,
                       std::vector<Word> args = {}, uint32_t site = 0) {
  args.insert(args.begin(), reinterpret_cast<Word>(&body));
  abi::DeviceCall call{&entry, args.data(), device, site, 0};
  return context->api->dispatch(context, &call);
}

struct LaunchOptions {
  std::vector<Word> args{};
  int64_t blocks = 1;
  std::vector<abi::TaskId> deps{};
  uint64_t untracked = 0;
  uint32_t bits = 0;
  uint32_t site = 0;
};

// Submits a call of `kernel` that runs `body`. Gives the status; `id` may be null.
inline Status submit(Context* context, const abi::Function& kernel, const Body& body,
                     const LaunchOptions& options = {}, abi::TaskId* id = nullptr) {
  std::vector<Word> args = options.args;
  args.insert(args.begin(), reinterpret_cast<Word>(&body));
  uint64_t untracked = options.untracked << 1;
  abi::TaskId ignored;
  abi::Launch launch{&kernel,      args.data(),    options.deps.data(),
                     &untracked,   options.blocks, static_cast<uint32_t>(options.deps.size()),
                     options.bits, options.site,   0};
  return context->api->submit(context, &launch, id ? id : &ignored);
}

// The words of a row-major tensor.
template <class T>
std::vector<Word> dense(T* data, std::vector<int64_t> extents) {
  std::vector<Word> words{reinterpret_cast<Word>(data)};
  for (int64_t extent : extents) words.push_back(static_cast<Word>(extent));
  for (size_t i = 0; i < extents.size(); ++i) {
    int64_t stride = 1;
    for (size_t k = i + 1; k < extents.size(); ++k) stride *= extents[k];
    words.push_back(static_cast<Word>(stride));
  }
  return words;
}
inline std::vector<Word> join(std::vector<Word> a, const std::vector<Word>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string text(const Outcome& outcome) {
  return outcome.error ? render(*outcome.error) : "";
}

}  // namespace tilewire::runtime
