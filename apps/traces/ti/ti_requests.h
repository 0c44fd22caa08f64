// The requests that a rank has open.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ti {

/// For any sender or tag, as DUMPI has it.
constexpr std::int32_t any = -1;

/// A message as `wait` and `test` say it.
struct Address {
  std::int32_t source, dest, tag;
};

class Requests {
 public:
  /// A new request's number.
  std::int32_t add(const Address& address) {
    open_.push_back({next_, address});
    return next_++;
  }
  /// The oldest request of this address, or else of one with `any` that takes it in; none if there
  /// is none.
  std::optional<std::int32_t> find(const Address& address) const {
    for (const bool exact : {true, false}) {
      for (const Open& each : open_) {
        if (is_of(each.address, address, exact)) return each.number;
      }
    }
    return std::nullopt;
  }
  void remove(std::int32_t number) {
    std::erase_if(open_, [&](const Open& each) { return each.number == number; });
  }
  /// All of them, the oldest first; then there is none.
  std::vector<std::int32_t> take_all() {
    std::vector<std::int32_t> numbers;
    for (const Open& each : open_) numbers.push_back(each.number);
    open_.clear();
    return numbers;
  }

 private:
  struct Open {
    std::int32_t number;
    Address address;
  };

  static bool is_of(const Address& open, const Address& said, bool exact) {
    const auto fits = [&](std::int32_t own, std::int32_t other) {
      return own == other || (!exact && (own == any || other == any));
    };
    return open.dest == said.dest && fits(open.source, said.source) && fits(open.tag, said.tag);
  }

  static constexpr std::int32_t first = 2;  // 0 and 1 mean an error and null
  std::int32_t next_ = first;
  std::vector<Open> open_;
};

}  // namespace ti
