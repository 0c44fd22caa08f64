// A small deterministic machine for the network's tests: one event queue, recording NICs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/events/event_domain.h"
#include "ugni_emu/gemini/make_network.h"
#include "ugni_emu/gemini/topology/make_topology.h"
#include "ugni_emu/gemini/topology/torus.h"

namespace gemini_test {

using corespec::Time;
using gemini::Nid;

using Bytes = std::vector<std::byte>;

/// Bytes of a fixed generator (64-bit LCG, Knuth's constants), high bits only.
inline Bytes random_bytes(std::size_t count, std::uint64_t seed) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(seed >> 56);
  }
  return bytes;
}

/// All domains' events in one queue, ordered by (time, source, the source's own counter).
class EventQueue {
 public:
  struct Entry {
    Time at;
    std::uint32_t source;
    std::uint64_t count;
    corespec::Event* event;
    std::uint64_t arg;
    bool operator>(const Entry& other) const {
      return std::tie(at, source, count) > std::tie(other.at, other.source, other.count);
    }
  };

  Time now() const { return now_; }
  std::uint64_t fired() const { return fired_; }
  void push(Time at, corespec::EventSource& source, corespec::Event& event, std::uint64_t arg) {
    EXPECT_GE(at, now_) << "an event in the past";
    entries_.push({at, source.id, source.count++, &event, arg});
  }
  void run(Time until = Time::max()) {
    while (!entries_.empty() && entries_.top().at <= until) {
      const Entry entry = entries_.top();
      entries_.pop();
      now_ = entry.at;
      ++fired_;
      entry.event->fire(entry.arg);
    }
  }

 private:
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_;
  Time now_;
  std::uint64_t fired_ = 0;
};

/// What domains are at least apart.
struct LeastDelays {
  Time routers;  ///< from each other
  Time node;     ///< from its router
};

/// A Gemini's router, or its two nodes.
class Domain final : public corespec::EventDomain {
 public:
  Domain(EventQueue& queue, const LeastDelays& delays, bool router)
      : queue_(queue), delays_(delays), router_(router) {}
  Time now() const override { return queue_.now(); }
  void schedule(Time at, corespec::EventSource& source, corespec::Event& event,
                std::uint64_t arg) override {
    queue_.push(at, source, event, arg);
  }
  void schedule_from(corespec::EventDomain& caller, Time at, corespec::EventSource& source,
                     corespec::Event& event, std::uint64_t arg) override {
    EXPECT_NE(&caller, this);
    const auto& from = static_cast<const Domain&>(caller);
    EXPECT_TRUE(router_ || from.router_) << "nodes reach each other through routers only";
    const Time least = router_ && from.router_ ? delays_.routers : delays_.node;
    EXPECT_GE(at, caller.now() + least) << "earlier than the least delay";
    queue_.push(at, source, event, arg);
  }
  void record(std::uint64_t what, std::uint64_t value) override {
    fingerprint = (fingerprint ^ what ^ value) * 1099511628211U + 1;
  }

  std::uint64_t fingerprint = 0;

 private:
  EventQueue& queue_;
  const LeastDelays& delays_;
  bool router_;
};

/// What a NIC was told, and when.
struct Call {
  Time at;
  ugni::Transaction transaction;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool last = false;
  ugni::ResponseStatus status = ugni::ResponseStatus::ok;
  std::size_t payload = 0;  ///< bytes that came along
};

/// A NIC that moves bytes between `memory` (remote addresses are offsets) and `buffers`.
class RecordingNic final : public ugni::WireClient {
 public:
  explicit RecordingNic(EventQueue& queue) : queue_(queue) {}

  void read_source(ugni::Transaction& transaction, std::uint64_t offset,
                   std::span<std::byte> into) override {
    const Bytes& buffer = buffers[transaction.initiator_key];
    ASSERT_LE(offset + into.size(), buffer.size());
    std::memcpy(into.data(), buffer.data() + offset, into.size());
  }
  bool awaits_sent(const ugni::Transaction&) override { return true; }
  void request_sent(const ugni::Transaction& transaction) override {
    sent.push_back({queue_.now(), transaction, 0, transaction.length, true, {}, 0});
  }
  ugni::ResponseStatus request_arrived(ugni::SegmentView segment) override {
    requests.push_back(call_of(segment));
    if (answer != ugni::ResponseStatus::ok) return answer;
    const std::uint64_t at = segment.transaction.remote_address + segment.offset;
    if (segment.transaction.kind == ugni::TransactionKind::get) {
      segment.payload = ugni::Payload(std::span(memory).subspan(at, segment.length));
    } else if (!segment.payload.empty()) {
      if (memory.size() < at + segment.length) memory.resize(at + segment.length);
      std::memcpy(memory.data() + at, segment.payload.bytes().data(), segment.length);
    }
    return ugni::ResponseStatus::ok;
  }
  void response_arrived(ugni::SegmentView segment) override {
    responses.push_back(call_of(segment));
    if (!segment.payload.empty()) {
      Bytes& buffer = buffers[segment.transaction.initiator_key];
      if (buffer.size() < segment.offset + segment.length) {
        buffer.resize(segment.offset + segment.length);
      }
      std::memcpy(buffer.data() + segment.offset, segment.payload.bytes().data(), segment.length);
    }
    if (on_response) on_response(responses.back());
  }

  /// Payload bytes of the requests that arrived by `until`.
  std::uint64_t bytes_arrived(Time until = Time::max()) const { return sum(requests, until); }
  /// Bytes of the responses that arrived by `until`.
  std::uint64_t bytes_answered(Time until = Time::max()) const { return sum(responses, until); }

  Bytes memory;
  std::map<std::uint64_t, Bytes> buffers;  ///< by initiator_key
  std::vector<Call> sent, requests, responses;
  ugni::ResponseStatus answer = ugni::ResponseStatus::ok;
  std::function<void(const Call&)> on_response;

 private:
  Call call_of(const ugni::SegmentView& segment) const {
    return {queue_.now(), segment.transaction, segment.offset,        segment.length,
            segment.last, segment.status,      segment.payload.size()};
  }
  static std::uint64_t sum(const std::vector<Call>& calls, Time until) {
    std::uint64_t bytes = 0;
    for (const Call& call : calls) bytes += call.at <= until ? call.length : 0;
    return bytes;
  }
  EventQueue& queue_;
};

class Machine {
 public:
  enum class Counting { on, off };

  explicit Machine(const std::string& shape, const corespec::Parameters& parameters = {},
                   Counting counting = Counting::on)
      : Machine(gemini::make_topology(shape), parameters, counting) {}
  explicit Machine(std::shared_ptr<const gemini::Topology> topology,
                   const corespec::Parameters& parameters = {}, Counting counting = Counting::on)
      : topology_(std::move(topology)),
        torus_(dynamic_cast<const gemini::Torus*>(topology_.get())) {
    for (gemini::RouterId id = 0; id < topology_->routers(); ++id) {
      domains_.emplace_back(queue_, delays_, false);
      router_domains_.emplace_back(queue_, delays_, true);
    }
    gemini::NetworkDomains places;
    places.nodes = [this](gemini::RouterId id) -> corespec::EventDomain& { return domains_[id]; };
    places.router = [this](gemini::RouterId id) -> corespec::EventDomain& {
      return router_domains_[id];
    };
    places.make_source = [this] { return corespec::EventSource{next_source_++, 0}; };
    corespec::Parameters all = parameters;
    all.counters = counting == Counting::on ? "on" : "off";
    network_ = gemini::make_network(all, topology_, places);
    delays_ = {network_->least_delay(), network_->nic_delay()};
  }

  gemini::Network& network() { return *network_; }
  const gemini::TileCounters& counters() const { return network_->counters()->tiles; }
  /// What has come to the other end of the link that leaves by `port`.
  gemini::LinkCounters passed(gemini::Port port) const {
    counters().link(port);  // throws where there is no such link
    return counters().link(topology_->far_end(port));
  }
  /// What a router's NICs have brought to it.
  gemini::LinkCounters injected(gemini::RouterId router) const { return counters().host(router); }
  const gemini::Topology& topology() const { return *topology_; }
  const gemini::Torus& torus() const { return *torus_; }
  EventQueue& queue() { return queue_; }
  Domain& domain(gemini::RouterId id) { return domains_[id]; }
  Nid nid(std::uint16_t x, std::uint16_t y, std::uint16_t z, unsigned nic = 0) const {
    return torus_->nid_at(torus_->router_at({x, y, z}), nic);
  }
  gemini::RouterId id(std::uint16_t x, std::uint16_t y, std::uint16_t z) const {
    return torus_->router_at({x, y, z});
  }

  /// The NIC of a node, attached on first use.
  RecordingNic& nic(Nid address) {
    std::unique_ptr<RecordingNic>& nic = nics_[address];
    if (!nic) {
      nic = std::make_unique<RecordingNic>(queue_);
      network_->attach(address, *nic, domains_[topology_->router_of(address)]);
    }
    return *nic;
  }

  /// A transaction of the given kind; the source's NIC is attached.
  ugni::Transaction make(ugni::TransactionKind kind, Nid source, Nid target, std::uint64_t length) {
    nic(source);
    ugni::Transaction transaction;
    transaction.kind = kind;
    transaction.source = source;
    transaction.target = target;
    transaction.length = length;
    transaction.initiator_key = ++next_key_;
    return transaction;
  }

  /// Puts `length` random bytes that the engine reads at injection (BTE); both NICs attached.
  std::uint64_t put(Nid source, Nid target, std::uint64_t length, std::uint8_t injector = 1) {
    nic(target);
    ugni::Transaction transaction = make(ugni::TransactionKind::put, source, target, length);
    transaction.injector = injector;
    nic(source).buffers[transaction.initiator_key] = random_bytes(length, next_key_);
    network_->submit(transaction, {});
    return transaction.initiator_key;
  }

  /// Gets `length` bytes from the start of the target's memory; both NICs attached.
  std::uint64_t get(Nid source, Nid target, std::uint64_t length) {
    Bytes& memory = nic(target).memory;
    if (memory.size() < length) memory = random_bytes(length, target + 1);
    const ugni::Transaction transaction = make(ugni::TransactionKind::get, source, target, length);
    network_->submit(transaction, {});
    return transaction.initiator_key;
  }

  void run(Time until = Time::max()) { queue_.run(until); }

 private:
  std::shared_ptr<const gemini::Topology> topology_;
  const gemini::Torus* torus_;  ///< if it is one
  EventQueue queue_;
  LeastDelays delays_;
  std::deque<Domain> domains_, router_domains_;
  std::map<Nid, std::unique_ptr<RecordingNic>> nics_;
  std::unique_ptr<gemini::Network> network_;
  std::uint32_t next_source_ = 0;
  std::uint64_t next_key_ = 0;
};

}  // namespace gemini_test
