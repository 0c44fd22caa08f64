// The launch seam in virtual time.
#include "launch/virtual_run/virtual_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
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
                       JobLayout layout, std::uint64_t apid, JobOutput* output, const Part& part)
    : machine_(machine),
      service_(service),
      source_(machine.make_source()),
      layout_(std::move(layout)),
      apid_(apid),
      output_(output),
      part_(part) {
  if (part_.mail != nullptr) set_readers();
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

void VirtualJob::add_rank(corespec::Node* node) {
  const int number = static_cast<int>(own_number_.size());
  const corespec::EventSource source = machine_.make_source();
  own_number_.push_back(node == nullptr ? -1 : static_cast<int>(own_ranks_.size()));
  if (node == nullptr) return;
  own_ranks_.push_back(number);
  ranks_.emplace_back(*this, *node, number, local_rank_of(number), source);
}

corespec::Process& VirtualJob::rank(int number) {
  return ranks_[static_cast<std::size_t>(own_number_[static_cast<std::size_t>(number)])];
}

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
  if (++arrived_ < ranks_.size()) return;
  arrived_ = 0;
  const Meeting own = own_meeting();
  if (part_.mail != nullptr) {
    part_.mail->send_to_others(Subject::met, own);
    for (std::size_t other = 0; other < part_.count; ++other) {
      part_.mail->expect_at_nodes(other, own.last + parameters().startup_exchange);
    }
  }
  met(own);
}

VirtualJob::Meeting VirtualJob::own_meeting() const {
  Meeting own;
  own.last = service_.now();
  own.parts = 1;
  if (given_.empty()) return own;
  for (const int number : own_ranks_) {
    const Rank& rank =
        ranks_[static_cast<std::size_t>(own_number_[static_cast<std::size_t>(number)])];
    const bool gives = given_[static_cast<std::size_t>(number)].meeting == rank.arrivals;
    if (gives && own.speaker < 0) own.speaker = number;
    if (gives || own.elsewhere >= 0) continue;
    own.elsewhere = number;
    const std::string_view call =
        rank.last_arrival == nullptr ? "another function" : rank.last_arrival;
    call.copy(own.call.data(), own.call.size() - 1);
  }
  return own;
}

void VirtualJob::Meeting::add(const Meeting& part) {
  last = std::max(last, part.last);
  parts += part.parts;
  if (part.speaker >= 0 && (speaker < 0 || part.speaker < speaker)) speaker = part.speaker;
  if (part.elsewhere >= 0 && (elsewhere < 0 || part.elsewhere < elsewhere)) {
    elsewhere = part.elsewhere;
    call = part.call;
  }
}

/// The ranks go on an exchange after the last of them has come. A part knows of that in time: it is
/// one round later at most, and no node comes an exchange further in a round.
void VirtualJob::met(const Meeting& part) {
  meeting_.add(part);
  if (meeting_.parts < part_.count) return;
  met_ = std::exchange(meeting_, {});
  const corespec::Time release = met_.last + parameters().startup_exchange;
  for (Rank& rank : ranks_) {
    rank.node().domain().schedule_from(service_, release, source_, rank, 0);
  }
}

void VirtualJob::barrier(corespec::Process& caller, corespec::BarrierService* service) {
  meet(caller, service);
}

/// Ranks that are elsewhere give nothing; the first of the others speaks of the first of them.
void VirtualJob::check_all_give(const Rank& caller) const {
  if (met_.elsewhere < 0) return;
  throw std::runtime_error(
      caller.rank() != met_.speaker
          ? std::string()
          : fmt::format("rank {} has called {} instead", met_.elsewhere, met_.call.data()));
}

void VirtualJob::give(int rank, std::uint64_t meeting, std::span<const std::byte> bytes) {
  if (given_.empty()) given_.resize(static_cast<std::size_t>(size()));
  Given& own = given_[static_cast<std::size_t>(rank)];
  own.meeting = meeting;
  own.bytes.assign(bytes.begin(), bytes.end());
}

namespace {

/// Before what it gives.
struct GivenHead {
  std::uint64_t meeting;
  int rank;
};

/// Before the key and the text.
struct ValueHead {
  corespec::Time at;
  std::uint64_t key_bytes;
  int rank;
};

struct AbortLetter {
  corespec::Time at;
  int rank;
  int code;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void VirtualJob::set_readers() {
  Mail& mail = *part_.mail;
  mail.set_reader(Subject::met, [this](std::size_t, std::span<const std::byte> letter) {
    met(take_record<Meeting>(letter));
  });
  mail.set_reader(Subject::given, [this](std::size_t, std::span<const std::byte> letter) {
    const auto head = take_record<GivenHead>(letter);
    give(head.rank, head.meeting, letter);
  });
  mail.set_reader(Subject::value, [this](std::size_t, std::span<const std::byte> letter) {
    const auto head = take_record<ValueHead>(letter);
    keep(text_of(letter.first(head.key_bytes)),
         {head.at, head.rank, text_of(letter.subspan(head.key_bytes))});
  });
  mail.set_reader(Subject::abort, [this](std::size_t, std::span<const std::byte> letter) {
    const auto abort = take_record<AbortLetter>(letter);
    hear_abort({abort.at, abort.rank}, abort.code);
  });
}

void VirtualJob::exchange(corespec::Process& caller, std::span<const std::byte> in,
                          const Take& take) {
  // Every rank writes before the meeting and reads after it; a second meeting keeps the next call's
  // writers from overtaking slow readers.
  const auto& rank = static_cast<const Rank&>(caller);
  give(caller.rank(), rank.arrivals + 1, in);
  if (part_.mail != nullptr) {
    part_.mail->send_to_others(Subject::given, GivenHead{rank.arrivals + 1, caller.rank()}, in);
  }
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
  const corespec::Time at = corespec::this_thread().own_time();
  if (part_.mail != nullptr) {
    const std::string both = std::string(key) + std::string(value);
    part_.mail->send_to_others(Subject::value, ValueHead{at, key.size(), caller.rank()},
                               bytes_of(both));
  }
  const std::string name(key);
  keep(name, {at, caller.rank(), std::string(value)});
  // Every get() that is still to come is later than a least delay before now: of what is
  // known by then everywhere, the last value is enough.
  std::vector<Value>& values = values_[name];
  const corespec::Time known_everywhere =
      caller.node().domain().now() - parameters().startup_exchange * 2;
  const auto known = std::find_if(values.rbegin(), values.rend(),
                                  [&](const Value& each) { return each.at <= known_everywhere; });
  if (known != values.rend()) values.erase(values.begin(), known.base() - 1);
}

void VirtualJob::keep(const std::string& key, Value made) {
  std::vector<Value>& values = values_[key];
  const auto is_before = [](const Value& one, const Value& other) {
    return std::pair(one.at, one.rank) < std::pair(other.at, other.rank);
  };
  values.insert(std::upper_bound(values.begin(), values.end(), made, is_before), std::move(made));
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
  end_job(Moment(thread.now(), caller.rank()), caller.node().nid(), code, why);
  for (;;) thread.sleep_until(corespec::Time::max());
}

void VirtualJob::end_job(const Moment& moment, int nid, int code, std::string_view why) {
  const int rank = moment.second;
  const std::string text =
      fmt::format("[NID {:05}] Apid {}: rank {}: {}\n", nid, apid_, rank, corespec::printable(why));
  if (output_ != nullptr) {
    output_->say_end(rank, text);
  } else if (!end_.aborted) {
    std::fflush(stdout);
    // Not fmt::print(): a stream that was closed is no reason to fail.
    std::fputs(text.c_str(), stderr);
  }
  if (part_.mail != nullptr) {
    part_.mail->send_to_others(Subject::abort, AbortLetter{moment.first, moment.second, code});
  }
  if (hear_abort(moment, code)) {
    // The present turn may lead beyond that, so there is to be a new one.
    new_limit_ = true;
    machine_.engine().interrupt_advance();
  }
}

void VirtualJob::node_failed(corespec::VirtualNode& node) {
  constexpr int status_of_sigkill = 137;  // 128 + 9, as a shell reports it
  std::set<int> ranks_left;
  for (const auto& thread : node.threads()) {
    const bool is_rank =
        thread->role() == corespec::ThreadRole::application && thread->process() != nullptr;
    if (is_rank && !thread->finished()) ranks_left.insert(thread->process()->rank());
  }
  node.halt();
  if (ranks_left.empty()) return;
  if (!parameters().reconnect) {
    end_job(Moment(node.domain().now(), *ranks_left.begin()), node.nid(), status_of_sigkill,
            "killed: its node has failed; aprun -C lets the others go on");
    return;
  }
  for (const int each : ranks_left) {
    corespec::Process& gone = rank(each);
    report(gone,
           fmt::format("[NID {:05}] Apid {}: rank {}: killed: its node has failed; the others "
                       "go on (-C)",
                       node.nid(), apid_, each));
    rank_ended(gone, status_of_sigkill);
  }
}

/// True if it is the first, of those heard of so far.
bool VirtualJob::hear_abort(const Moment& moment, int code) {
  if (end_.aborted && first_abort_ <= moment) return false;
  first_abort_ = moment;
  end_.aborted = true;
  end_.first_failed = moment.second;
  end_.status = code == 0 ? 1 : code;
  end_nodes_by(std::min(time_limit_, heard_abort()));
  return true;
}

void VirtualJob::rank_ended(corespec::Process& rank, int status) {
  add({1, rank.rank(), status, rank.node().domain().now()});
}

VirtualJob::PartEnd VirtualJob::part_end() const {
  return {end_.ended, end_.first_failed, end_.status, first_failure_.first};
}

void VirtualJob::add(const PartEnd& part) {
  end_.ended += part.ended;
  if (part.status == 0 || end_.aborted) return;
  const Moment moment(part.failed_at, part.failed);
  if (end_.status != 0 && first_failure_ < moment) return;
  first_failure_ = moment;
  end_.status = part.status;
  end_.first_failed = part.failed;
}

void VirtualJob::set_time_limit(corespec::Time limit) {
  time_limit_ = limit;
  end_nodes_by(limit);
}

void VirtualJob::end_nodes_by(corespec::Time end) {
  machine_.engine().set_time_limit(end);
  if (output_ != nullptr) output_->set_end(end);
  if (end_listener_) end_listener_(end);
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
