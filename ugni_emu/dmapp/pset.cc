// DMAPP functions: sets of PEs, their barrier and reduction.
#include "ugni_emu/dmapp/pset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "ugni_emu/dmapp/dmapp_call.h"

namespace dmapp {
namespace {

using Stage = dmapp_c_pset::Stage;

constexpr unsigned number_bits = 24;  ///< of an operation's number in an event's word

std::uint32_t event_of(unsigned slot, std::uint32_t operation) {
  return slot << number_bits | (operation & ((1U << number_bits) - 1));
}

/// Notes what has come.
void take_events(State& state, dmapp_c_pset& set) {
  gni_cq_entry_t entry = 0;
  gni_return_t code = GNI_RC_SUCCESS;
  while ((code = GNI_CqGetEvent(set.events, &entry)) != GNI_RC_NOT_DONE) {
    if (code != GNI_RC_SUCCESS) {
      state.port().take_overrun(code, entry, "another member of a set of PEs");
      continue;
    }
    const auto word = static_cast<std::uint32_t>(GNI_CQ_GET_INST_ID(entry));
    const std::uint32_t slot = word >> number_bits;
    if (slot < set.arrived.size()) set.arrived[slot] = word;
  }
}

bool is_there(const dmapp_c_pset& set, unsigned slot) {
  return set.arrived[slot] == event_of(slot, set.operation);
}

void send(State& state, dmapp_c_pset& set, std::size_t member, unsigned slot) {
  const dmapp_c_pset::Peer& peer = set.peers[member];
  rma::RmaPort& port = state.port();
  port.insist([&] {
    return port.put_with_event(set.sent, set.members[member], set.values.data(),
                               peer.address + slot * sizeof(Values), peer.memory, sizeof(Values),
                               event_of(slot, set.operation));
  });
}

/// Members whose number differs in one bit below the lowest one of this member's.
std::size_t child_of(const dmapp_c_pset& set, unsigned level) {
  return set.own + (std::size_t{1} << level);
}

bool sends_up(const dmapp_c_pset& set, unsigned level) { return (set.own >> level & 1) != 0; }

/// True when the values have gone up, or this is the root.
bool gather(State& state, dmapp_c_pset& set) {
  for (; set.level < set.levels; ++set.level) {
    if (sends_up(set, set.level)) {
      send(state, set, set.own - (std::size_t{1} << set.level), set.level);
      set.stage = Stage::awaits_outcome;
      return true;
    }
    if (child_of(set, set.level) >= set.members.size()) continue;
    if (!is_there(set, set.level)) return false;
    combine(set.values, set.slots[set.level], set.nelems, set.type, set.op);
  }
  set.stage = Stage::down;
  return true;
}

void send_down(State& state, dmapp_c_pset& set) {
  while (set.level > 0) {
    --set.level;
    if (child_of(set, set.level) < set.members.size()) {
      send(state, set, child_of(set, set.level), set.levels);
    }
  }
}

}  // namespace

void begin(dmapp_c_pset& set) {
  ++set.operation;
  set.level = 0;
  set.stage = Stage::up;
}

bool advance(State& state, dmapp_c_pset& set) {
  if (set.stage == Stage::idle) return true;
  take_events(state, set);
  if (set.sent.complete() && set.sent.result != GNI_RC_SUCCESS) {  // others wait for it in vain
    set.stage = Stage::idle;
    return true;
  }
  if (set.stage == Stage::up && !gather(state, set)) return false;
  if (set.stage == Stage::awaits_outcome) {
    if (!is_there(set, set.levels)) return false;
    set.values = set.slots[set.levels];
    set.stage = Stage::down;
  }
  send_down(state, set);
  if (!set.sent.complete()) return false;
  if (set.nelems > 0) {
    std::memcpy(set.out, set.values.data(), set.nelems * bytes_of_collective(set.type));
  }
  set.stage = Stage::idle;
  return true;
}

}  // namespace dmapp

namespace {

using dmapp::State;
using Stage = dmapp_c_pset::Stage;

std::vector<dmapp_pe_t> members_of(const dmapp_c_pset_desc_t& description) {
  std::vector<dmapp_pe_t> members;
  if (description.type == DMAPP_C_PSET_DELIMITER_STRIDED) {
    const dmapp_c_pset_delimiter_strided_t& by = description.u.stride_type;
    for (std::uint32_t i = 0; i < by.n_pes; ++i) {
      const std::uint64_t pe = by.base_pe + std::uint64_t{i} * by.stride_pe;
      members.push_back(pe <= INT32_MAX ? static_cast<dmapp_pe_t>(pe) : -1);
      if (members.back() < 0) break;
    }
  } else if (description.type == DMAPP_C_PSET_DELIMITER_INDEXED &&
             description.u.index_type.pes != nullptr) {
    members.assign(description.u.index_type.pes,
                   description.u.index_type.pes + description.u.index_type.n_pes);
  }
  return members;
}

bool can_be(const State& state, const std::vector<dmapp_pe_t>& members) {
  const std::set<dmapp_pe_t> all(members.begin(), members.end());
  return !members.empty() && all.size() == members.size() &&
         std::all_of(members.begin(), members.end(), [&](int pe) { return state.is_pe(pe); }) &&
         all.contains(state.process().rank());
}

std::string key_of(std::uint64_t identifier, dmapp_pe_t pe) {
  return fmt::format("dmapp-pset-{:x}-{}", identifier, pe);
}

void tell(State& state, const dmapp_c_pset& set, const std::string& text) {
  state.job().put(state.process(), key_of(set.identifier, state.process().rank()), text);
}

/// False if the member has not told where its slots are.
bool find_peer(State& state, dmapp_c_pset& set, std::size_t member) {
  std::string text;
  unsigned long address = 0;
  unsigned long first = 0;
  unsigned long second = 0;
  if (!state.job().get(state.process(), key_of(set.identifier, set.members[member]), text) ||
      std::sscanf(text.c_str(), "%lx %lx %lx", &address, &first, &second) != 3) {
    return false;
  }
  set.peers[member] = {address, {first, second}};
  return true;
}

/// The parent and the children in the tree.
std::vector<std::size_t> neighbours(const dmapp_c_pset& set) {
  std::vector<std::size_t> found;
  for (unsigned level = 0; level < set.levels; ++level) {
    const std::size_t step = std::size_t{1} << level;
    if ((set.own & step) != 0) {
      found.push_back(set.own - step);
      break;
    }
    if (set.own + step < set.members.size()) found.push_back(set.own + step);
  }
  return found;
}

/// Runs the body of a function of a set: `body(State&, dmapp_c_pset&)`.
template <typename Body>
dmapp_return_t with_set(dmapp_c_pset_handle_t handle, const Body& body,
                        const char* function = __builtin_FUNCTION()) {
  return dmapp::call_of(function, [&](State& state) {
    const auto at = std::find_if(state.psets.begin(), state.psets.end(),
                                 [handle](const dmapp_c_pset& set) { return &set == handle; });
    return at == state.psets.end() ? DMAPP_RC_INVALID_PARAM : body(state, *at);
  });
}

/// The same of one that begins an operation.
template <typename Body>
dmapp_return_t beginning(dmapp_c_pset_handle_t handle, const Body& body,
                         const char* function = __builtin_FUNCTION()) {
  return with_set(
      handle,
      [&](State& state, dmapp_c_pset& set) {
        if (!set.exported) return DMAPP_RC_INVALID_PARAM;
        if (set.stage != Stage::idle || state.checkpointed) return DMAPP_RC_BUSY;
        const dmapp_return_t result = body(set);
        if (result != DMAPP_RC_SUCCESS) return result;
        dmapp::begin(set);
        dmapp::advance(state, set);
        return DMAPP_RC_SUCCESS;
      },
      function);
}

void close(State& state, dmapp_c_pset& set) {
  state.port().deregister_memory(set.memory);
  GNI_CqDestroy(set.events);
}

}  // namespace

void dmapp::State::close_psets() {
  for (dmapp_c_pset& set : psets) close(*this, set);
}

extern "C" {

dmapp_return_t dmapp_c_pset_create(dmapp_c_pset_desc_t* description, uint64_t identifier,
                                   uint64_t modes, dmapp_c_pset_attrs_t*,
                                   dmapp_c_pset_handle_t* set) {
  return dmapp::call([&](State& state) {
    constexpr std::uint32_t queue_entries =
        64;  // fewer than members send before the next operation
    if (description == nullptr || set == nullptr ||
        (modes & ~std::uint64_t{DMAPP_C_PSET_MODE_CONCAT}) != 0) {
      return DMAPP_RC_INVALID_PARAM;
    }
    std::vector<dmapp_pe_t> members = members_of(*description);
    const bool known = std::any_of(state.psets.begin(), state.psets.end(),
                                   [&](const auto& each) { return each.identifier == identifier; });
    if (known || !can_be(state, members)) return DMAPP_RC_INVALID_PARAM;
    dmapp_c_pset& fresh = state.psets.emplace_back();
    fresh.identifier = identifier;
    const auto own = std::find(members.begin(), members.end(), state.process().rank());
    fresh.own = static_cast<std::size_t>(own - members.begin());
    while ((std::size_t{1} << fresh.levels) < members.size()) ++fresh.levels;
    fresh.slots.resize(fresh.levels + 1);
    fresh.arrived.resize(fresh.levels + 1);
    fresh.peers.resize(members.size());
    fresh.members = std::move(members);
    fresh.events = state.port().make_queue(queue_entries, GNI_CQ_NOBLOCK);
    const gni_return_t code = state.port().register_memory(
        fresh.slots.data(), fresh.slots.size() * sizeof(dmapp::Values), fresh.events, fresh.memory);
    if (code != GNI_RC_SUCCESS) {
      GNI_CqDestroy(fresh.events);
      state.psets.pop_back();
      return DMAPP_RC_RESOURCE_ERROR;
    }
    tell(state, fresh,
         fmt::format("{:x} {:x} {:x}", reinterpret_cast<std::uintptr_t>(fresh.slots.data()),
                     fresh.memory.qword1, fresh.memory.qword2));
    *set = &fresh;
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_c_pset_export(dmapp_c_pset_handle_t set) {
  return with_set(set, [](State& state, dmapp_c_pset& own) {
    for (const std::size_t member : neighbours(own)) {
      if (!find_peer(state, own, member)) return DMAPP_RC_NOT_FOUND;
    }
    own.exported = true;
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_c_pset_destroy(dmapp_c_pset_handle_t set) {
  return with_set(set, [](State& state, dmapp_c_pset& own) {
    if (own.stage != Stage::idle) return DMAPP_RC_BUSY;
    tell(state, own, "");
    close(state, own);
    state.psets.remove_if([&own](const dmapp_c_pset& each) { return &each == &own; });
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_c_barrier_join(dmapp_c_pset_handle_t set) {
  return beginning(set, [](dmapp_c_pset& own) {
    own.nelems = 0;
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_c_greduce_start(dmapp_c_pset_handle_t set, void* in, void* out,
                                     uint32_t nelems, dmapp_c_type_t type, dmapp_c_op_t op) {
  return beginning(set, [&](dmapp_c_pset& own) {
    const std::size_t element = dmapp::bytes_of_collective(type);
    if (element == 0 || op < DMAPP_C_SUM || op > DMAPP_C_BXOR || in == nullptr || out == nullptr ||
        nelems > dmapp::reduction_bytes / element) {
      return DMAPP_RC_INVALID_PARAM;
    }
    if (!dmapp::combines(type, op)) return DMAPP_RC_NOT_SUPPORTED;
    own.out = out;
    own.nelems = nelems;
    own.type = type;
    own.op = op;
    std::memcpy(own.values.data(), in, nelems * element);
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_c_greduce_nelems_max(dmapp_c_type_t type, uint32_t* nelems_max) {
  const std::size_t element = dmapp::bytes_of_collective(type);
  if (element == 0 || nelems_max == nullptr) return DMAPP_RC_INVALID_PARAM;
  *nelems_max = static_cast<std::uint32_t>(dmapp::reduction_bytes / element);
  return DMAPP_RC_SUCCESS;
}

dmapp_return_t dmapp_c_pset_test(dmapp_c_pset_handle_t set) {
  return with_set(set, [](State& state, dmapp_c_pset& own) {
    state.port().poll();
    return dmapp::advance(state, own) ? dmapp::take_result(own.sent) : DMAPP_RC_NOT_DONE;
  });
}

dmapp_return_t dmapp_c_pset_wait(dmapp_c_pset_handle_t set) {
  return with_set(set, [](State& state, dmapp_c_pset& own) {
    state.port().wait_until([&] { return dmapp::advance(state, own); });
    return dmapp::take_result(own.sent);
  });
}

dmapp_return_t dmapp_c_pset_cancel_op(dmapp_c_pset_handle_t set) {
  return with_set(set, [](State& state, dmapp_c_pset& own) {
    state.port().wait(own.sent);
    own.stage = Stage::idle;
    return dmapp::take_result(own.sent);
  });
}

}  // extern "C"
