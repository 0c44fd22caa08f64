// The lines about a run's network.
#include "launch/virtual_launcher/network_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "ugni_emu/faults/fault_plan.h"
#include "ugni_emu/gemini/links/link_failures.h"

namespace launch {

namespace {

bool has_link_failures(const corespec::Parameters& parameters) {
  const auto statements = faults::fault_statements(parameters.faults);
  return std::any_of(statements.begin(), statements.end(), [](const auto& each) {
    return gemini::LinkFailures::is_statement(each.name());
  });
}

}  // namespace

void print_backlog(const VirtualRun& run) {
  const std::optional<gemini::Backlog>& backlog = run.backlog();
  if (!backlog) return;
  if (backlog->bytes == 0) {
    fmt::print(stderr,
               "castor: network: no queue before a link: fidelity message is good to 2 %\n");
    return;
  }
  constexpr double kilobyte = 1e3;
  const gemini::Topology& topology = run.network().topology();
  const gemini::Port port = backlog->port;
  const bool host = port.link == topology.links_per_router();
  const bool within = backlog->excess() <= gemini::Backlog::safe_excess;
  fmt::print(
      stderr,
      "castor: network: the longest queue, before {} of router {}, held {:.1f} KB; tiles "
      "there hold {:.1f} KB: fidelity message is {}good to 2 %{}\n",
      host ? "the host port" : topology.link_name(port.link), port.router,
      backlog->bytes / kilobyte, backlog->buffer_bytes / kilobyte, within ? "" : "not known to be ",
      within ? ""
             : fmt::format(" ({:.1f} times as much; {} queue{} beyond {}; see --fidelity packet)",
                           backlog->excess(), backlog->beyond, backlog->beyond == 1 ? "" : "s",
                           gemini::Backlog::safe_excess));
}

void print_faults(const VirtualRun& run) {
  const corespec::Parameters& parameters = run.parameters();
  const bool may_go_wrong = !parameters.link_failures.empty() || parameters.link_errors != 0 ||
                            parameters.lost_packets != 0 || has_link_failures(parameters);
  if (!may_go_wrong) return;
  const gemini::FaultCounts& faults = run.faults();
  fmt::print(stderr,
             "castor: network: lost on failed links {}, otherwise {}; sent again {}, given up {}; "
             "rerouted {}; damaged and sent again by links {}\n",
             faults.lost_on_links, faults.lost, faults.resent, faults.given_up, faults.rerouted,
             faults.damaged);
}

}  // namespace launch
