// The live wire: transactions between processes, in shared memory or by libfabric.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "corespec/job/job.h"
#include "corespec/live/live_domain.h"
#include "corespec/threads/node.h"
#include "ugni_emu/fabric/delays.h"
#include "ugni_emu/faults/rank_faults.h"
#include "ugni_emu/gemini/topology/topology.h"
#include "ugni_emu/wire/wire.h"

namespace ugni {

/// One process's end of the wire. Its NIC attaches under its node's address; the other processes of
/// its node do so in their own address space. A transaction goes to the process that has registered
/// the region which it names, a datagram to the one that has attached the communication domain.
/// Everything happens holding the domain.
class FabricWire final : public Wire, public corespec::ArrivalSource {
 public:
  struct Place {
    int rank = 0;                          ///< of this process, in the job
    std::vector<int> nid;                  ///< by rank
    std::vector<int> host;                 ///< by rank: equal numbers are on one host
    faults::RankFaults* faults = nullptr;  ///< what is to go wrong here; null: nothing
  };

  /// What is to be added to this process's clock so that it agrees with the first host's
  /// (LiveClock::correct); zero on the first host.
  using CorrectClock = std::function<void(corespec::Time)>;

  /// Opens transports and finds out how to reach every rank: collective over the job
  /// (job.allgather() by `process`). `domain` is the process's LiveDomain; `correct_clock` is
  /// called once before the constructor returns. Throws std::runtime_error with one line
  /// (provider, what failed, what to set).
  FabricWire(corespec::Process& process, corespec::EventDomain& domain, Place place,
             const gemini::Topology& topology, const CorrectClock& correct_clock = {});
  ~FabricWire() override;

  // Wire
  void attach(NicAddress address, WireClient& client, corespec::EventDomain& domain) override;
  Submission& prepare(NicAddress source) override;
  void drop(Submission& submission) override;
  std::uint64_t expose(const ExposedRegion& region) override;
  void conceal(std::uint64_t registration) override;
  bool claim_region(NicAddress address, const ProtectionName& protection,
                    std::uint16_t number) override;
  void release_region(NicAddress address, const ProtectionName& protection,
                      std::uint16_t number) override;
  std::uint32_t regions_of_others(NicAddress address,
                                  const ProtectionName& protection) const override;
  bool reads_at_once(NicAddress target) const override;
  bool domain_attached(NicAddress address, const DomainName& name) override;
  void domain_detached(NicAddress address, const DomainName& name) override;
  corespec::Time least_delay() const override;

  // ArrivalSource
  bool poll() override;
  void flush() override;
  void arm(Sleeper sleeper) override;
  void set_waiter(const corespec::Guest& guest) override;
  void disarm() override;
  bool quieten() override;
  corespec::futex::Word* word() override;
  std::vector<int> wait_descriptors() const override;

  /// How far the clocks of the job's hosts may be apart after correction; zero on one host.
  corespec::Time clock_error() const;
  /// "shared memory", or "shared memory within this host, tcp between hosts".
  std::string providers() const;
  /// How late transactions of other processes came, by the modelled network's time.
  const fabric::Lateness& lateness() const;
  /// Arrivals that were dropped unread, because no process of the job had sent them.
  std::uint64_t refused() const;
  /// What a transport does with each arrival, here on behalf of `rank` (-1: some process of the
  /// job): for tests of what others might send.
  void received(std::span<const std::byte> arrived, int rank);
  /// How often this process was woken up by another one of its host.
  std::uint64_t wake_ups() const;

  /// Removes what jobs have left in /dev/shm that were killed between the making of their shared
  /// regions and the meeting of their processes; later there is nothing to remove. Done at every
  /// start as well.
  static void remove_left_over();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ugni
