// Asks a thread for its calling context by a signal.
#include "launch/live_rank/thread_contexts.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "corespec/host/os_thread.h"

namespace launch {
namespace {

/// What the signal handler answers; a handler has no other way to its state.
std::atomic<void*> asked_question{nullptr};

/// R: has a CPU or waits for one.
bool runs(int thread) {
  std::FILE* const file = std::fopen(fmt::format("/proc/self/task/{}/stat", thread).c_str(), "re");
  if (file == nullptr) return false;
  std::array<char, 256> text{};
  const std::size_t bytes = std::fread(text.data(), 1, text.size() - 1, file);
  std::fclose(file);
  // The name before it may have any letters.
  const auto* const name_ends = static_cast<const char*>(memrchr(text.data(), ')', bytes));
  return name_ends != nullptr && name_ends[1] == ' ' && name_ends[2] == 'R';
}

bool send_question(int thread, void* question) {
  siginfo_t info{};
  info.si_signo = SIGQUIT;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = question;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, SIGQUIT, &info) == 0;
}

}  // namespace

std::vector<void*> ThreadContexts::of(int thread, bool asleep, int patience_ms) {
  if (thread == 0 || (!asleep && !runs(thread))) return {};
  Question& question = unanswered_.emplace_back();
  // The process's first context is not for a handler.
  corespec::own_context(question.context);
  asked_question.store(&question, std::memory_order_release);
  if (send_question(thread, &question)) {
    for (int ms = 0; ms < patience_ms && question.found.load(std::memory_order_acquire) == 0;
         ++ms) {
      corespec::OsThread::rest(1'000'000);
    }
  }
  asked_question.store(nullptr, std::memory_order_release);
  const std::size_t found = question.found.load(std::memory_order_acquire);
  if (found == 0) return {};
  std::vector<void*> context(question.context.begin(),
                             question.context.begin() + static_cast<std::ptrdiff_t>(found));
  unanswered_.pop_back();
  return context;
}

bool ThreadContexts::answered(const siginfo_t& info) {
  if (info.si_code != SI_QUEUE || info.si_pid != getpid()) return false;
  void* const asked = asked_question.load(std::memory_order_acquire);
  if (asked == nullptr || asked != info.si_value.sival_ptr) return true;  // too late
  auto& question = *static_cast<Question*>(asked);
  question.found.store(corespec::own_context(question.context), std::memory_order_release);
  return true;
}

}  // namespace launch
