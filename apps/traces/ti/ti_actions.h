// What the lines of one rank become.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "apps/traces/dumpi/calls.h"
#include "apps/traces/ti/ti_line.h"
#include "apps/traces/ti/ti_requests.h"

namespace ti {

/// Makes a rank's calls of its actions.
class Actions {
 public:
  Actions(int rank, int ranks, double speed);

  /// Reads a line behind its rank.
  void read(Line& line);
  /// Ends the trace; no line may follow.
  std::vector<dumpi::Call> take();

 private:
  struct Action;
  using Read = void (Actions::*)(Line&);
  using Label = dumpi::Label;
  using Numbers = std::vector<std::int32_t>;

  static const Action* find(std::string_view name);

  void init(Line& line);
  void finalize(Line& line);
  void nothing(Line& line);
  void compute(Line& line);
  void sleep(Line& line);
  void location(Line& line);
  void send(Line& line);
  void receive(Line& line);
  void sendrecv(Line& line);
  void wait(Line& line);
  void test(Line& line);
  void waitall(Line& line);
  void barrier(Line& line);
  void bcast(Line& line);
  void reduce(Line& line);
  void reduce_for_all(Line& line);
  void gather(Line& line);
  void scatter(Line& line);
  void exchange(Line& line);
  void gatherv(Line& line);
  void allgatherv(Line& line);
  void scatterv(Line& line);
  void alltoallv(Line& line);
  void reduce_scatter(Line& line);

  std::int32_t rank_in(Line& line, const char* what) const;
  std::int32_t source_in(Line& line) const;
  std::int32_t tag_in(Line& line, bool may_be_any) const;
  /// 0 if the line does not say it.
  std::int32_t root_in(Line& line) const;
  /// A data type's number in DUMPI; that of the trace if the line does not say it.
  std::int32_t type_in(Line& line) const;
  Numbers counts_in(Line& line, const char* what) const;
  Numbers offsets_of(const Numbers& counts, const Line& line) const;
  std::int32_t request_in(Line& line) const;
  void wait_for_all();

  void work(double seconds, const Line& line);
  void call(Label label, std::vector<dumpi::Value> values);

  int rank_;
  int ranks_;
  double speed_;
  double time_ns_ = 0;  // since the first call
  double last_ns_ = 0;  // of the last call
  std::int32_t default_type_;
  Label label_{};  // of the action that is being read
  bool ended_ = false;
  Requests requests_;
  std::vector<dumpi::Call> calls_;
};

}  // namespace ti
