// A client of the wire that keeps what it is told: a NIC without queues.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/wire/wire.h"

namespace wire_test {

class RecordingClient final : public ugni::WireClient {
 public:
  /// Transaction::subkind of those whose responses nobody waits for.
  static constexpr std::uint16_t patient = 77;

  /// A transaction of this process's.
  struct Post {
    ugni::Transaction transaction;
    std::span<std::byte> local;
    std::uint64_t answered = 0;  ///< bytes
    int sent = 0;
    bool ended = false;
    bool in_place = false;
    bool sent_after_end = false;
    ugni::ResponseStatus status = ugni::ResponseStatus::ok;
    corespec::Time ended_at;
  };
  /// One that has arrived here, whole.
  struct Arrival {
    ugni::Transaction transaction;
    std::vector<std::byte> data;  ///< what came in payloads
    bool in_place = false;
    corespec::Time at;
  };

  RecordingClient(ugni::Wire*& wire, corespec::EventDomain& domain)
      : wire_(&wire), domain_(&domain) {}

  /// Registers memory; the result is a handle.
  std::uint64_t add(std::span<std::byte> memory, bool direct = true, bool writable = true,
                    bool wakes = true);
  /// What source_memory() says of all PUTs: see ugni::DirectMemory.
  bool moves_ahead = false;
  bool moves_unnoticed = false;
  bool keeps_payloads = false;  ///< regions added from now on are not to be read in memory
  void drop(std::uint64_t handle);
  void attach(const ugni::DomainName& name) { domains_.insert(name); }
  void detach(const ugni::DomainName& name) { domains_.erase(name); }
  std::uint64_t begin(ugni::Transaction& transaction, std::span<std::byte> local);
  const Post& post(std::uint64_t number) const { return posts_.at(number); }
  bool all_ended() const;

  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  void forget_arrivals() { arrivals_.clear(); }
  std::uint64_t arrived() const { return arrived_; }
  void keep_arrivals(bool keep) { keep_ = keep; }
  /// Called when a request has arrived, before it is answered.
  std::function<void()> on_arrival;

  // WireClient
  void read_source(ugni::Transaction& transaction, std::uint64_t offset,
                   std::span<std::byte> into) override;
  void request_sent(const ugni::Transaction& transaction) override;
  bool awaits_sent(const ugni::Transaction& transaction) override;
  ugni::ResponseUrgency response_urgency(const ugni::Transaction& transaction) override {
    return transaction.subkind == patient ? ugni::ResponseUrgency::whenever
                                          : ugni::ResponseUrgency::wakes;
  }
  ugni::ResponseStatus request_arrived(ugni::SegmentView segment) override;
  void response_arrived(ugni::SegmentView segment) override;
  ugni::DirectMemory source_memory(const ugni::Transaction& transaction) override;
  ugni::DirectMemory target_memory(const ugni::Transaction& transaction) override;

 private:
  struct Region {
    std::span<std::byte> memory;
    std::uint64_t registration = 0;
    bool writable = true;
  };
  ugni::ResponseStatus check(const ugni::Transaction& transaction);

  ugni::Wire** wire_;
  corespec::EventDomain* domain_;
  std::map<std::uint64_t, Region> regions_;
  std::set<ugni::DomainName> domains_;
  std::map<std::uint64_t, Post> posts_;
  std::vector<Arrival> arrivals_;
  /// Of what has not arrived as a whole, by sender and injector.
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<std::byte>> pieces_;
  std::uint64_t arrived_ = 0;
  bool keep_ = true;
  std::uint64_t next_handle_ = 1;
  std::uint64_t next_number_ = 1;
};

}  // namespace wire_test
