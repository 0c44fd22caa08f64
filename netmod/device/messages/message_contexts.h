// The calling contexts of sends and receives, for telemetry: kept beside the requests, which have
// no room for them.
#pragma once

#include <cstdint>

#include "corespec/containers/flat_map.h"
#include "corespec/threads/context_table.h"
#include "corespec/threads/thread.h"
#include "netmod/device/messages/observed_message.h"
#include "netmod/device/messages/request_impl.h"
#include "ugni_emu/doors/endpoint_telemetry.h"

namespace netmod {

/// Used only where commands may be marked (Settings::tracks).
class MessageContexts {
 public:
  explicit MessageContexts(const corespec::Process& process)
      : log_(doors::EndpointLog::of(process)) {}

  doors::EndpointLog* log() const { return log_; }

  /// The calling thread's call begins this request.
  void begin(const RequestImpl& request) {
    contexts_.insert(key_of(request), corespec::context_of(corespec::this_thread()));
  }
  /// Of the call that began it.
  corespec::ContextNumber of(const RequestImpl& request) const {
    const corespec::ContextNumber* const found = contexts_.find(key_of(request));
    return found == nullptr ? 0 : *found;
  }

  /// What the calling thread does for the request.
  doors::Operation operation(const RequestImpl& request) const {
    doors::Operation made;
    made.thread = corespec::this_thread().number();
    made.context = of(request);
    made.message = message_of(request);
    if (request.rendezvous != nullptr && request.rendezvous->far_context != 0) {
      made.far = {request.peer, request.rendezvous->far_context};
    }
    return made;
  }

  /// The sender's number for the request's message, as both ends know it.
  static std::uint64_t message_of(const RequestImpl& request) {
    if (request.rendezvous == nullptr) return message_key(PacketKind::eager, request.number);
    const RendezvousState& state = *request.rendezvous;
    const bool sends = request.kind == RequestImpl::Kind::send;
    return message_key(PacketKind::rts, sends ? state.name : state.peer_request);
  }

 private:
  static std::uint64_t key_of(const RequestImpl& request) {
    return reinterpret_cast<std::uint64_t>(&request);
  }

  doors::EndpointLog* log_;
  corespec::FlatMap<corespec::ContextNumber> contexts_;  ///< by request
};

/// While it exists the calling thread's commands are for the request; `contexts` null: nothing is
/// marked.
class ActingFor {
 public:
  ActingFor(const MessageContexts* contexts, const RequestImpl& request)
      : acting_(contexts == nullptr ? nullptr : contexts->log(),
                contexts == nullptr ? doors::Operation() : contexts->operation(request)) {}

 private:
  doors::EndpointLog::Acting acting_;
};

}  // namespace netmod
