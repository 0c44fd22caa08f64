// MPI functions: communicators.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "corespec/threads/node.h"
#include "netmod/mpi/attributes/attribute_tables.h"
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/attributes/info.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/communicators/intercommunicator.h"
#include "netmod/mpi/communicators/make_communicator.h"
#include "netmod/mpi/communicators/verdict.h"
#include "netmod/mpi/groups/communicator.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/groups/rank_arguments.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/point_to_point/requests.h"

namespace netmod {
namespace {

/// A copy of `parent` with its attributes; a context it has yet to be given.
Communicator& duplicate_communicator(RankState& rank, const Communicator& parent) {
  Communicator& made = copy_communicator(rank, parent);
  const int code = copy_attributes(rank, parent, made);
  if (code == MPI_SUCCESS) return made;
  MPI_Comm handle = made.handle;
  free_communicator(rank, handle);
  fail(code, "an attribute's copy function failed");
}

int blocking_duplicate(const char* function, MPI_Comm comm, const MPI_Info* info,
                       MPI_Comm* newcomm) {
  return call(function, comm, [&](RankState& rank) {
    Communicator& parent = rank.communicators().named(comm);
    std::vector<std::pair<std::string, std::string>> hints;
    Verdict verdict(rank, parent);
    verdict.check([&] {
      check_new(newcomm, "newcomm");
      if (info != nullptr && *info != MPI_INFO_NULL) hints = readable_info(rank, *info).pairs;
    });
    parent.enter();
    const std::uint32_t context = agree_on_context(rank, parent, verdict);
    Communicator& made = duplicate_communicator(rank, parent);
    made.context = context;
    if (info != nullptr && (made.extras != nullptr || !hints.empty())) {
      made.need_extras().info = std::move(hints);
    }
    *newcomm = made.handle;
  });
}

int split(const char* function, MPI_Comm comm, int key, MPI_Comm* newcomm, const auto& color_of) {
  return call(function, comm, [&](RankState& rank) {
    const Communicator& parent = rank.communicators().named(comm);
    int color = MPI_UNDEFINED;
    Verdict verdict(rank, parent);
    verdict.check([&] {
      check_new(newcomm, "newcomm");
      color = color_of(rank);
    });
    parent.enter();
    const Communicator* made =
        parent.inter()
            ? split_intercommunicator(rank, parent, color, key, verdict)
            : make_communicator(rank, parent, split_group(rank, parent, color, key), verdict);
    *newcomm = made == nullptr ? MPI_COMM_NULL : made->handle;
  });
}

void check_group_within(const Group& group, const Communicator& comm) {
  for (const int member : comm.group.members_of(group.job_ranks())) {
    if (member < 0) {
      fail(MPI_ERR_GROUP, "the group has members that the communicator has not");
    }
  }
}

std::string_view name_of(const Communicator& comm) {
  if (comm.extras != nullptr && !comm.extras->name.empty()) return comm.extras->name;
  if (comm.handle == MPI_COMM_WORLD) return "MPI_COMM_WORLD";
  return comm.handle == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
}

/// Collective: waits until the caller's sends and receives on the communicator are done, and until
/// all its ranks have come so far.
void finish_communication(RankState& rank, const Communicator& comm) {
  check_not_predefined(comm.handle, "disconnected");
  const std::uint32_t context = comm.message_context();
  std::vector<AttachedBuffer::Pending> buffered = rank.requests().attached().pending;
  std::erase_if(buffered, [context](const AttachedBuffer::Pending& pending) {
    return pending.context != context;
  });
  const auto done = [&] {
    bool all = std::all_of(buffered.begin(), buffered.end(),
                           [](const auto& pending) { return pending.message->complete(); });
    rank.requests().made.for_each([&](const RequestRecord& record) {
      all = all && (record.comm != comm.handle || record.done());
    });
    return all;
  };
  rank.wait_until(done);
  const CollectiveCall call{rank, comm};
  if (comm.inter()) return barrier_of_both(call);
  barrier(call);
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::Communicator;
using netmod::RankState;

extern "C" {

int PMPI_Comm_rank(MPI_Comm comm, int* rank_out) {
  return call("MPI_Comm_rank", comm, [&](RankState& rank) {
    check_pointer(rank_out, "rank");
    *rank_out = rank.communicators().named(comm).rank;
  });
}
NETMOD_PUBLISH(Comm_rank);

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  return call("MPI_Comm_size", comm, [&](RankState& rank) {
    check_pointer(size, "size");
    *size = rank.communicators().named(comm).size();
  });
}
NETMOD_PUBLISH(Comm_size);

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return call("MPI_Comm_test_inter", comm, [&](RankState& rank) {
    const Communicator& on = rank.communicators().named(comm);
    check_pointer(flag, "flag");
    *flag = on.inter() ? 1 : 0;
  });
}
NETMOD_PUBLISH(Comm_test_inter);

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return netmod::blocking_duplicate("MPI_Comm_dup", comm, nullptr, newcomm);
}
NETMOD_PUBLISH(Comm_dup);

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return netmod::blocking_duplicate("MPI_Comm_dup_with_info", comm, &info, newcomm);
}
NETMOD_PUBLISH(Comm_dup_with_info);

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return call("MPI_Comm_idup", comm, [&](RankState& rank) {
    Communicator& parent = rank.communicators().named(comm);
    netmod::check_new(newcomm, "newcomm");
    check_pointer(request, "request");
    const Communicator& made = netmod::duplicate_communicator(rank, parent);
    *newcomm = made.handle;
    *request = netmod::start_agreement(rank, parent, made);
  });
}
NETMOD_PUBLISH(Comm_idup);

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  return call("MPI_Comm_set_info", comm, [&](RankState& rank) {
    Communicator& on = rank.communicators().named(comm);
    on.need_extras().info = netmod::readable_info(rank, info).pairs;
  });
}
NETMOD_PUBLISH(Comm_set_info);

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  return call("MPI_Comm_get_info", comm, [&](RankState& rank) {
    const Communicator& on = rank.communicators().named(comm);
    check_pointer(info_used, "info_used");
    netmod::InfoObject* made = rank.attributes().infos.add(*info_used);
    if (made == nullptr) netmod::fail(MPI_ERR_NO_MEM, "too many info objects");
    if (on.extras != nullptr) made->pairs = on.extras->info;
  });
}
NETMOD_PUBLISH(Comm_get_info);

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return netmod::split("MPI_Comm_split", comm, key, newcomm, [color](const RankState&) {
    if (color >= 0 || color == MPI_UNDEFINED) return color;
    netmod::fail(MPI_ERR_ARG,
                 fmt::format("color is {} (allowed: 0 and above, MPI_UNDEFINED)", color));
  });
}
NETMOD_PUBLISH(Comm_split);

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info, MPI_Comm* newcomm) {
  return netmod::split(
      "MPI_Comm_split_type", comm, key, newcomm, [split_type](const RankState& rank) {
        if (split_type == MPI_UNDEFINED) return MPI_UNDEFINED;
        if (split_type == MPI_COMM_TYPE_SHARED) return rank.process().node().nid();
        netmod::fail(MPI_ERR_ARG,
                     fmt::format("split_type is {} (allowed: MPI_COMM_TYPE_SHARED, MPI_UNDEFINED)",
                                 split_type));
      });
}
NETMOD_PUBLISH(Comm_split_type);

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return call("MPI_Comm_create", comm, [&](RankState& rank) {
    Communicator& parent = rank.communicators().named(comm);
    netmod::Group members;
    netmod::Verdict verdict(rank, parent);
    verdict.check([&] {
      netmod::check_new(newcomm, "newcomm");
      netmod::check_group_within(rank.communicators().group(group), parent);
      members = rank.communicators().group(group);
    });
    const bool takes_part = parent.inter() || members.member(rank.process().rank()) >= 0;
    if (!takes_part) members = netmod::Group();
    parent.enter();
    const Communicator* made =
        parent.inter() ? netmod::part_of_intercommunicator(rank, parent, members, verdict)
                       : netmod::make_communicator(rank, parent, std::move(members), verdict);
    *newcomm = made == nullptr ? MPI_COMM_NULL : made->handle;
  });
}
NETMOD_PUBLISH(Comm_create);

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return call("MPI_Comm_create_group", comm, [&](RankState& rank) {
    const Communicator& parent = netmod::intracommunicator(rank, comm);
    const netmod::Group& members = rank.communicators().group(group);
    netmod::check_send_tag(tag);
    netmod::check_new(newcomm, "newcomm");
    netmod::check_group_within(members, parent);
    *newcomm = MPI_COMM_NULL;
    if (members.member(rank.process().rank()) < 0) return;
    *newcomm = netmod::make_communicator_of(rank, parent, members, tag).handle;
  });
}
NETMOD_PUBLISH(Comm_create_group);

int PMPI_Comm_free(MPI_Comm* comm) {
  return call("MPI_Comm_free", comm == nullptr ? MPI_COMM_NULL : *comm, [&](RankState& rank) {
    check_pointer(comm, "comm");
    netmod::free_communicator(rank, *comm);
  });
}
NETMOD_PUBLISH(Comm_free);

int PMPI_Comm_disconnect(MPI_Comm* comm) {
  return call("MPI_Comm_disconnect", comm == nullptr ? MPI_COMM_NULL : *comm, [&](RankState& rank) {
    check_pointer(comm, "comm");
    netmod::finish_communication(rank, rank.communicators().named(*comm));
    netmod::free_communicator(rank, *comm);
  });
}
NETMOD_PUBLISH(Comm_disconnect);

// No program here was started by another one.
int PMPI_Comm_get_parent(MPI_Comm* parent) {
  return call("MPI_Comm_get_parent", [&](RankState&) { netmod::check_new(parent, "parent"); });
}
NETMOD_PUBLISH(Comm_get_parent);

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return call("MPI_Comm_compare", comm1, [&](RankState& rank) {
    const Communicator& first = rank.communicators().named(comm1);
    const Communicator& second = rank.communicators().named(comm2);
    check_pointer(result, "result");
    *result = MPI_UNEQUAL;
    if (first.inter() != second.inter()) return;
    *result = first.group.compare(second.group);
    if (first.inter()) *result = std::max(*result, first.remote->compare(*second.remote));
    if (*result == MPI_IDENT && comm1 != comm2) *result = MPI_CONGRUENT;
  });
}
NETMOD_PUBLISH(Comm_compare);

int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return call("MPI_Comm_group", comm, [&](RankState& rank) {
    const Communicator& on = rank.communicators().named(comm);
    check_pointer(group, "group");
    *group = rank.communicators().add_group(on.group);
  });
}
NETMOD_PUBLISH(Comm_group);

int PMPI_Comm_set_name(MPI_Comm comm, const char* name) {
  return call("MPI_Comm_set_name", comm, [&](RankState& rank) {
    Communicator& on = rank.communicators().named(comm);
    check_pointer(name, "name");
    on.need_extras().name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
  });
}
NETMOD_PUBLISH(Comm_set_name);

int PMPI_Comm_get_name(MPI_Comm comm, char* name, int* resultlen) {
  return call("MPI_Comm_get_name", comm, [&](RankState& rank) {
    const std::string_view text = netmod::name_of(rank.communicators().named(comm));
    check_pointer(name, "name");
    check_pointer(resultlen, "resultlen");
    std::copy(text.begin(), text.end(), name);
    name[text.size()] = '\0';
    *resultlen = static_cast<int>(text.size());
  });
}
NETMOD_PUBLISH(Comm_get_name);

}  // extern "C"
