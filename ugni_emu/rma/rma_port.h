// One process's one-sided access to its job over uGNI: what DMAPP, ARMCI and MPI's windows share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corespec/threads/process.h"
#include "corespec/threads/signal.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/rma/registration_cache.h"

namespace rma {

struct Completion;

/// Hears that transfers are complete: from within poll(), so it must not wait.
class CompletionListener {
 public:
  virtual void completed(Completion& completion) = 0;

 protected:
  ~CompletionListener() = default;
};

/// How far one or several transfers are. Stays where it is until complete() holds.
struct Completion {
  std::uint32_t local = 0;               ///< posts whose local memory is still in use
  std::uint32_t global = 0;              ///< posts not yet visible at the target, or not yet here
  gni_return_t result = GNI_RC_SUCCESS;  ///< the first error
  /// The transfers' local memory is a program's: if it cannot be registered, the result says so
  /// (see memory_fault()), and nothing of it is moved. Else that ends the job.
  bool tells_bad_memory = false;
  /// No thread sleeps until it is complete: its events go into a queue that interrupts none, and
  /// are taken in when a thread polls.
  bool quiet = false;
  CompletionListener* listener = nullptr;  ///< hears of each moment at which it is complete
  bool locally_complete() const { return local == 0; }
  bool complete() const { return local == 0 && global == 0; }
};

/// What is wrong with local memory ("..., which is not there"), if that is what a result says; else
/// null.
const char* memory_fault(gni_return_t result);

/// Opens a communication domain of its own, makes endpoints on first use, makes posts of transfers
/// of any alignment and takes in their completions. Any local memory will do: what the BTE reads
/// and what GETs write is registered through the cache; bytes that GETs cannot move directly (not
/// whole words, or not as far from a word on both sides) come through a buffer and are copied.
///
/// A peer is an instance: rank r's port of group g is peer g * size + r.
///
/// For the threads of its process, one at a time (its owner has the lock, if there is one). Posting
/// never waits: false means that nothing was done, since the NIC or the window of outstanding posts
/// has no room, and that the caller polls and tries again. Costs are those of the GNI calls, of
/// looking registrations up and of copies.
///
/// What fails is posted again, CASTOR_POST_TRIES times at most, where GNI_CqErrorRecoverable says
/// that it does no harm (and memory is registered again as often, where the NIC has no room for it
/// and nothing can be given back), or where the target has lost the event of put_with_event(), and
/// so cannot have used the data. Then, or if it is not recoverable, it has failed for good. This
/// takes a port that keeps what it needs for it: where transactions may fail
/// (corespec::Parameters::transactions_may_fail()),
///   - it copies what FMA PUTs have taken until they are complete; nothing is charged for that;
///   - PUTs are locally complete when they are complete: a caller that then polls no more leaves
///     none behind (FMA's source may be reused at once all the same);
///   - of PUTs and AMOs that come in order to a peer one is under way, the others wait for it;
///   - completions are not quiet: an event may be work for a thread that sleeps.
class RmaPort {
 public:
  struct Settings {
    std::uint32_t cookie_offset = 0;  ///< of the domain's cookie to the job's
    int instance_group = 0;  ///< the domain's instance is this times the job's size, plus the rank
    gni_cq_mode_t queue_mode = GNI_CQ_NOBLOCK;  ///< of the queue of completions
    std::uint64_t offload_threshold = 4096;     ///< bytes: up to here by FMA, above by the BTE
    std::uint32_t most_outstanding = 512;       ///< posts under way
    // GNI_DLVMODE_*. Of those that are IN_ORDER, PUTs by FMA and AMOs to a peer's memory come in
    // the order of the calls; no others do.
    std::uint16_t fma_put_delivery = GNI_DLVMODE_PERFORMANCE;
    std::uint16_t bte_put_delivery = GNI_DLVMODE_PERFORMANCE;
    std::uint16_t get_delivery = GNI_DLVMODE_PERFORMANCE;
    std::uint16_t amo_delivery = GNI_DLVMODE_PERFORMANCE;
    bool gives_way = false;  ///< a thread that waits lets others of its CPU go first (sched_yield)
    /// The owner looks at completions' results. Else a transfer that fails for good ends the job.
    bool looks_at_results = false;
  };
  /// Bytes of one call of put() and get(), at most.
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
  /// Registered memory begins and ends at multiples of this, so that words may be read whole.
  static constexpr std::uint64_t granule = 8;

  /// Opens the domain. What fails here or later without being the caller's mistake ends the job
  /// with one line that begins with `name`.
  RmaPort(corespec::Process& process, const char* name, const Settings& settings);
  /// Works in a domain that its owner has attached, with GNI_CDM_MODE_DUAL_EVENTS, and closes after
  /// this port: instance and cookie of `settings` mean nothing, peers are the job's ranks.
  RmaPort(corespec::Process& process, const char* name, const Settings& settings,
          gni_nic_handle_t nic);
  ~RmaPort();
  RmaPort(const RmaPort&) = delete;
  RmaPort& operator=(const RmaPort&) = delete;

  corespec::Process& process() const { return *process_; }
  gni_nic_handle_t nic() const { return nic_; }
  RegistrationCache& registrations() { return *registrations_; }
  const Settings& settings() const { return settings_; }
  /// Thresholds and delivery modes may change at any time, the window only while nothing is under
  /// way.
  void change(const Settings& settings);

  /// Registers memory that peers may reach: at least [address, address + bytes), widened to
  /// granules. Remote events go into `queue` (null = none).
  gni_return_t register_memory(const void* address, std::uint64_t bytes, gni_cq_handle_t queue,
                               gni_mem_handle_t& handle);
  gni_return_t deregister_memory(gni_mem_handle_t& handle);
  /// A queue of this port's domain; the caller destroys it.
  gni_cq_handle_t make_queue(std::uint32_t entries, gni_cq_mode_t mode);

  /// 1 to most_bytes bytes from `source` to address `target` in the memory of `peer` that `handle`
  /// names. Locally complete when the source may be reused: at once, if FMA took the bytes.
  bool put(Completion& completion, int peer, const void* source, std::uint64_t target,
           const gni_mem_handle_t& handle, std::uint64_t bytes);
  /// A put with an event in the queue of the target's region, whose word is `event`, when the bytes
  /// are there.
  bool put_with_event(Completion& completion, int peer, const void* source, std::uint64_t target,
                      const gni_mem_handle_t& handle, std::uint64_t bytes, std::uint32_t event);
  /// A put, and after it `value` in the aligned 8 bytes at `flag` in the same memory: a thread
  /// that sees the value sees the data.
  bool put_with_flag(Completion& completion, int peer, const void* source, std::uint64_t target,
                     const gni_mem_handle_t& handle, std::uint64_t bytes, std::uint64_t flag,
                     std::uint64_t value);
  /// The other direction: complete when the bytes are in `target`.
  bool get(Completion& completion, int peer, void* target, std::uint64_t source,
           const gni_mem_handle_t& handle, std::uint64_t bytes);
  /// An AMO (GNI_FMA_ATOMIC_*) on the aligned 8 bytes at `target`. A fetching one writes the old
  /// value to `result`, any 8 bytes; others ignore it.
  bool atomic(Completion& completion, int peer, gni_fma_cmd_type_t command, std::uint64_t target,
              const gni_mem_handle_t& handle, std::uint64_t first, std::uint64_t second,
              void* result);

  /// Takes in completions. True if there were any.
  bool poll();
  /// The queue of completions, for a thread that sleeps on it, and what became of an entry that it
  /// took from there itself (`code` is what the queue gave it with).
  gni_cq_handle_t queue() const { return queue_; }
  void take(gni_return_t code, gni_cq_entry_t entry);
  /// Polls until `done()` holds, spinning between two looks.
  template <typename Done>
  void wait_until(Done done) {
    while (!done()) {
      const std::uint64_t seen = arrivals_->epoch();
      if (!poll() && !done()) spin(seen);
    }
  }
  /// Spins until something arrives after the arrival signal's epoch was `seen`.
  void spin(std::uint64_t seen);
  void wait(const Completion& completion) {
    wait_until([&completion] { return completion.complete(); });
  }
  /// Calls `post()` until it returns true, polling in between.
  template <typename Post>
  void insist(Post post) {
    for (;;) {
      const std::uint64_t seen = arrivals_->epoch();
      if (post()) return;
      if (!poll()) spin(seen);
    }
  }
  std::uint32_t outstanding() const { return outstanding_; }
  /// Posts wait until the NIC has room for them: poll() makes them, and no event says when. (The
  /// arrival signal does.)
  bool waits_for_room() const { return !waiting_.empty(); }
  corespec::Signal& arrivals() { return *arrivals_; }

  /// A queue of remote events gave `entry` with `code`, an error. Returns if an event of
  /// put_with_event() has found no room there: it comes again. Else ends the job.
  void take_overrun(gni_return_t code, gni_cq_entry_t entry, const char* queue) const;

  /// Ends the job: `call` returned `code`.
  [[noreturn]] void fail(const char* call, gni_return_t code) const;
  /// Ends the job, because of the transfer that has failed last.
  [[noreturn]] void fail_transfer() const;

 private:
  struct Piece;
  struct Chunk;
  /// A piece of a GET: what is fetched, and what of it goes where.
  struct Fetch;

  void open();
  bool room(std::uint32_t posts) const {
    return outstanding_ + posts <= settings_.most_outstanding;
  }
  gni_ep_handle_t endpoint(int peer, bool quiet);
  bool poll(gni_cq_handle_t queue);
  void take(gni_cq_handle_t queue, gni_return_t code, gni_cq_entry_t entry);
  Piece* take_piece();
  void give_back(Piece* piece);
  Piece& piece_for(Completion& completion, const gni_mem_handle_t& handle, std::uint64_t remote,
                   gni_post_type_t type, std::uint16_t delivery);
  /// Null if the source cannot be registered.
  Piece* piece_to_put(Completion& completion, const gni_mem_handle_t& handle, std::uint64_t target,
                      const void* source, std::uint64_t bytes);
  void post(Piece& piece, int peer, std::uint64_t bytes);
  bool try_post(Piece& piece);
  /// Before the first post, where transactions may fail. False: it is not its turn yet.
  bool keep(Piece& piece);
  /// Makes the posts that wait, as far as there is room. True if there were any.
  bool post_waiting();
  /// It has failed, as `entry` says. True if it is posted again.
  bool repeat(Piece& piece, gni_cq_entry_t entry);
  void note_failure(const Piece& piece, gni_cq_entry_t entry);
  /// What the transfer does with local memory.
  enum class Use : std::uint8_t { reads, writes };
  /// False if the memory is not there, or not for this use: the completion says why, and the piece
  /// is not to be posted.
  bool register_local(Piece& piece, const void* memory, std::uint64_t bytes, Use use);
  bool cannot_use(Piece& piece, const void* memory, std::uint64_t bytes, gni_return_t code);
  /// Memory of the port's own.
  void register_own(const void* memory, std::uint64_t bytes, gni_mem_handle_t& handle);
  void land_in_buffer(Piece& piece, const Fetch& fetch);
  void finish(Piece& piece);
  [[noreturn]] void end_job(const std::string& why) const;

  corespec::Process* process_;
  const char* name_;
  Settings settings_;
  gni_cdm_handle_t cdm_ = nullptr;
  gni_nic_handle_t nic_ = nullptr;
  gni_cq_handle_t queue_ = nullptr;
  corespec::Signal* arrivals_ = nullptr;
  std::unique_ptr<RegistrationCache> registrations_;
  gni_cq_handle_t quiet_queue_ = nullptr;                       ///< once a completion is quiet
  std::map<int, gni_ep_handle_t> endpoints_, quiet_endpoints_;  ///< by peer
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Piece* free_ = nullptr;
  std::uint32_t outstanding_ = 0;
  const bool keeps_;                            ///< transactions may fail
  std::map<int, std::deque<Piece*>> in_order_;  ///< by peer: the first one is under way
  std::deque<Piece*> waiting_;                  ///< to be posted when there is room
  std::string failure_;                         ///< what has failed for good last, and why
};

}  // namespace rma
