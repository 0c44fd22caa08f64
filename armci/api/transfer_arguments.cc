// How the arguments of transfer functions become transfers; aggregates.
#include "armci/api/transfer_arguments.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace armci {
namespace {

std::byte* bytes_at(void* address) { return static_cast<std::byte*>(address); }

/// The element and factor of an accumulate; false if the type is none, or the bytes not whole
/// elements.
bool take_element(const What& what, std::int64_t bytes, Transfer& transfer) {
  if (what.kind != Kind::accumulate) return true;
  transfer.element = element_of(what.type);
  const std::size_t each = bytes_of(transfer.element);
  if (each == 0 || what.scale == nullptr || bytes % static_cast<std::int64_t>(each) != 0) {
    return false;
  }
  std::memcpy(transfer.scale.bytes, what.scale, each);
  return true;
}

/// So many bytes that they, and the ends of a patch of them, fit into the numbers that count them.
bool can_be_counted(const int* count, int levels) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  std::int64_t bytes = 1;
  for (int level = 0; level <= levels; ++level) {
    if (count[level] > most / bytes) return false;
    bytes *= count[level];
  }
  return true;
}

bool names_null(void* const* addresses, int count) {
  return std::find(addresses, addresses + count, nullptr) != addresses + count;
}

/// Adds a transfer to what the handle holds, unless it is of another kind or to another rank.
int collect(State& state, Handle handle, const Transfer& transfer) {
  if (!state.client().reaches(transfer)) return refused;
  Aggregate& aggregate = state.aggregates[handle.take(state)];
  if (aggregate.pieces.empty()) {
    aggregate.shape = transfer;
    aggregate.shape.local = aggregate.shape.remote = {};
  } else if (aggregate.shape.kind != transfer.kind || aggregate.shape.proc != transfer.proc ||
             aggregate.shape.element != transfer.element ||
             std::memcmp(&aggregate.shape.scale, &transfer.scale, sizeof transfer.scale) != 0) {
    return bad_base;
  }
  for_each_pair(transfer.local, transfer.remote, [&](std::byte* own, std::byte* run) {
    aggregate.pieces.push_back({own, run, transfer.remote.run_bytes()});
  });
  return ok;
}

int perform(State& state, const Transfer& transfer, When when) {
  if (when.blocking) {
    if (!state.client().start(transfer, no_ticket)) return refused;
    return state.client().wait(no_ticket) ? ok : refused;
  }
  Handle handle(when.handle);
  if (!handle.given()) return state.client().start(transfer, implicit_ticket) ? ok : refused;
  if (handle.aggregates()) return collect(state, handle, transfer);
  return state.client().start(transfer, handle.take(state)) ? ok : refused;
}

}  // namespace

bool flush(State& state, Ticket ticket) {
  const auto found = state.aggregates.find(ticket);
  if (found == state.aggregates.end()) return true;
  Aggregate aggregate = std::move(found->second);
  state.aggregates.erase(found);
  bool all = true;
  // Neighbours of one length travel as one list.
  for (std::size_t first = 0; first < aggregate.pieces.size();) {
    Transfer transfer = aggregate.shape;
    const Aggregate::Piece& start = aggregate.pieces[first];
    transfer.local.base = start.local;
    transfer.remote.base = start.remote;
    transfer.local.listed = transfer.remote.listed = true;
    transfer.local.strides.count[0] = transfer.remote.strides.count[0] = start.bytes;
    std::size_t next = first;
    for (; next < aggregate.pieces.size() && aggregate.pieces[next].bytes == start.bytes; ++next) {
      transfer.local.list.push_back(aggregate.pieces[next].local - start.local);
      transfer.remote.list.push_back(aggregate.pieces[next].remote - start.remote);
    }
    all = state.client().start(transfer, ticket) && all;
    first = next;
  }
  return all;
}

int contiguous(const char* function, const What& what, void* src, void* dst, int bytes, int proc,
               When when) {
  const Call call(function);
  if (src == nullptr || dst == nullptr) return bad_base;
  if (bytes < 0) return bad_bytes;
  if (!call.is_rank(proc)) return bad_proc;
  Transfer transfer;
  transfer.function = function;
  transfer.kind = what.kind;
  transfer.proc = proc;
  if (!take_element(what, bytes, transfer)) return bad_bytes;
  const bool get = what.kind == Kind::get;
  transfer.local.base = bytes_at(get ? dst : src);
  transfer.remote.base = bytes_at(get ? src : dst);
  transfer.local.strides.count[0] = transfer.remote.strides.count[0] = bytes;
  return perform(call.state(), transfer, when);
}

int strided(const char* function, const What& what, void* src, const int* src_stride, void* dst,
            const int* dst_stride, const int* count, int levels, int proc, When when) {
  const Call call(function);
  if (src == nullptr || dst == nullptr) return bad_base;
  if (levels < 0 || levels > most_levels) return bad_levels;
  if (count == nullptr || (levels > 0 && (src_stride == nullptr || dst_stride == nullptr))) {
    return bad_array;
  }
  for (int level = 0; level <= levels; ++level) {
    if (count[level] < 0) return bad_bytes;
  }
  if (!call.is_rank(proc)) return bad_proc;
  Transfer transfer;
  transfer.function = function;
  transfer.kind = what.kind;
  transfer.proc = proc;
  if (!take_element(what, count[0], transfer)) return bad_bytes;
  if (std::find(count, count + levels + 1, 0) != count + levels + 1) return ok;
  if (!can_be_counted(count, levels)) return bad_bytes;
  const bool get = what.kind == Kind::get;
  const auto take = [&](Patch& patch, void* base, const int* stride) {
    patch.base = bytes_at(base);
    patch.strides.levels = levels;
    for (std::size_t level = 0; level <= static_cast<std::size_t>(levels); ++level) {
      patch.strides.count[level] = count[level];
      if (level > 0) patch.strides.stride[level - 1] = stride[level - 1];
    }
  };
  take(transfer.local, get ? dst : src, get ? dst_stride : src_stride);
  take(transfer.remote, get ? src : dst, get ? src_stride : dst_stride);
  Strides::merge(transfer.local.strides, transfer.remote.strides);
  return perform(call.state(), transfer, when);
}

int listed(const char* function, const What& what, const Pairs* lists, int n, int proc, When when) {
  const Call call(function);
  if (n < 1 || lists == nullptr) return bad_base;
  for (int i = 0; i < n; ++i) {
    if (lists[i].sources == nullptr || lists[i].targets == nullptr) return bad_array;
    if (lists[i].bytes < 1) return bad_bytes;
    if (lists[i].count < 1) return bad_levels;
    if (names_null(lists[i].sources, lists[i].count) ||
        names_null(lists[i].targets, lists[i].count)) {
      return bad_base;
    }
  }
  if (!call.is_rank(proc)) return bad_proc;
  const bool get = what.kind == Kind::get;
  std::vector<Transfer> transfers(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    Transfer& transfer = transfers[static_cast<std::size_t>(i)];
    transfer.function = function;
    transfer.kind = what.kind;
    transfer.proc = proc;
    if (!take_element(what, lists[i].bytes, transfer)) return bad_bytes;
    const auto take = [&](Patch& patch, void** addresses) {
      patch.base = bytes_at(addresses[0]);
      patch.listed = true;
      patch.strides.count[0] = lists[i].bytes;
      patch.list.reserve(static_cast<std::size_t>(lists[i].count));
      for (int k = 0; k < lists[i].count; ++k) {
        patch.list.push_back(bytes_at(addresses[k]) - patch.base);
      }
    };
    take(transfer.local, get ? lists[i].targets : lists[i].sources);
    take(transfer.remote, get ? lists[i].sources : lists[i].targets);
    if (!call->client().reaches(transfer)) return refused;
  }
  for (const Transfer& transfer : transfers) {
    const int result = perform(call.state(), transfer, when);
    if (result != ok) return result;
  }
  return ok;
}

}  // namespace armci
