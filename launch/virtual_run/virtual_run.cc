// Puts a machine in virtual time together.
#include "launch/virtual_run/virtual_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "corespec/threads/thread.h"
#include "corespec/virtual/virtual_thread.h"
#include "launch/description/job_nodes.h"
#include "launch/workers/part_of_router.h"
#include "ugni_emu/gemini/make_network.h"
#include "ugni_emu/gemini/topology/make_topology.h"
#include "ugni_emu/nic/nic.h"
#include "ugni_emu/telemetry/endpoint_log.h"

namespace launch {
namespace {

/// Nodes of fewer would have more and shorter turns; those of more come back to a rank when no
/// cache holds it any longer (decision 7, "Domains of four Geminis").
constexpr unsigned nodes_per_domain = 8;

/// Ranks and components of a choice are the job's and the machine's.
void check_named(const telemetry::Choice& choice, int ranks, const gemini::Topology& topology) {
  if (choice.pair && std::max(choice.pair->from, choice.pair->to) >= ranks) {
    throw std::invalid_argument(fmt::format("pair:{}-{}: the job's ranks are 0 to {}",
                                            choice.pair->from, choice.pair->to, ranks - 1));
  }
  if (!choice.component) return;
  const bool router = choice.component->is_router();
  const std::uint32_t most = router ? topology.routers() : topology.nodes();
  if (choice.component->number() < most) return;
  throw std::invalid_argument(fmt::format("{}:{}: {} has {}s 0 to {}", router ? "router" : "nic",
                                          choice.component->number(), topology.name(),
                                          router ? "router" : "nic", most - 1));
}

void check_telemetry(const corespec::Parameters& parameters, int ranks,
                     const gemini::Topology& topology) {
  if (parameters.telemetry.empty()) return;
  try {
    check_named(telemetry::parse_choice(parameters.telemetry), ranks, topology);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("CASTOR_TELEMETRY: {}", error.what()));
  }
}

unsigned routers_per_domain(const gemini::Topology& topology) {
  return std::max(nodes_per_domain / topology.nics_per_router(), 1U);
}

}  // namespace

Divisible divisible(const JobRequest& request) {
  const std::shared_ptr<const gemini::Topology> topology = gemini::make_topology(request.system);
  const corespec::Parameters parameters = job_parameters(request.settings, *topology);
  Divisible found;
  found.wanted = static_cast<std::size_t>(parameters.workers);
  const std::vector<int> nids = choose_nids(
      nodes_for(request.ranks, request.placement.ranks_per_node), request.nids, *topology);
  found.blocks = PartOfRouter::used_blocks(*topology, nids, routers_per_domain(*topology));
  found.in_parts = gemini::network_needs(parameters).parts;
  return found;
}

VirtualRun::VirtualRun(const JobRequest& request) : request_(request) {
  const std::shared_ptr<const gemini::Topology> topology = gemini::make_topology(request.system);
  corespec::Parameters parameters = job_parameters(request.settings, *topology);
  check_telemetry(parameters, request.ranks, *topology);
  corespec::PlacementRequest wanted = request.placement;
  // As ranks ask for it.
  parameters.cpus_per_rank = wanted.depth;
  parameters.system = topology->name();
  wanted.progress_on_unassigned = parameters.use_unassigned_cpus;
  placement_ = std::make_shared<corespec::Placement>(
      corespec::Placement::make(corespec::NodeTopology::load(request.node), wanted));
  nids_ = choose_nids(nodes_for(request.ranks, wanted.ranks_per_node), request.nids, *topology);
  const RankOrder order =
      request.by_aprun ? rank_order(parameters, request.ranks, wanted.ranks_per_node) : RankOrder();

  // A rank may have a progress thread beside its own.
  machine_ = std::make_unique<corespec::VirtualMachine>(
      parameters, 2 * static_cast<std::size_t>(request.ranks));
  std::vector<corespec::VirtualDomain*> domains;  // of the nodes, by router
  const gemini::NetworkNeeds needs = gemini::network_needs(parameters);
  const unsigned per_domain = routers_per_domain(*topology);
  if (needs.lanes) {
    // The routers of a part share one domain, each a lane of it: their events are short and near
    // each other in time, and one queue costs less than finding, event by event, the router whose
    // turn it is.
    corespec::VirtualDomain& routers =
        machine_->add_domain(corespec::DomainClass::routers, corespec::QueueKind::lanes);
    border_ = std::make_unique<RouterBorder>(request.part, routers, parameters.hop_latency);
  }
  corespec::VirtualDomain* block_of_routers = nullptr;
  const PartOfRouter part_of(*topology, nids_, per_domain, request.part.count);
  const auto is_own = [&](gemini::RouterId router) {
    return part_of(router) == request.part.number;
  };
  gemini::NetworkDomains places;
  places.nodes = [&](gemini::RouterId router) -> corespec::EventDomain& {
    domains.push_back(router % per_domain == 0 ? &machine_->add_domain() : domains.back());
    return *domains.back();
  };
  places.router = [&](gemini::RouterId router) -> corespec::EventDomain& {
    if (needs.lanes) return border_->domain_of(part_of(router));
    if (router % per_domain == 0) {
      block_of_routers = &machine_->add_domain(corespec::DomainClass::routers);
    }
    return *block_of_routers;
  };
  places.make_source = [&] { return machine_->make_source(); };
  network_ = gemini::make_network(parameters, topology, places);
  if (border_ != nullptr) border_->set_network(*network_);
  if (request.around) {
    around_ = request.around(*network_, [this] { return machine_->make_source(); });
  }
  ugni::Wire& whole = around_ != nullptr ? *around_ : static_cast<ugni::Wire&>(*network_);
  faults::FaultPlan plan(parameters.faults, parameters.faults_only,
                         static_cast<std::uint64_t>(parameters.seed));
  if (!plan.none()) {
    faulty_ = std::make_unique<faults::FaultyWire>(
        whole, std::move(plan), [this] { return machine_->make_source(); },
        [this](ugni::NicAddress nid) { node_failed(static_cast<int>(nid)); });
  }
  ugni::Wire& wire = faulty_ != nullptr ? *faulty_ : whole;
  corespec::VirtualDomain& service = machine_->add_domain();
  machine_->engine().set_least_delays(network_->least_delay(), network_->nic_delay(),
                                      parameters.startup_exchange);
  if (parameters.longest_turn != corespec::Time()) {
    machine_->engine().set_longest_turn(parameters.longest_turn);
  }

  job_ = std::make_unique<VirtualJob>(*machine_, service,
                                      JobLayout{request.ranks, wanted.ranks_per_node, nids_, order},
                                      request.apid, request.output, request.part);
  // Earlier than what a router could still bring to a node before the end: all of that happens.
  job_->set_end_listener(
      [this](corespec::Time end) { network_->end_at(end - network_->nic_delay()); });
  if (request.output != nullptr) {
    output_pace_ = std::make_unique<OutputPace>(machine_->engine(), *request.output,
                                                parameters.startup_exchange);
  }
  std::vector<corespec::VirtualNode*> places_nodes;
  for (int nid : nids_) {
    const gemini::RouterId router = topology->router_of(static_cast<gemini::Nid>(nid));
    if (!is_own(router)) {
      machine_->skip_node();
      if (faulty_ != nullptr) machine_->make_source();  // as where the node is
      places_nodes.push_back(nullptr);
      continue;
    }
    corespec::VirtualNode& node = machine_->add_node(nid, *domains[router], placement_);
    auto nic = std::make_unique<nic::Nic>(node, wire);
    node.set_device(std::move(nic));
    nodes_.push_back(&node);
    places_nodes.push_back(&node);
  }
  for (int rank = 0; rank < request.ranks; ++rank) {
    const int place = order.place_of(rank);
    job_->add_rank(places_nodes[static_cast<std::size_t>(place / wanted.ranks_per_node)]);
  }
  machine_->engine().set_rounds(request.part.rounds);
}

VirtualRun::~VirtualRun() {
  output_pace_.reset();
  // What hangs off ranks and nodes refers to the NICs and the network: job and nodes go first.
  job_.reset();
  machine_.reset();
}

void VirtualRun::set_observers(
    const std::function<corespec::Observer*(const corespec::EventDomain&)>& observer_of) {
  corespec::EventDomain* last = nullptr;
  for (corespec::VirtualNode* node : nodes_) {
    corespec::EventDomain& domain = node->domain();
    if (&domain == last) continue;
    domain.set_observer(observer_of(domain));
    last = &domain;
  }
}

void VirtualRun::begin_telemetry(const SiteTest& fits) {
  if (parameters().telemetry.empty()) return;
  const auto choice =
      std::make_shared<const telemetry::Choice>(telemetry::parse_choice(parameters().telemetry));
  for (const int number : job_->own_ranks()) {
    corespec::Process& rank = job_->rank(number);
    rank.keep_contexts();
    rank.set_state(corespec::Process::Slot::telemetry,
                   std::make_unique<telemetry::EndpointLog>(
                       rank, parameters(), choice, [fits, number](std::span<void* const> context) {
                         return fits(number, context);
                       }));
  }
  for (corespec::VirtualNode* node : nodes_) nic::Nic::of(*node)->begin_tracking();
}

void VirtualRun::start(std::function<int(corespec::Process&)> main) {
  main_ = std::move(main);
  for (const int number : job_->own_ranks()) {
    corespec::Process& rank = job_->rank(number);
    rank.node().start_thread(corespec::ThreadRole::application, &rank, [this, &rank] {
      const int status = main_(rank);
      corespec::this_thread().sync();
      job_->rank_ended(rank, status);
      spare_ended_node(rank.node().nid());
    });
  }
}

corespec::VirtualMachine::Result VirtualRun::run() {
  corespec::VirtualMachine::Result result;
  do {
    result = machine_->run();
  } while (result.end == corespec::Engine::End::interrupted && job_->takes_new_limit());
  if (result.end == corespec::Engine::End::interrupted) return result;  // it goes on
  if (machine_->news().gave_up()) result.time = last_call_begun();
  backlog_ = network_->backlog();
  faults_ = network_->faults();
  if (request_.part.rounds != nullptr) {
    gather(result);
  } else {
    job_->conclude(result);
  }
  return result;
}

// ---- parts

/// The first part learns what all have come to, and the others when the run has ended.
void VirtualRun::gather(corespec::VirtualMachine::Result& result) {
  struct PartResult {
    corespec::Time time;
    std::uint64_t events;
    std::uint64_t stuck_ranks;
    VirtualJob::PartEnd end;
    gemini::Backlog backlog;
    gemini::FaultCounts faults;
  };
  Mail& mail = *request_.part.mail;
  if (!request_.part.is_first()) {
    mail.send(0, Subject::result,
              PartResult{result.time, result.events, result.stuck_ranks, job_->part_end(),
                         backlog_.value_or(gemini::Backlog()), faults_},
              std::as_bytes(std::span(result.hashes)));
  }
  mail.set_reader(Subject::result, [&](std::size_t, std::span<const std::byte> letter) {
    const auto part = take_record<PartResult>(letter);
    result.time = std::max(result.time, part.time);
    result.events += part.events;
    result.stuck_ranks += part.stuck_ranks;
    job_->add(part.end);
    if (backlog_) {
      const std::uint64_t beyond = backlog_->beyond + part.backlog.beyond;
      if (part.backlog.excess() > backlog_->excess()) backlog_ = part.backlog;
      backlog_->beyond = beyond;
    }
    faults_ += part.faults;
    for (std::uint64_t& hash : result.hashes) {
      const auto other = take_record<std::uint64_t>(letter);
      if (other != corespec::Engine::no_hash) hash = other;
    }
  });
  meet_after_run(request_.part);
  result.deadlock = result.stuck_ranks > 0;
  result.fingerprint = corespec::Engine::fingerprint(result.hashes);
  job_->conclude(result);
  if (request_.part.is_first()) mail.send_to_others(Subject::result, result.time);
  mail.set_reader(Subject::result, [&](std::size_t, std::span<const std::byte> letter) {
    result.time = take_record<corespec::Time>(letter);
  });
  meet_after_run(request_.part);
}

/// Where the last rank has ended nothing is left to fail: the job does not last until then.
void VirtualRun::spare_ended_node(int nid) {
  const auto address = static_cast<ugni::NicAddress>(nid);
  const corespec::Event* const death = faulty_ ? faulty_->death_of(address) : nullptr;
  if (death == nullptr) return;
  for (corespec::VirtualNode* const node : nodes_) {
    const bool is_last = node->nid() == nid && node->application_threads() == 1;
    if (is_last) static_cast<corespec::VirtualDomain&>(node->domain()).cancel(*death);
  }
}

std::optional<corespec::Time> VirtualRun::end_of_node(std::uint32_t nid) const {
  return faulty_ == nullptr ? std::nullopt : faulty_->end_of(nid);
}

void VirtualRun::node_failed(int nid) {
  for (corespec::VirtualNode* const node : nodes_) {
    if (node->nid() == nid) job_->node_failed(*node);
  }
}

corespec::Time VirtualRun::last_call_begun() const {
  corespec::Time last;
  for (const corespec::VirtualNode* node : nodes_) {
    if (node->halted()) continue;
    for (const auto& thread : node->threads()) {
      const bool stuck = thread->role() == corespec::ThreadRole::application && !thread->finished();
      if (stuck) last = std::max(last, thread->call_begun());
    }
  }
  return last;
}

void VirtualRun::adopt_caller(void (*loop)(void*), void* argument) {
  nodes_.front()->adopt_thread(job_->rank(0), {loop, argument});
}

void VirtualRun::enter_loop() { nodes_.front()->leave_adopted_thread(); }

void VirtualRun::show_placement() const {
  if (parameters().rank_reorder_display && request_.by_aprun) {
    fmt::print(stderr, "{}",
               rank_order_text(parameters(), job_->order(), request_.ranks,
                               request_.placement.ranks_per_node, nids_));
  }
  if (!parameters().cpumask_display) return;
  fmt::print(stderr, "{}", placement_->map(nids_).text());
}

std::string VirtualRun::describe() const {
  return fmt::format("{}\n{} ranks on {} nodes, {} to a node; {}\nseed {}", network_->describe(),
                     request_.ranks, nids_.size(), request_.placement.ranks_per_node,
                     placement_->text(), parameters().seed);
}

}  // namespace launch
