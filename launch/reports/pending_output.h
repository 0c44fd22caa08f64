// What ranks have written in virtual time and what may still have something before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/time/time.h"

namespace launch {

/// Ranks run in an order of the host's. What they write is given on in one order, that of both
/// streams: by the virtual time at which it was written, then by rank, then as the rank has written
/// it.
class PendingOutput {
 public:
  enum class Kind : std::uint8_t {
    output,  ///< a rank's text for standard output
    errors,  ///< for standard error
    flush,   ///< the rank has asked for what it has written
    end,     ///< the rank writes no more
    reason,  ///< the launcher's text for standard error: why the rank ends the job
  };
  using Give = std::function<void(int rank, Kind kind, std::string_view text)>;

  explicit PendingOutput(Give give) : give_(std::move(give)) {}
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;

  /// The rank does so at `at`. All memory that is used for the ranks in common is taken here.
  void add(corespec::Time at, int rank, Kind kind, std::string_view text = {});
  /// What was or will be written at `end` or later is written by nobody: the job has ended before.
  void set_end(corespec::Time end) { end_ = end; }
  /// Gives on what is earlier than `time`; true if something is left.
  bool give_before(corespec::Time time);
  /// Gives on all that is there, up to the end. Frees nothing, and does not give again what is
  /// being given: a signal handler may have it done, even if the heap is no longer what it was.
  void give_all();
  /// Of the texts that are there.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Piece {
    Kind kind;
    std::string text;
  };
  struct Moment {
    std::vector<Piece> pieces;
    std::size_t given = 0;  ///< pieces; the last of these may be under way
  };
  using Key = std::pair<corespec::Time, int>;  ///< with the rank

  void give(int rank, Moment& moment);

  Give give_;
  std::map<Key, Moment> moments_;
  std::map<Key, Moment>::iterator last_ = moments_.end();  ///< that something was added to
  corespec::Time end_ = corespec::Time::max();
  std::size_t bytes_ = 0;
  bool gives_ = false;
};

}  // namespace launch
