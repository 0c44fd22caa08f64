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
    const auto begin = reinterpret_cast<std::uint64_t>(address);
    if (address == nullptr || length == 0 || segment == nullptr || begin + length < begin) {
      return DMAPP_RC_INVALID_PARAM;
    }
    constexpr std::uint64_t granule = rma::RmaPort::granule;
    const std::uint64_t from = begin / granule * granule;
    const std::uint64_t to = (begin + length + granule - 1) / granule * granule;
    gni_mem_handle_t handle{};
    const gni_return_t result = state.port().register_memory(address, length, nullptr, handle);
    if (result == GNI_RC_INVALID_PARAM) return DMAPP_RC_INVALID_PARAM;
    if (result == GNI_RC_PERMISSION_ERROR) return DMAPP_RC_PERMISSION_ERROR;
    if (result != GNI_RC_SUCCESS) return DMAPP_RC_RESOURCE_ERROR;
    *segment = {reinterpret_cast<void*>(from), to - from, handle, dmapp::registered, 0};
    state.registrations.insert(segment->memhndl.qword1);
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_mem_unregister(dmapp_seg_desc_t* segment) {
  return dmapp::call([&](State& state) {
    if (segment == nullptr) return DMAPP_RC_INVALID_PARAM;
    const auto known = state.registrations.find(segment->memhndl.qword1);
    if (segment->flags != dmapp::registered || known == state.registrations.end()) {
      return DMAPP_RC_NOT_FOUND;
    }
    state.registrations.erase(known);
    state.port().deregister_memory(segment->memhndl);
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
