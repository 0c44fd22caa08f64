// DMAPP functions: queues of messages, written by the senders' NICs and read by their owners.
#include "ugni_emu/dmapp/queue.h"

#include <cstring>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/threads/rank_memory.h"
#include "ugni_emu/dmapp/dmapp_call.h"

namespace {

using dmapp::Remote;
using dmapp::State;
using rma::Completion;

/// At the beginning of the memory. Senders draw tickets (`next`) while there is room; the owner
/// says how far it has read (`head`).
struct Head {
  std::uint64_t attached;  ///< this_is_a_queue
  std::uint64_t next;
  std::uint64_t head;
  std::uint64_t reserved[5];
};
constexpr std::uint64_t this_is_a_queue = 0x71756575652d3031;

/// In front of a message: `ticket` + 1 when it is there.
struct Place {
  std::uint64_t there;
  std::uint32_t bytes;
  std::int32_t rank;
};
constexpr std::uint64_t message_word_bytes = 8;

std::uint64_t stride(const dmapp_queue& queue) {
  return sizeof(Place) + queue.words * message_word_bytes;
}
std::uint64_t size_of(const dmapp_queue& queue) {
  return sizeof(Head) + queue.depth * stride(queue);
}
std::uint64_t offset_of(const dmapp_queue& queue, std::uint64_t ticket) {
  return sizeof(Head) + ticket % queue.depth * stride(queue);
}

Head& head_of(const dmapp_queue& queue) { return *reinterpret_cast<Head*>(queue.memory); }

struct Message {
  std::vector<std::byte> data;
  std::int32_t rank = -1;
};

/// The next message, if one has come that can be one. A look costs what one at a queue of the NIC
/// does.
bool take(State& state, Message& message) {
  corespec::charge(state.job().parameters().cq_poll);
  corespec::this_thread().sync();
  dmapp_queue& queue = *state.queue;
  const std::byte* const at = queue.memory + offset_of(queue, queue.taken);
  const auto* const place = reinterpret_cast<const Place*>(at);
  if (__atomic_load_n(&place->there, __ATOMIC_ACQUIRE) != queue.taken + 1) return false;
  ++queue.taken;
  message.rank = place->rank;
  const std::uint64_t bytes = place->bytes;
  const bool can_be = bytes <= queue.words * message_word_bytes && state.is_pe(message.rank);
  if (can_be) message.data.assign(at + sizeof(Place), at + sizeof(Place) + bytes);
  __atomic_store_n(&head_of(queue).head, queue.taken, __ATOMIC_RELEASE);
  if (!can_be) {
    state.job().report(state.process(),
                       "castor: DMAPP: something else than a message is in the queue; ignored");
  }
  return can_be;
}

/// Attached, and not by the call that asks.
bool may_deliver() {
  const State* const state = dmapp::this_state();
  return state != nullptr && state->queue != nullptr && !state->queue->delivering;
}

dmapp_return_t read_head(State& state, dmapp_pe_t pe, const Remote& remote, Head& head) {
  rma::RmaPort& port = state.port();
  Completion completion;
  port.insist([&] {
    return port.get(completion, pe, &head, remote.address, remote.memory, 3 * message_word_bytes);
  });
  port.wait(completion);
  return dmapp::take_result(completion);
}

/// Draws a ticket. NOT_DONE: the queue is full, or another PE was faster.
dmapp_return_t draw(State& state, dmapp_pe_t pe, const Remote& remote, std::uint64_t& ticket) {
  rma::RmaPort& port = state.port();
  Head head{};
  const dmapp_return_t read = read_head(state, pe, remote, head);
  if (read != DMAPP_RC_SUCCESS) return read;
  if (head.attached != this_is_a_queue) return DMAPP_RC_NOT_FOUND;
  if (head.next - head.head >= state.queue->depth) return DMAPP_RC_NOT_DONE;
  Completion completion;
  const std::uint64_t next = remote.address + offsetof(Head, next);
  port.insist([&] {
    return port.atomic(completion, pe, GNI_FMA_ATOMIC_CSWAP, next, remote.memory, head.next,
                       head.next + 1, &ticket);
  });
  port.wait(completion);
  const dmapp_return_t drawn = dmapp::take_result(completion);
  if (drawn != DMAPP_RC_SUCCESS) return drawn;
  return ticket == head.next ? DMAPP_RC_SUCCESS : DMAPP_RC_NOT_DONE;
}

dmapp_return_t write(State& state, dmapp_pe_t pe, const Remote& remote, std::uint64_t ticket,
                     const void* source, std::uint64_t bytes) {
  constexpr std::size_t flag_bytes = sizeof(Place::there);
  Place place{0, static_cast<std::uint32_t>(bytes), state.process().rank()};
  const std::size_t length = sizeof place - flag_bytes + bytes;
  const std::unique_ptr<std::byte[]> message = corespec::rank_bytes(length);
  std::memcpy(message.get(), reinterpret_cast<const std::byte*>(&place) + flag_bytes,
              sizeof place - flag_bytes);
  if (bytes > 0) std::memcpy(message.get() + sizeof place - flag_bytes, source, bytes);
  const std::uint64_t at = remote.address + offset_of(*state.queue, ticket);
  rma::RmaPort& port = state.port();
  Completion completion;
  port.insist([&] {
    return port.put_with_flag(completion, pe, message.get(), at + flag_bytes, remote.memory, length,
                              at, ticket + 1);
  });
  port.wait(completion);
  return dmapp::take_result(completion);
}

bool is_own(const State& state, dmapp_queue_handle_t queue) {
  return state.queue != nullptr && state.queue.get() == queue;
}

}  // namespace

void dmapp::deliver_messages(const char* function) {
  while (may_deliver()) {
    Message message;
    dmapp_queue* queue = nullptr;
    dmapp::call_of(function, [&](State& state) {
      if (!take(state, message)) return DMAPP_RC_NOT_DONE;
      queue = state.queue.get();
      queue->delivering = true;
      return DMAPP_RC_SUCCESS;
    });
    if (queue == nullptr) return;
    queue->callback(queue->context, message.data.data(),
                    static_cast<std::uint32_t>(message.data.size()), message.rank);
    queue->delivering = false;
  }
}

extern "C" {

dmapp_return_t dmapp_queue_attach(dmapp_queue_callback_t callback, void* context, uint64_t flags,
                                  dmapp_queue_handle_t* queue) {
  return dmapp::call([&](State& state) {
    if (callback == nullptr || queue == nullptr ||
        (flags & ~std::uint64_t{DMAPP_QUEUE_ASYNC_PROGRESS}) != 0) {
      return DMAPP_RC_INVALID_PARAM;
    }
    if (state.queue != nullptr) return DMAPP_RC_BUSY;
    auto fresh = std::make_unique<dmapp_queue>(dmapp_queue{callback, context, nullptr,
                                                           state.attributes().queue_depth,
                                                           state.attributes().queue_nelems});
    const std::uint64_t bytes = size_of(*fresh);
    fresh->memory = static_cast<std::byte*>(state.sheap().allocate(bytes));
    if (fresh->memory == nullptr) return DMAPP_RC_NO_SPACE;
    corespec::this_thread().sync();
    std::memset(fresh->memory, 0, bytes);
    __atomic_store_n(&head_of(*fresh).attached, this_is_a_queue, __ATOMIC_RELEASE);
    state.queue = std::move(fresh);
    *queue = state.queue.get();
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_queue_detach(dmapp_queue_handle_t queue, uint64_t flags) {
  const dmapp_return_t checked = dmapp::call([&](State& state) {
    if (flags != 0 || !is_own(state, queue)) return DMAPP_RC_INVALID_PARAM;
    return queue->delivering ? DMAPP_RC_BUSY : DMAPP_RC_SUCCESS;
  });
  if (checked != DMAPP_RC_SUCCESS) return checked;
  dmapp::deliver_messages("dmapp_queue_detach");
  return dmapp::call([&](State& state) {
    if (!is_own(state, queue)) return DMAPP_RC_INVALID_PARAM;  // a callback has detached it
    head_of(*queue).attached = 0;
    state.sheap().release(queue->memory);
    state.queue.reset();
    return DMAPP_RC_SUCCESS;
  });
}

dmapp_return_t dmapp_queue_put(dmapp_queue_handle_t queue, void* source, uint64_t nelems,
                               dmapp_type_t type, dmapp_pe_t pe, uint64_t flags) {
  Remote remote;
  const std::uint64_t element = dmapp::bytes_of(type);
  dmapp_return_t result = dmapp::call([&](State& state) {
    if (!is_own(state, queue) || flags != 0 || element == 0 || !state.is_pe(pe) ||
        (source == nullptr && nelems != 0)) {
      return DMAPP_RC_INVALID_PARAM;
    }
    if (state.checkpointed) return DMAPP_RC_BUSY;
    if (nelems > queue->words * message_word_bytes / element) return DMAPP_RC_NO_SPACE;
    return state.find_symmetric(pe, queue->memory, size_of(*queue), remote)
               ? DMAPP_RC_NOT_DONE
               : DMAPP_RC_INVALID_PARAM;
  });
  while (result == DMAPP_RC_NOT_DONE) {
    result = dmapp::call([&](State& state) {
      if (!is_own(state, queue)) return DMAPP_RC_INVALID_PARAM;
      std::uint64_t ticket = 0;
      const dmapp_return_t drawn = draw(state, pe, remote, ticket);
      return drawn == DMAPP_RC_SUCCESS ? write(state, pe, remote, ticket, source, nelems * element)
                                       : drawn;
    });
    dmapp::deliver_messages("dmapp_queue_put");
  }
  return result;
}

}  // extern "C"
