// Reading CASTOR_TELEMETRY.
#include "ugni_emu/telemetry/mark_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "corespec/config/units.h"
#include "corespec/host/printable.h"

namespace telemetry {
namespace {

constexpr const char* allowed =
    "it must be words with commas between them: N, random:N, every:N, all, moments:TIME, "
    "pair:RANK-RANK, size:BYTES-BYTES, site:TEXT, router:NUMBER, nic:NID";

[[noreturn]] void refuse(std::string_view word, std::string_view what) {
  throw std::invalid_argument(fmt::format("{}: {}", corespec::printable(std::string(word)), what));
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::uint64_t count_of(std::string_view word, std::string_view text) {
  const std::optional<std::uint64_t> value = number_of(text);
  if (!value || *value == 0) refuse(word, "the number must be 1 or more");
  return *value;
}

/// 4K, 1M, 64.
std::uint64_t bytes_of(std::string_view word, std::string_view text) {
  unsigned shift = 0;
  if (text.ends_with('K')) shift = 10;
  if (text.ends_with('M')) shift = 20;
  if (text.ends_with('G')) shift = 30;
  const std::optional<std::uint64_t> value =
      number_of(shift == 0 ? text : text.substr(0, text.size() - 1));
  if (!value || *value > std::numeric_limits<std::uint64_t>::max() >> shift) {
    refuse(word, "it must be size:BYTES-BYTES, like size:4K-1M");
  }
  return *value << shift;
}

/// 50us, 2ms, 100ns, 1s.
corespec::Time time_of(std::string_view word, std::string_view text) {
  constexpr double longest_ns = 1e15;
  const std::optional<double> ns =
      corespec::parse_with_unit(text, corespec::time_units, std::nullopt);
  if (!ns || !(*ns >= 1 && *ns <= longest_ns)) {
    refuse(word, "it must be a time with its unit (ns, us, ms, s), 1ns or more");
  }
  return corespec::Time::nanoseconds(*ns);
}

struct Two {
  std::string_view first, second;
};

Two halves(std::string_view word, std::string_view text, const char* what) {
  const std::size_t sign = text.find('-');
  if (sign == std::string_view::npos) refuse(word, what);
  return {text.substr(0, sign), text.substr(sign + 1)};
}

std::int32_t rank_of(std::string_view word, std::string_view text) {
  const std::optional<std::uint64_t> value = number_of(text);
  if (!value || *value > std::numeric_limits<std::int32_t>::max()) {
    refuse(word, "it must be pair:RANK-RANK, like pair:3-42");
  }
  return static_cast<std::int32_t>(*value);
}

std::uint32_t component_of(std::string_view word, std::string_view text) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 31) - 2;
  const std::optional<std::uint64_t> value = number_of(text);
  if (!value || *value > most) refuse(word, "it must be router:NUMBER or nic:NID");
  return static_cast<std::uint32_t>(*value);
}

/// The words of a choice, read one after the other.
class Reader {
 public:
  void read(std::string_view word) {
    const std::size_t sign = word.find(':');
    const std::string_view name = word.substr(0, sign);
    const std::string_view value =
        sign == std::string_view::npos ? std::string_view() : word.substr(sign + 1);
    if (number_of(word)) {
      sampler(word, Choice::Sampler::random);
      choice_.of = count_of(word, word);
    } else if (name == "random" || name == "every") {
      sampler(word, name == "random" ? Choice::Sampler::random : Choice::Sampler::every);
      choice_.of = count_of(word, value);
    } else if (word == "all") {
      sampler(word, Choice::Sampler::all);
    } else if (name == "moments") {
      sampler(word, Choice::Sampler::moments);
      choice_.period = time_of(word, value);
    } else {
      filter(word, name, value);
    }
  }

  Choice end() {
    if (!sampled_) choice_.sampler = Choice::Sampler::all;
    if (choice_.component && (choice_.pair || choice_.sizes || !choice_.site.empty())) {
      throw std::invalid_argument(
          "router: and nic: stand with a sampler alone: a component knows no ranks, sizes of "
          "commands or calls");
    }
    return choice_;
  }

 private:
  void sampler(std::string_view word, Choice::Sampler wanted) {
    once(word, sampled_, "a second sampler; there can be one");
    sampled_ = true;
    choice_.sampler = wanted;
  }

  void filter(std::string_view word, std::string_view name, std::string_view value) {
    if (name == "pair") {
      once(word, choice_.pair.has_value(), "a second pair; there can be one");
      const Two ranks = halves(word, value, "it must be pair:RANK-RANK, like pair:3-42");
      choice_.pair = {rank_of(word, ranks.first), rank_of(word, ranks.second)};
    } else if (name == "size") {
      once(word, choice_.sizes.has_value(), "a second size; there can be one");
      const Two sizes = halves(word, value, "it must be size:BYTES-BYTES, like size:4K-1M");
      choice_.sizes = {bytes_of(word, sizes.first), bytes_of(word, sizes.second)};
      if (choice_.sizes->least > choice_.sizes->most) {
        refuse(word, "the first size must not be the larger one");
      }
    } else if (name == "site" && !value.empty()) {
      once(word, !choice_.site.empty(), "a second site; there can be one");
      choice_.site = value;
    } else if (name == "router" || name == "nic") {
      once(word, choice_.component.has_value(), "a second component; there can be one");
      const std::uint32_t number = component_of(word, value);
      choice_.component = name == "nic" ? Component::nic(number) : Component::router(number);
    } else {
      refuse(word, allowed);
    }
  }

  static void once(std::string_view word, bool again, const char* what) {
    if (again) refuse(word, what);
  }

  Choice choice_;
  bool sampled_ = false;
};

}  // namespace

Choice parse_choice(std::string_view text) {
  Reader reader;
  while (true) {
    const std::size_t comma = text.find(',');
    reader.read(text.substr(0, comma));
    if (comma == std::string_view::npos) return reader.end();
    text.remove_prefix(comma + 1);
  }
}

}  // namespace telemetry
