// The launch seam in virtual time.
#include "launch/virtual_run/virtual_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "corespec/host/printable.h"
#include "corespec/threads/node.h"
#include "corespec/threads/situation.h"
#include "corespec/threads/thread.h"
#include "launch/description/job_nodes.h"

namespace launch {
namespace {

/// Where all ranks of the job meet, for people (Situation).
constexpr const char* exchange_place = "job";

}  // namespace

/// A process and the event that releases it from an exchange.
class VirtualJob::Rank final : public corespec::Process, public corespec::Event {
 public:
  Rank(VirtualJob& job, corespec::Node& node, int rank, int local, corespec::EventSource own)
      : Process(job, node, rank, local), source(own) {}
  void fire(std::uint64_t) override {
    ++releases;
    wake.notify();
  }

  void add_facts(corespec::Situation& to) const override {
    Process::add_facts(to);
    to.entered[exchange_place] = {arrivals, last_arrival == nullptr ? "" : last_arrival};
  }

  corespec::EventSource source;
  std::uint64_t arrivals = 0;          ///< at the launcher, for an exchange
  const char* last_arrival = nullptr;  ///< the library call
  std::uint64_t releases = 0;
  corespec::Signal wake;  ///< what the rank's thread watches in an exchange
};

namespace {

/// Wakes a thread that waits in an exchange when its service is due.
class ServiceCall final : public corespec::Signal::Watcher {
 public:
  ServiceCall(const corespec::BarrierService& service, corespec::Signal& wake)
      : service_(service), wake_(wake) {
    service_.signal().add(*this);
  }
  ~ServiceCall() { service_.signal().remove(*this); }
  ServiceCall(const ServiceCall&) = delete;
  ServiceCall& operator=(const ServiceCall&) = delete;
  void notified() override {
    if (service_.due()) wake_.notify();
  }

 private:
  const corespec::BarrierService& service_;
  corespec::Signal& wake_;
};

/// What a thread in an exchange waits for.
class AwaitedExchange final : public corespec::Awaited {
 public:
  AwaitedExchange(corespec::Thread& thread, int size, std::uint64_t number)
      : Awaited(thread), size_(size), number_(number) {}
  bool describe(corespec::Situation& to) const override {
    to.meeting = {exchange_place, to.call, number_, [size = size_] {
                    std::vector<int> ranks(static_cast<std::size_t>(size));
                    std::iota(ranks.begin(), ranks.end(), 0);
                    return ranks;
                  }};
    return true;
  }

 private:
  int size_;
  std::uint64_t number_;
};

}  // namespace

VirtualJob::VirtualJob(corespec::VirtualMachine& machine, corespec::EventDomain& service,
                       JobLayout layout, std::uint64_t apid, JobOutput* output)
    : machine_(machine),
      service_(service),
      source_(machine.make_source()),
      layout_(std::move(layout)),
      apid_(apid),
      output_(output) {
  for (std::size_t number = 0; number < layout_.nids.size(); ++number) {
    const auto nid = static_cast<std::size_t>(layout_.nids[number]);
    if (nid >= number_of_nid_.size()) number_of_nid_.resize(nid + 1, -1);
    number_of_nid_[nid] = static_cast<int>(number);
  }
  if (!layout_.order.reordered()) return;
  for (int first = 0; first < layout_.ranks; first += layout_.ranks_per_node) {
    int lowest = layout_.order.rank_at(first);
    const int end = std::min(first + layout_.ranks_per_node, layout_.ranks);
    for (int place = first; place < end; ++place) {
      lowest = std::min(lowest, layout_.order.rank_at(place));
    }
    lowest_ranks_.push_back(lowest);
  }
  std::sort(lowest_ranks_.begin(), lowest_ranks_.end());
}

VirtualJob::~VirtualJob() = default;

corespec::Process& VirtualJob::add_rank(corespec::Node& node) {
  const int number = static_cast<int>(ranks_.size());
  ranks_.emplace_back(*this, node, number, local_rank_of(number), machine_.make_source());
  return ranks_.back();
}

corespec::Process& VirtualJob::rank(int number) { return ranks_[static_cast<std::size_t>(number)]; }

std::vector<int> VirtualJob::ranks_on(int nid) const {
  std::vector<int> ranks;
  const auto asked = static_cast<std::size_t>(nid);
  if (nid < 0 || asked >= number_of_nid_.size() || number_of_nid_[asked] < 0) return ranks;
  const int first = number_of_nid_[asked] * layout_.ranks_per_node;
  const int last = std::min(first + layout_.ranks_per_node, layout_.ranks);
  for (int place = first; place < last; ++place) ranks.push_back(layout_.order.rank_at(place));
  return ranks;
}

// ---- start-up exchange

void VirtualJob::meet(corespec::Process& caller, corespec::BarrierService* service) {
  auto& rank = static_cast<Rank&>(caller);
  corespec::Thread& thread = corespec::this_thread();
  corespec::EventDomain& domain = caller.node().domain();
  const std::uint64_t before = rank.releases;
  rank.last_arrival = thread.call();
  const AwaitedExchange for_people(thread, layout_.ranks, ++rank.arrivals);
  service_.schedule_from(domain, thread.now() + parameters().startup_exchange, rank.source, *this,
                         static_cast<std::uint64_t>(caller.rank()));
  std::optional<ServiceCall> call;
  if (service != nullptr) call.emplace(*service, rank.wake);
  while (rank.releases == before) {
    const std::uint64_t seen = rank.wake.epoch();
    if (service != nullptr && service->due()) {
      service->serve();
    } else {
      thread.spin(rank.wake, seen, parameters().poll_period);
    }
  }
}

void VirtualJob::fire(std::uint64_t) {
  if (++arrived_ < layout_.ranks) return;
  arrived_ = 0;
  const corespec::Time release = service_.now() + parameters().startup_exchange;
  for (Rank& rank : ranks_) {
    rank.node().domain().schedule_from(service_, release, source_, rank, 0);
  }
}

void VirtualJob::barrier(corespec::Process& caller, corespec::BarrierService* service) {
  meet(caller, service);
}

/// Ranks that are elsewhere give nothing; the first of the others speaks of the first of them.
void VirtualJob::check_all_give(const Rank& caller) const {
  const auto gives = [&](int rank) {
    return given_[static_cast<std::size_t>(rank)].meeting == caller.arrivals;
  };
  int elsewhere = 0;
  while (elsewhere < size() && gives(elsewhere)) ++elsewhere;
  if (elsewhere == size()) return;
  int speaker = 0;
  while (!gives(speaker)) ++speaker;
  const char* const call = ranks_[static_cast<std::size_t>(elsewhere)].last_arrival;
  throw std::runtime_error(caller.rank() != speaker
                               ? std::string()
                               : fmt::format("rank {} has called {} instead", elsewhere,
                                             call == nullptr ? "another function" : call));
}

void VirtualJob::exchange(corespec::Process& caller, std::span<const std::byte> in,
                          const Take& take) {
  // Every rank writes before the meeting and reads after it; a second meeting keeps the next call's
  // writers from overtaking slow readers.
  const auto& rank = static_cast<const Rank&>(caller);
  if (given_.empty()) given_.resize(static_cast<std::size_t>(size()));
  Given& own = given_[static_cast<std::size_t>(caller.rank())];
  own.meeting = rank.arrivals + 1;
  own.bytes.assign(in.begin(), in.end());
  meet(caller);
  check_all_give(rank);
  for (int from = 0; from < size(); ++from)
    take(from, given_[static_cast<std::size_t>(from)].bytes);
  meet(caller);
}

/// What a rank has put is on its way to the launcher, and from there to others, for as long as an
/// exchange takes. So it does not matter whether a rank that gets it, or one that has put another
/// value, is run first: when a rank runs at some time, all others have come to within the least
/// delay between nodes of it, and that is at most startup_exchange (VirtualRun, Engine::horizon).
void VirtualJob::put(corespec::Process& caller, std::string_view key, std::string_view value) {
  Value made{corespec::this_thread().own_time(), caller.rank(), std::string(value)};
  std::vector<Value>& values = values_[std::string(key)];
  const auto is_before = [](const Value& one, const Value& other) {
    return std::pair(one.at, one.rank) < std::pair(other.at, other.rank);
  };
  values.insert(std::upper_bound(values.begin(), values.end(), made, is_before), std::move(made));
  // Every get() that is still to come is later than a least delay before now: of what is
  // known by then everywhere, the last value is enough.
  const corespec::Time known_everywhere =
      caller.node().domain().now() - parameters().startup_exchange * 2;
  const auto known = std::find_if(values.rbegin(), values.rend(),
                                  [&](const Value& each) { return each.at <= known_everywhere; });
  if (known != values.rend()) values.erase(values.begin(), known.base() - 1);
}

bool VirtualJob::get(corespec::Process& caller, std::string_view key, std::string& value) {
  const corespec::Time known = corespec::this_thread().now() - parameters().startup_exchange;
  const auto values = values_.find(key);
  if (values == values_.end()) return false;
  const auto found = std::find_if(
      values->second.rbegin(), values->second.rend(),
      [&](const Value& each) { return each.rank == caller.rank() || each.at <= known; });
  if (found == values->second.rend()) return false;
  value = found->text;
  return true;
}

// ---- output and end

void VirtualJob::report(corespec::Process& caller, std::string_view line) {
  const std::string text = fmt::format("{}\n", corespec::printable(line));
  if (output_ != nullptr) {
    output_->report(caller.rank(), text);
  } else {
    std::fflush(stdout);
    std::fputs(text.c_str(), stderr);
  }
}

/// The launcher hears of it after an exchange, and ends everything at that moment: what others call
/// until then it does not hear. No node has come there yet: none is ahead of another one by more
/// than the least delay, which is no longer.
void VirtualJob::abort(corespec::Process& caller, int code, std::string_view why) {
  corespec::Thread& thread = corespec::this_thread();
  const Moment moment(thread.now(), caller.rank());
  const std::string text = fmt::format("[NID {:05}] Apid {}: rank {}: {}\n", caller.node().nid(),
                                       apid_, caller.rank(), corespec::printable(why));
  if (output_ != nullptr) {
    output_->say_end(caller.rank(), text);
  } else if (!end_.aborted) {
    std::fflush(stdout);
    // Not fmt::print(): a stream that was closed is no reason to fail.
    std::fputs(text.c_str(), stderr);
  }
  if (!end_.aborted || moment < first_abort_) {
    first_abort_ = moment;
    end_.aborted = true;
    end_.first_failed = caller.rank();
    end_.status = code == 0 ? 1 : code;
    end_nodes_by(std::min(time_limit_, heard_abort()));
    // The present turn may lead beyond that, so there is to be a new one.
    new_limit_ = true;
    machine_.engine().interrupt_advance();
  }
  for (;;) thread.sleep_until(corespec::Time::max());
}

void VirtualJob::rank_ended(corespec::Process& rank, int status) {
  ++end_.ended;
  if (status == 0 || end_.aborted) return;
  const Moment moment(rank.node().domain().now(), rank.rank());
  if (end_.status != 0 && first_failure_ < moment) return;
  first_failure_ = moment;
  end_.status = status;
  end_.first_failed = rank.rank();
}

void VirtualJob::set_time_limit(corespec::Time limit) {
  time_limit_ = limit;
  end_nodes_by(limit);
}

void VirtualJob::end_nodes_by(corespec::Time end) {
  machine_.engine().set_time_limit(end);
  if (output_ != nullptr) output_->set_end(end);
}

/// Routers may be ahead of nodes, and an abort may leave nothing more to happen: how far the engine
/// has come is not the time of such an end.
void VirtualJob::conclude(corespec::VirtualMachine::Result& result) {
  using EngineEnd = corespec::Engine::End;
  if (result.end == EngineEnd::interrupted) return;
  if (end_.aborted) {
    result.deadlock = false;
    result.stuck.clear();
    result.stuck_ranks = 0;
    const bool heard = heard_abort() <= time_limit_;
    result.end = heard ? EngineEnd::stopped : EngineEnd::time_limit;
    result.time = heard ? heard_abort() : time_limit_;
  } else if (result.end == EngineEnd::time_limit) {
    result.time = time_limit_;
  }
}

}  // namespace launch
