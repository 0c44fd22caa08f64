// Clock agreement by round trips.
#include "ugni_emu/fabric/clock_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "corespec/host/os_thread.h"
#include "ugni_emu/fabric/validate.h"

namespace ugni::fabric {

using corespec::Time;

namespace {

constexpr int round_trips = 500;

struct Measured {
  std::int64_t correction = 0;  // ps
  std::int64_t error = 0;
};

/// Answers questions, or asks them.
class Conversation final : public LinkClient {
 public:
  Conversation(corespec::EventDomain& domain, Links& links) : domain_(domain), links_(links) {
    links_.set_client(*this);
  }

  Measured ask(int rank) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    Measured best;
    for (int i = 0; i < round_trips; ++i) {
      ClockMessage ping;
      ping.head = {MessageKind::clock, ClockMessage::ping, 0, links_.layout().rank};
      ping.asked = domain_.now().ps();
      answered_ = false;
      asked_ = ping.asked;
      links_.send_fixed(rank, ping);
      links_.flush();
      while (!answered_) look();
      const std::int64_t now = domain_.now().ps();
      const std::int64_t round_trip = now - answer_.asked;
      if (round_trip >= least) continue;
      least = round_trip;
      best = {answer_.answered - (answer_.asked + round_trip / 2), round_trip - round_trip / 2};
    }
    ClockMessage done;
    done.head = {MessageKind::clock, ClockMessage::done, 0, links_.layout().rank};
    links_.send_fixed(rank, done);
    links_.flush();
    while (links_.waiting()) look();
    return best;
  }

  void serve(int hosts) {
    while (done_ < hosts) look();
  }

  void received(std::span<const std::byte> bytes, std::uint64_t from) override {
    if (const Fault fault = fault_in(bytes, links_.layout(), links_.rank_of(from), true)) {
      throw std::runtime_error(
          fmt::format("live wire: while the clocks agreed, what came had a fault: {}", fault));
    }
    ClockMessage message;
    if (!take_fixed(bytes, message)) return;  // a greeting
    switch (message.head.flags) {
      case ClockMessage::ping: {
        const int rank = message.head.rank;
        message.head = {MessageKind::clock, ClockMessage::pong, 0, links_.layout().rank};
        message.answered = domain_.now().ps();
        links_.send_fixed(rank, message);
        links_.flush();
        break;
      }
      case ClockMessage::pong:
        answer_ = message;
        answered_ = message.asked == asked_;
        break;
      case ClockMessage::done:
        ++done_;
    }
  }
  void movement_ended(Movement&, bool) override {}
  void send_failed(int rank) override { lost(rank, true); }
  void lost(int rank, bool) override {
    throw std::runtime_error("live wire: rank " + std::to_string(rank) +
                             " cannot be reached for the clocks' agreement");
  }

 private:
  /// There may be fewer CPUs than processes that wait for each other here.
  void look() {
    if (links_.poll()) {
      patience_.found_something();
    } else {
      patience_.found_nothing();
    }
  }

  corespec::EventDomain& domain_;
  Links& links_;
  corespec::Patience patience_;
  ClockMessage answer_;
  std::int64_t asked_ = 0;
  bool answered_ = false;
  int done_ = 0;
};

}  // namespace

ClockAgreement agree_on_time(corespec::Process& process, corespec::EventDomain& domain,
                             Links& links) {
  const Layout& layout = links.layout();
  std::vector<int> firsts;  // of each host, in order of ranks
  for (int rank = 0; rank < layout.size(); ++rank) {
    const bool known = std::any_of(firsts.begin(), firsts.end(), [&](int first) {
      return layout.host_of(first) == layout.host_of(rank);
    });
    if (!known) firsts.push_back(rank);
  }
  if (firsts.size() < 2) return {};
  Measured own;
  Conversation conversation(domain, links);
  if (layout.rank == firsts.front()) {
    conversation.serve(static_cast<int>(firsts.size()) - 1);
  } else if (std::find(firsts.begin(), firsts.end(), layout.rank) != firsts.end()) {
    own = conversation.ask(firsts.front());
  }
  std::vector<Measured> all(layout.host.size());
  process.job().allgather(process, std::as_bytes(std::span(&own, 1)),
                          std::as_writable_bytes(std::span(all)));
  ClockAgreement agreement;
  for (const int first : firsts) {
    const Measured& measured = all[static_cast<std::size_t>(first)];
    agreement.error = std::max(agreement.error, Time::picoseconds(measured.error));
    if (layout.on_this_host(first)) agreement.correction = Time::picoseconds(measured.correction);
  }
  return agreement;
}

}  // namespace ugni::fabric
