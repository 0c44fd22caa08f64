// All messages of a collective at once; what both groups of an intercommunicator do together.
#include <vector>

#include "netmod/mpi/collectives/algorithms/collectives.h"

namespace netmod {

void exchange_all(const Transfer& transfer, const std::byte* out, std::span<const Piece> out_pieces,
                  std::span<const int> to, std::byte* in, std::span<const Piece> in_pieces,
                  std::span<const int> from, std::span<const int> taking) {
  std::vector<Request*> receiving, sending;
  for (const int i : taking) {
    const auto at = static_cast<std::size_t>(i);
    if (from[at] == MPI_PROC_NULL) continue;
    const Piece& piece = in_pieces[at];
    receiving.push_back(transfer.start_receive(in + piece.offset, piece.bytes, from[at]));
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == MPI_PROC_NULL) continue;
    const Piece& piece = out_pieces[i];
    sending.push_back(transfer.start_send(out + piece.offset, piece.bytes, to[i]));
  }
  int wrong = -1;
  auto next = receiving.begin();
  for (const int i : taking) {
    const auto at = static_cast<std::size_t>(i);
    if (from[at] == MPI_PROC_NULL) continue;
    if (!transfer.finish(*next++, in_pieces[at].bytes)) wrong = i;
  }
  for (Request* request : sending) transfer.finish_send(request);
  if (wrong < 0) return;
  const auto at = static_cast<std::size_t>(wrong);
  transfer.fail_size(in_pieces[at].bytes, from[at]);
}

void barrier_of_both(const CollectiveCall& call) {
  barrier(call);
  if (call.comm.rank == 0) Transfer::remote(call).exchange(nullptr, 0, 0, nullptr, 0, 0);
  barrier(call);
}

void allreduce_of_all(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
                      std::int64_t count) {
  allreduce(call, reduction, data, count);
  if (!call.comm.inter()) return;
  const std::int64_t bytes = reduction.bytes(count);
  const Scratch other = call.memory(bytes);
  if (call.comm.rank == 0) {
    Transfer::remote(call).exchange(data, bytes, 0, other.get(), bytes, 0);
  }
  broadcast(call, other.get(), bytes, 0);
  call.reduce(reduction, other.get(), data, count);
}

}  // namespace netmod
