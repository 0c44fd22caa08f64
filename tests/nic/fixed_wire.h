// A wire of fixed latency, for the NIC's tests.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "ugni_emu/wire/wire.h"

namespace nic_test {

using corespec::Time;

/// Every byte takes 1 ns to inject, every way 1 us, or `slower` times as much; transfers are cut
/// into segments of `segment_bytes`. Each injector works in order and alone.
class FixedWire final : public ugni::Wire, private corespec::Event {
 public:
  FixedWire(corespec::EventSource source, int slower)
      : latency_(Time::microseconds(1) * slower),
        byte_time_(Time::nanoseconds(1) * slower),
        source_(source) {}
  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override {
    if (clients_.size() <= address) clients_.resize(address + 1);
    clients_[address] = &client;
    domain_ = &domain;
  }
  ugni::Submission& prepare(ugni::NicAddress) override {
    if (free_.empty()) free_.push_back(&records_.emplace_back(*this));
    Record& record = *free_.back();
    free_.pop_back();
    ++prepared;
    return record;
  }
  void drop(ugni::Submission& submission) override {
    submission.payload = {};
    free_.push_back(&static_cast<Record&>(submission));
    --prepared;
  }
  Time least_delay() const override { return latency_; }

  /// Whether a request, which has come to its target, is lost after all; empty: none is.
  std::function<bool(const ugni::Transaction&)> loses;
  std::uint64_t segment_bytes = 1000;
  std::uint64_t prepared = 0;  ///< and neither performed nor dropped
  std::uint64_t submitted = 0;
  std::vector<Time> submit_times;

 private:
  struct Record final : ugni::Submission {
    explicit Record(FixedWire& owner) : wire(&owner) {}
    void perform() override {
      wire->start(transaction, payload);
      wire->drop(*this);
    }
    FixedWire* wire;
  };
  enum Stage : std::uint64_t { sent, arrived, answered };
  struct Piece {
    ugni::Transaction transaction;
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    bool last = false;
    ugni::Payload payload;
    ugni::ResponseStatus status = ugni::ResponseStatus::ok;
    Time at;  ///< of its next stage, however late the host is
    ugni::SegmentView view() { return {transaction, offset, length, last, payload, status}; }
  };
  void start(const ugni::Transaction& transaction, const ugni::Payload& payload) {
    ++submitted;
    submit_times.push_back(domain_->now());
    Time& free = injector_free_[transaction.source][transaction.injector];
    free = std::max(free, domain_->now());
    const bool get = transaction.kind == ugni::TransactionKind::get;
    const bool whole = transaction.kind == ugni::TransactionKind::atomic;
    const auto number = static_cast<std::uint32_t>(submitted);
    std::uint64_t offset = 0;
    do {
      const std::uint64_t length =
          whole ? transaction.length : std::min(segment_bytes, transaction.length - offset);
      if (!get) free += byte_time_ * static_cast<std::int64_t>(length);
      auto piece = std::make_unique<Piece>();
      piece->transaction = transaction;
      piece->transaction.number = number;
      piece->offset = offset;
      piece->length = length;
      piece->last = offset + length == transaction.length;
      if (!payload.empty()) piece->payload = ugni::Payload(payload.bytes().subspan(offset, length));
      later(free, std::move(piece), sent);
      offset += length;
    } while (offset < transaction.length);
  }
  void later(Time at, std::unique_ptr<Piece> piece, Stage stage) {
    piece->at = at;
    domain_->schedule(at, source_, *this, pieces_.size() << 2 | stage);
    pieces_.push_back(std::move(piece));
  }
  void later_by_latency(std::unique_ptr<Piece> piece, Stage stage) {
    const Time at = piece->at + latency_;
    later(at, std::move(piece), stage);
  }
  ugni::WireClient* client(ugni::NicAddress address) {
    return address < clients_.size() ? clients_[address] : nullptr;
  }
  void fire(std::uint64_t arg) override {
    std::unique_ptr<Piece> piece = std::move(pieces_[arg >> 2]);
    const ugni::Transaction& transaction = piece->transaction;
    ugni::WireClient& source = *client(transaction.source);
    switch (static_cast<Stage>(arg & 3)) {
      case sent: {
        const bool from_memory = transaction.kind == ugni::TransactionKind::put &&
                                 piece->payload.empty() && piece->length != 0 &&
                                 source.has_source_data(transaction);
        if (from_memory) {
          piece->payload = ugni::Payload(piece->length);
          source.read_source(piece->transaction, piece->offset, piece->payload.bytes());
        }
        if (piece->last) source.request_sent(transaction);
        later_by_latency(std::move(piece), arrived);
        break;
      }
      case arrived: {
        if (loses && loses(transaction)) {
          piece->status = ugni::ResponseStatus::lost;
          later_by_latency(std::move(piece), answered);
          break;
        }
        ugni::WireClient* target = client(transaction.target);
        piece->status = target != nullptr ? target->request_arrived(piece->view())
                                          : ugni::ResponseStatus::no_such_domain;
        later_by_latency(std::move(piece), answered);
        break;
      }
      case answered:
        source.response_arrived(piece->view());
        break;
    }
  }

  Time latency_;
  Time byte_time_;
  corespec::EventSource source_;
  corespec::EventDomain* domain_ = nullptr;
  std::vector<ugni::WireClient*> clients_;
  std::array<std::array<Time, 32>, 8> injector_free_{};
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::deque<Record> records_;
  std::vector<Record*> free_;
};

}  // namespace nic_test
