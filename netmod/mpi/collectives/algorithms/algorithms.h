// The algorithms of collectives, a file each: over the ranks of a transfer, in one level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "netmod/mpi/collectives/algorithms/collectives.h"

// Arguments are those of the collectives in netmod/mpi/collectives/algorithms/collectives.h, which
// chooses among them.
namespace netmod::algorithm {

/// ceil(log2(size)) rounds; in round i with the ranks 2^i above and below.
void barrier_dissemination(const Transfer& transfer);
/// Up a tree to number 0: all have entered. Down it: all may leave.
void barrier_enter_binomial(const Transfer& transfer);
void barrier_leave_binomial(const Transfer& transfer);

/// A tree; every rank receives all bytes once, inner ones send them several times.
void bcast_binomial(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root);
/// A tree hands out pieces, a ring collects them.
void bcast_scatter_ring(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root);
/// From each rank to the next, in segments: many are under way at a time.
void bcast_chain(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root);

/// A tree that keeps the order of ranks from the root on. `out` elsewhere than at the root: memory
/// for sums, or null.
void reduce_binomial(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
                     std::byte* out, std::int64_t count, int root);
/// Rabenseifner: recursive halving leaves each rank a part of the result, a tree collects them.
void reduce_scatter_gather(const Transfer& transfer, const Reduction& reduction,
                           const std::byte* in, std::byte* out, std::int64_t count, int root);

/// Whole vectors, in the order of ranks.
void allreduce_recursive_doubling(const Transfer& transfer, const Reduction& reduction,
                                  std::byte* data, std::int64_t count);
/// Rabenseifner: recursive halving, then doubling.
void allreduce_halving_doubling(const Transfer& transfer, const Reduction& reduction,
                                std::byte* data, std::int64_t count);
/// Once around a ring to reduce, once to collect: fewest bytes, most messages.
void allreduce_ring(const Transfer& transfer, const Reduction& reduction, std::byte* data,
                    std::int64_t count);

// Reduce and scatter: rank i gets elements [begin[i], begin[i + 1]) of the result.
void reduce_scatter_halving(const Transfer& transfer, const Reduction& reduction,
                            const std::byte* in, std::byte* out,
                            std::span<const std::int64_t> begin);
void reduce_scatter_pairwise(const Transfer& transfer, const Reduction& reduction,
                             const std::byte* in, std::byte* out,
                             std::span<const std::int64_t> begin);

void gather_binomial(const Transfer& transfer, const std::byte* mine, std::byte* all,
                     std::int64_t each, int root);
void scatter_binomial(const Transfer& transfer, const std::byte* all, std::byte* mine,
                      std::int64_t each, int root);

/// Blocks double with the distance; a power of two of ranks.
void allgather_recursive_doubling(const Transfer& transfer, std::byte* all, std::int64_t each);
/// The same for any number, with a rotation at the end.
void allgather_bruck(const Transfer& transfer, std::byte* all, std::int64_t each);
/// From each rank to the next; PieceOf: rank to its Piece of `all`.
template <class PieceOf>
void allgather_ring(const Transfer& transfer, std::byte* all, const PieceOf& piece_of) {
  const int size = transfer.size();
  const int rank = transfer.rank();
  for (int step = 0; step < size - 1; ++step) {
    const Piece out = piece_of((rank - step + size) % size);
    const Piece in = piece_of((rank - step - 1 + size) % size);
    transfer.exchange(all + out.offset, out.bytes, (rank + 1) % size, all + in.offset, in.bytes,
                      (rank - 1 + size) % size);
  }
}

/// log2(size) messages, each of half of all blocks.
void alltoall_bruck(const Transfer& transfer, const std::byte* out, std::byte* in,
                    std::int64_t each);
/// Pieces by rank, from one buffer to another. All ranks at once, some at a time / in step i with
/// the ranks i above and below.
struct Exchange {
  const std::byte* out;
  std::span<const Piece> out_pieces;
  std::byte* in;
  std::span<const Piece> in_pieces;
  std::int64_t each = 0;  ///< bytes of every piece, if there are no spans

  Piece out_piece(int rank) const { return piece(out_pieces, rank); }
  Piece in_piece(int rank) const { return piece(in_pieces, rank); }

 private:
  Piece piece(std::span<const Piece> pieces, int rank) const {
    return pieces.empty() ? Piece{each * rank, each} : pieces[static_cast<std::size_t>(rank)];
  }
};
void alltoall_linear(const Transfer& transfer, const Exchange& exchange);
void alltoall_pairwise(const Transfer& transfer, const Exchange& exchange);
/// The caller's own piece, which both begin with.
void copy_own_piece(const Transfer& transfer, const Exchange& exchange);

}  // namespace netmod::algorithm
