// The launch seam in virtual time: a job's ranks, their start-up exchange, abort and output.
#pragma once

#include <array>
#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/job/job.h"
#include "corespec/threads/signal.h"
#include "corespec/virtual/machine.h"
#include "launch/description/rank_order.h"
#include "launch/reports/job_output.h"
#include "launch/workers/part.h"

namespace launch {

/// Where the ranks of a job are. Places fill nodes in order, `ranks_per_node` to each.
struct JobLayout {
  int ranks = 1;
  int ranks_per_node = 1;
  std::vector<int> nids;  ///< node of places [i * ranks_per_node, ...)
  RankOrder order;        ///< which rank is at which place
};

/// What ranks tell each other at start-up goes over a service network of its own: to the
/// launcher (an event domain) and back, a modelled delay each way.
class VirtualJob final : public corespec::Job, private corespec::Event {
 public:
  /// `service` is the launcher's event domain, apart from every Gemini's; `output` is where it says
  /// why a job was aborted, and ranks report; null: standard error.
  VirtualJob(corespec::VirtualMachine& machine, corespec::EventDomain& service, JobLayout layout,
             std::uint64_t apid, JobOutput* output, const Part& part);
  ~VirtualJob() override;

  /// Places the next rank (ranks in order) on a node; null: it belongs to another part.
  void add_rank(corespec::Node* node);
  /// One of own_ranks().
  corespec::Process& rank(int number);
  bool has(int rank) const { return own_number_[static_cast<std::size_t>(rank)] >= 0; }
  /// Of this part, in order.
  const std::vector<int>& own_ranks() const { return own_ranks_; }

  // Job
  int size() const override { return layout_.ranks; }
  std::uint64_t apid() const override { return apid_; }
  int nid_of(int rank) const override {
    return layout_.nids[static_cast<std::size_t>(place_of(rank) / layout_.ranks_per_node)];
  }
  int local_rank_of(int rank) const override { return place_of(rank) % layout_.ranks_per_node; }
  int ranks_per_node() const override {
    return layout_.order.reordered() ? 0 : layout_.ranks_per_node;
  }
  int place_of(int rank) const override { return layout_.order.place_of(rank); }
  int leader_of(int rank) const override {
    const int place = place_of(rank);
    return layout_.order.rank_at(place - place % layout_.ranks_per_node);
  }
  std::vector<int> ranks_on(int nid) const override;
  const std::vector<int>* lowest_ranks() const override {
    return lowest_ranks_.empty() ? nullptr : &lowest_ranks_;
  }
  const corespec::Parameters& parameters() const override { return machine_.parameters(); }
  using Job::barrier;
  void barrier(corespec::Process& caller, corespec::BarrierService* service) override;
  void exchange(corespec::Process& caller, std::span<const std::byte> in,
                const Take& take) override;
  void put(corespec::Process& caller, std::string_view key, std::string_view value) override;
  bool get(corespec::Process& caller, std::string_view key, std::string& value) override;
  [[noreturn]] void abort(corespec::Process& caller, int code, std::string_view why) override;
  void report(corespec::Process& caller, std::string_view line) override;

  const RankOrder& order() const { return layout_.order; }

  /// The calling rank's program has ended. Of several statuses that are not 0 the job's is the
  /// first in virtual time, of equal ones the lowest rank's.
  void rank_ended(corespec::Process& rank, int status);

  /// From within the node's domain: it has failed. That ends the job, unless it is to go on without
  /// the node (aprun -C): then its ranks have ended with a code, as if they had been killed.
  void node_failed(corespec::VirtualNode& node);

  /// Hears each time when nodes are to stop earlier than it was known before.
  void set_end_listener(std::function<void(corespec::Time)> listener) {
    end_listener_ = std::move(listener);
  }
  /// Nodes stop before their first event at or after this time, or earlier if the job is aborted.
  void set_time_limit(corespec::Time limit);
  /// True once after an abort has interrupted the engine: it has to go on, up to its new limit.
  bool takes_new_limit() { return std::exchange(new_limit_, false); }
  /// Puts into `result`, the engine's, what the launcher makes of it.
  void conclude(corespec::VirtualMachine::Result& result);

  struct End {
    int ended = 0;          ///< ranks whose program has ended
    int first_failed = -1;  ///< rank of the first status that is not 0, or of the first abort
    int status = 0;
    bool aborted = false;
  };
  /// Of the part; once all have been added, of the job.
  const End& end() const { return end_; }

  /// For the first part, after the run: how the others' ranks have ended.
  using Moment = std::pair<corespec::Time, int>;  ///< with the rank
  struct PartEnd {
    int ended = 0;
    int failed = -1;  ///< a rank with a status that is not 0
    int status = 0;
    corespec::Time failed_at;
  };
  PartEnd part_end() const;
  void add(const PartEnd& part);

 private:
  class Rank;
  /// An exchange in which all ranks of a part, or of the job, are.
  struct Meeting {
    corespec::Time last;          ///< when the last one has come
    int speaker = -1;             ///< lowest rank that gives something
    int elsewhere = -1;           ///< lowest rank that gives nothing
    std::array<char, 64> call{};  ///< what that one has called
    std::size_t parts = 0;        ///< that it is of
    void add(const Meeting& part);
  };
  void fire(std::uint64_t rank) override;  ///< an arrival at the launcher
  void met(const Meeting& part);
  Meeting own_meeting() const;
  void set_readers();
  void meet(corespec::Process& caller, corespec::BarrierService* service = nullptr);
  void check_all_give(const Rank& caller) const;
  void give(int rank, std::uint64_t meeting, std::span<const std::byte> bytes);
  struct Value;
  void keep(const std::string& key, Value made);
  void end_job(const Moment& moment, int nid, int code, std::string_view why);
  bool hear_abort(const Moment& moment, int code);
  void end_nodes_by(corespec::Time end);
  corespec::Time heard_abort() const { return first_abort_.first + parameters().startup_exchange; }

  corespec::VirtualMachine& machine_;
  corespec::EventDomain& service_;
  corespec::EventSource source_;
  JobLayout layout_;
  std::vector<int> number_of_nid_;  ///< its place in the layout's nids, or -1
  std::vector<int> lowest_ranks_;   ///< where ranks were reordered
  std::uint64_t apid_;
  JobOutput* output_;
  /// In blocks of many: those of std::deque have 512 bytes, which ranks do not fill.
  using Ranks =
      boost::container::deque<Rank, std::allocator<Rank>,
                              boost::container::deque_options_t<boost::container::block_size<64>>>;
  Part part_;
  Ranks ranks_;  ///< own_ranks_
  std::vector<int> own_ranks_;
  std::vector<int> own_number_;  ///< by rank: its place among own_ranks_, or -1
  std::size_t arrived_ = 0;      ///< of own_ranks_
  Meeting meeting_;              ///< that is gathering
  Meeting met_;                  ///< the last one
  struct Given {
    std::uint64_t meeting = 0;  ///< in which it was given: the rank's count
    std::vector<std::byte> bytes;
  };
  std::vector<Given> given_;  ///< by rank
  /// A value as long as it may still be the one that a rank gets.
  struct Value {
    corespec::Time at;
    int rank = 0;
    std::string text;
  };
  std::map<std::string, std::vector<Value>, std::less<>> values_;  ///< of each key by time and rank
  Moment first_failure_, first_abort_;                             ///< if end_ has one
  corespec::Time time_limit_ = corespec::Time::max();
  bool new_limit_ = false;
  std::function<void(corespec::Time)> end_listener_;
  End end_;
};

}  // namespace launch
