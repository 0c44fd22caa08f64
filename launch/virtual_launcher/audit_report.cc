// Asks ranks, NICs and the network.
#include "launch/virtual_launcher/audit_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "corespec/containers/packed_records.h"
#include "ugni_emu/nic/audit.h"
#include "ugni_emu/nic/nic.h"

namespace launch {

AuditReport::AuditReport(VirtualRun& run) {
  for (const int rank : run.job().own_ranks()) {
    for (const std::string& left : run.job().rank(rank).left()) {
      ranks_.push_back(fmt::format("rank {} has not given back {}", rank, left));
    }
  }
  for (corespec::VirtualNode* const node : run.own_nodes()) {
    const std::vector<std::string> held = nic::audit(*nic::Nic::of(*node));
    machine_.insert(machine_.end(), held.begin(), held.end());
  }
  const std::vector<std::string> network = run.network().audit();
  machine_.insert(machine_.end(), network.begin(), network.end());
}

std::string AuditReport::pack() const {
  corespec::PackedRecords packed;
  for (const auto* const lines : {&machine_, &ranks_}) {
    packed.add(std::uint64_t{lines->size()});
    for (const std::string& line : *lines) packed.add_text(line);
  }
  return packed.take();
}

void AuditReport::add(std::string_view packed) {
  corespec::RecordReader reader(packed);
  for (auto* const lines : {&machine_, &ranks_}) {
    const auto count = reader.take<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) lines->emplace_back(reader.take_text());
  }
}

void AuditReport::print() const {
  for (const auto* const lines : {&machine_, &ranks_}) {
    for (const std::string& line : *lines) fmt::print(stderr, "castor: audit: {}\n", line);
  }
  if (finds_nothing()) fmt::print(stderr, "castor: audit: all has been given back\n");
}

}  // namespace launch
