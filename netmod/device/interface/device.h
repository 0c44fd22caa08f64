// The MPI library's device: one rank's matching, protocols and progress. Everything above it
// (bindings, communicators, datatypes, collectives) is bytes, envelopes and requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#include "corespec/threads/process.h"

namespace corespec {
class Mutex;
}
namespace rma {
class RmaPort;
}

namespace netmod {

constexpr int any_source = -2;  ///< MPI_ANY_SOURCE of the MPICH ABI
constexpr int any_tag = -1;     ///< MPI_ANY_TAG of the MPICH ABI

/// What matching looks at: ranks are those of the communicator, `context` tells communicators
/// (and their collective traffic) apart.
struct Envelope {
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint32_t context = 0;
};
/// A communicator's messages have an even context, those of its collectives the odd one after it.
constexpr bool of_collective(const Envelope& envelope) { return envelope.context % 2 == 1; }

enum class SendMode : std::uint8_t { standard, synchronous };

/// How long a send's data stays as it is: until its request is complete, or until that is given
/// back (or end_loan()), which saves the host copies.
enum class DataStays : std::uint8_t { until_complete, until_released };

/// How a request ended.
struct Completion {
  std::int32_t source = any_source;
  std::int32_t tag = any_tag;
  std::uint64_t bytes = 0;  ///< received (of a truncated message: what fitted)
  bool truncated = false;   ///< the message was longer than the receive buffer
  bool cancelled = false;
};

/// An eager message that has left: the receiver's rank in the job, and the message's number among
/// its sender's. (Numbers come again after 2^32 messages.)
struct SentMessage {
  std::int32_t peer = -1;
  std::uint32_t number = 0;  ///< 0: there is none
};

class Request;

/// What a thread waits for: that requests are complete, each of which counts it down, or whatever
/// else the caller looks at. It is asked at every look at the queues: of requests that are still
/// under way it needs none for its answer.
class Condition {
 public:
  Condition() = default;
  explicit Condition(Request& request) { add(request); }
  /// `look` is asked, and lives as long as the condition.
  template <class Look>
  requires std::is_invocable_r_v<bool, const Look&> Condition(
      const Look& look)  // NOLINT(google-explicit-constructor): a lambda is a condition
      : context_(&look),
        look_([](const void* context) { return (*static_cast<const Look*>(context))(); }) {}
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  /// One more request to wait for.
  void add(Request& request);
  bool holds() const { return look_ != nullptr ? look_(context_) : open_ == 0; }

 private:
  friend class Request;
  std::uint32_t open_ = 0;  ///< requests that are not complete yet
  const void* context_ = nullptr;
  bool (*look_)(const void*) = nullptr;
};

/// A send or receive under way; owned by the Device that made it, until release().
class Request {
 public:
  bool complete() const { return complete_; }
  Completion completion() const {
    return {envelope.source, envelope.tag, bytes, truncated_, cancelled_};
  }
  /// The message of a complete send, if it was eager.
  SentMessage sent() const { return {peer, number}; }
  /// A complete send's data must stay as it is still.
  bool lends() const { return lends_; }

 protected:
  Request() = default;
  ~Request() = default;
  void end(const Completion& how) {
    envelope.source = how.source;
    envelope.tag = how.tag;
    bytes = how.bytes;
    truncated_ = how.truncated;
    cancelled_ = how.cancelled;
    set_complete();
  }
  void set_complete() {
    complete_ = true;
    if (awaited_by_ != nullptr) --awaited_by_->open_;
  }

  Condition* awaited_by_ = nullptr;
  std::uint64_t bytes = 0;   ///< of a send: all; of a receive: the buffer's, then what came
  Envelope envelope;         ///< what was asked for, then what came
  std::int32_t peer = -1;    ///< of a send: the receiver's rank in the job
  std::uint32_t number = 0;  ///< of an eager send
  bool truncated_ : 1 = false;
  bool cancelled_ : 1 = false;
  bool lends_ : 1 = false;
  bool complete_ = false;

 private:
  friend class Condition;
};

inline void Condition::add(Request& request) {
  if (request.complete_ || request.awaited_by_ == this) return;
  request.awaited_by_ = this;
  ++open_;
}

/// Takes a message's data where it lies: what a receive does instead of copying it to memory.
class Sink {
 public:
  /// An eager message's data, `bytes` bytes that are there for the time of the call: as many as
  /// the receive has room for. On the thread that makes the pass; the modelled time of a copy has
  /// been charged. Must not wait. False: not now. Then the receive completes all the same, and the
  /// data stay with the device until it is told to hand_over() them.
  virtual bool take(const std::byte* data, std::size_t bytes) = 0;
  /// Or memory for `bytes` bytes, to which a message is moved that has only been announced.
  virtual std::byte* room(std::size_t bytes) = 0;

 protected:
  ~Sink() = default;
};

/// MPI's thread levels, with MPI's values.
enum class ThreadLevel : int { single = 0, funneled = 1, serialized = 2, multiple = 3 };

/// Hears of passes over the queues that changed something.
class PassListener {
 public:
  /// On the thread that made the pass, an application's or a progress thread's, which holds a
  /// Guard. May start messages, must not wait.
  virtual void passed() = 0;

 protected:
  ~PassListener() = default;
};

/// A message that has come and that no receive can match any more: take() gives it to the caller.
class TakenMessage {
 protected:
  TakenMessage() = default;
  ~TakenMessage() = default;
};

/// A message as people are told of it: under way, or come and not met by a receive.
struct PendingMessage {
  enum class Kind : std::uint8_t { send, receive, unexpected };
  Kind kind = Kind::send;
  bool met = false;         ///< a receive whose message is known, but not all here
  std::int32_t peer = -1;   ///< of a send: the receiver's rank in the job
  std::uint64_t bytes = 0;  ///< of a receive: room
  Envelope envelope;
};

/// How a device calls uGNI: by the doors (ugni_emu/doors/doors.h); or, for tests, by the public
/// calls that they stand for: those that move messages, or those that look for them as well.
enum class GniCalls : std::uint8_t { doors, public_transfers, public_looks_too };

/// One rank's device. Every function but the constructor, the destructor and Guard's expects the
/// caller to hold a Guard, and to be a thread of this rank.
class Device {
 public:
  /// Opens the rank's NIC, queues and (if asked for) its progress thread. `requested` is the
  /// program's level; the level granted follows from it and MPICH_MAX_THREAD_SAFETY.
  static std::unique_ptr<Device> open(corespec::Process& process, ThreadLevel requested,
                                      GniCalls calls = GniCalls::doors);
  virtual ~Device() = default;

  virtual ThreadLevel granted_level() const = 0;
  virtual corespec::Process& process() = 0;

  /// Starts to send `bytes` bytes at `data` to rank `destination` of the job. Never blocks.
  virtual Request* send(const void* data, std::size_t bytes, int destination,
                        const Envelope& envelope, SendMode mode, DataStays stays) = 0;
  /// Starts to receive at most `capacity` bytes; `envelope` may hold any_source and any_tag.
  virtual Request* receive(void* data, std::size_t capacity, const Envelope& envelope) = 0;

  /// The same, to a sink, which lasts until the request is complete.
  virtual Request* receive(Sink& sink, std::size_t capacity, const Envelope& envelope) = 0;

  /// True if a matching message is here that no receive has taken; fills `found` (bytes = the
  /// whole message's). Only looks: progress() or wait_until() take messages in.
  virtual bool probe(const Envelope& envelope, Completion& found) = 0;

  /// The same, and takes the message: null if there is none. It ends with receive_taken().
  virtual TakenMessage* take(const Envelope& envelope, Completion& found) = 0;
  /// Starts to receive a taken message.
  virtual Request* receive_taken(void* data, std::size_t capacity, TakenMessage* message) = 0;
  /// Has waiting threads look at their conditions: another thread changed what they look at.
  virtual void wake() = 0;

  /// Takes a receive that nothing has matched yet, or a send that has not left, off its queue:
  /// it completes as cancelled. A send that has only been announced is asked back: it completes as
  /// cancelled unless a receive has met it. Otherwise nothing happens.
  virtual void cancel(Request& request) = 0;
  /// Asks for a message that has left back. The request completes as cancelled if no receive had
  /// met the message, else as a send.
  virtual Request* recall(const SentMessage& message) = 0;

  /// One pass over the queues; never blocks.
  virtual void progress() = 0;
  /// Makes progress until the condition holds. It is asked after every pass that changed something;
  /// in between, the thread polls (it occupies its CPU) and, with thread level multiple, gives
  /// the library's lock to others at each poll boundary.
  virtual void wait_until(const Condition& awaited) = 0;

  /// From now on `listener` hears of passes; null: no listener.
  virtual void listen(PassListener* listener) = 0;

  /// One-sided transfers through the same NIC, opened at the first call. Every pass takes in their
  /// completions.
  virtual rma::RmaPort& one_sided() = 0;

  /// Of a complete receive: what its sink did not take when it came, it takes now.
  virtual void hand_over(Request& request) = 0;
  /// The data of a complete send may change from now on.
  virtual void end_loan(Request& request) = 0;
  /// Gives a request back: complete, or (MPI_Request_free) still under way.
  virtual void release(Request* request) = 0;

  /// Completes everything under way, stops the progress thread, closes the NIC; collective over
  /// the job (MPI_Finalize). With MPICH_GNI_ASYNC_PROGRESS_STATS, reports.
  virtual void close() = 0;

  /// True if the library's global lock is to be held during every MPI call: with thread level
  /// multiple, and with progress threads whatever level the program was granted.
  virtual bool locked() const { return granted_level() == ThreadLevel::multiple; }
  virtual void lock() = 0;
  virtual void unlock() = 0;

  // For a user's question what the rank is doing: these look, and change nothing.
  virtual const corespec::Mutex* mutex() const { return nullptr; }
  using Visit = std::function<void(const PendingMessage&)>;
  /// The requests that `awaited` counts; null: all sends under way.
  virtual void visit_pending(const Condition* /*awaited*/, const Visit&) const {}
  /// In the order in which they came.
  virtual void visit_unexpected(const Visit&) const {}
  virtual PendingMessage pending(const Request&) const { return {}; }
};

}  // namespace netmod
