// ALPS functions: where the processes of the caller's job are.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "corespec/config/parameters.h"
#include "ugni_emu/alps/alps_caller.h"
#include "ugni_emu/include/alps/libalpsutil.h"

namespace {

int depth_of(const corespec::Job& job) { return static_cast<int>(job.parameters().cpus_per_rank); }

/// By the launcher's numbers of processes, which are ALPS's.
std::vector<int> nid_of_each(const corespec::Job& job) {
  std::vector<int> nids(static_cast<std::size_t>(job.size()));
  for (int rank = 0; rank < job.size(); ++rank) {
    nids[static_cast<std::size_t>(job.place_of(rank))] = job.nid_of(rank);
  }
  return nids;
}

/// The most ranks that a node has.
int most_beside(const std::vector<int>& nids) {
  std::vector<int> sorted = nids;
  std::sort(sorted.begin(), sorted.end());
  std::ptrdiff_t most = 0;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    most = std::max(most, end - at);
    at = end;
  }
  return static_cast<int>(most);
}

/// An array of the program's own, for it to free().
int* give(const std::vector<int>& values) {
  auto* const array = static_cast<int*>(std::malloc(values.size() * sizeof(int)));
  if (array != nullptr) std::copy(values.begin(), values.end(), array);
  return array;
}

/// The arrays that are wanted, all of them or none.
class Arrays {
 public:
  void want(int** to, const std::vector<int>& values) {
    if (to == nullptr) return;
    given_.push_back({to, give(values)});
  }
  bool hand_over() {
    const bool all = std::all_of(given_.begin(), given_.end(),
                                 [](const Given& each) { return each.array != nullptr; });
    for (const Given& each : given_) {
      if (all) {
        *each.to = each.array;
      } else {
        std::free(each.array);
      }
    }
    return all;
  }

 private:
  struct Given {
    int** to;
    int* array;
  };
  std::vector<Given> given_;
};

alpsAppLayout_t layout_of(const corespec::Process& process) {
  const corespec::Job& job = process.job();
  const int nid = process.node().nid();
  const std::vector<int> here = job.ranks_on(nid);
  alpsAppLayout_t layout{};
  layout.apid = job.apid();
  layout.controlNid = nid;
  layout.firstPe = job.place_of(here.front());
  layout.numPesHere = static_cast<int>(here.size());
  layout.peDepth = depth_of(job);
  layout.numPes = job.size();
  layout.numCmds = 1;
  return layout;
}

}  // namespace

extern "C" int alps_get_placement_info(uint64_t apid, alpsAppLayout_t* layout, int** placement_list,
                                       int** target_nids, int** target_pes, int** target_len,
                                       struct in_addr** target_ips, int** start_pe, int** total_pes,
                                       int** node_pes, int** pe_cpus) {
  constexpr int found = 1;
  constexpr int failed = -1;
  const corespec::Process* const process = alps::caller();
  if (process == nullptr) return failed;
  const corespec::LibraryCall library_call("alps_get_placement_info");
  const corespec::Job& job = process->job();
  if (apid != job.apid()) {
    errno = ESRCH;
    return failed;
  }
  const std::vector<int> nids = nid_of_each(job);
  Arrays arrays;
  arrays.want(placement_list, nids);
  arrays.want(start_pe, {0});
  arrays.want(total_pes, {job.size()});
  arrays.want(node_pes, {most_beside(nids)});
  arrays.want(pe_cpus, {depth_of(job)});
  if (!arrays.hand_over()) {
    errno = ENOMEM;
    return failed;
  }
  for (int** targets : {target_nids, target_pes, target_len}) {
    if (targets != nullptr) *targets = nullptr;
  }
  if (target_ips != nullptr) *target_ips = nullptr;
  if (layout != nullptr) *layout = layout_of(*process);
  return found;
}
