// Accumulates: by the target's NIC, or under a lock.
#include "netmod/mpi/windows/accumulate.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/operations/op.h"
#include "netmod/mpi/windows/packed_elements.h"
#include "netmod/mpi/windows/remote_lock.h"
#include "netmod/mpi/windows/updates.h"

namespace netmod {
namespace {

constexpr std::int64_t word_bytes = 8;

/// An AMO that does an operation: with fetching, and without; operands from the element's value.
struct Amo {
  gni_fma_cmd_type_t fetching;
  gni_fma_cmd_type_t plain;
  bool replaces = false;  ///< masks everything out, then sets the value's bits
};

std::optional<Amo> amo_of(MPI_Op op) {
  switch (op) {
    case MPI_SUM:
      return Amo{GNI_FMA_ATOMIC_FADD, GNI_FMA_ATOMIC_ADD};
    case MPI_BAND:
      return Amo{GNI_FMA_ATOMIC_FAND, GNI_FMA_ATOMIC_AND};
    case MPI_BOR:
      return Amo{GNI_FMA_ATOMIC_FOR, GNI_FMA_ATOMIC_OR};
    case MPI_BXOR:
      return Amo{GNI_FMA_ATOMIC_FXOR, GNI_FMA_ATOMIC_XOR};
    case MPI_REPLACE:
      return Amo{GNI_FMA_ATOMIC_FAX, GNI_FMA_ATOMIC_AX, true};
    default:
      return std::nullopt;
  }
}

std::uint64_t word_at(const std::byte* packed) {
  std::uint64_t value = 0;
  std::memcpy(&value, packed, sizeof value);
  return value;
}

/// The target's words, one after another: `use(place, packed offset)`.
template <class Use>
void for_each_word(const RemoteData& data, const Use& use) {
  for_each_piece(data, [&use](RemoteData::Piece piece, std::int64_t packed) {
    for (std::int64_t at = 0; at < piece.bytes; at += word_bytes) {
      use(piece.place, packed + at);
      piece.place.address += word_bytes;
    }
  });
}

/// All of them are where AMOs can change them.
bool aligned(const RemoteData& data) {
  bool all = true;
  for_each_piece(data, [&all](const RemoteData::Piece& piece, std::int64_t) {
    all = all && piece.place.address % word_bytes == 0 && piece.bytes % word_bytes == 0;
  });
  return all;
}

void store(RankState& rank, const LocalData& result, const std::byte* packed) {
  unpack(result.type, packed, result.bytes(), result.data);
  rank.charge_copy(result.bytes());
}

/// AMOs are delivered in order (Device::one_sided), but may overtake a GET.
void wait_for_words_read(RankState& rank, Target& target) {
  if (!target.words_read) return;
  wait_for_order(rank, target);
  target.words_read = false;
}

/// An AMO for each word; they are delivered in order.
void by_amos(RankState& rank, const Amo& amo, const LocalData& from, const RemoteData& to,
             const LocalData* result, std::shared_ptr<OneSidedOperation>& operation) {
  wait_for_words_read(rank, *to.target);
  const PackedElements values(rank, from);
  std::byte* old = nullptr;
  if (result != nullptr) {
    old = result->data;
    if (!result->type.contiguous()) {
      if (!operation) operation = std::make_shared<OneSidedOperation>(rank, *to.target);
      operation->unpack_to(*result);
      old = operation->pack_memory(result->bytes());
    }
  }
  rma::Completion& completion = operation           ? operation->transfers()
                                : result != nullptr ? to.target->fetches
                                                    : to.target->atomics;
  for_each_word(to, [&](const RemotePlace& place, std::int64_t packed) {
    const std::uint64_t value = word_at(values.data() + packed);
    start_atomic(rank, completion, place, old != nullptr ? amo.fetching : amo.plain,
                 amo.replaces ? 0 : value, amo.replaces ? value : 0,
                 old != nullptr ? old + packed : nullptr);
  });
}

/// Fetches all words, and replaces each that has stayed the same by the operation's result; those
/// that others have changed meanwhile are tried again with what they are now.
void by_compare_and_swap(RankState& rank, const Accumulation& accumulation, const LocalData& from,
                         const RemoteData& to, const LocalData* result) {
  const PackedElements values(rank, from);
  const auto bytes = static_cast<std::size_t>(to.bytes());
  std::vector<std::byte> expected, wanted, found;
  for (auto* const each : {&expected, &wanted, &found}) {
    const corespec::RankMemory own;
    each->resize(bytes);
  }
  wait_for_order(rank, *to.target);
  rma::Completion fetched;
  gather_packed(rank, fetched, to, expected.data());
  wait_for(rank, fetched);
  std::vector<bool> done(bytes / word_bytes, false);
  for (bool again = true; again;) {
    wanted = expected;
    accumulation.apply(rank, values.data(), wanted.data(), to.count);
    rma::Completion swapped;
    for_each_word(to, [&](const RemotePlace& place, std::int64_t packed) {
      if (done[static_cast<std::size_t>(packed / word_bytes)]) return;
      start_atomic(rank, swapped, place, GNI_FMA_ATOMIC_CSWAP, word_at(expected.data() + packed),
                   word_at(wanted.data() + packed), found.data() + packed);
    });
    wait_for(rank, swapped);
    again = false;
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (done[i]) continue;
      done[i] = word_at(found.data() + i * word_bytes) == word_at(expected.data() + i * word_bytes);
      if (!done[i]) {
        std::memcpy(expected.data() + i * word_bytes, found.data() + i * word_bytes, word_bytes);
        again = true;
      }
    }
  }
  if (result != nullptr) store(rank, *result, expected.data());
}

/// Fetched, changed by `change(packed bytes)` and, if that says so, put back, while no other origin
/// does such a thing.
template <class Change>
void under_lock(RankState& rank, Window& window, const RemoteData& to, bool fetches,
                const Change& change) {
  Target& target = *to.target;
  wait_for_order(rank, target);
  RemoteLock lock(rank, accumulate_lock(target), window.unattended);
  const RemoteLock::Ticket ticket = lock.acquire_exclusive();
  const auto bytes = corespec::rank_bytes(to.bytes());
  if (fetches) {
    rma::Completion fetched;
    gather_packed(rank, fetched, to, bytes.get());
    wait_for(rank, fetched);
  }
  if (change(bytes.get())) {
    rma::Completion stored;
    scatter_packed(rank, stored, bytes.get(), to);
    wait_for(rank, stored);
  }
  lock.release_exclusive(ticket);
}

}  // namespace

void wait_for_order(RankState& rank, const Target& target) {
  const auto done = [&target] {
    return target.atomics.complete() && target.fetches.complete() && target.recorded == 0;
  };
  rank.wait_until(done);
}

Accumulation::Accumulation(MPI_Op op, const TypeView& type, bool fetches) : op_(op), type_(type) {
  if (!is_predefined_op(op)) {
    fail(MPI_ERR_OP, "op is not predefined, as one-sided operations need it");
  }
  if (type.size == 0) return;  // nothing to do
  if (type.basic == nullptr) {
    fail(MPI_ERR_TYPE, "the target's datatype has elements of several predefined types");
  }
  if (op == MPI_REPLACE) return;
  if (op == MPI_NO_OP) {
    if (!fetches) fail(MPI_ERR_OP, "op is MPI_NO_OP, which is for calls that fetch");
    return;
  }
  kernel_ = find_kernel(op, *type.basic);
  if (kernel_ == nullptr) {
    fail(MPI_ERR_OP, fmt::format("op is not defined for {}", type.basic->name));
  }
}

bool Accumulation::on_words() const {
  const BasicKind kind = element().kind;
  return element().size == word_bytes &&
         (kind == BasicKind::signed_integer || kind == BasicKind::unsigned_integer);
}

void Accumulation::apply(RankState& rank, const std::byte* in, std::byte* inout,
                         std::int64_t count) const {
  if (op_ == MPI_NO_OP) return;
  if (op_ != MPI_REPLACE) {
    Reduction(kernel_, type_).apply(in, inout, count);
    return;
  }
  std::memcpy(inout, in, static_cast<std::size_t>(type_.packed_bytes(count)));
  rank.charge_copy(type_.packed_bytes(count));
}

void accumulate(RankState& rank, Window& window, const Accumulation& accumulation,
                const LocalData& from, const RemoteData& to, const LocalData* result,
                std::shared_ptr<OneSidedOperation> operation) {
  const MPI_Op op = accumulation.op();
  const bool reads_only = op == MPI_NO_OP;
  if (to.bytes() > 0) {
    const bool by_nic = accumulation.on_words() && aligned(to);
    // (What is attached to a dynamic window may be detached meanwhile.)
    if (!by_nic && result == nullptr && operation == nullptr && !to.attached) {
      return put_off(rank, window, accumulation, from, to);
    }
    run_updates(rank, window, *to.target);
    if (by_nic) {
      const std::optional<Amo> amo = amo_of(op);
      if (reads_only) {  // words are fetched whole
        wait_for_order(rank, *to.target);
        to.target->words_read = true;
        get(rank, *result, to, std::exchange(operation, nullptr));
      } else if (amo) {
        by_amos(rank, *amo, from, to, result, operation);
      } else {
        by_compare_and_swap(rank, accumulation, from, to, result);
      }
    } else {
      const bool fetches = op != MPI_REPLACE || result != nullptr;
      under_lock(rank, window, to, fetches, [&](std::byte* packed) {
        if (result != nullptr) store(rank, *result, packed);
        if (reads_only) return false;
        accumulation.apply(rank, PackedElements(rank, from).data(), packed, to.count);
        return true;
      });
    }
  }
  if (operation) OneSidedOperation::posted(std::move(operation));
}

void compare_and_swap(RankState& rank, Window& window, const void* with, const void* compared,
                      void* result, const RemoteData& to) {
  const BasicType& type = *to.type.basic;
  run_updates(rank, window, *to.target);
  if (type.size == word_bytes && aligned(to)) {
    wait_for_words_read(rank, *to.target);
    start_atomic(rank, to.target->fetches, to.piece(0, word_bytes).place, GNI_FMA_ATOMIC_CSWAP,
                 word_at(static_cast<const std::byte*>(compared)),
                 word_at(static_cast<const std::byte*>(with)), result);
    return;
  }
  under_lock(rank, window, to, true, [&](std::byte* found) {
    std::memcpy(result, found, type.size);
    if (std::memcmp(found, compared, type.size) != 0) return false;
    std::memcpy(found, with, type.size);
    return true;
  });
}

}  // namespace netmod
