// A wire around another: the base of what stands between NICs and network.
#pragma once

#include <deque>
#include <span>
#include <utility>

#include "ugni_emu/wire/wire.h"

namespace ugni {

/// Hands everything on to the wire inside, which does not know of it. A class derived from it
/// loses, delays, counts or records transactions in enter(), and what comes to a NIC by giving
/// another client to the wire inside in attach(). Wires may stand around each other.
///
/// A transaction is filled in in a record of its own here and copied into that of the wire inside:
/// the price of standing between, paid only then.
class WireAround : public Wire {
 public:
  /// `inner` outlives it.
  explicit WireAround(Wire& inner) : inner_(&inner) {}
  ~WireAround() override;

  void attach(NicAddress address, WireClient& client, corespec::EventDomain& domain) override {
    inner_->attach(address, client, domain);
  }
  /// Accepts any source; the wire inside refuses one without a NIC when it is performed.
  Submission& prepare(NicAddress source) final;
  void drop(Submission& submission) final;

  std::uint64_t expose(const ExposedRegion& region) override { return inner_->expose(region); }
  void conceal(std::uint64_t registration) override { inner_->conceal(registration); }
  bool claim_region(NicAddress address, const ProtectionName& protection,
                    std::uint16_t number) override {
    return inner_->claim_region(address, protection, number);
  }
  void release_region(NicAddress address, const ProtectionName& protection,
                      std::uint16_t number) override {
    inner_->release_region(address, protection, number);
  }
  std::uint32_t regions_of_others(NicAddress address,
                                  const ProtectionName& protection) const override {
    return inner_->regions_of_others(address, protection);
  }
  bool reads_at_once(NicAddress target) const override { return inner_->reads_at_once(target); }
  bool domain_attached(NicAddress address, const DomainName& name) override {
    return inner_->domain_attached(address, name);
  }
  void domain_detached(NicAddress address, const DomainName& name) override {
    inner_->domain_detached(address, name);
  }
  bool read_registers(NicAddress address, RegisterRead& read) override {
    return inner_->read_registers(address, read);
  }
  NicFaults* faults_at(NicAddress address) override { return inner_->faults_at(address); }
  corespec::Time least_delay() const override { return inner_->least_delay(); }

 protected:
  /// A transaction is submitted: from within its source's domain, at its now().
  virtual void enter(const Transaction& transaction, Payload payload) {
    pass_on(transaction, std::move(payload));
  }
  /// To the wire inside: as submit(), from within the source's domain.
  void pass_on(const Transaction& transaction, Payload payload) {
    inner_->submit(transaction, std::move(payload));
  }

 private:
  struct Record final : Submission {
    void perform() override;
    WireAround* owner = nullptr;
    Record* next_free = nullptr;
  };
  void give_back(Record& record);

  Wire* inner_;
  std::deque<Record> records_;
  Record* free_ = nullptr;
};

/// What stands between a wire and a NIC: hands every call on.
class WireClientAround : public WireClient {
 public:
  /// `inner` outlives it.
  explicit WireClientAround(WireClient& inner) : inner_(&inner) {}
  ~WireClientAround() override;

  void read_source(Transaction& transaction, std::uint64_t offset,
                   std::span<std::byte> into) override {
    inner_->read_source(transaction, offset, into);
  }
  bool has_source_data(const Transaction& transaction) override {
    return inner_->has_source_data(transaction);
  }
  void request_sent(const Transaction& transaction) override { inner_->request_sent(transaction); }
  bool awaits_sent(const Transaction& transaction) override {
    return inner_->awaits_sent(transaction);
  }
  ResponseUrgency response_urgency(const Transaction& transaction) override {
    return inner_->response_urgency(transaction);
  }
  ResponseStatus request_arrived(SegmentView segment) override {
    return inner_->request_arrived(segment);
  }
  void response_arrived(SegmentView segment) override { inner_->response_arrived(segment); }
  DirectMemory source_memory(const Transaction& transaction) override {
    return inner_->source_memory(transaction);
  }
  DirectMemory target_memory(const Transaction& transaction) override {
    return inner_->target_memory(transaction);
  }

 private:
  WireClient* inner_;
};

}  // namespace ugni
