// What the ranks of a live job are doing, said when a user asks or nothing has come for long.
#include "launch/live_rank/state_report.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "corespec/host/os_thread.h"
#include "launch/live_rank/kept_output.h"
#include "launch/live_rank/launcher_socket.h"
#include "launch/live_rank/thread_contexts.h"
#include "launch/reports/situation_groups.h"
#include "launch/reports/situation_packing.h"
#include "launch/symbols/symbols.h"

namespace launch {
namespace {

using corespec::Situation;

constexpr int patience_ms = 100;  // for the threads' answers
constexpr int second_ms = 1000;

/// What the signal handler writes to; a handler has no other way to its state.
std::atomic<int> asked_descriptor{-1};

void on_signal(int, siginfo_t* info, void*) {
  const int before = errno;
  if (ThreadContexts::answered(*info)) {
    errno = before;
    return;
  }
  const std::uint64_t one = 1;
  const int descriptor = asked_descriptor.load(std::memory_order_relaxed);
  if (descriptor >= 0) syscall(SYS_write, descriptor, &one, sizeof one);
  errno = before;
}

/// True if SIGQUIT would end the process by default.
bool install_handler() {
  struct sigaction action {};
  if (sigaction(SIGQUIT, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return false;
  action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  return sigaction(SIGQUIT, &action, nullptr) == 0;
}

void remove_handler() {
  struct sigaction action {};
  if (sigaction(SIGQUIT, nullptr, &action) != 0 || action.sa_sigaction != on_signal) return;
  action = {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGQUIT, &action, nullptr);
}

}  // namespace

class StateReport::Body {
 public:
  Body(LiveJob& job, corespec::LiveNode& node, const corespec::Process& process)
      : job_(job),
        node_(node),
        process_(process),
        stuck_after_(static_cast<int>(job.parameters().stuck)),
        asked_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        launcher_(LauncherSocket::inherited()) {
    asked_descriptor.store(asked_, std::memory_order_relaxed);
    handles_ = install_handler();
    corespec::OsThread::Options options;
    options.name = "castor-state";
    thread_ = std::make_unique<corespec::OsThread>(options, [this] { run(); });
  }
  ~Body() {
    if (handles_) remove_handler();
    asked_descriptor.store(-1, std::memory_order_relaxed);
    stopping_.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(asked_, &one, sizeof one);
    thread_.reset();
    close(asked_);
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

 private:
  void run();
  void look_whether_stuck();
  void take_from_launcher();
  void say(char what);
  Situation situation();

  LiveJob& job_;
  corespec::LiveNode& node_;
  const corespec::Process& process_;
  int stuck_after_;
  int asked_;
  LauncherSocket launcher_;
  KeptOutput output_;
  ThreadContexts contexts_;
  bool handles_ = false;
  std::atomic<bool> stopping_{false};
  std::vector<std::pair<const char*, std::uint64_t>> activity_;
  int seconds_alike_ = 0;
  bool said_ = false;                           ///< since something came
  std::unique_ptr<corespec::OsThread> thread_;  ///< last: its body uses the rest
};

void StateReport::Body::run() {
  for (;;) {
    std::array<pollfd, 3> ready{{{asked_, POLLIN, 0},
                                 {launcher_.descriptor(), POLLIN, 0},
                                 {output_.descriptor(), POLLIN, 0}}};
    const int found = poll(ready.data(), ready.size(), stuck_after_ > 0 ? second_ms : -1);
    if (stopping_.load(std::memory_order_acquire)) return;
    if (found == 0) look_whether_stuck();
    if (ready[0].revents != 0) {
      std::uint64_t times = 0;
      [[maybe_unused]] const ssize_t got = read(asked_, &times, sizeof times);
      say(state_message::ask);
    }
    if (ready[1].revents != 0) take_from_launcher();
    if (ready[2].revents != 0) output_.serve();
  }
}

/// All the rank's threads have been in the same calls, and nothing has come for one that waits.
void StateReport::Body::look_whether_stuck() {
  auto activity = node_.activity();
  const bool in_calls =
      !activity.empty() && std::all_of(activity.begin(), activity.end(),
                                       [](const auto& each) { return each.first != nullptr; });
  const bool alike = in_calls && activity == activity_;
  seconds_alike_ = alike ? seconds_alike_ + 1 : 0;
  said_ = said_ && alike;
  activity_ = std::move(activity);
  if (seconds_alike_ < stuck_after_ || said_) return;
  said_ = true;
  say(state_message::stuck);
}

void StateReport::Body::take_from_launcher() {
  char what = 0;
  const ssize_t got = recv(launcher_.descriptor(), &what, 1, MSG_DONTWAIT);
  if (got == 1 && what == state_message::ask) {
    said_ = true;
    KeptOutput::flush();  // what is printed comes before what is said of it
    const std::string answer = state_message::answer + packed(situation());
    launcher_.send(answer);
  } else if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
    launcher_.forget();  // its end is seen elsewhere
  }
}

/// To the launcher, or else to people.
void StateReport::Body::say(char what) {
  if (launcher_.send({&what, 1})) return;
  SituationGroups own("castor", job_.size(), say_by_symbols());
  own.add(process_.rank(), situation());
  const std::string text = own.text();
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

Situation StateReport::Body::situation() {
  std::vector<Situation> threads = node_.situations(patience_ms, [this](int thread, bool asleep) {
    return handles_ ? contexts_.of(thread, asleep, patience_ms) : std::vector<void*>();
  });
  if (threads.empty()) return {};
  PlaceFinder finder;
  for (Situation& each : threads) each.place = marked(finder.find(each.context));
  Situation main = std::move(threads.front());
  job_.add_exchanges(main);
  if (!main.facts_known && !main.call.empty() && main.details.empty() && !main.meeting) {
    main.details = " (busy)";
  }
  threads.erase(threads.begin());
  add_other_threads(main, threads);
  return main;
}

StateReport::StateReport(LiveJob& job, corespec::LiveNode& node, const corespec::Process& process)
    : body_(std::make_unique<Body>(job, node, process)) {}

StateReport::~StateReport() = default;

}  // namespace launch
