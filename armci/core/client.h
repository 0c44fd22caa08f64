// A rank's side of transfers: which way they go, and how far they are.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "armci/core/helper_request.h"
#include "armci/core/memory.h"
#include "armci/core/peers.h"
#include "corespec/threads/process.h"
#include "ugni_emu/rma/rma_port.h"

namespace armci {

/// What is to be done with two patches of the same shape of runs.
struct Transfer {
  Kind kind = Kind::put;
  Patch local;
  Patch remote;  ///< addresses as their owner has them
  int proc = 0;  ///< whose memory
  Element element = Element::none;
  Scale scale;
  const char* function = "";  ///< the program's call, which errors name
};

/// Which operations a wait is for: those of a handle, or implicit ones.
using Ticket = std::int32_t;
constexpr Ticket no_ticket = 0;  ///< of operations that their caller waits for at once
constexpr Ticket implicit_ticket = -1;

/// Data take one of four ways:
///   within a node      copied by the caller between the node's ranks
///   direct             network PUT or GET, if both sides are contiguous (CASTOR_ARMCI_DIRECT)
///   eager GET          network GET of contiguous data up to the limit (CASTOR_ARMCI_EAGER_GET)
///   by the helper      a request to the helper thread of the target's node; it answers when the
///                      target's memory is as it should be, which gives its buffer back, too
/// What one rank does to a node's memory in different ways must not overtake itself: before a way
/// is taken, what went another way is awaited.
class Client {
 public:
  Client(rma::RmaPort& port, const PeerTable& peers, RemoteMemory& memory);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Whether the remote patch is within one block of `proc`'s; of a list, each run in one.
  bool reaches(const Transfer& transfer) const;
  /// Begins a transfer; waits for room where there is none. False if it does not reach: nothing has
  /// been done.
  bool start(const Transfer& transfer, Ticket ticket);
  /// Waits until the operations of a ticket, to `proc` or (-1) all, are locally complete. False if
  /// one has failed.
  bool wait(Ticket ticket, int proc = -1);
  bool test(Ticket ticket, bool& failed);
  /// Waits until what this rank has done to `proc`'s memory is visible there, and implicit
  /// operations are complete.
  void fence(int proc);
  void fence_all();

  /// Fetches the word at `remote`, of 4 or 8 bytes, and adds to it or replaces it. False as above.
  bool read_modify_write(Update update, bool wide, std::uint64_t remote, int proc,
                         std::int64_t operand, std::int64_t& old);
  /// `mutex`: see mutex_number().
  void lock(std::int64_t mutex, int proc);
  /// After a fence. False if the caller does not have it.
  bool unlock(std::int64_t mutex, int proc);
  /// Asks this process's own helper to end.
  void stop_helper();

  /// Takes in what has come.
  bool progress();
  /// Where helpers answer: what the rank publishes.
  void publish(Peer& own) const;

 private:
  struct Operation;
  struct Link;
  class Awaited;
  using Operations = std::list<std::unique_ptr<Operation>>;

  Link& link_to(int proc);
  bool on_this_node(int proc) const;
  template <typename Done>
  void wait_until(Done done);

  void start_in(const Slot& slot, const Transfer& transfer, Ticket ticket);
  bool start_by_block(const Transfer& transfer, Ticket ticket);
  void copy_within_node(const Transfer& transfer, const Slot& slot);
  bool goes_direct(const Transfer& transfer) const;
  void start_direct(const Transfer& transfer, const Slot& slot, Ticket ticket);
  void start_requests(const Transfer& transfer, const Slot& slot, Ticket ticket);
  static std::int64_t most_of_run(const Transfer& transfer);
  void start_by_run(const Transfer& transfer, const Slot& slot, Ticket ticket);
  void start_request(const Transfer& transfer, const Slot& slot, std::int64_t first,
                     std::int64_t count, Ticket ticket);
  Operation& begin(int proc, Ticket ticket);
  [[noreturn]] void fail_local(const Transfer& transfer, gni_return_t code) const;
  void offer_memory(Operation& op, const Transfer& transfer, std::int64_t first, std::int64_t count,
                    RequestHeader& header);
  /// Sends header, description and data, which stand in op.message, when there is a buffer.
  void send(Operation& op, RequestHeader& header);
  /// A request without data; its answer.
  std::uint64_t ask(RequestHeader& header, int proc);
  void charge_copy(std::int64_t runs, std::int64_t bytes) const;
  bool any_under_way(Ticket ticket, int proc) const;
  bool tell(Ticket ticket, int proc);
  bool is_locally_complete(const Operation& op) const;
  void finish(Operation& op);
  bool advance();

  rma::RmaPort& port_;
  const PeerTable& peers_;
  RemoteMemory& memory_;
  corespec::Process& process_;
  const corespec::Parameters& parameters_;
  gni_cq_handle_t answers_queue_ = nullptr;
  std::unique_ptr<std::uint64_t[]> answers_;  ///< page of answers, by request number
  gni_mem_handle_t answers_handle_{};
  std::unique_ptr<rma::RegistrationCache> landing_;  ///< registrations that answer with an event
  std::map<int, std::unique_ptr<Link>> links_;       ///< by lowest rank of the node
  Operations operations_;
  std::vector<Operation*> by_number_;
  std::vector<std::uint32_t> free_numbers_;
  std::vector<std::vector<std::byte>> spare_messages_;
  std::map<Ticket, int> failures_;
};

}  // namespace armci
