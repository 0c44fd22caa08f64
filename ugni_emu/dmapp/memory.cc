// DMAPP functions: the symmetric heap and registered memory.
#include "ugni_emu/dmapp/dmapp_call.h"

using dmapp::State;

namespace {

/// Runs a function of the heap, which knows no errors but null.
template <typename Body>
void* with_heap(const Body& body, const char* function = __builtin_FUNCTION()) {
  void* block = nullptr;
  dmapp::call_of(function, [&](State& state) {
    block = body(state.sheap());
    return DMAPP_RC_SUCCESS;
  });
  return block;
}

}  // namespace

namespace {

struct Range {
  std::uint64_t begin, end;
};

/// False if it is none.
bool is_range(const void* address, std::uint64_t length, Range& range) {
  range.begin = reinterpret_cast<std::uint64_t>(address);
  range.end = range.begin + length;
  return address != nullptr && length != 0 && range.end > range.begin;
}

dmapp_return_t make_reachable(State& state, const Range& range, dmapp_seg_desc_t& segment) {
  constexpr std::uint64_t granule = rma::RmaPort::granule;
  const std::uint64_t from = range.begin / granule * granule;
  const std::uint64_t to = (range.end + granule - 1) / granule * granule;
  gni_mem_handle_t handle{};
  const gni_return_t result = state.port().register_memory(
      reinterpret_cast<void*>(range.begin), range.end - range.begin, nullptr, handle);
  if (result == GNI_RC_INVALID_PARAM) return DMAPP_RC_INVALID_PARAM;
  if (result == GNI_RC_PERMISSION_ERROR) return DMAPP_RC_PERMISSION_ERROR;
  if (result != GNI_RC_SUCCESS) return DMAPP_RC_RESOURCE_ERROR;
  segment = {reinterpret_cast<void*>(from), to - from, handle, dmapp::registered, 0};
  state.registrations.insert(segment.memhndl.qword1);
  return DMAPP_RC_SUCCESS;
}

/// False if there is no such registration.
bool make_unreachable(State& state, dmapp_seg_desc_t& segment) {
  const auto known = state.registrations.find(segment.memhndl.qword1);
  if (segment.flags != dmapp::registered || known == state.registrations.end()) return false;
  state.registrations.erase(known);
  state.port().deregister_memory(segment.memhndl);
  return true;
}

/// The reserved range that another one lies in.
auto reserved_around(State& state, const Range& range) {
  auto at = state.reserved.upper_bound(range.begin);
  if (at == state.reserved.begin()) return state.reserved.end();
  --at;
  return range.begin < at->second ? at : state.reserved.end();
}

/// dmapp_seg_desc_t::reserved, of descriptors from dmapp_mem_reserve.
constexpr std::uint32_t from_reserve = 1;

/// The reserved range that a descriptor is of.
auto reserved_for(State& state, const dmapp_seg_desc_t& segment) {
  if (segment.reserved != from_reserve) return state.reserved.end();
  const auto begin = reinterpret_cast<std::uint64_t>(segment.addr);
  return reserved_around(state, {begin, begin + segment.len});
}

}  // namespace

extern "C" {

void* dmapp_sheap_malloc(size_t bytes) {
  return with_heap([&](rma::BlockHeap& heap) { return heap.allocate(bytes); });
}

void* dmapp_sheap_realloc(void* block, size_t bytes) {
  return with_heap([&](rma::BlockHeap& heap) { return heap.reallocate(block, bytes); });
}

void dmapp_sheap_free(void* block) {
  with_heap([&](rma::BlockHeap& heap) {
    if (block != nullptr) heap.release(block);
    return nullptr;
  });
}

dmapp_return_t dmapp_sheap_stats(dmapp_sheap_stats_t* stats) {
  return dmapp::call([&](State& state) {
    if (stats == nullptr) return DMAPP_RC_INVALID_PARAM;
    const rma::BlockHeap& heap = state.sheap();
    *stats = {heap.size(), heap.used(), heap.largest_free()};
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_mem_register(void* address, uint64_t length, dmapp_seg_desc_t* segment) {
  return dmapp::call([&](State& state) {
    Range range{};
    if (segment == nullptr || !is_range(address, length, range)) return DMAPP_RC_INVALID_PARAM;
    return make_reachable(state, range, *segment);
  });
}

dmapp_return_t dmapp_mem_reserve(void* address, uint64_t length, uint64_t flags,
                                 dmapp_seg_desc_t* segment) {
  return dmapp::call([&](State& state) {
    Range range{};
    if (segment == nullptr || flags != 0 || !is_range(address, length, range)) {
      return DMAPP_RC_INVALID_PARAM;
    }
    const auto next = state.reserved.lower_bound(range.begin);
    if (reserved_around(state, range) != state.reserved.end() ||
        (next != state.reserved.end() && next->first < range.end)) {
      return DMAPP_RC_BUSY;
    }
    state.reserved.emplace(range.begin, range.end);
    *segment = {address, length, {}, dmapp::reserved, from_reserve};
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_mem_update(void* address, uint64_t length, uint64_t flags,
                                dmapp_seg_desc_t* segment) {
  return dmapp::call([&](State& state) {
    Range range{};
    if (segment == nullptr || flags != 0 || !is_range(address, length, range)) {
      return DMAPP_RC_INVALID_PARAM;
    }
    const auto around = reserved_for(state, *segment);
    if (around == state.reserved.end()) return DMAPP_RC_NOT_FOUND;
    if (range.begin < around->first || range.end > around->second) return DMAPP_RC_INVALID_PARAM;
    dmapp_seg_desc_t before = *segment;
    const dmapp_return_t result = make_reachable(state, range, *segment);
    if (result != DMAPP_RC_SUCCESS) return result;
    segment->reserved = from_reserve;
    make_unreachable(state, before);
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_mem_unregister(dmapp_seg_desc_t* segment) {
  return dmapp::call([&](State& state) {
    if (segment == nullptr) return DMAPP_RC_INVALID_PARAM;
    const auto around = reserved_for(state, *segment);
    const bool is_reserved = segment->flags == dmapp::reserved && around != state.reserved.end();
    if (!make_unreachable(state, *segment) && !is_reserved) return DMAPP_RC_NOT_FOUND;
    if (around != state.reserved.end()) state.reserved.erase(around);
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_segdesc_compare(dmapp_seg_desc_t* one, dmapp_seg_desc_t* other, int* flag) {
  if (one == nullptr || other == nullptr || flag == nullptr) return DMAPP_RC_INVALID_PARAM;
  *flag = one->addr == other->addr && one->len == other->len && one->flags == other->flags &&
                  one->memhndl.qword1 == other->memhndl.qword1 &&
                  one->memhndl.qword2 == other->memhndl.qword2
              ? 1
              : 0;
  return DMAPP_RC_SUCCESS;
}

}  // extern "C"
