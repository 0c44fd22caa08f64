// The collective algorithms, on packed bytes; every member of the communicator calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "netmod/mpi/op.h"
#include "netmod/mpi/transfer.h"

namespace netmod {

using Bytes = std::unique_ptr<std::byte[]>;
/// Uninitialised memory.
inline Bytes make_bytes(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

// Barrier, broadcast, and commutative reduce and allreduce on several nodes take two levels
// (TwoLevel): within each node to or from its leader by binomial trees, and between the leaders by
// the algorithm named here.

/// Dissemination: ceil(log2(size)) rounds of empty messages.
void barrier(RankState& rank, const Communicator& comm);

/// Binomial tree; large messages: binomial scatter, then a ring. Very large ones take one level.
void broadcast(RankState& rank, const Communicator& comm, std::byte* data, std::int64_t bytes,
               int root);
/// The same over a lineup, in one level.
void broadcast(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root);

/// Binomial tree; the order of ranks is kept for every operation. `in` is the caller's part; the
/// result goes to `out` at the root (may be `in`), which is not used elsewhere.
void reduce(RankState& rank, const Communicator& comm, const Reduction& reduction,
            const std::byte* in, std::byte* out, std::int64_t count, int root);
/// The same over a lineup, in one level; only commutative ones, or root 0.
void reduce(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root);

/// Recursive doubling in the order of ranks; large commutative ones: recursive halving, then
/// doubling (Rabenseifner). Ranks above the highest power of two fold into their neighbours. `data`
/// holds the caller's part, then the result; the same bits on all ranks.
void allreduce(RankState& rank, const Communicator& comm, const Reduction& reduction,
               std::byte* data, std::int64_t count);

/// Recursive doubling. `data` holds the caller's part, then the reduction over the ranks up to the
/// caller; `before`, if given, receives that of the ranks before it (nothing on rank 0).
void scan(RankState& rank, const Communicator& comm, const Reduction& reduction, std::byte* data,
          std::byte* before, std::int64_t count);

/// Binomial trees; `each` bytes per rank, in rank order at the root (`all`, unused elsewhere).
void gather(RankState& rank, const Communicator& comm, const std::byte* mine, std::byte* all,
            std::int64_t each, int root);
void scatter(RankState& rank, const Communicator& comm, const std::byte* all, std::byte* mine,
             std::int64_t each, int root);

/// Bytes of one rank in a buffer for all.
struct Piece {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Directly between the root and each rank; pieces (by rank) at the root only.
void gather_pieces(RankState& rank, const Communicator& comm, const std::byte* mine,
                   std::int64_t my_bytes, std::byte* all, std::span<const Piece> pieces, int root);
void scatter_pieces(RankState& rank, const Communicator& comm, const std::byte* all,
                    std::span<const Piece> pieces, std::byte* mine, std::int64_t my_bytes,
                    int root);

/// `all` holds the caller's part in its place, then everyone's. Small: Bruck; large: ring.
void allgather(RankState& rank, const Communicator& comm, std::byte* all, std::int64_t each);
/// The same for parts of any size: ring.
void allgather_pieces(RankState& rank, const Communicator& comm, std::byte* all,
                      std::span<const Piece> pieces);

/// Pairwise exchange: in step i with the ranks i above and below. Pieces by rank.
void alltoall_pieces(RankState& rank, const Communicator& comm, const std::byte* out,
                     std::span<const Piece> out_pieces, std::byte* in,
                     std::span<const Piece> in_pieces);
void alltoall(RankState& rank, const Communicator& comm, const std::byte* out, std::byte* in,
              std::int64_t each);

}  // namespace netmod
