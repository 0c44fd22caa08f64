// Says what a rank of a live job was doing when a fatal signal came.
#include "launch/live_rank/fault_report.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "corespec/host/os_thread.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/process.h"
#include "launch/live_rank/kept_output.h"
#include "launch/live_rank/launcher_socket.h"
#include "launch/live_rank/state_report.h"
#include "launch/reports/fault_text.h"
#include "launch/reports/kept_errno.h"
#include "ugni_emu/gni/objects.h"

namespace launch {
namespace {

constexpr std::size_t stack_bytes = 65536;

/// What the signal handler needs; a handler has no other way to its state.
struct Reported {
  const corespec::Process* process = nullptr;
  pid_t pid = 0;
  LauncherSocket launcher;
  std::array<struct sigaction, faults.size()> before;  ///< what the handler does after its report
};
Reported reported;

bool is_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL;
}

void tell(int number, std::string_view name, const SignalText& what) {
  SignalText message;
  const std::array<char, 2> head{state_message::fault, static_cast<char>(number)};
  message << std::string_view(head.data(), head.size()) << what.text();
  if (reported.launcher.send_at_once(message.text())) return;
  SignalText line;
  line << "castor: rank ";
  line.number(static_cast<std::uint64_t>(reported.process->rank()));
  line << ": " << name << what.text() << "\n";
  line.print();
}

/// The thread that does the NIC's work while no other does.
bool is_nics_thread() {
  std::array<char, 16> name{};
  prctl(PR_GET_NAME, name.data());
  return std::string_view(name.data()) == "castor-nic";
}

bool is_registered(const void* address) {
  const auto slot = corespec::Process::Slot::gni;
  auto* const objects = static_cast<gni::Objects*>(reported.process->state(slot));
  return objects != nullptr && objects->has_registered(reinterpret_cast<std::uintptr_t>(address));
}

void report(const Fault& fault, const siginfo_t& info, const corespec::Thread* thread) {
  SignalText what;
  const bool has_address = fault.has_address && info.si_code > 0;
  if (has_address) add_address(what, info);
  if (is_own_doing(info)) {
    const bool by_nic = thread == nullptr && is_nics_thread();
    const bool in_library = by_nic || (thread != nullptr && thread->call() != nullptr);
    if (by_nic) what << ", in the NIC's thread";
    add_place(what, ", ", thread);
    if (has_address && in_library && is_registered(info.si_addr)) {
      what << ", in memory that is registered with the NIC";
    }
  }
  tell(fault.number, fault.name, what);
}

/// As if this handler were not there.
void pass_on(const struct sigaction& before, const Fault& fault, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(fault.number, info, context);
  } else if (before.sa_handler != SIG_DFL) {
    before.sa_handler(fault.number);
  } else if (!fault.has_address || info->si_code <= 0) {
    raise(fault.number);  // ends the process when this handler has returned
  }                       // else the instruction raises it again
}

void on_fault(int number, siginfo_t* info, void* context) {
  const KeptErrno kept_errno;
  const Fault& fault = *find_fault(number);
  const auto place = static_cast<std::size_t>(&fault - faults.data());
  const struct sigaction& before = reported.before[place];
  const corespec::Thread* const thread = corespec::known_thread_or_null();
  const bool in_call = thread != nullptr && thread->call() != nullptr;
  const bool own_process = getpid() == reported.pid;  // not one that the rank has forked
  if (own_process && !is_handler(before)) KeptOutput::request();  // the process ends
  if (own_process && (in_call || !is_handler(before))) report(fault, *info, thread);
  pass_on(before, fault, info, context);
}

/// An alternate stack for the calling thread's handlers; null: it has one.
std::unique_ptr<std::byte[]> give_stack() {
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return nullptr;
  auto memory = std::make_unique<std::byte[]>(stack_bytes);
  stack = {memory.get(), 0, stack_bytes};
  sigaltstack(&stack, nullptr);
  return memory;
}

}  // namespace

FaultReport::FaultReport(const corespec::Process& process)
    : stack_(give_stack()), thread_(corespec::OsThread::caller_id()) {
  reported.process = &process;
  reported.pid = getpid();
  reported.launcher = LauncherSocket::inherited();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    struct sigaction& before = reported.before[i];
    sigaction(faults[i].number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction own = before;
    own.sa_sigaction = on_fault;
    own.sa_flags |= SA_SIGINFO;
    if (!is_handler(before)) own.sa_flags |= SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigaction(faults[i].number, &own, nullptr);
  }
}

FaultReport::~FaultReport() {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    struct sigaction now {};
    sigaction(faults[i].number, nullptr, &now);
    if (now.sa_sigaction == on_fault) sigaction(faults[i].number, &reported.before[i], nullptr);
  }
  if (stack_ == nullptr) return;
  // Only its thread can give the stack back.
  stack_t now{};
  const bool own_thread = thread_ == corespec::OsThread::caller_id();
  if (own_thread) sigaltstack(nullptr, &now);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  const bool given_back =
      own_thread && (now.ss_sp != stack_.get() || sigaltstack(&none, nullptr) == 0);
  if (!given_back) [[maybe_unused]]
    auto* const for_the_thread = stack_.release();
}

}  // namespace launch
