// What many ranks are doing, in few lines: ranks that do the same are said together.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/threads/situation.h"
#include "launch/symbols/code_place.h"

namespace launch {

/// "aprun: ranks 1-1023: in MPI_Barrier on MPI_COMM_WORLD; rank 0 has not called it". Ranks that
/// have not, and one that holds a lock, are found among the ranks that were added. Ranks whose
/// situations differ only in other ranks' numbers (Situation::rank()) are said together too, if
/// these lie at the same distance: "ranks 0-1023: in MPI_Recv: receive of up to 4 bytes from rank r
/// + 1 (modulo 1024)".
class SituationGroups {
 public:
  /// Every line begins with `speaker` and a colon. The job has `size` ranks. `say_places` gives the
  /// places of the threads' calls names.
  SituationGroups(std::string_view speaker, int size, SayPlaces say_places = plain_text)
      : speaker_(speaker), size_(size), say_places_(std::move(say_places)) {}
  /// Ranks in ascending order.
  void add(int rank, corespec::Situation situation);
  /// All lines, each with its end; of very many groups the first, and how many more there are.
  std::string text() const;

 private:
  using Situation = corespec::Situation;
  struct Item {
    int rank;
    std::string text;  ///< lines, ranks marked
  };
  std::vector<Item> whole_texts() const;
  std::string named(std::string_view text);
  std::string missing(const Situation::Meeting& meeting) const;
  std::string holders(const std::string& lock) const;

  std::string speaker_;
  int size_;
  SayPlaces say_places_;
  std::map<std::string, std::string, std::less<>> named_;  ///< what has been made of texts
  std::vector<std::pair<int, Situation>> situations_;
  /// By place, by rank.
  std::map<std::string, std::map<int, Situation::Entered>> entered_;
  std::map<std::string, std::vector<int>> holders_;
};

/// Notes what the rank's other threads do, those that do the same together.
void add_other_threads(corespec::Situation& main, const std::vector<corespec::Situation>& others);

/// "rank 3", "ranks 1-1023", "ranks 0, 2, 5-7"; of many ranges the first, "and N more". Ranks in
/// ascending order, at least one.
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace launch
