// The one place where what comes from other processes is checked: every field of every message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ugni_emu/fabric/links.h"
#include "ugni_emu/fabric/transport/process_message.h"

namespace ugni::fabric {

/// What is wrong with a message, as a clause for people; null: nothing. The code behind this
/// check believes all of a message that has passed.
using Fault = const char*;

/// Hears of messages that cannot be right. They came from a process of the job, as it seems: what
/// strangers send does not get so far (see Secret).
class FaultClient {
 public:
  /// `rank`: from whom, -1 if that is not known.
  virtual void faulty(int rank, Fault fault) = 0;

 protected:
  ~FaultClient() = default;
};

/// A message by itself: its kind, its sender, its lengths against the bytes that are there, flags
/// only where they may stand, addresses of NICs against ranks. `from`: the rank that it came from,
/// -1 if the way that it came does not tell. `start_up`: hello and clock messages may come, and
/// nothing else.
Fault fault_in(std::span<const std::byte> message, const Layout& layout, int from,
               bool start_up = false);

/// A piece of a PUT, message or datagram that follows another one of the same injector: it has to
/// go on where that one ended.
Fault fault_in_next(const RequestMessage& next, const RequestMessage& before);

/// What the initiator knows of a request that is answered.
struct Asked {
  const Transaction& transaction;
  int rank = -1;               ///< the one that was asked
  std::uint64_t answered = 0;  ///< bytes, by earlier pieces
  bool direct = false;         ///< the target may move a GET's data by itself
};

/// A response, or a piece of one, with so many bytes of data.
Fault fault_in_response(const ResponseMessage& response, std::size_t data, const Asked& asked);
Fault fault_in(const Acknowledgement& acknowledgement, int rank, const Asked& asked);

}  // namespace ugni::fabric
