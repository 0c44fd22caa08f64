// Gather and scatter: by the rules for equal parts, directly for others.
#include <algorithm>
#include <vector>

#include "corespec/host/check.h"
#include "netmod/mpi/collectives/algorithms/algorithms.h"

namespace netmod {
namespace {

/// One for each rank, of one size; other ranks than the root need none.
std::vector<Piece> pieces_at_root(const CollectiveCall& call, std::int64_t each, int root) {
  std::vector<Piece> pieces;
  if (call.comm.rank != root) return pieces;
  for (int rank = 0; rank < call.comm.size(); ++rank) pieces.push_back({each * rank, each});
  return pieces;
}

}  // namespace

void gather(const CollectiveCall& call, const std::byte* mine, std::byte* all, std::int64_t each,
            int root) {
  const Transfer transfer(call, Collective::gather);
  switch (transfer.choose(transfer.question(CollectiveKind::gather, each))) {
    case Algorithm::linear:
      return gather_pieces(call, mine, each, all, pieces_at_root(call, each, root), root);
    case Algorithm::binomial:
      return algorithm::gather_binomial(transfer, mine, all, each, root);
    default:
      CASTOR_NEVER("Gather does not carry out the algorithm that was chosen");
  }
}

void scatter(const CollectiveCall& call, const std::byte* all, std::byte* mine, std::int64_t each,
             int root) {
  const Transfer transfer(call, Collective::scatter);
  switch (transfer.choose(transfer.question(CollectiveKind::scatter, each))) {
    case Algorithm::linear:
      return scatter_pieces(call, all, pieces_at_root(call, each, root), mine, each, root);
    case Algorithm::binomial:
      return algorithm::scatter_binomial(transfer, all, mine, each, root);
    default:
      CASTOR_NEVER("Scatter does not carry out the algorithm that was chosen");
  }
}

void gather_pieces(const CollectiveCall& call, const std::byte* mine, std::int64_t my_bytes,
                   std::byte* all, std::span<const Piece> pieces, int root) {
  const Transfer transfer(call, Collective::gather);
  if (call.comm.rank != root) {
    transfer.send(mine, my_bytes, root);
    return;
  }
  std::vector<Request*> requests(pieces.size(), nullptr);
  for (int from = 0; from < call.comm.size(); ++from) {
    const Piece& piece = pieces[static_cast<std::size_t>(from)];
    if (from == root) continue;
    requests[static_cast<std::size_t>(from)] =
        transfer.start_receive(all + piece.offset, piece.bytes, from);
  }
  const Piece& own = pieces[static_cast<std::size_t>(root)];
  call.copy(all + own.offset, mine, std::min(own.bytes, my_bytes));
  call.charge_copy(own.bytes);
  int wrong = -1;
  for (std::size_t from = 0; from < requests.size(); ++from) {
    if (static_cast<int>(from) == root) continue;
    if (!transfer.finish(requests[from], pieces[from].bytes)) wrong = static_cast<int>(from);
  }
  if (wrong >= 0) transfer.fail_size(pieces[static_cast<std::size_t>(wrong)].bytes, wrong);
}

void scatter_pieces(const CollectiveCall& call, const std::byte* all, std::span<const Piece> pieces,
                    std::byte* mine, std::int64_t my_bytes, int root) {
  const Transfer transfer(call, Collective::scatter);
  if (call.comm.rank != root) {
    transfer.receive(mine, my_bytes, root);
    return;
  }
  std::vector<Request*> requests;
  requests.reserve(pieces.size());
  for (int to = 0; to < call.comm.size(); ++to) {
    const Piece& piece = pieces[static_cast<std::size_t>(to)];
    if (to != root) requests.push_back(transfer.start_send(all + piece.offset, piece.bytes, to));
  }
  const Piece& own = pieces[static_cast<std::size_t>(root)];
  call.copy(mine, all + own.offset, std::min(own.bytes, my_bytes));
  call.charge_copy(own.bytes);
  for (Request* request : requests) transfer.finish_send(request);
}

}  // namespace netmod
