// The target's side: requests arrive in order and at their time, data is moved, responses leave.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ugni_emu/fabric/carrier.h"

namespace ugni::fabric {

/// What arrives from one injector of one process is delivered one after another, never before the
/// modelled time, and only when its data is here: what comes behind a transfer that is still being
/// moved waits for it.
class Incoming {
 public:
  /// Takes responses to this process's own requests to itself.
  using Answer = std::function<void(const ResponseMessage&, Payload)>;

  explicit Incoming(Carrier& carrier);
  ~Incoming();
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;

  void set_answer(Answer answer) { answer_ = std::move(answer); }

  /// A request, or a piece of one, from another process; it has been checked.
  void request(const RequestMessage& request, std::span<const std::byte> data);
  /// A piece of what a stream has wished for, because it may not read it.
  void data(const DataMessage& message, std::span<const std::byte> bytes);
  /// One of this process to itself; nothing happens before the next event.
  void from_self(const RequestMessage& request, Payload payload);

  /// An RMA operation of a stream has ended.
  void movement_ended(Movement& movement, bool well);
  /// Tries again what had no room. True if anything moved.
  bool retry();
  bool waiting() const { return !blocked_.empty(); }
  void lost(int rank);

 private:
  class Stream;
  friend class Stream;

  Stream& stream(int rank, std::size_t injector);
  /// The response to a whole request, without data.
  void acknowledge(int rank, Acknowledgement acknowledgement, std::uint64_t length,
                   ResponseUrgency urgency);
  /// A response with data, or to a piece.
  void respond(int rank, const ResponseMessage& response, Payload payload, ResponseUrgency urgency);

  Carrier* carrier_;
  Answer answer_;
  std::vector<std::vector<std::unique_ptr<Stream>>> streams_;  ///< by rank and injector
  std::vector<Stream*> blocked_;
};

}  // namespace ugni::fabric
