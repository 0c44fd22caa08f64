// Starts the processes of a live job and sees to their end.
#include "launch/live_launcher/live_launch.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/host/what_happened.h"
#include "launch/description/job_nodes.h"
#include "launch/description/job_setup.h"
#include "launch/live_launcher/collect_notes.h"
#include "launch/live_launcher/job_folder.h"
#include "launch/live_launcher/job_state.h"
#include "launch/live_launcher/live_environment.h"
#include "launch/live_launcher/live_libraries.h"
#include "launch/live_launcher/output_relay.h"
#include "launch/live_launcher/pmix_process.h"
#include "launch/live_launcher/rank_processes.h"
#include "launch/live_launcher/state_gatherer.h"
#include "launch/live_rank/rank_notes.h"
#include "launch/loader/missing_library.h"
#include "launch/loader/program_image.h"
#include "launch/run_files/positions.h"
#include "launch/run_files/run_files.h"
#include "launch/start_up/job_name.h"
#include "ugni_emu/fabric/libfabric/provider.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace launch {
namespace {

constexpr std::int64_t grace_ms = 2000;  // between SIGTERM and SIGKILL
// A rank that is killed may take the server with it, before its own end can be seen.
constexpr std::int64_t server_grace_ms = 1000;
constexpr std::int64_t never = -1;
/// As under ALPS the ranks get these of aprun's signals.
constexpr std::array passed_on{SIGUSR1, SIGUSR2};

std::int64_t host_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

std::string value_of(const Variables& variables, const std::string& name,
                     const std::string& fallback) {
  const auto found = variables.find(name);
  return found == variables.end() || found->second.empty() ? fallback : found->second;
}

/// The signals that the launcher takes from a descriptor, blocked for that.
class Signals {
 public:
  Signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number :
         {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, passed_on.front(), passed_on.back()}) {
      sigaddset(&set, number);
    }
    sigprocmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) throw std::runtime_error(corespec::no_descriptor("signals"));
    // PMIx writes to processes that have been killed.
    signal(SIGPIPE, SIG_IGN);
  }
  ~Signals() { close(descriptor_); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int descriptor() const { return descriptor_; }
  struct Taken {
    int end = 0;             ///< a signal that asks for the job's end, or 0
    bool states = false;     ///< SIGQUIT: what are the ranks doing?
    std::vector<int> ranks;  ///< those that are the ranks'
  };
  Taken take() const {
    signalfd_siginfo info{};
    Taken taken;
    while (read(descriptor_, &info, sizeof info) == sizeof info) {
      const auto number = static_cast<int>(info.ssi_signo);
      if (number == SIGCHLD) continue;
      if (number == SIGQUIT) {
        taken.states = true;
        continue;
      }
      if (std::find(passed_on.begin(), passed_on.end(), number) != passed_on.end()) {
        taken.ranks.push_back(number);
      } else {
        taken.end = number;
      }
    }
    return taken;
  }

 private:
  int descriptor_;
};

/// The lines before a run.
void print_header(const AprunOptions& options, const std::string& path, const LiveLayout& job,
                  const gemini::Topology& topology) {
  if (!options.quiet) {
    print_run(path, options.ranks, job.nids.size(), job.ranks_per_node,
              "live, on the host's clock, so this run does not repeat exactly");
  }
  print_warnings(options.called, user_settings(options), {.live = true, .by_aprun = true});
  if (options.verbose && !options.quiet) {
    fmt::print(stderr, "castor: network: {}\n", topology.describe());
  }
}

bool same_file(int one, int other) {
  struct stat first {
  }, second{};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// What all ranks write.
struct Output {
  /// `quiet_pipe`: the launcher was told to take a pipe without a reader for an error like others.
  Output(RankLines::Form form, bool quiet_pipe)
      : output(STDOUT_FILENO, form),
        errors(STDERR_FILENO, form),
        in_order(form.ranks == 1 && same_file(STDOUT_FILENO, STDERR_FILENO)),
        broken_pipe_ends(!quiet_pipe) {}
  void watch(std::vector<pollfd>& ready) const {
    output.watch(ready);
    errors.watch(ready);
  }
  void pass_on() {
    output.pass_on();
    errors.pass_on();
    complain(output, "output", output_lost);
    complain(errors, "error", errors_lost);
  }
  bool done() const { return output.done() && errors.done(); }
  /// Throws std::system_error if a reader has gone, which ends programs without a word.
  bool has_failed() const {
    for (const OutputRelay* stream : {&output, &errors}) {
      if (stream->failure() == EPIPE && broken_pipe_ends) {
        throw std::system_error(EPIPE, std::generic_category(), "standard output");
      }
    }
    return output.failure() != 0 || errors.failure() != 0;
  }

  OutputRelay output, errors;
  const bool in_order;  ///< a rank's errors take the way of its output, and keep their places in it

 private:
  void complain(const OutputRelay& stream, const char* name, bool& said) const {
    const bool silent = stream.failure() == EPIPE && broken_pipe_ends;
    if (stream.failure() == 0 || silent || std::exchange(said, true)) return;
    std::fputs(lost_output_line(name, stream.failure()).c_str(), stderr);
  }

  bool broken_pipe_ends;
  bool output_lost = false, errors_lost = false;
};

void start_rank(RankProcesses& ranks, int rank, const RankProcesses::Program& program,
                std::vector<std::string> environment, Output& output, StateGatherer& states) {
  RankProcesses::Output written{output.output.open_for(rank), -1, -1};
  const bool shared = output.in_order && written.output >= 0;
  written.errors = shared ? written.output : output.errors.open_for(rank);
  written.states = states.open_for(rank);
  if (written.states >= 0) environment.push_back(StateGatherer::variable(written.states));
  ranks.start(rank, program, environment, written);
  if (written.output >= 0) close(written.output);
  if (written.errors >= 0 && !shared) close(written.errors);
  if (written.states >= 0) close(written.states);
}

/// Once no process of the job is left: until what they have written is out, or a signal asks for
/// the end.
void pass_on_rest(Output& output, const Signals& signals) {
  output.pass_on();
  while (!output.done()) {
    std::vector<pollfd> ready{{signals.descriptor(), POLLIN, 0}};
    output.watch(ready);
    poll(ready.data(), ready.size(), never);
    if (signals.take().end != 0) return;
    output.pass_on();
  }
}

/// What has become known of the ranks.
struct News {
  std::vector<RankProcesses::Ended> ended;
  std::vector<PmixReport> reports;

  void take(PmixProcess& server, RankProcesses& ranks) {
    // Ends first: a process's reports are all there when its end is seen.
    for (const RankProcesses::Ended& one : ranks.ended()) ended.push_back(one);
    for (PmixReport& report : server.take()) reports.push_back(std::move(report));
  }
  bool has_aborts() const { return std::any_of(reports.begin(), reports.end(), is_abort); }
  bool aborted(int rank) const {
    return std::any_of(reports.begin(), reports.end(), [rank](const PmixReport& report) {
      return is_abort(report) && report.rank == rank;
    });
  }
  static bool is_abort(const PmixReport& report) {
    return report.kind == PmixReport::Kind::aborted;
  }
};

News take_news(PmixProcess& server, RankProcesses& ranks) {
  News news;
  news.take(server, ranks);
  // A rank may have aborted because another one was gone, whose end can be seen by now.
  if (news.has_aborts()) news.take(server, ranks);
  return news;
}

/// Ends come before aborts, but for the aborting ranks' own: a rank may abort because another
/// one was gone. First of all those by a signal.
void note(const News& news, const StateGatherer& states, JobState& state) {
  for (const RankProcesses::Ended& one : news.ended) {
    if (WIFSIGNALED(one.status)) state.note(one, states);
  }
  for (const PmixReport& report : news.reports) {
    if (!News::is_abort(report)) state.note(report);
  }
  for (const RankProcesses::Ended& one : news.ended) {
    if (!WIFSIGNALED(one.status) && !news.aborted(one.rank)) state.note(one, states);
  }
  for (const PmixReport& report : news.reports) {
    if (News::is_abort(report)) state.note(report);
  }
  for (const RankProcesses::Ended& one : news.ended) {
    if (!WIFSIGNALED(one.status) && news.aborted(one.rank)) state.note(one, states);
  }
}

std::int64_t earlier(std::int64_t one, std::int64_t other) {
  if (one == never || other == never) return std::max(one, other);
  return std::min(one, other);
}

/// An end from outside, by --limit or a signal: first what the ranks are doing is asked and said,
/// and then the job is ended.
class RequestedEnd {
 public:
  explicit RequestedEnd(double limit_s)
      : limit_s_(limit_s),
        limit_at_(limit_s > 0 ? host_milliseconds() + static_cast<std::int64_t>(limit_s * 1000)
                              : never) {}
  /// When the limit is reached; never: there is none, or it has been.
  std::int64_t deadline() const { return limit_at_; }
  /// The ranks are being asked: until that is over no rank is ended.
  bool waits(const StateGatherer& states) const { return asked_ && states.deadline() != never; }

  /// False: the job was ending before, and now there is no more patience.
  bool note_signal(int number, StateGatherer& states, JobState& state) {
    asked_ = !state.must_end();
    state.note_signal(number);
    if (asked_) states.ask(host_milliseconds());
    return asked_;
  }
  /// Behind StateGatherer::take().
  void look(StateGatherer& states, JobState& state) {
    if (limit_at_ != never && host_milliseconds() >= limit_at_) {
      limit_at_ = never;
      if (state.must_end()) return;
      states.ask(host_milliseconds());
      asked_ = limit_reached_ = true;
    }
    if (limit_reached_ && !waits(states)) {
      limit_reached_ = false;
      state.note_limit(limit_s_);
    }
  }

 private:
  double limit_s_;
  std::int64_t limit_at_;
  bool asked_ = false;
  bool limit_reached_ = false;  ///< and not yet noted
};

/// Serves and watches the job until no process of it is left.
void attend(PmixProcess& server, RankProcesses& ranks, Output& output, const Signals& signals,
            JobState& state, StateGatherer& states, RequestedEnd requested) {
  std::int64_t kill_at = never;
  std::int64_t miss_server_at = never;
  bool ending = false;
  while (ranks.living() > 0) {
    std::vector<pollfd> ready{{signals.descriptor(), POLLIN, 0}, {server.descriptor(), POLLIN, 0}};
    ranks.watch(ready);
    output.watch(ready);
    states.watch(ready);
    const std::int64_t next = earlier(kill_at == never ? miss_server_at : kill_at,
                                      earlier(states.deadline(), requested.deadline()));
    const std::int64_t wait =
        next == never ? never : std::max<std::int64_t>(0, next - host_milliseconds());
    poll(ready.data(), ready.size(), static_cast<int>(wait));
    const Signals::Taken asked = signals.take();
    for (const int number : asked.ranks) ranks.send_signal(number);
    const News news = take_news(server, ranks);
    output.pass_on();  // what was written before comes before what is said of it
    if (asked.states) states.ask(host_milliseconds());
    fmt::print(stderr, "{}", states.take(host_milliseconds()));
    const bool at_once = asked.end != 0 && !requested.note_signal(asked.end, states, state);
    requested.look(states, state);
    note(news, states, state);
    if (states.late_start()) state.note(*states.late_start());
    if (!state.must_end()) ranks.reap();  // else there is no time for it now
    if (server.has_ended() && !ending) {
      if (miss_server_at == never) miss_server_at = host_milliseconds() + server_grace_ms;
      if (host_milliseconds() >= miss_server_at) state.note_lost_server();
    }
    if (state.must_end() && !ending && !requested.waits(states)) {
      ending = true;
      miss_server_at = never;
      ranks.send_signal(SIGTERM);
      ranks.send_signal(SIGCONT);  // a stopped one, too
      kill_at = host_milliseconds() + grace_ms;
    }
    if (at_once) kill_at = host_milliseconds();
    if (kill_at != never && host_milliseconds() >= kill_at) {
      ranks.send_signal(SIGKILL);
      kill_at = never;
    }
  }
}

/// The ranks are processes of this host. What is always there costs no look.
void check_provider(const corespec::Parameters& parameters) {
  const std::string& name = parameters.provider;
  if (name != "auto" && name != "shm") ugni::fabric::check_provider(name);
}

void check_executable(const std::string& path) {
  if (access(path.c_str(), X_OK) != 0) {
    throw UsageError(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  if (std::filesystem::is_directory(path)) throw UsageError(fmt::format("{}: a folder", path));
}

/// Gives ranks a library that has what the program and its libraries refer to and no other has;
/// null if they lack nothing. A program without Castor's libraries is left to the dynamic loader.
std::unique_ptr<MissingLibrary> preload_missing(const LibraryReport& libraries,
                                                const RankProcesses::Program& program,
                                                Variables& variables) {
  if (!libraries.has_handler) return nullptr;
  std::unique_ptr<MissingLibrary> library = MissingLibrary::make(libraries.missing, program.path);
  if (library != nullptr) {
    std::string& preloaded = variables["LD_PRELOAD"];  // others first: a sanitizer insists on it
    preloaded += (preloaded.empty() ? "" : ":") + library->path_for_others();
  }
  return library;
}

}  // namespace

int launch_live(const AprunOptions& options) {
  refuse_virtual_options(options);
  RunFiles files(options);
  const std::shared_ptr<const gemini::Topology> topology = gemini::make_topology(options.system);
  LiveLayout job;
  job.apid = 1000000 + static_cast<std::uint64_t>(getpid());
  const corespec::PlacementRequest placement = placement_of(options);
  placement.check_lists();
  job.ranks_per_node = placement.ranks_per_node;
  job.nids = choose_nids(nodes_for(options.ranks, job.ranks_per_node), options.nodes, *topology);
  Variables variables = live_variables(options, job);
  const corespec::Parameters parameters =
      job_parameters({variables.begin(), variables.end()}, *topology);
  check_provider(parameters);
  const bool has_faults = plans_faults(options, parameters);
  job.order = rank_order(parameters, options.ranks, job.ranks_per_node);
  if (job.order.reordered()) {
    // A rank may be in another folder by the time it reads the file.
    variables["MPICH_RANK_REORDER_FILE"] = std::filesystem::absolute(parameters.rank_reorder_file);
  }
  RankProcesses::Program program;
  program.path = find_program(options.program, value_of(variables, "PATH", ""));
  program.arguments = {options.program};
  program.arguments.insert(program.arguments.end(), options.arguments.begin(),
                           options.arguments.end());
  check_executable(program.path);
  program.cpu_limit_s = options.time_limit_s;
  Variables without_job = variables;  // no process of it
  without_job.erase("ALPS_APP_ID");
  const LibraryReport libraries =
      check_libraries(program.path, rank_environment(without_job, job, 0, {}));
  const std::unique_ptr<MissingLibrary> missing = preload_missing(libraries, program, variables);

  const std::string temporary = value_of(variables, "TMPDIR", "/tmp");
  JobFolder::sweep(temporary);
  const std::string name = apruns_job_name(getpid(), host_milliseconds());
  const JobFolder folder(temporary, name);
  NotesWanted notes{folder.path(), files.wants_profile(), files.wants_timeline(), has_faults, {}};
  if (!files.empty() || notes.faults) {
    const auto nid_of = [&](int rank) { return job.nid_of(rank); };
    files.begin(nid_of);
    notes.window = timeline_window(options, nid_of);
    notes.window.most /= static_cast<std::uint64_t>(options.ranks);
    variables[notes_variable] = text_of(notes);
  }
  JobState state(job, options.ranks, libraries.missing.unknown);
  bool output_lost = false;
  {
    RankProcesses ranks;
    const Signals signals;
    Output output({options.ranks, options.label}, ranks.ignored_broken_pipes());
    StateGatherer states(options.ranks, job.apid);
    PmixProcess server({with_secret(name), options.ranks, folder.path()}, parameters.start_timeout);
    for (int rank = 0; rank < options.ranks; ++rank) {
      start_rank(ranks, rank, program,
                 rank_environment(variables, job, rank, server.variables(rank)), output, states);
    }
    // What the system cannot execute has been refused by now; what ranks write comes behind.
    print_header(options, program.path, job, *topology);
    print_unused(options);
    if (parameters.rank_reorder_display) {
      fmt::print(
          stderr, "{}",
          rank_order_text(parameters, job.order, options.ranks, job.ranks_per_node, job.nids));
    }
    if (parameters.env_display) print_environment(parameters);
    attend(server, ranks, output, signals, state, states, RequestedEnd(options.limit_s));
    ranks.end();
    pass_on_rest(output, signals);
    output_lost = state.exit_code() == 0 && output.has_failed();
  }
  state.print_end();
  RunDescription run = describe_run(options, job, parameters, *topology);
  run.exit_code = state.exit_code();
  report_notes(notes, std::move(run), positions_json(*topology, job.nids), options.quiet, files);
  if (!options.quiet) {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    print_alps_resources(job.apid, usage);
  }
  return output_lost ? failed_exit : state.exit_code();
}

}  // namespace launch
