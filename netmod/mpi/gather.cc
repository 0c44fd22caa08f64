// Gather and scatter: binomial trees for equal parts, directly for others.
#include <algorithm>
#include <vector>

#include "netmod/mpi/collectives.h"

namespace netmod {
namespace {

/// A binomial tree over ranks rotated so that the root is 0: a rank's subtree are the `span`
/// ranks from it on.
struct Tree {
  Tree(const Transfer& transfer, int from_root) : size(transfer.size()), root(from_root) {
    rank = (transfer.rank() - root + size) % size;
    while (bit < size && (rank & bit) == 0) bit *= 2;
  }
  int real(int rotated) const { return (rotated + root) % size; }
  /// Ranks in the subtree of `rotated`, which hangs from its parent at `at_bit`.
  int span(int rotated, int at_bit) const { return std::min(at_bit, size - rotated); }

  int size;
  int root;
  int rank = 0;
  int bit = 1;  ///< separates the caller from its parent
};

/// Between rank order and rotated order at the root.
void rotate_out(const CollectiveCall& call, const Tree& tree, std::byte* all,
                const std::byte* rotated, std::int64_t each) {
  const std::int64_t head = each * (tree.size - tree.root);
  call.copy(all + each * tree.root, rotated, head);
  call.copy(all, rotated + head, each * tree.root);
}
void rotate_in(const CollectiveCall& call, const Tree& tree, const std::byte* all,
               std::byte* rotated, std::int64_t each) {
  const std::int64_t head = each * (tree.size - tree.root);
  call.copy(rotated, all + each * tree.root, head);
  call.copy(rotated + head, all, each * tree.root);
}

}  // namespace

void gather(const CollectiveCall& call, const std::byte* mine, std::byte* all, std::int64_t each,
            int root) {
  const Transfer transfer(call, Collective::gather);
  const Tree tree(transfer, root);
  if (tree.rank % 2 == 1) {  // a leaf
    transfer.send(mine, each, tree.real(tree.rank - 1));
    return;
  }
  const int span = tree.rank == 0 ? tree.size : tree.span(tree.rank, tree.bit);
  const bool direct = tree.rank == 0 && root == 0;
  Scratch scratch;
  if (!direct) scratch = call.memory(each * span);
  std::byte* block = direct ? all : scratch.get();
  call.copy(block, mine, each);
  call.charge_copy(each);
  for (int bit = 1; bit < tree.bit && tree.rank + bit < tree.size; bit *= 2) {
    const int child = tree.rank + bit;
    transfer.receive(block + each * bit, each * tree.span(child, bit), tree.real(child));
  }
  if (tree.rank != 0) {
    transfer.send(block, each * span, tree.real(tree.rank - tree.bit));
  } else if (!direct) {
    rotate_out(call, tree, all, block, each);
    call.charge_copy(each * span);
  }
}

void scatter(const CollectiveCall& call, const std::byte* all, std::byte* mine, std::int64_t each,
             int root) {
  const Transfer transfer(call, Collective::scatter);
  const Tree tree(transfer, root);
  if (tree.rank % 2 == 1) {
    transfer.receive(mine, each, tree.real(tree.rank - 1));
    return;
  }
  const int span = tree.rank == 0 ? tree.size : tree.span(tree.rank, tree.bit);
  const bool direct = tree.rank == 0 && root == 0;
  Scratch scratch;
  if (!direct) scratch = call.memory(each * span);
  const std::byte* block = direct ? all : scratch.get();
  if (tree.rank != 0) {
    transfer.receive(scratch.get(), each * span, tree.real(tree.rank - tree.bit));
  } else if (!direct) {
    rotate_in(call, tree, all, scratch.get(), each);
    call.charge_copy(each * span);
  }
  for (int bit = tree.bit / 2; bit > 0; bit /= 2) {
    const int child = tree.rank + bit;
    if (child >= tree.size) continue;
    transfer.send(block + each * bit, each * tree.span(child, bit), tree.real(child));
  }
  call.copy(mine, block, each);
  call.charge_copy(each);
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
