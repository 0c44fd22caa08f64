// Going through a trace once before it is replayed.
#include "apps/traces/replay/messages.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

namespace replay {
namespace {

using dumpi::Call;
using dumpi::Label;

constexpr std::int32_t any = -1;
constexpr std::int32_t cancelled = -1;  ///< as a communicator

class Scan {
 public:
  explicit Scan(const dumpi::RankTrace& trace) : trace_(trace) { comms_[2] = 0; }

  RankMessages run() {
    dumpi::CallReader reader(trace_);
    bool has_begun = false;
    for (; reader.next(call_); ++number_) {
      if (!call_.wall) {
        throw std::runtime_error(
            fmt::format("{}: call {}: no wall time was recorded", trace_.name(), number_));
      }
      const bool is_init = call_.label == Label::Init || call_.label == Label::Init_thread;
      if (!has_begun || is_init) made_.begin = is_init ? call_.wall->exit : call_.wall->entry;
      has_begun = true;
      if (const auto look = looks().find(call_.label); look != looks().end()) {
        (this->*look->second)();
      }
    }
    settle();
    return std::move(made_);
  }

 private:
  using Look = void (Scan::*)();
  /// A message that has no number of its own yet, or a persistent request.
  struct Sides {
    Half half;
    std::int32_t comm, peer, tag;
  };

  static const std::map<Label, Look>& looks() {
    static const std::map<Label, Look> all = {
        {Label::Send, &Scan::send},
        {Label::Bsend, &Scan::send},
        {Label::Ssend, &Scan::send},
        {Label::Rsend, &Scan::send},
        {Label::Isend, &Scan::send},
        {Label::Ibsend, &Scan::send},
        {Label::Issend, &Scan::send},
        {Label::Irsend, &Scan::send},
        {Label::Recv, &Scan::recv},
        {Label::Irecv, &Scan::irecv},
        {Label::Sendrecv, &Scan::sendrecv},
        {Label::Sendrecv_replace, &Scan::sendrecv},
        {Label::Send_init, &Scan::send_init},
        {Label::Bsend_init, &Scan::send_init},
        {Label::Ssend_init, &Scan::send_init},
        {Label::Rsend_init, &Scan::send_init},
        {Label::Recv_init, &Scan::recv_init},
        {Label::Start, &Scan::start},
        {Label::Startall, &Scan::start_all},
        {Label::Wait, &Scan::wait},
        {Label::Test, &Scan::test},
        {Label::Waitany, &Scan::wait_any},
        {Label::Testany, &Scan::test_any},
        {Label::Waitall, &Scan::wait_all},
        {Label::Testall, &Scan::test_all},
        {Label::Waitsome, &Scan::wait_some},
        {Label::Testsome, &Scan::wait_some},
        {Label::Comm_dup, &Scan::comm_dup},
        {Label::Comm_free, &Scan::comm_free},
    };
    return all;
  }

  std::optional<std::int32_t> comm() const {
    const auto found = comms_.find(call_.number("comm"));
    if (found == comms_.end()) return std::nullopt;
    return found->second;
  }
  /// A message on another communicator, or with no peer, is none of ours. Its place, or none.
  std::optional<std::size_t> add(const Sides& sides, std::size_t place = 0) {
    const bool has_no_peer = sides.peer < any || (sides.half == Half::send && sides.peer < 0);
    if (has_no_peer) return std::nullopt;
    std::optional<std::int64_t> time;
    if (sides.half == Half::send) time = call_.wall->entry;
    made_.all.push_back({sides.half, sides.comm, sides.peer, sides.tag, number_, place, time});
    return made_.all.size() - 1;
  }
  void complete(std::size_t at, const dumpi::Status* status) {
    Message& message = made_.all[at];
    message.time = call_.wall->exit;
    if (status == nullptr) return;
    if (status->cancelled != 0) message.comm = cancelled;
    if (message.peer == any) message.peer = status->source;
    if (message.tag == any) message.tag = status->tag;
  }
  void complete_request(std::int32_t number, const dumpi::Status* status) {
    const auto found = pending_.find(number);
    if (found == pending_.end()) return;
    complete(found->second, status);
    pending_.erase(found);
  }
  const dumpi::Status* status(std::size_t at = 0, const char* name = "status") const {
    const auto all = call_.statuses(name);
    return at < all.size() ? &all[at] : nullptr;
  }

  Sides send_sides(const char* tag = "tag") const {
    return {Half::send, *comm(), call_.number("dest"), call_.number(tag)};
  }
  Sides receive_sides(const char* tag = "tag") const {
    return {Half::receive, *comm(), call_.number("source"), call_.number(tag)};
  }
  void send() {
    if (comm()) add(send_sides());
  }
  void receive_now(const char* tag) {
    if (const auto at = add(receive_sides(tag))) complete(*at, status());
  }
  void recv() {
    if (comm()) receive_now("tag");
  }
  void sendrecv() {
    if (!comm()) return;
    add(send_sides("sendtag"));
    receive_now("recvtag");
  }
  void irecv() {
    if (!comm()) return;
    if (const auto at = add(receive_sides())) pending_[call_.number("request")] = *at;
  }
  void send_init() {
    if (comm()) persistent_.insert_or_assign(call_.number("request"), send_sides());
  }
  void recv_init() {
    if (comm()) persistent_.insert_or_assign(call_.number("request"), receive_sides());
  }
  void start_one(std::int32_t number, std::size_t place) {
    const auto found = persistent_.find(number);
    if (found == persistent_.end()) return;
    const auto at = add(found->second, place);
    if (at && found->second.half == Half::receive) pending_[number] = *at;
  }
  void start() { start_one(call_.number("request"), 0); }
  void start_all() {
    const auto numbers = call_.numbers("requests");
    for (std::size_t at = 0; at < numbers.size(); ++at) start_one(numbers[at], at);
  }

  void wait() { complete_request(call_.number("request"), status()); }
  void test() {
    if (call_.number("flag") != 0) wait();
  }
  void complete_at(std::int32_t index, const dumpi::Status* status) {
    const auto numbers = call_.numbers("requests");
    if (index < 0 || static_cast<std::size_t>(index) >= numbers.size()) return;
    complete_request(numbers[static_cast<std::size_t>(index)], status);
  }
  void wait_any() { complete_at(call_.number("index"), status()); }
  void test_any() {
    if (call_.number("flag") != 0) wait_any();
  }
  void wait_all() {
    const auto numbers = call_.numbers("requests");
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      complete_request(numbers[at], status(at, "statuses"));
    }
  }
  void test_all() {
    if (call_.number("flag") != 0) wait_all();
  }
  void wait_some() {
    const auto indices = call_.numbers("indices");
    for (std::size_t at = 0; at < indices.size(); ++at) {
      complete_at(indices[at], status(at, "statuses"));
    }
  }

  void comm_dup() {
    if (!comms_.contains(call_.number("oldcomm"))) return;
    comms_[call_.number("newcomm")] = ++duplicates_;
  }

  void comm_free() { comms_.erase(call_.number("comm")); }

  /// What was cancelled is none; what never got a sender or a tag is of an unknown one.
  void settle() {
    std::erase_if(made_.all, [](const Message& message) { return message.comm == cancelled; });
    made_.of_unknown_sender = std::erase_if(made_.all, [](const Message& message) {
      return message.half == Half::receive && (message.peer < 0 || message.tag == any);
    });
  }

  const dumpi::RankTrace& trace_;
  RankMessages made_;
  Call call_;
  std::uint64_t number_ = 0;
  std::int32_t duplicates_ = 0;
  std::map<std::int32_t, std::int32_t> comms_;   ///< by the trace's number
  std::map<std::int32_t, Sides> persistent_;     ///< by the request's number
  std::map<std::int32_t, std::size_t> pending_;  ///< receives, by the request's number
};

}  // namespace

RankMessages messages_of(const dumpi::RankTrace& trace) { return Scan(trace).run(); }

}  // namespace replay
