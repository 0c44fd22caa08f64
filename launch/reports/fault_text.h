// What a fatal signal was for, and where its thread was, in words put together in its handler.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "corespec/threads/thread.h"
#include "launch/reports/signal_text.h"

namespace launch {

/// Signals that say what a process has done, and whether the kernel tells an address with them.
struct Fault {
  int number;
  std::string_view name;
  bool has_address = false;
};
constexpr std::array<Fault, 7> faults{{{SIGSEGV, "Segmentation fault", true},
                                       {SIGBUS, "Bus error", true},
                                       {SIGFPE, "Floating point exception", true},
                                       {SIGILL, "Illegal instruction", true},
                                       {SIGABRT, "Aborted"},
                                       {SIGTRAP, "Trace/breakpoint trap"},
                                       {SIGSYS, "Bad system call"}}};

/// Null: the signal is none of them.
inline const Fault* find_fault(int number) {
  for (const Fault& fault : faults) {
    if (fault.number == number) return &fault;
  }
  return nullptr;
}

/// An instruction has raised it, or the process itself has sent it.
inline bool is_own_doing(const siginfo_t& info) {
  return info.si_code > 0 || (info.si_code != SI_TIMER && info.si_pid == getpid());
}

/// " at address 0x1234", of a fault that an instruction has raised.
inline void add_address(SignalText& line, const siginfo_t& info) {
  // The kernel does not know it if no memory could ever have it.
  if (info.si_code == SI_KERNEL && info.si_addr == nullptr) {
    line << " at an address that no memory has";
    return;
  }
  line << " at address 0x";
  line.number(reinterpret_cast<std::uintptr_t>(info.si_addr), 16);
}

/// "in MPI_Send", after `before`; of a library's own thread, which it is. Nothing for the program's
/// own code, and for null. For the calling thread, and while no thread runs.
inline void add_place(SignalText& line, std::string_view before, const corespec::Thread* thread) {
  if (thread == nullptr) return;
  if (thread->role() == corespec::ThreadRole::progress) {
    line << before << "in its progress thread";
  } else if (thread->role() == corespec::ThreadRole::helper) {
    line << before << "in ARMCI's helper thread";
  } else if (const char* const call = thread->call()) {
    line << before << "in " << call;
  }
}

}  // namespace launch
