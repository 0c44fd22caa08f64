// R0: the receiver reads the message, with a GET from the sender's buffer.
#include "corespec/host/without_data.h"
#include "netmod/device/between_nodes/rendezvous.h"

namespace netmod {

bool Rendezvous::readable(const Connection& connection, const RequestImpl& receive,
                          const MemoryReference& source) const {
  const std::uint64_t bytes = receive.rendezvous->message_bytes;
  const corespec::Parameters& parameters = *settings_.parameters;
  const bool short_enough =
      bytes < static_cast<std::uint64_t>(parameters.ndreg_maxsize) ||
      (parameters.read_at_once && doors::reads_at_once(connection.endpoint()));
  return short_enough && source.address % word == 0 &&
         reinterpret_cast<std::uint64_t>(receive.data) % word == 0 &&
         // The RTS brings the last bytes of whole messages only.
         (!receive.truncated() || bytes % word == 0);
}

void Rendezvous::read(Connection& connection, RequestImpl& receive, const PacketHeader& header,
                      const MemoryReference& source) {
  const std::uint64_t whole = receive.rendezvous->message_bytes / word * word;
  // What does not fill a word came with the RTS.
  if (!receive.truncated()) {
    corespec::without_data::copy(receive.data + whole, header.tail, header.tail_bytes);
  }
  if (whole == 0) {
    finish_receive(connection, receive);
    return;
  }
  DataDescriptor& descriptor = *port_.take_descriptor();
  descriptor.purpose = DataDescriptor::Purpose::read;
  descriptor.connection = &connection;
  descriptor.request = &receive;
  descriptor.gni.local_addr = reinterpret_cast<std::uint64_t>(receive.data);
  descriptor.gni.local_mem_hndl = receive.rendezvous->registration->handle;
  descriptor.gni.remote_addr = source.address;
  descriptor.gni.remote_mem_hndl = source.handle;
  descriptor.gni.length = whole;
  ++statistics_.reads;
  post(descriptor);
}

}  // namespace netmod
