// Allgather (Bruck or ring) and alltoall (pairwise exchange).
#include <algorithm>

#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

// Up to this total few messages beat few bytes (MPICH's limit).
constexpr std::int64_t short_allgather = 81920;

/// Blocks collect in order from the caller's own on; a last rotation puts them in rank order.
void bruck(const Transfer& transfer, std::byte* all, std::int64_t each) {
  const int size = transfer.size();
  const int rank = transfer.rank();
  const CollectiveCall& call = transfer.call();
  const Scratch blocks = call.memory(each * size);
  call.copy(blocks.get(), all + each * rank, each);
  for (int have = 1; have < size; have *= 2) {
    const int now = std::min(have, size - have);
    transfer.exchange(blocks.get(), each * now, (rank - have + size) % size,
                      blocks.get() + each * have, each * now, (rank + have) % size);
  }
  call.copy(all + each * rank, blocks.get(), each * (size - rank));
  call.copy(all, blocks.get() + each * (size - rank), each * rank);
  call.charge_copy(each * (size + 1));
}

template <class PieceOf>
void ring(const Transfer& transfer, std::byte* all, const PieceOf& piece_of) {
  const int size = transfer.size();
  const int rank = transfer.rank();
  for (int step = 0; step < size - 1; ++step) {
    const Piece out = piece_of((rank - step + size) % size);
    const Piece in = piece_of((rank - step - 1 + size) % size);
    transfer.exchange(all + out.offset, out.bytes, (rank + 1) % size, all + in.offset, in.bytes,
                      (rank - 1 + size) % size);
  }
}

template <class OutPiece, class InPiece>
void pairwise(const Transfer& transfer, const std::byte* out, const OutPiece& out_piece,
              std::byte* in, const InPiece& in_piece) {
  const int size = transfer.size();
  const int rank = transfer.rank();
  const Piece own_out = out_piece(rank);
  const Piece own_in = in_piece(rank);
  if (own_out.bytes > own_in.bytes) transfer.fail_size(own_in.bytes, rank);
  transfer.call().copy(in + own_in.offset, out + own_out.offset, own_out.bytes);
  transfer.call().charge_copy(own_out.bytes);
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    const int from = (rank - step + size) % size;
    const Piece giving = out_piece(to);
    const Piece taking = in_piece(from);
    transfer.exchange(out + giving.offset, giving.bytes, to, in + taking.offset, taking.bytes,
                      from);
  }
}

}  // namespace

void allgather(const CollectiveCall& call, std::byte* all, std::int64_t each) {
  const Transfer transfer(call, Collective::allgather);
  if (call.comm.size() == 1) return;
  if (each * call.comm.size() <= short_allgather) {
    bruck(transfer, all, each);
  } else {
    ring(transfer, all, [each](int of) { return Piece{each * of, each}; });
  }
}

void allgather_pieces(const CollectiveCall& call, std::byte* all, std::span<const Piece> pieces) {
  const Transfer transfer(call, Collective::allgather);
  ring(transfer, all, [&](int of) { return pieces[static_cast<std::size_t>(of)]; });
}

void alltoall_pieces(const CollectiveCall& call, const std::byte* out,
                     std::span<const Piece> out_pieces, std::byte* in,
                     std::span<const Piece> in_pieces) {
  const Transfer transfer(call, Collective::alltoall);
  pairwise(
      transfer, out, [&](int of) { return out_pieces[static_cast<std::size_t>(of)]; }, in,
      [&](int of) { return in_pieces[static_cast<std::size_t>(of)]; });
}

void alltoall(const CollectiveCall& call, const std::byte* out, std::byte* in, std::int64_t each) {
  const Transfer transfer(call, Collective::alltoall);
  const auto piece = [each](int of) { return Piece{each * of, each}; };
  pairwise(transfer, out, piece, in, piece);
}

}  // namespace netmod
