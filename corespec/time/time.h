// Time in integer picoseconds: one strong type for points and for durations.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace corespec {

/// A point in time since the start of the run, or a duration; 64-bit integer picoseconds.
/// 2^63 ps are 106 days, far above any modelled run.
class Time {
 public:
  constexpr Time() = default;

  static constexpr Time picoseconds(std::int64_t ps) { return Time(ps); }
  static constexpr Time nanoseconds(double ns) { return Time(round(ns * 1e3)); }
  static constexpr Time microseconds(double us) { return Time(round(us * 1e6)); }
  static constexpr Time seconds(double s) { return Time(round(s * 1e12)); }
  static constexpr Time max() { return Time(std::numeric_limits<std::int64_t>::max()); }

  /// Time that `bytes` take at `bytes_per_second`, rounded up to whole picoseconds.
  static constexpr Time for_bytes(std::uint64_t bytes, double bytes_per_second) {
    const double ps = static_cast<double>(bytes) * 1e12 / bytes_per_second;
    const auto whole = static_cast<std::int64_t>(ps);
    return Time(whole + (static_cast<double>(whole) < ps ? 1 : 0));
  }

  constexpr std::int64_t ps() const { return ps_; }
  constexpr double ns() const { return static_cast<double>(ps_) * 1e-3; }
  constexpr double us() const { return static_cast<double>(ps_) * 1e-6; }
  constexpr double s() const { return static_cast<double>(ps_) * 1e-12; }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time operator+(Time other) const { return Time(ps_ + other.ps_); }
  constexpr Time operator-(Time other) const { return Time(ps_ - other.ps_); }
  constexpr Time operator*(std::int64_t factor) const { return Time(ps_ * factor); }
  constexpr std::int64_t operator/(Time other) const { return ps_ / other.ps_; }
  constexpr Time operator/(std::int64_t divisor) const { return Time(ps_ / divisor); }
  constexpr Time& operator+=(Time other) {
    ps_ += other.ps_;
    return *this;
  }
  constexpr Time& operator-=(Time other) {
    ps_ -= other.ps_;
    return *this;
  }

 private:
  explicit constexpr Time(std::int64_t ps) : ps_(ps) {}
  static constexpr std::int64_t round(double value) {
    return static_cast<std::int64_t>(value < 0 ? value - 0.5 : value + 0.5);
  }

  std::int64_t ps_ = 0;
};

constexpr Time operator*(std::int64_t factor, Time time) { return time * factor; }

}  // namespace corespec
