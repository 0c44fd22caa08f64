// Says in one line which rank a fatal signal ended.
#include "launch/machine/crash_report.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "corespec/job/process.h"
#include "corespec/threads/node.h"
#include "launch/machine/virtual_run.h"

namespace launch {
namespace {

struct FatalSignal {
  int number;
  std::string_view name;
  bool has_address;
};
constexpr std::array<FatalSignal, 5> fatal_signals{{{SIGSEGV, "Segmentation fault", true},
                                                    {SIGBUS, "Bus error", true},
                                                    {SIGFPE, "Floating point exception", true},
                                                    {SIGILL, "Illegal instruction", true},
                                                    {SIGABRT, "Aborted", false}}};

/// What the signal handler needs; a handler has no other way to its state.
struct Reported {
  const corespec::StackPool* stacks = nullptr;
  std::uint64_t apid = 0;
  std::array<char, 32> stack_size{};
  std::string_view (*unfinished)(int rank) = nullptr;
};
Reported reported;

/// Text put together without memory allocation, as a signal handler must.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const std::size_t length = std::min(text.size(), room());
    std::copy_n(text.begin(), length, end_);
    end_ += length;
    return *this;
  }
  Line& number(std::uint64_t value, int base = 10, std::size_t width = 0) {
    std::array<char, 24> digits{};
    char* const last = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
    const auto length = static_cast<std::size_t>(last - digits.data());
    for (std::size_t i = length; i < width; ++i) *this << "0";
    return *this << std::string_view(digits.data(), length);
  }
  void print() const {
    // Not write(), which is interposed and would be the rank's own.
    syscall(SYS_write, STDERR_FILENO, text_.data(), text_.size() - room());
  }

 private:
  std::size_t room() const { return static_cast<std::size_t>(text_.data() + text_.size() - end_); }
  std::array<char, 512> text_;
  char* end_ = text_.data();
};

bool stack_overflowed(const siginfo_t& info, const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  const auto top = static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
  return reported.stacks->in_guard(reinterpret_cast<std::uintptr_t>(info.si_addr)) ||
         reported.stacks->in_guard(top);
}

void report(int number, siginfo_t* info, void* context) {
  const FatalSignal& fatal = *std::find_if(fatal_signals.begin(), fatal_signals.end(),
                                           [&](const auto& one) { return one.number == number; });
  const corespec::Process* process = corespec::this_process_or_null();
  Line line;
  if (process == nullptr) {
    line << "aprun: internal error: " << fatal.name << " outside the ranks' code\n";
    line.print();
    raise(number);  // with its default action, once the handler has returned
    return;
  }
  line << "[NID ";
  line.number(static_cast<std::uint64_t>(process->node().nid()), 10, 5) << "] Apid ";
  line.number(reported.apid) << ": rank ";
  line.number(static_cast<std::uint64_t>(process->rank())) << ": " << fatal.name;
  if (fatal.has_address && info->si_code > 0) {
    if (stack_overflowed(*info, context)) {
      line << ": its stack has overflowed; raise CASTOR_STACK_SIZE (now "
           << reported.stack_size.data() << ")";
    } else {
      line << " at address 0x";
      line.number(reinterpret_cast<std::uintptr_t>(info->si_addr), 16);
    }
  }
  line << "\nApplication ";
  line.number(reported.apid) << " exit signals: " << fatal.name << "\n";
  line.print();
  // Last: if the rank has ruined what this reads, the lines above are out.
  if (const std::string_view text = reported.unfinished(process->rank()); !text.empty()) {
    Line rest;
    rest << "rank ";
    rest.number(static_cast<std::uint64_t>(process->rank())) << "'s last words: " << text << "\n";
    rest.print();
  }
  // Not _exit(), which is interposed and would end the rank alone.
  constexpr int signal_exit = 128;
  syscall(SYS_exit_group, signal_exit + number);
}

}  // namespace

CrashReport::CrashReport(VirtualRun& run, std::uint64_t apid,
                         std::string_view (*unfinished)(int rank)) {
  reported = Reported{&run.machine().stacks(), apid, {}, unfinished};
  for (const corespec::ParameterInfo& row : corespec::describe(run.parameters())) {
    if (row.env != "CASTOR_STACK_SIZE") continue;
    const std::string_view value = row.value;
    std::copy_n(value.begin(), std::min(value.size(), reported.stack_size.size() - 1),
                reported.stack_size.begin());
  }
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
