// Puts one process of a live job together.
#include "launch/live_rank/live_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "corespec/host/os_thread.h"
#include "corespec/host/printable.h"
#include "corespec/host/what_happened.h"
#include "corespec/live/host_placement.h"
#include "corespec/live/live_clock.h"
#include "corespec/live/live_domain.h"
#include "corespec/live/live_node.h"
#include "corespec/topology/cpu_map.h"
#include "launch/description/job_nodes.h"
#include "launch/description/options.h"
#include "launch/live_rank/end_signals.h"
#include "launch/live_rank/fault_notes.h"
#include "launch/live_rank/fault_report.h"
#include "launch/live_rank/launcher_socket.h"
#include "launch/live_rank/live_job.h"
#include "launch/live_rank/rank_notes.h"
#include "launch/live_rank/state_report.h"
#include "launch/start_up/rank_mark.h"
#include "launch/start_up/shared_exchange.h"
#include "launch/start_up/start_up.h"
#include "ugni_emu/fabric/fabric_wire.h"
#include "ugni_emu/faults/faulty_wire.h"
#include "ugni_emu/faults/rank_faults.h"
#include "ugni_emu/gemini/topology/make_topology.h"
#include "ugni_emu/nic/nic.h"

namespace launch {

/// What the processes of a host tell each other first; behind it come the CPUs that the launcher
/// allows this one (numbers of the operating system).
struct Introduction {
  std::int32_t pid;
  std::int32_t node_file;  ///< of a node's first process: its memory; else -1
  std::int64_t start;      ///< LiveClock::host_nanoseconds() here
};

namespace {

std::string setting(const std::vector<corespec::Setting>& settings, std::string_view name,
                    std::string fallback) {
  for (const auto& [key, text] : settings) {
    if (key == name) fallback = text;
  }
  return fallback;
}

/// The NIC's own times belong to the modelled network.
void drop_delays(corespec::Parameters& parameters) {
  parameters.bte_startup = corespec::Time();
  parameters.datagram = corespec::Time();
  parameters.memory_latency = corespec::Time();
}

corespec::Parameters parameters_for(const std::vector<corespec::Setting>& settings,
                                    const gemini::Topology& topology) {
  corespec::Parameters parameters = job_parameters(settings, topology);
  if (parameters.network == "none") drop_delays(parameters);
  return parameters;
}

corespec::PlacementRequest placement_of(const corespec::Parameters& parameters, int local_ranks) {
  corespec::PlacementRequest request;
  request.ranks_per_node = local_ranks;
  request.depth = static_cast<int>(parameters.cpus_per_rank);
  request.service_cpus = static_cast<int>(parameters.service_cpus);
  request.progress_on_unassigned = parameters.use_unassigned_cpus;
  request.binding =
      with_depth(parse_binding("CASTOR_CPU_BINDING", parameters.cpu_binding, request.cpu_lists),
                 request.depth);
  return request;
}

/// A process that a rank has started is on that rank's node.
std::vector<int> nids_of(const corespec::Parameters& parameters,
                         const std::vector<corespec::Setting>& settings) {
  if (started_by_rank(settings)) {
    return parse_number_list("PMI_GNI_LOC_ADDR", setting(settings, "PMI_GNI_LOC_ADDR", "0"));
  }
  if (parameters.node_list.empty()) return {};
  return parse_number_list("CASTOR_NODE_LIST", parameters.node_list);
}

/// aprun has read the order, too, and found it right. A process that a rank has started is a job
/// of its own.
RankOrder order_of(const corespec::Parameters& parameters,
                   const std::vector<corespec::Setting>& settings, int ranks) {
  const bool by_aprun = !setting(settings, "ALPS_APP_ID", "").empty();
  const auto per_node = static_cast<int>(parameters.ranks_per_node);
  if (!by_aprun || per_node == 0 || started_by_rank(settings)) return {};
  return rank_order(parameters, ranks, per_node);
}

/// The same number in every process of a job: the launcher's, if it gave one.
std::uint64_t apid_of(const std::vector<corespec::Setting>& settings, const StartUp& start_up) {
  const std::string given = setting(settings, "ALPS_APP_ID", "");
  if (!given.empty() && given.find_first_not_of("0123456789") == std::string::npos) {
    return std::stoull(given.substr(0, 18));
  }
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char letter : start_up.job_name()) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  return hash % 1'000'000;
}

/// Our launcher says it for all of its ranks, and ends them.
void tell_late_start(const std::string& rank, const std::string& why) {
  if (LauncherSocket::inherited().send(state_message::late + why)) {
    constexpr std::int64_t launcher_acts_within = 5'000'000'000;
    corespec::OsThread::rest(launcher_acts_within);
  }
  fmt::print(stderr, "castor: rank {}: {}\n", rank, why);
}

StartUp::Waits waits_of(const std::vector<corespec::Setting>& settings) {
  std::vector<std::string> told_later;
  const corespec::Parameters parameters = corespec::read_parameters(settings, told_later);
  return {parameters.start_timeout, [rank = setting(settings, "PMIX_RANK", "0")](
                                        const std::string& why) { tell_late_start(rank, why); }};
}

}  // namespace

/// In the order in which they come into being; they go in the opposite one.
struct LiveRun::Parts {
  explicit Parts(const std::vector<corespec::Setting>& settings)
      : start_up(waits_of(settings)),
        topology(gemini::make_topology(setting(settings, "CASTOR_SYSTEM", "hopper"))),
        parameters(parameters_for(settings, *topology)) {}

  void plan_faults(const std::optional<NotesWanted>& wanted);
  void introduce();
  void share_exchanges();
  void make_node();
  void make_process();
  corespec::HostPlacement placement_for(int local_rank) const;
  corespec::CpuMap cpu_map() const;
  void show_placement() const;
  void show_lateness() const;

  StartUp start_up;
  std::optional<RankMark> mark;  ///< of a process that is its launcher's rank
  std::shared_ptr<const gemini::Topology> topology;
  corespec::Parameters parameters;
  std::unique_ptr<LiveJob> job;
  std::unique_ptr<FaultNotes> fault_notes;
  std::unique_ptr<faults::FaultPlan> plan;          ///< null: nothing is to go wrong, and
  std::unique_ptr<faults::RankFaults> rank_faults;  ///< null as well
  std::vector<Introduction> introductions;          ///< by rank
  std::vector<int> host_cpus;                       ///< that any of the job's ranks may use here
  std::unique_ptr<corespec::LiveClock> clock;
  std::unique_ptr<corespec::LiveDomain> domain;
  std::unique_ptr<corespec::SharedNodeMemory> first_node;  ///< its memory, of a job on one host
  corespec::HostPlacement placement;
  std::unique_ptr<ugni::FabricWire> wire;
  std::unique_ptr<faults::FaultyWire> faulty_wire;  ///< around it; null: nothing is to go wrong
  std::unique_ptr<corespec::LiveNode> node;
  std::unique_ptr<corespec::Process> process;
  std::unique_ptr<StateReport> states;
  std::unique_ptr<EndSignals> end_signals;
  std::unique_ptr<FaultReport> faults;
  std::unique_ptr<RankNotes> notes;  ///< null: the launcher wants none
};

void LiveRun::Parts::plan_faults(const std::optional<NotesWanted>& wanted) {
  plan = std::make_unique<faults::FaultPlan>(parameters.faults, parameters.faults_only,
                                             static_cast<std::uint64_t>(parameters.seed),
                                             faults::FaultPlan::Machine::live);
  if (plan->none()) return plan.reset();
  const int rank = start_up.rank();
  const bool notes_them = wanted && wanted->faults;
  fault_notes = std::make_unique<FaultNotes>(notes_them ? fault_note(*wanted, rank) : "");
  rank_faults = std::make_unique<faults::RankFaults>(
      *plan, static_cast<ugni::NicAddress>(job->nid_of(rank)), rank, [] { std::raise(SIGKILL); });
  rank_faults->occasions().set_listener(
      [this](const faults::Fault& fault) { fault_notes->add(fault); });
  job->set_faults(*rank_faults);
  rank_faults->reach(faults::KillPoint::after_start);
}

void LiveRun::Parts::introduce() {
  const int rank = start_up.rank();
  const bool first = job->nodes().local_rank_of(rank) == 0;
  const Introduction own{static_cast<std::int32_t>(getpid()),
                         first ? corespec::SharedNodeMemory::make_file() : -1,
                         corespec::LiveClock::host_nanoseconds()};
  const std::vector<int> cpus = corespec::HostCpus::allowed();
  std::vector<std::byte> bytes(sizeof own + cpus.size() * sizeof(int));
  std::memcpy(bytes.data(), &own, sizeof own);
  if (!cpus.empty()) std::memcpy(bytes.data() + sizeof own, cpus.data(), cpus.size() * sizeof(int));
  const int host = start_up.host_of()[static_cast<std::size_t>(rank)];
  std::set<int> allowed;
  start_up.waits_for("what all ranks tell each other in MPI_Init");
  for (const std::vector<std::byte>& each : start_up.allgather(bytes)) {
    Introduction introduction{};
    if (each.size() < sizeof introduction) {
      throw std::runtime_error("start-up exchange: ranks run different versions of Castor");
    }
    std::memcpy(&introduction, each.data(), sizeof introduction);
    const std::size_t other = introductions.size();
    introductions.push_back(introduction);
    if (start_up.host_of()[other] != host) continue;
    for (std::size_t at = sizeof introduction; at + sizeof(int) <= each.size(); at += sizeof(int)) {
      int cpu = 0;
      std::memcpy(&cpu, each.data() + at, sizeof cpu);
      allowed.insert(cpu);
    }
  }
  host_cpus.assign(allowed.begin(), allowed.end());
  clock =
      std::make_unique<corespec::LiveClock>(introductions[static_cast<std::size_t>(host)].start);
}

/// What the ranks of one host exchange, in memory of the first rank's node.
void LiveRun::Parts::share_exchanges() {
  const std::vector<int>& hosts = start_up.host_of();
  const bool one_host = std::all_of(hosts.begin(), hosts.end(), [](int host) { return host == 0; });
  if (!one_host || !StartUp::launched(corespec::environment())) return;
  const Introduction& first = introductions[static_cast<std::size_t>(job->leader_of(0))];
  first_node = std::make_unique<corespec::SharedNodeMemory>(first.pid, first.node_file,
                                                            std::vector<int>{}, std::vector<int>{});
  start_up.exchange_in(
      first_node->segment("job.exchange", SharedExchange::bytes_for(start_up.size())));
}

void LiveRun::Parts::make_node() {
  const int rank = start_up.rank();
  const NodeMap& nodes = job->nodes();
  const std::vector<int>& beside = nodes.with(rank);
  std::vector<int> pids;
  pids.reserve(beside.size());
  for (int other : beside) {
    pids.push_back(introductions[static_cast<std::size_t>(other)].pid);
  }
  const Introduction& leader = introductions[static_cast<std::size_t>(beside.front())];
  auto memory = std::make_unique<corespec::SharedNodeMemory>(leader.pid, leader.node_file, beside,
                                                             std::move(pids));
  domain = std::make_unique<corespec::LiveDomain>(*clock);
  const corespec::LiveNode::Identity identity{nodes.nid_of(rank), nodes.local_rank_of(rank),
                                              static_cast<int>(beside.size())};
  placement = placement_for(identity.local_rank);
  node = std::make_unique<corespec::LiveNode>(identity, parameters, *domain, std::move(memory),
                                              placement);
}

void LiveRun::Parts::make_process() {
  const int rank = start_up.rank();
  process = std::make_unique<corespec::Process>(*job, *node, rank, job->local_rank_of(rank));
  node->adopt_main_thread(*process);
  ugni::FabricWire::Place place;
  place.rank = rank;
  place.host = start_up.host_of();
  for (int other = 0; other < start_up.size(); ++other) place.nid.push_back(job->nid_of(other));
  start_up.waits_for("all ranks to have their node's memory");
  job->barrier(*process);
  const Introduction& own = introductions[static_cast<std::size_t>(rank)];
  if (own.node_file >= 0) close(own.node_file);
  place.faults = rank_faults.get();
  if (rank_faults != nullptr) rank_faults->set_clock(*domain);
  start_up.waits_for("all ranks to be connected");
  wire = std::make_unique<ugni::FabricWire>(
      *process, *domain, std::move(place), *topology,
      [this](corespec::Time correction) { clock->correct(correction); });
  if (plan != nullptr) {
    faulty_wire = std::make_unique<faults::FaultyWire>(
        *wire, *plan, [this] { return node->make_source(); },
        [](ugni::NicAddress) { std::raise(SIGKILL); }, rank);
    faulty_wire->set_listener([this](const faults::Fault& fault) { fault_notes->add(fault); });
  }
  ugni::Wire& outer = faulty_wire != nullptr ? *faulty_wire : static_cast<ugni::Wire&>(*wire);
  node->set_device(std::make_unique<nic::Nic>(*node, outer));
  domain->set_arrivals(wire.get());
  node->start_service();
}

/// Of a rank of this process's node.
corespec::HostPlacement LiveRun::Parts::placement_for(int local_rank) const {
  const NodeMap& nodes = job->nodes();
  const int rank = start_up.rank();
  return corespec::HostPlacement::make(
      corespec::HostCpus::of_this_host(host_cpus),
      placement_of(parameters, static_cast<int>(nodes.with(rank).size())),
      nodes.place_beside(rank, start_up.host_of()), nodes.nodes_beside(rank, start_up.host_of()),
      local_rank);
}

corespec::CpuMap LiveRun::Parts::cpu_map() const {
  char host[256] = "this host";
  gethostname(host, sizeof host - 1);
  corespec::CpuMap map;
  map.nodes = {node->nid()};
  map.host = host;
  map.cpus = placement.application_cpus;
  map.cpus.insert(map.cpus.end(), placement.service_cpus.begin(), placement.service_cpus.end());
  std::sort(map.cpus.begin(), map.cpus.end());
  map.service_cpus = placement.service_cpus;
  map.rank_cpus = placement.rank_cpus;
  corespec::CpuMap::Use progress{"progress threads", {}};
  corespec::CpuMap::Use nic{"NIC threads", {}};
  for (std::size_t rank = 0; rank < placement.rank_cpus.size(); ++rank) {
    const corespec::HostPlacement each = placement_for(static_cast<int>(rank));
    progress.cpus.push_back(each.progress_cpus);
    nic.cpus.push_back(each.nic_cpus);
  }
  map.uses = {std::move(progress), std::move(nic)};
  return map;
}

/// Of each node one process speaks; a host that has too few CPUs is named once.
void LiveRun::Parts::show_placement() const {
  if (start_up.rank() == 0 && !placement.warning.empty()) {
    fmt::print(stderr, "castor: warning: {}\n", corespec::printable(placement.warning));
  }
  if (parameters.cpumask_display && process->local_rank() == 0) {
    fmt::print(stderr, "{}", cpu_map().text());
  }
}

/// What the host could not deliver at its modelled time was delivered late.
void LiveRun::Parts::show_lateness() const {
  const auto mean = [](corespec::Time total, std::uint64_t count) {
    return count == 0 ? 0.0 : total.us() / static_cast<double>(count);
  };
  const ugni::fabric::Lateness& wire_late = wire->lateness();
  const corespec::LiveDomain::Lateness events = domain->lateness();
  fmt::print(
      stderr,
      "castor: live rank {}: {}; arrivals {} late {} mean_us {:.3f} most_us {:.3f}; timed "
      "events {} late {} mean_us {:.3f} most_us {:.3f}; clocks agree within {:.3f} us; woken "
      "by peers {}; dropped from strangers {}\n",
      process->rank(), wire->providers(), wire_late.timed, wire_late.late,
      mean(wire_late.total, wire_late.late), wire_late.most.us(), events.timed, events.late,
      mean(events.total, events.timed), events.most.us(), wire->clock_error().us(),
      wire->wake_ups(), wire->refused());
}

namespace {

void warn_of_further_process(const std::vector<corespec::Setting>& settings) {
  if (!started_by_rank(settings) || !first_started_by_rank(settings)) return;
  fmt::print(
      stderr,
      "castor: warning: rank {} has started a process (pid {}) that uses the network: it is a "
      "job of its own, one rank alone\n",
      setting(settings, "PMIX_RANK", "?"), getpid());
}

/// A process may end by _exit(), too: then nothing of this library has its turn.
void tell_order(const LauncherSocket& launcher, const corespec::Process& process) {
  const char codes = process.in_order()         ? order_code::any
                     : process.ends_in_order(0) ? order_code::zero
                                                : order_code::none;
  const std::array<char, 2> message{state_message::order, codes};
  launcher.send_at_once({message.data(), message.size()});
}

}  // namespace

bool LiveRun::wanted(const std::vector<corespec::Setting>& settings) {
  const std::string clock = setting(settings, "CASTOR_CLOCK", "auto");
  return clock == "live" ||
         (clock == "auto" && (StartUp::launched(settings) || started_by_rank(settings)));
}

LiveRun::LiveRun(const std::vector<corespec::Setting>& settings)
    : parts_(std::make_unique<Parts>(settings)), pid_(getpid()) {
  try {
    put_together(settings);
  } catch (const std::invalid_argument& error) {
    if (parts_->start_up.size() == 1) throw;
    end_job(2, error);  // what the user asked for cannot be
  } catch (const std::exception& error) {
    if (parts_->start_up.size() == 1) throw;
    end_job(1, error);
  }
}

bool LiveRun::of_this_process() const { return getpid() == pid_; }

/// With this line: without it, the launcher would have to guess.
void LiveRun::end_job(int code, const std::exception& error) {
  StartUp::let_launcher_act();
  parts_->start_up.abort(code, corespec::what_happened(error));
}

void LiveRun::put_together(const std::vector<corespec::Setting>& settings) {
  Parts& parts = *parts_;
  parts.job = std::make_unique<LiveJob>(
      parts.start_up, parts.parameters,
      NodeMap::make(parts.start_up.host_of(), static_cast<int>(parts.parameters.ranks_per_node),
                    nids_of(parts.parameters, settings), *parts.topology,
                    order_of(parts.parameters, settings, parts.start_up.size())),
      apid_of(settings, parts.start_up));
  std::optional<NotesWanted> wanted = notes_wanted(settings);
  if (started_by_rank(settings)) wanted.reset();
  parts.plan_faults(wanted);
  parts.introduce();
  parts.share_exchanges();
  parts.make_node();
  parts.make_process();
  set_job_variables(*parts.process, static_cast<int>(parts.parameters.cpus_per_rank));
  parts.states = std::make_unique<StateReport>(*parts.job, *parts.node, *parts.process);
  parts.end_signals = std::make_unique<EndSignals>();
  parts.faults = std::make_unique<FaultReport>(*parts.process);
  if (StartUp::launched(settings)) {
    parts.mark.emplace();
    parts.process->watch_libraries(
        [launcher = LauncherSocket::inherited()](const corespec::Process& process) {
          tell_order(launcher, process);
        });
  }
  if (wanted && (wanted->profile || wanted->timeline)) {
    parts.notes = std::make_unique<RankNotes>(*wanted, *parts.node, parts.start_up.rank());
  }
  parts.start_up.has_started();
  warn_of_further_process(settings);
  parts.show_placement();
  const bool by_aprun = !setting(settings, "ALPS_APP_ID", "").empty();  // which has warned
  if (!by_aprun && parts.start_up.rank() == 0) {
    print_warnings("castor", settings, {.live = true, .by_aprun = false});
  }
}

LiveRun::~LiveRun() {
  Parts& parts = *parts_;
  parts.mark.reset();
  parts.faults.reset();
  parts.end_signals.reset();
  parts.states.reset();
  if (parts.notes != nullptr) parts.notes->write();
  if (!parts.process->ends_in_order(
          status_)) {  // the launcher sees that this rank has not left, and acts
    parts.node->stop_service();
    [[maybe_unused]] const Parts* for_the_rest_of_the_process = parts_.release();
    return;
  }
  if (parts.parameters.progress_stats) parts.show_lateness();
  parts.process.reset();  // what the libraries keep: queues, endpoints, registrations
  parts.node->stop_service();
  parts.domain->set_arrivals(nullptr);
  parts.node->set_device(nullptr);
  parts.faulty_wire.reset();
  parts.wire.reset();
  if (parts.rank_faults != nullptr) parts.rank_faults->reach(faults::KillPoint::at_end);
  parts.start_up.finalize();
}

}  // namespace launch
