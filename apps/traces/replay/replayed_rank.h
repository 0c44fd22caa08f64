// What a rank's replayed calls work on: handles by the trace's numbers, and memory.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/traces/dumpi/calls.h"
#include "apps/traces/dumpi/trace_file.h"
#include "apps/traces/replay/messages.h"

namespace replay {

/// Handles are found by the numbers that the trace has for them. Messages have the trace's sizes
/// and no meaning: derived types are so many bytes. Errors are std::runtime_errors of one line that
/// say the trace and the call.
class ReplayedRank {
 public:
  struct Window {
    MPI_Win win;
    int unit;  ///< bytes
  };

  explicit ReplayedRank(const dumpi::RankTrace& trace);
  ~ReplayedRank();
  ReplayedRank(const ReplayedRank&) = delete;
  ReplayedRank& operator=(const ReplayedRank&) = delete;

  /// The call that is made next; errors say its number, from 0, and its name.
  void begin_call(std::uint64_t number, dumpi::Label label) {
    number_ = number;
    label_ = label;
  }
  /// Of the call's messages these have no other side in the trace: they go to MPI_PROC_NULL.
  /// `places`: of Start and Startall the place in the call, of others 0.
  void leave_out(std::vector<std::pair<Half, std::size_t>> places) {
    left_out_ = std::move(places);
  }
  bool leaves_out(Half half, std::size_t place = 0) const;
  [[noreturn]] void fail(std::string_view what) const;

  // Requests. A number that is no request's (any more) has none: nullptr.
  void keep(std::int32_t number, MPI_Request request, bool is_persistent);
  MPI_Request* find(std::int32_t number);
  void forget(std::int32_t number);  ///< unless it is persistent
  void wait(std::int32_t number);
  void free(std::int32_t number);
  /// At the end of a trace that stops in the middle.
  void cancel_all();

  // Other handles; unknown ones are errors.
  MPI_Comm comm(std::int32_t number) const;
  MPI_Comm comm(const dumpi::Call& call) const { return comm(call.number("comm")); }
  void keep_comm(std::int32_t number, MPI_Comm comm);
  void free_comm(std::int32_t number);
  MPI_Group group(std::int32_t number) const;
  bool knows_comm(std::int32_t number) const { return comms_.contains(number); }
  void free_group(std::int32_t number);
  void keep_group(std::int32_t number, MPI_Group group) { groups_[number] = group; }
  Window& window(const dumpi::Call& call);
  void keep_window(std::int32_t number, Window window) { windows_[number] = window; }
  void free_window(const dumpi::Call& call);
  /// MPI_DATATYPE_NULL and MPI_OP_NULL: no type that operations know; the program's own operation.
  static MPI_Datatype reduced_type(std::int32_t number);
  static MPI_Op op(std::int32_t number);

  /// MPI_PROC_NULL instead of a side that the trace lacks.
  int dest(const dumpi::Call& call) const;
  /// Source and tag of a receive; with `has_status` those that the trace saw for MPI_ANY_SOURCE and
  /// MPI_ANY_TAG.
  struct Source {
    int rank, tag;
  };
  Source source(const dumpi::Call& call, const char* tag, bool has_status) const;

  /// Of `count` elements.
  int bytes(std::int32_t count, std::int32_t type) const;
  int bytes(const dumpi::Call& call, const char* count, const char* type) const;
  std::vector<int> all_bytes(const dumpi::Call& call, const char* counts, const char* type) const;

  /// Memory whose bytes do not matter; with Castor there is none behind it.
  char* memory(int bytes);
  /// Zeros, for calls that compute with them or copy them. The same memory for all calls.
  char* values(std::size_t bytes);

 private:
  struct Known {
    MPI_Request request;
    bool is_persistent;
  };

  const dumpi::RankTrace& trace_;
  std::uint64_t number_ = 0;
  dumpi::Label label_{};
  std::vector<std::pair<Half, std::size_t>> left_out_;
  std::map<std::int32_t, Known> requests_;
  std::map<std::int32_t, MPI_Comm> comms_;
  std::map<std::int32_t, MPI_Group> groups_;
  std::map<std::int32_t, Window> windows_;
  // What was too small stays: calls that are under way use it.
  std::vector<std::pair<char*, std::size_t>> memory_;
  std::vector<std::vector<char>> values_;
};

}  // namespace replay
