// Names of a profile's parts; profiles of several ranks made one.
#include "launch/profile/profile_data.h"

#include <algorithm>

#include "corespec/host/check.h"

namespace launch {

namespace {

constexpr std::string_view by_others = " (other threads)";

}  // namespace

std::string of_other_thread(std::string_view function) {
  return std::string(function).append(by_others);
}

CallGroup group_of(std::string_view function) {
  struct Prefix {
    std::string_view text;
    CallGroup group;
  };
  static constexpr Prefix prefixes[] = {{"MPI", CallGroup::mpi},
                                        {"PMPI_", CallGroup::mpi},
                                        {"ARMCI", CallGroup::armci},
                                        {"PARMCI_", CallGroup::armci},
                                        {"armci_", CallGroup::armci},
                                        {"dmapp_", CallGroup::dmapp},
                                        {"GNI_", CallGroup::ugni},
                                        {"gpcd_", CallGroup::ugni},
                                        {"PMI", CallGroup::pmi},
                                        {"alps_", CallGroup::pmi},
                                        {"corespec_", CallGroup::computing}};
  if (function.ends_with(by_others)) return CallGroup::others;
  for (const Prefix& prefix : prefixes) {
    if (function.substr(0, prefix.text.size()) == prefix.text) return prefix.group;
  }
  return CallGroup::system;
}

const char* name_of(CallGroup group) {
  switch (group) {
    case CallGroup::computing:
      return "USER";
    case CallGroup::mpi:
      return "MPI";
    case CallGroup::armci:
      return "ARMCI";
    case CallGroup::dmapp:
      return "DMAPP";
    case CallGroup::ugni:
      return "uGNI";
    case CallGroup::pmi:
      return "PMI";
    case CallGroup::system:
      return "SYSTEM";
    case CallGroup::others:
      return "OTHER THREADS";
  }
  CASTOR_NEVER("a group of calls");
}

const char* name_of(Loss loss) {
  switch (loss) {
    case Loss::interrupts:
      return "interrupts";
    case Loss::progress:
      return "progress threads";
    case Loss::noise:
      return "noise";
    case Loss::others:
      return "other threads";
  }
  CASTOR_NEVER("a loss");
}

const char* name_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::point_to_point:
      return "point to point";
    case MessageKind::collective:
      return "collective";
    case MessageKind::one_sided:
      return "one-sided";
  }
  CASTOR_NEVER("a kind of messages");
}

std::size_t ProfileData::call(std::string_view function) {
  const auto found = std::find(calls.begin(), calls.end(), function);
  if (found != calls.end()) return static_cast<std::size_t>(found - calls.begin());
  calls.emplace_back(function);
  sizes.emplace_back();
  return calls.size() - 1;
}

ProtocolStatistics& ProfileData::protocol(std::string_view name) {
  for (ProtocolStatistics& each : protocols) {
    if (each.name == name) return each;
  }
  return protocols.emplace_back(ProtocolStatistics{std::string(name), 0, 0});
}

void ProfileData::add(const ProfileData& other) {
  std::vector<std::size_t> number_here;
  for (std::size_t i = 0; i < other.calls.size(); ++i) {
    number_here.push_back(call(other.calls[i]));
    sizes[number_here.back()].add(other.sizes[i]);
  }
  for (std::size_t i = 0; i < message_kinds; ++i) sizes_by_kind[i].add(other.sizes_by_kind[i]);
  for (const ProtocolStatistics& each : other.protocols) {
    ProtocolStatistics& here = protocol(each.name);
    here.messages += each.messages;
    here.bytes += each.bytes;
  }
  for (const RankProfile& rank : other.ranks) {
    RankProfile& added = ranks.emplace_back(rank);
    added.calls.assign(calls.size(), {});
    for (std::size_t i = 0; i < rank.calls.size(); ++i) {
      added.calls[number_here[i]] = rank.calls[i];
    }
  }
  std::sort(ranks.begin(), ranks.end(),
            [](const RankProfile& a, const RankProfile& b) { return a.rank < b.rank; });
}

}  // namespace launch
