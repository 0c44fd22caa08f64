// What many ranks are doing, in few lines: ranks that do the same are said together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corespec/threads/situation.h"

namespace launch {

/// "aprun: ranks 1-1023: in MPI_Barrier on MPI_COMM_WORLD". Ranks whose situations differ only in
/// other ranks' numbers (Situation::rank()) are said together too, if these lie at the same
/// distance: "ranks 0-1023: in MPI_Recv of 4 bytes from rank r + 1 (modulo 1024), ...".
class SituationGroups {
 public:
  /// Every line begins with `speaker` and a colon. The job has `size` ranks.
  SituationGroups(std::string_view speaker, int size) : speaker_(speaker), size_(size) {}
  /// Ranks in ascending order.
  void add(int rank, const corespec::Situation& situation);
  /// A line that is no call: "has ended".
  void add(int rank, std::string text) { items_.push_back({rank, std::move(text)}); }
  /// All lines, each with its end; of very many groups the first, and how many more there are.
  std::string text() const;

 private:
  struct Item {
    int rank;
    std::string text;  ///< lines, ranks marked
  };
  std::string speaker_;
  int size_;
  std::vector<Item> items_;
};

/// "rank 3", "ranks 1-1023", "ranks 0, 2, 5-7"; of many ranges the first, "and N more". Ranks in
/// ascending order, at least one.
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace launch
