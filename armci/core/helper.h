// The communication helper thread of a node (CHT): acts on requests for its ranks' memory.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "armci/core/helper_request.h"
#include "armci/core/helper_statistics.h"
#include "armci/core/node_lock.h"
#include "armci/core/peers.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "ugni_emu/rma/rma_port.h"

namespace armci {

/// Of the cookie of ARMCI's domain to the job's: ranks and helpers are in one domain.
constexpr std::uint32_t cookie_offset = 2;

/// Belongs to the process of its node's lowest rank, on a port of its own. Each client of the job
/// has buffers here; a request in one of them raises an event. Requests are begun in the order of
/// these events, and memory is changed in that order where data came with the request; what has to
/// be fetched first is put in place when it is there. The answer tells the client that memory is as
/// it should be, and gives it the buffer back.
class Helper {
 public:
  explicit Helper(corespec::Process& process);
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  /// Where clients put their requests: what the rank publishes.
  void publish(Peer& own) const;
  /// When all ranks have published; ends with a stop request.
  void start(const PeerTable& peers);
  void join();

  /// Prints what it has done, if CASTOR_ARMCI_CHT_STATS says so: after join().
  void report() const;

 private:
  /// A request whose data are under way.
  struct Task {
    RequestHeader header;
    Patch patch;  ///< in this process's view of the target's memory
    rma::Completion network;
    std::vector<std::byte> data;
    bool over = false;
  };
  struct Mutex {
    int holder = -1;
    std::deque<std::pair<int, std::uint32_t>> waiting;  ///< client and its request's number
  };

  void run();
  /// Waits for something to do as CASTOR_ARMCI_CHT_WAIT says, and does what has come.
  void wait_blocked();
  void wait_polling();
  void take(gni_return_t code, gni_cq_entry_t entry);
  template <typename Wait>
  void timed(Wait wait);
  [[noreturn]] void fail(int client, const char* fault);
  // Of a request that has been checked.
  void handle(const RequestHeader& header, Patch patch, std::span<const std::byte> rest);
  void put(const RequestHeader& header, Patch patch, const std::byte* data);
  void get(const RequestHeader& header, Patch patch);
  void fetch(Task& task);
  void store(const RequestHeader& header, const Patch& patch, const std::byte* data);
  void advance();
  void lock(const RequestHeader& header);
  void unlock(const RequestHeader& header);
  void answer(int client, std::uint32_t number, std::uint64_t value);
  void charge_copy(std::int64_t runs, std::int64_t bytes) const;

  corespec::Process& process_;
  const corespec::Parameters& parameters_;
  bool blocked_;
  rma::RmaPort port_;
  gni_cq_handle_t requests_ = nullptr;
  std::byte* buffers_ = nullptr;
  gni_mem_handle_t buffers_handle_{};
  const PeerTable* peers_ = nullptr;
  corespec::Thread* thread_ = nullptr;
  bool stopping_ = false;
  std::list<Task> tasks_;
  rma::Completion answers_;
  std::map<std::pair<int, std::int64_t>, Mutex> mutexes_;  ///< by owner and number
  HelperStatistics statistics_;
};

}  // namespace armci
