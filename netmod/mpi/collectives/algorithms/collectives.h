// The collective algorithms, on packed bytes; every member of the communicator calls them. They do
// nothing but through their call or transfer, and decide nothing by the data: see Schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/collectives/engine/two_level.h"
#include "netmod/mpi/operations/op.h"

namespace netmod {

// Where there is more than one way, rules choose among the algorithms of
// netmod/mpi/collectives/algorithms by the number of ranks and bytes (choice.h). Barrier,
// broadcast, and commutative reduce and allreduce on several nodes take two levels (TwoLevel):
// within each node to or from its leader, and between the leaders, each by an algorithm of its own.
// The forms that take a transfer take one level, over its ranks.

void barrier(const CollectiveCall& call);

void broadcast(const CollectiveCall& call, std::byte* data, std::int64_t bytes, int root);
void broadcast(const Transfer& transfer, std::byte* data, std::int64_t bytes, int root);

/// The order of ranks is kept for operations that do not commute. `in` is the caller's part; the
/// result goes to `out` at the root, which may be `in`. Elsewhere `out` is memory for sums on the
/// way (may be `in`), or null.
void reduce(const CollectiveCall& call, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root);
void reduce(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
            std::byte* out, std::int64_t count, int root);

/// `data` holds the caller's part, then the result; the same bits on all ranks.
void allreduce(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
               std::int64_t count);

/// The caller's part of the result, elements [begin[rank], begin[rank + 1]), goes to `out`; `in`
/// and `out` do not overlap.
void reduce_scatter(const CollectiveCall& call, const Reduction& reduction, const std::byte* in,
                    std::byte* out, std::span<const std::int64_t> begin);

/// What rules are asked about a reduction. A vector is cut into parts where that leaves one element
/// at least for each rank that halving leaves, and the program's own operations are not in the way.
Question reduction_question(const Transfer& transfer, const TwoLevel& levels, CollectiveKind kind,
                            const Reduction& reduction, std::int64_t count);

/// Recursive doubling. `data` holds the caller's part, then the reduction over the ranks up to the
/// caller; `before`, if given, receives that of the ranks before it (nothing on rank 0).
void scan(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
          std::byte* before, std::int64_t count);

/// `each` bytes per rank, in rank order at the root (`all`, unused elsewhere).
void gather(const CollectiveCall& call, const std::byte* mine, std::byte* all, std::int64_t each,
            int root);
void scatter(const CollectiveCall& call, const std::byte* all, std::byte* mine, std::int64_t each,
             int root);

/// Bytes of one rank in a buffer for all.
struct Piece {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// Directly between the root and each rank; pieces (by rank) at the root only.
void gather_pieces(const CollectiveCall& call, const std::byte* mine, std::int64_t my_bytes,
                   std::byte* all, std::span<const Piece> pieces, int root);
void scatter_pieces(const CollectiveCall& call, const std::byte* all, std::span<const Piece> pieces,
                    std::byte* mine, std::int64_t my_bytes, int root);

/// `all` holds the caller's part in its place, then the other ranks'.
void allgather(const CollectiveCall& call, std::byte* all, std::int64_t each);
/// The same for parts of any size.
void allgather_pieces(const CollectiveCall& call, std::byte* all, std::span<const Piece> pieces);

/// Pieces by rank.
void alltoall_pieces(const CollectiveCall& call, const std::byte* out,
                     std::span<const Piece> out_pieces, std::byte* in,
                     std::span<const Piece> in_pieces);
void alltoall(const CollectiveCall& call, const std::byte* out, std::byte* in, std::int64_t each);

/// All messages at once: piece i of `out` to rank to[i], piece i of `in` from rank from[i], taken
/// in the order of `taking`. Where a rank is named more than once its messages keep their order;
/// MPI_PROC_NULL gets and gives nothing.
void exchange_all(const Transfer& transfer, const std::byte* out, std::span<const Piece> out_pieces,
                  std::span<const int> to, std::byte* in, std::span<const Piece> in_pieces,
                  std::span<const int> from, std::span<const int> taking);

/// Both groups of an intercommunicator have entered.
void barrier_of_both(const CollectiveCall& call);
/// The communicator's ranks, of both groups if there are two, get the reduction over all of them
/// (a commutative one).
void allreduce_of_all(const CollectiveCall& call, const Reduction& reduction, std::byte* data,
                      std::int64_t count);

}  // namespace netmod
