// Ends a process whose main thread has ended alone, when its other threads have.
#include "launch/live_rank/main_thread_end.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "corespec/host/os_thread.h"

namespace launch {
namespace {

const char* const tasks = "/proc/self/task";

std::string name_of_thread(int number) {
  std::string name;
  std::getline(std::ifstream(std::string(tasks) + "/" + std::to_string(number) + "/comm"), name);
  return name;
}

/// What a program's thread that has no name inherits, is the program's.
bool named_by_libraries(int number) {
  const std::string name = name_of_thread(number);
  return name.rfind("castor-", 0) == 0 && name != name_of_thread(getpid());
}

/// Called as the main thread ends, after the destructors of its own objects.
void await_other_threads(void* of_libraries) {
  const std::unique_ptr<const std::set<int>> known(static_cast<const std::set<int>*>(of_libraries));
  constexpr std::int64_t between_looks = 10'000'000;
  const auto is_programs = [&known](int thread) {
    return thread != getpid() && known->count(thread) == 0 && !named_by_libraries(thread);
  };
  for (;;) {
    const std::set<int> threads = threads_of_process();
    if (std::none_of(threads.begin(), threads.end(), is_programs)) break;
    corespec::OsThread::rest(between_looks);
  }
  std::exit(EXIT_SUCCESS);
}

}  // namespace

std::set<int> threads_of_process() {
  std::set<int> numbers;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(tasks, none)) {
    numbers.insert(std::stoi(entry.path().filename()));
  }
  return numbers;
}

void end_process_after_main_thread(std::set<int> of_libraries) {
  if (corespec::OsThread::caller_id() != getpid()) return;
  pthread_key_t key{};
  if (pthread_key_create(&key, await_other_threads) != 0) return;
  pthread_setspecific(key, std::make_unique<std::set<int>>(std::move(of_libraries)).release());
}

}  // namespace launch
