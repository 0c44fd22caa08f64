// Says in one line which rank a fatal signal ended.
#include "launch/machine/crash_report.h"

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "corespec/job/missing_function.h"
#include "corespec/job/process.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/node.h"
#include "corespec/virtual/virtual_thread.h"
#include "launch/machine/signal_text.h"
#include "launch/machine/virtual_run.h"
#include "ugni_emu/gni/objects.h"

namespace launch {
namespace {

enum class Meaning : std::uint8_t {
  fault,   ///< of the rank that runs
  request  ///< from outside, aprun's, as without a handler; a rank may send it to itself
};

struct FatalSignal {
  int number;
  std::string_view name;
  Meaning meaning;
  bool has_address = false;
};
constexpr std::array<FatalSignal, 19> fatal_signals{
    {{SIGSEGV, "Segmentation fault", Meaning::fault, true},
     {SIGBUS, "Bus error", Meaning::fault, true},
     {SIGFPE, "Floating point exception", Meaning::fault, true},
     {SIGILL, "Illegal instruction", Meaning::fault, true},
     {SIGABRT, "Aborted", Meaning::fault},
     {SIGTRAP, "Trace/breakpoint trap", Meaning::fault},
     {SIGSYS, "Bad system call", Meaning::fault},
     {SIGHUP, "Hangup", Meaning::request},
     {SIGINT, "Interrupt", Meaning::request},
     {SIGQUIT, "Quit", Meaning::request},
     {SIGTERM, "Terminated", Meaning::request},
     {SIGUSR1, "User defined signal 1", Meaning::request},
     {SIGUSR2, "User defined signal 2", Meaning::request},
     {SIGPIPE, "Broken pipe", Meaning::request},
     {SIGXCPU, "CPU time limit exceeded", Meaning::request},
     {SIGXFSZ, "File size limit exceeded", Meaning::request},
     {SIGIO, "I/O possible", Meaning::request},
     {SIGALRM, "Alarm clock", Meaning::request},
     {SIGVTALRM, "Virtual timer expired", Meaning::request}}};

/// What the signal handler needs; a handler has no other way to its state.
struct Reported {
  const corespec::StackPool* stacks = nullptr;
  VirtualJob* job = nullptr;
  std::uint64_t apid = 0;
  std::array<char, 32> stack_size{};
  std::string_view (*unfinished)(int rank) = nullptr;
  std::string_view missing_library;
};
Reported reported;

/// What libc trips over are the heap's own records, as a rule.
bool in_libc(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  dl_find_object here{};
  dl_find_object libc{};
  return _dl_find_object(reinterpret_cast<void*>(registers.gregs[REG_RIP]), &here) == 0 &&
         _dl_find_object(reinterpret_cast<void*>(&std::bsearch), &libc) == 0 &&
         here.dlfo_link_map == libc.dlfo_link_map;
}

bool stack_overflowed(const siginfo_t& info, const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  const auto top = static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
  if (!reported.stacks->guarded()) {
    // It has gone through the stacks of others, down to where there are none.
    const auto* thread = static_cast<corespec::VirtualThread*>(corespec::this_thread_or_null());
    return thread != nullptr && thread->has_overflowed(top);
  }
  return reported.stacks->in_guard(reinterpret_cast<std::uintptr_t>(info.si_addr)) ||
         reported.stacks->in_guard(top);
}

/// The process has sent it to itself, or the kernel for what it did (SIGPIPE, SIGXFSZ).
bool own_doing(const siginfo_t& info) {
  const bool has_sender = info.si_code <= 0 && info.si_code != SI_TIMER;
  return has_sender && info.si_pid == getpid();
}

/// Whoever read the job's output has gone (`aprun ... | head`): no rank's fault.
bool output_is_broken() {
  std::array<pollfd, 2> streams{{{STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}}};
  syscall(SYS_poll, streams.data(), streams.size(), 0);  // poll() is interposed
  return std::any_of(streams.begin(), streams.end(),
                     [](const pollfd& each) { return (each.revents & POLLERR) != 0; });
}

/// A signal of whoever signals aprun: it ends by its default action when the handler has returned.
bool meant_for_aprun(const FatalSignal& fatal, const siginfo_t& info) {
  if (fatal.meaning == Meaning::fault) return false;
  return !own_doing(info) || (fatal.number == SIGPIPE && output_is_broken());
}

void name_place(SignalText& line, const corespec::Process* process) {
  if (process != nullptr) {
    line << "[NID ";
    line.number(static_cast<std::uint64_t>(process->node().nid()), 10, 5) << "] ";
  }
  line << "Apid ";
  line.number(reported.apid) << ": ";
  if (process == nullptr) return;
  line << "rank ";
  line.number(static_cast<std::uint64_t>(process->rank())) << ": ";
}

/// The name of what a program uses at `address`, where the dynamic loader has put what no library
/// has; or null.
const char* missing_at(const void* address) {
  Dl_info found{};
  const bool is_missing = !reported.missing_library.empty() && dladdr(address, &found) != 0 &&
                          found.dli_fname == reported.missing_library;
  return is_missing ? found.dli_sname : nullptr;
}

/// A rank that has called what no library has goes on where such calls lead.
bool goes_on_as_missing(int number, const siginfo_t& info, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (number != SIGSEGV || reinterpret_cast<std::uintptr_t>(info.si_addr) != at) return false;
  const char* name = missing_at(info.si_addr);
  if (name == nullptr) return false;
  registers[REG_RDI] = reinterpret_cast<greg_t>(name);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&castor_missing_function);
  return true;
}

void add_address(SignalText& line, const siginfo_t& info, const void* context) {
  if (stack_overflowed(info, context)) {
    line << ": its stack has overflowed; raise CASTOR_STACK_SIZE (now "
         << reported.stack_size.data() << ")";
  } else if (const char* name = missing_at(info.si_addr)) {
    line << " at a use of " << name
         << ", which no library here has; link the library that defines it";
  } else {
    line << " at address 0x";
    line.number(reinterpret_cast<std::uintptr_t>(info.si_addr), 16);
  }
}

/// The first rank that has registered memory with the address in it, or null.
const corespec::Process* owner_of(std::uintptr_t address) {
  for (int number = 0; number < reported.job->size(); ++number) {
    const corespec::Process& rank = reported.job->rank(number);
    auto* objects = static_cast<gni::Objects*>(rank.state(corespec::Process::Slot::gni));
    if (objects != nullptr && objects->has_registered(address)) return &rank;
  }
  return nullptr;
}

void print_last_words(int rank) {
  const std::string_view text = reported.unfinished(rank);
  if (text.empty()) return;
  SignalText line;
  line << "rank ";
  line.number(static_cast<std::uint64_t>(rank)) << "'s last words: " << text << "\n";
  line.print();
}

void report(int number, siginfo_t* info, void* context) {
  const FatalSignal& fatal = *std::find_if(fatal_signals.begin(), fatal_signals.end(),
                                           [&](const auto& one) { return one.number == number; });
  if (meant_for_aprun(fatal, *info)) {
    raise(number);
    return;
  }
  const corespec::Process* process = corespec::this_process_or_null();
  const bool has_address = fatal.has_address && info->si_code > 0;
  if (has_address && process != nullptr && goes_on_as_missing(number, *info, context)) return;
  // The NIC moves the ranks' data in events, which are no rank's code.
  const bool by_nic = process == nullptr && has_address;
  if (by_nic) process = owner_of(reinterpret_cast<std::uintptr_t>(info->si_addr));
  SignalText line;
  if (process == nullptr) {
    if (in_libc(context)) {
      line << "aprun: " << fatal.name
           << " in libc, outside the ranks' code: the heap, which all "
              "ranks share, is corrupt. A rank has written beyond its memory: --clock live or "
              "valgrind shows which\n";
    } else {
      line << "aprun: internal error: " << fatal.name << " outside the ranks' code\n";
    }
    line.print();
    raise(number);  // with its default action, once the handler has returned
    return;
  }
  name_place(line, process);
  line << fatal.name;
  if (has_address) add_address(line, *info, context);
  if (by_nic) {
    const bool is_there = number == SIGSEGV && info->si_code == SEGV_ACCERR;
    line << (is_there ? ", in memory that the rank has registered and then protected from the NIC"
                      : ", where the NIC finds no more of the memory that the rank has registered");
  }
  line << "\nApplication ";
  line.number(reported.apid) << " exit signals: " << fatal.name << "\n";
  line.print();
  // Last: if the rank has ruined what this reads, the lines above are out.
  print_last_words(process->rank());
  // Not _exit(), which is interposed and would end the rank alone.
  constexpr int signal_exit = 128;
  syscall(SYS_exit_group, signal_exit + number);
}

}  // namespace

CrashReport::CrashReport(VirtualRun& run, std::uint64_t apid,
                         std::string_view (*unfinished)(int rank),
                         const std::string& missing_library)
    : missing_library_(missing_library) {
  reported = Reported{&run.machine().stacks(), &run.job(), apid, {}, unfinished, missing_library_};
  const std::string size = corespec::shown_value(run.parameters(), "CASTOR_STACK_SIZE");
  size.copy(reported.stack_size.data(), reported.stack_size.size() - 1);
  stack_t alternate{};
  alternate.ss_sp = stack_.data();
  alternate.ss_size = stack_.size();
  sigaltstack(&alternate, &previous_stack_);
  // A sanitizer's own, which it expects to find again.
  if ((previous_stack_.ss_flags & SS_DISABLE) == 0) sigaltstack(&previous_stack_, nullptr);
  for (const FatalSignal& fatal : fatal_signals) {
    struct sigaction action {};
    sigaction(fatal.number, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigaction(fatal.number, &action, nullptr);
  }
}

CrashReport::~CrashReport() {
  for (const FatalSignal& fatal : fatal_signals) {
    struct sigaction action {};
    sigaction(fatal.number, nullptr, &action);
    if (action.sa_sigaction == report) signal(fatal.number, SIG_DFL);
  }
  sigaltstack(&previous_stack_, nullptr);
}

}  // namespace launch
