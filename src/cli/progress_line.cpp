#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace tilewire::cli {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool ProgressLine::due() {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now - start_ < std::chrono::seconds(1)) return false;
  return !shown_ || now - last_ >= std::chrono::milliseconds(200);
}

void ProgressLine::show(const std::string& text) {
  last_ = Clock::now();
  shown_ = true;
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
}

void ProgressLine::erase() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace tilewire::cli
