// What several workers say with one voice: that of the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/libc/rank_output.h"
#include "launch/virtual_run/rank_states.h"
#include "launch/virtual_run/virtual_run.h"
#include "launch/workers/workers.h"

namespace launch {

/// One of the things that are told about a run after it, and of which each part has a share.
struct Shared {
  std::function<std::string()> pack;  ///< this part's share, as bytes
  /// Another part's, to this one's.
  std::function<void(std::size_t part, std::string_view packed)> add;
};

/// In each worker: what its ranks write, and say of their state, reaches the first one, which
/// writes.
class FirstWorker final : private RankOutput::Elsewhere {
 public:
  FirstWorker(Workers& workers, RankOutput& output);
  ~FirstWorker();
  FirstWorker(const FirstWorker&) = delete;
  FirstWorker& operator=(const FirstWorker&) = delete;

  bool is_first() const { return workers_.number() == 0; }
  /// A worker ends for a fault of a rank's, and says so.
  bool is_ending() const { return is_written_out_; }
  /// Once the run is there. `original` as for describe_ranks().
  void set_run(VirtualRun& run, OriginalFileOfRank original);
  /// In another worker than the first, at any time: answers if the first one asks.
  void answer();
  /// Where a rank has computed for long: what workers do while they wait for others.
  void look_around() { workers_.look_around(); }
  /// In a copy of the process, for ask_all() or answer(); the run ends with it, or goes on.
  void be_copy(bool run_goes_on);
  /// In the process whose copy has answered; a signal handler may call it.
  void stand_still_if_asked() {
    workers_.questions().stand_still(workers_.number(), Questions::Meanwhile::nothing);
  }
  /// After the run, in each worker: the first one has nothing to ask any more. It gets the shares
  /// of the others, those of one worker after those of another; `all` are the same in each.
  void end(std::span<const Shared> all);
  /// After end(): what each has taken of the host, in a line.
  std::string usage() const;
  /// What the run has come to, and what all ranks are doing.
  struct Situation {
    corespec::Time time;
    std::uint64_t events = 0;
    std::string states;
  };
  /// In the first.
  Situation ask_all(std::string_view speaker) { return ask_all(speaker, Questions::Then::go_on); }
  /// The same before the run is ended: the others stand still, and what they have written is here.
  /// (Of other hosts' workers that of the present round is not.)
  Situation ask_a_last_time(std::string_view speaker) {
    return ask_all(speaker, Questions::Then::stand_still);
  }

 private:
  void hand_on(corespec::Time at, int rank, PendingOutput::Kind kind,
               std::string_view text) override;
  std::string_view end_all_but_error_of(int rank) override;
  void serve_others();
  Situation ask_all(std::string_view speaker, Questions::Then then);
  Situation own_situation() const;

  Workers& workers_;
  RankOutput& output_;
  VirtualRun* run_ = nullptr;
  OriginalFileOfRank original_;
  struct Usage {
    double cpu_s = 0;
    double memory_gb = 0;   ///< at most
    double letters_mb = 0;  ///< that it has written
  };
  Usage own_usage() const;
  std::vector<Usage> usage_;
  bool is_copy_ = false;
  bool is_written_out_ = false;  ///< for a worker that ends for a fault
};

}  // namespace launch
