// Says in one line which rank a fatal signal ended.
#include "launch/virtual_run/crash_report.h"

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
#include <utility>

#include "corespec/host/without_data.h"
#include "corespec/job/missing_function.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "corespec/virtual/virtual_node.h"
#include "corespec/virtual/virtual_thread.h"
#include "launch/reports/fault_text.h"
#include "launch/reports/signal_text.h"
#include "launch/virtual_run/virtual_run.h"
#include "ugni_emu/gni/objects.h"

namespace launch {
namespace {

/// From outside, aprun's, as without a handler; but a rank may send one to itself.
struct Request {
  int number;
  std::string_view name;
};
constexpr std::array<Request, 12> requests{{{SIGHUP, "Hangup"},
                                            {SIGINT, "Interrupt"},
                                            {SIGQUIT, "Quit"},
                                            {SIGTERM, "Terminated"},
                                            {SIGUSR1, "User defined signal 1"},
                                            {SIGUSR2, "User defined signal 2"},
                                            {SIGPIPE, "Broken pipe"},
                                            {SIGXCPU, "CPU time limit exceeded"},
                                            {SIGXFSZ, "File size limit exceeded"},
                                            {SIGIO, "I/O possible"},
                                            {SIGALRM, "Alarm clock"},
                                            {SIGVTALRM, "Virtual timer expired"}}};

std::string_view name_of_request(int number) {
  for (const Request& request : requests) {
    if (request.number == number) return request.name;
  }
  return "Signal";  // none comes here
}

/// What the signal handler needs; a handler has no other way to its state.
struct Reported {
  const corespec::StackPool* stacks = nullptr;
  VirtualJob* job = nullptr;
  std::uint64_t apid = 0;
  std::array<char, 32> stack_size{};
  JobOutput* output = nullptr;
  std::string_view missing_library;
  bool naming = false;  ///< the handler looks for the rank whose fault it is
  bool said = false;  ///< and has said it: what is left to say is not worth a further fault's line
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
bool own_request(const siginfo_t& info) { return info.si_code <= 0 && is_own_doing(info); }

/// The reader of the job's output has gone (`aprun ... | head`): no rank's fault.
bool output_is_broken() {
  std::array<pollfd, 2> streams{{{STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}}};
  syscall(SYS_poll, streams.data(), streams.size(), 0);  // poll() is interposed
  return std::any_of(streams.begin(), streams.end(),
                     [](const pollfd& each) { return (each.revents & POLLERR) != 0; });
}

/// A signal that was sent to aprun itself: it ends by its default action when the handler has
/// returned.
bool meant_for_aprun(const siginfo_t& info) {
  return !own_request(info) || (info.si_signo == SIGPIPE && output_is_broken());
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

void add_address_or_name(SignalText& line, const siginfo_t& info) {
  if (const char* name = missing_at(info.si_addr)) {
    line << " at a use of " << name << ", which no library here has; "
         << corespec::missing_function_remedy(name);
  } else {
    add_address(line, info);
  }
}

void name_rank(SignalText& line, const corespec::Process& process) {
  line << "[NID ";
  line.number(static_cast<std::uint64_t>(process.node().nid()), 10, 5) << "] Apid ";
  line.number(reported.apid) << ": rank ";
  line.number(static_cast<std::uint64_t>(process.rank())) << ": ";
}

/// The first rank of this part that has registered memory with the address in it, or null.
const corespec::Process* owner_of(std::uintptr_t address) {
  for (const int number : reported.job->own_ranks()) {
    const corespec::Process& rank = reported.job->rank(number);
    auto* objects = static_cast<gni::Objects*>(rank.state(corespec::Process::Slot::gni));
    if (objects != nullptr && objects->has_registered(address)) return &rank;
  }
  return nullptr;
}

const corespec::VirtualNode& node_of(const corespec::Process& rank) {
  return static_cast<const corespec::VirtualNode&>(rank.node());
}

/// A rank's first one, or null. In an event, and for a rank that does not run: no thread runs.
const corespec::Thread* main_thread_of(const corespec::Process& rank) {
  for (const auto& thread : node_of(rank).threads()) {
    const bool own = thread->process() == &rank;
    if (own && thread->role() == corespec::ThreadRole::application) return thread.get();
  }
  return nullptr;
}

/// The rank whose fault it is, as far as can be known.
struct Blamed {
  const corespec::Process* rank = nullptr;   ///< null: none is known
  const corespec::Thread* thread = nullptr;  ///< of the rank: what it is doing
  bool by_nic = false;  ///< the NIC moves the ranks' data in events, which are no rank's code
  const corespec::Process* reader = nullptr;  ///< that copies from the rank's memory, or null
};

Blamed blamed_without_address() {
  Blamed blamed;
  blamed.thread = corespec::this_thread_or_null();
  blamed.rank = corespec::this_process_or_null();
  return blamed;
}

Blamed blamed_for(const void* address) {
  Blamed blamed = blamed_without_address();
  if (blamed.rank == nullptr) {
    blamed.by_nic = true;
    blamed.rank = owner_of(reinterpret_cast<std::uintptr_t>(address));
    if (blamed.rank != nullptr) blamed.thread = main_thread_of(*blamed.rank);
    return blamed;
  }
  const int owner = node_of(*blamed.rank).node_memory().rank_copied_from(address);
  if (owner < 0) return blamed;
  blamed.reader = std::exchange(blamed.rank, &reported.job->rank(owner));
  blamed.thread = main_thread_of(*blamed.rank);
  return blamed;
}

void add_nics_reason(SignalText& line, const siginfo_t& info) {
  const bool is_there = info.si_signo == SIGSEGV && info.si_code == SEGV_ACCERR;
  line << (is_there ? ", in memory that the rank has registered and then protected from the NIC"
                    : ", where the NIC finds no more of the memory that the rank has registered");
}

void add_circumstances(SignalText& line, const Blamed& blamed) {
  add_place(line, blamed.by_nic ? "; the rank is " : ", ", blamed.thread);
  if (blamed.reader == nullptr) return;
  line << ", where rank ";
  line.number(static_cast<std::uint64_t>(blamed.reader->rank())) << " finds no message to copy";
}

void print_last_words(int rank, std::string_view text) {
  if (text.empty()) return;
  SignalText line;
  line << "rank ";
  line.number(static_cast<std::uint64_t>(rank)) << "'s last words: " << text << "\n";
  line.print();
}

constexpr int code_of_signal = 128;

/// Not _exit(), which is interposed and would end the rank alone. Does not return, and is not said
/// to: before a call that is, AddressSanitizer tidies the stack up, which here is the alternate
/// one.
void end(int number) { syscall(SYS_exit_group, code_of_signal + number); }

/// A fault of the handler's own: a rank has overwritten what would name it.
void report_ruins(std::string_view name) {
  SignalText line;
  line << "aprun: " << name
       << ": the heap, which all ranks share, is corrupt, and with it what would name the rank. A "
          "rank has written beyond its memory: --clock live or valgrind shows which\n";
  line.print();
}

/// A fault that ends the run, while what ranks have written goes out: that may come to a fault of
/// its own, as the heap may be in ruins, and then the first one is told all the same.
struct Death {
  int number = 0;
  std::string_view name;
  const siginfo_t* info = nullptr;  ///< on the handler's stack, as long as it does not return
  const void* context = nullptr;
  bool has_address = false;
  Blamed blamed;
  bool writes_out = false;
  std::string_view unfinished;  ///< the rank's last line
};
Death death;

/// A program may send and receive what MPI_Alloc_mem has given it without data; it cannot look.
void tell_no_data() {
  SignalText line;
  name_rank(line, *death.blamed.rank);
  line << "reads or writes memory without data at address 0x";
  line.number(reinterpret_cast<std::uintptr_t>(death.info->si_addr), 16);
  add_place(line, ", ", death.blamed.thread);
  line << " (from MPI_Alloc_mem with castor_data=none; allowed: to send and receive it)\n";
  line.print();
  reported.said = true;
  print_last_words(death.blamed.rank->rank(), death.unfinished);
  syscall(SYS_exit_group, 1);  // see end()
}

void tell() {
  const Blamed& blamed = death.blamed;
  const siginfo_t& info = *death.info;
  if (death.has_address && corespec::without_data::holds(info.si_addr)) tell_no_data();
  SignalText line;
  name_rank(line, *blamed.rank);
  line << death.name;
  const bool overflow =
      death.has_address && !blamed.by_nic && stack_overflowed(info, death.context);
  if (death.has_address && !overflow) add_address_or_name(line, info);
  if (blamed.by_nic) add_nics_reason(line, info);
  // Out first: the rank may have ruined what is read from here on.
  line.print();
  SignalText rest;
  if (find_fault(death.number) != nullptr && is_own_doing(info)) add_circumstances(rest, blamed);
  if (overflow) {
    rest << ": its stack has overflowed; raise CASTOR_STACK_SIZE (now "
         << reported.stack_size.data() << ")";
  }
  rest << "\nApplication ";
  rest.number(reported.apid) << " exit signals: " << death.name << "\n";
  rest.print();
  reported.said = true;
  print_last_words(blamed.rank->rank(), death.unfinished);
  end(death.number);
}

/// The signal's default action ends the process, once its handler has returned.
void report_without_rank(int number, std::string_view name, const void* context) {
  SignalText line;
  if (in_libc(context)) {
    line << "aprun: " << name
         << " in libc, outside the ranks' code: the heap, which all "
            "ranks share, is corrupt. A rank has written beyond its memory: --clock live or "
            "valgrind shows which\n";
  } else {
    line << "aprun: internal error: " << name << " outside the ranks' code\n";
  }
  line.print();
  signal(number, SIG_DFL);
  raise(number);
}

void report(int number, siginfo_t* info, void* context) {
  const Fault* const fault = find_fault(number);
  if (fault == nullptr && meant_for_aprun(*info)) {
    raise(number);
    return;
  }
  const std::string_view name = fault != nullptr ? fault->name : name_of_request(number);
  if (std::exchange(death.writes_out, false)) tell();
  if (reported.naming) {
    if (!reported.said) report_ruins(name);
    end(number);
    return;
  }
  const bool has_address = fault != nullptr && fault->has_address && info->si_code > 0;
  if (has_address && corespec::this_process_or_null() != nullptr &&
      goes_on_as_missing(number, *info, context)) {
    return;
  }
  reported.naming = true;
  const Blamed blamed = has_address ? blamed_for(info->si_addr) : blamed_without_address();
  if (blamed.rank == nullptr) {
    report_without_rank(number, name, context);
    return;
  }
  death = Death{number, name, info, context, has_address, blamed, true, {}};
  death.unfinished = reported.output->end_all_but_error_of(blamed.rank->rank());
  death.writes_out = false;
  tell();
}

/// Gives the signal to report(), unless another thread has it already. With SA_NODEFER a fault in
/// report() comes to it, too.
void take_over(int number, int flags) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler != SIG_DFL) return;
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
  sigaction(number, &action, nullptr);
}

void give_back(int number) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  if (action.sa_sigaction == report) signal(number, SIG_DFL);
}

}  // namespace

CrashReport::CrashReport(VirtualRun& run, std::uint64_t apid, JobOutput& output,
                         const std::string& missing_library)
    : missing_library_(missing_library) {
  reported = Reported{&run.machine().stacks(), &run.job(), apid, {}, &output, missing_library_};
  const std::string size = corespec::shown_value(run.parameters(), "CASTOR_STACK_SIZE");
  size.copy(reported.stack_size.data(), reported.stack_size.size() - 1);
  stack_t alternate{};
  alternate.ss_sp = stack_.data();
  alternate.ss_size = stack_.size();
  sigaltstack(&alternate, &previous_stack_);
  // A sanitizer's own, which it expects to find again.
  if ((previous_stack_.ss_flags & SS_DISABLE) == 0) sigaltstack(&previous_stack_, nullptr);
  for (const Fault& fault : faults) take_over(fault.number, SA_NODEFER);
  for (const Request& request : requests) {
    take_over(request.number, static_cast<int>(SA_RESETHAND));
  }
}

CrashReport::~CrashReport() {
  for (const Fault& fault : faults) give_back(fault.number);
  for (const Request& request : requests) give_back(request.number);
  sigaltstack(&previous_stack_, nullptr);
}

}  // namespace launch
