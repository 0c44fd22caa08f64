// A wire around another that loses, delays and records transactions, and counts what comes back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/wire/wire_around.h"

namespace castor_test {

class DisturbedWire final : public ugni::WireAround, private corespec::Event {
 public:
  struct Verdict {
    bool lost = false;
    corespec::Time delay;  ///< 0: at once
  };
  struct Entry {
    corespec::Time at;
    ugni::Transaction transaction;
    std::size_t payload = 0;
  };

  DisturbedWire(ugni::Wire& inner, corespec::EventSource& source,
                std::function<Verdict(const ugni::Transaction&)> judge)
      : WireAround(inner), source_(source), judge_(std::move(judge)) {}

  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override {
    domains_[address] = &domain;
    WireAround::attach(address, clients_.emplace_back(client, *this), domain);
  }

  const std::vector<Entry>& entries() const { return entries_; }
  std::uint64_t responses() const { return responses_; }

 private:
  class Client final : public ugni::WireClientAround {
   public:
    Client(ugni::WireClient& inner, DisturbedWire& owner)
        : WireClientAround(inner), owner_(owner) {}
    void response_arrived(ugni::SegmentView segment) override {
      owner_.responses_ += segment.last ? 1 : 0;
      WireClientAround::response_arrived(segment);
    }

   private:
    DisturbedWire& owner_;
  };

  void enter(const ugni::Transaction& transaction, ugni::Payload payload) override {
    corespec::EventDomain& domain = *domains_.at(transaction.source);
    entries_.push_back({domain.now(), transaction, payload.size()});
    const Verdict verdict = judge_(transaction);
    if (verdict.lost) return;
    if (verdict.delay == corespec::Time()) {
      pass_on(transaction, std::move(payload));
      return;
    }
    delayed_.emplace_back(transaction, std::move(payload));
    domain.schedule(domain.now() + verdict.delay, source_, *this, delayed_.size() - 1);
  }
  void fire(std::uint64_t index) override {
    auto& [transaction, payload] = delayed_[index];
    pass_on(transaction, std::move(payload));
  }

  corespec::EventSource& source_;
  std::function<Verdict(const ugni::Transaction&)> judge_;
  std::map<ugni::NicAddress, corespec::EventDomain*> domains_;
  std::deque<Client> clients_;
  std::vector<Entry> entries_;
  std::deque<std::pair<ugni::Transaction, ugni::Payload>> delayed_;
  std::uint64_t responses_ = 0;
};

}  // namespace castor_test
