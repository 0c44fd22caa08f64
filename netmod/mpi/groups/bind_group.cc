// MPI functions: groups.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/groups/communicators.h"

namespace netmod {
namespace {

/// Which members of `group` are named by `ranks`, each at most once.
std::vector<bool> mark(const Group& group, int n, const int* ranks) {
  check_count(n, "n");
  if (n > 0) check_pointer(ranks, "ranks");
  std::vector<bool> marked(static_cast<std::size_t>(group.size()), false);
  for (int i = 0; i < n; ++i) {
    if (ranks[i] < 0 || ranks[i] >= group.size()) {
      fail(MPI_ERR_RANK,
           fmt::format("ranks[{}] is {} (the group has {} members)", i, ranks[i], group.size()));
    }
    if (marked[static_cast<std::size_t>(ranks[i])]) {
      fail(MPI_ERR_RANK, fmt::format("rank {} is named twice", ranks[i]));
    }
    marked[static_cast<std::size_t>(ranks[i])] = true;
  }
  return marked;
}

/// The ranks that triples (first, last, stride) name, one after another. What is wrong with them is
/// of class MPI_ERR_ARG, as MPICH has it.
std::vector<int> expand(const Group& group, int n, const int ranges[][3]) {
  check_count(n, "n");
  if (n > 0) check_pointer(ranges, "ranges");
  std::vector<int> ranks;
  std::vector<bool> named(static_cast<std::size_t>(group.size()), false);
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    const auto refuse = [&, first = first, last = last, stride = stride](const std::string& why) {
      fail(MPI_ERR_ARG, fmt::format("ranges[{}] goes from {} to {} in steps of {}: {}", i, first,
                                    last, stride, why));
    };
    if (stride == 0) refuse("the stride is 0");
    if (stride > 0 ? first > last : first < last) refuse("it does not end");
    const std::int64_t steps = (std::int64_t{last} - first) / stride;
    const std::int64_t end = first + steps * stride;
    for (const std::int64_t rank : {std::int64_t{first}, end}) {
      if (rank < 0 || rank >= group.size()) {
        refuse(fmt::format("rank {} (the group has {} members)", rank, group.size()));
      }
    }
    for (std::int64_t step = 0; step <= steps; ++step) {
      const int rank = static_cast<int>(first + step * stride);
      if (named[static_cast<std::size_t>(rank)]) {
        refuse(fmt::format("rank {} is named twice", rank));
      }
      named[static_cast<std::size_t>(rank)] = true;
      ranks.push_back(rank);
    }
  }
  return ranks;
}

MPI_Group include(RankState& rank, const Group& from, int n, const int* ranks) {
  mark(from, n, ranks);
  std::vector<int> members;
  members.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) members.push_back(from.job_rank(ranks[i]));
  return rank.communicators().add_group(Group(std::move(members)));
}

MPI_Group exclude(RankState& rank, const Group& from, int n, const int* ranks) {
  const std::vector<bool> left_out = mark(from, n, ranks);
  std::vector<int> members;
  for (int i = 0; i < from.size(); ++i) {
    if (!left_out[static_cast<std::size_t>(i)]) members.push_back(from.job_rank(i));
  }
  return rank.communicators().add_group(Group(std::move(members)));
}

using Selection = MPI_Group (*)(RankState&, const Group&, int, const int*);

int select_ranks(const char* function, MPI_Group group, int n, const int* ranks,
                 MPI_Group* newgroup, Selection selection) {
  return call(function, [&](RankState& rank) {
    const Group& from = rank.communicators().group(group);
    check_pointer(newgroup, "newgroup");
    *newgroup = selection(rank, from, n, ranks);
  });
}

int select_ranges(const char* function, MPI_Group group, int n, const int ranges[][3],
                  MPI_Group* newgroup, Selection selection) {
  return call(function, [&](RankState& rank) {
    const Group& from = rank.communicators().group(group);
    check_pointer(newgroup, "newgroup");
    const std::vector<int> ranks = expand(from, n, ranges);
    *newgroup = selection(rank, from, static_cast<int>(ranks.size()), ranks.data());
  });
}

/// Members of `first` that are (`wanted`) or are not in `second`, in order.
std::vector<int> select(const Group& first, const Group& second, bool wanted) {
  const std::vector<int> ranks = first.job_ranks();
  const std::vector<int> in_second = second.members_of(ranks);
  std::vector<int> chosen;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if ((in_second[i] >= 0) == wanted) chosen.push_back(ranks[i]);
  }
  return chosen;
}

int combine(const char* function, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup,
            std::vector<int> (*combination)(const Group&, const Group&)) {
  return call(function, [&](RankState& rank) {
    const Group& first = rank.communicators().group(group1);
    const Group& second = rank.communicators().group(group2);
    check_pointer(newgroup, "newgroup");
    *newgroup = rank.communicators().add_group(Group(combination(first, second)));
  });
}

std::vector<int> unite(const Group& first, const Group& second) {
  std::vector<int> ranks = first.job_ranks();
  for (const int rank : select(second, first, false)) ranks.push_back(rank);
  return ranks;
}
std::vector<int> intersect(const Group& first, const Group& second) {
  return select(first, second, true);
}
std::vector<int> subtract(const Group& first, const Group& second) {
  return select(first, second, false);
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::Group;
using netmod::RankState;

extern "C" {

int PMPI_Group_size(MPI_Group group, int* size) {
  return call("MPI_Group_size", [&](RankState& rank) {
    check_pointer(size, "size");
    *size = rank.communicators().group(group).size();
  });
}
NETMOD_PUBLISH(Group_size);

int PMPI_Group_rank(MPI_Group group, int* rank_out) {
  return call("MPI_Group_rank", [&](RankState& rank) {
    check_pointer(rank_out, "rank");
    const int member = rank.communicators().group(group).member(rank.process().rank());
    *rank_out = member < 0 ? MPI_UNDEFINED : member;
  });
}
NETMOD_PUBLISH(Group_rank);

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return netmod::select_ranks("MPI_Group_incl", group, n, ranks, newgroup, netmod::include);
}
NETMOD_PUBLISH(Group_incl);

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return netmod::select_ranks("MPI_Group_excl", group, n, ranks, newgroup, netmod::exclude);
}
NETMOD_PUBLISH(Group_excl);

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return netmod::select_ranges("MPI_Group_range_incl", group, n, ranges, newgroup, netmod::include);
}
NETMOD_PUBLISH(Group_range_incl);

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return netmod::select_ranges("MPI_Group_range_excl", group, n, ranges, newgroup, netmod::exclude);
}
NETMOD_PUBLISH(Group_range_excl);

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return netmod::combine("MPI_Group_union", group1, group2, newgroup, netmod::unite);
}
NETMOD_PUBLISH(Group_union);

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return netmod::combine("MPI_Group_intersection", group1, group2, newgroup, netmod::intersect);
}
NETMOD_PUBLISH(Group_intersection);

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return netmod::combine("MPI_Group_difference", group1, group2, newgroup, netmod::subtract);
}
NETMOD_PUBLISH(Group_difference);

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[]) {
  return call("MPI_Group_translate_ranks", [&](RankState& rank) {
    const Group& from = rank.communicators().group(group1);
    const Group& to = rank.communicators().group(group2);
    netmod::check_count(n, "n");
    if (n > 0) check_pointer(ranks1, "ranks1");
    if (n > 0) check_pointer(ranks2, "ranks2");
    std::vector<int> job_ranks;
    for (int i = 0; i < n; ++i) {
      const bool no_rank = ranks1[i] == MPI_PROC_NULL;
      if (!no_rank && (ranks1[i] < 0 || ranks1[i] >= from.size())) {
        netmod::fail(MPI_ERR_RANK, fmt::format("ranks1[{}] is {} (the group has {} members)", i,
                                               ranks1[i], from.size()));
      }
      job_ranks.push_back(no_rank ? -1 : from.job_rank(ranks1[i]));
    }
    const std::vector<int> members = to.members_of(job_ranks);
    for (int i = 0; i < n; ++i) {
      const int member = members[static_cast<std::size_t>(i)];
      const int absent = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : MPI_UNDEFINED;
      ranks2[i] = member >= 0 ? member : absent;
    }
  });
}
NETMOD_PUBLISH(Group_translate_ranks);

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  return call("MPI_Group_compare", [&](RankState& rank) {
    check_pointer(result, "result");
    *result = rank.communicators().group(group1).compare(rank.communicators().group(group2));
  });
}
NETMOD_PUBLISH(Group_compare);

int PMPI_Group_free(MPI_Group* group) {
  return call("MPI_Group_free", [&](RankState& rank) {
    check_pointer(group, "group");
    rank.communicators().group(*group);
    if (*group != MPI_GROUP_EMPTY) rank.communicators().groups.remove(*group);
    *group = MPI_GROUP_NULL;
  });
}
NETMOD_PUBLISH(Group_free);

}  // extern "C"
