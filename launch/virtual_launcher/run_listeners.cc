// What listens to a run in virtual time.
#include "launch/virtual_launcher/run_listeners.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

#include "corespec/threads/rank_memory.h"

namespace launch {
namespace {

/// So many occurrences wait before those that are settled are put in order.
constexpr std::size_t many = 1U << 16;

}  // namespace

class RunListeners::OfDomain final : public corespec::Observer {
 public:
  /// Of the listeners, either may be null.
  OfDomain(const corespec::EventDomain& domain, const VirtualRun& run, corespec::Observer* profile,
           OccurrenceOrder* order)
      : domain_(domain), run_(run), profile_(profile), order_(order) {}
  void observe(const corespec::Occurrence& occurrence) override {
    if (is_void(occurrence)) return;
    const corespec::HostMemory not_the_ranks;  // where a rank's own memory lies must not change
    if (profile_ != nullptr) profile_->observe(occurrence);
    if (order_ != nullptr) order_->add({std::max(domain_.now(), occurrence.begin), occurrence});
  }

 private:
  /// A thread tells of its calls before the machine's time has come that far. It does not come so
  /// far where its node fails before.
  bool is_void(const corespec::Occurrence& occurrence) const {
    if (occurrence.begin <= domain_.now() || occurrence.rank < 0) return false;
    const std::optional<corespec::Time> end = run_.end_of_node(occurrence.place);
    return end && occurrence.begin > *end;
  }

  const corespec::EventDomain& domain_;
  const VirtualRun& run_;
  corespec::Observer* profile_;
  OccurrenceOrder* order_;
};

RunListeners::RunListeners(VirtualRun& run, RunFiles& files, const AprunOptions& options,
                           const Part& part)
    : run_(run),
      files_(files),
      part_(part),
      orders_(files.wants_timeline()),
      order_(timeline_window(options, [&](int rank) { return run.job().nid_of(rank); })),
      readers_(part.count, OccurrenceReader(files.texts())) {
  if (files.hears_nothing()) return;
  corespec::Observer* const profile = files.wants_profile() ? &files.profile_listener() : nullptr;
  OccurrenceOrder* const order = orders_ ? &order_ : nullptr;
  run_.set_observers([&](const corespec::EventDomain& domain) {
    return &of_domains_.emplace_back(domain, run_, profile, order);
  });
  if (!orders_) return;
  if (part_.mail != nullptr) {
    part_.mail->set_reader(
        Subject::occurrences, [this](std::size_t from, std::span<const std::byte> letter) {
          read(from, {reinterpret_cast<const char*>(letter.data()), letter.size()});
        });
  }
  run_.machine().engine().add_settled_listener(*this);
  run_.machine().engine().tell_when_settled();
}

RunListeners::~RunListeners() {
  if (!of_domains_.empty()) run_.set_observers([](const auto&) { return nullptr; });
  if (orders_) run_.machine().engine().remove_settled_listener(*this);
}

void RunListeners::give_before(corespec::Time time) {
  for (const TimedOccurrence& each : order_.take_before(time)) {
    files_.timeline_listener().observe(each.occurrence);
  }
}

std::string RunListeners::pack_before(corespec::Time time) {
  for (const TimedOccurrence& each : order_.take_before(time)) packer_.add(each);
  return packer_.take();
}

void RunListeners::read(std::size_t from, std::string_view parcel) {
  readers_[from].read(parcel, [this](const TimedOccurrence& timed) { order_.add(timed); });
}

bool RunListeners::settled(corespec::Time time) {
  if (!part_.is_first()) {
    if (order_.size() == 0) return true;
    const std::string parcel = pack_before(time);
    const std::span<std::byte> letter = part_.mail->add(0, Subject::occurrences, parcel.size());
    std::memcpy(letter.data(), parcel.data(), parcel.size());
    return true;
  }
  // What other parts have sent when they had met before has come by now, and no more.
  const corespec::Time all_is_here = part_.mail == nullptr ? time : settled_;
  settled_ = time;
  if (order_.size() >= many) give_before(all_is_here);
  return true;
}

Shared RunListeners::rest_of_timeline() {
  return {[this] { return pack_before(corespec::Time::max()); },
          [this](std::size_t part, std::string_view packed) { read(part, packed); }};
}

/// What threads have told of later times has not come to pass.
void RunListeners::end(corespec::Time end_of_run) {
  give_before(end_of_run + corespec::Time::picoseconds(1));
}

}  // namespace launch
