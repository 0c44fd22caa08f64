// What happens in a machine, told where it happens: the one place where telemetry, traces and
// timelines listen.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"

namespace corespec {

/// One thing that has happened. Which fields a kind fills in stands beside it; the others are 0.
struct Occurrence {
  enum class Kind : std::uint8_t {
    posted,        ///< a transaction enters the wire at its source (place: nid)
    injected,      ///< a piece of it passes the source's NIC (place: nid, part: injector)
    link_passed,   ///< a piece, or the response to one, passes a link (place: router, part: link)
    delivered,     ///< the last piece of a request has come to the target's NIC (place: nid)
    event_queued,  ///< into a completion queue (place: nid, part: 1 for a remote event, else 0)
    interrupt_raised,  ///< place: nid, part: the CPU that takes it; until the handler ends
    noise,  ///< the kernel or a daemon takes a CPU (place: nid, part: the CPU, call: what)
    // Of a thread (place: nid, rank, role, thread; call: the library call that it is in):
    thread_switched,   ///< it gets a CPU (part); `end`: when its own work goes on there
    thread_left,       ///< it gives the CPU up (part; goes_on: it would rather have kept it)
    call_begun,        ///< its outermost library call
    call_ended,        ///< the same
    thread_lost,       ///< its node has failed: it goes no further, and leaves call and CPU so
    lock_waited,       ///< from `begin` to `end` it waited for a lock, which it has now
    message_sent,      ///< MPI's, on its way (peer: to which rank; part: 1 of a collective; key,
                       ///< bytes, protocol)
    message_received,  ///< is in the receiver's buffer (peer: from which rank; the same)
    transfer_posted    ///< one-sided, by a library (peer: rank; bytes, protocol)
  };
  Kind kind;
  std::uint32_t place = 0;  ///< a node's number, or a router's
  std::uint32_t part = 0;   ///< of the place
  std::uint8_t role = 0;    ///< a thread's, a ThreadRole
  bool goes_on = false;
  std::int32_t rank = -1;    ///< of the job; -1: no rank's
  std::uint32_t thread = 0;  ///< tells a node's threads apart
  Time begin = Time();       ///< service begins; of what takes no time, the moment
  Time end = Time();         ///< service ends
  // Of a transaction:
  std::uint32_t source = 0;  ///< its initiator's nid
  std::uint32_t target = 0;  ///< nid
  std::uint64_t key = 0;     ///< the initiator's number for it; 0: it needs none
  std::uint64_t bytes = 0;   ///< payload of the transaction, of the piece, of the message
  // Of a message: `key` is the sending rank's number for it.
  std::int32_t peer = -1;          ///< the rank at its other end; -1: not known
  const char* protocol = nullptr;  ///< how it goes: "E0", "R1"
  const char* call = nullptr;      ///< name of the library call; null: it has none
  // Both are literals; of an occurrence that came from another process, texts of a TextTable.
};

/// Hears of what happens in the domains that it has been given to (EventDomain::set_observer()), in
/// each domain's order, from within it. It looks, and changes nothing: with or without it a run is
/// the same. Live, several host threads may call it at once.
class Observer {
 public:
  virtual void observe(const Occurrence& occurrence) = 0;

 protected:
  ~Observer() = default;
};

/// Tells the domain's observer what `make()` returns, if there is one.
template <typename Make>
void observe(const EventDomain& domain, const Make& make) {
  if (Observer* const observer = domain.observer(); observer != nullptr) [[unlikely]] {
    observer->observe(make());
  }
}

}  // namespace corespec
