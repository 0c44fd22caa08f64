// Handlers and buffers that the run-time libraries keep for a process: those of one rank are no
// other's.
#include <sched.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <limits>
#include <new>
#include <string>

namespace {

struct Exhausted {};

int own;  // each rank's is elsewhere

void end() {
  std::puts("terminated");
  std::fflush(stdout);
  _exit(7);
}

void exhausted() { throw Exhausted(); }

void check(bool holds, const char* what) {
  if (!holds) std::printf("%s\n", what);
  sched_yield();
}

void check_buffers() {
  const std::time_t time = static_cast<std::time_t>(reinterpret_cast<std::uintptr_t>(&own) >> 12);
  const std::time_t other = time + 1000000;
  std::tm expected{};
  gmtime_r(&time, &expected);
  const std::tm* seen = std::gmtime(&time);
  sched_yield();
  check(seen->tm_sec == expected.tm_sec && seen->tm_mday == expected.tm_mday, "gmtime");
  localtime_r(&time, &expected);
  seen = std::localtime(&time);
  sched_yield();
  check(seen->tm_sec == expected.tm_sec && seen->tm_mday == expected.tm_mday, "localtime");
  char text[26];
  const char* date = std::asctime(&expected);
  sched_yield();
  check(std::string(date) == asctime_r(&expected, text), "asctime");
  date = std::ctime(&other);
  sched_yield();
  check(std::string(date) == ctime_r(&other, text), "ctime");
  check(std::gmtime(&time) == std::localtime(&time), "one buffer");
}

/// By way of operator new, unless that is a sanitizer's, which gives up at once.
void exhaust(bool really) {
  volatile std::size_t bytes = static_cast<std::size_t>(std::numeric_limits<int>::max()) << 24;
  if (really) {
    std::free(::operator new(bytes));
  } else {
    std::get_new_handler()();
  }
}

void check_handlers(bool really) {
  const std::terminate_handler first = std::get_terminate();
  check(first != nullptr && std::set_terminate(end) == first, "the first terminate handler");
  check(std::get_terminate() == end, "the terminate handler");
  check(std::set_new_handler(exhausted) == nullptr, "the first new-handler");
  check(std::get_new_handler() == exhausted, "the new-handler");
  try {
    exhaust(really);
  } catch (const Exhausted&) {
    std::puts("out of memory");
  }
  check(std::set_new_handler(nullptr) == exhausted, "the new-handler before");
  if (!really) return;
  try {
    exhaust(true);
  } catch (const std::bad_alloc&) {
    return;
  }
  check(false, "memory without end");
}

}  // namespace

int main(int argc, char**) {
  check_buffers();
  check_handlers(argc > 1);
  std::fflush(stdout);
  throw own;
}
