// What DMAPP keeps for a PE.
#include "ugni_emu/dmapp/pe_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/dmapp/program_data.h"

namespace dmapp {
namespace {

constexpr std::uint32_t cookie_offset = 1;  ///< the MPI library has the job's cookie itself
constexpr const char* library_name = "DMAPP";

std::uint16_t delivery_of(std::uint8_t routing) {
  switch (routing) {
    case DMAPP_ROUTING_IN_ORDER:
      return GNI_DLVMODE_IN_ORDER;
    case DMAPP_ROUTING_DETERMINISTIC:
      return GNI_DLVMODE_NO_ADAPT;
    case DMAPP_ROUTING_DETERMINISTIC_1:
      return GNI_DLVMODE_NO_ADAPT | GNI_DLVMODE_MIN_HASH;
    case DMAPP_ROUTING_ADAPTIVE_1:
      return GNI_DLVMODE_ADAPTIVE1;
    case DMAPP_ROUTING_ADAPTIVE_2:
      return GNI_DLVMODE_ADAPTIVE2;
    case DMAPP_ROUTING_ADAPTIVE_3:
      return GNI_DLVMODE_ADAPTIVE3;
    default:
      return GNI_DLVMODE_PERFORMANCE;
  }
}

rma::RmaPort::Settings settings_for(const dmapp_rma_attrs_ext_t& attributes) {
  const std::uint16_t put_delivery = delivery_of(attributes.put_relaxed_ordering);
  return {.cookie_offset = cookie_offset,
          .offload_threshold = attributes.offload_threshold,
          .most_outstanding = attributes.max_outstanding_nb,
          .fma_put_delivery = put_delivery,
          .bte_put_delivery = put_delivery,
          .get_delivery = delivery_of(attributes.get_relaxed_ordering),
          .amo_delivery = put_delivery,
          .looks_at_results = true};
}

/// This PE's part of the memory its node's PEs share.
std::span<std::byte> heap_memory(const corespec::Process& process) {
  const auto bytes =
      static_cast<std::size_t>(process.job().parameters().symmetric_heap) / 4096 * 4096;
  corespec::Node& node = process.node();
  const std::size_t ranks = process.job().ranks_on(node.nid()).size();
  std::byte* base = node.memory().segment("dmapp symmetric heaps", bytes * ranks);
  return {base + bytes * static_cast<std::size_t>(process.local_rank()), bytes};
}

std::string key_of(int pe) { return fmt::format("dmapp-segments-{}", pe); }

std::string text_of(const dmapp_seg_desc_t& segment) {
  return fmt::format("{:x} {:x} {:x} {:x}", reinterpret_cast<std::uintptr_t>(segment.addr),
                     segment.len, segment.memhndl.qword1, segment.memhndl.qword2);
}

/// From what another PE has told; false if that is none.
bool segments_from(std::string_view text, Segments& segments) {
  constexpr int base = 16;
  std::array<std::uint64_t, 8> words{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ' ')) return false;
    const auto [behind, error] = std::from_chars(at, end, words[i], base);
    if (error != std::errc()) return false;
    at = behind;
  }
  if (at != end) return false;
  const auto make = [](const std::uint64_t* from, SegmentKind kind) {
    return dmapp_seg_desc_t{reinterpret_cast<void*>(from[0]), from[1], {from[2], from[3]}, kind, 0};
  };
  segments.data = make(words.data(), data);
  segments.heap = make(words.data() + 4, heap);
  return true;
}

}  // namespace

State::State(corespec::Process& process, const dmapp_rma_attrs_ext_t& attributes, const void* code)
    : attributes_(attributes), port_(process, library_name, settings_for(attributes)) {
  const auto make = [this](std::span<std::byte> memory, SegmentKind kind) {
    dmapp_seg_desc_t segment{memory.data(), memory.size(), {}, kind, 0};
    if (memory.empty()) return segment;
    const gni_return_t result =
        port_.register_memory(memory.data(), memory.size(), nullptr, segment.memhndl);
    if (result != GNI_RC_SUCCESS) port_.fail("GNI_MemRegister", result);
    return segment;
  };
  const std::span<std::byte> memory = heap_memory(process);
  heap_ = std::make_unique<rma::BlockHeap>(memory.data(), memory.size());
  own_.data = make(program_data(code), data);
  own_.heap = make(memory, heap);
  job().put(process, key_of(process.rank()), text_of(own_.data) + " " + text_of(own_.heap));
}

State::~State() {
  close_psets();
  if (own_.data.len != 0) port_.deregister_memory(own_.data.memhndl);
  if (own_.heap.len != 0) port_.deregister_memory(own_.heap.memhndl);
}

const Segments& State::segments_of(dmapp_pe_t pe) {
  if (pe == process().rank()) return own_;
  const auto known = peers_.find(pe);
  if (known != peers_.end()) return known->second;
  std::string text;
  Segments segments;
  if (!job().get(process(), key_of(pe), text) || !segments_from(text, segments)) {
    job().abort(process(), 1, fmt::format("DMAPP: PE {} has not told where its segments are", pe));
  }
  return peers_.emplace(pe, segments).first->second;
}

void State::change(const dmapp_rma_attrs_ext_t& attributes) {
  attributes_ = attributes;
  port_.change(settings_for(attributes));
}

bool State::find(const dmapp_seg_desc_t& segment, dmapp_pe_t pe, const void* address,
                 std::uint64_t bytes, Remote& remote) {
  if (segment.flags == registered) {
    remote = {reinterpret_cast<std::uint64_t>(address), segment.memhndl};
    return true;
  }
  if (segment.flags != data && segment.flags != heap) return false;  // has been overwritten
  const std::uint64_t offset =
      reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(segment.addr);
  const auto within = [&](std::uint64_t length) {
    return offset <= length && bytes <= length - offset;
  };
  if (!within(segment.len)) return false;
  // Another PE's may be shorter, or what it has told may be no segment at all.
  const Segments& there = segments_of(pe);
  const dmapp_seg_desc_t& target = segment.flags == data ? there.data : there.heap;
  if (!within(target.len)) return false;
  remote = {reinterpret_cast<std::uint64_t>(target.addr) + offset, target.memhndl};
  return true;
}

bool State::find_symmetric(dmapp_pe_t pe, const void* address, std::uint64_t bytes,
                           Remote& remote) {
  return find(own_.data, pe, address, bytes, remote) || find(own_.heap, pe, address, bytes, remote);
}

/// The members of queues came later: a source written before leaves in them what its stack had, so
/// that no value of them is a mistake.
static void complete_queue(dmapp_rma_attrs_ext_t& attributes) {
  const auto legal = [](std::uint32_t asked, std::uint32_t usual, std::uint32_t most) {
    return asked == 0 ? usual : std::min(asked, most);
  };
  attributes.queue_depth =
      legal(attributes.queue_depth, DMAPP_QUEUE_DEFAULT_DEPTH, DMAPP_QUEUE_MAX_DEPTH);
  attributes.queue_nelems =
      legal(attributes.queue_nelems, DMAPP_QUEUE_DEFAULT_NELEMS, DMAPP_QUEUE_MAX_NELEMS);
  attributes.queue_flags &= DMAPP_QUEUE_ASYNC_PROGRESS;
}

bool complete(dmapp_rma_attrs_ext_t& attributes) {
  if (attributes.max_outstanding_nb == 0) attributes.max_outstanding_nb = DMAPP_DEF_OUTSTANDING_NB;
  if (attributes.offload_threshold == 0) attributes.offload_threshold = DMAPP_OFFLOAD_THRESHOLD;
  complete_queue(attributes);
  return attributes.max_outstanding_nb <= DMAPP_MAX_OUTSTANDING_NB &&
         attributes.put_relaxed_ordering <= DMAPP_ROUTING_ADAPTIVE_3 &&
         attributes.get_relaxed_ordering <= DMAPP_ROUTING_ADAPTIVE_3 &&
         attributes.PI_ordering <= DMAPP_PI_ORDERING_RELAXED;
}

State* this_state() {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  return static_cast<State*>(process->state(corespec::Process::Slot::dmapp));
}

}  // namespace dmapp
