// Names of requests that travel to a peer and come back: looked up, never followed.
#pragma once

#include <cstdint>
#include <vector>

namespace netmod {

class RequestImpl;

/// A rank's requests whose peers answer. A name is a place in a table and how often that has been
/// used: one that is old, or that was never given, finds nothing. 0 is none.
class RequestNames {
 public:
  std::uint64_t add(RequestImpl& request) {
    if (first_free_ == none) {
      first_free_ = static_cast<std::uint32_t>(places_.size());
      places_.push_back({});
    }
    const std::uint32_t index = first_free_;
    Place& place = places_[index];
    first_free_ = place.next_free;
    place.request = &request;
    return std::uint64_t{place.uses} << 32 | index;
  }

  /// Null if it names none.
  RequestImpl* find(std::uint64_t name) const {
    const auto index = static_cast<std::uint32_t>(name);
    if (index >= places_.size() || places_[index].uses != name >> 32) return nullptr;
    return places_[index].request;
  }

  /// Ends a name that find() knows.
  void remove(std::uint64_t name) {
    const auto index = static_cast<std::uint32_t>(name);
    Place& place = places_[index];
    place.request = nullptr;
    if (++place.uses == 0) place.uses = 1;
    place.next_free = first_free_;
    first_free_ = index;
  }

 private:
  static constexpr std::uint32_t none = ~0U;
  struct Place {
    RequestImpl* request = nullptr;
    std::uint32_t uses = 1;
    std::uint32_t next_free = none;
  };
  std::vector<Place> places_;
  std::uint32_t first_free_ = none;
};

}  // namespace netmod
