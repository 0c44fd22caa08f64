// What several workers say with one voice: that of the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/libc/rank_output.h"
#include "launch/virtual_run/rank_states.h"
#include "launch/virtual_run/virtual_run.h"
#include "launch/workers/workers.h"

namespace launch {

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
  /// After the run, in each worker: the first one has nothing to ask any more. It gets what the
  /// others give, by worker.
  std::vector<std::string> end(std::string_view given = {});
  /// After end(): what each has taken of the host, in a line.
  std::string usage() const;
  /// In the first: what all ranks are doing.
  std::string states(std::string_view speaker);

 private:
  void hand_on(corespec::Time at, int rank, PendingOutput::Kind kind,
               std::string_view text) override;
  std::string_view end_all_but_error_of(int rank) override;
  void serve_others();

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
  bool is_written_out_ = false;  ///< for a worker that ends for a fault
};

}  // namespace launch
