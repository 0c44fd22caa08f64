// What listens to a run in virtual time, for the files about it.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corespec/virtual/engine.h"
#include "launch/run_files/run_files.h"
#include "launch/timeline/occurrence_order.h"
#include "launch/virtual_launcher/first_worker.h"
#include "launch/virtual_run/virtual_run.h"

namespace launch {

/// While it exists each domain of nodes is listened to. What a timeline needs waits until nothing
/// earlier can be told any more: its order does not depend on the order of turns. Of several parts
/// the first one has the timeline; the others send it, after each round, what is settled.
class RunListeners final : private corespec::Engine::SettledListener {
 public:
  RunListeners(VirtualRun& run, RunFiles& files, const AprunOptions& options, const Part& part);
  ~RunListeners();
  RunListeners(const RunListeners&) = delete;
  RunListeners& operator=(const RunListeners&) = delete;

  /// What has not been sent.
  Shared rest_of_timeline();
  /// After the run: the timeline gets all that is left of it.
  void end(corespec::Time end_of_run);

 private:
  class OfDomain;
  bool settled(corespec::Time time) override;
  void give_before(corespec::Time time);
  std::string pack_before(corespec::Time time);
  void read(std::size_t from, std::string_view parcel);

  VirtualRun& run_;
  RunFiles& files_;
  Part part_;
  bool orders_;  ///< there is to be a timeline
  OccurrenceOrder order_;
  std::deque<OfDomain> of_domains_;
  corespec::Time settled_;                 ///< when the parts have met last
  OccurrencePacker packer_;                ///< to the first part
  std::vector<OccurrenceReader> readers_;  ///< by part
};

}  // namespace launch
