// The host part of a run: the host function runs once, before any rank does. Its dispatches are recorded,
// checked as a whole, and becomes the work of the ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/arena.h"
#include "runtime/array_parts.h"
#include "runtime/job.h"
#include "runtime/run.h"
#include "runtime/windows.h"

namespace tilewire::runtime {

class Host {
 public:
  explicit Host(Run& run) : run_(run) {}

  // Runs the host function and checks its dispatches. Returns false if it failed; the run has the error.
  bool call(const Request& request, Worker& worker);
  // The dispatches to ranks that live here, until the next call.
  std::span<const Dispatch> dispatches() const { return dispatches_; }

  // The parts of the caller's arrays that it passed; kept only if ranks live elsewhere, too.
  const ArrayParts& parts() const { return parts_; }

  // Copies rows of arguments into the windows and out of them, for `load_from_host` and `store_to_host`.
  void stage_in();
  void stage_out();

  // Called by the host function.
  abi::Status window(BlockContext& context, uint32_t number, int64_t bytes, uint32_t site);
  abi::Status dispatch(BlockContext& context, const abi::DeviceCall& call);

 private:
  struct Call {
    const abi::Function* entry;
    int32_t rank;
    size_t args, results;  // where in words_
    size_t arg_count, result_count;
  };
  struct Buffer {
    std::optional<Windows::Place> place;
    std::vector<bool> handed;  // ranks it was passed to
    uint32_t site = 0;         // of the first dispatch that did
    bool used = false;
    bool allocated = false;
  };

  // The argument that contains an address, among those that are only partly here; null: none.
  const HostRows* rows_at(abi::Word address) const;
  // Translates the address of a tensor for a rank that lives here. Returns false if not all of it is here.
  bool place_rows(BlockContext& context, const abi::DeviceCall& call, const abi::Param& param,
                  abi::Word* tensor);
  bool resolve(BlockContext& context, const abi::DeviceCall& call, uint32_t number, abi::Word* address,
               abi::Word* window);
  bool complete(BlockContext& context);
  // Rows that are staged, as parts of arrays.
  void add_staged(int32_t param, const Buffer& buffer, bool written);
  bool shares_nothing_written(BlockContext& context);
  bool check_staged(BlockContext& context, int32_t param, uint32_t number, int64_t bytes, uint32_t site);
  void stage(int32_t param, const Buffer& buffer, bool in);
  const abi::Word* words_of(int32_t param) const;
  abi::Status fail(BlockContext& context, Diag row, std::vector<std::string> words, uint32_t site);

  Run& run_;
  const abi::Function* function_ = nullptr;
  const abi::Word* args_ = nullptr;
  std::span<const HostRows> rows_;
  std::vector<Buffer> buffers_;  // by number in Module::windows
  std::vector<Call> calls_;
  std::vector<abi::Word> words_;
  std::vector<Dispatch> dispatches_;
  ArrayParts parts_;
  Arena arena_;
};

}  // namespace tilewire::runtime
