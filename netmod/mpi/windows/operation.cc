// One-sided operations: puts and gets of any datatypes.
#include "netmod/mpi/windows/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corespec/threads/rank_memory.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/windows/attached_memory.h"

namespace netmod {
namespace {

/// From the first to behind the last byte of elements, relative to the address of the first.
struct Span {
  std::int64_t begin;
  std::int64_t end;
};

Span span_of(const TypeView& type, std::int64_t count) {
  const std::int64_t last = (count - 1) * type.extent;
  const std::int64_t low = type.layout == nullptr ? 0 : type.layout->true_lb;
  const std::int64_t high = type.layout == nullptr ? type.size : type.layout->true_ub;
  return {low + std::min<std::int64_t>(0, last), high + std::max<std::int64_t>(0, last)};
}

[[noreturn, gnu::noinline, gnu::cold]] void fail_range(const Span& span, MPI_Aint displacement,
                                                       const Target& target) {
  fail(MPI_ERR_RMA_RANGE,
       fmt::format("the elements at displacement {} (in units of {} bytes) go from byte {} to "
                   "before byte {}, seen from there, but the window's memory at rank {} of the job "
                   "has {} bytes",
                   displacement, target.entry.unit, span.begin, span.end, target.job_rank,
                   target.entry.memory.bytes));
}

/// Calls `move(local offset, place, bytes)` for whatever lies together on both sides.
template <class Move>
void for_each_pair(RunCursor local, const RemoteData& remote, const Move& move) {
  for_each_piece(remote, [&](RemoteData::Piece piece, std::int64_t) {
    while (piece.bytes > 0) {
      const std::int64_t bytes = std::min(local.bytes(), piece.bytes);
      move(local.offset(), piece.place, bytes);
      local.advance(bytes);
      piece.place.address += static_cast<std::uint64_t>(bytes);
      piece.bytes -= bytes;
    }
  });
}

/// Short runs are cheaper to copy than to post one by one.
bool better_packed(RankState& rank, const LocalData& data) {
  if (data.type.contiguous()) return false;
  const RunCursor runs(data.type, data.count);
  return static_cast<std::uint64_t>(runs.bytes()) <=
         rank.device().one_sided().settings().offload_threshold;
}

void start_puts(RankState& rank, rma::Completion& completion, const std::byte* from,
                const RunCursor& local, const RemoteData& to) {
  for_each_pair(local, to, [&](std::int64_t own, const RemotePlace& place, std::int64_t bytes) {
    start_put(rank, completion, place, from + own, bytes);
  });
}

void start_gets(RankState& rank, rma::Completion& completion, std::byte* to, const RunCursor& local,
                const RemoteData& from) {
  for_each_pair(local, from, [&](std::int64_t own, const RemotePlace& place, std::int64_t bytes) {
    start_get(rank, completion, place, to + own, bytes);
  });
}

/// MPI_ERR_BUFFER if the NIC cannot use the call's own memory.
void end_posting(const LocalData& own, rma::Completion& completion,
                 std::shared_ptr<OneSidedOperation> operation) {
  const gni_return_t result = completion.result;
  const char* const fault = rma::memory_fault(result);
  if (fault != nullptr) [[unlikely]]
    completion.result = GNI_RC_SUCCESS;  // this call tells it
  if (operation) OneSidedOperation::posted(std::move(operation));
  if (fault != nullptr) [[unlikely]] {
    fail(
        result == GNI_RC_ERROR_RESOURCE ? MPI_ERR_NO_MEM : MPI_ERR_BUFFER,
        fmt::format("the data are in memory at {}, {}", static_cast<const void*>(own.data), fault));
  }
}

}  // namespace

RemoteData::Piece RemoteData::piece(std::int64_t offset, std::int64_t length) const {
  const std::uint64_t at = address + static_cast<std::uint64_t>(offset);
  if (!attached) return {{target->job_rank, at, target->entry.memory.handle}, length};
  const RemoteRegion& region = attached_region(*target, at);
  const std::uint64_t left = region.address + region.bytes - at;
  return {{target->job_rank, at, region.handle}, std::min(length, static_cast<std::int64_t>(left))};
}

RemoteData find_remote(RankState& rank, const Window& window, Target& target, MPI_Aint displacement,
                       int count, const TypeView& type) {
  RemoteData found{&target, 0, count, type, window.dynamic()};
  if (found.attached) {
    found.address = static_cast<std::uint64_t>(displacement);
    if (found.bytes() == 0) return found;
    refresh_attached(rank, target);
    for_each_piece(found, [](const RemoteData::Piece&, std::int64_t) {});  // all are there
    return found;
  }
  if (displacement < 0) {
    fail(MPI_ERR_DISP, fmt::format("target_disp is {} (allowed: 0 and above)", displacement));
  }
  std::int64_t from = 0;
  const bool huge = __builtin_mul_overflow(displacement, target.entry.unit, &from);
  found.address = target.entry.memory.address + static_cast<std::uint64_t>(from);
  if (found.bytes() == 0) return found;
  const Span span = span_of(type, count);
  const auto has = static_cast<std::int64_t>(target.entry.memory.bytes);
  if (huge || from > has || from + span.begin < 0 || span.end > has - from) {
    fail_range(span, displacement, target);
  }
  return found;
}

AddressRange range_of(const RemoteData& data) {
  const Span span = span_of(data.type, data.count);
  return {data.address + static_cast<std::uint64_t>(span.begin),
          data.address + static_cast<std::uint64_t>(span.end)};
}

OneSidedOperation::OneSidedOperation(RankState& rank, Target& target)
    : rank_(rank), target_(target) {
  envelope = {any_source, any_tag, 0};  // what its status says
  transfers_.listener = this;
  transfers_.tells_bad_memory = true;
  transfers_.global = 1;  // until it is posted
}

std::byte* OneSidedOperation::pack_memory(std::int64_t length) {
  packed_ = corespec::rank_bytes(length);
  return packed_.get();
}

void OneSidedOperation::unpack_to(const LocalData& to) {
  unpack_ = to;
  unpacks_ = true;
  if (const auto* made = rank_.datatypes().made.find(to.type.handle)) kept_type_ = *made;
}

void OneSidedOperation::posted(std::shared_ptr<OneSidedOperation> operation) {
  OneSidedOperation& own = *operation;
  if (--own.transfers_.global == 0 && own.transfers_.local == 0) {
    own.finish();
  } else {
    ++own.target_.recorded;
    own.self_ = std::move(operation);
  }
}

void OneSidedOperation::completed(rma::Completion&) {
  const std::shared_ptr<OneSidedOperation> last = std::move(self_);
  --target_.recorded;
  finish();
}

void OneSidedOperation::finish() {
  if (unpacks_) {
    unpack(unpack_.type, packed_.get(), unpack_.bytes(), unpack_.data);
    rank_.charge_copy(unpack_.bytes());
  }
  packed_.reset();
  set_complete();
}

void put(RankState& rank, const LocalData& from, const RemoteData& to,
         std::shared_ptr<OneSidedOperation> operation) {
  const bool packs = better_packed(rank, from);
  if (packs && operation == nullptr) {
    operation = std::make_shared<OneSidedOperation>(rank, *to.target);
  }
  rma::Completion& completion = operation ? operation->transfers() : to.target->puts;
  if (packs) {
    std::byte* packed = operation->pack_memory(from.bytes());
    pack(from.type, from.data, from.count, packed);
    rank.charge_copy(from.bytes());
    start_puts(rank, completion, packed, RunCursor(from.bytes()), to);
  } else {
    start_puts(rank, completion, from.data, RunCursor(from.type, from.count), to);
  }
  end_posting(from, completion, std::move(operation));
}

void get(RankState& rank, const LocalData& to, const RemoteData& from,
         std::shared_ptr<OneSidedOperation> operation) {
  const bool packs = better_packed(rank, to);
  if (packs && operation == nullptr) {
    operation = std::make_shared<OneSidedOperation>(rank, *from.target);
  }
  rma::Completion& completion = operation ? operation->transfers() : from.target->fetches;
  if (packs) {
    operation->unpack_to(to);
    start_gets(rank, completion, operation->pack_memory(to.bytes()), RunCursor(to.bytes()), from);
  } else {
    start_gets(rank, completion, to.data, RunCursor(to.type, to.count), from);
  }
  end_posting(to, completion, std::move(operation));
}

void scatter_packed(RankState& rank, rma::Completion& completion, const std::byte* packed,
                    const RemoteData& to) {
  start_puts(rank, completion, packed, RunCursor(to.bytes()), to);
}

void gather_packed(RankState& rank, rma::Completion& completion, const RemoteData& from,
                   std::byte* packed) {
  start_gets(rank, completion, packed, RunCursor(from.bytes()), from);
}

}  // namespace netmod
