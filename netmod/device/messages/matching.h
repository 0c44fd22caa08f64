// MPI matching: posted receives and unexpected messages.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "netmod/device/messages/packet.h"
#include "netmod/device/messages/request_impl.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {

/// A message that came before its receive, or before that could take the data: its header, and its
/// data (eager) or where that is (rendezvous, single copy).
struct Unexpected final : TakenMessage {
  Unexpected(int from, bool on_this_node, const PacketHeader& with, const MemoryReference& where)
      : header(with), memory(where), peer(from), intra_node(on_this_node) {}
  /// Eager: takes what `holds` the data if there is such a thing, else copies them.
  Unexpected(int from, bool on_this_node, const PacketHeader& with, const std::byte* data,
             ugni::Payload* holds)
      : header(with), peer(from), intra_node(on_this_node) {
    if (header.bytes == 0) return;
    if (holds != nullptr) {
      holder = std::move(*holds);
    } else {
      copy = std::make_unique_for_overwrite<std::byte[]>(header.bytes);
      std::memcpy(copy.get(), data, header.bytes);
    }
  }

  PacketHeader header;
  MemoryReference memory;
  std::int32_t peer;  ///< rank of the job
  bool intra_node;
  // Eager: header.bytes of data, in one of these.
  ugni::Payload holder;               ///< what brought them, between nodes behind the header
  std::unique_ptr<std::byte[]> copy;  ///< where that had to be free again
  std::unique_ptr<Unexpected> next;

  const std::byte* data() const {
    if (holder.empty()) return copy.get();
    return holder.at(intra_node ? 0 : wire_header_bytes);
  }
};

/// The two queues of one rank. Both are searched in order, as MPI demands; messages of one
/// sender and context never overtake each other.
class MatchingQueues {
 public:
  /// Takes the first posted receive that matches a message; null if there is none.
  RequestImpl* match_posted(const Envelope& message);
  void post(RequestImpl& receive) { posted_.push_back(receive); }
  void unpost(RequestImpl& receive) { posted_.remove(receive); }

  /// Takes the first unexpected message that matches a receive; null if there is none.
  std::unique_ptr<Unexpected> match_unexpected(const Envelope& receive);
  const Unexpected* find_unexpected(const Envelope& receive) const;
  const Unexpected* first_unexpected() const { return first_unexpected_.get(); }
  void add_unexpected(std::unique_ptr<Unexpected> message);
  void drop_unexpected();
  /// Throws away what a sender's cancel or recall names. False: it is not there, as a receive has
  /// met it or MPI_Mprobe has taken it.
  bool drop(int peer, const PacketHeader& wanted);

  /// Keeps a message that its receive has not asked for yet, and gives it back.
  TakenMessage* keep(std::unique_ptr<Unexpected> message);
  std::unique_ptr<Unexpected> give_back(TakenMessage* message);

 private:
  friend struct DevicePrefetch;
  template <class Wanted>
  std::unique_ptr<Unexpected> take_unexpected(const Wanted& wanted);
  static bool matches(const Envelope& receive, const Envelope& message) {
    return receive.context == message.context &&
           (receive.source == message.source || receive.source == any_source) &&
           (receive.tag == message.tag || receive.tag == any_tag);
  }

  RequestList posted_;
  std::unique_ptr<Unexpected> first_unexpected_;
  Unexpected* last_unexpected_ = nullptr;
  std::unique_ptr<Unexpected> first_kept_;
};

}  // namespace netmod
