// Agreement on the numbers that tell communicators' messages apart.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace netmod {

/// Which agreement: the same at all ranks that take part.
struct ContextKey {
  std::uint32_t context = 0;  ///< of the communicator it began with
  int tag = 0;
  auto operator<=>(const ContextKey&) const = default;
};

/// A rank's numbers of one kind, and its agreements on the next one. Kinds never meet in a number.
struct ContextNumbers {
  std::uint32_t next = 0;
  bool taken = false;  ///< an agreement is offering `next`
  std::vector<ContextKey> waiting;
};

/// What a rank offers for which something has failed, plus a number that says what: higher than all
/// numbers of communicators.
constexpr std::uint32_t first_failure = UINT32_MAX - 0xffff;
/// The highest: it has no room for another communicator.
constexpr std::uint32_t no_room = UINT32_MAX - first_failure;

/// Each rank offers its next free number, the highest is taken. (Ranks of disjoint groups may get
/// the same one: they never meet in it.) One agreement of a rank offers at a time, of those that
/// want a number the one with the lowest key; that rule is the same on all ranks, so one of them
/// finishes. If a rank had none to offer the round is repeated. If something has failed at one of
/// them, all hear of it.
class ContextAgreement {
 public:
  /// `failure`: 0, or up to no_room.
  ContextAgreement(ContextNumbers& numbers, ContextKey key, std::uint32_t failure)
      : numbers_(&numbers), key_(key), failure_(failure) {
    numbers.waiting.push_back(key);
  }
  ContextAgreement(const ContextAgreement&) = delete;
  ContextAgreement& operator=(const ContextAgreement&) = delete;

  /// The caller's offer, to be replaced by the highest of both elements at all ranks.
  std::array<std::uint32_t, 2>& begin_round() {
    auto& waiting = numbers_->waiting;
    offering_ = !numbers_->taken && *std::min_element(waiting.begin(), waiting.end()) == key_;
    if (offering_) numbers_->taken = true;
    const std::uint32_t own = failure_ == 0 ? numbers_->next : first_failure + failure_;
    offer_ = {offering_ ? own : 0, offering_ ? 0U : 1U};
    return offer_;
  }
  /// True: number() is agreed on, or failed() says that there is none.
  bool end_round() {
    if (offering_) numbers_->taken = false;
    if (offer_[1] != 0) return false;
    if (!failed()) numbers_->next = offer_[0] + 1;
    auto& waiting = numbers_->waiting;
    waiting.erase(std::find(waiting.begin(), waiting.end(), key_));
    return true;
  }
  std::uint32_t number() const { return offer_[0]; }
  bool failed() const { return offer_[0] >= first_failure; }

 private:
  ContextNumbers* numbers_;
  ContextKey key_;
  std::uint32_t failure_;
  bool offering_ = false;
  std::array<std::uint32_t, 2> offer_{};
};

/// From start to end; `round(offer)` finds the highest. May be a failure.
template <class Round>
std::uint32_t agree(ContextNumbers& numbers, ContextKey key, std::uint32_t failure,
                    const Round& round) {
  ContextAgreement agreement(numbers, key, failure);
  do {
    round(agreement.begin_round());
  } while (!agreement.end_round());
  return agreement.number();
}

}  // namespace netmod
