// What the software of all ranks has noted, whichever part of the job they belong to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/job/job.h"
#include "corespec/threads/context_table.h"
#include "launch/symbols/code_place.h"
#include "launch/telemetry/call_sites.h"
#include "ugni_emu/telemetry/endpoint_log.h"

namespace launch {

/// One rank's.
struct EndpointNotes {
  std::uint64_t issued = 0;  ///< commands, marked or not
  std::span<const telemetry::MarkedCommand> commands;
  std::span<const telemetry::Taking> takings;
};

/// After the run. Of ranks of this process it asks their logs; what ranks of another part have
/// noted comes as bytes, in which calling contexts are places in the program's files: addresses
/// mean nothing in another process.
class Endpoints {
 public:
  /// `rank`: that one's process, null if it belongs to another part.
  using RankOf = std::function<corespec::Process*(int rank)>;
  Endpoints(RankOf rank, RankFile original);

  /// Nothing if the rank marks nothing.
  EndpointNotes of(int rank) const;
  /// A context's places in the program, the innermost first.
  std::vector<CodePlace> places(int rank, corespec::ContextNumber context);

  std::string pack(std::span<const int> own_ranks);
  /// Throws std::runtime_error if it is not what pack() makes.
  void add(std::string_view packed);

 private:
  /// A rank's of another part.
  struct Far {
    std::uint64_t issued = 0;
    std::vector<telemetry::MarkedCommand> commands;
    std::vector<telemetry::Taking> takings;
    std::vector<std::vector<CodePlace>> contexts;  ///< by number, from 1
  };
  RankOf rank_;
  RankFile original_;
  std::optional<PlaceFinder> finder_;  ///< made when it is first needed
  std::map<int, Far> far_;
  std::deque<std::string> texts_;  ///< to which calls of far ones point
};

}  // namespace launch
