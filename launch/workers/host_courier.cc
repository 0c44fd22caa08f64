// Rounds, questions and ends between hosts.
#include "launch/workers/host_courier.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "corespec/host/check.h"
#include "corespec/host/futex.h"
#include "corespec/host/host_time.h"

namespace launch {
namespace {

/// So that it looks now and then for what does not come as a parcel.
constexpr int longest_sleep_ms = 100;

/// Longer than what has been sent takes to arrive.
constexpr std::int64_t longest_leaving_ns = 5'000'000'000;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

/// Of the courier's own state and of the transport, which may hold a lock meanwhile: a second one
/// within would wait for that for ever.
class HostCourier::Use {
 public:
  explicit Use(HostCourier& courier) : courier_(courier) {
    CASTOR_CHECK(!courier_.in_use_, "a courier is used inside itself");
    courier_.in_use_ = true;
  }
  ~Use() { courier_.in_use_ = false; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  HostCourier& courier_;
};

HostCourier::HostCourier(Parcels& parcels, std::vector<Range> workers_of,
                         SharedRoundsMemory& memory, Questions& questions,
                         const SharedRounds& rounds, unsigned looks, Orders orders)
    : parcels_(parcels),
      workers_of_(std::move(workers_of)),
      memory_(memory),
      questions_(questions),
      rounds_(rounds),
      looks_(looks),
      orders_(std::move(orders)),
      come_(workers_of_.size()),
      has_left_(workers_of_.size()) {
  parcels_.set_reader(
      [this](std::size_t from, std::uint32_t kind, std::span<const std::byte> content) {
        read(from, static_cast<Kind>(kind), content);
      });
}

std::size_t HostCourier::host_of(std::size_t worker) const {
  const auto found = std::find_if(workers_of_.begin(), workers_of_.end(),
                                  [&](const Range& range) { return range.holds(worker); });
  return static_cast<std::size_t>(found - workers_of_.begin());
}

bool HostCourier::poll() {
  const Use use(*this);
  return parcels_.poll();
}

void HostCourier::wait_for_parcels(int milliseconds) {
  const Use use(*this);
  parcels_.rest(milliseconds);
}

// Rounds.

void HostCourier::send_round(std::uint32_t round) {
  const Use use(*this);
  for (std::size_t host = 0; host < workers_of_.size(); ++host) {
    if (host == parcels_.own()) continue;
    const std::size_t bytes = memory_.packed_bytes(round, own(), workers_of_[host]);
    memory_.pack(round, own(), workers_of_[host],
                 parcels_.add(host, static_cast<std::uint32_t>(Kind::round), bytes));
  }
  sent_ = round;
}

bool HostCourier::have_all_come(std::uint32_t round) const {
  for (std::size_t host = 0; host < come_.size(); ++host) {
    // Not `!=`: a host may be a round ahead, and cannot be more.
    const bool has_come = static_cast<std::int32_t>(come_[host] - round) >= 0;
    if (host != parcels_.own() && !has_come) return false;
  }
  return true;
}

bool HostCourier::carry(std::uint32_t round, const std::atomic<bool>& stopped) {
  if (sent_ != round) send_round(round);
  const unsigned looks = looks_.begin();
  bool in_time = true;
  for (unsigned idle = 0;;) {
    const bool any = poll();
    if (have_all_come(round) && parcels_.all_sent()) {
      looks_.end(looks, in_time);
      return true;
    }
    if (stopped.load(std::memory_order_relaxed)) return false;
    idle = any ? 0 : idle + 1;
    if (idle < looks) {
      corespec::futex::pause();
      continue;
    }
    in_time = false;
    look();
    orders_.wait();
    wait_for_parcels(longest_sleep_ms);
  }
}

void HostCourier::look() {
  const Use use(*this);
  parcels_.poll();
  look_for_losses();
  if (is_first_host()) {
    answer_others();
  } else {
    answer_first_host();
  }
}

void HostCourier::look_for_losses() {
  if (parcels_.lost() != parcels_.own()) orders_.lose(parcels_.lost(), "cannot be reached");
  if (parcels_.garbled() != parcels_.own()) {
    orders_.lose(parcels_.garbled(), "says what this one cannot read");
  }
}

// What else there is to tell.

void HostCourier::send(std::size_t to, Kind kind, const About& about,
                       std::span<const std::byte> rest) {
  const std::span<std::byte> content =
      parcels_.add(to, static_cast<std::uint32_t>(kind), sizeof about + rest.size());
  std::memcpy(content.data(), &about, sizeof about);
  if (!rest.empty()) std::memcpy(content.data() + sizeof about, rest.data(), rest.size());
}

void HostCourier::read(std::size_t from, Kind kind, std::span<const std::byte> content) {
  if (kind == Kind::round) {
    const std::uint32_t round = come_[from] + 1;
    if (!memory_.unpack(round, workers_of_[from], own(), content)) {
      orders_.lose(from, "says what this one cannot read");
    }
    come_[from] = round;
    return;
  }
  About about;
  if (content.size() < sizeof about) return;
  std::memcpy(&about, content.data(), sizeof about);
  if (about.worker >= memory_.parts()) return;
  read_about(from, kind, about, content.subspan(sizeof about));
}

/// What makes no sense is left unread: the first host gives up waiting for an answer.
void HostCourier::read_about(std::size_t from, Kind kind, const About& about,
                             std::span<const std::byte> rest) {
  const std::size_t worker = about.worker;
  const bool is_own = own().holds(worker);
  switch (kind) {
    case Kind::question:
      if (!is_own || from != 0) return;
      asked_.push_back(worker);
      questions_.begin_question(worker);
      orders_.ask(worker);
      break;
    case Kind::answer:
      if (is_first_host() && host_of(worker) == from) questions_.set_answer(worker, text_of(rest));
      break;
    case Kind::write_out:
      if (!is_first_host() || host_of(worker) != from) return;
      write_outs_[worker] = {about, {rest.begin(), rest.end()}};
      break;
    case Kind::written_out:
      if (is_own && from == 0) questions_.set_written_out(worker, text_of(rest));
      break;
    case Kind::ended:
      if (!is_first_host() || host_of(worker) != from) return;
      if (about.round == rounds_.round()) memory_.set_letters_so_far(about.round, worker, rest);
      orders_.end(worker, about.number);
      break;
    case Kind::leaving:
      has_left_[from] = true;
      break;
    case Kind::round:
      break;
  }
}

void HostCourier::ask(std::size_t worker) {
  const Use use(*this);
  send(host_of(worker), Kind::question, {worker, 0, 0}, {});
  parcels_.poll();
}

void HostCourier::answer_first_host() {
  std::erase_if(asked_, [&](std::size_t worker) {
    const std::optional<std::string_view> answer = questions_.answer_of(worker);
    if (answer) send(0, Kind::answer, {worker, 0, 0}, std::as_bytes(std::span(*answer)));
    return answer.has_value();
  });
  for (std::size_t worker = own().begin; worker < own().end; ++worker) {
    const std::optional<int> rank = questions_.wants_written_out(worker);
    const bool is_told = std::find(writing_.begin(), writing_.end(), worker) != writing_.end();
    if (!rank || is_told) continue;
    writing_.push_back(worker);
    send(0, Kind::write_out, {worker, rounds_.round(), *rank},
         memory_.letters_so_far(rounds_.round(), worker));
  }
  parcels_.poll();
}

/// A worker that waits for its output to be out is in a round that this host may not have come to.
void HostCourier::answer_others() {
  for (auto& [worker, wanted] : write_outs_) {
    if (!wanted.is_begun && wanted.about.round == rounds_.round()) {
      wanted.is_begun = true;
      memory_.set_letters_so_far(wanted.about.round, worker, wanted.letters);
      questions_.want_written_out(worker, wanted.about.number);
    }
    if (!wanted.is_begun) continue;
    const std::optional<std::string_view> text = questions_.written_out_of(worker);
    if (!text) continue;
    send(host_of(worker), Kind::written_out, {worker, 0, 0}, std::as_bytes(std::span(*text)));
    write_outs_.erase(worker);
    break;
  }
  parcels_.poll();
}

void HostCourier::tell_end(std::size_t worker, int status) {
  {
    const Use use(*this);
    send(0, Kind::ended, {worker, rounds_.round(), status},
         memory_.letters_so_far(rounds_.round(), worker));
  }
  const std::int64_t end = corespec::host_time_ns() + longest_leaving_ns;
  while (corespec::host_time_ns() < end) {  // the first host's end, and its launcher, end this one
    look();
    wait_for_parcels(longest_sleep_ms);
  }
}

/// The first host leaves last: then it has all that was sent to it, and so have the others.
void HostCourier::leave() {
  const std::int64_t end = corespec::host_time_ns() + longest_leaving_ns;
  const auto wait_for = [&](const auto& over) {
    while (!over() && corespec::host_time_ns() < end && parcels_.lost() == parcels_.own()) {
      if (!poll()) wait_for_parcels(1);
    }
  };
  if (!is_first_host()) {
    send(0, Kind::leaving, {}, {});
    wait_for([&] { return has_left_[0]; });
    return;
  }
  has_left_[0] = true;
  wait_for([&] {
    return std::all_of(has_left_.begin(), has_left_.end(), [](bool left) { return left; });
  });
  for (std::size_t host = 1; host < has_left_.size(); ++host) send(host, Kind::leaving, {}, {});
  wait_for([&] { return parcels_.all_sent(); });
}

}  // namespace launch
