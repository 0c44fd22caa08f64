// Collective calls. Their algorithms may copy what they send: they get memory with zeros.
#include <algorithm>
#include <limits>
#include <vector>

#include "apps/traces/replay/replayed_calls.h"

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

struct Areas {
  char *out, *in;
};

/// Of so many bytes for each rank. They may be long together, so they are counted in size_t.
Areas areas(ReplayedRank& rank, const Call& call, int out, int in) {
  int ranks = 1;
  MPI_Comm_size(rank.comm(call), &ranks);
  const std::size_t all_out = static_cast<std::size_t>(out) * static_cast<std::size_t>(ranks);
  const std::size_t all_in = static_cast<std::size_t>(in) * static_cast<std::size_t>(ranks);
  char* const first = rank.values(all_out + all_in);
  return {first, first + all_out};
}

int most(const std::vector<int>& all) {
  int found = 0;
  for (const int each : all) found = std::max(found, each);
  return found;
}

/// All at one place: it has the same zeros for all.
std::vector<int> places(const std::vector<int>& bytes) { return std::vector<int>(bytes.size(), 0); }

void barrier(ReplayedRank& rank, const Call& call) { MPI_Barrier(rank.comm(call)); }

void bcast(ReplayedRank& rank, const Call& call) {
  const int length = rank.bytes(call, "count", "datatype");
  MPI_Bcast(areas(rank, call, length, 0).out, length, MPI_BYTE, call.number("root"),
            rank.comm(call));
}

void gather(ReplayedRank& rank, const Call& call) {
  const int out = rank.bytes(call, "sendcount", "sendtype");
  const int in = call.has("recvcount") ? rank.bytes(call, "recvcount", "recvtype") : out;
  const Areas area = areas(rank, call, out, in);
  MPI_Gather(area.out, out, MPI_BYTE, area.in, in, MPI_BYTE, call.number("root"), rank.comm(call));
}

void scatter(ReplayedRank& rank, const Call& call) {
  const int in = rank.bytes(call, "recvcount", "recvtype");
  const int out = call.has("sendcount") ? rank.bytes(call, "sendcount", "sendtype") : in;
  const Areas area = areas(rank, call, out, in);
  MPI_Scatter(area.out, out, MPI_BYTE, area.in, in, MPI_BYTE, call.number("root"), rank.comm(call));
}

void gatherv(ReplayedRank& rank, const Call& call) {
  const int out = rank.bytes(call, "sendcount", "sendtype");
  std::vector<int> in;
  if (call.has("recvcounts")) in = rank.all_bytes(call, "recvcounts", "recvtype");
  const Areas area = areas(rank, call, out, most(in));
  MPI_Gatherv(area.out, out, MPI_BYTE, area.in, in.data(), places(in).data(), MPI_BYTE,
              call.number("root"), rank.comm(call));
}

void scatterv(ReplayedRank& rank, const Call& call) {
  const int in = rank.bytes(call, "recvcount", "recvtype");
  std::vector<int> out;
  if (call.has("sendcounts")) out = rank.all_bytes(call, "sendcounts", "sendtype");
  const Areas area = areas(rank, call, most(out), in);
  MPI_Scatterv(area.out, out.data(), places(out).data(), MPI_BYTE, area.in, in, MPI_BYTE,
               call.number("root"), rank.comm(call));
}

void allgather(ReplayedRank& rank, const Call& call) {
  const int out = rank.bytes(call, "sendcount", "sendtype");
  const int in = rank.bytes(call, "recvcount", "recvtype");
  const Areas area = areas(rank, call, out, in);
  MPI_Allgather(area.out, out, MPI_BYTE, area.in, in, MPI_BYTE, rank.comm(call));
}

void alltoall(ReplayedRank& rank, const Call& call) {
  const int out = rank.bytes(call, "sendcount", "sendtype");
  const int in = rank.bytes(call, "recvcount", "recvtype");
  const Areas area = areas(rank, call, out, in);
  MPI_Alltoall(area.out, out, MPI_BYTE, area.in, in, MPI_BYTE, rank.comm(call));
}

void allgatherv(ReplayedRank& rank, const Call& call) {
  const int out = rank.bytes(call, "sendcount", "sendtype");
  const std::vector<int> in = rank.all_bytes(call, "recvcounts", "recvtype");
  const Areas area = areas(rank, call, out, most(in));
  MPI_Allgatherv(area.out, out, MPI_BYTE, area.in, in.data(), places(in).data(), MPI_BYTE,
                 rank.comm(call));
}

void alltoallv(ReplayedRank& rank, const Call& call) {
  const std::vector<int> out = rank.all_bytes(call, "sendcounts", "sendtype");
  const std::vector<int> in = rank.all_bytes(call, "recvcounts", "recvtype");
  const Areas area = areas(rank, call, most(out), most(in));
  MPI_Alltoallv(area.out, out.data(), places(out).data(), MPI_BYTE, area.in, in.data(),
                places(in).data(), MPI_BYTE, rank.comm(call));
}

/// As many bytes as the types say.
void alltoallw(ReplayedRank& rank, const Call& call) {
  const auto bytes_of = [&](const char* counts, const char* types) {
    std::vector<int> all;
    for (std::size_t i = 0; i < call.numbers(counts).size(); ++i) {
      all.push_back(rank.bytes(call.numbers(counts)[i], call.numbers(types)[i]));
    }
    return all;
  };
  const std::vector<int> out = bytes_of("sendcounts", "sendtypes");
  const std::vector<int> in = bytes_of("recvcounts", "recvtypes");
  const Areas area = areas(rank, call, most(out), most(in));
  MPI_Alltoallv(area.out, out.data(), places(out).data(), MPI_BYTE, area.in, in.data(),
                places(in).data(), MPI_BYTE, rank.comm(call));
}

/// Elements that a reduction combines; of types and operations that MPI does not know, bytes.
struct Reduced {
  char *from, *to;
  std::vector<int> counts;
  MPI_Datatype type;
  MPI_Op op;
};
Reduced reduced(ReplayedRank& rank, const Call& call, std::span<const std::int32_t> counts) {
  const std::int32_t number = call.number("datatype");
  Reduced made{nullptr,
               nullptr,
               {},
               ReplayedRank::reduced_type(number),
               ReplayedRank::op(call.number("op"))};
  const bool is_known = made.type != MPI_DATATYPE_NULL && made.op != MPI_OP_NULL;
  std::size_t all = 0;
  for (const std::int32_t count : counts) {
    const int bytes = rank.bytes(count, number);
    all += static_cast<std::size_t>(bytes);
    made.counts.push_back(is_known ? count : bytes);
  }
  if (!is_known) {
    made.type = MPI_BYTE;
    made.op = MPI_BOR;
  }
  if (all > std::numeric_limits<int>::max()) rank.fail("a reduction of more than 2^31 - 1 bytes");
  constexpr std::size_t alignment = 16;
  all = (all + alignment - 1) / alignment * alignment;
  made.from = rank.values(2 * all);
  made.to = made.from + all;
  return made;
}
Reduced reduced(ReplayedRank& rank, const Call& call) {
  const std::int32_t count = call.number("count");
  return reduced(rank, call, {&count, 1});
}

void reduce(ReplayedRank& rank, const Call& call) {
  const Reduced all = reduced(rank, call);
  MPI_Reduce(all.from, all.to, all.counts.front(), all.type, all.op, call.number("root"),
             rank.comm(call));
}

void allreduce(ReplayedRank& rank, const Call& call) {
  const Reduced all = reduced(rank, call);
  MPI_Allreduce(all.from, all.to, all.counts.front(), all.type, all.op, rank.comm(call));
}

void scan(ReplayedRank& rank, const Call& call) {
  const Reduced all = reduced(rank, call);
  MPI_Scan(all.from, all.to, all.counts.front(), all.type, all.op, rank.comm(call));
}

void exscan(ReplayedRank& rank, const Call& call) {
  const Reduced all = reduced(rank, call);
  MPI_Exscan(all.from, all.to, all.counts.front(), all.type, all.op, rank.comm(call));
}

void reduce_scatter(ReplayedRank& rank, const Call& call) {
  const Reduced all = reduced(rank, call, call.numbers("recvcounts"));
  MPI_Reduce_scatter(all.from, all.to, all.counts.data(), all.type, all.op, rank.comm(call));
}

}  // namespace

std::span<const ReplayedCall> collective_calls() {
  static constexpr ReplayedCall all[] = {
      {Label::Barrier, barrier},
      {Label::Bcast, bcast},
      {Label::Gather, gather},
      {Label::Gatherv, gatherv},
      {Label::Scatter, scatter},
      {Label::Scatterv, scatterv},
      {Label::Allgather, allgather},
      {Label::Allgatherv, allgatherv},
      {Label::Alltoall, alltoall},
      {Label::Alltoallv, alltoallv},
      {Label::Reduce, reduce},
      {Label::Allreduce, allreduce},
      {Label::Reduce_scatter, reduce_scatter},
      {Label::Scan, scan},
      {Label::Exscan, exscan},
      {Label::Alltoallw, alltoallw},
  };
  return all;
}

}  // namespace replay
