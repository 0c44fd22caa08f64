// Seam 3, the wire: carries transactions from one NIC to another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "corespec/events/event_domain.h"
#include "corespec/threads/thread.h"
#include "corespec/time/time.h"
#include "ugni_emu/wire/payload.h"

namespace ugni {

class NicFaults;
class RegisterRead;

/// A NIC's address (PE address) on the network: the nid of its node.
using NicAddress = std::uint32_t;

/// What a transaction does at its target.
enum class TransactionKind : std::uint8_t {
  put,         ///< payload to remote_address
  get,         ///< length bytes from remote_address back to the source
  cq_write,    ///< no data: an event with immediate[0] in the target's CQ
  message,     ///< payload into a mailbox (SMSG); remote_address is the mailbox
  credit,      ///< mailbox credits back to a sender
  datagram,    ///< connection set-up by the kernel driver
  atomic,      ///< AMO: operands in immediate[0..1], old value in the response
  collective,  ///< for the collective engine target_instance: values of a reduction in immediate[]
};

/// What a gni_mem_handle_t says. qword1: the region's name, see memory_handle.h.
struct MemoryHandleBits {
  std::uint64_t qword1 = 0;
  std::uint64_t qword2 = 0;
};

/// A plain record: everything the target needs, nothing that points into another node (the
/// initiator finds its own state by `initiator_key`). It can cross a process, a host or a
/// partition of a parallel simulation.
///
/// Transactions of a NIC, of whatever kinds, may arrive in another order than they were submitted
/// in, and so may those of one endpoint. Two to one NIC keep their order if both are `in_order`,
/// one injector injects them, and the first one does not fail for want of a way or a response. Each
/// one's remote event and response come after its own data.
struct Transaction {
  TransactionKind kind = TransactionKind::put;
  std::uint8_t injector = 0;  ///< what feeds the NIC: 0 = FMA, 1.. = BTE channel
  std::uint8_t flags = 0;     ///< nic-private, but for more_than_data
  std::uint8_t ptag = 0;
  std::uint16_t delivery_mode = 0;  ///< GNI_DLVMODE_*
  std::uint16_t subkind = 0;        ///< nic-private (AMO command, message tag, ...)
  NicAddress source = 0;
  NicAddress target = 0;
  std::uint32_t source_instance = 0;  ///< inst_id of the initiating communication domain
  std::uint32_t target_instance = 0;  ///< datagrams: inst_id of the domain it is for; collective:
                                      ///< the engine (collective_id.h)
  std::uint32_t cookie = 0;
  std::uint32_t remote_event = 0;  ///< event word for the target's CQ
  std::uint64_t length = 0;        ///< payload bytes (to the target; of a GET, from it)
  std::uint64_t remote_address = 0;
  MemoryHandleBits remote_handle;
  std::array<std::uint64_t, 2> immediate{};
  std::uint64_t initiator_key = 0;
  std::uint32_t mark = 0;    ///< telemetry mark, 0 = unmarked
  std::uint32_t number = 0;  ///< the network's: its first packet among those of its NIC, or, where
                             ///< pieces can be lost, its place among those that keep their order
};

/// Of Transaction::flags: it has an event in the target's CQ, or a flag's value behind its data.
inline constexpr std::uint8_t more_than_data = 0x3;

/// The same once more does no harm, even if the target has done it already.
constexpr bool may_be_repeated(const Transaction& transaction) {
  const bool moves_data =
      transaction.kind == TransactionKind::put || transaction.kind == TransactionKind::get;
  return moves_data && (transaction.flags & more_than_data) == 0;
}

/// Of Transaction::delivery_mode: of several ways, a request's packets take one that does not
/// depend on load (GNI_DLVMODE_NO_ADAPT), all of a transaction's take the same one (NO_HASH), or a
/// response's take one that does not depend on load (NO_RADAPT).
inline constexpr std::uint16_t no_adapt = 0x1;
inline constexpr std::uint16_t no_hash = 0x2;
inline constexpr std::uint16_t no_response_adapt = 0x4;
/// no_adapt and no_hash (GNI_DLVMODE_IN_ORDER): see Transaction.
inline constexpr std::uint16_t in_order = no_adapt | no_hash;
/// The bits above are for a wire around another one: what is to become of the transaction.
inline constexpr unsigned verdict_shift = 4;

/// What waits for the response to a request.
enum class ResponseUrgency : std::uint8_t {
  whenever,  ///< nothing: it may come together with later ones (unless it brings data)
  soon,      ///< only threads that poll: none need be woken up for it
  wakes,     ///< the NIC itself, or a thread that sleeps
};

/// How the target answered a request.
enum class ResponseStatus : std::uint8_t {
  ok,
  no_such_domain,   ///< no communication domain with that tag and cookie (datagrams: and instance)
  invalid_handle,   ///< unknown or stale memory handle
  permission,       ///< write to a read-only region, foreign protection tag
  out_of_bounds,    ///< outside the registered region
  lost,             ///< the same again does no harm and may well succeed: nothing has happened at
                    ///< the target, or there was no response, and it may_be_repeated()
  event_lost,       ///< done, but the target's queue had no room for the event
  no_such_child,    ///< no such collective engine, or not a child (or the parent) of it
  other_reduction,  ///< the engine's other children take part in another reduction
  without_data,     ///< one side has memory without data, the other has not (not live)
  unreachable       ///< no way to the target, or no response: it may have done it or not
};
inline constexpr ResponseStatus last_response_status = ResponseStatus::unreachable;

/// The target has done what the request asked for.
constexpr bool is_done(ResponseStatus status) {
  return status == ResponseStatus::ok || status == ResponseStatus::event_lost;
}

/// A protection domain: what transactions name, besides a NIC and a memory handle. Its regions are
/// numbered (MDH) by NIC, whichever of its communication domains has registered them.
struct ProtectionName {
  std::uint32_t cookie = 0;
  std::uint8_t ptag = 0;
  auto operator<=>(const ProtectionName&) const = default;
};

/// A communication domain, as datagrams name it.
struct DomainName {
  std::uint32_t instance = 0;
  std::uint32_t cookie = 0;
  std::uint8_t ptag = 0;
  ProtectionName protection() const { return {cookie, ptag}; }
  auto operator<=>(const DomainName&) const = default;
};

/// A region that was registered.
struct ExposedRegion {
  std::byte* address = nullptr;
  std::size_t bytes = 0;
  ProtectionName protection;
  std::uint64_t handle = 0;  ///< remote_handle.qword1 of the transactions that aim at it
  bool writable = true;      ///< PUTs are accepted, and need not come in payloads
  bool readable = true;      ///< what GETs ask for stands in memory
  bool wakes = true;         ///< a thread may sleep until something comes
};

/// A piece of a transaction: bytes [offset, offset + length) of it, and on its way back the
/// response to that piece. Transactions without data are one segment of length 0.
///
/// The pieces of a transaction may arrive in any order, among those of others, but for the one
/// that was injected last: the wire holds it back until all the others are here. (The NIC of a
/// Gemini counts the requests of a sequence and knows when it has them all.) The same holds of
/// their responses at the initiator.
struct SegmentView {
  const Transaction& transaction;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool last = false;  ///< the transaction's last piece, by injection and by arrival
  Payload& payload;   ///< request: data to the target; response: data to the source; empty with
                      ///< a length: there is no data
  ResponseStatus status = ResponseStatus::ok;  ///< responses only
  bool in_place = false;  ///< the wire has moved the data itself: see WireClient::target_memory()
};

/// Registered memory that a wire may read and write by itself.
struct DirectMemory {
  std::byte* address = nullptr;    ///< null: there is none, data travels in payloads
  std::uint64_t registration = 0;  ///< what Wire::expose() gave for the region
  // At the initiator:
  bool ahead = false;      ///< the wire may move the data before the target has been asked
  bool unnoticed = false;  ///< and nothing else happens there
};

/// What a NIC implements to be driven by the wire. Every call comes in the NIC's own domain, at
/// the modelled time.
class WireClient : public corespec::Prefetchable {
 public:
  virtual ~WireClient();

  /// Source: the engine reads bytes [offset, offset + into.size()) of a PUT whose payload was not
  /// captured at submission (BTE). May change the flags that travel with them.
  virtual void read_source(Transaction& transaction, std::uint64_t offset,
                           std::span<std::byte> into) = 0;
  /// Source: false if there is no data to read (memory without data): the pieces of such a PUT
  /// travel with their length and without a payload, as the answers of a GET do that finds none.
  virtual bool has_source_data(const Transaction& transaction);
  /// Source: the last byte of the request left the NIC; a PUT's source may be reused.
  virtual void request_sent(const Transaction& transaction) = 0;
  /// Source: false if request_sent() would do nothing for this one, so that the wire need not
  /// call it. Asked when the last byte's departure is fixed.
  virtual bool awaits_sent(const Transaction& transaction) = 0;
  /// Source: how soon the response to this one has to be here. Asked at the submission; wires for
  /// which it makes no difference need not ask.
  virtual ResponseUrgency response_urgency(const Transaction& transaction);
  /// Target: the tail of a request segment is here. Moves its data (a GET fills
  /// `segment.payload` with segment.length bytes) and says what to answer.
  virtual ResponseStatus request_arrived(SegmentView segment) = 0;
  /// Source: the tail of a segment's response is here; of a GET, with its data.
  virtual void response_arrived(SegmentView segment) = 0;

  /// For wires that move large data themselves (RMA), without a payload. Source: where the data of
  /// a PUT that was not captured lies, or that of a GET goes. Null if it is not registered.
  virtual DirectMemory source_memory(const Transaction& transaction);
  /// Target: where the data of a PUT goes, or that of a GET lies, if request_arrived() would
  /// accept it now. Null otherwise, and if data has to come in payloads all the same. Changes
  /// nothing. After the data has moved, request_arrived() is called with one segment, in_place.
  virtual DirectMemory target_memory(const Transaction& transaction);
};

/// A transaction on its way to the wire: the wire's own record, which the initiator fills in where
/// it lies. It is performed once, at once or by Thread::defer(): the transaction is submitted. It
/// points to nothing of the NIC's or rank's: whatever of these goes meanwhile, the transaction
/// leaves.
struct Submission : corespec::DeferredEffect {
  Transaction transaction;
  /// The captured bytes (FMA, messages), or empty (read_source() is asked when a BTE PUT's segment
  /// is injected; GETs).
  Payload payload;

 protected:
  Submission() = default;
  ~Submission() = default;
};

/// The wire of a whole machine.
class Wire {
 public:
  Wire() = default;
  virtual ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// What the machine's NICs share.
  PayloadPool& payloads() { return payloads_; }

  /// Makes a NIC reachable at `address`; its calls happen in `domain`.
  virtual void attach(NicAddress address, WireClient& client, corespec::EventDomain& domain) = 0;

  /// A record for a transaction of the NIC at `source`; its payload is empty, its transaction to be
  /// assigned as a whole. It is performed from within the source's domain, at its now().
  /// Transactions of one injector are injected in order; injectors share the NIC fairly, segment by
  /// segment.
  virtual Submission& prepare(NicAddress source) = 0;
  /// Takes back one that will not be performed.
  virtual void drop(Submission& submission) = 0;
  /// prepare() and perform() of a transaction that is there already.
  void submit(const Transaction& transaction, Payload payload) {
    Submission& submission = prepare(transaction.source);
    submission.transaction = transaction;
    submission.payload = std::move(payload);
    submission.perform();
  }

  /// A region of the caller's memory was registered: transactions may aim at it. The result goes
  /// into DirectMemory and to conceal(). Wires that need not know return 0.
  virtual std::uint64_t expose(const ExposedRegion& region);
  virtual void conceal(std::uint64_t registration);

  /// Takes a number (memory_handle.h) for a region of the NIC at `address`, whose processes share
  /// the numbers of a protection domain. False: another process has it.
  virtual bool claim_region(NicAddress address, const ProtectionName& protection,
                            std::uint16_t number);
  virtual void release_region(NicAddress address, const ProtectionName& protection,
                              std::uint16_t number);
  /// How many MDHs the NIC's other processes have taken.
  virtual std::uint32_t regions_of_others(NicAddress address,
                                          const ProtectionName& protection) const;

  /// True if a GET from the node at `target`, however long, is one copy that its initiator makes:
  /// nothing is gained by dividing it.
  virtual bool reads_at_once(NicAddress target) const;

  /// A communication domain can be reached at `address` from now on (false: there is no room for
  /// it), or no longer.
  virtual bool domain_attached(NicAddress address, const DomainName& name);
  virtual void domain_detached(NicAddress address, const DomainName& name);

  /// Reads registers of the Gemini of the NIC at `address`, from within its domain: a way to its
  /// router, where they are of one moment, and back. False: this wire has none, or does not count.
  virtual bool read_registers(NicAddress address, RegisterRead& read);

  /// What goes wrong at the resources of the NIC at `address`, which is attached; null: nothing.
  virtual NicFaults* faults_at(NicAddress address);

  /// The least delay with which a NIC can affect another domain.
  virtual corespec::Time least_delay() const = 0;

 private:
  PayloadPool payloads_;
};

}  // namespace ugni
