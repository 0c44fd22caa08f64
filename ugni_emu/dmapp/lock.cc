// DMAPP functions: locks, as tickets drawn and served by the NIC of the PE that keeps them.
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <string>

#include "corespec/config/parameters.h"
#include "corespec/threads/situation.h"
#include "ugni_emu/dmapp/dmapp_call.h"

namespace {

using dmapp::Remote;
using dmapp::State;
using rma::Completion;

constexpr std::uint64_t lock_word_bytes = sizeof(std::uint64_t);

/// Where the lock's two words are at `host`.
bool find_lock(State& state, const dmapp_lock_desc_t* lock, const dmapp_seg_desc_t* segment,
               dmapp_pe_t host, Remote& next, Remote& serving) {
  return lock != nullptr && segment != nullptr && segment->flags != dmapp::registered &&
         reinterpret_cast<std::uint64_t>(lock) % lock_word_bytes == 0 && state.is_pe(host) &&
         state.find(*segment, host, &lock->next, lock_word_bytes, next) &&
         state.find(*segment, host, &lock->serving, lock_word_bytes, serving);
}

dmapp_return_t amo(State& state, int host, gni_fma_cmd_type_t command, const Remote& word,
                   std::uint64_t first, std::uint64_t second, std::uint64_t* result) {
  rma::RmaPort& port = state.port();
  Completion completion;
  port.insist([&] {
    return port.atomic(completion, host, command, word.address, word.memory, first, second, result);
  });
  port.wait(completion);
  return dmapp::take_result(completion);
}

dmapp_return_t read(State& state, int host, const Remote& word, std::uint64_t& value) {
  rma::RmaPort& port = state.port();
  Completion completion;
  port.insist([&] {
    return port.get(completion, host, &value, word.address, word.memory, lock_word_bytes);
  });
  port.wait(completion);
  return dmapp::take_result(completion);
}

dmapp_return_t hold(State& state, dmapp_pe_t host, const Remote& serving,
                    dmapp_lock_handle_t* handle) {
  state.locks.push_back({serving.address, serving.memory, host});
  *handle = &state.locks.back();
  return DMAPP_RC_SUCCESS;
}

/// The same for all PEs (corespec::Situation).
std::string lock_name(int host, std::uint64_t serving) {
  return fmt::format("DMAPP lock {} {:x}", host, serving);
}

/// For a user's question what the PE does.
class AwaitedLock final : public corespec::Awaited {
 public:
  AwaitedLock(int host, std::uint64_t serving)
      : Awaited(corespec::this_thread()), host_(host), serving_(serving) {}
  bool describe(corespec::Situation& to) const override {
    to.details = fmt::format(" of a lock at {}", corespec::Situation::rank(host_));
    to.wants = lock_name(host_, serving_);
    return true;
  }

 private:
  int host_;
  std::uint64_t serving_;
};

bool full(const State& state) {
  return state.locks.size() >= static_cast<std::size_t>(state.job().parameters().dmapp_max_locks);
}

/// Checks what both ways of taking a lock are told, and takes it: take(state, next, serving).
template <typename Take>
dmapp_return_t taking(const dmapp_lock_desc_t* lock, const dmapp_seg_desc_t* segment,
                      dmapp_pe_t host, std::uint64_t flags, const dmapp_lock_handle_t* handle,
                      const Take& take, const char* function = __builtin_FUNCTION()) {
  return dmapp::call_of(function, [&](State& state) {
    Remote next;
    Remote serving;
    if (handle == nullptr || flags != 0 || !find_lock(state, lock, segment, host, next, serving)) {
      return DMAPP_RC_INVALID_PARAM;
    }
    if (state.checkpointed) return DMAPP_RC_BUSY;
    return full(state) ? DMAPP_RC_RESOURCE_ERROR : take(state, next, serving);
  });
}

}  // namespace

void dmapp::State::add_facts(corespec::Situation& to) {
  for (const dmapp_lock& lock : locks) to.holds.push_back(lock_name(lock.host, lock.serving));
}

namespace {

dmapp_return_t release(State& state, std::list<dmapp_lock>::iterator held) {
  state.port().wait(state.implicit);
  const dmapp_lock lock = *held;
  state.locks.erase(held);
  return amo(state, lock.host, GNI_FMA_ATOMIC_ADD, {lock.serving, lock.memory}, 1, 0, nullptr);
}

}  // namespace

extern "C" {

dmapp_return_t dmapp_lock_acquire(dmapp_lock_desc_t* lock, dmapp_seg_desc_t* segment,
                                  dmapp_pe_t host, uint64_t flags, dmapp_lock_handle_t* handle) {
  const auto take = [&](State& state, const Remote& next, const Remote& serving) {
    std::uint64_t ticket = 0;
    const AwaitedLock for_people(host, serving.address);
    dmapp_return_t result = amo(state, host, GNI_FMA_ATOMIC_FADD, next, 1, 0, &ticket);
    if (result != DMAPP_RC_SUCCESS) return result;
    for (std::uint64_t served = ticket + 1; served != ticket;) {
      result = read(state, host, serving, served);
      if (result != DMAPP_RC_SUCCESS) return result;
    }
    return hold(state, host, serving, handle);
  };
  return taking(lock, segment, host, flags, handle, take);
}

dmapp_return_t dmapp_lock_try(dmapp_lock_desc_t* lock, dmapp_seg_desc_t* segment, dmapp_pe_t host,
                              uint64_t flags, dmapp_lock_handle_t* handle) {
  const auto take = [&](State& state, const Remote& next, const Remote& serving) {
    std::uint64_t served = 0;
    dmapp_return_t result = read(state, host, serving, served);
    if (result != DMAPP_RC_SUCCESS) return result;
    // Free if the next ticket is the one being served.
    std::uint64_t ticket = 0;
    result = amo(state, host, GNI_FMA_ATOMIC_CSWAP, next, served, served + 1, &ticket);
    if (result != DMAPP_RC_SUCCESS) return result;
    return ticket == served ? hold(state, host, serving, handle) : DMAPP_RC_NOT_DONE;
  };
  return taking(lock, segment, host, flags, handle, take);
}

dmapp_return_t dmapp_lock_release(dmapp_lock_handle_t handle, uint64_t flags) {
  return dmapp::call([&](State& state) {
    const auto held = std::find_if(state.locks.begin(), state.locks.end(),
                                   [handle](const dmapp_lock& lock) { return &lock == handle; });
    if (flags != 0 || held == state.locks.end()) return DMAPP_RC_INVALID_PARAM;
    return release(state, held);
  });
}

dmapp_return_t dmapp_lock_release_addr(dmapp_lock_desc_t* lock, dmapp_pe_t host, uint64_t flags) {
  return dmapp::call([&](State& state) {
    Remote serving;
    if (flags != 0 || lock == nullptr || !state.is_pe(host) ||
        !state.find_symmetric(host, &lock->serving, lock_word_bytes, serving)) {
      return DMAPP_RC_INVALID_PARAM;
    }
    const auto held =
        std::find_if(state.locks.begin(), state.locks.end(), [&](const dmapp_lock& each) {
          return each.host == host && each.serving == serving.address;
        });
    return held == state.locks.end() ? DMAPP_RC_NOT_FOUND : release(state, held);
  });
}

}  // extern "C"
