// A small map for people: which CPUs of a node run what.
#pragma once

#include <string>
#include <vector>

namespace corespec {

/// What `aprun --verbose` prints, on either clock. Ranks are numbered within the node.
struct CpuMap {
  /// Something of the ranks besides their own threads.
  struct Use {
    std::string name;                    ///< "progress threads"
    std::vector<std::vector<int>> cpus;  ///< by local rank
  };
  std::vector<int> nodes;  ///< those that look like this
  std::string host;        ///< whose CPUs they are: the kind of node, or this host
  std::vector<int> cpus;   ///< all of them, ascending
  std::vector<int> service_cpus;
  std::vector<std::vector<int>> rank_cpus;  ///< by local rank
  std::vector<Use> uses;

  /// A line that says what it is of, and one to each group of neighbouring CPUs that do the same:
  ///   castor: nodes 0-1, 2 ranks to a node, on xe6:
  ///   castor:   CPU 0      rank 0, interrupts
  std::string text() const;
};

}  // namespace corespec
