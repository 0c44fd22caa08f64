// A wire around another that gives no order but what wire.h promises: transactions, and pieces of
// one, overtake each other at random.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"
#include "ugni_emu/wire/wire_around.h"

namespace castor_test {

/// Each piece waits at its target, and its response at the initiator, for a random time of `most`
/// at the longest: the last piece of a transaction behind its others. A request in order waits for
/// none of these. In virtual time, one process.
class ReorderingWire final : public ugni::WireAround {
 public:
  ReorderingWire(ugni::Wire& inner, std::function<corespec::EventSource()> make_source,
                 std::uint64_t seed, corespec::Time most)
      : WireAround(inner), make_source_(std::move(make_source)), seed_(seed), most_(most) {}

  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override {
    WireAround::attach(address, clients_.emplace_back(*this, client, address, domain), domain);
  }

  /// Transactions that were complete at their target after one of the same source submitted later.
  std::uint64_t overtaken() const { return overtaken_; }
  /// Pieces that came before one of a smaller offset.
  std::uint64_t pieces_overtaken() const { return pieces_overtaken_; }

 private:
  /// A piece, from its arrival to its answer.
  struct Piece {
    corespec::Time waits;
    ugni::ResponseStatus status = ugni::ResponseStatus::ok;
    ugni::Payload payload;
  };
  /// What is between the two NICs: the wire inside knows it by its number.
  struct Flight {
    ugni::Transaction transaction;
    std::map<std::uint64_t, Piece> pieces;  // by offset, those that are not answered yet
    corespec::Time latest_request;
    corespec::Time latest_response;
    std::uint64_t farthest = 0;  ///< offset that the target has seen
  };
  static bool in_order(const ugni::Transaction& transaction) {
    return (transaction.delivery_mode & ugni::in_order) == ugni::in_order;
  }

  class Client final : public ugni::WireClientAround, private corespec::Event {
   public:
    Client(ReorderingWire& owner, ugni::WireClient& inner, ugni::NicAddress address,
           corespec::EventDomain& domain)
        : WireClientAround(inner),
          owner_(owner),
          domain_(domain),
          source_(owner.make_source_()),
          random_(owner.seed_, address) {}

    void read_source(ugni::Transaction& transaction, std::uint64_t offset,
                     std::span<std::byte> into) override {
      ugni::Transaction original = as_submitted(transaction);
      WireClientAround::read_source(original, offset, into);
      transaction.flags = original.flags;
    }
    bool has_source_data(const ugni::Transaction& transaction) override {
      return WireClientAround::has_source_data(as_submitted(transaction));
    }
    void request_sent(const ugni::Transaction& transaction) override {
      WireClientAround::request_sent(as_submitted(transaction));
    }
    bool awaits_sent(const ugni::Transaction& transaction) override {
      return WireClientAround::awaits_sent(as_submitted(transaction));
    }
    ugni::ResponseUrgency response_urgency(const ugni::Transaction& transaction) override {
      return WireClientAround::response_urgency(as_submitted(transaction));
    }
    /// The wire inside is told that all is well, and brings an answer without data.
    ugni::ResponseStatus request_arrived(ugni::SegmentView segment) override {
      Flight& flight = owner_.flights_.at(segment.transaction.initiator_key);
      const corespec::Time now = domain_.now();
      Piece& piece = flight.pieces[segment.offset];
      const corespec::Time wanted = in_order(segment.transaction) ? now : now + draw();
      const corespec::Time at = segment.last ? std::max(wanted, flight.latest_request) : wanted;
      flight.latest_request = std::max(flight.latest_request, at);
      piece.waits = at - now;
      keep({true, segment.transaction, segment.offset, segment.length, segment.last,
            std::move(segment.payload), segment.status},
           at);
      return ugni::ResponseStatus::ok;
    }
    void response_arrived(ugni::SegmentView segment) override {
      Flight& flight = owner_.flights_.at(segment.transaction.initiator_key);
      const auto [at_piece, is_first] = flight.pieces.try_emplace(segment.offset);
      Piece& piece = at_piece->second;
      if (is_first) piece.status = segment.status;
      const corespec::Time wanted = domain_.now() + piece.waits + draw();
      const corespec::Time at = segment.last ? std::max(wanted, flight.latest_response) : wanted;
      flight.latest_response = std::max(flight.latest_response, at);
      keep({false, segment.transaction, segment.offset, segment.length, segment.last, {}, {}}, at);
    }

   private:
    /// A piece that waits here.
    struct Kept {
      bool request;
      ugni::Transaction transaction;
      std::uint64_t offset;
      std::uint64_t length;
      bool last;
      ugni::Payload payload;
      ugni::ResponseStatus status;
    };

    ugni::Transaction as_submitted(ugni::Transaction transaction) const {
      const Flight& flight = owner_.flights_.at(transaction.initiator_key);
      transaction.initiator_key = flight.transaction.initiator_key;
      return transaction;
    }
    corespec::Time draw() {
      return corespec::Time::picoseconds(static_cast<std::int64_t>(
          random_.below(static_cast<std::uint64_t>(owner_.most_.ps()) + 1)));
    }
    void keep(Kept kept, corespec::Time at) {
      if (at == domain_.now()) return pass_on(kept);
      const std::uint64_t number = next_++;
      kept_.emplace(number, std::move(kept));
      domain_.schedule(at, source_, *this, number);
    }
    void fire(std::uint64_t number) override {
      Kept kept = std::move(kept_.extract(number).mapped());
      pass_on(kept);
    }
    void pass_on(Kept& kept) {
      const std::uint64_t key = kept.transaction.initiator_key;
      Flight& flight = owner_.flights_.at(key);
      const ugni::Transaction original = as_submitted(kept.transaction);
      const auto view = [&](ugni::Payload& payload, ugni::ResponseStatus status) {
        return ugni::SegmentView{original, kept.offset, kept.length, kept.last, payload, status};
      };
      if (kept.request) {
        owner_.note(flight, key, kept.offset, kept.last);
        Piece& piece = flight.pieces.at(kept.offset);
        piece.status = WireClientAround::request_arrived(view(kept.payload, kept.status));
        const bool brings = original.kind == ugni::TransactionKind::get ||
                            original.kind == ugni::TransactionKind::atomic;
        if (brings) piece.payload = std::move(kept.payload);
        return;
      }
      Piece piece = std::move(flight.pieces.extract(kept.offset).mapped());
      if (kept.last) owner_.flights_.erase(key);
      WireClientAround::response_arrived(view(piece.payload, piece.status));
    }

    ReorderingWire& owner_;
    corespec::EventDomain& domain_;
    corespec::EventSource source_;
    corespec::RandomStream random_;
    std::map<std::uint64_t, Kept> kept_;
    std::uint64_t next_ = 0;
  };

  void enter(const ugni::Transaction& transaction, ugni::Payload payload) override {
    const std::uint64_t number = ++submitted_;
    flights_[number].transaction = transaction;
    ugni::Transaction numbered = transaction;
    numbered.initiator_key = number;
    pass_on(numbered, std::move(payload));
  }

  void note(Flight& flight, std::uint64_t number, std::uint64_t offset, bool last) {
    if (offset < flight.farthest) ++pieces_overtaken_;
    flight.farthest = std::max(flight.farthest, offset);
    if (!last) return;
    std::uint64_t& newest = newest_[{flight.transaction.source, flight.transaction.target}];
    if (number < newest) ++overtaken_;
    newest = std::max(newest, number);
  }

  std::function<corespec::EventSource()> make_source_;
  std::uint64_t seed_;
  corespec::Time most_;
  std::deque<Client> clients_;
  std::map<std::uint64_t, Flight> flights_;
  std::map<std::pair<ugni::NicAddress, ugni::NicAddress>, std::uint64_t> newest_;
  std::uint64_t submitted_ = 0;
  std::uint64_t overtaken_ = 0;
  std::uint64_t pieces_overtaken_ = 0;
};

}  // namespace castor_test
