// Large messages within a node: announced, and copied once, by the receiver.
#include <algorithm>
#include <stdexcept>

#include "corespec/job/job.h"
#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "netmod/device/messages/observed_message.h"
#include "netmod/device/within_node/shared_memory.h"

namespace netmod {

void SharedMemory::accept(int peer, RequestImpl& receive, const PacketHeader& header,
                          const MemoryReference& source) {
  const std::uint64_t bytes = std::min(header.bytes, receive.bytes);
  corespec::charge(settings_.copy_time(bytes));
  corespec::this_thread().sync();
  try {
    process_.node().memory().copy_from_rank(
        peer, receive.data, reinterpret_cast<const std::byte*>(source.address), bytes);
  } catch (const std::runtime_error& error) {  // the peer is gone, or the system forbids it
    process_.job().abort(process_, 1, error.what());
  }
  send_control(peer, PacketKind::receive_done, header.send_request);
  observe_received(domain_, peer, PacketKind::rts, header.send_request, bytes,
                   protocol::within_node);
  receive.finish(header.envelope.source, header.envelope.tag, bytes, header.bytes > receive.bytes);
  completions_.request_complete(receive);
}

}  // namespace netmod
