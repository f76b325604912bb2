// A runtime for emitted host programs that executes no kernel itself: it asks, on standard output, whoever
// started it (execute_program.py), a line at a time, and reads the answer from standard input.
//
// Ranks are threads of which one runs at a time, in an order that does not depend on the machine: the turn
// goes on when a rank waits or has returned. When all ranks wait, `progress` lets kernels run.
#include "execute_host.h"

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

namespace tilewire::pto {
namespace {

std::istringstream ask(const std::string& line) {
  std::cout << line << '\n' << std::flush;
  std::string answer;
  if (!std::getline(std::cin, answer)) std::exit(3);  // whoever asked for this run has gone
  return std::istringstream(answer);
}

uint64_t ask_number(const std::string& line) {
  uint64_t number = 0;
  ask(line) >> number;
  return number;
}

template <class Number>
std::string list(const std::vector<Number>& numbers) {
  std::string text = " " + std::to_string(numbers.size());
  for (Number number : numbers) text += " " + std::to_string(number);
  return text;
}

template <class Number>
std::vector<Number> numbers(std::istringstream& in) {
  size_t count = 0;
  in >> count;
  std::vector<Number> made(count);
  for (Number& number : made) in >> number;
  return made;
}

}  // namespace

// Whose turn it is.
class Turns {
 public:
  explicit Turns(size_t ranks) : waits_(ranks), blocked_(ranks), left_(ranks) {}

  void begin(size_t rank) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == rank; });
  }
  void end(size_t rank) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_[rank] = true;
    pass(rank);
  }
  // Until these tasks of the rank have ended.
  void wait(size_t rank, const std::string& tasks) {
    std::unique_lock<std::mutex> lock(mutex_);
    waits_[rank] = tasks;
    blocked_[rank] = true;
    pass(rank);
    changed_.wait(lock, [&] { return turn_ == rank; });
    blocked_[rank] = false;
  }

 private:
  // To the next rank that can go on.
  void pass(size_t rank) {
    const size_t count = waits_.size();
    for (size_t i = 1; i <= count; ++i) {
      const size_t next = (rank + i) % count;
      if (left_[next] || blocked_[next]) continue;
      turn_ = next;
      return changed_.notify_all();
    }
    std::string waiting;
    for (size_t i = 0; i < count; ++i) {
      if (blocked_[i] && !left_[i]) waiting += " " + std::to_string(i) + waits_[i];
    }
    turn_ = waiting.empty() ? count : static_cast<size_t>(ask_number("progress" + waiting));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t turn_ = 0;
  std::vector<std::string> waits_;
  std::vector<bool> blocked_, left_;
};

Asking::Asking() : ranks_(static_cast<int>(ask_number("world"))) {}
Asking::~Asking() = default;

Asking::Value Asking::value(int number) const {
  auto in = ask("argument " + std::to_string(number));
  Value value;
  std::string kind;
  in >> kind;
  if (kind == "tensor") {
    int type = 0;
    uint64_t address = 0;
    in >> address >> type;
    value.tensor = dense_tensor(address, static_cast<Type>(type), numbers<int64_t>(in));
  } else if (kind == "float") {
    in >> value.floating;
  } else {
    in >> value.integer;
    value.floating = static_cast<double>(value.integer);
  }
  return value;
}

void Asking::run(const std::vector<std::function<void()>>& ranks) {
  Turns turns(ranks.size());
  turns_ = &turns;
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < ranks.size(); ++i) {
    threads.emplace_back([&, i] {
      turns.begin(i);
      place_ = i;
      try {
        ranks[i]();
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!first) first = std::current_exception();
      }
      turns.end(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  turns_ = nullptr;
  if (first) std::rethrow_exception(first);
}

thread_local size_t Asking::place_ = 0;

Address Asking::allocate(int rank, uint64_t bytes) {
  return ask_number("allocate " + std::to_string(rank) + " " + std::to_string(bytes));
}

void Asking::release(int rank, Address address, const std::vector<TaskId>& after) {
  ask("release " + std::to_string(rank) + " " + std::to_string(address) + list(after));
}

std::vector<Share> Asking::make_group(const std::vector<int>& members, uint64_t bytes) {
  auto in = ask("group " + std::to_string(bytes) + list(members));
  std::vector<Share> shares(members.size());
  for (Share& share : shares) in >> share.base >> share.context;
  return shares;
}

void Asking::release_groups() {
  ask("release_groups");
}

TaskId Asking::submit(const Task& task) {
  std::vector<uint64_t> bits;
  for (const Argument& argument : task.arguments) bits.push_back(argument.bits);
  return ask_number("submit " + std::to_string(task.rank) + " " + task.kernel->name + " " +
                    std::to_string(task.blocks) + list(task.after) + list(bits));
}

TaskId Asking::defer(int rank, const std::vector<Condition>& conditions, const std::vector<TaskId>& after) {
  std::string text = "defer " + std::to_string(rank) + list(after) + " " + std::to_string(conditions.size());
  for (const Condition& condition : conditions) {
    text += " " + std::to_string(condition.cell) + " " + std::to_string(static_cast<int>(condition.compare)) +
            " " + std::to_string(condition.expected);
  }
  return ask_number(text);
}

bool Asking::ended(int rank, TaskId task) {
  return ask_number("ended " + std::to_string(rank) + " " + std::to_string(task)) != 0;
}

void Asking::wait(int rank, const std::vector<TaskId>& tasks) {
  std::string text = " " + std::to_string(rank) + list(tasks);
  if (turns_)
    turns_->wait(place_, text);
  else
    ask("progress 0" + text);
}

void Asking::read(int, Address from, void* to, size_t bytes) {
  auto in = ask("read " + std::to_string(from) + " " + std::to_string(bytes));
  std::string hex;
  in >> hex;
  for (size_t i = 0; i < bytes && 2 * i + 1 < hex.size(); ++i) {
    static_cast<unsigned char*>(to)[i] =
        static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
}

void Asking::write(int, Address to, const void* from, size_t bytes) {
  std::string hex;
  for (size_t i = 0; i < bytes; ++i) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<const unsigned char*>(from)[i]);
    hex += two;
  }
  ask("write " + std::to_string(to) + " " + (hex.empty() ? "-" : hex));
}

}  // namespace tilewire::pto

int main() {
  std::ios::sync_with_stdio(false);
  try {
    tilewire::pto::Asking runtime;
    run_program(runtime);
    std::cout << "done\n" << std::flush;
  } catch (const std::exception& error) {
    std::string text = error.what();
    for (char& c : text) c = c == '\n' ? ' ' : c;
    std::cout << "error " << text << '\n' << std::flush;
  }
  return 0;
}
