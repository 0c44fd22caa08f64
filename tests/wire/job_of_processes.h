// A job of forked processes that meet in shared memory: a launcher for tests of the live wire.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/live/live_domain.h"
#include "corespec/threads/node.h"
#include "corespec/threads/process.h"
#include "tests/wire/recording_client.h"
#include "ugni_emu/fabric/fabric_wire.h"
#include "ugni_emu/faults/rank_faults.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace wire_test {

/// Who is where, and the parameters that matter here.
struct Arrangement {
  std::vector<int> nid{0, 1};
  std::vector<int> host{0, 0};
  std::string provider = "auto";
  std::string network = "none";
  /// What a NIC takes to handle a datagram and a collective engine for a step; zero: the defaults.
  corespec::Time nic_steps{};
  std::string faults{};  ///< statements
};

/// What the processes share: made before they are forked.
class SharedPart {
 public:
  explicit SharedPart(int size);
  ~SharedPart();
  SharedPart(const SharedPart&) = delete;
  SharedPart& operator=(const SharedPart&) = delete;

  void barrier();
  std::byte* exchange() { return memory_ + head_bytes; }
  std::byte* node_segment(int nid, const std::string& name, std::size_t bytes);
  /// Numbers for the test's own use.
  std::atomic<std::uint64_t>& word(std::size_t index);

  static constexpr std::size_t head_bytes = 4096;
  static constexpr std::size_t exchange_bytes = 1 << 20;

 private:
  struct Head {
    std::atomic<std::uint32_t> arrived{0};
    std::atomic<std::uint32_t> round{0};
    std::atomic<std::uint64_t> words[64];
    std::int64_t start = 0;
  };
  Head& head() { return *reinterpret_cast<Head*>(memory_); }
  int size_;
  std::byte* memory_;
};

/// One process of the job, with its end of the wire and a client on it.
class Rank {
 public:
  Rank(SharedPart& shared, const Arrangement& arrangement, int rank, std::int64_t start);
  ~Rank();
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(arrangement_.nid.size()); }
  ugni::NicAddress nid_of(int other) const {
    return static_cast<ugni::NicAddress>(arrangement_.nid[static_cast<std::size_t>(other)]);
  }
  RecordingClient& client() { return *client_; }
  ugni::FabricWire& wire() { return *wire_; }
  corespec::LiveDomain& domain() { return *domain_; }
  /// Only of an arrangement with faults.
  faults::RankFaults& faults() { return *faults_; }
  corespec::Node& node();
  std::atomic<std::uint64_t>& word(std::size_t index) { return shared_.word(index); }

  /// As a process does that ends, before what it has on the wire goes: nothing comes in and no
  /// event of its domain runs any more. Once; the destructor does it otherwise.
  void leave();
  /// Its process ends in order, with code 0, whatever the others do.
  [[noreturn]] void end();
  corespec::Process& process();
  /// Its clock goes on by so much at once. For a rank whose domain no thread serves.
  void let_pass(corespec::Time time) { clock_->correct(time); }

  /// Polls until `done`; throws after twenty seconds.
  void until(const std::function<bool()>& done, const char* what);
  /// All ranks have got here, each polling meanwhile; none polls any more when one goes on.
  void meet();
  /// The same without polling.
  void stand_still() { shared_.barrier(); }
  /// An attached domain of this rank, named by its number.
  void attach_own_domain();
  /// A transaction to `target`'s own domain.
  ugni::Transaction to(int target, ugni::TransactionKind kind) const;
  /// Hands over a transaction as the NIC does: under a number of the client's.
  std::uint64_t submit(ugni::Transaction transaction, std::span<std::byte> local,
                       ugni::Payload payload = {});

 private:
  struct Machine;
  SharedPart& shared_;
  const Arrangement& arrangement_;
  int rank_;
  std::unique_ptr<corespec::LiveClock> clock_;
  std::unique_ptr<corespec::LiveDomain> domain_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<RecordingClient> client_;
  std::unique_ptr<faults::FaultPlan> plan_;
  std::unique_ptr<faults::RankFaults> faults_;
  std::unique_ptr<ugni::FabricWire> wire_;
  std::uint64_t meetings_ = 0;
  bool left_ = false;
};

/// Runs `body` in a process per rank. Fails the test if one of them throws or is killed, except
/// the ranks in `killed`.
void run(const Arrangement& arrangement, const std::function<void(Rank&)>& body,
         const std::vector<int>& killed = {});

/// True if something makes the descriptors of the rank's wire readable in time.
bool woken(Rank& self, int milliseconds);

/// Arms, looks once more, and again while there is something.
void go_to_sleep(Rank& self);

/// Throws what() = `what` if not `holds`.
void require(bool holds, const std::string& what);

/// Bytes that differ from offset to offset and from seed to seed.
std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed);

/// What may carry messages between two processes of a host: our queues, libfabric's shared memory,
/// a network.
inline auto every_provider() { return testing::Values("auto", "shm", "tcp;ofi_rxm"); }
std::string provider_name(const testing::TestParamInfo<const char*>& provider);

}  // namespace wire_test
