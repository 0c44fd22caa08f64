// Runs a program on the ranks of a job in virtual time.
#include "launch/virtual_launcher/run_program.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "corespec/config/parameters.h"
#include "corespec/host/printable.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "launch/description/job_nodes.h"
#include "launch/description/job_setup.h"
#include "launch/libc/launcher_end.h"
#include "launch/libc/rank_heap.h"
#include "launch/libc/rank_output.h"
#include "launch/libc/rank_program.h"
#include "launch/libc/rank_signals.h"
#include "launch/loader/mapping_room.h"
#include "launch/loader/program_copy.h"
#include "launch/loader/program_image.h"
#include "launch/loader/trial.h"
#include "launch/profile/profile_file.h"
#include "launch/reports/fault_list.h"
#include "launch/run_files/positions.h"
#include "launch/run_files/run_files.h"
#include "launch/telemetry/call_sites.h"
#include "launch/telemetry/telemetry_data.h"
#include "launch/telemetry/telemetry_text.h"
#include "launch/virtual_launcher/audit_report.h"
#include "launch/virtual_launcher/counter_report.h"
#include "launch/virtual_launcher/first_worker.h"
#include "launch/virtual_launcher/heap_room.h"
#include "launch/virtual_launcher/interruptions.h"
#include "launch/virtual_launcher/network_report.h"
#include "launch/virtual_launcher/openmp.h"
#include "launch/virtual_launcher/run_listeners.h"
#include "launch/virtual_launcher/worker_choice.h"
#include "launch/virtual_run/crash_report.h"
#include "launch/virtual_run/cray_files.h"
#include "launch/virtual_run/run_control.h"
#include "launch/virtual_run/time_slices.h"
#include "launch/virtual_run/virtual_cpu_host.h"
#include "launch/virtual_run/virtual_run.h"
#include "launch/virtual_run/virtual_signal_host.h"
#include "launch/virtual_run/watchdog.h"
#include "launch/workers/hosts.h"
#include "launch/workers/workers.h"
#include "ugni_emu/gemini/topology/torus.h"
#include "ugni_emu/nic/nic.h"

namespace launch {
namespace {

/// A run's application number is the same each time, as all that a program sees of it.
constexpr std::uint64_t virtual_apid = 1000001;

std::string setting(const std::vector<corespec::Setting>& settings, std::string_view name) {
  std::string value;
  for (const auto& [key, text] : settings) {
    if (key == name) value = text;
  }
  return value;
}

JobRequest job_request(const AprunOptions& options,
                       const std::vector<corespec::Setting>& settings) {
  JobRequest request;
  request.settings = settings;
  request.system = options.system;
  request.node = options.node;
  request.ranks = options.ranks;
  request.placement = placement_of(options);
  request.nids = options.nodes;
  request.by_aprun = true;
  request.apid = virtual_apid;
  return request;
}

/// -v: the machine.
void print_machine(const VirtualRun& run) {
  const std::string text = run.describe();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at)
      fmt::print(stderr, "castor: {}\n", corespec::printable(text.substr(at, end - at)));
    at = end + 1;
  }
}

/// The lines before a run.
void print_header(const AprunOptions& options, const JobRequest& request, const VirtualRun& run,
                  const ProgramImage& image, bool measured) {
  if (!options.quiet) {
    print_run(image.path(), request.ranks, run.nodes(), request.placement.ranks_per_node,
              measured ? "computing is measured, so this run does not repeat exactly"
                       : "computing is modelled, so this run repeats exactly");
  }
  if (!options.quiet && run.parameters().counters == "on") {
    fmt::print(stderr, "castor: Geminis count{}\n",
               run.network().counts_stalls()
                   ? ""
                   : "; in fidelity message nothing stalls: stall counters stay 0");
  }
  print_warnings(options.called, user_settings(options), {.live = false, .by_aprun = true});
  if (options.verbose && !options.quiet) print_machine(run);
  run.show_placement();
}

/// What the virtual machine did; with -v before it the network's backlog and ALPS's last line.
void print_resources(const VirtualRun& run, const corespec::VirtualMachine::Result& result,
                     std::uint64_t apid, bool measured, bool verbose) {
  if (verbose) {
    print_backlog(run);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    print_alps_resources(apid, usage);
  }
  print_faults(run);
  fmt::print(stderr, "castor: virtual time {:.6f} s, fingerprint {:016x}{}, {} node{}\n",
             result.time.s(), result.fingerprint, measured ? " (measured)" : "", run.nodes(),
             run.nodes() == 1 ? "" : "s");
}

/// The rank's status as a shell would see it. Where the program has made sure that abort() is no
/// fatal signal, abort() still ends the job; so does a rank that the others may be waiting for.
int status_of(corespec::Process& process, const ProgramEnd& end) {
  if (end.kind == ProgramEnd::Kind::aborted) {
    process.job().abort(process, end.status, "Aborted");
  }
  if (!process.ends_in_order(end.status)) {
    process.job().abort(process, end.status, ended_without_finalize(end.status));
  }
  return end.status;
}

/// What is the rank's own in its environment: its number and the address of its node's NIC. In one
/// text: jobs have many ranks.
std::string rank_variables(const corespec::Process& process) {
  constexpr char end = '\0';
  return fmt::format("ALPS_APP_PE={}{}PMI_GNI_LOC_ADDR={}{}",
                     process.job().place_of(process.rank()), end,
                     nic::Nic::of(process.node())->address(), end);
}

/// `settings` as environment entries; of one name the last counts, and a rank's own are
/// left out.
std::vector<std::string> environment_of(const std::vector<corespec::Setting>& settings) {
  std::map<std::string_view, std::string_view> last;
  for (const auto& [name, value] : settings) last[name] = value;
  last.emplace(fortran_keeps_nothing_back);
  last.erase("ALPS_APP_PE");
  last.erase("PMI_GNI_LOC_ADDR");
  std::vector<std::string> entries;
  entries.reserve(last.size());
  for (const auto& [name, value] : last) entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

/// Hwloc in programs sees the modelled node, too, unless the user has said what it is to see.
void add_hwloc_variable(const std::string& variable, std::vector<corespec::Setting>& settings) {
  const auto is_hwloc = [](const corespec::Setting& setting) {
    for (const std::string_view name :
         {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_COMPONENTS"}) {
      if (setting.first == name) return true;
    }
    return false;
  };
  if (std::any_of(settings.begin(), settings.end(), is_hwloc)) return;
  const std::size_t sign = variable.find('=');
  settings.emplace_back(variable.substr(0, sign), variable.substr(sign + 1));
}

void set_counting(const AprunOptions& options, const ProgramImage& image,
                  std::vector<corespec::Setting>& settings) {
  const std::string given = setting(settings, "CASTOR_COUNTERS");
  if (given == "off" && !options.counters.empty()) {
    throw UsageError("--counters: CASTOR_COUNTERS is off; it must be auto or on");
  }
  decide_counters(settings, !options.counters.empty() || image.needs(counters_library));
}

/// --counters.
void write_counters(VirtualRun& run, corespec::Time end, CounterFiles& files, bool quiet) {
  const std::vector<CounterReportSample> samples = counter_report(run, end);
  files.write(run, samples);
  const std::string summary = counter_summary(run, samples);
  if (!quiet && !summary.empty()) fmt::print(stderr, "castor: counted: {}\n", summary);
}

/// Null: this process is the only one.
std::unique_ptr<Workers> start_workers(const AprunOptions& options, const JobRequest& request,
                                       bool measured, Hosts* hosts) {
  const WorkerChoice choice = choose_workers(options, request, measured, hosts);
  const std::size_t count = choice.count();
  const bool is_first = hosts == nullptr || hosts->own() == 0;
  if (!choice.why_fewer.empty() && !options.quiet && is_first) {
    fmt::print(stderr, "castor: --workers: {} run{} the job: {}\n", count, count == 1 ? "s" : "",
               choice.why_fewer);
  }
  return count == 1 ? nullptr : std::make_unique<Workers>(choice.of_hosts, hosts);
}

/// Null: this process is the only one that a launcher has started for the job.
std::unique_ptr<Hosts> meet_hosts(const AprunOptions& options,
                                  const std::vector<corespec::Setting>& settings) {
  if (!options.workers_given) return nullptr;
  if (!Hosts::launched(settings)) {
    const std::string processes = setting(settings, "PMI_SIZE");
    if (processes.empty() || processes == "1") return nullptr;
    throw UsageError(fmt::format(
        "--workers: a launcher without PMIx has started {} processes, which cannot meet; Open "
        "MPI's mpirun or srun --mpi=pmix can start them",
        processes));
  }
  auto hosts = std::make_unique<Hosts>(Hosts::Given{options.words, settings});
  return hosts->count() == 1 ? nullptr : std::move(hosts);
}

/// False, and said unless a sanitizer has the heap: where a rank's memory lies is then the
/// process's business.
bool reserve_heaps(int ranks) {
  if (!rank_heaps::are_used()) return false;
  const bool reserved = rank_heaps::reserve(ranks);
  if (!reserved) {
    fmt::print(
        stderr,
        "aprun: warning: the host has no {} TiB of addresses for the ranks' heaps (ulimit -v?): "
        "runs may not repeat exactly\n",
        rank_heaps::range_bytes >> 40);
  }
  return reserved;
}

class Programs {
 public:
  Programs(const ProgramImage& image, const AprunOptions& options,
           std::vector<corespec::Setting> settings, const VirtualJob& job, RankOutput& output)
      : image_(image), output_(output), has_heaps_(reserve_heaps(options.ranks)) {
    for (corespec::Setting& variable : job_variables(job.apid(), options.depth)) {
      settings.push_back(std::move(variable));
    }
    const int copies = image.shared() ? 1 : options.ranks;
    std::size_t mapped = 0;
    for (int i = 0; i < copies; ++i) {
      copies_.push_back(ProgramCopy::load(image, static_cast<std::uint64_t>(i)));
      // The first one brings libraries along that all share.
      if (i == 0 && copies > 1) mapped = count_mappings();
      if (i == 1) check_mapping_room(image.path(), mapped, static_cast<std::size_t>(copies));
    }
    arguments_->push_back(options.program);
    arguments_->insert(arguments_->end(), options.arguments.begin(), options.arguments.end());
    *environment_ = environment_of(settings);
    if (image.shared()) {
      common_ = std::make_shared<RankProgram::Common>();
      for (std::string& entry : *environment_) common_->environment.push_back(entry.data());
      common_->environment.push_back(nullptr);
    }
    char directory[4096];
    directory_ = std::make_shared<const std::string>(
        getcwd(directory, sizeof directory) == nullptr ? "/" : directory);
  }

  RankFile original_file() const {
    return [this](int rank, const void* address) {
      const auto copy = image_.shared() ? 0 : static_cast<std::size_t>(rank);
      const ImageFile* const file = copies_[copy]->file_at(address);
      return file == nullptr ? std::string() : file->elf().path();
    };
  }

  /// A rank's main thread. What it has on its stack, every rank has: as little as can be.
  int run(corespec::Process& process, bool measured) {
    RankProgram& program = make_program(process);
    if (measured) corespec::this_thread().measure();
    const ProgramEnd end = program.run();
    output_.end(process.rank());
    return status_of(process, end);
  }

 private:
  [[gnu::noinline]] RankProgram& make_program(corespec::Process& process) {
    const auto number = image_.shared() ? 0 : static_cast<std::size_t>(process.rank());
    auto program = std::make_unique<RankProgram>(*copies_[number], arguments_, environment_,
                                                 rank_variables(process), directory_, common_);
    RankProgram& made = *program;
    if (has_heaps_) made.heap = &rank_heaps::of(process.rank());
    made.signal_host = &signal_host_;
    made.cpu_host = &cpu_host_;
    made.node_files = &node_files_;
    process.set_state(corespec::Process::Slot::program, std::move(program));
    return made;
  }

  const ProgramImage& image_;
  RankOutput& output_;
  bool has_heaps_;
  VirtualSignalHost signal_host_;
  VirtualCpuHost cpu_host_;
  CrayFiles node_files_;
  std::vector<std::unique_ptr<ProgramCopy>> copies_;
  RankProgram::Texts arguments_ = std::make_shared<std::vector<std::string>>();
  RankProgram::Texts environment_ = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<RankProgram::Common> common_;  ///< of a shared image
  RankProgram::Directory directory_;
};

/// For --profile and its like.
RunDescription describe_run(const AprunOptions& options, VirtualRun& run,
                            const corespec::VirtualMachine::Result& result, bool measured,
                            int code) {
  RunDescription made;
  made.command = options.words;
  made.program = options.program;
  made.clock = "virtual";
  made.system = options.system;
  const std::string machine = run.describe();
  for (std::size_t at = 0; at < machine.size();) {
    const std::size_t end = std::min(machine.find('\n', at), machine.size());
    if (end > at) made.machine.push_back(machine.substr(at, end - at));
    at = end + 1;
  }
  made.ranks = run.job().size();
  made.nodes = static_cast<int>(run.nodes());
  for (int rank = 0; rank < made.ranks; ++rank) {
    made.nid_of_rank.push_back(run.job().nid_of(rank));
  }
  made.parameters = changed_parameters(run.parameters());
  made.time_s = result.time.s();
  made.fingerprint = fmt::format("{:016x}", result.fingerprint);
  made.measured = measured;
  made.exit_code = code;
  return made;
}

/// What telemetry's result is made of.
TelemetrySources telemetry_sources(VirtualRun& run, Endpoints& endpoints) {
  TelemetrySources made;
  made.records = run.network().records();
  made.topology = &run.network().topology();
  made.choice = run.parameters().telemetry;
  const corespec::Parameters& parameters = run.parameters();
  made.clock_skew = parameters.telemetry_clock_skew;
  made.longest_link =
      parameters.hop_latency + parameters.nic_to_router_latency + parameters.memory_latency;
  made.ranks = run.job().size();
  made.endpoints = &endpoints;
  made.nid_of = [&run](int rank) { return run.job().nid_of(rank); };
  return made;
}

/// Each part has noted these of its own ranks, NICs and routers.
std::vector<Shared> shared_by_parts(VirtualRun& run, RunFiles& files, RunListeners& listeners,
                                    Endpoints& endpoints, FaultList& faults,
                                    std::optional<AuditReport>& audit, corespec::Time end) {
  std::vector<Shared> all;
  if (audit) {
    all.push_back({[&audit] { return audit->pack(); },
                   [&audit](std::size_t, std::string_view packed) { audit->add(packed); }});
  }
  if (run.faulty_wire() != nullptr) {
    all.push_back({[&faults] { return faults.pack(); },
                   [&faults](std::size_t, std::string_view packed) { faults.add(packed); }});
  }
  if (files.wants_profile()) {
    all.push_back(
        {[&files, end] { return pack_profile(files.take_profile(end)); },
         [&files](std::size_t, std::string_view packed) { files.add(unpack_profile(packed)); }});
  }
  if (files.wants_timeline()) all.push_back(listeners.rest_of_timeline());
  if (gemini::NetworkCounters* const counters = run.network().counters(); counters != nullptr) {
    // Reports are about tiles; what NICs count, ranks read.
    all.push_back(
        {[counters] { return counters->tiles.pack(); },
         [counters](std::size_t, std::string_view packed) { counters->tiles.add(packed); }});
  }
  if (telemetry::NetworkRecords* const records = run.network().records(); records != nullptr) {
    all.push_back({[records] { return records->pack(); },
                   [records](std::size_t, std::string_view packed) { records->add(packed); }});
    all.push_back({[&run, &endpoints] { return endpoints.pack(run.job().own_ranks()); },
                   [&endpoints](std::size_t, std::string_view packed) { endpoints.add(packed); }});
  }
  return all;
}

/// For --report.
void add_machine(VirtualRun& run, corespec::Time end, MachineNotes& made) {
  const gemini::Topology& topology = run.network().topology();
  made.positions = positions_json(topology, run.nids());
  // The page draws links of a torus.
  const bool draws_links = dynamic_cast<const gemini::Torus*>(&topology) != nullptr;
  if (draws_links && run.network().counters() != nullptr) {
    made.counters = counter_json(run, counter_report(run, end));
  }
}

int finish(VirtualRun& run, Interruptions& interruptions,
           const corespec::VirtualMachine::Result& result, std::uint64_t apid) {
  const VirtualJob::End& end = run.job().end();
  if (result.end == corespec::Engine::End::time_limit) {
    interruptions.say_time_limit(result.time);
    constexpr int signal_exit = 128;
    return signal_exit + SIGXCPU;  // as live, where the kernel ends the rank
  }
  if (end.aborted) {
    // A shell sees the code's lower byte; an aborted job has failed, whatever that is.
    const int code = (end.status & 0xff) == 0 ? 1 : end.status & 0xff;
    fmt::print(stderr, "Application {} exit codes: {}\n", apid, code);
    return code;
  }
  if (result.deadlock) {
    fmt::print(stderr,
               "aprun: deadlock: {} ranks have not ended and nothing will happen any more\n",
               result.stuck_ranks);
    fmt::print(stderr, "{}", interruptions.states());
    for (const std::string& line : run.network().standstill()) {
      fmt::print(stderr, "castor: network: {}\n", line);
    }
    return 1;
  }
  if (end.status != 0) {
    fmt::print(stderr, "Application {} exit codes: {} (rank {})\n", apid, end.status,
               end.first_failed);
  }
  return end.status;
}

/// `hosts`, `workers`: null as long as this process is the only one.
int run_program(const AprunOptions& options, const TlsRoom& tls_room, std::unique_ptr<Hosts>& hosts,
                std::unique_ptr<Workers>& workers) {
  std::vector<corespec::Setting> settings = user_settings(options);
  const std::unique_ptr<const ProgramImage> image = ProgramImage::open(
      find_program(options.program, setting(settings, "PATH")),
      setting(settings, "LD_LIBRARY_PATH"), setting(options.environment, "LD_PRELOAD"));
  tls_room.require(image->tls_room() *
                   static_cast<std::size_t>(image->shared() ? 1 : options.ranks));
  hosts = meet_hosts(options, settings);
  if (hosts != nullptr) settings = hosts->settings();
  const bool is_first_host = hosts == nullptr || hosts->own() == 0;
  if (!image->openmp().empty()) {
    const std::string line = set_openmp(image->openmp(), settings);
    if (is_first_host) fmt::print(stderr, "{}", line);
  }

  // Ordinary programs expect an ordinary stack; it is address space until it is touched. Ranks
  // that share an image are many, and say so.
  std::vector<corespec::Setting> parameter_settings;
  if (!image->shared()) parameter_settings.emplace_back("CASTOR_STACK_SIZE", "8M");
  parameter_settings.insert(parameter_settings.end(), settings.begin(), settings.end());
  parameter_settings.insert(parameter_settings.end(), options.settings.begin(),
                            options.settings.end());
  set_counting(options, *image, parameter_settings);
  if (!options.telemetry_file.empty() && setting(parameter_settings, "CASTOR_TELEMETRY").empty()) {
    throw UsageError(
        "--telemetry-file: without --telemetry nothing is marked; give a choice like --telemetry "
        "100");
  }
  if (!options.faults_file.empty() && setting(parameter_settings, "CASTOR_FAULTS").empty()) {
    throw UsageError("--faults-file: without --faults nothing goes wrong by a plan");
  }
  CounterFiles counter_files(is_first_host ? options.counters : std::vector<std::string>(),
                             options.limit_s);
  try_loading(*image);  // while the process that is copied for it is small
  prepare_heap(options.ranks);
  RankOutput output({options.ranks, options.label});
  JobRequest request = job_request(options, parameter_settings);
  request.output = &output;
  RunFiles files(options, is_first_host ? RunFiles::Writer::here : RunFiles::Writer::elsewhere);
  const std::string compute = setting(parameter_settings, "CASTOR_COMPUTE");
  const bool measured =
      compute == "measured" || ((compute.empty() || compute == "auto") && !image->modelled());
  workers = start_workers(options, request, measured, hosts.get());
  std::optional<FirstWorker> first_worker;
  if (workers != nullptr) {
    request.part = workers->part();
    first_worker.emplace(*workers, output);
  }
  VirtualRun run(request);
  if (first_worker) first_worker->set_run(run, Interruptions::original_file);
  files.begin([&](int rank) { return run.job().nid_of(rank); });
  RunListeners listeners(run, files, options, request.part);
  add_hwloc_variable(run.placement().topology->hwloc_variable, settings);
  Programs programs(*image, options, settings, run.job(), output);
  const bool is_first = request.part.is_first();
  if (is_first) print_header(options, request, run, *image, measured);
  if (is_first && run.parameters().env_display) print_environment(run.parameters());

  SiteFinder sites(run.parameters(), programs.original_file());
  run.begin_telemetry(
      [&](int rank, std::span<void* const> context) { return sites.fits(rank, context); });

  run.start([&](corespec::Process& process) { return programs.run(process, measured); });
  if (options.time_limit_s > 0) {
    run.set_time_limit(corespec::Time::seconds(options.time_limit_s));
  }
  const Watchdog watchdog(run,
                          measured ? Watchdog::Program::measured : Watchdog::Program::modelled);
  const CrashReport crash_report(run, request.apid, output,
                                 image->missing() == nullptr ? "" : image->missing()->path());
  Interruptions interruptions(run, output, options.limit_s,
                              first_worker ? &*first_worker : nullptr);
  RunControl control(run, interruptions,
                     {is_first ? options.limit_s : 0,
                      is_first && !options.quiet && ProgressLine::has_terminal(), is_first});
  set_foreign_signal_notice(RunControl::ask);
  std::optional<TimeSlices> slices;
  if (measured) slices.emplace(run.parameters().measured_slice, run.output_pace());
  const corespec::VirtualMachine::Result result = control.run();
  Endpoints endpoints(
      [&](int rank) { return run.job().has(rank) ? &run.job().rank(rank) : nullptr; },
      programs.original_file());
  const faults::FaultyWire* const faulty = run.faulty_wire();
  FaultList fault_list =
      faulty == nullptr ? FaultList() : FaultList(faulty->faults(), faulty->count());
  std::optional<AuditReport> audit;
  if (run.parameters().audit) audit.emplace(run);
  const std::vector<Shared> shared =
      shared_by_parts(run, files, listeners, endpoints, fault_list, audit, result.time);
  if (first_worker && !is_first) {
    first_worker->end(shared);
    exit_launcher_early(0);
  }
  slices.reset();
  set_foreign_signal_notice(nullptr);
  interruptions.end_progress();
  output.end_all();
  if (!image->openmp().empty()) remove_openmp_files();
  int code = finish(run, interruptions, result, request.apid);
  if (first_worker) first_worker->end(shared);
  if (!counter_files.empty()) write_counters(run, result.time, counter_files, options.quiet);
  if (code == 0 && output.has_failed()) code = 1;
  if (audit && code == 0) {  // a job that was ended has had no time to give anything back
    audit->print();
    if (!audit->finds_nothing()) code = 1;
  }
  listeners.end(result.time);
  MachineNotes notes;
  if (run.network().records() != nullptr) {
    const TelemetryData data = gather_telemetry(telemetry_sources(run, endpoints));
    if (!options.quiet) fmt::print(stderr, "\n{}\n", telemetry_text(data));
    if (data.paths.empty()) {
      fmt::print(stderr, "castor: warning: --telemetry {}: no command was marked\n", data.choice);
    }
    if (!files.empty()) {
      notes.telemetry = telemetry_json(data);
      notes.telemetry_csv = telemetry_csv(data);
    }
  }
  notes.faults_csv = fault_list.csv();
  if (faulty != nullptr && !options.quiet) {
    fmt::print(stderr, "castor: faults: {}\n", fault_list.summary());
  }
  if (!files.empty()) {
    if (!options.report.empty()) add_machine(run, result.time, notes);
    files.write(describe_run(options, run, result, measured, code), notes);
  }
  if (!options.quiet) {
    print_resources(run, result, request.apid, measured, options.verbose);
    if (first_worker && options.verbose) fmt::print(stderr, "castor: {}\n", first_worker->usage());
  }
  // Nothing is left to do; to take a large job apart takes a tenth of its time. Sanitizers look for
  // what is left behind.
  if (rank_heaps::are_used()) {
    std::fflush(stdout);
    exit_launcher_early(code);
  }
  return code;
}

}  // namespace

int run_program(const AprunOptions& options, const TlsRoom& tls_room) {
  std::unique_ptr<Hosts> hosts;
  std::unique_ptr<Workers> workers;
  try {
    return run_program(options, tls_room, hosts, workers);
  } catch (...) {
    if (workers != nullptr) {
      workers->prepare_to_fail();
    } else if (options.workers_given) {
      Hosts::let_first_speak(corespec::environment());
    }
    throw;
  }
}

}  // namespace launch
