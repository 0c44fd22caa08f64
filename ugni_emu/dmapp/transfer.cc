// DMAPP functions: puts and gets, contiguous, strided, indexed, and of many PEs.
#include <algorithm>

#include "ugni_emu/dmapp/dmapp_call.h"

namespace {

using dmapp::Ending;
using dmapp::Remote;
using dmapp::State;
using rma::Completion;
using rma::RmaPort;

enum class Direction : std::uint8_t { put, get };

/// What all transfers are told.
struct Transfer {
  Direction direction;
  void* local;
  void* remote;
  dmapp_seg_desc_t* segment;
  std::uint64_t nelems;
  dmapp_type_t type;

  std::uint64_t element() const { return dmapp::bytes_of(type); }
  bool empty() const { return nelems == 0; }
  dmapp_return_t check() const {
    constexpr std::uint64_t most = ~std::uint64_t{0} / 16;
    if (segment == nullptr || element() == 0 || nelems > most) return DMAPP_RC_INVALID_PARAM;
    if (!empty() && (local == nullptr || remote == nullptr)) return DMAPP_RC_INVALID_PARAM;
    const auto odd = [](const void* address) {
      return reinterpret_cast<std::uint64_t>(address) % 4 != 0;
    };
    if (direction == Direction::get && element() >= 4 && (odd(local) || odd(remote))) {
      return DMAPP_RC_ALIGNMENT_ERROR;
    }
    return DMAPP_RC_SUCCESS;
  }
};

std::byte* at(void* base, std::int64_t offset) { return static_cast<std::byte*>(base) + offset; }

/// Moves bytes between `local` and a place at `pe`, in as many calls of the port as it takes.
void move(RmaPort& port, Completion& completion, Direction direction, dmapp_pe_t pe,
          std::byte* local, Remote remote, std::uint64_t bytes) {
  while (bytes != 0) {
    const std::uint64_t part = std::min(bytes, RmaPort::most_bytes);
    port.insist([&] {
      return direction == Direction::put
                 ? port.put(completion, pe, local, remote.address, remote.memory, part)
                 : port.get(completion, pe, local, remote.address, remote.memory, part);
    });
    local += part;
    remote.address += part;
    bytes -= part;
  }
}

/// So many elements of so many bytes, as far as an address can reach.
bool can_be_reached(std::int64_t elements, std::uint64_t element) {
  std::int64_t bytes = 0;
  return !__builtin_mul_overflow(elements, element, &bytes);
}
bool can_be_reached(std::uint64_t number, std::int64_t stride, std::uint64_t element) {
  std::int64_t elements = 0;
  return !__builtin_mul_overflow(number, stride, &elements) && can_be_reached(elements, element);
}

/// Elements at `local_of(i)` and `remote_of(i)`, in elements from the two addresses. `reached()`
/// says whether they all can be.
template <typename Reached, typename LocalOf, typename RemoteOf>
dmapp_return_t by_element(const Ending& ending, const Transfer& all, dmapp_pe_t pe,
                          const Reached& reached, const LocalOf& local_of,
                          const RemoteOf& remote_of) {
  const auto element = static_cast<std::int64_t>(all.element());
  const auto place = [&](State& state, std::uint64_t i, Remote& remote) {
    return state.find(*all.segment, pe, at(all.remote, remote_of(i) * element), all.element(),
                      remote);
  };
  return dmapp::transfer(
      ending,
      [&](State& state) {
        const dmapp_return_t checked = all.check();
        if (checked != DMAPP_RC_SUCCESS) return checked;
        if (!state.is_pe(pe) || !reached()) return DMAPP_RC_INVALID_PARAM;
        Remote remote;
        for (std::uint64_t i = 0; i < all.nelems; ++i) {
          if (!place(state, i, remote)) return DMAPP_RC_INVALID_PARAM;
        }
        return DMAPP_RC_SUCCESS;
      },
      [&](State& state, Completion& completion) {
        Remote remote;
        for (std::uint64_t i = 0; i < all.nelems; ++i) {
          place(state, i, remote);
          move(state.port(), completion, all.direction, pe, at(all.local, local_of(i) * element),
               remote, all.element());
        }
      });
}

dmapp_return_t contiguous(const Ending& ending, const Transfer& all, dmapp_pe_t pe) {
  const std::uint64_t bytes = all.nelems * all.element();
  Remote remote;
  return dmapp::transfer(
      ending,
      [&](State& state) {
        const dmapp_return_t checked = all.check();
        if (checked != DMAPP_RC_SUCCESS) return checked;
        return state.is_pe(pe) &&
                       (all.empty() || state.find(*all.segment, pe, all.remote, bytes, remote))
                   ? DMAPP_RC_SUCCESS
                   : DMAPP_RC_INVALID_PARAM;
      },
      [&](State& state, Completion& completion) {
        move(state.port(), completion, all.direction, pe, at(all.local, 0), remote, bytes);
      });
}

dmapp_return_t with_flag(const Ending& ending, const Transfer& all, dmapp_pe_t pe, void* flag,
                         std::uint64_t value) {
  const std::uint64_t bytes = all.nelems * all.element();
  Remote remote;
  Remote remote_flag;
  return dmapp::transfer(
      ending,
      [&](State& state) {
        const dmapp_return_t checked = all.check();
        if (checked != DMAPP_RC_SUCCESS) return checked;
        if (reinterpret_cast<std::uint64_t>(flag) % sizeof value != 0) {
          return DMAPP_RC_ALIGNMENT_ERROR;
        }
        return flag != nullptr && bytes <= RmaPort::most_bytes && state.is_pe(pe) &&
                       (all.empty() || state.find(*all.segment, pe, all.remote, bytes, remote)) &&
                       state.find(*all.segment, pe, flag, sizeof value, remote_flag)
                   ? DMAPP_RC_SUCCESS
                   : DMAPP_RC_INVALID_PARAM;
      },
      [&](State& state, Completion& completion) {
        RmaPort& port = state.port();
        if (all.empty()) {
          move(port, completion, Direction::put, pe, reinterpret_cast<std::byte*>(&value),
               remote_flag, sizeof value);
          return;
        }
        port.insist([&] {
          return port.put_with_flag(completion, pe, all.local, remote.address, remote.memory, bytes,
                                    remote_flag.address, value);
        });
      });
}

dmapp_return_t strided(const Ending& ending, const Transfer& all, dmapp_pe_t pe, ptrdiff_t local,
                       ptrdiff_t remote) {
  const auto by = [](ptrdiff_t stride) {
    return [stride](std::uint64_t i) { return static_cast<std::int64_t>(i) * stride; };
  };
  // The last one is the farthest.
  const auto reached = [&] {
    return all.empty() || (can_be_reached(all.nelems - 1, local, all.element()) &&
                           can_be_reached(all.nelems - 1, remote, all.element()));
  };
  return by_element(ending, all, pe, reached, by(local), by(remote));
}

dmapp_return_t indexed(const Ending& ending, const Transfer& all, dmapp_pe_t pe,
                       const ptrdiff_t* index) {
  if (index == nullptr && !all.empty()) return DMAPP_RC_INVALID_PARAM;
  const auto reached = [&] {
    return std::all_of(index, index + all.nelems,
                       [&](ptrdiff_t elements) { return can_be_reached(elements, all.element()); });
  };
  return by_element(
      ending, all, pe, reached, [](std::uint64_t i) { return static_cast<std::int64_t>(i); },
      [index](std::uint64_t i) { return static_cast<std::int64_t>(index[i]); });
}

/// Blocks of nelems elements, `step` of them apart in local memory, and a PE each.
dmapp_return_t many(const Ending& ending, const Transfer& all, const dmapp_pe_t* pes,
                    std::uint32_t count, std::uint64_t step) {
  const std::uint64_t bytes = all.nelems * all.element();
  return dmapp::transfer(
      ending,
      [&](State& state) {
        const dmapp_return_t checked = all.check();
        if (checked != DMAPP_RC_SUCCESS) return checked;
        if (pes == nullptr && count != 0) return DMAPP_RC_INVALID_PARAM;
        if (all.segment->flags == dmapp::registered) return DMAPP_RC_INVALID_PARAM;
        if (!can_be_reached(count, static_cast<std::int64_t>(step * all.nelems), all.element())) {
          return DMAPP_RC_INVALID_PARAM;
        }
        Remote remote;
        for (std::uint32_t i = 0; i < count; ++i) {
          if (!state.is_pe(pes[i]) ||
              (!all.empty() && !state.find(*all.segment, pes[i], all.remote, bytes, remote))) {
            return DMAPP_RC_INVALID_PARAM;
          }
        }
        return DMAPP_RC_SUCCESS;
      },
      [&](State& state, Completion& completion) {
        Remote remote;
        for (std::uint32_t i = 0; i < count && !all.empty(); ++i) {
          state.find(*all.segment, pes[i], all.remote, bytes, remote);
          move(state.port(), completion, all.direction, pes[i],
               at(all.local, static_cast<std::int64_t>(i * step * bytes)), remote, bytes);
        }
      });
}

constexpr Direction put = Direction::put;
constexpr Direction get = Direction::get;

}  // namespace

// Each function in its three forms: arguments as declared, and what to do with them.
#define DMAPP_TRANSFER_FORMS(name, parameters, function, transfer, ...)                          \
  dmapp_return_t dmapp_##name(DMAPP_UNWRAP parameters) {                                         \
    return function(dmapp::blocking("dmapp_" #name), Transfer{DMAPP_UNWRAP transfer},            \
                    __VA_ARGS__);                                                                \
  }                                                                                              \
  dmapp_return_t dmapp_##name##_nbi(DMAPP_UNWRAP parameters) {                                   \
    return function(dmapp::implicit("dmapp_" #name "_nbi"), Transfer{DMAPP_UNWRAP transfer},     \
                    __VA_ARGS__);                                                                \
  }                                                                                              \
  dmapp_return_t dmapp_##name##_nb(DMAPP_UNWRAP parameters, dmapp_syncid_handle_t* syncid) {     \
    return function(dmapp::by_id("dmapp_" #name "_nb", syncid), Transfer{DMAPP_UNWRAP transfer}, \
                    __VA_ARGS__);                                                                \
  }
#define DMAPP_UNWRAP(...) __VA_ARGS__
#define DMAPP_PUT put, source, target, segment, nelems, type
#define DMAPP_GET get, target, source, segment, nelems, type

extern "C" {

DMAPP_TRANSFER_FORMS(put,
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe, void* source,
                      uint64_t nelems, dmapp_type_t type),
                     contiguous, (DMAPP_PUT), pe)
DMAPP_TRANSFER_FORMS(get,
                     (void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                      uint64_t nelems, dmapp_type_t type),
                     contiguous, (DMAPP_GET), pe)
dmapp_return_t dmapp_get_flag_nbi(void* target, void* source, dmapp_seg_desc_t* segment,
                                  dmapp_pe_t pe, uint64_t nelems, dmapp_type_t type) {
  return contiguous(dmapp::implicit("dmapp_get_flag_nbi"), Transfer{DMAPP_GET}, pe);
}

DMAPP_TRANSFER_FORMS(put_flag,
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe, void* source,
                      uint64_t nelems, dmapp_type_t type, void* flag, uint64_t value),
                     with_flag, (DMAPP_PUT), pe, flag, value)
DMAPP_TRANSFER_FORMS(iput,
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe, void* source,
                      ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems, dmapp_type_t type),
                     strided, (DMAPP_PUT), pe, sst, tst)
DMAPP_TRANSFER_FORMS(iget,
                     (void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                      ptrdiff_t tst, ptrdiff_t sst, uint64_t nelems, dmapp_type_t type),
                     strided, (DMAPP_GET), pe, tst, sst)
DMAPP_TRANSFER_FORMS(ixput,
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t pe, void* source,
                      ptrdiff_t* tidx, uint64_t nelems, dmapp_type_t type),
                     indexed, (DMAPP_PUT), pe, tidx)
DMAPP_TRANSFER_FORMS(ixget,
                     (void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t pe,
                      ptrdiff_t* sidx, uint64_t nelems, dmapp_type_t type),
                     indexed, (DMAPP_GET), pe, sidx)
DMAPP_TRANSFER_FORMS(put_ixpe,
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t* pes, uint32_t count,
                      void* source, uint64_t nelems, dmapp_type_t type),
                     many, (DMAPP_PUT), pes, count, 0)
DMAPP_TRANSFER_FORMS(scatter_ixpe,
                     (void* target, dmapp_seg_desc_t* segment, dmapp_pe_t* pes, uint32_t count,
                      void* source, uint64_t nelems, dmapp_type_t type),
                     many, (DMAPP_PUT), pes, count, 1)
DMAPP_TRANSFER_FORMS(gather_ixpe,
                     (void* target, void* source, dmapp_seg_desc_t* segment, dmapp_pe_t* pes,
                      uint32_t count, uint64_t nelems, dmapp_type_t type),
                     many, (DMAPP_GET), pes, count, 1)

}  // extern "C"
