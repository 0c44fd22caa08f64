// The launch seam on the live clock: a job whose ranks are processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/situation.h"
#include "launch/description/rank_order.h"
#include "launch/start_up/start_up.h"
#include "ugni_emu/faults/rank_faults.h"
#include "ugni_emu/gemini/topology/topology.h"

namespace launch {

/// Which ranks share an emulated node. Nodes hold ranks of one host, so many each as asked for, in
/// the order of places; they are numbered by their first places.
struct NodeMap {
  std::vector<int> node_of;             ///< by rank: index of the node
  std::vector<int> local;               ///< by rank: its number on the node
  std::vector<std::vector<int>> ranks;  ///< by node, in the order of places
  std::vector<int> nids;                ///< by node
  int regular = 0;                      ///< ranks to a node if they fill nodes in order, else 0
  RankOrder order;

  /// `host_of` by rank (see StartUp); `ranks_per_node` 0: all of a host's; `nids` empty: 0, 1, ...
  /// Throws std::invalid_argument as choose_nids() does.
  static NodeMap make(const std::vector<int>& host_of, int ranks_per_node, std::vector<int> nids,
                      const gemini::Topology& topology, RankOrder order = {});

  int nid_of(int rank) const { return nids[index(node_of[index(rank)])]; }
  const std::vector<int>& with(int rank) const { return ranks[index(node_of[index(rank)])]; }
  int local_rank_of(int rank) const { return local[index(rank)]; }
  /// Nodes with ranks on the host of `rank`, and which of these the rank's own is.
  int nodes_beside(int rank, const std::vector<int>& host_of) const;
  int place_beside(int rank, const std::vector<int>& host_of) const;

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
};

/// Exchanges go through the launcher's PMIx.
class LiveJob final : public corespec::Job {
 public:
  LiveJob(StartUp& start_up, const corespec::Parameters& parameters, NodeMap nodes,
          std::uint64_t apid)
      : start_up_(start_up), parameters_(parameters), nodes_(std::move(nodes)), apid_(apid) {}

  int size() const override { return start_up_.size(); }
  std::uint64_t apid() const override { return apid_; }
  int nid_of(int rank) const override { return nodes_.nid_of(rank); }
  int local_rank_of(int rank) const override { return nodes_.local_rank_of(rank); }
  int ranks_per_node() const override { return nodes_.regular; }
  std::vector<int> ranks_on(int nid) const override;
  int leader_of(int rank) const override { return nodes_.with(rank).front(); }
  int place_of(int rank) const override { return nodes_.order.place_of(rank); }
  const corespec::Parameters& parameters() const override { return parameters_; }
  using Job::barrier;
  void barrier(corespec::Process& caller, corespec::BarrierService* service) override;
  void exchange(corespec::Process& caller, std::span<const std::byte> in,
                const Take& take) override;
  void put(corespec::Process& caller, std::string_view key, std::string_view value) override;
  bool get(corespec::Process& caller, std::string_view key, std::string& value) override;
  [[noreturn]] void abort(corespec::Process& caller, int code, std::string_view why) override;
  void report(corespec::Process& caller, std::string_view line) override;

  const NodeMap& nodes() const { return nodes_; }
  /// What is to go wrong here; it outlives the job's last meeting.
  void set_faults(faults::RankFaults& faults) { faults_ = &faults; }

  /// What people should know of the rank's meetings with all others of the job. For any thread.
  void add_exchanges(corespec::Situation& to) const;

 private:
  class Meeting;

  void may_be_killed(const corespec::Process& caller);

  StartUp& start_up_;
  faults::RankFaults* faults_ = nullptr;
  const corespec::Parameters& parameters_;
  NodeMap nodes_;
  std::uint64_t apid_;
  std::atomic<std::uint64_t> meetings_{0};          ///< that the rank has come to
  std::atomic<const char*> last_meeting_{nullptr};  ///< the library call
  std::atomic<bool> meets_{false};                  ///< it waits in it
};

}  // namespace launch
