// The live wire: its parts put together, messages handed to them.
#include "ugni_emu/fabric/fabric_wire.h"

#include <fmt/format.h>

#include <algorithm>

#include "corespec/config/parameters.h"
#include "ugni_emu/fabric/carrier.h"
#include "ugni_emu/fabric/clock_agreement.h"
#include "ugni_emu/fabric/host/left_over.h"
#include "ugni_emu/fabric/incoming.h"
#include "ugni_emu/fabric/libfabric/peer_watch.h"
#include "ugni_emu/fabric/outgoing.h"
#include "ugni_emu/fabric/routes.h"
#include "ugni_emu/wire/observed.h"

namespace ugni {

using corespec::Time;

namespace {

constexpr std::int64_t first_retry_ps = 20'000'000;  // 20 us
constexpr std::int64_t last_retry_ps = 1'000'000'000;
// By then the end of a process is known, to its peers and to its launcher. (Of another host's it is
// known that it has said goodbye, or the launcher is about to end the job.)
constexpr std::int64_t ended_until_ps = 1'000'000'000'000;
/// Of fire(), beside ranks.
constexpr std::uint64_t has_room = ~std::uint64_t{0};
// Polls in a row that find nothing. A thread that leaves a library call looks once and goes on:
// what can wait is done by one that has nothing else to do.
constexpr unsigned polls_before_idle = 2;
constexpr unsigned polls_before_flush = 64;  // some microseconds
// Messages wait for others to the same rank until the domain is left, or for so many polls of a
// thread that keeps it (calls on one's own memory, again and again, are such a thread).
constexpr unsigned polls_before_sending = 8;

}  // namespace

struct FabricWire::Parts final : fabric::LinkClient,
                                 fabric::FaultClient,
                                 fabric::Outgoing::Performer,
                                 corespec::Event {
  Parts(corespec::Process& of, corespec::EventDomain& domain, Place place,
        const gemini::Topology& topology, PayloadPool& payloads, const CorrectClock& correct_clock)
      : process(of),
        source(process.node().source()),
        links(process, {place.rank, std::move(place.nid), std::move(place.host)},
              process.job().parameters().provider, place.faults),
        delays(process.node(), topology, process.job().parameters().network == "gemini"),
        domains(process.node().memory()),
        regions(process.node().memory()),
        acknowledgements(links),
        carrier{domain, source, payloads, links, delays, domains, regions, acknowledgements, *this},
        incoming(carrier),
        outgoing(carrier, incoming),
        routes(carrier, process.job()),
        said(links.layout().host.size()) {
    const fabric::ClockAgreement agreement = fabric::agree_on_time(process, domain, links);
    clock_error = agreement.error;
    if (correct_clock) correct_clock(agreement.correction);
    links.set_client(*this);
    incoming.set_answer([this](const fabric::ResponseMessage& response, Payload payload) {
      outgoing.answered_here(response, std::move(payload));
    });
    outgoing.set_missed([this](const Transaction& transaction) { routes.forget(transaction); });
    watch_peers(domain);
    process.job().barrier(process);
  }
  void watch_peers(corespec::EventDomain& domain);

  // Outgoing::Performer
  void perform(Submission& submission) override;

  bool poll();
  void flush() {
    polls_unsent = 0;
    if (links.flush() && has_to_retry()) expect_retry();
  }
  void idle();

  // LinkClient
  void received(std::span<const std::byte> arrived, std::uint64_t from) override {
    received_from(links.rank_of(from), arrived);
  }
  void movement_ended(fabric::Movement& movement, bool well) override {
    incoming.movement_ended(movement, well);
  }
  void send_failed(int rank) override { links.lose(rank); }
  void lost(int rank, bool given_up) override;

  /// Something had no room, or it is to be seen whether a rank that is out of reach still lives.
  void fire(std::uint64_t what) override {
    if (what != has_room) {
      miss(static_cast<int>(what));
      return;
    }
    retry_expected = false;
    poll();
  }
  void miss(int rank);

  // FaultClient
  void faulty(int rank, fabric::Fault fault) override;

  void received_from(int rank, std::span<const std::byte> arrived);
  void take_in(std::span<const std::byte> message, int from);
  void acknowledged(std::span<const std::byte> message, const fabric::MessageHead& head);
  bool has_to_retry() const { return links.waiting() || incoming.waiting(); }
  void expect_retry();
  fabric::Routes::Launch launcher() {
    return [this](int rank, Submission& submission) { outgoing.launch(rank, submission); };
  }

  corespec::Process& process;
  corespec::EventSource& source;
  fabric::Links links;
  fabric::Delays delays;
  fabric::DomainTable domains;
  fabric::RegionOwners regions;
  fabric::Acknowledgements acknowledgements;
  fabric::Carrier carrier;
  fabric::Incoming incoming;
  fabric::Outgoing outgoing;
  fabric::Routes routes;
  std::unique_ptr<fabric::PeerWatch> watch;  ///< of other hosts
  enum class Said : std::uint8_t { nothing, something, goodbye };
  std::vector<Said> said;  ///< by rank: the last that has come from it
  Time clock_error;
  bool retry_expected = false;
  std::int64_t retry_after = first_retry_ps;
  unsigned empty_polls = 0;
  unsigned polls_unsent = 0;
};

void FabricWire::Parts::watch_peers(corespec::EventDomain& domain) {
  const auto seconds = static_cast<std::int64_t>(process.job().parameters().peer_timeout);
  fabric::NetworkSockets sockets = links.network_sockets();
  if (seconds == 0 || sockets.peers.empty()) return;
  constexpr std::int64_t ps_per_second = 1'000'000'000'000;
  watch = std::make_unique<fabric::PeerWatch>(
      domain, source, std::move(sockets), links.host_word(),
      Time::picoseconds(seconds * ps_per_second), [this, seconds](int rank, bool first) {
        process.job().abort(
            process, 1,
            first ? fmt::format("live wire: nothing has come from rank {}'s host for most of {} s: "
                                "the link or the host is down (CASTOR_PEER_TIMEOUT)",
                                rank, seconds)
                  : "");
      });
}

void FabricWire::Parts::perform(Submission& submission) {
  corespec::observe(carrier.domain, [&] {
    const Transaction& transaction = submission.transaction;
    return observed(corespec::Occurrence::Kind::posted, transaction, transaction.source,
                    transaction.length, carrier.now(), carrier.now());
  });
  const int rank = routes.find(submission.transaction);
  if (rank == fabric::Routes::unknown) {
    routes.hold(submission);
  } else {
    outgoing.launch(rank, submission);
  }
  if (has_to_retry()) expect_retry();
}

bool FabricWire::Parts::poll() {
  if (links.any_unsent() && ++polls_unsent >= polls_before_sending) flush();
  bool any = links.poll();
  if (incoming.waiting()) any = incoming.retry() || any;
  if (any) {
    empty_polls = 0;
    retry_after = first_retry_ps;
  } else {
    // Only arrivals leave idle() something to do; events may leave acknowledgements.
    if (++empty_polls == polls_before_idle) idle();
    if (empty_polls >= polls_before_flush && !acknowledgements.empty()) {
      acknowledgements.flush_all();
    }
  }
  acknowledgements.flush();
  if (has_to_retry()) expect_retry();
  return any;
}

void FabricWire::Parts::idle() {
  links.make_ready();
  if (outgoing.has_set_aside()) outgoing.take_set_aside();
}

/// No message tells when a receiver has room again, so a sleeping thread looks before long.
void FabricWire::Parts::expect_retry() {
  if (retry_expected) return;
  retry_expected = true;
  carrier.domain.schedule(carrier.domain.now() + Time::picoseconds(retry_after), source, *this,
                          has_room);
  retry_after = std::min(2 * retry_after, last_retry_ps);
}

/// It is of no use to go on: what that process means cannot be known, and a rank that waits would
/// wait for ever.
void FabricWire::Parts::faulty(int rank, fabric::Fault fault) {
  const std::string sender = rank < 0 ? "a process of the job" : fmt::format("rank {}", rank);
  process.job().abort(
      process, 1,
      fmt::format("live wire: {} has sent what no process sends ({}): has it another version of "
                  "Castor, or has its memory been overwritten?",
                  sender, fault));
}

void FabricWire::Parts::received_from(int rank, std::span<const std::byte> arrived) {
  const auto take = [this, rank](auto message) { take_in(message, rank); };
  if (!fabric::Parcel::for_each(arrived, take)) faulty(rank, "a damaged parcel");
}

void FabricWire::Parts::take_in(std::span<const std::byte> message, int from) {
  if (const fabric::Fault fault = fabric::fault_in(message, links.layout(), from)) {
    faulty(from, fault);
    return;
  }
  const auto& head = *fabric::fixed_part<fabric::MessageHead>(message);
  said[static_cast<std::size_t>(head.rank)] =
      head.kind == fabric::MessageKind::goodbye ? Said::goodbye : Said::something;
  switch (head.kind) {
    case fabric::MessageKind::request: {
      const auto& request = *fabric::fixed_part<fabric::RequestMessage>(message);
      const std::size_t behind = head.count * sizeof(fabric::Acknowledgement);
      const std::size_t data = message.size() - sizeof request - behind;
      incoming.request(request, message.subspan(sizeof request, data));
      if (behind != 0) acknowledged(message.last(behind), head);
      break;
    }
    case fabric::MessageKind::response: {
      const auto& response = *fabric::fixed_part<fabric::ResponseMessage>(message);
      outgoing.answered(response, Payload(carrier.payloads, message.subspan(sizeof response)));
      break;
    }
    case fabric::MessageKind::acknowledgements:
      acknowledged(message.subspan(sizeof head), head);
      break;
    case fabric::MessageKind::question:
      routes.answer(*fabric::fixed_part<fabric::RouteMessage>(message));
      break;
    case fabric::MessageKind::answer:
      routes.answered(*fabric::fixed_part<fabric::RouteMessage>(message), launcher());
      break;
    case fabric::MessageKind::fetch:
      outgoing.fetch(*fabric::fixed_part<fabric::FetchMessage>(message));
      break;
    case fabric::MessageKind::data: {
      const auto& data = *fabric::fixed_part<fabric::DataMessage>(message);
      incoming.data(data, message.subspan(sizeof data));
      break;
    }
    case fabric::MessageKind::goodbye:
      links.let_go(head.rank);
      break;
    case fabric::MessageKind::hello:
    case fabric::MessageKind::clock:
      break;  // start-up's
  }
}

void FabricWire::Parts::acknowledged(std::span<const std::byte> message,
                                     const fabric::MessageHead& head) {
  for (std::size_t i = 0; i < head.count; ++i) {
    fabric::Acknowledgement each;
    fabric::take_fixed(message.subspan(i * sizeof each), each);
    outgoing.acknowledged(each, head.rank);
  }
}

/// What is on its way to a rank that is out of reach fails, and so does what comes next: the
/// libraries say so. But what that rank waits for may be nothing that this one waits for.
void FabricWire::Parts::lost(int rank, bool given_up) {
  if (watch) watch->end_if_said();
  if (given_up) {
    carrier.domain.schedule(carrier.domain.now() + Time::picoseconds(ended_until_ps), source, *this,
                            static_cast<std::uint64_t>(rank));
  }
  incoming.lost(rank);
  outgoing.lost(rank);
  routes.lost(rank, launcher());
}

void FabricWire::Parts::miss(int rank) {
  const bool lives = links.layout().on_this_host(rank)
                         ? links.lives(rank)
                         : said[static_cast<std::size_t>(rank)] == Said::something;
  if (process.in_order() || !lives) return;
  process.job().abort(
      process, 1,
      fmt::format("live wire: rank {} is out of reach, by {}", rank, links.text_of(rank)));
}

FabricWire::FabricWire(corespec::Process& process, corespec::EventDomain& domain, Place place,
                       const gemini::Topology& topology, const CorrectClock& correct_clock)
    : parts_(std::make_unique<Parts>(process, domain, std::move(place), topology, payloads(),
                                     correct_clock)) {}

FabricWire::~FabricWire() {
  parts_->acknowledgements.flush_all();
  parts_->links.finish();
}

void FabricWire::attach(NicAddress address, WireClient& client, corespec::EventDomain& domain) {
  if (address != parts_->carrier.nid() || &domain != &parts_->carrier.domain) {
    throw std::invalid_argument(
        fmt::format("a live process has the NIC of its own node, {}, not of node {}",
                    parts_->carrier.nid(), address));
  }
  parts_->carrier.client = &client;
}

Submission& FabricWire::prepare(NicAddress) { return parts_->outgoing.prepare(*parts_); }
void FabricWire::drop(Submission& submission) { parts_->outgoing.drop(submission); }

std::uint64_t FabricWire::expose(const ExposedRegion& region) {
  return parts_->links.expose(region);
}

void FabricWire::conceal(std::uint64_t registration) { parts_->links.conceal(registration); }

bool FabricWire::reads_at_once(NicAddress target) const {
  const std::vector<int>& nids = parts_->links.layout().nid;
  const auto found = std::find(nids.begin(), nids.end(), static_cast<int>(target));
  return found != nids.end() && parts_->links.reads(static_cast<int>(found - nids.begin()));
}

bool FabricWire::claim_region(NicAddress, const ProtectionName& protection, std::uint16_t number) {
  return parts_->regions.claim(protection, number, parts_->carrier.rank());
}

void FabricWire::release_region(NicAddress, const ProtectionName& protection,
                                std::uint16_t number) {
  parts_->regions.release(protection, number);
}

std::uint32_t FabricWire::regions_of_others(NicAddress, const ProtectionName& protection) const {
  return parts_->regions.count_of_others(protection, parts_->carrier.rank());
}

bool FabricWire::domain_attached(NicAddress, const DomainName& name) {
  return parts_->domains.add(name, parts_->carrier.rank());
}

void FabricWire::domain_detached(NicAddress, const DomainName& name) {
  parts_->domains.remove(name, parts_->carrier.rank());
  // A rank that still waits for a delivery may not be told later: the process may end.
  parts_->acknowledgements.flush_all();
}

Time FabricWire::least_delay() const { return Time(); }

bool FabricWire::poll() { return parts_->poll(); }
void FabricWire::flush() { parts_->flush(); }
void FabricWire::arm(Sleeper sleeper) {
  parts_->flush();
  parts_->links.arm(sleeper == Sleeper::waiter);
}
void FabricWire::set_waiter(const corespec::Guest& guest) { parts_->links.set_sleeper(guest); }
corespec::futex::Word* FabricWire::word() { return parts_->links.word(); }
void FabricWire::disarm() { parts_->links.disarm(); }
bool FabricWire::quieten() { return parts_->links.quieten(); }

std::vector<int> FabricWire::wait_descriptors() const { return parts_->links.wait_descriptors(); }

Time FabricWire::clock_error() const { return parts_->clock_error; }
std::string FabricWire::providers() const { return parts_->links.text(); }
const fabric::Lateness& FabricWire::lateness() const { return parts_->delays.lateness(); }
std::uint64_t FabricWire::refused() const { return parts_->links.refused(); }
void FabricWire::received(std::span<const std::byte> arrived, int rank) {
  parts_->received_from(rank, arrived);
}
std::uint64_t FabricWire::wake_ups() const { return parts_->links.wake_ups(); }
void FabricWire::remove_left_over() { fabric::remove_left_over_regions(); }

}  // namespace ugni
